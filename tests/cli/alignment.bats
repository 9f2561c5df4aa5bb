#!/usr/bin/env bats
# --alignment, --alignment-unit, --token-scores.

load helper

# Lines of many kinds: blank, of several sentences, too long for the model.
write_lines() {
    numbered_lines 1 4
    printf '\n  \nThis is a line. And this is another one.\n'
    numbered_lines 1 9 | tr '\n' ' '
    printf '\n\xe2\x80\x8b\nThe last line.'
}

# links: for each translation of the soft alignments in jsonl of stdin, the links above 0.15 and the hard ones as
# marian-decoder computes them, with a tab between; for a blank line, only the tab. Fails unless the rows of the soft
# alignments are distributions over the source ids.
links() {
    jq -r 'def links($x): to_entries | map(.key as $t | .value | to_entries |
            if $x == 1 then [max_by([.value, -.key])] else map(select(.value > $x)) end | map([.key, $t])) |
            add // [] | sort | map("\(.[0])-\(.[1])") | join(" ");
        (.source_ids | length) as $n | if .translations == [] then "\t" else .translations[] |
            if (.ids | length) == (.alignment | length) and
                all(.alignment[]; length == $n and (add - 1 | fabs) < 1e-4 and all(.[]; . >= 0))
            then .alignment | links(0.15) + "\t" + links(1) else error("no distribution") end end'
}

@test "soft alignments are distributions, and hard ones are made of them as in Marian" {
    write_lines >in
    for options in "-b 1" "-b 3 -n 3" "-b 2 -n 2 --split" "-b 1 --max-input 16" "-b 1 --prefix The"; do
        # shellcheck disable=SC2086
        dragoman -q $options --max-length 20 --alignment soft --format jsonl in | links >expected
        # shellcheck disable=SC2086
        dragoman -q $options --max-length 20 --alignment 0.15 --format tsv in | cut -f 5 >some
        # shellcheck disable=SC2086
        dragoman -q $options --max-length 20 --alignment hard --format tsv in | cut -f 5 >pairs
        paste some pairs | cmp - expected
    done
    dragoman -q -b 3 -n 3 --alignment hard --format tsv in | cut -f 5 >pairs
    dragoman -q -b 3 -n 3 --alignment 1 --format tsv in | cut -f 5 | cmp - pairs
    dragoman -q -b 3 -n 3 --alignment hard --format jsonl in |
        jq -r 'if .translations == [] then "" else
            .translations[].alignment | map("\(.[0])-\(.[1])") | join(" ") end' | cmp - pairs
}

@test "alignments and scores of tokens change no translation" {
    { write_lines && echo; } >in
    for options in "-b 1" "-b 3 -n 2" "-b 2 --pieces"; do
        # shellcheck disable=SC2086
        dragoman -q $options --alignment hard in | sed -E 's/ \|\|\| [-0-9 ]*$//' >stripped
        # shellcheck disable=SC2086
        dragoman -q $options in | cmp - stripped
    done
    dragoman -q -b 2 --alignment 0.1 --token-scores --format tsv in | cut -f 1-4 | cmp - <(dragoman -q -b 2 --format tsv in)
    dragoman -q -b 2 -n 2 --alignment hard --format marian in | sed 's/ ||| [-0-9 ]* ||| F0=/ ||| F0=/' |
        cmp - <(dragoman -q -b 2 -n 2 --format marian in)
}

@test "alignments are the same for all threads, rows and neighbours" {
    write_lines >in
    dragoman -q -b 2 -n 2 -j 1 --alignment soft --token-scores --format jsonl in >expected
    for work in "-j 2" "-j 1 --batch-rows 2" "-j 3 --batch-rows 7"; do
        # shellcheck disable=SC2086
        dragoman -q -b 2 -n 2 $work --alignment soft --token-scores --format jsonl in | cmp - expected
    done
    dragoman -q -b 2 -n 2 --alignment soft --token-scores --format jsonl <<<'This is line n.' |
        jq .translations | cmp - <(sed -n 1p expected | jq .translations)
}

@test "each format has its place for the alignment, also on blank lines" {
    printf 'One.\n\nThree.\r\nFour.' >in
    dragoman -b 1 --alignment hard --format jsonl in >json
    links='.translations[0].alignment // [] | map("\(.[0])-\(.[1])") | join(" ")'
    dragoman -b 1 --alignment Hard in >out
    jq -r "(.translations[0].text // \"\") + \" ||| \" + ($links)" json >expected
    tr -d '\r' <out | cmp - <(head -c -1 expected)
    [[ $(grep -c $'\r$' out) == 1 && $(sed -n 2p out) == " ||| " ]]
    dragoman -b 1 --alignment hard --token-scores --format tsv in >out
    jq -r "$links" json | cmp - <(cut -f 5 out)
    [[ $(sed -n 2p out) == $'2\t1\t0\t\t\t' ]]
    dragoman -b 2 -n 2 --alignment hard --format marian <<<$'One.\n' >out
    grep -qE '^0 \|\|\| .* \|\|\| [0-9]+-[0-9]+( [0-9]+-[0-9]+)* \|\|\| F0= -[0-9.]+ \|\|\| -[0-9.]+$' out
    [[ $(sed -n '3,4p' out | sort -u) == "1 |||  |||  ||| F0= 0 ||| 0" ]]
}

@test "soft alignments as text are rows of numbers with commas" {
    dragoman -b 1 --alignment soft --format jsonl <<<'One. Two.' >json
    dragoman -b 1 --alignment soft --format tsv <<<'One. Two.' | cut -f 5 |
        jq -Rc 'split(" ") | map(split(",") | map(tonumber))' | cmp - <(jq -c '.translations[0].alignment' json)
}

@test "the scores of the tokens add up to the score of the translation" {
    write_lines >in
    dragoman -q -b 3 -n 2 --length-penalty 0 --token-scores --format jsonl in >json
    jq -es 'all(.[].translations[]; (.ids | length) == (.token_scores | length) and
        all(.token_scores[]; . <= 0) and ((.token_scores | add) - .score | fabs) < 1e-3)' json
    jq -r 'if .translations == [] then "" else .translations[].token_scores | join(" ") end' json >expected
    dragoman -q -b 3 -n 2 --length-penalty 0 --token-scores --format tsv in | cut -f 5 |
        paste - expected | awk -F'\t' '{ n = split($1, a, " "); if (n != split($2, b, " ")) exit 1
            for (i = 1; i <= n; i++) if (a[i] != b[i]) exit 1 }'
}

@test "words are linked with words" {
    printf 'This is a line. And this is another one.\nThis is.\n' >in
    dragoman -b 1 --alignment soft --alignment-unit word --format jsonl in >json
    jq -es 'all(.[]; (.source | [splits("\\s+")] | length) as $n | all(.translations[];
        (.text | [splits("\\s+")] | map(select(. != "")) | length) == (.alignment | length) and
        all(.alignment[]; length == $n and ((add - 1 | fabs) < 1e-4 or add == 0))))' json
    dragoman -b 1 --alignment 0.2 --alignment-unit word --format tsv in | cut -f 5 | cmp - <(jq -r '.translations[].alignment |
        to_entries | map(.key as $t | .value | to_entries[] | select(.value > 0.2) | [.key, $t]) | sort |
        map("\(.[0])-\(.[1])") | join(" ")' json)
}

@test "alignments go through pivots, ensembles and shortlists" {
    write_lines >in
    numbered_lines 1 30 >text
    dragoman -q -b 1 text >translated
    dragoman shortlist -q --shortlist-first 5 --shortlist-best 3 text translated -o list
    cp -r "$GOLDEN_ROOT/marian/gelu-10-no-forced-end" plain
    sed -i '/_lang"/d' plain/tokenizer_config.json
    for models in "-m $MODEL -m plain" "-m $MODEL -m plain -m plain" "-m $MODEL,$MODEL" "-m $MODEL --shortlist list"; do
        # shellcheck disable=SC2086
        dragoman -q $models -b 2 -n 2 --max-length 20 --token-scores --alignment soft --format jsonl in | links >both
        # shellcheck disable=SC2086
        dragoman -q $models -b 2 -n 2 --max-length 20 --alignment hard in | sed 's/.* ||| //' >pairs
        [[ $(grep -c - pairs) -gt 10 ]]
        cut -f 2 both | grep . | cmp - <(grep . pairs)
    done
}

@test "-O writes alignments into files" {
    mkdir docs
    numbered_lines 1 3 >docs/a.txt
    dragoman -q -b 1 --alignment hard docs/a.txt >expected
    dragoman -q -b 1 --alignment hard -O out docs/a.txt
    cmp out/a.txt expected
}

@test "wrong values and options without effect are usage errors" {
    for value in x 0 1.5 -1 nan 0x1 ' 1'; do
        expect_usage_error "--alignment must be hard, soft, or a number above 0 and at most 1, not '$value'" --alignment "$value"
    done
    expect_usage_error "--alignment-unit must be one of token, word, not 'line'" --alignment-unit line
    expect_usage_error "--alignment-unit needs --alignment" --alignment-unit word
    expect_usage_error "--token-scores needs --format tsv or --format jsonl" --token-scores
    expect_usage_error "--token-scores needs --format tsv or --format jsonl" --token-scores --format marian
}
