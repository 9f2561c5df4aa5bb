#!/usr/bin/env bats
# unknowns.bats - --replace-unknowns. The prefix ☃ is not in the vocabularies, so translations that begin with it have
# an unknown token. Which source token replaces it is tested by tests/cli/ctranslate2_decoding.bats and
# tests/unit/test_line_unknowns.c.

load helper

write_lines() {
    printf 'This is a line of the hats.\n\nThe end of the line. This is it.\n' >in
    numbered_lines 1 30 >>in
}

options=(-q --prefix ☃ --max-length 16)

@test "source tokens replace unknown tokens in text, and nothing else changes" {
    write_lines
    dragoman "${options[@]}" -b 4 -n 3 --format jsonl in >plain
    translate "${options[@]}" -b 4 -n 3 --format jsonl --replace-unknowns in
    expect_status 0
    expect_err
    jq -c '.translations[] |= del(.text)' out >got
    jq -c '.translations[] |= del(.text)' plain | cmp - got
    jq -r '.translations[].text' plain >before
    jq -r '.translations[].text' out >after
    [[ $(wc -l <after) == 96 ]]
    # The unknown token has no text; what takes its place begins the translation.
    paste -d '\n' before after | awk 'NR % 2 { text = $0; next }
        { end = substr($0, length($0) - length(text) + 1); if (end != text || length($0) <= length(text)) bad = 1 }
        END { exit bad }'
}

@test "an unknown word of the source takes the place of an unknown token" {
    echo '☃☃☃' >in
    [[ $(dragoman "${options[@]}" --replace-unknowns in) == ☃☃☃* ]]
    echo ☃ >in
    [[ $(dragoman "${options[@]}" --replace-unknowns in) == ☃* ]]
}

@test "replacements do not depend on threads, rows and alignments" {
    local work
    write_lines
    dragoman "${options[@]}" --replace-unknowns in >expected
    for work in "-j 1" "-j 3 --batch-rows 1" "-j 2 --batch-rows 7"; do
        # shellcheck disable=SC2086
        dragoman "${options[@]}" $work --replace-unknowns in | cmp expected -
    done
    dragoman "${options[@]}" --replace-unknowns --confidence --format jsonl in | jq -r '.translations[0].text // ""' |
        cmp expected -
    dragoman "${options[@]}" --alignment soft --format jsonl in | jq -c '[.translations[].alignment]' >plain
    dragoman "${options[@]}" --alignment soft --format jsonl --replace-unknowns in |
        jq -c '[.translations[].alignment]' | cmp plain -
}

@test "ensembles and pivots replace unknown tokens" {
    write_lines
    dragoman "${options[@]}" --replace-unknowns in >expected
    dragoman "${options[@]}" --replace-unknowns -m "$MODEL,$MODEL" in | cmp expected -
    cp -r "$GOLDEN_ROOT/marian/gelu-10-no-forced-end" second
    sed -i '/_lang"/d' second/tokenizer_config.json
    dragoman -q --max-length 16 in >pivot
    dragoman "${options[@]}" --replace-unknowns -m second pivot >expected
    dragoman "${options[@]}" --replace-unknowns -m "$MODEL" -m second in | cmp expected -
    dragoman "${options[@]}" -m second pivot | run ! cmp -s expected -
}

@test "kept text replaces nothing" {
    echo 'This <b> is a <i> line.' >in
    translate "${options[@]}" --keep '<.>' --replace-unknowns in
    expect_status 0
    [[ $(grep -o '<b>' out | wc -l) == 1 && $(grep -o '<i>' out | wc -l) == 1 ]]
}

@test "Marian's models replace the unknown tokens that they may write" {
    local folder=$GOLDEN_ROOT/marian_nmt/student
    write_lines
    dragoman -q -m "$folder/model.npz" --allow-unk --prefix ☃ in >plain
    dragoman -q -m "$folder/model.npz" --allow-unk --prefix ☃ --replace-unknowns in >out
    grep -q '<unk>' plain
    run ! grep -q '<unk>' out
}
