#!/usr/bin/env bats
# The commands score and align. tests/golden/test_score_golden.c compares the numbers with other programs.

load helper

# pairs JSONL: the lines of a translation and their translations.
pairs() {
    jq -r '[.source, .translations[0].text] | join("\t")' "$1"
}

# expect_own_scores OPTION...: scores the best translations of 12 lines. Those that are read as the same tokens, at least
# three, get the same scores, digit by digit. A forced first token has the score 0 and is not written by `score`.
expect_own_scores() {
    numbered_lines 1 12 >in
    dragoman "$@" --no-split --format jsonl --token-scores in >translated
    pairs translated >pairs.tsv
    dragoman score "$@" --format jsonl --token-scores pairs.tsv >scored
    jq -es '.[0:12] as $a | .[12:24] as $b | [range(12) | {a: $a[.].translations[0], b: $b[.]} |
        (if .a.token_scores[0] == 0 then 1 else 0 end) as $forced | select(.a.tokens[$forced:] == .b.tokens) |
        .a.token_scores[$forced:] == .b.token_scores] | length >= 3 and all' translated scored
}

@test "own translations get the translator's scores, digit by digit" {
    for precision in f32 bf16 int8; do
        expect_own_scores -b 1 --precision "$precision"
        expect_own_scores -b 3 --precision "$precision"
    done
    expect_own_scores -m "$GOLDEN_ROOT/families/nllb-relu-all-languages" -f eng_Latn -t deu_Latn -b 3
    expect_own_scores -m "$GOLDEN_ROOT/families/nllb-relu-all-languages" -f eng_Latn -t deu_Latn -g
    expect_own_scores -m "$GOLDEN_ROOT/families/t5-relu" -f en -t de -b 2
    expect_own_scores -m "$MODEL,$MODEL" --weights 0.3,0.7 -b 2
}

@test "score writes sum, count and mean, and the same numbers as jsonl" {
    numbered_lines 1 40 | paste - <(numbered_lines 2 41) >pairs.tsv
    dragoman score pairs.tsv >text
    dragoman score --token-scores --format jsonl pairs.tsv >json
    [[ $(wc -l <text) == 40 ]]
    jq -r '[.sum, .count, .mean] | map(tostring) | join(" ")' json >numbers
    tr '\t' ' ' <text | paste -d ' ' - numbers | awk '{ for (i = 1; i <= 3; i++) if ($i - $(i + 3) != 0) exit 1 }'
    jq -es 'all(.[]; .count == (.token_scores | length) and .count == (.tokens | length) and .tokens[-1] == "</s>" and
        ((.token_scores | add) - .sum | fabs) < 1e-3 and (.sum / .count - .mean | fabs) < 1e-5)' json
    dragoman score --token-scores pairs.tsv | awk -F '\t' 'split($4, a, " ") != $2 { exit 1 }'
    dragoman score --token-scores pairs.tsv | cut -f 1-3 | cmp - text
}

@test "scores do not depend on threads, rows or the other lines" {
    numbered_lines 1 30 | paste - <(numbered_lines 31 60) >pairs.tsv
    dragoman score --token-scores -j 1 pairs.tsv >expected
    dragoman score --token-scores -j 4 --batch-rows 3 <pairs.tsv | cmp - expected
    tail -n 1 pairs.tsv | dragoman score --token-scores | cmp - <(tail -n 1 expected)
    dragoman score --token-scores -o file <(head -n 9 pairs.tsv) <(tail -n +10 pairs.tsv)
    cmp file expected
}

@test "answers each line at once as a coprocess, also one that fails" {
    coproc WORKER { dragoman score 2>/dev/null; }
    worker=$WORKER_PID # bash forgets it when the process ends
    for line in $'One.\tTwo.' 'no tab' $'\tno source' '' $'One.\tTwo.'; do
        printf '%s\n' "$line" >&"${WORKER[1]}"
        IFS= read -r -t "$LIMIT" answer <&"${WORKER[0]}"
        [[ $answer == "$(printf '%s\n' "$line" | dragoman score 2>/dev/null)" ]]
    done
    eval "exec ${WORKER[1]}>&-"
    code=0
    wait "$worker" || code=$?
    [[ $code == 1 ]]
}

@test "pairs that fail are reported and leave an empty line" {
    printf 'One.\tTwo.\nno tab\n\n \t\n\tno source\r\nThree.\tFour.\tFive.\nTwo.\tOne.' >pairs.tsv
    translate score pairs.tsv
    expect_status 1
    expect_err "dragoman: pairs.tsv:2: the line has no target text; in a file of pairs, it follows the source text and a tab" \
        "dragoman: pairs.tsv:5: the line has no source text" \
        "dragoman: pairs.tsv:6: the target text contains a tab"
    [[ $(wc -l <out) == 7 ]]
    [[ $(grep -n . out | cut -d : -f 1 | tr '\n' ' ') == "1 7 " ]]
    printf 'One.\tTwo.\nTwo.\tOne.\n' | dragoman score | cmp - <(grep . out)
    translate score --format jsonl -o file pairs.tsv
    expect_status 1
    jq -es 'map(.line) == [range(1; 8)] and (map(has("error")) == [false, true, false, false, true, true, false])' file
}

@test "a text that is too long for the model is an error" {
    { yes One. | head -n 3000 | tr '\n' ' ' && printf '\tOne.\n'; } >pairs.tsv
    { printf 'One.\t' && yes One. | head -n 3000 | tr '\n' ' ' && printf '\nOne.\tTwo.\n'; } >>pairs.tsv
    translate score pairs.tsv
    expect_status 1
    [[ $(wc -l <out) == 3 ]]
    [[ $(grep -c . out) == 1 ]]
    grep -Eq '^dragoman: pairs.tsv:1: the source has [0-9]+ tokens, but the model accepts at most [0-9]+$' err
    grep -Eq '^dragoman: pairs.tsv:2: the target has [0-9]+ tokens, but the model accepts at most [0-9]+$' err
}

@test "align gives the alignments of the translator" {
    numbered_lines 1 12 >in
    for unit in token word; do
        for style in hard soft 0.2; do
            dragoman -b 1 --no-split --alignment $style --alignment-unit $unit --format jsonl in >translated
            pairs translated | dragoman align -b 1 --alignment $style --alignment-unit $unit --format jsonl >aligned
            jq -es '.[0:12] as $a | .[12:24] as $b |
                [range(12) | select($a[.].translations[0].alignment == $b[.].alignment)] | length >= 6' translated aligned
        done
    done
    pairs translated | dragoman align | cmp - <(pairs translated | dragoman align --alignment 1)
    printf '\nno tab\n' >pairs.tsv
    translate align pairs.tsv
    expect_status 1
    expect_err "dragoman: pairs.tsv:2: the line has no target text; in a file of pairs, it follows the source text and a tab"
    printf '\n\n' | cmp - out
}

@test "score and align refuse what they cannot do" {
    expect_usage_error "score: takes one model, not 2" score -m "$MODEL" -m "$MODEL"
    expect_usage_error "align: --token-scores cannot be used with this command" align --token-scores
    expect_usage_error "score: --n-best cannot be used with this command" score --n-best 2
    expect_usage_error "--alignment-unit needs --alignment" --alignment-unit word
}

@test "tsv has the line number and the columns of text, and empty columns for lines without scores" {
    printf 'One.\tTwo.\n\nno target\nThree.\tFour.\n' >pairs.tsv
    for options in "" --token-scores; do
        # shellcheck disable=SC2086 # words
        dragoman score $options pairs.tsv >text 2>/dev/null || true
        # shellcheck disable=SC2086
        translate score $options --format tsv pairs.tsv
        expect_status 1
        cut -f 2- out | sed 's/^\t*$//' | cmp - text
        [[ $(cut -f 1 out | paste -sd ' ') == "1 2 3 4" ]]
        [[ $(awk -F '\t' '{ print NF }' out | sort -u | wc -l) == 1 ]]
    done
    dragoman align pairs.tsv >text 2>/dev/null || true
    translate align --format tsv pairs.tsv
    expect_status 1
    paste <(seq 4) text | cmp - out
}

@test "own translations get the translator's confidence and flags" {
    [[ -e $DEFAULT_MODEL ]] || skip "the embedded model is not here"
    printf '%s\n' "Where is the train station?" "Please call 4669 or 13300 now." "" \
        "Ha ha ha ha ha ha." "The committee discussed the proposal for three days." >in
    for options in -g "-b 3"; do
        # shellcheck disable=SC2086 # words
        dragoman -q -m "$DEFAULT_MODEL" $options --no-split --no-keep-numbers --no-keep-unknown --confidence --format jsonl in >own
        jq -r '[.source, .translations[0].text // ""] | join("\t")' own | sed 's/^\t$//' >pairs.tsv
        # shellcheck disable=SC2086
        dragoman score -m "$DEFAULT_MODEL" $options --confidence --format jsonl pairs.tsv >scored
        # shellcheck disable=SC2086
        dragoman score -m "$DEFAULT_MODEL" $options --confidence --format tsv pairs.tsv | cut -f 5- >columns
        jq -c '.translations[0] | .confidence, .flags' own | cmp - <(jq -c '.confidence, .flags' scored)
        [[ $(jq -s 'map(select(.confidence)) | length' scored) == 4 ]]
        grep -q $'\tnumbers$' columns
        [[ $(sed -n 3p columns) == $'\t' ]]
    done
    printf 'I have been waiting for two hours.\t%s\n' "Ich warte seit zwei Stunden." "Das Buch ist rot." >pairs.tsv
    dragoman score -m "$DEFAULT_MODEL" --confidence --format tsv pairs.tsv | cut -f 5 >columns
    sort -rn columns | cmp - columns # the right translation is the better one
    expect_usage_error "--confidence needs --format tsv or --format jsonl" score --confidence
}
