#!/usr/bin/env bats
# Input with NUL bytes, invalid UTF-8 and byte order marks.

load helper

@test "replaces invalid UTF-8 and reports file and line" {
    printf 'Good.\nBad \xff\xfe here.\nGood.\n' >in
    printf 'Good.\nBad \xef\xbf\xbd\xef\xbf\xbd here.\nGood.\n' | dragoman >expected
    translate in
    expect_status 0
    expect_err "dragoman: in:2: invalid UTF-8 or NUL replaced by U+FFFD; if the text is in another encoding, name it with --encoding"
    cmp expected out
}

@test "treats truncated, overlong and surrogate sequences as invalid" {
    printf 'a\xe2\x82\nb\xc0\xafc\nd\xed\xa0\x80\n' >in
    dragoman -q --format jsonl in | jq -r .source >out
    printf 'a\xef\xbf\xbd\nb\xef\xbf\xbd\xef\xbf\xbdc\nd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n' | cmp - out
}

@test "replaces and reports NUL bytes" {
    printf 'One.\nT\0wo.\n' >in
    translate --format jsonl - <in
    expect_status 0
    expect_err "dragoman: standard input:2: invalid UTF-8 or NUL replaced by U+FFFD"
    sed -n 2p out | jq -e '.source == "T\uFFFDwo."'
}

@test "reports the line number within the file" {
    printf 'One.\nTwo.\n' >a
    printf 'One.\nTw\xffo.' >b
    translate a b
    expect_err "dragoman: b:2: invalid UTF-8 or NUL replaced by U+FFFD; if the text is in another encoding, name it with --encoding"
}

@test "prints ten warnings, then a count" {
    printf 'Bad \xff.%.0s\n' {1..25} >in
    translate in
    expect_status 0
    [[ $(wc -l <err) == 11 ]]
    [[ $(sed -n 10p err) == "dragoman: in:10: invalid UTF-8 or NUL replaced by U+FFFD" ]]
    [[ $(sed -n 11p err) == "dragoman: 15 more lines with invalid UTF-8 or NUL" ]]
}

@test "prints no count after exactly ten warnings" {
    printf 'Bad \xff.%.0s\n' {1..10} >in
    translate in
    [[ $(wc -l <err) == 10 ]]
}

@test "--quiet suppresses warnings" {
    printf 'Bad \xff.%.0s\n' {1..25} >in
    translate --quiet in
    expect_status 0
    expect_err
    [[ $(wc -l <out) == 25 ]]
}

@test "removes a byte order mark at the start of each file" {
    printf '\xef\xbb\xbfOne.\n' >a
    printf '\xef\xbb\xbfTwo.' >b
    printf 'One.\nTwo.\n' >plain
    translate --format jsonl a b
    expect_status 0
    expect_err
    jq -r .source out | cmp - plain
}

@test "keeps a byte order mark elsewhere" {
    printf 'One.\n\xef\xbb\xbfTwo.\n' >in
    dragoman --format jsonl in | jq -r .source | cmp - in
}

@test "treats a file that is only a byte order mark as empty" {
    printf '\xef\xbb\xbf' >in
    translate in
    expect_status 0
    expect_err
    [[ ! -s out ]]
}

@test "a stream in UTF-16 is refused, and --encoding reads it" {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    printf 'H\0e\0l\0l\0o\0.\0\n\0' >bare
    { printf '\xff\xfe' && cat bare; } >marked
    for file in bare marked; do
        translate < <(cat "$file")
        expect_status 1
        expect_err "dragoman: standard input: not lines of text, but in UTF-16; convert it to UTF-8, or translate it with --encoding UTF-16"
        dragoman --encoding UTF-16 <"$file" | iconv -f UTF-16LE -t UTF-8 | grep -q 'Hallo\.$'
        translate --tsv-in source < <(cat "$file") # has no other encoding than UTF-8
        expect_status 1
        expect_err "dragoman: standard input: not lines of text, but in UTF-16; convert it to UTF-8"
        translate score <"$file"
        expect_status 1
        expect_err "dragoman: standard input: not lines of text, but in UTF-16; convert it to UTF-8"
    done
}

@test "a stream in UTF-32 without a mark is refused, and --encoding reads it" {
    need_default_model
    for order in LE BE; do
        printf 'Hello.\n' | iconv -f UTF-8 -t UTF-32$order >bare
        translate -m "$DEFAULT_MODEL" < <(cat bare)
        expect_status 1
        expect_err "dragoman: standard input: not lines of text, but in UTF-32; convert it to UTF-8, or translate it with --encoding UTF-32"
        dragoman -m "$DEFAULT_MODEL" --encoding UTF-32 <bare | iconv -f UTF-32$order -t UTF-8 | grep -q 'Hallo\.$'
    done
}

@test "writes one line per line for arbitrary bytes" {
    { head -c 9000 /dev/zero | tr '\0' '\n' && head -c 20000 "$DRAGOMAN" && echo; } >in
    translate -q -g --max-length 4 <in
    expect_status 0
    [[ $(wc -l <out) == "$(wc -l <in)" ]]
    iconv -f UTF-8 -t UTF-8 out >/dev/null
}
