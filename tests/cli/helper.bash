# shellcheck shell=bash
# helper.bash - what the tests of the command line share.
#
# DRAGOMAN is the program; GOLDEN_ROOT has the folders of tests/golden as the
# Makefile assembles them; MODEL is the model that all tests use, unless they say
# otherwise: a small one made for the golden tests. Its translations are
# nonsense, so a test compares them with each other, never with a language.
# Each command runs under a time limit that only keeps a hanging test from
# waiting for ever. FILES is an empty folder, the working directory.

bats_require_minimum_version 1.5.0

ROOT=${BATS_TEST_DIRNAME%/tests/*}
DRAGOMAN=${DRAGOMAN:-$ROOT/dragoman}
[[ $DRAGOMAN == /* ]] || DRAGOMAN=$ROOT/$DRAGOMAN
DEFAULT_MODEL=${DRAGOMAN%/*}/models/en-de.safetensors
GOLDEN_ROOT=${GOLDEN_ROOT:-$ROOT/build/golden}
LIMIT=${TEST_LIMIT:-300}
MODEL=${TEST_MODEL-}
for config in "$GOLDEN_ROOT"/marian/{swish-opus,*}/config.json; do
    [[ -n $MODEL || ! -e $config ]] || MODEL=${config%/*}
done

setup() {
    [[ -n $MODEL ]] || { echo "$GOLDEN_ROOT/marian: no model" >&2 && return 1; }
    FILES=$BATS_TEST_TMPDIR/files
    export DRAGOMAN MODEL DRAGOMAN_MODEL=$MODEL LC_ALL=C.UTF-8
    isolate
    mkdir -p "$FILES"
    cd "$FILES" || return
}

# An empty home: the models and the configuration of the user must not change a result.
isolate() {
    export HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$HOME"
    unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE ARGOS_PACKAGES_DIR
}

dragoman() {
    timeout "$LIMIT" "$DRAGOMAN" "$@"
}

# Runs `dragoman ARGUMENT...` and keeps its three results: $status, and the
# files out and err, byte for byte.
translate() {
    status=0
    dragoman "$@" >out 2>err || status=$?
}

# Fails, and says what was there, unless the file err is exactly the given
# lines (no argument: empty).
expect_err() {
    local expected='' found
    (($# == 0)) || printf -v expected '%s\n' "$@"
    IFS= read -rd '' found <err || [[ ! -e err || $found != "$expected" ]] || return 0 # no process, since nearly all cases do this
    printf %s "$expected" | diff -u - err
}

expect_status() {
    [[ $status == "$1" ]] || { echo "exit status $status instead of $1"; cat err; return 1; }
}

# expect_usage_error MESSAGE ARGUMENT...: one line, exit 2, nothing on stdout. The line names the help of the command.
expect_usage_error() {
    local message=$1 command=''
    shift
    case ${1-} in info | models | pack | shortlist | score | align | calibrate | explain | get | help | completion) command="$1 " ;; esac
    translate "$@" </dev/null
    expect_status 2
    expect_err "dragoman: $message; try 'dragoman $command--help'"
    [[ ! -s out ]]
}

# Uses the program without the embedded models, which are found beside it.
hide_embedded_models() {
    mkdir -p program
    ln "$DRAGOMAN" program/dragoman 2>/dev/null || cp "$DRAGOMAN" program/dragoman
    DRAGOMAN=$PWD/program/dragoman
}

# need_default_model: skips the test if the program has no default model beside it.
need_default_model() {
    [[ -e $DEFAULT_MODEL ]] || skip "there is no default model"
}

# unpack_default FOLDER: writes the model that dragoman uses without -m, an int8 file, as a folder in float32.
unpack_default() {
    python3 "$ROOT/scripts/unpack_model.py" "$(DRAGOMAN_MODEL='' dragoman info | sed -n 's/^model: //p')" "$1"
}

# in_namespace COMMAND: runs it with mount points of its own, which vanish with it.
in_namespace() {
    unshare -m true 2>/dev/null || skip "no mount points can be made here"
    unshare -m bash -euc "$1"
}

# start_dragoman ARGUMENT...: dragoman ($worker) reads descriptor 7 and writes to the files out and err. Returns when
# it has written its first line.
start_dragoman() {
    local i
    mkfifo input
    exec 7<>input
    "$DRAGOMAN" "$@" <input >out 2>err 7>&- &
    worker=$!
    echo "Hello." >&7
    for ((i = 0; i < 20 * LIMIT; i++)); do
        [[ ! -s out ]] || return 0
        kill -0 "$worker"
        sleep 0.05
    done
    return 1
}

# Lines of the given numbers, all different; the numbers are written with
# letters, since the small vocabularies have no digits.
numbered_lines() {
    seq -f 'This is line %.0f.' "$1" "$2" | tr 0-9 enirstadhu
}
