#!/usr/bin/env bats
# Models that version 5 of transformers has saved

load helper

GOLDEN=$GOLDEN_ROOT/families

# Loads the family's model as transformers 5.24.0 saves it: the same weights, and a config.json that calls the output
# layer tied in any case.
check_saved() { # MODEL JQ_EDIT
    printf '%s\n' "a house" "the cat sat on the mat" >in
    cp -r "$GOLDEN/$1" "$1"
    chmod -R u+w "$1"
    jq "$2 | .transformers_version = \"5.24.0\" | .tie_word_embeddings = true" "$GOLDEN/$1/config.json" >"$1/config.json"
    dragoman -m "$GOLDEN/$1" --pieces --max-length 20 -b 2 -n 2 --format tsv in >expected
    dragoman -m "$1" --pieces --max-length 20 -b 2 -n 2 --format tsv in | cmp expected -
    dragoman pack -m "$1" -o "$1.packed"
    dragoman -m "$1.packed" --pieces --max-length 20 -b 2 -n 2 --format tsv in | cmp expected -
}

@test "T5 models have the output layer that is stored" {
    check_saved t5v11-gated-gelu '.scale_decoder_outputs = false'
    check_saved madlad-bf16-bin '.scale_decoder_outputs = false'
    check_saved umt5-f16-bin '.scale_decoder_outputs = false'
    check_saved mt5-gated-gelu .
}

@test "T5 models without an output layer use the embeddings" {
    check_saved t5-relu '.scale_decoder_outputs = true'
    check_saved umt5-tied-sharded '.scale_decoder_outputs = true'
}
