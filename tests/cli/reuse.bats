#!/usr/bin/env bats
# Texts that occur again in a run: --reuse, --no-reuse.
# shellcheck disable=SC2016,SC2153,SC2154 # Markdown has backticks; helper.bash sets MODEL and worker

load helper

# Lines that repeat: next to each other, far from each other, blank, of several sentences, too long for the model.
write_lines() {
    for _ in 1 2 3; do
        numbered_lines 1 12
        printf '\n \nThis is a line. And this is another one.\nThis is a line. And this is another one.\n'
        numbered_lines 1 9 | tr '\n' ' '
        printf '\nThe last line.\r\n'
    done
    printf 'The last line.'
}

@test "the output is the same as if each line was translated" {
    write_lines >in
    for options in "" "-b 3 -n 3 --format tsv" "--format jsonl --alignment soft --token-scores -b 2 -n 2" \
        "--confidence --rescue --format jsonl" "--sample --seed 7 -n 3 --format jsonl" "--split --max-input 16" \
        "--alternatives 3 --format jsonl" "--pieces" "--keep line --format jsonl" "--prefix a" "--must wort" \
        "--replace-unknowns --allow-unk --format jsonl" "--format marian -n 2 --word-scores"; do
        # shellcheck disable=SC2086
        dragoman -j 1 $options --no-reuse in >expected 2>expected.err
        for threads in 1 3; do
            # shellcheck disable=SC2086
            dragoman -j "$threads" $options in >out 2>err
            cmp out expected
            cmp err expected.err
        done
    done
}

@test "-v says how many lines were reused, and --no-reuse turns it off" {
    write_lines >in
    translate -v in
    grep -E '^dragoman: reused: [0-9]+ of [0-9]+ lines ' err
    [[ $(sed -n 's/^dragoman: reused: \([0-9]*\) of .*/\1/p' err) -ge 33 ]]
    for option in --no-reuse "--reuse 0"; do
        # shellcheck disable=SC2086
        translate -v $option in
        run ! grep reused err
    done
}

@test "what a line asks for tells it from other lines with the same text" {
    printf '%s\n' $'This is a line.\ta' $'This is a line.\tb' $'This is a line.\ta' $'This is a line.\t' >in
    for columns in source,prefix source,must; do
        dragoman --tsv-in "$columns" --no-reuse in >expected 2>expected.err
        translate -v --tsv-in "$columns" in
        cmp out expected
        grep -F 'reused: 1 of 4 lines' err
    done
    dragoman --force-decode --tsv-in source,target --no-reuse in >expected 2>expected.err || true
    dragoman score --no-reuse <(head -3 in) >expected
    dragoman score <(head -3 in) | cmp - expected
}

@test "two models translate a repeated line once" {
    write_lines >in
    second=$GOLDEN_ROOT/families/m2m100-relu
    dragoman -m "$MODEL" -m "$second" --to fr --max-length 12 --no-reuse --format jsonl --alignment hard in >expected
    translate -m "$MODEL" -m "$second" --to fr --max-length 12 -v --format jsonl --alignment hard in
    cmp out expected
    grep reused err
}

@test "documents and batches of files share translations" {
    mkdir -p tree/a tree/b
    printf '# Title of a page\n\nThis is **a line** of `code`.\n\n- One.\n- One.\n' >tree/a/one.md
    printf '# Title of a page\n\nThis is a **line** of `code`.\n\nThis is **a line** of `code`.\n' >tree/b/two.md
    printf '<p>Title of a page</p><p>This is <b>a line</b>.</p>' >tree/b/three.html
    dragoman -q -O expected --no-reuse tree
    dragoman -v -O found tree 2>err
    diff -r expected found
    grep -E '^dragoman: reused: [1-9][0-9]* of [0-9]+ units' err
}

@test "a memory learns the same entries" {
    write_lines >in
    dragoman --memory expected.tsv --no-reuse in >expected
    dragoman --memory found.tsv in | cmp - expected
    cmp expected.tsv found.tsv
}

@test "a repeated line is written as soon as it is ready" {
    start_dragoman -j 1
    for _ in 1 2 3; do echo "Hello." >&7; done
    for ((i = 0; i < 20 * LIMIT && $(wc -l <out) < 4; i++)); do sleep 0.05; done
    [[ $(wc -l <out) -eq 4 ]]
    [[ $(sort -u out | wc -l) -eq 1 ]]
    exec 7>&-
    wait "$worker"
}

@test "a small table gives the same output" {
    write_lines >in
    dragoman --no-reuse in >expected
    dragoman --reuse 1 -b 4 -n 4 --format jsonl --alignment soft in >/dev/null
    dragoman --reuse 1 in | cmp - expected
}

@test "refuses a limit that is not a number, and two limits" {
    expect_usage_error "--reuse: '-1' is not a whole number from 0 to 1000000" --reuse=-1
    expect_usage_error "--no-reuse and --reuse 5 cannot be used together" --reuse 5 --no-reuse
}
