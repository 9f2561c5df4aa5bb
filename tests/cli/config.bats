#!/usr/bin/env bats
# The configuration file.

load helper
load models_on_disk

config() {
    mkdir -p "$HOME/.config/dragoman"
    # shellcheck disable=SC2059 # the first argument is the format
    printf "$@" >"$HOME/.config/dragoman/config"
}

# expect_fault MESSAGE: the configuration is refused with this message after its path.
expect_fault() {
    translate -m "$MODEL" </dev/null
    expect_status 2
    expect_err "dragoman: $HOME/.config/dragoman/config:$1"
}

@test "sets the model, and options and the environment come first" {
    unset DRAGOMAN_MODEL
    model "$HOME/mine"
    model "$HOME/other"
    config '# a comment\n\n  model =  ~/mine \nthreads = 1\nprecision = int8\n'
    chosen mine --
    grep -q int8 out
    chosen other -- -m "$HOME/other" --precision f32
    run ! grep int8 out
    DRAGOMAN_MODEL=$HOME/other chosen other --
    translate info -q --no-config
    run ! grep -q "$HOME" out
}

@test "an alias stands for a path, beside the configuration or in the home folder, or for a name" {
    model "$HOME/.config/dragoman/beside"
    model "$HOME/mine"
    model "$(own)/named"
    config 'alias a = ~/mine\nalias b = beside\nalias c = named\nalias d = c\nalias e = %s' "$HOME/mine"
    chosen mine -- -m a
    chosen .config/dragoman/beside -- -m b
    chosen .local/share/dragoman/models/named -- -m c
    chosen .local/share/dragoman/models/named -- -m d
    chosen mine -- -m e
    mkdir a # a path comes before an alias
    translate info -q -m a
    expect_status 1
}

@test "CRLF and a missing last newline are accepted" {
    model "$HOME/mine"
    config 'threads = 2\r\nalias a = ~/mine'
    chosen mine -- -m a
}

@test "faults name the file and the line" {
    config 'threads = 1\nthread = 1\n'
    expect_fault "2: unknown setting 'thread': use model, threads, precision or 'alias NAME'"
    config 'threads = many\n'
    expect_fault "1: --threads: 'many' is not a whole number from 1 to 1024"
    config 'precision = 8\n'
    expect_fault "1: --precision must be one of auto, f32, bf16, int8, not '8'"
    config 'threads = 1\nthreads = 1\n'
    expect_fault "2: threads is set twice"
    config 'model\n'
    expect_fault "1: 'model': use NAME = VALUE"
    config 'model =\n'
    expect_fault "1: model: the value is missing"
    config 'alias a = x\nalias a = y\n'
    expect_fault "2: the alias 'a' is there already"
    for name in a/b a,b a:b a@b -a .a; do
        config 'alias %s = x\n' $name
        expect_fault "1: alias '$name': use letters, digits, '-', '_' and '.', as in 'alias fr = PATH'"
    done
    config 'alias a = b\nalias b = a\n'
    expect_fault " the alias 'a' refers to itself"
    config 'a\0b = 1\n'
    expect_fault " has a NUL byte; it must be text"
}

@test "a broken configuration stops every command that uses models, and --no-config ignores it" {
    config 'nonsense\n'
    for command in '' info models 'score' 'pack -o x'; do
        # shellcheck disable=SC2086
        translate $command -m "$MODEL" </dev/null
        expect_status 2
    done
    for command in help --version --help 'completion bash' 'complete models'; do
        # shellcheck disable=SC2086
        translate $command
        expect_status 0
    done
    echo "One." | dragoman --no-config -m "$MODEL" >out
    [[ -s out ]]
}

@test "a configuration that is a folder, a FIFO or too large is refused" {
    mkdir -p "$HOME/.config/dragoman/config"
    translate -m "$MODEL" </dev/null
    expect_status 2
    rmdir "$HOME/.config/dragoman/config"
    mkfifo "$HOME/.config/dragoman/config"
    expect_fault " is not a regular file"
    rm "$HOME/.config/dragoman/config"
    head -c 2000000 /dev/zero | tr '\0' '\n' >"$HOME/.config/dragoman/config"
    expect_fault " is larger than 1048576 bytes"
}
