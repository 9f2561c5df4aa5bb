#!/usr/bin/env bats
# --sample and its filters, --alternatives.

load helper

# texts N: N different lines.
texts() {
    numbered_lines 1 "$1"
}

@test "the same seed gives the same bytes with any threads, rows and neighbours" {
    texts 12 >in
    dragoman --sample --seed 7 -n 3 -j 1 --format tsv in >expected
    dragoman --sample --seed 7 -n 3 -j 3 --batch-rows 5 --format tsv in | cmp - expected
    dragoman --sample --seed 7 -n 3 -j 2 --batch-rows 200 --format tsv in | cmp - expected
    tac in | dragoman --sample --seed 7 -n 3 --format tsv | awk -F '\t' -v OFS='\t' '{ $1 = 13 - $1; print }' |
        sort -n -k 1,2 | cmp - <(sort -n -k 1,2 expected)
}

@test "another seed gives other translations" {
    texts 10 >in
    dragoman --sample --seed 1 in >one
    dragoman --sample --seed 2 in >two
    run -1 cmp -s one two
    dragoman --sample --seed 1 in | cmp - one
}

@test "draws with the smallest filters are greedy search" {
    texts 12 >in
    dragoman --greedy in >greedy
    dragoman --sample --top-k 1 in | cmp - greedy
    dragoman --sample --top-p 0.000001 --seed 3 in | cmp - greedy
    dragoman --sample --min-p 1 --seed 4 in | cmp - greedy
    dragoman --sample --temperature 0.001 --seed 5 in | cmp - greedy
    dragoman --no-sample --greedy in | cmp - greedy
}

@test "each of n draws is scored with the model's own probabilities, best first" {
    source=$(dragoman --format jsonl <<<"This is a line of text." | jq -r '.translations[0].tokens[:-1] | join(" ")')
    echo "$source" | dragoman --pieces --sample --top-k 3 --temperature 2 --seed 9 -n 6 --token-scores --format jsonl >out
    jq -e '(.translations | length) == 6 and ([.translations[].score] | . == (sort | reverse))' out
    jq -r --arg source "$source" '.translations[].tokens | $source + "\t" + (map(select(. != "</s>")) | join(" "))' out |
        dragoman score --pieces -b 1 --token-scores --format jsonl | jq -c .token_scores |
        cmp - <(jq -c '.translations[].token_scores' out)
}

# Counts of first tokens, drawn 10,000 times, against the probabilities that --alternatives shows. Of a thousand fair
# generators one exceeds the limits; the seeds are fixed, so the result is always the same.
@test "ten thousand draws have the probabilities of the model" {
    echo "d a r t e r" >in
    dragoman --pieces -b 1 --alternatives 1000 --max-length 2 --token-scores --format jsonl in |
        jq -r '.translations[] | "\(.tokens[0]) \(.token_scores[0])"' >all
    for filter in "" "--top-k 5" "--temperature 0.5" "--top-p 0.7" "--min-p 0.3"; do
        # shellcheck disable=SC2086
        for seed in $(seq 10); do
            dragoman --pieces --sample $filter --seed "$seed" -n 1000 --max-length 2 --min-length 1 --format jsonl in
        done | grep -o '"tokens":\["[^"]*"' | cut -d '"' -f 4 | sort | uniq -c >counts
        awk -v filter="$filter" -f "$BATS_TEST_DIRNAME/chi_square.awk" all counts
    done
}

@test "a model that asks for draws is obeyed, unless --no-sample" {
    cp -r "$MODEL" model
    chmod -R u+w model
    jq '.do_sample = true | .num_beams = 1 | .top_k = 4 | ._from_model_config = false' "$MODEL/generation_config.json" \
        >model/generation_config.json
    texts 8 >in
    dragoman -m model --seed 2 in >drawn
    dragoman -m model --sample --top-k 4 --seed 2 -b 1 in | cmp - drawn
    dragoman -m model --no-sample in >searched
    dragoman -b 1 --no-sample in | cmp - searched
    run -1 cmp -s drawn searched
    dragoman info -m model | grep -q '^sampling: '
}

@test "alternatives differ in the token after the prefix" {
    texts 6 >in
    dragoman --alternatives 5 --format jsonl in >out
    jq -es 'all(.[]; (.translations | length) == 5 and ([.translations[].tokens[0]] | unique | length) == 5)' out
    dragoman --alternatives 5 --min-alternative-probability 1 --format jsonl in |
        jq -es 'all(.[]; (.translations | length) == 1)'
    dragoman --alternatives 5 -j 3 --batch-rows 4 --format jsonl in | cmp - out
    dragoman --alternatives 3 -b 2 --alignment hard --token-scores --format jsonl in |
        jq -es 'all(.[].translations[]; (.token_scores | length) == (.ids | length) and (.alignment | length) > 0)'
}

@test "alternatives of a line of several sentences change the first one" {
    echo "This is a line. And this is another one." >in
    dragoman --split --alternatives 3 in >out
    [ "$(wc -l <out)" -eq 3 ]
    [ "$(sort -u out | wc -l)" -eq 3 ]
}

@test "draws are in the order of their scores, whether the format has scores or not" {
    texts 5 >in
    dragoman --sample -n 4 --format tsv in | cut -f 4 >expected
    dragoman --sample -n 4 in | cmp - expected
}

@test "draws with a favoured prefix" {
    texts 10 >in
    dragoman --sample -n 3 --prefix "er" --prefix-bias 0.999999 in >out
    [ "$(grep -c '^er' out)" -eq 30 ]
    dragoman --sample -n 3 --seed 4 in >free
    dragoman --sample -n 3 --seed 4 --prefix "er" --prefix-bias 0.000001 in | cmp - free
}

@test "options of draws need draws" {
    for option in "--temperature 0.5" "--top-k 3" "--top-p 0.5" "--min-p 0.1" "--seed 2"; do
        # shellcheck disable=SC2086
        translate $option <<<"a"
        expect_status 2
        expect_err "dragoman: ${option% *} needs --sample: this model does not sample by itself"
        # shellcheck disable=SC2086
        translate --no-sample $option <<<"a"
        expect_status 2
        expect_err "dragoman: ${option% *} needs --sample"
    done
}

@test "options of draws and alternatives are checked" {
    for options in "--sample --no-sample" "--alternatives 3 -n 2" "--alternatives 3 --prefix x --prefix-bias 0.5" \
        "--alternatives 3 --rescue" "--prefix-bias 1" "--top-p 0" "--temperature 0" "-n 3 -b 2" "--patience 0"; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr dragoman $options <<<"a"
        # shellcheck disable=SC2154 # run sets them
        echo "$options: $stderr"
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
    done
}
