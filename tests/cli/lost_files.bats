#!/usr/bin/env bats
# lost_files.bats - models that are truncated while they are in use.

load helper
load output

worker= # set by start_dragoman and start_waiting

# dragoman ends at once, without waiting for its threads, which the thread sanitizer would report.
export TSAN_OPTIONS="${TSAN_OPTIONS-} report_thread_leaks=0"

# The model as a packed file, which is mapped while it is in use.
make_model() {
    dragoman pack -m "$MODEL" --f32 -o model.safetensors
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

# expect_complete_lines ARGUMENT...: translates one line with a model that is then truncated.
expect_complete_lines() {
    make_model
    dragoman -m model.safetensors <<<"Hello." >first
    start_dragoman -m model.safetensors "$@"
    expect_lost_model
    cmp first out
}

@test "a truncated model ends the translation with one line, after all complete lines" {
    expect_complete_lines -j 1
}

@test "several threads that read a truncated model report it once" {
    expect_complete_lines -j 4
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
    start_dragoman -m model.safetensors
    kill -BUS "$worker"
    status=0
    wait "$worker" || status=$?
    exec 7>&-
    expect_status $((128 + $(kill -l BUS)))
}
