#!/usr/bin/env bats
# dragoman get: servers that fail, answer wrongly or refuse, and full disks

load helper
load get

@test "get continues cut connections where they broke" {
    serve cut=50000 times=2
    get org/small
    expect_status 0
    expect_model
    requests | grep -q 'model.safetensors bytes=50000-'
}

@test "get starts anew if the server ignores or misreads a range" {
    serve cut=50000 times=1 ignore_range=1
    get org/small
    expect_status 0
    expect_model
    rm -r "$HUB"
    serve cut=50000 times=1 wrong_range=1
    get org/small
    expect_status 0
    expect_model
}

@test "a download that was given up is continued by the next one, and a server that fails is named" {
    local partial
    serve cut=10000 failing=503
    dragoman get org/failing >failing.out 2>failing.err </dev/null & # both wait for seven seconds
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: get: $URL/org/small/resolve/"*"/model.safetensors: the connection broke again and again ("*"); run the command again to continue" ]]
    partial=$(find "$PLACE/blobs" -name '*.incomplete')
    [[ $(stat -c %s "$partial") == 50000 && ! -e $PLACE/refs && ! -e $PLACE/snapshots ]]
    translate -m "$PLACE" </dev/null
    expect_status 1
    wait $! && false
    mv failing.err err
    expect_err "dragoman: get: $URL/api/models/org/failing/revision/main: the server failed (503); try again later"
    [[ $(requests | grep -c org/failing) == 5 ]]
    serve
    get org/small
    expect_status 0
    expect_model
    requests | grep -q 'model.safetensors bytes=50000-'
}

@test "an unfinished file with other content is replaced" {
    local hash
    hash=$(sha256sum "$MODEL/model.safetensors" | cut -d' ' -f1)
    mkdir -p "$PLACE/blobs"
    head -c 70000 /dev/zero >"$PLACE/blobs/$hash.incomplete"
    serve
    get org/small
    expect_status 0
    expect_model
}

@test "SIGTERM leaves a file that can be continued, and no lock" {
    serve slow=0.05
    "$DRAGOMAN" get org/small >out 2>err 3>&- &
    local pid=$! tries=0
    until find "$HUB" -name '*.incomplete' -size +4k 2>/dev/null | grep -q . || ((++tries > 500)); do sleep 0.02; done
    kill "$pid"
    wait "$pid" && false
    [[ -n $(find "$HUB" -name '*.incomplete') && -z $(find "$HUB" -name '*.lock') && ! -e $SNAPSHOT ]]
    serve
    get org/small
    expect_status 0
    expect_model
}

@test "wrong checksums and sizes are named with what was expected, and leave nothing" {
    serve wrong_hash=model.safetensors
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: get: model.safetensors: checksum mismatch: expected "*", got $(sha256sum "$MODEL/model.safetensors" | cut -d' ' -f1); try again later" ]]
    [[ ! -e $SNAPSHOT && -z $(find "$HUB" -name '*.incomplete') ]]
    serve wrong_hash=config.json
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: get: config.json: checksum mismatch: expected "*", got $(blob_id "$MODEL/config.json"); try again later" ]]
    rm -r "$HUB"
    serve wrong_size=config.json
    get org/small
    expect_status 1
    local size
    size=$(stat -c %s "$MODEL/config.json")
    expect_err "dragoman: get: config.json: wrong size: expected $((size + 1)) bytes, got $size; try again later"
    expect_no_trace
    serve extra=config.json
    get org/small
    expect_status 1
    expect_err "dragoman: get: config.json: the server sends more than the $size bytes that it stated"
    expect_no_trace
}

@test "401, 403, 404 and 429 are named with what to do" {
    serve status=401
    get org/small
    expect_status 1
    expect_err "dragoman: get: org/small: not found, or private (401): check the name; for a private model, set HF_TOKEN to a valid token"
    serve status=403 code=GatedRepo
    get org/small
    expect_err "dragoman: get: org/small: access denied (403): accept the terms of the model on $URL/org/small, and set HF_TOKEN to a token of your account"
    serve file_status=401 code=GatedRepo
    get org/small
    expect_err "dragoman: get: org/small: access denied (401): accept the terms of the model on $URL/org/small, and set HF_TOKEN to a token of your account"
    serve
    get org/other
    expect_err "dragoman: get: org/other: no such model (404): check the name"
    get xx-yy
    expect_err "dragoman: get: xx-yy: no such model (404): check the name; for two languages, see 'dragoman get --list'"
    get org/small@v9
    expect_err "dragoman: get: org/small: not found (404): check the name of the model and the revision 'v9'"
    serve file_status=404
    get org/small
    expect_err "dragoman: get: org/small: the server does not have the file config.json (404); run the command again"
    serve status=429 retry_after=3600
    get org/small
    expect_err "dragoman: get: $URL/api/models/org/small/revision/main: too many requests (429); try again in 3600 seconds"
    [[ $(requests | wc -l) == 1 ]]
    expect_no_trace
}

@test "get waits and tries again after 429 and 500" {
    serve file_status=429 retry_after=1 times=1
    get org/small
    expect_status 0
    expect_model
    rm -r "$HUB"
    serve file_status=500 times=2
    get org/small
    expect_status 0
    expect_model
}

@test "get follows a few redirects, and none to another scheme" {
    serve redirect=loop
    get org/small
    expect_status 1
    [[ $(<err) == *"/config.json: too many redirects" ]]
    serve redirect=plain
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: get: ftp://127.0.0.1/org/small/resolve/"*"/config.json: refused: only https:// is used" ]]
    expect_no_trace
}

@test "get connects by https unless the environment says http" {
    HF_ENDPOINT=ftp://127.0.0.1 get org/small
    expect_status 1
    expect_err "dragoman: get: ftp://127.0.0.1: refused: only https:// is used"
    HF_ENDPOINT=http://user:password@127.0.0.1 get org/small
    expect_err "dragoman: get: addresses with a user name or a password are not supported"
}

@test "HF_HUB_OFFLINE forbids connections" {
    serve
    HF_HUB_OFFLINE=1 get org/small
    expect_status 1
    expect_err "dragoman: get: HF_HUB_OFFLINE=1 forbids connections; unset it to download"
    [[ -z $(requests) ]]
    HF_HUB_OFFLINE=0 get org/small
    expect_status 0
}

@test "lists that are too long, not JSON or unsafe are refused" {
    serve huge=1
    get org/small
    expect_status 1
    expect_err "dragoman: get: $URL/api/models/org/small/revision/main?blobs=true: the answer has more than 16777216 bytes"
    local name
    for name in ../x /x a/../x; do
        serve unsafe="$name"
        get org/small
        expect_status 1
        expect_err "dragoman: get: org/small: refused: unsafe file name '$name'"
    done
    expect_no_trace
}

@test "get says so if the model has no weights that dragoman reads, or another architecture" {
    rm "$SERVED/hub/org/small/model.safetensors"
    serve
    get org/small
    expect_status 1
    expect_err "dragoman: get: org/small: has no weights that dragoman reads (safetensors, PyTorch, CTranslate2 or Marian)"
    cp "$MODEL/model.safetensors" "$SERVED/hub/org/small"
    jq '.model_type = "gpt2" | .architectures = ["GPT2LMHeadModel"]' "$MODEL/config.json" >"$SERVED/hub/org/small/config.json"
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: get: org/small was downloaded, but dragoman cannot use it: "*gpt2* && ! -s out ]]
    [[ -e $SNAPSHOT/config.json ]]
}

@test "a download larger than the free space is not started" {
    serve no_space=1
    get org/small
    expect_status 1
    [[ $(<err) == "dragoman: $PLACE: not enough space: the download needs "*" MB, and "*" MB are free" ]]
    expect_no_trace
}

@test "a limit on the size of files ends the download without a trace" {
    serve
    (ulimit -f 32 && exec "$DRAGOMAN" get org/small) >out 2>err </dev/null && false
    [[ $(<err) == "dragoman: $PLACE/blobs/"*".incomplete: File too large" ]]
    expect_no_trace
}

@test "a full disk ends the download without a trace" {
    local disk=$BATS_TEST_TMPDIR/disk pid tries=0 code=0 left
    mkdir "$disk"
    mount -t tmpfs -o size=200k tmpfs "$disk" 2>/dev/null || skip "only root can mount a small disk"
    serve slow=0.01
    HF_HOME=$disk/hf "$DRAGOMAN" get org/small >out 2>err </dev/null 3>&- &
    pid=$!
    until find "$disk" -name '*.incomplete' -size +3k 2>/dev/null | grep -q . || ((++tries > 500)); do sleep 0.02; done
    head -c 1000000 /dev/zero >"$disk/other" 2>/dev/null || true # takes the space that was free at the start
    wait "$pid" || code=$?
    left=$(find "$disk" -name 'models--*' -o -name '*.lock')
    umount "$disk"
    [[ $code == 1 && -z $left ]]
    [[ $(<err) == "dragoman: $disk/hf/hub/models--org--small/blobs/"*".incomplete: No space left on device; free some space and run the command again" ]]
}

@test "a damaged, unsafe or foreign Argos package is refused and leaves nothing" {
    local kind expected packages=$HOME/.local/share/argos-translate/packages
    command -v python3 >/dev/null || skip "no python3"
    python3 - "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" <<'PY'
import sys, zipfile
for kind in ("crc", "traversal", "link", "cut", "foreign", "bomb"):
    data = bytearray(open(sys.argv[1], "rb").read())
    if kind == "cut":
        open(kind, "wb").write(data[:len(data) // 2])
        continue
    with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(kind, "w") as new:
        for name in old.namelist():
            if not name.endswith("/") and not (kind == "foreign" and name.endswith("model.bin")):
                new.writestr(name, old.read(name))
        if kind == "traversal":
            new.writestr("translate-en_de-1_0/../../evil", b"x")
        if kind == "link":
            entry = zipfile.ZipInfo("translate-en_de-1_0/link")
            entry.create_system, entry.external_attr = 3, 0o120777 << 16
            new.writestr(entry, b"/etc/passwd")
        if kind == "bomb":
            new.writestr("translate-en_de-1_0/zeros", bytes(40 << 20), zipfile.ZIP_DEFLATED)
        if kind == "crc":
            offset = new.getinfo("translate-en_de-1_0/model/model.bin").header_offset + 200
    if kind == "crc":
        data = bytearray(open(kind, "rb").read())
        data[offset] ^= 1
        open(kind, "wb").write(data)
PY
    serve
    for kind in crc traversal link cut foreign bomb; do
        cp $kind "$SERVED/argos/translate-en_de.argosmodel"
        case $kind in
        crc) expected="checksum mismatch of translate-en_de-1_0/model/model.bin: the archive is corrupt" ;;
        traversal) expected="refused: unsafe file name in the archive" ;;
        link) expected="refused: translate-en_de-1_0/link is a link or a special file" ;;
        cut) expected="cut off: there is no directory at the end" ;;
        foreign) expected= ;;
        bomb) expected="implausible compression ratio" ;;
        esac
        get argos:en-de
        expect_status 1
        [[ $(<err) == *"$expected"* ]] || { cat err; false; }
        [[ -z $(ls -A "$packages") && ! -e $HOME/.local/share/argos-translate/evil ]] || { find "$packages"; false; }
    done
}

# serve_firefox VOCABULARY: a model of Firefox whose vocabulary has this name.
serve_firefox() {
    mkdir -p "$SERVED/firefox/en-de/1.0"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/model.bin" "$SERVED/firefox/en-de/1.0/model.ende.intgemm.alphas.bin"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/vocab.yml" "$SERVED/firefox/en-de/1.0/$1"
}

@test "files of another release, left by an interrupted download, are removed" {
    local models=$HOME/.local/share/dragoman/models/firefox
    serve_firefox vocab.yml
    mkdir -p "$models/.en-de.incomplete/folder" "$models/fr-en"
    head -c 100 "$GOLDEN_ROOT/marian_nmt/student_8bit/model.bin" >"$models/.en-de.incomplete/model.bin"
    head -c 40000 "$GOLDEN_ROOT/marian_nmt/student_8bit/model.bin" \
        >"$models/.en-de.incomplete/model.ende.intgemm.alphas.bin.incomplete"
    echo '{"version": "0.9"}' >"$models/.en-de.incomplete/metadata.json"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/vocab.yml" "$models/.en-de.incomplete/vocab.en.yml"
    serve
    get firefox:en-de
    expect_status 0
    [[ $(ls -A "$models") == $'en-de\nfr-en' ]]
    [[ $(ls -A "$models/en-de") == $'metadata.json\nmodel.ende.intgemm.alphas.bin\nvocab.yml' ]]
    [[ $(jq -r .version "$models/en-de/metadata.json") == 1.0 ]]
    requests | grep -q 'model.ende.intgemm.alphas.bin bytes=40000-'
}

@test "a model of Firefox that cannot be opened leaves nothing" {
    serve_firefox other.txt
    serve
    get firefox:en-de
    expect_status 1
    [[ -z $(ls -A "$HOME/.local/share/dragoman/models/firefox") ]]
}

@test "a wrong file of Firefox leaves nothing" {
    serve_firefox vocab.yml
    serve wrong_hash=vocab.yml
    get firefox:en-de
    expect_status 1
    [[ $(<err) == "dragoman: get: vocab.yml: checksum mismatch: expected "* ]]
    [[ -z $(ls -A "$HOME/.local/share/dragoman/models/firefox") ]]
}

ARGOS=.local/share/argos-translate

# start_until FILE MODEL: starts a download of MODEL, waits until a file or a folder of this name exists
# below $HOME and is not empty, and sets PID.
start_until() {
    local tries=0
    "$DRAGOMAN" get "$2" >first.out 2>first.err </dev/null 3>&- &
    PID=$!
    until find "$HOME" -name "$1" ! -empty 2>/dev/null | grep -q . || ((++tries > 1000)); do sleep 0.01; done
}

@test "downloads of the same package or model at the same time wait for each other" {
    local name folder
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos"
    serve_firefox vocab.yml
    serve slow=0.01
    for name in argos:en-de firefox:en-de; do
        folder=$HOME/.local/share/dragoman/models/firefox
        [[ $name == firefox* ]] || folder=$HOME/$ARGOS
        start_until '*.incomplete' $name
        get $name
        expect_status 0
        wait $PID
        [[ $(<out) == "$name" && $(<first.out) == "$name" && ! -s first.err ]]
        grep -v '^dragoman: get: waiting for another download of this model, which has locked /' err && false
        [[ -z $(find "$folder" -name '.*') ]] || { find "$folder"; false; }
        dragoman info -m $name
    done
}

@test "a download that waits for another one says so once, unless it is quiet" {
    local option pid tries lock message='' locks=$HUB/.locks/models--org--small
    command -v flock >/dev/null || skip "no flock here"
    serve
    lock=$locks/$(blob_id "$MODEL/config.json").lock
    for option in --quiet ''; do
        rm -rf "$HUB"
        mkdir -p "$locks"
        exec 7>"$lock" 8>"$locks/snapshots.lock"
        flock 7
        flock 8
        timeout "$LIMIT" "$DRAGOMAN" get org/small $option >out 2>err </dev/null 3>&- 7>&- 8>&- &
        pid=$!
        tries=0
        until [[ -n $option || -s err ]] || ((++tries > 500)); do sleep 0.02; done
        sleep 0.3
        exec 7>&-
        sleep 0.3
        exec 8>&-
        wait "$pid"
        expect_model
        [[ -n $option ]] || message="dragoman: get: waiting for another download of this model, which has locked $lock"
        expect_err ${message:+"$message"}
    done
}

@test "an unfinished Argos package is continued, but not with one of another version" {
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
    interrupt() {
        start_until '*.incomplete' argos:en-de
        kill $PID
        wait $PID && false
        [[ $(find "$HOME" -name '*dragoman-*' | wc -l) == 1 ]]
        : >"$BATS_TEST_TMPDIR/log"
    }
    serve slow=0.01
    interrupt
    get argos:en-de
    expect_status 0
    requests | grep -q 'translate-en_de-1_0.argosmodel bytes='
    interrupt
    mv "$SERVED/argos/translate-en_de-1_0.argosmodel" "$SERVED/argos/translate-en_de-1_1.argosmodel"
    get argos:en-de
    expect_status 0
    requests | grep -q 'translate-en_de-1_1.argosmodel - '
    [[ $(ls -A "$HOME/$ARGOS") == packages ]]
}

@test "an Argos package is installed in a folder that is mounted, also from the same device" {
    local volume
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos"
    serve
    export DRAGOMAN
    mkdir -p volume share/packages
    for volume in '-t tmpfs tmpfs' '--bind volume'; do
        # shellcheck disable=SC2016 # expanded by the inner shell
        volume=$volume in_namespace '
            mount $volume share/packages || exit 99
            ARGOS_PACKAGES_DIR=$PWD/share/packages "$DRAGOMAN" get argos:en-de
            [[ $(ls -A share share/packages) == $(printf "share:\npackages\n\nshare/packages:\ntranslate-en_de-1_0") ]]
        ' || { [[ $? == 99 ]] && skip "no mount points can be made here"; return 1; }
    done
}

# signal_at INJECTION... -- ARGUMENT...: get ARGUMENT, with the injections of strace.
signal_at() {
    local options=()
    command -v strace >/dev/null || skip "no strace to send signals"
    strace -f -qq -o trace true 2>/dev/null || skip "strace may not trace here"
    until [[ $1 == -- ]]; do
        options+=(-e "inject=$1")
        shift
    done
    shift
    status=0
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -qq -o trace "${options[@]}" "$DRAGOMAN" get "$@" \
        </dev/null >out 2>err || status=$?
}

@test "a signal during the replacement of a model leaves the old or the new one" {
    local models=$HOME/.local/share/dragoman/models/firefox call
    serve_firefox vocab.yml
    serve
    get firefox:en-de
    mv "$SERVED/firefox/en-de/1.0" "$SERVED/firefox/en-de/1.1"
    cp -r "$models" old
    # The last calls are for file systems that cannot exchange two names.
    for call in renameat2:signal=TERM {rename:signal=TERM:when={1,2},rename:signal=TERM:when={3,4,5}+renameat2:error=EINVAL}; do
        rm -r "$models"
        cp -r old "$models"
        # shellcheck disable=SC2086
        signal_at ${call//+/ } -- firefox:en-de
        expect_status 143
        echo "the house" | dragoman -m "$models/en-de" >/dev/null
        get firefox:en-de
        expect_status 0
        [[ $(ls -A "$models") == en-de && $(jq -r .version "$models/en-de/metadata.json") == 1.1 ]]
    done
}

@test "a signal during the trial of a folder leaves nothing, and a kill leaves what the next download removes" {
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de.argosmodel"
    serve
    signal_at rename:signal=TERM:when=1 -- argos:en-de
    expect_status 143
    [[ -z $(find "$HOME" -name '*dragoman-*') ]] || { find "$HOME" && false; }
    signal_at renameat2:signal=KILL -- argos:en-de
    expect_status 137
    [[ -d $HOME/$ARGOS/.dragoman-get-en-de.new && -z $(ls -A "$HOME/$ARGOS/packages") ]]
    get argos:en-de
    expect_status 0
    [[ $(ls -A "$HOME/$ARGOS") == packages && $(ls -A "$HOME/$ARGOS/packages") == translate-en_de-1_0 ]]
}

@test "a snapshot that a signal has interrupted is removed by the next download" {
    serve
    signal_at symlink:signal=TERM:when=2 -- org/small
    expect_status 143
    [[ -n $(find "$PLACE" -name '.snapshot-*') && ! -e $SNAPSHOT ]]
    get org/small
    expect_status 0
    expect_model
    [[ $(ls -A "$PLACE") == $'blobs\nrefs\nsnapshots' ]]
}
