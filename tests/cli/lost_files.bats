#!/usr/bin/env bats
# lost_files.bats - models that are truncated while they are in use.

load helper
load output

# The model as a packed file, which is mapped while it is in use.
make_model() {
    dragoman pack -m "$MODEL" --f32 -o model.safetensors
}

# start_translating ARGUMENT...: a translation ($worker) of descriptor 7 into the files out and err. Returns when the
# first line is translated.
start_translating() {
    local i
    mkfifo input
    exec 7<>input
    "$DRAGOMAN" -m model.safetensors "$@" <input >out 2>err 7>&- &
    worker=$!
    echo "Hello." >&7
    for ((i = 0; i < 20 * LIMIT; i++)); do
        [[ ! -s out ]] || return 0
        kill -0 "$worker"
        sleep 0.05
    done
    return 1
}

# Sends lines and waits for the end, which a model of zero bytes causes.
expect_lost_model() {
    local status=0
    truncate -s 0 model.safetensors
    numbered_lines 1 50 >&7
    exec 7>&-
    wait "$worker" || status=$?
    expect_status 1
    expect_err "dragoman: model.safetensors: was truncated while in use, or its disk has failed; restore the file and run dragoman again"
}

@test "a truncated model ends the translation with one line, after all complete lines" {
    make_model
    dragoman -m model.safetensors <<<"Hello." >first
    start_translating -j 1
    expect_lost_model
    cmp first out
}

@test "several threads that read a truncated model report it once" {
    make_model
    dragoman -m model.safetensors <<<"Hello." >first
    start_translating -j 4
    expect_lost_model
    cmp first out
}

@test "a truncated model leaves the file of --output as it was, and no temporary file" {
    make_model
    echo old >target
    export DRAGOMAN_MODEL=model.safetensors
    start_waiting target
    expect_lost_model
    [[ $(<target) == old ]]
    no_leftovers
}

@test "a SIGBUS that is not caused by a model stays a crash" {
    make_model
    start_translating
    kill -BUS "$worker"
    status=0
    wait "$worker" || status=$?
    exec 7>&-
    expect_status $((128 + $(kill -l BUS)))
}
