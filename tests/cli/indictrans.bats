#!/usr/bin/env bats
# IndicTrans2: languages, files, packed models, kept parts, long lines. tests/golden compares translations.

load helper
load output

INDIC=$GOLDEN_ROOT/families/indictrans

setup_file() {
    [[ -e $INDIC ]] || skip "no $INDIC"
}

@test "languages in all spellings" {
    local row from to
    for row in "hi tam_Taml" "Hindi Tamil" "hin_Deva ta-IN"; do
        read -r from to <<<"$row"
        translate info -m "$INDIC" --from "$from" --to "$to"
        expect_status 0
        grep -qx "source language: hin_Deva" out
        grep -qx "target language: tam_Taml" out
    done
    translate info -m "$INDIC" --from mni-Mtei --to ks-Arab
    grep -qx "source language: mni_Mtei" out
    grep -qx "target language: kas_Arab" out
}

@test "both languages are needed" {
    echo "नमस्ते" >in
    translate -m "$INDIC" in
    expect_status 2
    grep -q "no languages to translate between: give --from and --to; the model supports asm_Beng, ben_Beng" err
    translate -m "$INDIC" --to ta in
    expect_status 2
    grep -q "no language to translate from: give --from" err
    translate -m "$INDIC" --from hi --to ks in
    expect_status 2
    expect_err "dragoman: --to ks: ambiguous, this model has: kas_Arab, kas_Deva"
}

@test "a missing or damaged file is named" {
    local file
    for file in model.SRC model.TGT dict.SRC.json dict.TGT.json; do
        cp -r "$INDIC" model
        rm "model/$file"
        translate -m model --from hi --to ta <<<"नमस्ते"
        expect_status 1
        grep -q "^dragoman: model: $file is missing" err
        [[ $(wc -l <err) == 1 ]]
        echo "[1" >"model/$file"
        translate -m model --from hi --to ta <<<"नमस्ते"
        expect_status 1
        grep -q "^dragoman: model/$file\(: not valid JSON\| is text, not a SentencePiece model\)" err
        [[ $(wc -l <err) == 1 ]]
        rm -r model
    done
}

@test "a packed model gives the folder's translations" {
    printf '%s\n' "आज सुबह बारिश हुई।" "ट्रेन 12:30 बजे छूटेगी।" >in
    translate pack -m "$INDIC" -o packed
    expect_status 0
    dragoman -m "$INDIC" --from hi --to ta -b 4 --n-best 4 --format jsonl in >expected 2>/dev/null
    dragoman -m packed --from hi --to ta -b 4 --n-best 4 --format jsonl in 2>/dev/null | cmp expected -
}

@test "a prefix is in the script of the translation" {
    echo "आज सुबह बारिश हुई।" >in
    translate -m "$INDIC" --from hi --to ta --prefix "மழை" in
    expect_status 0
    grep -q "^மழை" out
}

@test "what the model copies is put back, also in part of a long line" {
    # A prefix makes the model write the name of the part.
    echo "ट्रेन 12:30 बजे छूटेगी।" >in
    translate -m "$INDIC" --from hi --to ta --prefix "<ID1>" in
    expect_status 0
    grep -q "^12:30" out
    for _ in {1..40}; do printf 'ट्रेन 12:30 बजे छूटेगी। '; done >in
    echo >>in
    translate -m "$INDIC" --from hi --to ta in
    expect_status 0
    grep -q "was translated in [0-9]* parts" err
    [[ $(wc -l <out) == 1 ]]
}

@test "a forced beginning keeps its numbers" {
    printf '%s\n' "Tea at 12:30." "Tea today." >in
    translate -m "$INDIC" --from en --to hi --max-length 20 --prefix "कल 10.10.2018 बजे" in
    expect_status 0
    [[ $(grep -c "^कल 10.10.2018 बजे" out) == 2 ]]
}

@test "a term has its number in the translation" {
    echo "The old bridge." >in
    printf 'bridge\tकल 10.10.2018\n' >terms
    translate -m "$INDIC" --from en --to hi --max-length 30 -b 4 --glossary terms in
    expect_status 0
    grep -q "कल 10.10.2018" out
}
