#!/usr/bin/env bats
# Packages of Argos Translate: archives and installed folders

load helper

GOLDEN=$GOLDEN_ROOT/argos

unpack() {
    command -v python3 >/dev/null || skip "no python3 to unpack it"
    python3 - "$1" <<'PY'
import sys, zipfile
zipfile.ZipFile(sys.argv[1]).extractall(".")
PY
}

@test "an Argos package gives the translations of CTranslate2" {
    cut -f 1 "$GOLDEN/translate-en_de.tsv" >in
    cut -f 2 "$GOLDEN/translate-en_de.tsv" >expected
    translate -m "$GOLDEN/translate-en_de.argosmodel" --max-length 40 in
    expect_status 0
    expect_err
    cmp out expected
    unpack "$GOLDEN/translate-en_de.argosmodel"
    translate -m translate-en_de-1_0 --from en --to de --max-length 40 in
    expect_status 0
    cmp out expected
    translate -m translate-en_de-1_0/model --max-length 40 in
    cmp out expected
}

@test "an Argos package has no language codes, so what looks like one is text" {
    printf '%s\n' '>>the house<< the water' 'the house the water' >in
    translate -m "$GOLDEN/translate-en_de.argosmodel" --format jsonl --max-length 4 in
    expect_status 0
    jq -s -e 'map(.source_ids | length) | .[0] > .[1]' out
}

@test "packs an Argos package with its other files" {
    cut -f 1 "$GOLDEN/translate-en_de.tsv" >in
    cut -f 2 "$GOLDEN/translate-en_de.tsv" >expected
    translate pack -m "$GOLDEN/translate-en_de.argosmodel" -o packed
    expect_status 0
    translate -m packed --from en --max-length 40 in
    expect_status 0
    cmp out expected
}

@test "reads the languages of an Argos package" {
    [[ $(dragoman info -m "$GOLDEN/translate-en_de.argosmodel" | grep '^target language:') == "target language: de" ]]
    translate -m "$GOLDEN/translate-en_de.argosmodel" --to fr </dev/null
    expect_status 2
    expect_err "dragoman: --to fr: this model translates into de only"
}

@test "begins translations with a package's target_prefix and takes its languages from metadata.json" {
    unpack "$GOLDEN/translate-en_de.argosmodel"
    cp -r translate-en_de-1_0 package
    jq '.[39] = "__de__"' package/model/shared_vocabulary.json >translate-en_de-1_0/model/shared_vocabulary.json
    jq '.target_prefix = "__de__"' package/metadata.json >translate-en_de-1_0/metadata.json
    echo "the cat sat on the mat" >in
    dragoman -m translate-en_de-1_0 --from en --to de --max-length 20 --format jsonl in >out
    [[ $(jq -c '.translations[0].ids' out) == "[39,"* ]]
    [[ $(jq -r '.translations[0].text' out) != *__de__* ]]
    dragoman pack -m translate-en_de-1_0 -o packed
    dragoman -m packed --from en --to de --max-length 20 --format jsonl in | cmp out -
    translate -m translate-en_de-1_0 --to fr in
    expect_err "dragoman: --to fr: this model translates into de only"
}

@test "says that a package is cut off" {
    head -c 20000 "$GOLDEN/translate-en_de.argosmodel" >cut.argosmodel
    translate -m cut.argosmodel </dev/null
    expect_status 1
    expect_err "dragoman: cut.argosmodel: zip archive: cut off: there is no directory at the end (is the download complete?)"
}

@test "finds a SentencePiece model under quickmt's file names" {
    local spm=translate-en_de-1_0/sentencepiece.model
    cut -f 1 "$GOLDEN/translate-en_de.tsv" >in
    unpack "$GOLDEN/translate-en_de.argosmodel"
    # quickmt's program adds </s> to each text.
    cp -r translate-en_de-1_0/model usual
    cp "$spm" usual
    jq '.add_source_eos = true' translate-en_de-1_0/model/config.json >usual/config.json
    dragoman -m usual --max-length 40 in >expected
    cp -r translate-en_de-1_0/model joint
    cp "$spm" joint/joint.spm.model
    translate -m joint --max-length 40 in
    expect_status 0
    cmp out expected
    cp -r translate-en_de-1_0/model two
    cp "$spm" two/src.spm.model
    cp "$spm" two/tgt.spm.model
    translate -m two --max-length 40 in
    cmp out expected
    dragoman pack -m two -o packed
    translate -m packed --max-length 40 in
    cmp out expected
}

@test "accepts only pieces if a folder cannot encode text" {
    local refusal=": no SentencePiece model to split text into pieces: add the one of the model, or give pieces \
(--pieces); looked for source.spm and target.spm, "
    unpack "$GOLDEN/translate-en_de.argosmodel"
    echo "the cat" >in
    rm translate-en_de-1_0/sentencepiece.model
    translate -m translate-en_de-1_0 in
    expect_status 1
    [[ $(<err) == "dragoman: translate-en_de-1_0/model$refusal"*"src.spm.model and tgt.spm.model" ]]
    cp -r translate-en_de-1_0/model folder
    translate -m folder in
    expect_status 1
    [[ $(<err) == "dragoman: folder$refusal"* ]]
    echo "▁t h e ▁cat" >in
    translate -m folder --pieces in
    expect_status 0
    expect_err
    dragoman info -m folder | grep -x "family: ctranslate2"
    dragoman pack -m folder -o packed
    translate -m packed in
    expect_status 1
}
