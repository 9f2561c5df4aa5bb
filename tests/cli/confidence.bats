#!/usr/bin/env bats
# --confidence and --rescue.
# shellcheck disable=SC2153 # helper.bash sets MODEL

load helper

# Lines of many kinds: blank, of several sentences, too long for the model.
write_lines() {
    numbered_lines 1 4
    printf '\n  \nThis is a line. And this is another one.\n'
    numbered_lines 1 9 | tr '\n' ' '
    printf '\nThe last line.\n'
}

# judged OPTION...: translates the lines and prints what is known about each best translation, with its text.
judged() {
    dragoman -q --confidence --format jsonl "$@" in |
        jq -c '[.line, (.translations[] | .text, .score, .confidence, .flags)]'
}

@test "each translation has a confidence and flags" {
    write_lines >in
    dragoman -q -b 3 -n 2 --confidence --format jsonl in >json
    jq -es 'all(.[].translations[]; has("confidence") and (.flags | type == "array"))' json
    jq -es 'any(.[].translations[]; .flags != [])' json
    jq -es '[.[].translations[].flags[]] - ["loop", "cut", "short", "long", "copy", "uncovered"] == []' json
    dragoman -q -b 3 -n 2 --confidence --format tsv in | awk -F '\t' 'NF != 6 { exit 1 } { print $5 "\t" $6 }' >columns
    jq -r 'if .translations == [] then "\t" else .translations[] |
        "\(.confidence // "" | tostring)\t\(.flags | join(","))" end' json | cmp - columns
}

@test "info prints the confidence of a model, and none of an ensemble, which has none" {
    need_default_model
    dragoman info -m "$DEFAULT_MODEL" | grep -E '^confidence: fitted to [0-9]+ translations$'
    dragoman info -m "$DEFAULT_MODEL,$DEFAULT_MODEL" >ensemble
    run ! grep '^confidence:' ensemble
}

@test "confidence changes no translation and no score" {
    write_lines >in
    for options in "-b 1" "-b 3 -n 3" "-b 1 --split" "-b 2 --max-input 16"; do
        # shellcheck disable=SC2086
        dragoman -q $options --format jsonl in >plain
        # shellcheck disable=SC2086
        dragoman -q $options --confidence --format jsonl in | jq -c 'del(.translations[].confidence, .translations[].flags)' |
            cmp - <(jq -c . plain)
    done
}

@test "flags are the same with any number of threads and rows" {
    write_lines >in
    for rescue in "" --rescue; do
        # shellcheck disable=SC2086
        judged -b 2 -j 1 $rescue >expected
        # shellcheck disable=SC2086
        judged -b 2 -j 3 --batch-rows 2 $rescue | cmp - expected
        # shellcheck disable=SC2086
        judged -b 2 -j 1 --batch-rows 1 $rescue | cmp - expected
    done
}

@test "a translation that reaches the maximal length is cut" {
    echo "This is a line of text." >in
    dragoman --max-length 3 --confidence --format jsonl in | jq -e '.translations[0].flags | index("cut") != null'
}

@test "rescue ends loops and says where" {
    { write_lines && numbered_lines 100 160; } >in
    dragoman -q -g --confidence --format jsonl in >before
    jq -es 'any(.[].translations[]; .flags | index("loop"))' before
    translate -g --rescue --confidence --format jsonl in
    expect_status 0
    jq -es 'any(.[]; .rescued)' out
    # Lines without a loop are the same, and at most a fifth of the others still loops.
    jq -c 'select(.translations | all(.flags | index("loop") | not))' before >good
    jq -c --slurpfile good good 'select(.line as $l | any($good[]; .line == $l)) | del(.rescued)' out | cmp - good
    [[ $(jq -s 'map(select(.translations | any(.flags | index("loop")))) | length' out) -le \
       $(jq -s 'map(select(.translations | any(.flags | index("loop")))) | length / 5 | floor' before) ]]
    first=$(jq -s 'first(.[] | select(.rescued)).line' out)
    grep -qxF "dragoman: in:$first: the translation repeated itself; a second attempt replaced it" err
}

@test "with several models each one is rescued" {
    numbered_lines 1 40 >in
    cp -r "$GOLDEN_ROOT/marian/quick-gelu-untied" de-fr
    sed -i 's/"source_lang": "en"/"source_lang": "de"/; s/"target_lang": "de"/"target_lang": "fr"/' \
        de-fr/tokenizer_config.json
    dragoman -q -g -m "$MODEL" -m de-fr --confidence --format jsonl in >before
    dragoman -q -g -m "$MODEL" -m de-fr --rescue --confidence --format jsonl in >after
    loops=$(jq -s 'map(select(.translations | any(.flags | index("loop")))) | length' before)
    [[ $loops -gt 0 ]]
    [[ $(jq -s 'map(select(.translations | any(.flags | index("loop")))) | length' after) -lt $loops ]]
}

@test "sentences with a required text are rescued and keep it" {
    local model=$GOLDEN_ROOT/marian_nmt/post
    printf 'w3 w5 w9 tea\nw5 w6 w7 w8 w9 w10 w11 w12\n' >in
    for keep in none w5; do # with w5, sentences are translated without their matches
        dragoman -q -m "$model" --must w17 --keep "$keep" --confidence --format jsonl in >before
        jq -es 'all(.[].translations[0]; .flags | index("loop"))' before
        dragoman -q -m "$model" --must w17 --keep "$keep" --rescue --confidence --format jsonl in >out
        jq -es 'all(.[]; .rescued and (.translations[0] | (.flags | index("loop") | not) and (.text | test("w17"))))' out
    done
}

@test "rescue works as text and is quiet with -q" {
    numbered_lines 1 40 >in
    dragoman -q -g --rescue in >quiet 2>err
    expect_err
    dragoman -q -g --rescue --format jsonl in | jq -r '.translations[0].text' | cmp - quiet
}

@test "other formats have no place for a confidence" {
    expect_usage_error "--confidence needs --format tsv or --format jsonl" --confidence
    expect_usage_error "--confidence needs --format tsv or --format jsonl" --confidence --format marian
}
