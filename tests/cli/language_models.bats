#!/usr/bin/env bats
# language_models.bats - documents, terms, alignments and choice of models that are language models. The models have
# random weights, so the tests compare structures, not translations.

load helper

setup_file() {
    for type in qwen2 llama hunyuan_v1_dense; do
        python3 "$BATS_TEST_DIRNAME/language_model.py" "$BATS_FILE_TMPDIR/$type" "$type"
    done
}

# through TYPE ARGUMENT...: translates with the model of this type.
through() {
    translate -m "$BATS_FILE_TMPDIR/$1" --from en --to de "${@:2}"
}

# tags FILE...: the tags of pages, sorted.
tags() {
    python3 -c '
import html.parser, sys
class Tags(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        print(tag, *(f"{k}={v}" for k, v in attributes if k not in ("alt", "title", "content", "value", "placeholder", "label", "lang")))
    def handle_endtag(self, tag):
        print("/" + tag)
Tags().feed(open(sys.argv[1], encoding="utf-8").read())' "$1" | sort
}

@test "an HTML page keeps its tags, and a DOCX file its parts and runs" {
    local type page=$GOLDEN_ROOT/documents/html/page.html letter=$GOLDEN_ROOT/documents/docx/letter.docx
    for type in qwen2 llama hunyuan_v1_dense; do
        through "$type" -q "$page" -o "$type.html"
        expect_status 0
        diff <(tags "$page") <(tags "$type.html")
        [[ $(grep -c '{{ user.name }}' "$type.html") == 1 ]]
        ! cmp -s "$page" "$type.html" || false
        through "$type" -q "$letter" -o "$type.docx"
        expect_status 0
        diff <(unzip -Z1 "$letter" | sort) <(unzip -Z1 "$type.docx" | sort)
        for mark in '<w:p[ >]' '<w:hyperlink ' '<w:drawing' '<w:footnoteReference ' '<w:tbl>'; do
            [[ $(unzip -p "$letter" word/document.xml | grep -oE "$mark" | wc -l) == \
                $(unzip -p "$type.docx" word/document.xml | grep -oE "$mark" | wc -l) ]]
        done
    done
}

@test "a table and subtitles keep their cells and times" {
    local list=$GOLDEN_ROOT/documents/xlsx/list.xlsx film=$GOLDEN_ROOT/documents/srt/film.srt
    through llama -q "$list" -o list.xlsx
    expect_status 0
    [[ $(unzip -p "$list" xl/worksheets/sheet1.xml | grep -oE ' r="[A-Z0-9]+"') == \
        $(unzip -p list.xlsx xl/worksheets/sheet1.xml | grep -oE ' r="[A-Z0-9]+"') ]]
    through llama -q "$film" -o film.srt
    expect_status 0
    diff <(grep -e '-->' "$film") <(grep -e '-->' film.srt)
}

@test "kept parts are in a translation once each" {
    local type
    for type in qwen2 llama hunyuan_v1_dense; do
        printf 'The {cat} and the {dog} in the house.\nOpen {file} now.\n' >in
        through "$type" --keep '\{[a-z]+\}' <in
        expect_status 0
        [[ $(grep -oE '\{[a-z]+\}' out | sort | paste -sd ' ') == '{cat} {dog} {file}' ]]
    done
}

@test "terms are found in the translation, without and with a calibration" {
    printf 'house\tHaus\ncat\tKatze\n' >terms.tsv
    printf 'A house on the hill.\nThe cat sleeps.\n' >in
    through qwen2 --glossary terms.tsv <in
    expect_status 0
    expect_err
    [[ $(grep -oE 'Haus|Katze' out | paste -sd ' ') == 'Haus Katze' ]]
    through hunyuan_v1_dense --glossary terms.tsv <<<'A house on the hill.'
    grep -q Haus out
}

@test "a calibration chooses a head, and alignments with the text use it" {
    local model=$BATS_FILE_TMPDIR/llama
    awk 'BEGIN { split("one two red old new sun day sea", s); split("sin ets dlo eer wen nus yad aes", t)
        for (p = 0; p < 120; p++) {
            a = p % 8 + 1; b = (p * 5 + 3) % 8 + 1
            print s[a], s[b] > "source"; print t[b], t[a] > "target" } }'
    translate calibrate -m "$model" --from en --to de source target -o made.json
    expect_status 0
    expect_err
    jq -e '.alignment.pairs == 120 and .alignment.layer < 3 and .alignment.agreement > 0' made.json
    paste source target >pairs
    translate align -m "$model" --from en --to de --calibration made.json pairs
    expect_status 0
    cp out calibrated
    translate align -m "$model" --from en --to de --calibration <(jq '.alignment.layer |= (. + 1) % 3' made.json) pairs
    ! cmp -s out calibrated || false
    { printf '<s>' && printf 'x%.0s' {1..440} && printf '{source}<|answer|>'; } >long.txt
    LIMIT=60 translate calibrate -m "$model" --from en --to de --prompt long.txt source target -o long.json
    expect_status 0
    # The prompt has 36 tokens before the text, which has 8.
    through llama --alignment hard --format jsonl --calibration made.json <<<'A house.'
    expect_status 0
    jq -e '[.translations[0].alignment[][0]] | length > 0 and min >= 36 and max < 44' out
    translate info -m "$model" --calibration made.json
    grep -q "^alignment: decoder layer $(jq .alignment.layer made.json), " out
}

@test "a translation that repeats itself is made again" {
    through llama --rescue <<<'A house on the hill.'
    expect_status 0
    expect_err "dragoman: standard input:1: the translation repeated itself; a second attempt replaced it"
}

@test "a language model is listed and chosen by its languages, if it has a prompt" {
    local place=$HOME/.local/share/dragoman/models
    mkdir -p "$place"
    cp -r "$BATS_FILE_TMPDIR/qwen2" "$place/translator"
    cp -r "$BATS_FILE_TMPDIR/llama" "$place/chat"
    jq 'del(.dragoman_prompt)' "$BATS_FILE_TMPDIR/llama/config.json" >"$place/chat/config.json"
    translate models --format jsonl
    jq -es 'map(select(.name == "translator"))[0].fault == null and map(select(.name == "chat"))[0].fault' out
    unset DRAGOMAN_MODEL
    translate --from de --to fr <<<'Ein Haus'
    expect_status 0
    expect_err "dragoman: using translator (dragoman)"
    cp out chosen
    translate -m "$BATS_FILE_TMPDIR/qwen2" --from de --to fr <<<'Ein Haus'
    cmp out chosen
}
