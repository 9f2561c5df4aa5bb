#!/usr/bin/env bats
# What may not be in a translation, and what ends it: --suppress, --disable-unk, --end-token, and stop_strings and
# sequence_bias of generation_config.json.
# shellcheck disable=SC2153 # MODEL is helper.bash's

load helper

# copy_with FOLDER FILTER: a copy of the model whose generation_config.json is changed by the filter of jq.
copy_with() {
    mkdir "$1"
    cp "$MODEL"/* "$1"
    jq "$2" "$MODEL/generation_config.json" >"$1/generation_config.json"
}

# expect_refused MESSAGE ARGUMENT...: the settings do not fit the model.
expect_refused() {
    local message=$1
    shift
    translate "$@" </dev/null
    expect_status 2
    expect_err "dragoman: $message"
    [[ ! -s out ]]
}

@test "--suppress: a text never occurs, not even inside of a word" {
    numbered_lines 1 20 >in
    for text in s er ste om ' s'; do
        for search in "-b 1" "-b 4" "-b 4 -n 4"; do
            # shellcheck disable=SC2086
            dragoman $search in >free
            grep -qF -- "$text" free
            # shellcheck disable=SC2086
            translate $search --suppress "$text" in
            expect_status 0
            run ! grep -F -- "$text" out
            [[ $(wc -l <out) == $(wc -l <free) ]]
        done
    done
    translate --suppress s --suppress e in
    run ! grep '[se]' out
    translate --suppress qqqq in
    dragoman in | cmp - out
}

@test "--suppress: a favoured prefix does not bring a text back" {
    numbered_lines 1 10 >in
    for search in "-b 1" "-b 3" "--sample -n 2"; do
        # shellcheck disable=SC2086
        translate $search --prefix "er s" --prefix-bias 0.99 in
        grep -q '^er s' out
        # shellcheck disable=SC2086
        translate $search --prefix "er s" --prefix-bias 0.99 --suppress s in
        expect_status 0
        run ! grep s out
    done
}

@test "--suppress gives the same bytes for any threads and batches" {
    numbered_lines 1 20 >in
    dragoman --suppress s -j 1 in >expected
    for work in "-j 2 --batch-rows 4" "-j 1 --batch-rows 1"; do
        # shellcheck disable=SC2086
        dragoman --suppress s $work in | cmp - expected
    done
}

@test "--suppress with --pieces: sequences of pieces" {
    echo 'd a r t e r' >in
    dragoman --pieces in >free
    grep -q 'n n n n' free
    translate --pieces --suppress 'n n n' in
    expect_status 0
    run ! grep 'n n n' out
    grep -q 'n n' out
    translate --pieces --suppress n --suppress ' m   t ' in
    expect_status 0
    run ! grep -E '(^| )(n|m t)( |$)' out
    expect_refused '--suppress: "nopiece" is not a piece of the model'\''s vocabulary' --pieces --suppress 'e nopiece'
    expect_refused '--suppress: no piece is given' --pieces --suppress ' '
    expect_usage_error "option '--suppress' needs a value that is not empty" --suppress ''
}

@test "--disable-unk forbids the unknown token" {
    unknown=$(jq '.["<unk>"]' "$MODEL/vocab.json")
    translate info --disable-unk
    grep -qE "^suppressed ids:.* ?$unknown\$" out
    expect_usage_error '--disable-unk and --allow-unk cannot be used together' --disable-unk --allow-unk
}

@test "--end-token: pieces end a translation and are not part of it" {
    echo 'd a r t e r' >in
    dragoman --pieces -b 1 in >free
    piece=$(tr ' ' '\n' <free | sed -n '/./p' | awk 'NR == 1 { first = $0 } $0 != first { print; exit }')
    [[ $piece ]]
    translate --pieces --end-token "$piece" -b 1 in
    expect_status 0
    tr ' ' '\n' <free | sed "/^$piece\$/,\$d" | paste -sd ' ' | cmp - out
    dragoman --pieces --end-token "$piece" -b 1 --format jsonl in | jq -r '.translations[0].tokens[-1]' | grep -qx -- "$piece"
    translate info --end-token "$piece" --end-token '</s>'
    grep -q "^end ids: $(jq --arg p "$piece" '.[$p]' "$MODEL/vocab.json") 0\$" out
    run ! grep 'forced last' out
    # the end token of the model itself changes nothing but what is forced at the maximal length
    numbered_lines 1 1 >in
    dragoman -b 1 in >expected
    dragoman -b 1 --end-token '</s>' in | cmp - expected
    expect_refused '--end-token: "nopiece" is not a piece of the model'\''s vocabulary' --end-token nopiece
}

@test "stop_strings of the model end a translation, and its text has them" {
    numbered_lines 1 9 >in
    dragoman -b 1 in >free
    copy_with stops '. + {stop_strings: ["eh", "om"]}'
    translate -m stops -b 1 in
    expect_status 0
    grep -qE "eh|om" out
    while IFS= read -r line <&3 && IFS= read -r whole <&4; do
        [[ $whole == "$line"* ]]
        [[ $line == *eh* || $line == *om* || $line == "$whole" ]]
    done 3<out 4<free
    dragoman info -m stops | grep -qx 'stop strings: 2'
    dragoman pack -m stops -o stops.safetensors
    dragoman -m stops.safetensors -b 1 in | cmp - out
}

@test "sequence_bias and exponential_decay_length_penalty of the model change translations" {
    numbered_lines 1 5 >in
    dragoman in >free
    id=$(jq '.["▁s"]' "$MODEL/vocab.json")
    copy_with biased ". + {sequence_bias: [[[$id], -1000.0]]}"
    translate -m biased in
    expect_status 0
    run ! cmp -s out free
    dragoman info -m biased | grep -qx 'biased sequences: 1'
    copy_with short '. + {exponential_decay_length_penalty: [5, 3.0]}'
    translate -m short in
    expect_status 0
    (($(wc -c <out) < $(wc -c <free)))
    dragoman info -m short | grep -qx 'exponential decay length penalty: factor 3, after 5 tokens'
}

@test "groups of beams end with stop_strings, and a beam size of 1 has none" {
    numbered_lines 1 10 >in
    copy_with groups '. + {num_beams: 4, num_beam_groups: 2, diversity_penalty: 0.5, stop_strings: ["eh", "om"]}'
    translate -m groups -n 4 --format jsonl in
    expect_status 0
    grep -qE 'eh|om' out
    run ! jq -e '.translations[].text | select(test("(eh|om).*(eh|om)"))' out
    copy_with plain '. + {stop_strings: ["eh", "om"]}'
    dragoman -m plain -b 1 in >expected
    translate -m groups -b 1 in
    expect_status 0
    cmp expected out
    translate -m groups -b 2 -n 6 --patience 3 in
    expect_status 0
    (($(wc -l <out) > 20))
    expect_refused "--beam 3 cannot be divided into the model's 2 groups of beams" -m groups -b 3
}

@test "info shows how tokens are drawn" {
    copy_with drawn '. + {do_sample: true, temperature: 0.5, top_p: 0.75}'
    translate info -m drawn
    grep -qx 'sampling: on' out
    grep -qx 'temperature: 0.5' out
    grep -qx 'top k: 50' out
    grep -qx 'top p: 0.75' out
}
