# shellcheck shell=bash
# output.bash - what the tests of output files share.

no_leftovers() {
    [[ -z $(find . -name '*.dragoman-*') ]]
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
