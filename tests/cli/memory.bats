#!/usr/bin/env bats
# memory.bats - translation memories: --memory. How their files are read is tested by tests/unit/test_memory*.c.
# shellcheck disable=SC2016,SC2094 # backquotes are Markdown here; a memory is also the input or output on purpose

load helper
load output

make_page() {
    printf '<!DOCTYPE html>\n<html lang="en">\n<p class="a">This is a <b>line</b> of <i>text <u>here</u></i>.</p>\n' >page.html
    printf '<p title="A title">Hello.<br>Good &amp; well at https://example.org/x %%s</p>\r\n</html>' >>page.html
}

# expect_found FOUND TRANSLATED ADDED: what -v has said.
expect_found() {
    grep -qx "dragoman: memory: $1 texts\? found, $2 translated, $3 added" err || { cat err; return 1; }
}

# rows MEMORY: the number of entries.
rows() { wc -l <"$1"; }

has_rows() {
    local lines
    [[ -e $1 ]] && mapfile -t lines <"$1" && ((${#lines[@]} >= $2))
}

@test "a second run translates nothing and writes the same bytes" {
    { numbered_lines 1 20; printf '\n \nThe same.\nThe same.\r\na\tb \\n\nLast'; } >in
    dragoman in >plain
    translate -v --memory m.tsv in
    expect_status 0
    cmp out plain
    expect_found 0 24 23
    [[ $(rows m.tsv) == 23 ]]
    cp m.tsv before
    for jobs in 1 3; do
        translate -v -j "$jobs" --memory m.tsv in
        cmp out plain
        expect_found 24 0 0
        cmp m.tsv before
    done
    translate --memory m.tsv - <in
    expect_err
    cmp out plain
}

@test "--memory-read-only takes translations and leaves the file as it is" {
    numbered_lines 1 5 >in
    for kind in tsv tmx; do
        head -3 in | dragoman -q --memory "m.$kind" >/dev/null
        cp "m.$kind" before
        chmod a-w "m.$kind"
        exec 9<"m.$kind"
        flock -x 9 # as another process that adds to it
        translate -v --memory "m.$kind" --memory-read-only in
        exec 9<&-
        expect_status 0
        expect_found 3 2 0
        cmp "m.$kind" before
        dragoman in | cmp - out
    done
    translate --memory missing.tmx --memory-read-only in
    expect_status 1
    expect_err "dragoman: missing.tmx: No such file or directory"
    [[ ! -e missing.tmx ]]
    expect_usage_error "--memory-read-only needs --memory" --memory-read-only in
}

@test "texts between known ones stay in order" {
    numbered_lines 1 60 >in
    sed -n 'n;p' in | dragoman -q --memory m.tsv >/dev/null
    dragoman in >plain
    translate -v --memory m.tsv in
    expect_found 30 30 30
    cmp out plain
    # New entries come in the order of the input.
    diff <(cut -f 4 m.tsv | tail -n 30) <(sed -n 'p;n' in)
}

@test "documents come back with their markup and kept parts" {
    make_page
    printf '# A *title*\n\nThis is [a **line**](x.md) of `code` and text, and **more** text.\n\n- &amp; so on\n' >a.md
    for file in page.html a.md; do
        dragoman "$file" >plain
        translate --memory m.tsv "$file"
        expect_status 0
        cmp out plain
        translate -v --memory m.tsv "$file"
        cmp out plain
        grep -q 'memory: [1-9] texts found, 0 translated, 0 added' err
    done
    # The same text with other markup is another entry.
    sed 's|<b>line</b>|<b>line of</b>|; s|</b> of <i>|</b> <i>|' page.html >other.html
    dragoman other.html >plain
    translate -v --memory m.tsv other.html
    cmp out plain
    expect_found 3 1 1
}

@test "lines with kept parts" {
    printf 'See A-1 and B-2 now.\nA-1\n' >in
    dragoman --keep '[A-Z]-\d' in >plain
    translate --memory m.tsv --keep '[A-Z]-\d' in
    cmp out plain
    translate -v --memory m.tsv --keep '[A-Z]-\d' in
    cmp out plain
    grep -q ' 0 translated, 0 added' err
    translate -v --memory m.tsv in
    grep -q 'memory: 0 texts found' err
    dragoman in | cmp - out
}

@test "the translation of a person is taken, with any model and options" {
    printf 'A line here.\tEine Zeile hier.\nThis is a line of text.\tDas ist eine Zeile Text 7.\n' >m.tsv
    printf 'This is a line.\nA line here.\n' >in
    translate -v --memory m.tsv in
    expect_found 1 1 1
    [[ $(sed -n 2p out) == 'Eine Zeile hier.' ]]
    translate --memory m.tsv -b 3 -m "$GOLDEN_ROOT/marian/quick-gelu-untied" in
    [[ $(sed -n 2p out) == 'Eine Zeile hier.' ]]
    # Markup goes to equal words, and to the others in their order.
    echo '<p>This is <i>a line</i> of <b>text</b>.</p>' | dragoman --as html --memory m.tsv - >out
    echo "<p>Das ist <i>eine Zeile</i> <b>Text</b> 7.</p>" | diff - out
    # An entry without a kept part is not taken.
    translate -v --memory m.tsv --keep here in
    expect_found 1 1 1
    # With its first column empty, an entry by dragoman becomes one by a person, as that of another pair of languages.
    printf '\ten\tde\tA\\tline.\tEine\\\\Zeile.\n\tfr\tde\tHere.\tDort.\n' >m.tsv
    printf 'A\tline.\nHere.\n' >in
    translate -v --memory m.tsv in
    expect_found 1 1 1
    [[ $(head -n 1 out) == 'Eine\Zeile.' ]]
}

@test "another model and other options do not use what dragoman has written" {
    numbered_lines 1 5 >in
    translate --memory m.tsv in
    cp -rL "$MODEL" copy
    touch copy/*
    translate -v -m copy --memory m.tsv -j 1 --batch-rows 3 -q in
    expect_found 5 0 0
    translate -v -m copy --greedy --memory m.tsv in
    expect_found 0 5 5
    translate -v -m copy --length-penalty 0.7 --memory m.tsv in
    expect_found 0 5 5
    translate -v -m "$GOLDEN_ROOT/marian/quick-gelu-untied" --memory m.tsv in
    expect_found 0 5 5
    sed -i 's/"length_penalty": [0-9.]*/"length_penalty": 2/; 1s/{/{ /' copy/config.json
    translate -v -m copy --memory m.tsv in
    expect_found 0 5 5
    dragoman pack -m "$MODEL" -o packed.safetensors
    translate -v -m packed.safetensors --memory m.tsv in
    expect_found 0 5 5
    mv packed.safetensors other.safetensors
    translate -v -m other.safetensors --memory m.tsv in
    expect_found 5 0 0
}

@test "an ensemble with another order or other weights is another model" {
    local a=$GOLDEN_ROOT/marian_nmt/post b=$GOLDEN_ROOT/marian_nmt/average_pre
    echo w5 >in
    translate -v -m "$a,$b" --weights 0.9,0.1 --memory m.tsv in
    expect_found 0 1 1
    translate -v -m "$a,$b" --weights 0.9,0.1 --memory m.tsv in
    expect_found 1 0 0
    translate -v -m "$b,$a" --weights 0.9,0.1 --memory m.tsv in
    expect_found 0 1 1
    translate -v -m "$b,$a" --weights 0.1,0.9 --memory m.tsv in
    expect_found 0 1 1
    # The settings of a folder may name models and weights.
    mkdir folder
    sed "s|^  - model.npz|  - $a/model.npz\n  - $b/model.npz|; s|vocab.yml|$a/vocab.yml|" "$a/decoder.yml" >folder/decoder.yml
    printf 'weights: [0.9, 0.1]\n' >>folder/decoder.yml
    translate -v -m folder --memory m.tsv in
    expect_found 0 1 1
    translate -v -m folder --memory m.tsv in
    expect_found 1 0 0
    sed -i 's/^weights: .*/weights: [0.1, 0.9]/' folder/decoder.yml
    translate -v -m folder --memory m.tsv in
    expect_found 0 1 1
}

@test "a run that is killed at any moment and started again gives the same bytes" {
    local goal kills=0
    numbered_lines 1 300 >in
    dragoman --memory whole.tsv in >plain
    for goal in 1 30 80 140 200; do
        "$DRAGOMAN" --memory m.tsv in >out 2>err &
        worker=$!
        wait_for has_rows m.tsv "$goal" && kill -KILL "$worker" && kills=$((kills + 1))
        wait "$worker" || true
    done
    [[ $kills -ge 1 ]]
    translate -v --memory m.tsv in
    expect_status 0
    cmp out plain
    cmp m.tsv whole.tsv
    # Torn anywhere, the last line is dropped with a warning.
    for cut in 1 5 20 40; do
        head -c "-$cut" whole.tsv >m.tsv
        translate --memory m.tsv in
        expect_err 'dragoman: warning: m.tsv:300: the last line is incomplete and was removed'
        cmp out plain
        cmp m.tsv whole.tsv
    done
    head -c -9 whole.tsv >m.tsv
    translate -q --memory m.tsv in
    expect_err
}

@test "TMX is a memory, too, and keeps what it has" {
    make_page
    { numbered_lines 1 4; echo 'a < b & c'; } >in
    dragoman in >plain
    dragoman page.html >page.plain
    translate -v --memory m.tmx in
    expect_found 0 5 5
    translate -v --memory m.tmx page.html
    cmp out page.plain
    translate -v --memory m.tmx in
    expect_found 5 0 0
    cmp out plain
    translate -v --memory m.tmx page.html
    grep -q ' 0 translated, 0 added' err
    cmp out page.plain
    [[ $(grep -c '<tu>' m.tmx) == $(grep -c '</tu>' m.tmx) && $(grep -c '<body>' m.tmx) == 1 ]]
    no_leftovers
    # A translation into the same format reads what was written.
    translate --identity m.tmx
    cmp out m.tmx
}

@test "a failed run does not lose what TMX has to remember" {
    numbered_lines 1 4 >in
    translate --memory m.tmx -o folder/out in
    expect_status 1
    translate --memory m.tmx in missing
    expect_status 1
    translate -v --memory m.tmx in
    expect_found 4 0 0
}

@test "two processes do not use one memory at a time" {
    mkfifo pipe
    "$DRAGOMAN" --memory m.tsv <pipe >first 2>first.err &
    worker=$!
    exec 7>pipe
    echo 'A line.' >&7
    wait_for has_rows m.tsv 1
    translate --memory m.tsv /dev/null
    expect_status 1
    expect_err 'dragoman: m.tsv: another dragoman is using this translation memory; wait for it, or use another file'
    exec 7>&-
    wait "$worker"
    translate --memory m.tsv /dev/null
    expect_status 0
}

@test "batches use one memory for all files" {
    make_page
    mkdir docs
    cp page.html docs
    numbered_lines 1 6 >docs/a.txt
    numbered_lines 4 9 >docs/b.txt
    dragoman -q -O plain docs
    translate -q -v --memory m.tsv -O out1 docs
    expect_status 0
    diff -r plain out1
    translate -v --memory m.tsv -O out2 docs
    diff -r plain out2
    grep -q ' 0 translated, 0 added' err
    cp m.tsv docs
    translate --memory docs/m.tsv -O out3 docs
    expect_status 2
    [[ $(head -n 1 err) == 'dragoman: docs/m.tsv is the translation memory; exclude it from the files' ]]
    translate --memory docs/m.tsv -O out3 --exclude m.tsv docs
    expect_status 0
    diff -r plain out3
}

@test "--from auto remembers the language of each line" {
    unset DRAGOMAN_MODEL
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" many
    printf 'Das ist ein deutscher Satz über das schöne Wetter.\nCeci est une phrase française sur le beau temps.\n' >in
    translate -q -m many --from auto --to en in
    grep -q 'needs the library CLD2' err && skip "no CLD2"
    mv out plain
    translate -q -v -m many --from auto --to en --memory m.tsv in
    cmp out plain
    expect_found 0 2 2
    [[ $(cut -f 2,3 m.tsv | tr '\n\t' ' -') == 'de-en fr-en ' ]]
    translate -q -v -m many --from auto --to en --memory m.tsv in
    cmp out plain
    expect_found 2 0 0
}

@test "--from auto without a model remembers the model of each line" {
    unset DRAGOMAN_MODEL
    export XDG_DATA_HOME=$FILES/data
    for lang in de fr; do
        mkdir -p data/dragoman/models
        cp -r "$MODEL" "data/dragoman/models/opus-$lang-en"
        sed -i "s/\"source_lang\": \"en\"/\"source_lang\": \"$lang\"/; s/\"target_lang\": \"de\"/\"target_lang\": \"en\"/" \
            "data/dragoman/models/opus-$lang-en/tokenizer_config.json"
    done
    printf 'Das ist ein deutscher Satz über das schöne Wetter.\nCeci est une phrase française sur le beau temps.\n' >in
    translate -q --from auto --to en in
    grep -q 'needs the library CLD2' err && skip "no CLD2"
    mv out plain
    translate -q -v --from auto --to en --memory m.tsv in
    cmp out plain
    expect_found 0 2 2
    [[ $(cut -f 1 m.tsv | sort -u | wc -l) == 2 ]]
    translate -q -v --from auto --to en --memory m.tsv in
    cmp out plain
    expect_found 2 0 0
}

@test "a text with other terms is another text" {
    numbered_lines 1 4 >in
    printf 'line\tLinie\n' >terms.tsv
    dragoman --glossary terms.tsv -q in >plain
    translate -v --memory m.tsv --glossary terms.tsv in
    expect_found 0 4 4
    cmp out plain
    cp err first.err
    translate -v --memory m.tsv --glossary terms.tsv in
    expect_found 4 0 0
    cmp out plain
    # The warnings about terms are the same.
    diff <(grep 'not translated as' first.err) <(grep 'not translated as' err)
    # Translations that were made for another --glossary-match are not taken, except those without terms.
    echo Nothing. >>in
    translate -v --memory m.tsv --glossary terms.tsv in
    expect_found 4 1 1
    translate -v --memory m.tsv --glossary terms.tsv --glossary-match exact in
    expect_found 1 4 4
    sed -i '$d' in
    printf 'line\tZeile\n' >terms.tsv
    translate -v --memory m.tsv --glossary terms.tsv in
    expect_found 0 4 4
    translate -v --memory m.tsv in
    expect_found 0 4 4
    cmp out <(dragoman in)
    printf 'unrelated\tanders\n' >terms.tsv
    translate -v --memory m.tsv --glossary terms.tsv in
    expect_found 4 0 0
}

@test "wrong uses are refused" {
    local option
    : >in
    echo 'A	B' >m.tsv
    for option in 'm.tsv is the translation memory; it cannot be translated in the same run|m.tsv' \
        'm.tsv is the translation memory; write to another file|-o m.tsv in'; do
        # shellcheck disable=SC2086 # options
        translate --memory m.tsv ${option##*|}
        expect_status 2
        [[ $(<err) == "dragoman: ${option%|*}" ]]
    done
    [[ $(<m.tsv) == 'A	B' ]]
    echo 'no memory' >bad.tsv
    translate --memory bad.tsv in
    expect_status 1
    expect_err 'dragoman: bad.tsv:1: a row must have the columns SOURCE and TARGET, or five or six columns; this one has 1'
    [[ $(<bad.tsv) == 'no memory' ]]
    translate --memory missing/m.tsv in
    expect_status 1
    expect_err 'dragoman: missing/m.tsv: No such file or directory'
}

@test "a file that another option reads is refused as a memory, by any name" {
    printf 'house\tHaus' >list.tsv # an incomplete row, which a memory would remove
    cp list.tsv expected
    ln list.tsv other.tsv
    echo "A house." >in
    for option in --glossary --keep-file; do
        translate "$option" list.tsv --memory other.tsv in
        expect_status 2
        expect_err "dragoman: other.tsv is the file of --memory and of $option; use another file for one of them"
        translate "$option" list.tsv --memory other.tsv -O outputs in
        expect_status 2
        cmp list.tsv expected
    done
}

@test "a memory that is also standard input or standard output is refused" {
    local options
    printf 'A\tB\n' >m.tsv
    echo One. >in
    for options in '' - '-o out' '-o - -'; do
        status=0
        # shellcheck disable=SC2086 # options
        dragoman --memory m.tsv $options <m.tsv >out 2>err || status=$?
        expect_status 2
        expect_err 'dragoman: standard input is the translation memory; it cannot be translated in the same run'
    done
    for options in in '-o - in' -; do
        cp m.tsv emptied.tsv
        # shellcheck disable=SC2086 # options
        dragoman --memory m.tsv $options <in >>m.tsv 2>err && false
        expect_err 'dragoman: standard output is the translation memory; write to another file'
        # shellcheck disable=SC2086 # options; the shell empties the file before dragoman starts
        dragoman --memory emptied.tsv $options <in >emptied.tsv 2>err && false
        expect_err 'dragoman: standard output is the translation memory; write to another file'
    done
    [[ $(<m.tsv) == $'A\tB' ]]
}

@test "standard streams that are not used may be the memory" {
    echo One. >in
    dragoman --memory m.tsv -o out in
    cp m.tsv before
    dragoman --memory m.tsv -o out in <m.tsv >>m.tsv
    dragoman --memory m.tsv -O folder in <m.tsv >>m.tsv
    cmp m.tsv before
}

@test "each translation in a memory that cannot grow any more is on standard output" {
    local code=0
    numbered_lines 1 200 >in
    dragoman in >plain
    # The reader is outside, because the limit holds for its file, too.
    { (ulimit -f 8 && exec timeout "$LIMIT" "$DRAGOMAN" --memory m.tsv in 2>err) || code=$?; echo "$code" >code; } | cat >out
    [[ $(<code) == 1 && $(<err) == *"m.tsv: File too large" ]]
    (($(rows m.tsv) > 0 && $(rows m.tsv) <= $(wc -l <out)))
    head -n "$(wc -l <out)" plain | cmp - out
}
