#!/usr/bin/env bats
# Separators, blanks, hyphens and quotation marks in the translations of the embedded English-German model, as lines and
# in documents. What is one is tested by tests/unit/test_separators.c, test_placeholders.c and test_typography.c.

load helper

english() {
    need_default_model
    dragoman -m "$DEFAULT_MODEL" "$@"
}

@test "texts between separators are translated by themselves" {
    printf '%s\n' Home Books Events >words
    mapfile -t german < <(english words)
    echo 'Home | Books |  Events' >in
    english in >out
    [[ $(<out) == "${german[0]} | ${german[1]} |  ${german[2]}" ]]
    echo '<p><a href="a">Home</a> &gt; <a href="b">Books</a> <i>→</i> Events</p>' >in.html
    english in.html >out
    [[ $(<out) == "<p><a href=\"a\">${german[0]}</a> &gt; <a href=\"b\">${german[1]}</a> <i>→</i> ${german[2]}</p>" ]]
    printf '%s\n' 'A | B | 5' $'5!\tA' >in
    english in | cmp - in
    printf 'Is it red?\tA\n5!\tIs it red?\n' >in
    question=$(english <<<"Is it red?")
    english in | cmp - <(printf '%s\tA\n5!\t%s\n' "$question" "$question")
}

@test "numbers stand for the placeholders of numbers" {
    echo '{"a": "%d files were copied.", "b": "Delete {count} files?", "c": "Uploading {current} of {total} files"}' >in.json
    english in.json >out
    run ! grep -qE '(%d|})-' out
    grep -qF '%d Dateien' out
    echo '{count} files and {n, plural, one {on} other {off}}' >in
    english in >out
    grep -qF '{count} Dateien' out
    grep -qF '{n, plural, one {on} other {off}}' out
}

@test "hyphens and quotation marks are read as the usual ones" {
    english <<<'The user-defined value is used.' >expected
    english <<<'The user‑defined value is used.' | cmp - expected
    english <<<'The user‐defined value is used.' | cmp - expected
    echo 'The "old" house is red.' | sed $'s/"/\u201c/; s/"/\u201d/' >double
    echo 'The "old" house is red.' | sed $'s/"/\u2018/; s/"/\u2019/' >single
    english double | sed $'s/\u201e/\u201a/; s/\u201c/\u2018/' >expected
    english single | cmp - expected
}

@test "blanks between sentences and endings of numbers stay at their places" {
    echo '<p>This is a house.  That is a dog. It is the 4<sup>th</sup> one.</p>' >in.html
    english in.html >out
    grep -qE '^<p>[^.]*\.  [A-Z][^.]*\. [A-Z].*4<sup></sup>\.' out
    [[ $(grep -o '  ' out | wc -l) == 1 ]]
}
