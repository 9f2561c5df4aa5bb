# shellcheck shell=bash
# output.bash - what the tests of output files share.

no_leftovers() {
    [[ -z $(find . -name '*.dragoman-*') ]]
}

# wait_for COMMAND...: waits until it succeeds while $worker runs; fails if $worker ends before. The command should
# start no process, since it runs 200 times a second.
wait_for() {
    (
        trap - DEBUG # bats traces each command, which is slow
        exec {never}<> <(:)
        while ! "$@"; do
            kill -0 "$worker" || exit 1
            read -rt 0.005 -u "$never" || true
        done
    )
}

# start_waiting TARGET [PREFIX]: a translation ($worker) that waits for input with its output file open; the name of
# the temporary file begins with PREFIX, ./.TARGET without one. Closing descriptor 7 ends it.
start_waiting() {
    local i
    mkfifo input
    exec 7<>input
    "$DRAGOMAN" -o "$1" <input 7>&- 2>err &
    worker=$!
    echo "Hello." >&7
    for ((i = 0; i < 20 * LIMIT; i++)); do
        [[ ! -e ${2:-./.$1}.dragoman-$worker ]] || return 0
        kill -0 "$worker"
        sleep 0.05
    done
    return 1
}
