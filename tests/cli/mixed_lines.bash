# shellcheck shell=bash
# mixed_lines.bash - compares the translation of lines in several languages with that of each language. The files de, fr
# and ru have the lines of a language, and the file mixed has them in turn. Load it after helper.

LANGUAGES="de fr ru"

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
