# shellcheck shell=bash
# helper.bash - what the tests of dragoman-server share. Each test is a Python program on standard input, which uses
# client.py. The models are those that come with dragoman: en-de and de-en.

# shellcheck source=tests/cli/helper.bash
source "$BATS_TEST_DIRNAME/../cli/helper.bash"

setup() {
    FILES=$BATS_TEST_TMPDIR/files
    export DRAGOMAN LC_ALL=C.UTF-8 PYTHONPATH=$BATS_TEST_DIRNAME PYTHONDONTWRITEBYTECODE=1
    unset DRAGOMAN_MODEL
    isolate
    mkdir -p "$FILES"
    cd "$FILES" || return
    [[ -x $DRAGOMAN-server ]] || skip "there is no dragoman-server: libmicrohttpd is missing"
    need_default_model
}

# check < PROGRAM: runs a Python program after `from client import *`.
check() {
    timeout "$LIMIT" python3 -c "from client import *
import sys
exec(compile(sys.stdin.read(), 'test', 'exec'))"
}
