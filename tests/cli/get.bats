#!/usr/bin/env bats
# dragoman get: downloads from a server on this machine
# shellcheck disable=SC2153 # PLACE is set in get.bash

load helper
load get

@test "get downloads a model of the hub into the cache of Hugging Face's programs" {
    serve
    get org/small
    expect_status 0
    expect_err
    [[ $(<out) == org/small ]]
    expect_model
    [[ $(<"$PLACE/refs/main") == 0123456789abcdef0123456789abcdef01234567 ]]
    [[ ! -e $SNAPSHOT/README.md && ! -e $SNAPSHOT/tf_model.h5 ]]
    [[ $(readlink "$SNAPSHOT/model.safetensors") == ../../blobs/$(sha256sum "$MODEL/model.safetensors" | cut -d' ' -f1) ]]
    [[ $(readlink "$SNAPSHOT/config.json") == ../../blobs/$(blob_id "$MODEL/config.json") ]]
    echo the old bridge >in
    dragoman -m "$MODEL" in >expected
    dragoman -m "$PLACE" in | cmp - expected
}

@test "get downloads nothing that is there already, and replaces what is wrong" {
    local blob
    serve
    get org/small
    : >"$BATS_TEST_TMPDIR/log"
    get org/small
    expect_status 0
    [[ $(requests) == "1 /api/models/org/small/revision/main - -" ]]
    blob=$(readlink -f "$SNAPSHOT/config.json")
    tr '{' '[' <"$MODEL/config.json" >"$blob"
    get org/small
    expect_status 0
    expect_model
}

@test "get downloads the calibration of the model" {
    numbered_lines 1 120 >source
    dragoman calibrate -m "$MODEL" source source -o "$SERVED/hub/org/small/dragoman-calibration.json"
    serve
    get org/small
    expect_status 0
    cmp "$SNAPSHOT/dragoman-calibration.json" "$SERVED/hub/org/small/dragoman-calibration.json"
    dragoman info -m org/small | grep -x "calibration: $SNAPSHOT/dragoman-calibration.json"
}

@test "get takes a revision, and writes no ref for a commit" {
    serve
    get org/small@v1
    expect_status 0
    [[ $(<out) == org/small@v1 && -e $PLACE/refs/v1 && ! -e $PLACE/refs/main ]]
    get org/small@refs/pr/1
    expect_status 0
    [[ $(requests) == *"/api/models/org/small/revision/refs/pr/1 "* && -e $PLACE/refs/refs/pr/1 ]]
    get org/small@0123456789abcdef0123456789abcdef01234567
    expect_status 0
    [[ $(find "$PLACE/refs" -type f | wc -l) == 2 ]]
}

@test "get prefers safetensors, and takes exactly the parts that the index lists" {
    rm "$SERVED/hub/org/small/model.safetensors"
    printf x >"$SERVED/hub/org/small/pytorch_model.bin"
    printf y >"$SERVED/hub/org/small/model-00001-of-00001.safetensors"
    printf z >"$SERVED/hub/org/small/model-00001-of-00009.safetensors"
    printf '{"weight_map": {"a": "model-00001-of-00001.safetensors", "b": "model-00001-of-00001.safetensors"}}' \
        >"$SERVED/hub/org/small/model.safetensors.index.json"
    serve
    get org/small
    expect_status 0
    [[ -e $SNAPSHOT/model-00001-of-00001.safetensors && -e $SNAPSHOT/model.safetensors.index.json ]]
    [[ ! -e $SNAPSHOT/pytorch_model.bin && ! -e $SNAPSHOT/model-00001-of-00009.safetensors ]]
    rm "$SERVED/hub/org/small/model-00001-of-00001.safetensors" && rm -r "$HUB"
    get org/small
    expect_status 1
    expect_err "dragoman: get: org/small: the index of the weights names model-00001-of-00001.safetensors, which the server does not have"
    [[ ! -e $SNAPSHOT ]]
}

@test "get takes the folders of the environment" {
    serve
    HF_HOME=$FILES/a get org/small
    [[ -e a/hub/models--org--small/refs/main ]]
    HF_HUB_CACHE=$FILES/b HF_HOME=$FILES/c get org/small
    [[ -e b/models--org--small/refs/main && ! -e c ]]
    XDG_CACHE_HOME=$FILES/d get org/small
    [[ -e d/huggingface/hub/models--org--small/refs/main && ! -e $HUB ]]
}

@test "get --int8 packs the model in dragoman's folder and prints its path" {
    serve
    get --int8 org/small
    expect_status 0
    [[ $(<out) == "$HOME/.local/share/dragoman/models/small.safetensors" ]]
    dragoman pack -m "$PLACE" --int8 -o packed
    cmp packed "$(<out)"
    XDG_DATA_HOME=$FILES/data get --int8 org/small@v1
    [[ $(<out) == "$FILES/data/dragoman/models/small.safetensors" && -s $(<out) ]]
    [[ $(ls -A "$FILES/data/dragoman/models") == small.safetensors ]]
}

@test "get --int8 does not replace the packed file of another model with the same name" {
    local folder=$HOME/.local/share/dragoman/models
    mkdir -p "$SERVED/hub/other"
    cp -r "$SERVED/hub/org/small" "$SERVED/hub/other"
    jq '.num_beams = 7' "$MODEL/config.json" >"$SERVED/hub/other/small/config.json"
    serve
    get --int8 org/small
    cp "$folder/small.safetensors" before
    get --int8 other/small
    expect_status 1
    expect_err "dragoman: get: $folder/small.safetensors exists, and is another model or another version of this one; rename or remove it, and run the command again"
    cmp "$folder/small.safetensors" before
    [[ ! -s out && $(ls -A "$folder") == small.safetensors ]]
    get --int8 org/small@v1 # the same bytes
    expect_status 0
    cmp "$folder/small.safetensors" before
    mv "$folder/small.safetensors" "$folder/mine.safetensors"
    get --int8 other/small
    expect_status 0
    [[ $(ls "$folder") == $'mine.safetensors\nsmall.safetensors' ]]
}

@test "get --int8 replaces the packed file of an older package" {
    local packed=$HOME/.local/share/dragoman/models/argos-en-de.safetensors
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
    mkdir -p "${packed%/*}"
    echo older >"$packed"
    serve
    get --int8 argos:en-de
    expect_status 0
    dragoman info -m "$packed" --verify
}

@test "get installs an Argos package as Argos Translate does" {
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
    printf x >"$SERVED/argos/translate-en_de-0_9.argosmodel"
    serve
    get argos:en-de
    expect_status 0
    expect_err
    [[ $(<out) == argos:en-de ]]
    local packages=$HOME/.local/share/argos-translate/packages
    [[ $(ls -A "$packages") == translate-en_de-1_0 ]]
    python3 -m zipfile -e "$SERVED/argos/translate-en_de-1_0.argosmodel" unpacked
    diff -r unpacked/translate-en_de-1_0 "$packages/translate-en_de-1_0"
    echo x >"$packages/translate-en_de-1_0/old"
    ARGOS_PACKAGE_INDEX=$ARGOS_PACKAGE_INDEX/ get argos:en-de
    expect_status 0
    diff -r unpacked/translate-en_de-1_0 "$packages/translate-en_de-1_0"
    ARGOS_PACKAGES_DIR=$FILES/own get --int8 argos:en-de
    [[ -d own/translate-en_de-1_0 && $(<out) == */dragoman/models/argos-en-de.safetensors && -s $(<out) ]]
    get argos:en-fr
    expect_status 1
    expect_err "dragoman: get: argos:en-fr: the index $URL/argos/index.json has no package of these languages"
}

@test "get of a newer Argos package leaves the older one, and the name means the newer one" {
    local packages=$HOME/.local/share/argos-translate/packages
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
    serve
    get argos:en-de
    python3 -m zipfile -e "$SERVED/argos/translate-en_de-1_0.argosmodel" unpacked
    mv unpacked/translate-en_de-1_0 unpacked/translate-en_de-1_1
    jq '.package_version = "1.1"' "$packages/translate-en_de-1_0/metadata.json" >unpacked/translate-en_de-1_1/metadata.json
    (cd unpacked && python3 -m zipfile -c "$SERVED/argos/translate-en_de-1_1.argosmodel" translate-en_de-1_1)
    get argos:en-de
    expect_status 0
    [[ $(ls "$packages") == $'translate-en_de-1_0\ntranslate-en_de-1_1' ]]
    dragoman info -m argos:en-de | grep -qx "model: $packages/translate-en_de-1_1/model"
}

serve_firefox() {
    local folder=$SERVED/firefox/en-de/$1
    mkdir -p "$folder"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/model.bin" "$folder/model.ende.intgemm.alphas.bin"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/vocab.yml" "$folder/vocab.yml"
}

@test "get takes the newest release of a Firefox model" {
    local place=$HOME/.local/share/dragoman/models/firefox
    serve_firefox 1.10
    serve_firefox 1.9
    serve_firefox 2.0a1
    echo '# 1.9' >>"$SERVED/firefox/en-de/1.9/vocab.yml"
    serve
    get firefox:en-de
    expect_status 0
    expect_err
    [[ $(<out) == firefox:en-de && $(ls -A "$place") == en-de ]]
    [[ $(requests) == *"/firefox/en-de/1.10/model"* && $(requests) != *"/1.9/"* && $(requests) != *"/2.0a1/"* ]]
    dragoman -m "$GOLDEN_ROOT/marian_nmt/student_8bit" -g --length-penalty 1 --max-length-factor 2 \
        <"$GOLDEN_ROOT/marian_nmt/student_8bit/source.txt" >expected
    cmp "$place/en-de/vocab.yml" "$SERVED/firefox/en-de/1.10/vocab.yml"
    [[ $(dragoman info -m "$place/en-de" | grep language) == $'source language: en\ntarget language: de' ]]
    get --int8 firefox:en-de
    expect_status 0
    [[ $(<out) == "$HOME/.local/share/dragoman/models/firefox-en-de.safetensors" && -s $(<out) ]]
    get firefox:en-fr
    expect_status 1
    expect_err "dragoman: get: firefox:en-fr: Firefox has no model of these languages; its models translate from or into English"
}

@test "get refuses names that cannot be names of models" {
    local name
    for name in ../x /x org/../x org/small/x 'org/sm all' org/small@ org/small@../x org/small@a//b a--b .x org/x.git; do
        translate get "$name" </dev/null
        expect_status 2
        [[ $(<err) == "dragoman: get: '$name'"*"; try 'dragoman get --help'" || $(<err) == "dragoman: get: '$name': invalid revision; try"* ]]
    done
    expect_usage_error "get: 'argos:fr' must name two languages, such as argos:fr-en" get argos:fr
    expect_usage_error "get: 'firefox:../x-y' must name two languages, such as firefox:fr-en" get firefox:../x-y
}

@test "the token goes to the hub alone" {
    serve redirect=other token=secret123
    HF_TOKEN=secret123 get org/small
    expect_status 0
    expect_model
    requests | grep '^1 ' | grep -qv ' Bearer secret123$' && false
    requests | grep -q '^2 '
    requests | grep '^2 ' | grep -qv ' -$' && false
    run ! grep -rq secret123 "$HUB" out err
}

@test "the token is read from the files of Hugging Face's programs" {
    serve token=abc
    mkdir -p "$HOME/.cache/huggingface"
    echo abc >"$HOME/.cache/huggingface/token"
    get org/small
    expect_status 0
    rm -r "$HUB"
    echo wrong >"$HOME/.cache/huggingface/token"
    echo abc >token
    HF_TOKEN_PATH=$FILES/token get org/small
    expect_status 0
    get org/small
    expect_status 1
    HF_TOKEN='a b' get org/small
    expect_status 2
    expect_err "dragoman: get: the token in HF_TOKEN contains a space or another invalid character"
    HF_TOKEN=$(printf '%09000d' 0) get org/small
    expect_status 2
    expect_err "dragoman: get: the token in HF_TOKEN has more than 8192 characters; check it"
    printf 'a\tb\n' >token
    HF_TOKEN_PATH=$FILES/token get org/small
    expect_err "dragoman: get: the token in $FILES/token contains a space or another invalid character"
}

@test "the program is not linked with libcurl and libcrypto" {
    run ldd "$DRAGOMAN"
    [[ $output != *libcurl* && $output != *libcrypto* ]]
}

@test "get shows its progress on a terminal that can erase a line, and not with -q" {
    serve slow=0.004
    command -v script >/dev/null || skip "no script to make a terminal"
    TERM=xterm script -qec "'$DRAGOMAN' get org/small" typescript </dev/null >/dev/null
    [[ $(<typescript) == *"MB/s"* ]]
    rm -r "$HUB"
    TERM=xterm script -qec "'$DRAGOMAN' get -q org/small" typescript </dev/null >/dev/null
    [[ $(<typescript) != *"MB/s"* ]]
    rm -r "$HUB"
    TERM=dumb script -qec "'$DRAGOMAN' get org/small" typescript </dev/null >/dev/null
    [[ $(<typescript) != *"MB/s"* ]]
}
