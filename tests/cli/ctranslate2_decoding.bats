#!/usr/bin/env bats
# CTranslate2's decoding options: its own tests of its transliteration model, and
# hypotheses and scores for models of the golden folders. In CTranslate2's tests, a
# vmap lists the only tokens that may be written.

load helper

NAME="آ ت ز م و ن"
OTHER="آ ت ش ي س و ن"

setup_file() {
    export MODEL_OF_NAMES=$GOLDEN_ROOT/ctranslate2_decoding/transliteration
}

# spell LINE OPTION...: the best translations, as pieces.
spell() {
    dragoman -m "$MODEL_OF_NAMES" --pieces "${@:2}" <<<"$1"
}

# spell_with PIECES LINE OPTION...: with a vmap of these pieces.
spell_with() {
    printf '\t%s\n' "$1" >vmap.txt
    spell "${@:2}" --shortlist vmap.txt
}

# expect COMMAND ARGUMENT...: compares its output with the lines on stdin.
expect() {
    "$@" >got
    diff -u - got
}

@test "a prefix begins the translation" {
    local beams
    for beams in 1 2 5; do
        expect spell "$NAME" -b $beams --prefix "a t s" <<<"a t s u m o n"
    done
    expect spell "$OTHER" <<<"a c h i s o n"
    expect spell "$OTHER" --prefix "a c h e" <<<"a c h e s o n"
    # The end token is among the best after this prefix.
    expect spell "أ و ل ي س س" -b 5 --prefix "u l i s e" <<<"u l i s e s"
}

@test "a prefix may contain what the vmap does not list" {
    local beams
    for beams in 1 2; do
        expect spell_with "t z m o n" "$NAME" -b $beams --prefix "a t z" <<<"a t z m o n"
    done
}

@test "a strongly favoured prefix is written, a weakly favoured one changes nothing" {
    local beams prefix
    for beams in 1 2; do
        [[ $(spell "$NAME" -b $beams --prefix "a t s" --prefix-bias 0.9999999) == "a t s"* ]]
        for prefix in "a t s" "s i o"; do
            spell "$NAME" -b $beams --format jsonl >want
            spell "$NAME" -b $beams --format jsonl --prefix "$prefix" --prefix-bias 0.0000001 >got
            jq -es '(.[0].translations[0].ids == .[1].translations[0].ids) and
                    (.[0].translations[0].score - .[1].translations[0].score | fabs < 0.00001)' want got
        done
    done
}

@test "alternatives after a prefix" {
    expect spell "$NAME" --prefix "a t" --alternatives 2 <<<$'a t z m o n\na t s u m o n'
    spell "$NAME" --prefix "a t" --alternatives 10 >got
    [[ $(wc -l <got) == 10 && $(cut -d ' ' -f 3 got | sort -u | wc -l) == 10 ]]
    [[ $(spell "$NAME" --prefix "a t" --alternatives 10 --min-alternative-probability 0.001 | grep -c .) == 6 ]]
    expect spell "آ ز ا" --prefix a --alternatives 2 <<<$'a z z a\na s z a'
    expect spell_with "z s u m o n" "$NAME" --prefix "a t" --alternatives 2 <<<$'a t z m o n\na t s u m o n'
    [[ $(spell "$NAME" --prefix "a t z m o n" --alternatives 4 | head -n 1) == "a t z m o n e" ]]
}

@test "alternatives of the first token" {
    expect spell "$NAME" --alternatives 2 <<<$'a t z m o n\ne t z m o n'
    expect spell "آ ز ا" --alternatives 2 <<<$'a z z a\ne z z a'
    [[ $(spell "$NAME" --alternatives 10 | wc -l) == 10 ]]
    [[ $(spell "$NAME" --alternatives 4 --max-length 2 | awk 'NF == 2' | wc -l) == 4 ]]
}

@test "pieces and sequences of pieces are suppressed" {
    local beams
    for beams in 1 2; do
        expect spell "$NAME" -b $beams --suppress o --suppress "t z m" <<<"a t z u m u n"
        expect spell_with "a t z s m o u n" "$NAME" -b $beams --suppress o --suppress "t z m" <<<"a t z u m u n"
    done
    translate -m "$MODEL_OF_NAMES" --pieces --suppress "t unlisted m" <<<"$NAME"
    [[ $status != 0 && $(<err) == *unlisted* ]]
}

@test "another token ends the translation" {
    local beams
    for beams in 1 2; do
        expect spell "$NAME" -b $beams --end-token m <<<"a t z"
    done
    translate -m "$MODEL_OF_NAMES" --pieces --end-token unlisted <<<"$NAME"
    [[ $status != 0 && $(<err) == *unlisted* ]]
}

@test "an unknown token is replaced by a source token" {
    local beams
    for beams in 1 2; do
        expect spell "$NAME" -b $beams --prefix "<unk> t" --replace-unknowns <<<"ت t z m o n"
        expect spell "$NAME" -b $beams --prefix "<unk> t" <<<"<unk> t z m o n"
    done
}

@test "a repetition penalty and n-grams with a vmap" {
    local beams name
    name=$(printf 'ن %.0s' {1..50})
    for beams in 1 2; do
        spell_with "a t z m o n" "ن ن ن" -b $beams --repetition-penalty 100 --max-length 3 | tr ' ' '\n' >got
        [[ $(sort -u got | wc -l) == $(wc -l <got) ]]
        spell_with "a t z m o n" "$name" -b $beams --no-repeat-ngram 3 |
            awk '{ for (i = 1; i + 2 <= NF; i++) print $i, $(i + 1), $(i + 2) }' >got
        [[ $(sort -u got | wc -l) == $(wc -l <got) ]]
    done
}

@test "shortest and longest translations" {
    local beams
    expect spell "$NAME" --max-length 2 <<<"a t"
    for beams in 1 2; do
        [[ $(spell "$NAME" -b $beams --max-length 3 | wc -w) == 3 ]]
        [[ $(spell "$NAME" -b $beams --min-length 8 | wc -w) == 8 ]]
        expect spell_with "a t z m o n" "$NAME" -b $beams --min-length 1 <<<"a t z m o n"
    done
}

@test "patience gives more hypotheses than beams" {
    [[ $(spell "$NAME" -b 4 -n 2 | wc -l) == 2 ]]
    [[ $(spell "$NAME" -b 4 -n 8 --patience 2 | sort -u | wc -l) == 8 ]]
    [[ $(spell "$NAME" -b 22 -n 22 | sort -u | wc -l) == 22 ]]
}

@test "draws are sorted by score" {
    spell "$NAME" -b 1 --sample --top-k 0 -n 5 --seed 46 --format jsonl >got
    jq -e '[.translations[].score] | length == 5 and . == (sort | reverse)' got
}

# The models and the options of decoding.jsonl, in shell words. The first line of a model has the sources of all.
list_settings() {
    jq -r '[.folder, .options[]] | @sh' "$1"
}

# The program that compares the rows of dragoman with those of decoding.jsonl, and prints the settings that differ.
# shellcheck disable=SC2016 # variables of jq
COMPARE='
    def near($a; $b): ($a - $b | fabs) <= 0.0001 * ([1, ($b | fabs)] | max);
    def same_ids($ids; $ends): . == $ids or (.[:-1] == $ids and (.[-1] | IN($ends[])));
    def is_same($hypothesis; $want):
        ($want.options | index("--replace-unknowns")) as $texts |
        (if $texts then .text == $hypothesis[0] else (.ids | same_ids($hypothesis[0]; $want.end)) end) and
        near(.score; $hypothesis[1]);
    def are_same($hypotheses; $want):
        length == ($hypotheses | length) and
        ([., $hypotheses] | transpose | all(.[1] as $hypothesis | .[0] | is_same($hypothesis; $want)));
    def is_equal($want):
        length == ($want.results | length) and
        ([map(.translations), $want.results] | transpose |
            all(.[1] as $hypotheses | .[0] | are_same($hypotheses; $want)));
    reduce .[] as $want ({ at: 0 }; ($want.results | length) as $count |
        (if $rows[.at : .at + $count] | is_equal($want) then . else .bad += [[$want.folder, $want.options]] end) |
        .at += $count) |
    if .at != ($rows | length) then "there are \($rows | length) rows instead of \(.at)" else .bad[]? end'

@test "hypotheses and scores are those of CTranslate2" {
    local want=$GOLDEN_ROOT/ctranslate2_decoding/decoding.jsonl folder='' line
    local -a words
    list_settings "$want" >settings
    while IFS= read -r line; do
        eval "words=($line)"
        [[ ${words[0]} == "$folder" ]] ||
            jq -r --arg folder "${words[0]}" 'select(.folder == $folder and has("sources")).sources[]' "$want" >sources
        folder=${words[0]}
        "$DRAGOMAN" -m "$GOLDEN_ROOT/$folder" --pieces --format jsonl "${words[@]:1}" sources >>rows
    done <settings
    (($(wc -l <settings) >= 150))
    jq -rcs --slurpfile rows rows "$COMPARE" "$want" >differences
    [[ ! -s differences ]] || { cat differences && false; }
}
