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
    expect_err "dragoman: $HOME/.config/dragoman/config$1"
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

@test "the precision is for models in folders, and packed models keep theirs" {
    model "$HOME/mine"
    echo "Hello." >in
    for packed in f32 bf16 int8; do
        dragoman pack -q -m "$HOME/mine" --$packed -o $packed
        dragoman info -m $packed >$packed.info
    done
    cp f32 auto # what the folder is without a precision
    for precision in auto f32 bf16 int8; do
        dragoman info --no-config -m "$HOME/mine" --precision $precision >folder.info
        config "precision = $precision\n"
        for packed in f32 bf16 int8; do dragoman info -m $packed | cmp - $packed.info; done
        dragoman info -m "$HOME/mine" | cmp - folder.info
        dragoman --format tsv -m "int8,$HOME/mine" in >ensemble
        dragoman --no-config --format tsv -m int8,$precision in | cmp - ensemble
    done
    config 'precision = f32'
    translate -m f32 --precision int8 in
    expect_status 2
    expect_err "dragoman: f32 is packed for --precision f32; for int8, use the folder it was packed from"
}

@test "a precision in the configuration changes no memory of a packed model" {
    model "$HOME/mine"
    echo "Hello." >in
    dragoman pack -q -m "$HOME/mine" --int8 -o int8
    dragoman -q -m int8 --memory m.tsv in
    config 'precision = bf16'
    translate -v -m int8 --memory m.tsv in
    expect_status 0
    grep -q '^dragoman: memory: 1 text found, 0 translated, 0 added$' err
}

@test "an alias stands for a path, beside the configuration or in the home folder, or for a name" {
    model "$HOME/.config/dragoman/beside"
    model "$HOME/mine"
    model "$(own)/named"
    config 'alias a = ~/mine\nalias b = beside\nalias c = named\nalias Dd = c\nalias e = %s' "$HOME/mine"
    chosen mine -- -m a
    chosen .config/dragoman/beside -- -m b
    chosen .local/share/dragoman/models/named -- -m c
    chosen .local/share/dragoman/models/named -- -m Dd
    chosen .local/share/dragoman/models/named -- -m dD
    chosen mine -- -m e
    mkdir a # a path comes before an alias
    translate info -q -m a
    expect_status 1
}

@test "an alias that differs in case comes before ORG/NAME and such models, but after an equal name" {
    local own=.local/share/dragoman/models
    for name in mine equal Similar; do model "$HOME/$own/$name"; done
    hub_model Org/short aaaaaaaa de en main
    config 'alias %s = mine\n' Short Equal similar
    chosen $own/mine -- -m short
    chosen $own/mine -- -m SIMILAR
    chosen $own/Similar -- -m Similar
    chosen $own/equal -- -m equal
    chosen .cache/huggingface/hub/models--Org--short/snapshots/aaaaaaaa -- -m org/SHORT
}

@test "an alias of a name never stands for a file of the working folder" {
    hub_model Org/de-en aaaaaaaa de en main
    config 'alias a = Org/de-en\nalias b = Org/fr-en\nmodel = Org/fr-en\n'
    mkdir Org
    model Org/de-en
    model Org/fr-en
    chosen .cache/huggingface/hub/models--Org--de-en/snapshots/aaaaaaaa -- -m a
    unset DRAGOMAN_MODEL
    local hint=" 'dragoman get Org/fr-en' downloads it"
    for words in "-m b" ""; do
        # shellcheck disable=SC2086
        translate info $words
        expect_status 1
        expect_err "dragoman: Org/fr-en (in the configuration): no such model on this machine;$hint"
    done
    run ! grep '"place":"alias"' <(dragoman models --format jsonl)
}

@test "CRLF and a missing last newline are accepted" {
    model "$HOME/mine"
    config '\xef\xbb\xbfthreads = 2\r\nalias a = ~/mine'
    chosen mine -- -m a
}

@test "threads takes effect" {
    unset DRAGOMAN_MODEL
    model "$HOME/mine"
    config 'model = ~/mine\nthreads = 3\n'
    dragoman info | grep -qE '^(threads|workers).*3|3 threads'
}

@test "a home folder of another user has no configuration" {
    [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null || skip "needs root and setpriv"
    config 'nonsense\n'
    chmod 700 "$HOME"
    run -0 setpriv --reuid=65534 --clear-groups "$DRAGOMAN" models
}

@test "many aliases end the run at once" {
    for i in {1..201}; do echo "alias a$i = a$((i + 1))"; done >aliases
    mkdir -p "$HOME/.config/dragoman"
    cp aliases "$HOME/.config/dragoman/config"
    expect_fault ":201: more than 200 aliases"
    head -n 200 aliases >"$HOME/.config/dragoman/config"
    translate info -m a1
    expect_status 1
    grep -q '^dragoman: a201 (in the configuration): no such model (did you mean a20' err
}

@test "faults name the file and the line" {
    config 'threads = 1\nthread = 1\n'
    expect_fault ":2: unknown setting 'thread': use model, threads, precision or 'alias NAME'"
    config 'threads = many\n'
    expect_fault ":1: --threads: 'many' is not a whole number from 1 to 1024"
    config 'precision = 8\n'
    expect_fault ":1: --precision must be one of auto, f32, bf16, int8, not '8'"
    config 'threads = 1\nthreads = 1\n'
    expect_fault ":2: threads is set twice"
    config 'model\n'
    expect_fault ":1: 'model': use NAME = VALUE"
    config 'model =\n'
    expect_fault ":1: model: the value is missing"
    config 'alias a = x\nalias a = y\n'
    expect_fault ":2: alias 'a' is already defined"
    for name in a/b a,b a:b a@b -a .a é; do
        config 'alias %s = x\n' $name
        expect_fault ":1: alias '$name': use letters, digits, '-', '_' and '.', as in 'alias fr = PATH'"
    done
    config 'alias a = b\nalias b = a\n'
    expect_fault ":1: alias 'a' refers to itself"
    config 'alias = x\n'
    expect_fault ":1: alias '': use letters, digits, '-', '_' and '.', as in 'alias fr = PATH'"
    config 'model = a,b\n'
    expect_fault ":1: a,b: a value is one model; use -m for an ensemble"
    config 'threads = 1\rmodel = x\n'
    expect_fault ":1: --threads: '1?model = x' is not a whole number from 1 to 1024"
    config 'a\0b = 1\n'
    expect_fault ": has a NUL byte; it must be text"
}

@test "a broken configuration stops every command that uses models, and --no-config ignores it" {
    config 'nonsense\n'
    for command in '' info models 'score' 'pack -o x'; do
        # shellcheck disable=SC2086
        translate $command -m "$MODEL" </dev/null
        expect_status 2
    done
    expect_err "dragoman: $HOME/.config/dragoman/config:1: 'nonsense': use NAME = VALUE"
    HF_HUB_OFFLINE=1 translate get org/name # uses no model
    expect_err "dragoman: get: HF_HUB_OFFLINE=1 forbids connections; unset it to download"
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

@test "a model that refuses the languages is named, with the place that names it and a model for the languages" {
    unset DRAGOMAN_MODEL
    model "$(own)/de-fr" de fr
    model "$HOME/mine"
    echo "Hello." >in
    config 'model = ~/mine\n'
    advice="--from de: this model translates from en only; the model $HOME/mine comes from"
    translate --from de --to fr in
    expect_status 2
    expect_err "dragoman: $advice $HOME/.config/dragoman/config; use -m de-fr"
    translate --from de in
    expect_status 2
    expect_err "dragoman: $advice $HOME/.config/dragoman/config; choose another model with -m"
    DRAGOMAN_MODEL=$HOME/mine translate --from de --to fr in
    expect_status 2
    expect_err "dragoman: $advice \$DRAGOMAN_MODEL; use -m de-fr"
    translate -m "$HOME/mine" --from de in
    expect_status 2
    expect_err "dragoman: --from de: this model translates from en only"
}
