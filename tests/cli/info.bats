#!/usr/bin/env bats
# dragoman info

load helper

@test "info prints lines of key and value" {
    translate info -m "$MODEL"
    expect_status 0
    expect_err
    grep -q '^family: ' out
    run ! grep -Evq '^[a-z].*: ' out
}

@test "info takes the model from the environment, too" {
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

@test "info of a missing model is one line" {
    translate info -m no/such/model
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
    grep -q '^dragoman: no/such/model' err
    [[ ! -s out ]]
}

@test "a file called info is translated as ./info" {
    echo "One." >info
    [[ $(dragoman ./info) == "$(echo "One." | dragoman)" ]]
}
