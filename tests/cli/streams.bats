#!/usr/bin/env bats
# Lines in, lines out: standard input, files, pipes, a coprocess.

load helper

@test "writes one line per line, each as if it were alone" {
    numbered_lines 1 5 >in
    while read -r line; do echo "$line" | dragoman; done <in >expected
    translate <in
    expect_status 0
    expect_err
    cmp expected out
    [[ $(wc -l <out) == 5 ]]
}

@test "writes nothing for an empty input and for an empty file among others" {
    translate </dev/null
    expect_status 0
    expect_err
    [[ ! -s out ]]
    : >empty
    echo "Hello." >full
    dragoman full full >expected
    translate empty full empty full empty
    expect_status 0
    cmp expected out
}

@test "copies blank lines byte for byte" {
    printf '\n \n\t  \t\n\r\n  \r\n\n' >in
    translate in
    expect_status 0
    expect_err
    cmp in out
    printf '\n' | dragoman >out
    printf '\n' | cmp - out
}

@test "keeps blank lines in order" {
    printf 'One.\n\n\n Two.\n  \nThree.\n' >in
    translate in
    expect_status 0
    [[ $(wc -l <out) == 6 ]]
    [[ $(sed -n '2p;3p' out) == "" ]]
    [[ $(sed -n 5p out) == "  " ]]
    [[ $(sed -n 6p out) == "$(echo 'Three.' | dragoman)" ]]
}

@test "keeps a missing last newline, but adds it between files" {
    printf 'One.' >a
    printf 'Two.' >b
    printf 'One.\nTwo.' >in
    : >empty
    printf 'One.\nTwo.\n' | dragoman >expected
    for files in in "a b empty"; do
        # shellcheck disable=SC2086 # words
        translate $files
        expect_status 0
        printf '\n' | cat out - | cmp - expected
    done
}

@test "keeps CRLF for each line" {
    printf 'One.\r\nTwo.\nThree.\r\n\r\nFour.\r' >in
    tr -d '\r' <in | dragoman >plain
    translate in
    expect_status 0
    tr -d '\r' <out | cmp - plain
    [[ $(grep -c $'\r$' out) == 4 ]]
    [[ $(sed -n 2p out) != *$'\r' ]]
    [[ $(tail -c 1 out) == $'\r' ]]
    printf 'One.\rTwo.\n' >in # no end of a line
    dragoman --format jsonl in | grep -qF '"source":"One.\rTwo."'
}

@test "reads files in order, with - for standard input" {
    echo "One." >a
    echo "Three." >c
    printf 'One.\nTwo.\nThree.\n' | dragoman >expected
    translate a - c < <(echo "Two.")
    expect_status 0
    expect_err
    cmp expected out
}

@test "reads a file twice, options after it, and a name with a dash after --" {
    echo "One." | tee a >-q
    translate a -j 1 a -- -q
    expect_status 0
    [[ $(wc -l <out) == 3 ]]
    [[ $(sort -u out) == "$(dragoman a)" ]]
}

@test "writes 100 files in order" {
    for i in {1..100}; do echo "This is file $i." >"f$i"; done
    cat f{1..100} >all
    translate -q --max-length 8 --format jsonl f{1..100}
    expect_status 0
    expect_err
    jq -r '"\(.line) \(.source)"' out | cmp - <(seq 100 | paste -d ' ' - all)
}

@test "keeps the order and number of 2,000 lines with two threads" {
    numbered_lines 1 2000 >in
    translate -q -j 2 -g --max-length 4 --format jsonl in
    expect_status 0
    expect_err
    jq -r '"\(.line) \(.source)"' out | cmp - <(seq 2000 | paste -d ' ' - in)
}

@test "gives the same bytes with any number of threads" {
    numbered_lines 1 20 | awk '{ lines[NR] = $0 } END {
        for (i = 1; i <= 20; i++) {
            for (k = i; k <= i + i % 7; k++) printf "%s ", lines[k % 20 + 1]
            printf i % 5 ? "\n" : "\n\n"
        }
    }' >in
    dragoman -j 1 in >one
    for threads in 2 3 8; do dragoman -j "$threads" in | cmp one -; done
}

@test "answers each line at once as a coprocess" {
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

@test "joins a line that arrives in two parts" {
    dragoman --format jsonl < <(printf 'Half of '; sleep 0.2; printf 'a line.\n') >out
    grep -qF '"source":"Half of a line."' out
}

@test "writes the second of two lines without waiting for a third" {
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

@test "copies a blank line of 8 MB" {
    head -c 8000000 /dev/zero | tr '\0' ' ' >in
    echo >>in
    translate in
    expect_status 0
    cmp in out
}

@test "keeps lines around the size of the read buffer whole" {
    for size in 65533 65534 65535 65536 65537 131071 131072 131073; do
        head -c "$size" /dev/zero | tr '\0' ' '
        printf '\r\n'
    done >in
    translate in
    expect_status 0
    cmp in out
}

@test "translates a long line in parts, with a warning" {
    { echo "Short."; numbered_lines 1 300 | tr '\n' ' '; echo; echo "Short."; } >in
    translate --format jsonl -g in
    expect_status 0
    [[ $(wc -l <out) == 3 ]]
    [[ $(sed -n 2p out | jq -r .source) == "$(sed -n 2p in)" ]]
    [[ $(wc -l <err) == 1 ]]
    grep -Exq 'dragoman: in:2: the line is too long for the model and was translated in [0-9]+ parts' err
}

@test "prints ten warnings about long lines, then a count" {
    yes "$(numbered_lines 1 100 | tr '\n' ' ')" | head -n 13 >in
    translate -g --max-length 1 - <in
    expect_status 0
    [[ $(wc -l <err) == 11 ]]
    [[ $(head -n 1 err) == "dragoman: standard input:1: the line is too long for the model and was translated in "*" parts" ]]
    [[ $(tail -n 1 err) == "dragoman: 3 more lines translated in parts" ]]
    translate -q -g --max-length 1 in
    expect_err
    sed -i '1,2d' in
    translate -g --max-length 1 in
    [[ $(tail -n 1 err) == "dragoman: 1 more line translated in parts" ]]
}

@test "gives the same bytes with any number of threads for one line or many" {
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
