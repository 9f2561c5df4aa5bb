#!/usr/bin/env bats
# batch.bats - files into files (-O and --suffix): which files, which targets, and what is refused.

load helper
load output

# A tree with text in several folders, hidden files, links and a picture.
make_tree() {
    mkdir -p docs/sub/deep docs/.git
    printf 'Hello.\nThis is a line.\n' >docs/a.txt
    printf 'No newline' >docs/sub/b.doc
    printf 'Deep.\r\n' >docs/sub/deep/c
    : >docs/empty.txt
    printf '\377\330\0\020' >docs/logo.png
    echo "Hidden." | tee docs/.hidden >docs/.git/config
}

# The files below a folder, one per line.
files_of() { (cd "$1" && find . -type f | sort | sed 's|^\./||' | paste -sd ' '); }

# expect_translations SOURCE TARGET ...: each target is the translation of its source.
expect_translations() {
    while (($#)); do
        dragoman -o expected "$1"
        cmp expected "$2"
        shift 2
    done
}

@test "-O translates the files of a folder and keeps their paths" {
    make_tree
    translate -O de docs
    expect_status 0
    [[ $(files_of de) == "a.txt empty.txt sub/b.doc sub/deep/c" ]]
    expect_translations docs/a.txt de/a.txt docs/sub/b.doc de/sub/b.doc docs/sub/deep/c de/sub/deep/c
    [[ ! -s de/empty.txt ]]
    expect_err "dragoman: 1 file skipped, reason: not UTF-8 text (-v names each; see --others)"
    no_leftovers
}

@test "-O writes named files under their names and creates the folder" {
    make_tree
    translate -O new/folder docs/a.txt docs/sub/b.doc docs/.hidden
    expect_status 0
    [[ $(files_of new/folder) == ".hidden a.txt b.doc" ]]
    expect_translations docs/a.txt new/folder/a.txt docs/.hidden new/folder/.hidden
}

@test "a suffix without a dot is used as it is, with a warning" {
    echo "Hello." >a.txt
    translate --suffix de a.txt
    expect_status 0
    expect_err "dragoman: warning: a.txt becomes ade.txt; for a dot before 'de', use the suffix .de"
    [[ -s ade.txt ]]
    translate --suffix _de a.txt
    expect_err
}

@test "--suffix writes next to the source, before the extension" {
    make_tree
    echo "Hello." >docs/archive.tar.gz
    translate --suffix .de docs
    expect_status 0
    [[ $(files_of docs) == ".git/config .hidden a.de.txt a.txt archive.tar.de.gz archive.tar.gz empty.de.txt empty.txt \
logo.png sub/b.de.doc sub/b.doc sub/deep/c sub/deep/c.de" ]]
    expect_translations docs/a.txt docs/a.de.txt docs/sub/deep/c docs/sub/deep/c.de
    cp -r docs before
    translate --suffix .de docs docs/a.txt
    expect_status 2
    expect_err "dragoman: docs/a.txt is given twice, by its name or in a folder"
    translate --suffix .de docs ./docs/a.txt
    expect_status 2
    expect_err "dragoman: docs/a.txt and ./docs/a.txt would both be translated into docs/a.de.txt"
    translate --suffix .de docs docs/a.de.txt
    expect_status 0
    expect_err "dragoman: warning: docs/a.de.txt: skipped: its name already has the suffix .de" \
        "dragoman: 1 file skipped, reason: not UTF-8 text (-v names each; see --others)"
    diff -r before docs
}

@test "the folder of -O is not walked, nor are hidden folders" {
    make_tree
    translate -O docs/out docs
    translate -O docs/out docs
    expect_status 0
    [[ $(files_of docs/out) == "a.txt empty.txt sub/b.doc sub/deep/c" ]]
}

@test "links to files of the folder are followed, others are not" {
    make_tree
    echo "Outside." >outside.txt
    ln -s ../outside.txt docs/leaves.txt
    ln -s /etc docs/leaves
    ln -s a.txt docs/stays.txt
    ln -s ../.. docs/sub/deep/up
    ln -s sub docs/alias
    ln -s missing docs/dangling
    translate -q -O de docs
    expect_status 0
    expect_err
    [[ $(files_of de) == "a.txt empty.txt stays.txt sub/b.doc sub/deep/c" ]]
    expect_translations docs/a.txt de/stays.txt
    translate -q --suffix .de docs
    expect_status 0
    [[ -e docs/stays.de.txt && -e docs/sub/b.de.doc ]]
}

@test "--include and --exclude choose files" {
    make_tree
    list() { dragoman -O de docs --dry-run "$@" | cut -f 1 | paste -sd ' '; }
    [[ $(list --include '*.txt') == "docs/a.txt docs/empty.txt" ]]
    [[ $(list --include '*.txt' --include c --exclude 'e*') == "docs/a.txt docs/sub/deep/c" ]]
    [[ $(list --exclude sub) == "docs/a.txt docs/empty.txt docs/logo.png" ]]
    [[ $(list --exclude sub/deep --exclude '*.png') == "docs/a.txt docs/empty.txt docs/sub/b.doc" ]]
    [[ $(list --include 'sub/*') == "docs/sub/b.doc" ]]
    [[ $(list --include 'sub/**') == "docs/sub/b.doc docs/sub/deep/c" ]]
    [[ $(list --include '**/b.doc') == "docs/sub/b.doc" ]]
    [[ $(list --include '**/deep/*') == "docs/sub/deep/c" && $(list --include 'sub/**/c') == "docs/sub/deep/c" ]]
    [[ $(list --include 'sub/**/b.doc') == "docs/sub/b.doc" && -z $(list --include 'sub/**/*x' -q) ]]
    [[ $(list --exclude sub/ --exclude ./logo.png --exclude /a.txt) == "docs/empty.txt" ]]
    [[ $(list --exclude '**/a.txt' --exclude '*[gt]') == "docs/sub/b.doc docs/sub/deep/c" ]]
    [[ $(dragoman -O de docs/a.txt docs/sub/b.doc --exclude '*.doc' --dry-run | wc -l) == 1 ]]
    [[ $(dragoman -O de docs/a.txt docs/sub/b.doc --include 'docs/sub/*' --dry-run | cut -f 1) == docs/sub/b.doc ]]
    for file in docs/sub/b.doc ./docs/sub/b.doc docs//sub/./b.doc "$PWD/docs/sub/b.doc"; do
        for glob in "$file" '**/sub/*'; do
            [[ $(dragoman -O de docs/a.txt "$file" --include "$glob" --dry-run | cut -f 1) == "$file" ]]
            [[ $(dragoman -O de docs/a.txt "$file" --exclude "$glob" --dry-run | cut -f 1) == docs/a.txt ]]
        done
    done
    [[ $(dragoman -O de ./docs/a.txt docs/sub/b.doc --include 'docs/*' --dry-run | cut -f 1) == ./docs/a.txt ]]
    translate -O de docs --include '*.none'
    expect_status 0
    expect_err "dragoman: warning: no files to translate"
}

@test "-v names each skipped file with the reason" {
    make_tree
    touch docs/.hidden
    mkdir -p docs/.git
    ln -s /etc docs/link
    ln -s . docs/loop
    translate -O de docs --include 'a*' --include '*.png' --exclude sub
    expect_status 0
    translate -v -O de docs --resume --include 'a*' --include '*.png' --exclude sub
    expect_status 0
    for line in "docs/.git: skipped: hidden" "docs/.hidden: skipped: hidden" "docs/link: skipped: a link out of the folder" \
        "docs/loop: skipped: a link to a folder" \
        "docs/a.txt: up to date" "docs/empty.txt: not included" "docs/sub: excluded" \
        "docs/logo.png: skipped: not UTF-8 text; it may be in UTF-16: name its encoding with --encoding"; do
        grep -qxF "dragoman: $line" err
    done
    [[ $(grep -c ': skipped: ' err) == 5 ]]
}

# shellcheck disable=SC2016,SC2046 # another shell expands the variable; the names are words
@test "--dry-run ends silently when the reader closes the pipe" {
    make_tree
    (cd docs && touch $(printf 'file-%0220d ' {1..200})) # long names, so that the output fills the pipe
    run --separate-stderr bash -c 'set -o pipefail; "$DRAGOMAN" -O de docs --dry-run | head -n 1 >first'
    [ "$status" -eq 141 ]
    [ -z "$stderr" ]
}

@test "--others copy copies what is not text" {
    make_tree
    printf 'Gr\374n\n' >docs/latin1.txt
    translate -O de docs --others copy -v
    expect_status 0
    cmp docs/logo.png de/logo.png
    cmp docs/latin1.txt de/latin1.txt
    grep -qx 'dragoman: files: 4 translated, 2 copied, 0 up to date, 0 skipped, 0 failed' err
    translate -O de2 docs/latin1.txt
    expect_status 0
    expect_err "dragoman: warning: docs/latin1.txt: skipped: not UTF-8 text; it may be in windows-1252 or ISO-8859-2: name its encoding with --encoding" \
        "dragoman: 1 file skipped, reason: not UTF-8 text (-v names each; see --others)"
    [[ ! -e de2 ]]
}

@test "source code and data in a folder are not translated" {
    mkdir site
    echo 'body { color: red; }' | tee site/a.css >site/Makefile
    echo 'export const a = "text";' >site/main.ts
    echo '<TS><context><message><source>A</source><translation/></message></context></TS>' >site/de.ts
    echo '<opml><body/></opml>' >site/b.opml
    printf '\n<?xml version="1.0"?><a>b</a>' >site/c.unknown
    echo '{ "a": "b" }' >site/d.unknown
    printf '#!/bin/sh\necho A\n' >site/run
    echo 'Czech.' >site/corpus.cs
    echo '{"a": "b"}' >site/e.txt
    dragoman -O de --dry-run site | cut -f 2,4 | sort | uniq -c | sed 's/^ *//' >rows
    diff rows - <<<$'2 lines\ttranslate\n7 other\tskip\n1 qt\ttranslate'
    translate -O de --others copy site
    expect_status 0
    for name in a.css Makefile main.ts b.opml c.unknown d.unknown run; do cmp "site/$name" "de/$name"; done
    translate -O two site/a.css site/main.ts
    expect_status 0
    expect_err "dragoman: warning: site/a.css: skipped: source code or settings" \
        "dragoman: warning: site/main.ts: skipped: not XML: a file of this format begins with <TS>" \
        "dragoman: 2 files skipped, reasons: not XML: a file of this format begins with <TS> (1), source code or settings (1) (-v names each; see --others)"
    [[ $(dragoman -O de --as lines --dry-run site | cut -f 2 | uniq) == lines ]]
}

@test "UTF-8 characters that cross a block of the check are text" {
    local i
    mkdir docs
    for i in 8190 8191 8192; do
        { head -c "$i" /dev/zero | tr '\0' ' '; echo "é"; } >"docs/$i.txt"
        { head -c "$i" /dev/zero | tr '\0' ' '; printf '\303'; } >"docs/$i.cut"
    done
    dragoman --dry-run -O de docs | cut -f 1,2 >rows
    [[ $(grep -c $'txt\tlines$' rows) == 3 && $(grep -c $'cut\tother$' rows) == 3 ]]
}

@test "--dry-run lists files, formats, targets and actions, and writes nothing" {
    make_tree
    touch -d '2020-01-01' docs/a.txt
    mkdir de
    echo old >de/a.txt
    printf 'x\n' >$'docs/tab\tand\nnewline'
    translate -O de docs --dry-run --resume
    expect_status 0
    expect_err
    printf '%s\n' 'docs/a.txt\tlines\tde/a.txt\tup to date' 'docs/empty.txt\tlines\tde/empty.txt\ttranslate' \
        'docs/logo.png\tother\tde/logo.png\tskip' \
        'docs/tab\\tand\\nnewline\tlines\tde/tab\\tand\\nnewline\ttranslate' \
        'docs/sub/b.doc\tlines\tde/sub/b.doc\ttranslate' 'docs/sub/deep/c\tlines\tde/sub/deep/c\ttranslate' |
        while read -r line; do printf '%b\n' "$line"; done >expected
    dragoman -O de docs --dry-run --resume | diff expected -
    [[ $(files_of de) == a.txt && $(cat de/a.txt) == old ]]
    [[ $(dragoman -O de docs/logo.png --others copy --dry-run) == $'docs/logo.png\tother\tde/logo.png\tcopy' ]]
}

@test "two files with one target are refused before anything is written" {
    make_tree
    mkdir other
    echo "Hello." | tee other/a.txt >other/z.txt
    for extra in '' --dry-run; do
        # shellcheck disable=SC2086 # an empty word is no argument
        translate -O de other/z.txt docs other $extra
        expect_status 2
        expect_err "dragoman: docs/a.txt and other/a.txt would both be translated into de/a.txt"
        [[ ! -e de ]]
    done
    mkdir de
    echo old >de/a.txt
    ln de/a.txt de/empty.txt
    translate -O de docs
    expect_status 2
    expect_err "dragoman: the targets of docs/a.txt and docs/empty.txt are links to the same file"
    [[ $(cat de/a.txt) == old ]]
    mkdir -p third/sub
    echo "Hello." | tee docs/sub/deep/t >third/sub.d
    mkdir fourth
    echo "Hello." >fourth/sub
    translate -O new third docs fourth
    expect_status 2
    expect_err "dragoman: fourth/sub would be translated into new/sub, which must be a folder for docs/sub/b.doc"
}

@test "a file and a folder with the same target are refused, whatever else is translated" {
    mkdir -p one two/a many
    echo "Hello." | tee one/a >two/a/b
    translate -O new one/a two
    expect_status 2
    expect_err "dragoman: one/a would be translated into new/a, which must be a folder for two/a/b"
    for name in A b c d a-b a.b a0 aa; do
        echo "Hello." >"many/$name"
        translate --dry-run -O new two many one
        expect_status 2
        expect_err "dragoman: one/a would be translated into new/a, which must be a folder for two/a/b"
    done
    [[ ! -e new ]]
}

@test "a file of the batch, of the model or the program is not overwritten" {
    make_tree
    cp -r docs before
    translate -O docs docs
    expect_status 2
    expect_err "dragoman: docs/a.txt would be overwritten by its translation; choose another output folder"
    ln -s ../docs/sub/b.doc docs/a.doc
    mkdir de
    ln -s ../docs/a.txt de/b.doc
    translate -O de docs/a.txt docs/sub
    expect_status 2
    expect_err "dragoman: docs/a.txt would be overwritten by the translation of docs/sub/b.doc; choose another output folder"
    rm docs/a.doc
    diff -r before docs

    cp -r "$MODEL" model
    cp -r model same
    cp docs/a.txt config.json
    translate -m model -O model config.json
    expect_status 2
    expect_err "dragoman: model/config.json is a file of the model model; write to another file"
    diff -r model same
}

@test "a folder without -O and a file as its folder are refused" {
    make_tree
    expect_usage_error "docs is a folder; use -O DIR or --suffix TEXT to translate its files" docs
    echo text >file
    translate -O file docs
    expect_status 2
    expect_err "dragoman: file: not a folder; choose another output folder"
}

@test "formats with line numbers count the lines of each file" {
    make_tree
    dragoman -q -O tsv --format tsv docs
    dragoman -q -O jsonl --format jsonl docs
    dragoman -q -O marian --format marian docs
    cut -f 1 tsv/a.txt | diff - <(printf '1\n2\n')
    [[ $(cut -f 1 tsv/sub/b.doc) == 1 && $(cut -d, -f 1 jsonl/sub/deep/c) == '{"line":1' ]]
    [[ $(cut -d' ' -f 1 marian/sub/b.doc) == 0 ]]
}

@test "new files and folders have the modes of their sources, existing ones keep theirs" {
    make_tree
    umask 022
    chmod 640 docs/a.txt
    chmod 444 docs/sub/b.doc
    chmod 700 docs/sub/deep
    mkdir de
    echo old >de/empty.txt
    chmod 604 de/empty.txt
    dragoman -q -O de docs
    [[ $(stat -c %a de/a.txt de/sub/b.doc de/sub/deep de/empty.txt | paste -sd ' ') == "640 644 700 604" ]]
}
