#!/usr/bin/env bats
# dragoman info

load helper

@test "info prints lines with a key and a value" {
    translate info -m "$MODEL"
    expect_status 0
    expect_err
    grep -q '^family: ' out
    run ! grep -Evq '^[a-z].*: ' out
}

@test "info uses $DRAGOMAN_MODEL" {
    dragoman info -m "$MODEL" >expected
    dragoman info | cmp - expected
}

@test "info reads no input" {
    mkfifo silent
    exec 7<>silent
    translate info <silent
    exec 7>&-
    expect_status 0
}

@test "info reports a missing model in one line" {
    translate info -m no/such/model
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
    grep -q '^dragoman: no/such/model' err
    [[ ! -s out ]]
}

@test "translates a file named info as ./info" {
    echo "One." >info
    [[ $(dragoman ./info) == "$(echo "One." | dragoman)" ]]
}

@test "info prints the penalties and limits that a translation uses, with every kind of model" {
    local folder
    for folder in "$MODEL" "$GOLDEN_ROOT/ctranslate2/marian-f32" "$GOLDEN_ROOT/marian_nmt/both"; do
        translate info -m "$folder" --word-penalty 0.25 --max-length-factor 1.5
        expect_status 0
        [[ $(grep -E '^(word penalty|max length factor):' out) == $'word penalty: 0.25\nmax length factor: 1.5' ]]
    done
    translate info -m "$MODEL"
    run ! grep -E '^(word penalty|max length factor):' out
}
