#!/usr/bin/env bats
# CTranslate2 folders

load helper

GOLDEN=$GOLDEN_ROOT/ctranslate2

@test "a CTranslate2 folder without a SentencePiece model accepts pieces" {
    echo "a b c d e" >in
    translate -m "$GOLDEN/opennmt-v2" in
    expect_status 0
    expect_err
    cp out text
    translate -m "$GOLDEN/opennmt-v2" --pieces in
    cmp out text
    [[ $(dragoman info -m "$GOLDEN/opennmt-v2" | grep '^family:') == "family: ctranslate2" ]]
    [[ $(dragoman info -m "$GOLDEN/opennmt-v2" | grep '^search:') == "search: as in CTranslate2" ]]
    [[ $(dragoman info -m "$GOLDEN/opennmt-v5-int8" | grep '^precision:') == "precision: int8 matmul, f32 elsewhere" ]]
}

@test "forces a target language as the prefix" {
    echo "__en__ a b c d e </s>" >in
    dragoman -m "$GOLDEN/m2m100-f16" --pieces --prefix __de__ -b 4 -n 4 --format jsonl in >expected
    dragoman -m "$GOLDEN/m2m100-f16" --from en --to de -b 4 -n 4 --format jsonl in | cmp expected -
    [[ $(jq '.translations | length' expected) == 4 ]]
}

@test "a packed CTranslate2 folder gives the folder's translations" {
    local folder
    echo "a b c d e" >in
    for folder in "$GOLDEN"/*; do
        dragoman pack -m "$folder" -o packed
        dragoman -m "$folder" --pieces -n 2 --max-length 8 --format jsonl in >expected
        dragoman -m packed --pieces -n 2 --max-length 8 --format jsonl in | cmp expected -
        dragoman pack -m "$folder" --int8 -o packed
        dragoman -m "$folder" --precision int8 --pieces -n 2 --max-length 8 --format jsonl in >expected
        dragoman -m packed --pieces -n 2 --max-length 8 --format jsonl in | cmp expected -
        rm packed
    done
}

@test "names the missing file of a CTranslate2 folder" {
    cp -r "$GOLDEN/m2m100-f16" model
    chmod -R u+w model
    rm model/shared_vocabulary.json
    translate -m model </dev/null
    expect_status 1
    expect_err "dragoman: model: no source_vocabulary.json or .txt"
    echo '["a", "b"]' >model/shared_vocabulary.json
    translate -m model </dev/null
    expect_status 1
    expect_err 'dragoman: model/shared_vocabulary.json: the end token "</s>" is missing'
    echo '{"a": 1}' >model/shared_vocabulary.json
    translate -m model </dev/null
    expect_status 1
    expect_err "dragoman: model/shared_vocabulary.json is not a JSON list"
    cp "$GOLDEN/m2m100-f16/shared_vocabulary.json" model
    jq '.quantization_type = 1' "$GOLDEN/m2m100-f16/config.json" >model/config.json
    translate -m model </dev/null
    expect_status 1
    expect_err "dragoman: model/config.json: quantization_type AWQ_GEMM is not supported: convert the model with quantization int8"
    head -c 20000 "$GOLDEN/m2m100-f16/model.bin" >model/model.bin
    translate -m model </dev/null
    expect_status 1
    [[ $(<err) == "dragoman: model/model.bin: decoder/"*": cut off at byte 20000 (is the download complete?)" ]]
}

@test "each linear layer has a bias or none" {
    # Biases of zeros and missing ones are the same; those of the output projections stay.
    biases='attention/linear_0/bias|/attention/linear_1/bias'
    cp -r "$GOLDEN/opennmt-v4-f16" zeros
    chmod -R u+w zeros
    cp -r zeros without
    NAMES=$biases perl -0777 -i -pe 'my @found;
        push @found, [pos, unpack("V", $1)] while /(?:$ENV{NAMES})\0\x01.{5}(.{4})/sg;
        my $all = $_;
        substr($all, $_->[0], $_->[1]) = "\0" x $_->[1] for @found;
        $_ = $all' zeros/model.bin
    NAMES=$biases perl -0777 -i -pe 's{(?:$ENV{NAMES})\0}{$& =~ s/bias/none/r}ge' without/model.bin
    run -1 cmp -s zeros/model.bin "$GOLDEN/opennmt-v4-f16/model.bin"
    printf '%s\n' "a b c d e" "t p p s u g f s" >in
    dragoman -m zeros --pieces -b 4 -n 4 --format tsv in >expected
    dragoman -q -m without --pieces -b 4 -n 4 --format tsv in | cmp expected -
    dragoman pack -q -m without -o packed
    dragoman -m packed --pieces -b 4 -n 4 --format tsv in | cmp expected -
}

@test "names the key that is missing in config.json" {
    cp -r "$GOLDEN/marian-int8" model
    chmod -R u+w model
    jq 'del(.decoder_start_token)' "$GOLDEN/marian-int8/config.json" >model/config.json
    translate -m model --pieces <<<a
    expect_status 1
    expect_err "dragoman: model/config.json: decoder_start_token_id is missing (in folders of CTranslate2: decoder_start_token)"
}
