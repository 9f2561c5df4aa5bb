# shellcheck shell=bash
# mixed_lines.bash - compares the translation of lines in several languages with that of each language. The files de, fr
# and ru have the lines of a language, and the file mixed has them in turn. Load it after helper.

LANGUAGES="de fr ru"

# write_languages COUNT: writes these files with COUNT lines of each language.
write_languages() {
    local lang
    for lang in $LANGUAGES; do
        awk -F '\t' -v lang="$lang" -v count="$1" '$1 == lang && NF == 2 && n++ < count { print $2 }' \
            "$GOLDEN_ROOT/languages/sentences.tsv" >"$lang"
    done
    paste -d '\n' de fr ru >mixed
}

# repeat COUNT FILE: the file again and again, COUNT lines.
repeat() {
    yes "$(<"$2")" | head -n "$1"
}

# expect_same OPTION...: the mixed input gives the lines that each language gives by itself.
expect_same() {
    local lang
    for lang in $LANGUAGES; do
        dragoman -q "$@" --from "$lang" "$lang" >"$lang.out"
    done
    paste -d '\n' de.out fr.out ru.out >expected
    translate -q "$@" --from auto mixed
    expect_status 0
    expect_err
    cmp out expected
    [[ -s out ]]
}
