# shellcheck shell=bash
# get.bash - what the tests of `dragoman get` share: a server on 127.0.0.1 (get_server.py), which all cases of a file use,
# and folders of their own.

setup_file() {
    command -v python3 >/dev/null || return 0
    echo >"$BATS_FILE_TMPDIR/task"
    python3 "$BATS_TEST_DIRNAME/get_server.py" "$BATS_FILE_TMPDIR/ports" "$BATS_FILE_TMPDIR/task" \
        >"$BATS_FILE_TMPDIR/server.err" 2>&1 3>&- &
    export SERVER=$!
    until [[ -e $BATS_FILE_TMPDIR/ports ]]; do
        kill -0 "$SERVER" || { cat "$BATS_FILE_TMPDIR/server.err"; return 1; }
        sleep 0.02
    done
}

teardown_file() {
    [[ -z ${SERVER-} ]] || { kill "$SERVER"; wait "$SERVER" || true; } 2>/dev/null
}

setup() {
    FILES=$BATS_TEST_TMPDIR/files
    SERVED=$BATS_TEST_TMPDIR/served
    export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR/home
    unset DRAGOMAN_MODEL "${!HF_@}" "${!HUGGINGFACE_@}" "${!XDG_@}" "${!ARGOS_@}" http_proxy HTTP_PROXY https_proxy \
        HTTPS_PROXY all_proxy ALL_PROXY
    export no_proxy='*'
    HUB=$HOME/.cache/huggingface/hub
    PLACE=$HUB/models--org--small
    SNAPSHOT=$PLACE/snapshots/0123456789abcdef0123456789abcdef01234567
    mkdir -p "$FILES" "$HOME" "$SERVED"/{hub/org/small,argos,firefox}
    cp "$MODEL"/* "$SERVED/hub/org/small/"
    printf 'read me\n' >"$SERVED/hub/org/small/README.md"
    printf 'not needed\n' >"$SERVED/hub/org/small/tf_model.h5"
    cd "$FILES" || return
}

# blob_id FILE: the name that git, and with it the hub, gives to a file with this content.
blob_id() {
    { printf 'blob %d\0' "$(wc -c <"$1")"; cat "$1"; } | sha1sum | cut -d ' ' -f 1
}

# serve FAULT=VALUE...: lets the server give the files of this case, with these faults, and points dragoman to it.
serve() {
    [[ -n ${SERVER-} ]] || skip "no python3 to serve files"
    printf '%s\n' "$SERVED" "$BATS_TEST_TMPDIR/log" "$@" >"$BATS_FILE_TMPDIR/task.new"
    mv "$BATS_FILE_TMPDIR/task.new" "$BATS_FILE_TMPDIR/task"
    : >"$BATS_TEST_TMPDIR/log"
    read -r PORT _ <"$BATS_FILE_TMPDIR/ports"
    URL=http://127.0.0.1:$PORT
    export HF_ENDPOINT=$URL ARGOS_PACKAGE_INDEX=$URL/argos DRAGOMAN_FIREFOX_REGISTRY=$URL/v1
}

# get ARGUMENT...: as translate() of helper.bash.
get() {
    translate get "$@" </dev/null
}

# What the server was asked for: SERVER PATH RANGE TOKEN.
requests() {
    cat "$BATS_TEST_TMPDIR/log"
}

# Fails if a model could be opened, or a lock or an unfinished file is left.
expect_no_trace() {
    [[ ! -e $PLACE ]] || { find "$HUB"; return 1; }
    [[ -z $(find "$HOME" -name '*.lock' -o -name '*.incomplete' -o -name '*dragoman-*') ]] || { find "$HOME"; return 1; }
}

# Fails unless the model is complete and equal to the served one.
expect_model() {
    local file
    for file in "$MODEL"/{config.json,*.safetensors,pytorch_model.bin,*.spm}; do
        [[ ! -e $file ]] || cmp "$file" "$SNAPSHOT/${file##*/}" || return 1
    done
    [[ -z $(find "$HOME" -name '*.lock' -o -name '*.incomplete') ]] || { find "$HOME"; return 1; }
}
