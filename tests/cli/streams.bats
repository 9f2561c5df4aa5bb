#!/usr/bin/env bats
# Lines in, lines out: standard input, files, pipes, a coprocess.

load helper

@test "one line in, one line out, each as if it were alone" {
    numbered_lines 1 5 >in
    while read -r line; do echo "$line" | dragoman; done <in >expected
    translate <in
    expect_status 0
    expect_err
    cmp expected out
    [[ $(wc -l <out) == 5 ]]
}

@test "an empty input gives an empty output" {
    translate </dev/null
    expect_status 0
    expect_err
    [[ ! -s out ]]
}

@test "an empty file among others gives nothing" {
    : >empty
    echo "Hello." >full
    dragoman full full >expected
    translate empty full empty full empty
    expect_status 0
    cmp expected out
}

@test "blank lines come out byte for byte" {
    printf '\n \n\t  \t\n\r\n  \r\n\n' >in
    translate in
    expect_status 0
    expect_err
    cmp in out
}

@test "blank lines keep their place among the others" {
    printf 'One.\n\n\n Two.\n  \nThree.\n' >in
    translate in
    expect_status 0
    [[ $(wc -l <out) == 6 ]]
    [[ $(sed -n '2p;3p' out) == "" ]]
    [[ $(sed -n 5p out) == "  " ]]
    [[ $(sed -n 6p out) == "$(echo 'Three.' | dragoman)" ]]
}

@test "a missing last newline stays missing" {
    printf 'One.\nTwo.' >in
    printf 'One.\nTwo.\n' | dragoman >expected
    translate in
    expect_status 0
    printf '\n' | cat out - | cmp - expected
}

@test "a file that is one newline gives one newline" {
    printf '\n' | dragoman >out
    printf '\n' | cmp - out
}

@test "a missing newline between files is added, the last one stays missing" {
    printf 'One.' >a
    printf 'Two.' >b
    : >empty
    printf 'One.\nTwo.\n' | dragoman >expected
    translate a b empty
    expect_status 0
    printf '\n' | cat out - | cmp - expected
}

@test "CRLF is kept a line at a time" {
    printf 'One.\r\nTwo.\nThree.\r\n\r\nFour.\r' >in
    tr -d '\r' <in | dragoman >plain
    translate in
    expect_status 0
    tr -d '\r' <out | cmp - plain
    [[ $(grep -c $'\r$' out) == 4 ]]
    [[ $(sed -n 2p out) != *$'\r' ]]
    [[ $(tail -c 1 out) == $'\r' ]]
}

@test "a carriage return inside a line is not an ending" {
    printf 'One.\rTwo.\n' >in
    dragoman --format jsonl in | jq -e '.source == "One.\rTwo."'
}

@test "files are read in order, with - for standard input" {
    echo "One." >a
    echo "Three." >c
    printf 'One.\nTwo.\nThree.\n' | dragoman >expected
    translate a - c < <(echo "Two.")
    expect_status 0
    expect_err
    cmp expected out
}

@test "the same file may come twice, and options may follow it" {
    echo "One." >a
    translate a -j 1 a
    expect_status 0
    [[ $(wc -l <out) == 2 ]]
    [[ $(sed -n 1p out) == "$(sed -n 2p out)" ]]
}

@test "after -- a name with a dash is a file" {
    echo "One." >-q
    translate -- -q
    expect_status 0
    [[ $(wc -l <out) == 1 ]]
}

@test "100 files come out in order" {
    for i in {1..100}; do echo "This is file $i." >"f$i"; done
    cat f{1..100} >all
    translate --format jsonl f{1..100}
    expect_status 0
    expect_err
    jq -r .source out | cmp - all
    [[ $(jq .line out) == "$(seq 100)" ]]
}

@test "10,000 lines keep order and count with two threads" {
    numbered_lines 1 10000 >in
    translate -j 2 -g --max-length 8 --format jsonl in
    expect_status 0
    expect_err
    jq -r .source out | cmp - in
    jq .line out | cmp - <(seq 10000)
}

@test "the number of threads does not change a byte" {
    for i in {1..60}; do
        numbered_lines "$i" $((i + i % 7)) | tr '\n' ' '
        ((i % 5)) || echo
        echo
    done >in
    dragoman -j 1 in >one
    for threads in 2 3 8; do
        dragoman -j "$threads" in >many
        cmp one many
    done
}

@test "a coprocess answers each line at once" {
    coproc WORKER { dragoman; }
    worker=$WORKER_PID # bash forgets it when the process ends
    for i in 1 2 3; do
        echo "Line $i." >&"${WORKER[1]}"
        IFS= read -r -t "$LIMIT" answer <&"${WORKER[0]}"
        [[ $answer == "$(echo "Line $i." | dragoman)" ]]
    done
    echo >&"${WORKER[1]}"
    IFS= read -r -t "$LIMIT" answer <&"${WORKER[0]}"
    [[ $answer == "" ]]
    eval "exec ${WORKER[1]}>&-"
    wait "$worker"
}

@test "a line that comes in two parts is one line" {
    dragoman --format jsonl < <(printf 'Half of '; sleep 0.2; printf 'a line.\n') >out
    [[ $(jq -r .source out) == "Half of a line." ]]
}

@test "the second of two lines does not wait for a third" {
    coproc WORKER { dragoman; }
    worker=$WORKER_PID # bash forgets it when the process ends
    printf 'One.\nTwo.\nThr' >&"${WORKER[1]}"
    IFS= read -r -t "$LIMIT" first <&"${WORKER[0]}"
    IFS= read -r -t "$LIMIT" second <&"${WORKER[0]}"
    [[ $first$second == "$(echo 'One.' | dragoman)$(echo 'Two.' | dragoman)" ]]
    printf 'ee.\n' >&"${WORKER[1]}"
    IFS= read -r -t "$LIMIT" third <&"${WORKER[0]}"
    [[ $third == "$(echo 'Three.' | dragoman)" ]]
    eval "exec ${WORKER[1]}>&-"
    wait "$worker"
}

@test "a blank line of 30 MB comes out as it was" {
    head -c 30000000 /dev/zero | tr '\0' ' ' >in
    echo >>in
    translate in
    expect_status 0
    cmp in out
}

@test "lines around the size of the read buffer stay whole" {
    for size in 65533 65534 65535 65536 65537 131071 131072 131073; do
        head -c "$size" /dev/zero | tr '\0' ' '
        printf '\r\n'
    done >in
    translate in
    expect_status 0
    cmp in out
}

@test "a long line is translated in parts, with a note" {
    { echo "Short."; numbered_lines 1 300 | tr '\n' ' '; echo; echo "Short."; } >in
    translate --format jsonl -g in
    expect_status 0
    [[ $(wc -l <out) == 3 ]]
    [[ $(sed -n 2p out | jq -r .source) == "$(sed -n 2p in)" ]]
    [[ $(wc -l <err) == 1 ]]
    grep -Exq 'dragoman: in:2: the line is too long for the model and was translated in [0-9]+ parts' err
}

@test "of the notes about long lines ten are printed, then a count" {
    { for i in {1..13}; do numbered_lines 1 150 | tr '\n' ' '; echo; done; } >in
    translate -g --max-length 4 - <in
    expect_status 0
    [[ $(wc -l <err) == 11 ]]
    [[ $(head -n 1 err) == "dragoman: standard input:1: the line is too long for the model and was translated in "*" parts" ]]
    [[ $(tail -n 1 err) == "dragoman: 3 more lines translated in parts" ]]
    translate -q -g --max-length 4 in
    expect_err
    sed -i '1,2d' in
    translate -g --max-length 4 in
    [[ $(tail -n 1 err) == "dragoman: 1 more line translated in parts" ]]
}

@test "one line or many: the number of threads changes no byte" {
    { echo "Hello."; numbered_lines 1 8 | tr '\n' ' '; echo; numbered_lines 1 20; } >many
    for input in one many; do
        [[ $input == one ]] && sed -n 2p many >one
        dragoman -j 1 <$input >expected
        for threads in 2 3 16; do
            dragoman -j "$threads" <$input | cmp expected -
            dragoman -j "$threads" --batch-rows 1 --beam 1 <$input >greedy
            dragoman -j 1 --beam 1 <$input | cmp greedy -
        done
    done
}
