#!/usr/bin/env bats
# must.bats - texts that translations have to contain: --must and the column must. The search is tested by
# tests/unit/test_demands.c.

load helper

use_english() {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
}

@test "every translation contains the texts of --must" {
    use_english
    printf 'The house is big.\n\nI have a dog. It is old.\n' >in
    translate --must heute --must "sehr gern" in
    expect_status 0
    expect_err
    [[ $(grep -ciw heute out) == 2 && $(grep -ci 'sehr gern' out) == 2 && $(sed -n 2p out) == '' ]]
}

@test "the column must asks for a text in its line only" {
    use_english
    printf 'The house is big.\tVilla\t\nThe house is big.\t\t  \nThe house is big.\tVilla\t heute \n' >in
    translate --tsv-in source,must,must in
    expect_status 0
    expect_err
    [[ $(grep -cw Villa out) == 2 && $(grep -ciw heute out) == 1 ]]
    sed -n 2p out | cmp - <(echo "The house is big." | dragoman)
    sed -n 1p out | cmp - <(echo "The house is big." | dragoman --must Villa)
    cut -f 1,2 in | sed 's/$/\tDas/' | dragoman --tsv-in source,must,prefix >out
    [[ $(grep -c '^Das' out) == 3 && $(grep -cw Villa out) == 2 ]]
}

@test "works with a glossary" {
    use_english
    echo "I see the house." >in
    printf 'house\tVilla\n' >terms.tsv
    translate --glossary terms.tsv --must heute in
    expect_err
    grep -w Villa out | grep -qwi heute
    translate --format jsonl --glossary terms.tsv --must heute in
    [[ $(jq -c '.translations[0].terms[].found' out) == '"Villa"' ]]
}

@test "a line with kept parts only is copied, with a warning" {
    use_english
    printf 'https://example.com\n5 | 6\n' >in
    translate --must heute in
    expect_status 0
    expect_err 'dragoman: in:1: the translation does not contain "heute"' \
        'dragoman: in:2: the translation does not contain "heute"'
    dragoman in | cmp - out
}

@test "a warning names the line whose translation lacks a text" {
    printf 'This is line one.\n\nThis is line two.\n' >in
    translate --must 翻译 --must 訳文 in
    expect_status 0
    expect_err 'dragoman: in:1: the translation does not contain "翻译"' \
        'dragoman: in:1: the translation does not contain "訳文"' \
        'dragoman: in:3: the translation does not contain "翻译"' \
        'dragoman: in:3: the translation does not contain "訳文"'
    dragoman in | cmp - out
    translate -q --must 翻译 in
    expect_err
    printf 'This is line one.\t\nThis is line two.\t翻译\n' >in
    translate --tsv-in source,must in
    expect_err 'dragoman: in:2: the translation does not contain "翻译"'
}

@test "many such lines are counted" {
    numbered_lines 1 30 >in
    translate --must 翻译 in
    [[ $(grep -c 'does not contain' err) == 10 ]]
    grep -qxF 'dragoman: 20 more lines whose translations lack a required text' err
}

@test "wrong values and combinations are usage errors" {
    expect_usage_error "option '--must' needs a value that is not empty" --must ''
    expect_usage_error "--must: the text is blank" --must ' '
    expect_usage_error "--must: not valid UTF-8" --must $'\xff'
    expect_usage_error "--must: must be a single line" --must $'a\nb'
    for option in --pieces --sample --alternatives=2; do
        expect_usage_error "--must and ${option%=*} cannot be used together" --must a "$option"
    done
    expect_usage_error "--memory and --must cannot be used together" --must a --memory m.tsv
    echo "<p>a</p>" >in.html
    expect_usage_error "--must cannot be used with documents, and in.html is one (html); to translate its lines, use --as lines" \
        --must a in.html
}

@test "--coverage-penalty keeps the texts" {
    use_english
    printf 'The house is big.\nI have a dog. It is old.\nWhere is the train station?\n' >in
    translate --must leider --coverage-penalty 0.5 in
    expect_err
    [[ $(grep -ciw leider out) == 3 ]]
}

@test "the texts do not replace the translation" {
    use_english
    printf '%s\n' 'Tom is ill.' '5 dogs.' 'The house is red.' 'I have a dog. It is old.' >in
    dragoman in >free
    translate --must leider in
    while IFS=$'\t' read -r free translation; do
        [[ $translation == "${free%[.!]}"* ]]
    done < <(paste free out)
    # A warning names each line without the text.
    diff <(grep -vnw leider out | cut -d : -f 1) <(sed -n 's/^dragoman: in:\([0-9]*\): .*/\1/p' err)
    [[ $(grep -cw leider out) -ge 3 ]]
    translate --must Maus --must Hund --must Katze <<<'The dog.'
    expect_err
    grep -q '^Der Hund.*Katze' out
}

@test "what the prefix contains does not come out again" {
    use_english
    echo "The house is big." >in
    for text in Haus haus "ist"; do
        translate --prefix "Das Haus ist" --must "$text" in
        expect_err
        dragoman --prefix "Das Haus ist" -b 8 in | cmp - out
    done
    printf 'The house is big.\tDas Haus ist\tHaus\n' >rows
    dragoman --tsv-in source,prefix,must rows | cmp - out
    printf 'house\tHaus\n' >terms.tsv
    dragoman --prefix "Das Haus ist" --glossary terms.tsv in | cmp - out
}

@test "what --keep keeps does not come out again" {
    use_english
    printf 'I have 42 cars.\nI have 7 cars.\nI have 420 cars.\n' >in
    translate --keep '\d+' --must 42 in
    [[ $(grep -oE '^dragoman: in:[23]: numbers differ' err | uniq | wc -l) == 2 && $(wc -l <err) == 2 ]]
    sed -n 1p out | cmp - <(head -n 1 in | dragoman --keep '\d+')
    for line in 2 3; do sed -n "${line}p" out | grep -qw 42; done
    [[ $(sed -n 1p out | grep -o 42 | wc -l) == 1 ]]
}
