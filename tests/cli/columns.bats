#!/usr/bin/env bats
# columns.bats - lines of columns: --tsv-in and --force-decode.

load helper

@test "the prefix of each line begins its translation, as --prefix does" {
    printf 'One.\tThe\nThis is line two.\tline\n' >in
    for options in "" "-b 3 -n 3" "--format jsonl -b 2"; do
        # shellcheck disable=SC2086 # words
        dragoman $options --tsv-in source,prefix in >out
        # shellcheck disable=SC2086
        (echo "One." | dragoman $options --prefix The; echo "This is line two." | dragoman $options --prefix line) |
            sed 's/"line":1,"source":"This/"line":2,"source":"This/' | cmp - out
    done
    dragoman --force-decode in >out
    dragoman --tsv-in source,prefix in | cmp - out
    awk -F'\t' '{ print $2 "\t" $1 }' in | dragoman --tsv-in prefix,source | cmp - out
    awk -F'\t' '{ print "a\t" $1 "\t\t" $2 }' in | dragoman --tsv-in -,source,-,prefix | cmp - out
}

@test "an empty prefix is none" {
    numbered_lines 1 5 >lines
    sed 's/$/\t/' lines >in
    dragoman lines >expected
    translate --force-decode in
    expect_status 0
    expect_err
    cmp out expected
    dragoman --tsv-in source lines | cmp - expected
}

@test "line endings, blank lines and the missing last newline stay" {
    printf 'One.\tThe\r\n\r\n\n \t \t\n\tThe\nTwo.\tThe' >in
    printf 'One.\r\n\r\n\n\n\nTwo.' >lines
    dragoman --prefix The lines >expected
    sed -i 's/^ *$//' lines
    translate --force-decode in
    expect_status 0
    expect_err
    sed 's/^ *$//' out | cmp - expected
    printf '  \n' | dragoman --force-decode | cmp - <(printf '  \n')
}

@test "jsonl has the text of the source column" {
    printf 'x\tOne.\tThe\n' >in
    dragoman --tsv-in -,source,prefix --format jsonl in | jq -r .source | cmp - <(echo One.)
}

@test "names the line that does not have these columns, and writes those before it" {
    printf 'One.\tThe\nTwo.\n' >in
    translate --force-decode in
    expect_status 1
    expect_err "dragoman: in:2: the line has 1 column, but --force-decode has 2"
    [[ $(wc -l <out) == 1 ]]
    printf 'One.\tThe\ta\n' >in
    translate --tsv-in source,prefix -q in
    expect_status 1
    expect_err "dragoman: in:1: the line has 3 columns, but --tsv-in source,prefix has 2"
}

@test "with --pieces, the prefix is pieces; an unknown one is a fault of the line" {
    piece=$(echo One. | dragoman --format jsonl | jq -r '.translations[0].tokens[0]')
    printf 'One.\t%s\n' "$piece" >in
    dragoman --pieces --force-decode in >out
    echo One. | dragoman --pieces --prefix "$piece" | cmp - out
    printf 'One.\t%s xqxq\n' "$piece" >in
    translate --pieces --force-decode in
    expect_status 1
    expect_err 'dragoman: in:1: the prefix: "xqxq" is not a piece of the model'"'s vocabulary"
}

@test "a prefix that is too long is a fault of the line" {
    printf 'One.\tThe line is one and two and so on.\n' >in
    translate --max-length 5 --force-decode in
    expect_status 1
    grep -qE '^dragoman: in:1: the prefix has [0-9]+ pieces, too many for a max length of 5$' err
}

@test "in a batch, all files are lines of columns, and a fault ends its file only" {
    mkdir src
    printf 'One.\tThe\n' >src/a.tsv
    printf 'One.\n' >src/b.tsv
    printf 'Two.\tThe\n' >src/c.html
    translate -q --force-decode -O new src
    expect_status 1
    grep -qF 'src/b.tsv:1: the line has 1 column, but --force-decode has 2' err
    dragoman --force-decode src/a.tsv | cmp - new/a.tsv
    dragoman --force-decode src/c.html | cmp - new/c.html
    [[ ! -e new/b.tsv ]]
}

@test "the results do not depend on neighbours and threads" {
    for i in {1..40}; do
        printf 'This is line %s.\t%s\n' "$i" "$( ((i % 3)) && printf 'The%.0s ' $(seq $((i % 4))))"
    done | tr 0-9 enirstadhu >in
    dragoman --force-decode --format jsonl -b 2 -j 1 --batch-rows 1 in >one
    dragoman --force-decode --format jsonl -b 2 -j 3 in | cmp - one
}

@test "options of documents are usage errors, before anything is written" {
    expect_usage_error "--column needs documents, but standard input is read as lines; choose its format with --as" \
        --tsv-in source --column 1
    local option documents="needs documents, but in is read as lines; choose its format with --as"
    : >in
    for option in --select=a --skip=a --column=1 --retranslate --keep-lang; do
        translate --tsv-in source "$option" -O new in
        expect_status 2
        expect_err "dragoman: ${option%=*} $documents"
    done
    expect_usage_error "--encoding and --tsv-in cannot be used together: columns are read in UTF-8" --tsv-in source \
        --encoding latin1 -O new in
    translate --as lines --select=a --suffix .de in
    expect_err "dragoman: --select $documents"
    [[ ! -e new && ! -e in.de ]]
}

@test "other options work as for lines" {
    printf 'One.\tThe\nThis is line two.\tline\n' >in
    dragoman --force-decode --bilingual in | cut -f 1 | cmp - <(cut -f 1 in)
    dragoman --force-decode --keep two in | sed -n 2p | grep -q two
    dragoman --force-decode --split in | cmp - <(dragoman --force-decode in)
    dragoman --tsv-in source,prefix --as lines in | cmp - <(dragoman --force-decode in)
    cp in in.tsv
    dragoman --force-decode in.tsv | cmp - <(dragoman --force-decode in)
}

@test "what is kept comes after the prefix" {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    printf 'Hello <b>.\tGuten {x}\n<b> This is <i> good.\tDas\n<b> Hello.\tGut\n' >in
    translate --force-decode --keep '<\w>' in
    expect_status 0
    [[ $(cut -c 1-3 out | tr '\n' ' ') == "Gut Das Gut " ]]
    sed -n 1p out | grep -q '^Guten {x}'
    [[ $(grep -c '<b>' out) == 3 && $(grep -c '<i>' out) == 1 ]]
    printf 'Hello <b>.\n<b> Hello.\n' >lines
    dragoman --prefix Guten --keep '<\w>' lines >out
    [[ $(cut -c 1-5 out | sort -u) == Guten && $(grep -c '<b>' out) == 2 ]]
}
