#!/usr/bin/env bats
# Wrong usage: one line on stderr and exit code 2, before a model is opened. Which command lines are wrong is tested by
# tests/unit/test_option_parse.c.

load helper

@test "wrong usage is one line that names the help, and exit code 2, before a model is opened" {
    expect_usage_error "unknown option '--bogus'" -m no/such/model --bogus
    expect_usage_error "unknown option '-\\xc3'" $'-\xc3\xa4'
    expect_usage_error "--beam: '0' is not a whole number from 1 to 1024" -b 0
    expect_usage_error "info: --resume cannot be used with this command" info --resume
    expect_usage_error "pack: --beam cannot be used with this command" pack --beam=2
    expect_usage_error "info: takes one model, not 2" info "$MODEL" "$MODEL"
    expect_usage_error "pack: unexpected 'x'; the model is already given with -m" pack -m "$MODEL" x
    expect_usage_error "Where is it?: No such file or directory (to translate a text, use quotes: dragoman -e \"Where is it?\")" "Where is it?"
    expect_usage_error "is: No such file or directory (to translate a text, use quotes: dragoman -e \"Where is the station?\")" -t de -e Where is the station?
    expect_usage_error "completion: needs one shell: bash, zsh or fish" completion
}

@test "commands accept options of translating and abbreviations" {
    translate info -m "$MODEL" --beam 2 --max-in 20 --prec f32 -j 1 --batch-rows 4 --no-split -q
    expect_status 0
    translate pack --mod "$MODEL" --in -o packed -q # --in is --int8; translating has --include
    expect_status 0
    grep -x 'stored as: I8, packed' <(dragoman info -m packed)
    translate --hel
    expect_status 0
    cmp out <(dragoman --help)
}

@test "info and pack take a model without -m, and the case of letters does not matter" {
    dragoman info -m "$MODEL" >expected
    dragoman info "$MODEL" | cmp - expected
    dragoman Info "$MODEL" | cmp - expected
    dragoman pack "$MODEL" -o packed
    dragoman pack -m "$MODEL" -o expected
    cmp packed expected
    echo One. >in
    dragoman --format TSV in | cmp - <(dragoman --format tsv in)
    dragoman --as HTML in | cmp - <(dragoman --as html in)
    dragoman --as htm in | cmp - <(dragoman --as html in)
    mkdir -p "$HOME/.local/share/dragoman/models"
    cp packed "$HOME/.local/share/dragoman/models/Some-Model.safetensors"
    dragoman -m some-model in | cmp - <(dragoman -m packed in)
    cp packed "$HOME/.local/share/dragoman/models/some-MODEL.safetensors"
    dragoman -m some-MODEL in | cmp - <(dragoman -m packed in)
    translate -m some-model in
    expect_status 2
    grep -q "^dragoman: some-model: several models have this name" err
    echo One. >INFO # a file
    dragoman INFO | cmp - <(dragoman in)
}

@test "words of other programs are answered with the option or the command" {
    expect_usage_error "unknown option '--beam_size' (did you mean '--beam'?)" --beam_size 4
    expect_usage_error "unknown option '--form' (did you mean '--from'?)" --form de
    expect_usage_error "unknown option '-V' (did you mean '--version'?)" -V
    expect_usage_error "unknown option '--json' (did you mean '--format jsonl'?)" models --json
    expect_usage_error "unknown option '--json'" pack --json
    expect_usage_error "en-de: No such file or directory (did you mean 'dragoman --from en --to de'?)" en-de
    expect_usage_error "languages: No such file or directory (did you mean 'dragoman help languages'?)" languages
    expect_usage_error "translate: No such file or directory (did you mean 'dragoman FILE' or 'dragoman -e TEXT'?)" translate x
    echo One. >list
    translate list
    expect_status 0
}

@test "a file may have the name of a command, or one that is near to it" {
    expect_usage_error "the command 'align' must come first: dragoman align [OPTION]..." -m "$MODEL" align
    expect_usage_error "infos: No such file or directory (did you mean the command 'dragoman info'? To translate a text, use quotes: dragoman -e \"infos\")" infos
    echo "One." | tee align >infos
    translate -m "$MODEL" align
    expect_status 0
    translate infos
    expect_status 0
    translate information
    expect_status 1
    expect_err "dragoman: information: No such file or directory"
}

@test "rejects more translations than the model's beam" {
    translate -n 1000 </dev/null
    expect_status 2
    [[ $(wc -l <err) == 1 ]]
    grep -q '^dragoman: ' err
    [[ ! -s out ]]
}

@test "samples and alternatives need no beam of their number" {
    echo "One." >in
    for options in "--sample -n 3" "--sample -b 1 -n 3" "--alternatives 3"; do
        # shellcheck disable=SC2086 # words
        translate $options in
        expect_status 0
        [[ $(wc -l <out) == 3 ]]
    done
    [[ $(echo | dragoman --alternatives 3 | wc -l) == 3 ]]
}
