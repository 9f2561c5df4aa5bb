#!/usr/bin/env bats
# --from and --to by codes, locales and names, for a model of each family.

load helper

FAMILIES=$GOLDEN_ROOT/families

# expect_target FOLDER NAME...: --to with each word chooses the language NAME, which comes first.
expect_target() {
    local folder=$1 name=$2 word
    shift 2
    [[ -e $folder ]] || skip "no $folder"
    for word; do
        translate info -m "$folder" --from English --to "$word"
        expect_status 0
        grep -qx "target language: $name" out || { echo "$word: not $name"; cat out; return 1; }
    done
}

@test "M2M100" {
    expect_target "$FAMILIES/m2m100-relu" de German deutsch de-AT de_DE.UTF-8 de-Latn-DE
    expect_target "$FAMILIES/m2m100-relu" no nb nob nor Norwegian
}

@test "NLLB" {
    expect_target "$FAMILIES/nllb-relu-all-languages" zho_Hant zh-TW zh-Hant-HK "Traditional Chinese" 繁體中文
    expect_target "$FAMILIES/nllb-relu-all-languages" por_Latn "brazilian portuguese" pt-BR
}

@test "mBART" {
    expect_target "$FAMILIES/mbart50-gelu" de_DE de-AT de-CH de_DE.UTF-8 de-Latn-DE German
    expect_target "$FAMILIES/mbart50-gelu" zh_CN zh-TW 中文 Chinese
}

@test "MADLAD-400 and T5" {
    expect_target "$FAMILIES/madlad-fast" de German de-AT.UTF-8
    expect_target "$FAMILIES/t5-relu" de Deutsch de-AT German
}

@test "OPUS-MT with several languages" {
    expect_target "$GOLDEN_ROOT/marian/mish-languages" deu German de_AT.UTF-8 ger
    expect_target "$GOLDEN_ROOT/marian/mish-languages" nld Dutch Nederlands nl-BE
}

@test "OPUS-MT with a group of languages accepts each of them" {
    cp -r "$GOLDEN_ROOT/marian/swish-opus" model
    jq '.source_lang = "cat_oci_spa"' model/tokenizer_config.json >config
    mv config model/tokenizer_config.json
    for word in ca es Occitan; do
        translate info -m model --from "$word" --to de
        expect_status 0
    done
}

@test "the default model" {
    unset DRAGOMAN_MODEL
    echo "Good morning." >in
    dragoman in >expected
    for word in German deutsch de_DE.UTF-8 "Austrian German"; do
        translate --from English --to "$word" in
        expect_status 0
        cmp expected out
    done
    translate --to French in
    expect_status 2
    [[ $(<err) == "dragoman: --to French: no model that came with dragoman has this language: give --from, too, or choose a model with -m; 'dragoman get en-fr' downloads "* ]]
}

@test "suggests the closest language, or lists several" {
    model=$GOLDEN_ROOT/marian/mish-languages
    [[ -e $model ]] || skip "no model with languages"
    translate -m "$model" --to Germn </dev/null
    expect_status 2
    expect_err "dragoman: --to Germn: unknown language (did you mean deu, German?); the model translates into deu, nld, gsw"
    model=$FAMILIES/nllb-relu-all-languages
    [[ -e $model ]] || skip "no model of NLLB"
    translate -m "$model" --from English --to Chinese </dev/null
    expect_status 2
    expect_err "dragoman: --to Chinese: ambiguous, this model has: zho_Hans, zho_Hant"
    translate -m "$model" --from English --to sr-Latn </dev/null
    expect_status 2
    grep -q 'did you mean srp_Cyrl, Serbian?' err
}

@test "accepts the name of the pivot language" {
    one=$FAMILIES/m2m100-relu
    [[ -e $one ]] || skip "no model of M2M100"
    translate info -m "$one" -m "$one" --from German --via English --to French
    expect_status 0
    [[ $(grep -c '^target language: en$' out) == 1 ]]
}
