#!/usr/bin/env bats
# Texts on the command line (-e).

load helper

@test "-e translates texts in their order, one line each, and reads no standard input" {
    mkfifo silent
    exec 7<>silent
    printf 'One.\n\nTwo three.\n  \n-v\n' >in
    dragoman -e One. -e "" --text "Two three." --text='  ' -e -v <silent | cmp - <(dragoman in)
    dragoman -e "a,b" --format jsonl <silent | cmp - <(echo a,b | dragoman --format jsonl)
    exec 7>&-
}

@test "the texts come before the files" {
    echo Two. >in
    expected=$(printf 'One.\nThree.\nTwo.\nFour.\n' | dragoman)
    [[ $(echo Four. | dragoman -e One. in - -e Three.) == "$expected" ]]
    echo Four. | dragoman -e One. in - -e Three. -o out
    [[ $(<out) == "$expected" ]]
}

@test "a text with newlines is several lines, and the last line always ends" {
    dragoman -e $'One.\nTwo.\n' -e Three. | cmp - <(printf 'One.\nTwo.\n\nThree.\n' | dragoman)
    [[ $(dragoman -e One. | wc -l) == 1 ]]
}

@test "a text may begin like a binary file" {
    dragoman -e "GIF89a is old." -e One. >out
    [[ $(wc -l <out) == 2 ]]
}

@test "messages name the text and its line" {
    translate -e One. -e $'Two.\n\xff'
    expect_status 0
    expect_err "dragoman: text 2:2: invalid UTF-8 or NUL replaced by U+FFFD; if the text is in another encoding, name it with --encoding"
    [[ $(dragoman --encoding latin1 -e $'\xfc') == "$(dragoman -e ü)" ]]
}

@test "options for lines apply to texts" {
    dragoman --tsv-in source,- -e $'One.\tx' | cmp - <(echo One. | dragoman)
    dragoman --bilingual -e One. | grep -q $'^One.\t'
    dragoman --memory m.tsv -e One. -e Two. >first
    [[ $(grep -c . m.tsv) -ge 2 ]]
    dragoman --memory m.tsv -e One. -e Two. | cmp - first
}

@test "a text can be a document" {
    echo '<p>One <b>two</b>.</p>' >in.html
    dragoman --as html -e '<p>One <b>two</b>.</p>' | cmp - <(dragoman in.html)
    printf 'name,text\nOne,"Two, three"\n' >in.csv
    dragoman --as csv --header -e $'name,text\nOne,"Two, three"' | cmp - <(dragoman --header in.csv)
    translate --as docx -e One.
    expect_status 1
    expect_err "dragoman: text 1: not a DOCX document: it is not a zip archive"
}

@test "64 texts are accepted" {
    texts=()
    for i in {1..64}; do texts+=(-e "Text $i."); done
    [[ $(dragoman "${texts[@]}" | wc -l) == 64 ]]
    expect_usage_error "--text can be given at most 64 times" "${texts[@]}" -e more
}
