#!/usr/bin/env bats
# The effect of each option. usage.bats tests wrong usage.

load helper

# The jsonl of a few lines under the given options.
json() {
    numbered_lines 1 12 | dragoman --format jsonl "$@"
}

# The same without scores, whose last digits may depend on the other sentences in a batch with OpenBLAS.
results() {
    json "$@" | sed 's/"score":[^,}]*//g'
}

# same A... -- B...: both sets of options give the same translations.
same() {
    local first=()
    while [[ $1 != -- ]]; do first+=("$1"); shift; done
    shift
    results "${first[@]}" >one
    results "$@" >two
    cmp one two
}

@test "accepts the long and short form of every option" {
    same -m "$MODEL" -- --model="$MODEL"
    same -b 3 -- --beam 3
    same -g -- --greedy
    same -b 3 -n 2 -- --beam=3 --n-best=2
    same -j 1 -- --threads 1
    same -q -- --quiet
    numbered_lines 1 3 | dragoman --output=long
    numbered_lines 1 3 | dragoman -olong2
    cmp long long2
}

@test "--model overrides DRAGOMAN_MODEL" {
    DRAGOMAN_MODEL=/no/such/model translate -m "$MODEL" </dev/null
    expect_status 0
    DRAGOMAN_MODEL=/no/such/model translate </dev/null
    expect_status 1
    grep -q '^dragoman: /no/such/model' err
}

@test "uses the last value of a repeated option" {
    same -b 2 -b 4 -- -b 4
    same --format tsv --format jsonl -- -q
    same --max-length 2 --max-length 9 -- --max-length 9
}

@test "--greedy is a beam of 1, and --precision f32 the default" {
    same --greedy -- --beam 1
    same --greedy --beam 1 -- --beam 1 --precision f32
}

@test "--batch-rows changes no result" {
    results -b 4 -n 4 >one
    for rows in 1 2 5 64; do results -b 4 -n 4 --batch-rows "$rows" | cmp one -; done
}

@test "--max-length and --min-length limit the tokens, counting the end token" {
    # within LOW HIGH OPTION...: the rows, with the numbers of tokens that are allowed.
    within() { json "${@:3}" | sed "s/^{/{\"low\":$1,\"high\":$2,/"; }
    for search in --beam=1 --beam=4; do
        for length in 1 2 5; do within 1 $length "$search" --max-length $length; done
        for length in 4 12; do within $length 20 "$search" --min-length $length --max-length 20; done
    done >rows
    jq -es 'length == 120 and all(.[]; . as $row | all(.translations[].ids | length; . >= $row.low and . <= $row.high))' rows
}

@test "--no-repeat-ngram never repeats an n-gram" {
    for n in 1 2; do
        json -b 2 --no-repeat-ngram "$n" --min-length 12 --max-length 16 | sed "s/^{/{\"n\":$n,/"
    done | jq -es 'length == 24 and all(.[]; .n as $n | all(.translations[].ids;
        [range(0; length - $n + 1) as $i | .[$i:$i + $n] | tostring] | length == (unique | length)))'
}

@test "--length-penalty divides the sum by length^X" {
    json -b 4 -n 4 --max-length 12 --length-penalty 0 >sums
    json -b 4 -n 4 --max-length 12 --length-penalty 1 >means
    # Translations found both times have the same sum of log-probabilities.
    jq -es '
        def table: [.[] | .line as $l | .translations[] | {key: "\($l) \(.ids)", value: .}] | from_entries;
        (.[:12] | table) as $sums | (.[12:] | table) as $means
        | [$sums | keys[] | select($means[.])]
        | length > 0 and all(.[];
            ($means[.].score * ($means[.].ids | length) - $sums[.].score) as $d | $d < 1e-3 and $d > -1e-3)' sums means
}

@test "--repetition-penalty 1 changes nothing, a large value does" {
    results -g --repetition-penalty 1 --min-length 12 --max-length 14 >one
    results -g --min-length 12 --max-length 14 >none
    results -g --repetition-penalty 50 --min-length 12 --max-length 14 >large
    cmp one none
    run ! cmp -s none large
}

@test "--prefix begins each translation" {
    prefix=$(echo "Hello there." | dragoman -g --min-length 5 --max-length 6)
    [[ -n $prefix ]]
    numbered_lines 1 5 | dragoman -g --prefix "$prefix" >out
    [[ $(wc -l <out) == 5 ]]
    while IFS= read -r line; do [[ $line == "$prefix"* ]]; done <out
}

@test "--verbose prints whether the sandbox is on, and a report at the end" {
    printf 'One.\n\nThree.\n' >in
    translate -v in
    expect_status 0
    [[ $(wc -l <err) == 2 && $(head -n 1 err) == "dragoman: sandbox: o"* ]]
    grep -Exq 'dragoman: 3 lines, 2 words, [1-9][0-9]* pieces in [0-9.]+ s, [0-9.]+ lines/s, [0-9.]+ words/s; model opened in [0-9]+ ms' err
    cmp out <(dragoman in)
    echo "One." >in
    translate -v in
    grep -Eq '^dragoman: 1 line, 1 word, ' err
    translate -v </dev/null
    grep -Eq '^dragoman: 0 lines, 0 words, 0 pieces in ' err
}

@test "--to for a model without languages is a usage error" {
    translate -t xx_NOT </dev/null
    expect_status 2
    [[ $(wc -l <err) == 1 ]]
    grep -q '^dragoman: ' err
    [[ ! -s out ]]
}

@test "--max-length-crop cuts off what is too long, and a warning names the line" {
    printf 'One.\n%s\n' "This is a line that is one and two and one and two and one and two and one." >in
    translate --max-input 16 --max-length-crop --format jsonl in
    expect_status 0
    expect_err "dragoman: in:2: the line is too long and was cut off after 16 tokens"
    [[ $(jq -c '[.source_ids | length]' out | tail -n 1) == '[16]' ]]
    dragoman --format jsonl in | jq -c '.source_ids' >ids
    jq -c --slurpfile all ids 'if .line == 2 then .source_ids[:15] == $all[1][:15] and .source_ids[15] == $all[1][-1]
        else .source_ids == $all[0] end' out | uniq | cmp - <(echo true)
    translate --max-input 16 --max-length-crop --alignment hard -q in
    expect_err
    dragoman --max-input 16 in | sed 1q | cmp - <(dragoman --max-input 16 --max-length-crop -q in | sed 1q)
    yes 'one and two' | head -n 400 | tr '\n' ' ' >in
    echo "The dog and the bird and the horse and the mouse and the elephant and the cat." >long
    dragoman --max-input 16 --max-length-crop -q -m "$DEFAULT_MODEL" long |
        cmp - <(dragoman --max-input 16 --max-length-crop -q -m "$DEFAULT_MODEL" --term $'cat\tZZZ' long)
    translate --max-length-crop in
    expect_status 0
    grep -qE '^dragoman: in:1: the line is too long and was cut off after [0-9]+ tokens$' err
    numbered_lines 1 30 | sed 's/$/ and one and two and one and two and one and two and one and two/' >in
    translate --max-input 16 --max-length-crop in
    grep -qxF 'dragoman: 20 more lines cut off because they are too long' err
}
