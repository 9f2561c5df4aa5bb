#!/usr/bin/env bats
# page.bats - the web page of the server, as far as it can be checked without a browser.

bats_require_minimum_version 1.5.0

PAGE=$BATS_TEST_DIRNAME/../../server/page.html

# Prints the words of page.html between quotation marks that follow the expression $1.
names_after() {
    grep -oE "$1\"[A-Za-z]+\"" "$PAGE" | sed -E 's/.*"([A-Za-z]+)"/\1/' | sort -u
}

# Prints the keys of the labels in the language $1, those of `flags` included.
label_keys() {
    sed -n "/^    $1: {/,/^    },/p" "$PAGE" | grep -oE '[A-Za-z]+: "' | sed 's/: "//' | sort
}

@test "the page is well-formed: elements are closed, ids are unique, and what is referred to exists" {
    python3 "$BATS_TEST_DIRNAME/check_page.py" "$PAGE"
}

@test "the page requests nothing from elsewhere" {
    run ! grep -nE '[a-z]:?//[a-z]|src=|@import|url\(|import *\(|WebSocket|EventSource|sendBeacon|Worker' "$PAGE"
    [[ $(grep -oE 'href="[^"]*"' "$PAGE") == 'href="data:,"' ]]
    # The paths of the server, all of them relative.
    grep -oE '(ask|open)\("([A-Z]+", ")?[^"]+"' "$PAGE" | sed -E 's/.*"([^"]+)"/\1/' | sort -u >"$BATS_TEST_TMPDIR/paths"
    diff "$BATS_TEST_TMPDIR/paths" <(printf '%s\n' detect frontend/settings languages translate_file v1/translate)
}

@test "a strict policy allows the page: one style, one script, no code or style in attributes, no code from texts" {
    [[ $(grep -c '^<style>$' "$PAGE") == 1 && $(grep -c '<style' "$PAGE") == 1 ]]
    [[ $(grep -c '^<script>$' "$PAGE") == 1 && $(grep -c '<script' "$PAGE") == 1 ]]
    run ! grep -nE '[ "]on[a-z]+="|[ "]style="|javascript:|eval\(|new Function' "$PAGE"
    run ! grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write' "$PAGE"
}

@test "German, English and Chinese have the same labels, and the page uses each of them" {
    local key
    label_keys en >"$BATS_TEST_TMPDIR/en"
    (($(wc -l <"$BATS_TEST_TMPDIR/en") > 60))
    [[ $(uniq -d "$BATS_TEST_TMPDIR/en") == copy ]] # a button and a flag
    diff "$BATS_TEST_TMPDIR/en" <(label_keys de)
    diff "$BATS_TEST_TMPDIR/en" <(label_keys zh)
    for key in $(names_after 'data-(text|label)=') $(names_after '(label|notify|show|Fault)\('); do
        grep -Fqx "$key" "$BATS_TEST_TMPDIR/en" || { echo "no label: $key" && false; }
    done
    while IFS= read -r key; do
        (($(grep -oE "\b$key\b" "$PAGE" | wc -l) > 3)) || { echo "not used: $key" && false; }
    done < <(sed '/^    en: {/,/^    },/!d; /flags: {/,$d' "$PAGE" | grep -oE '[A-Za-z]+: "' | sed 's/: "//')
}

@test "the placeholders of a label are the same in each language" {
    local key language
    placeholders() {
        sed -n "/^    $1: {/,/^    },/p" "$PAGE" | grep -oE '[A-Za-z]+: "[^"]*"' |
            awk -F ': "' '{ held = ""; for (i = 0; i < 3; i++) if (index($2, "{" i "}")) held = held i; print $1, held }' |
            sort
    }
    placeholders en >"$BATS_TEST_TMPDIR/en"
    for language in de zh; do diff "$BATS_TEST_TMPDIR/en" <(placeholders "$language"); done
}

@test "the page names every flag that --confidence writes" {
    local flag flags="language"
    flags+=" $(sed -n '/^const char \*dragoman_flag_name/,/^}/p' "$BATS_TEST_DIRNAME/../../translator/line_judge.c" |
        grep -oE '"[a-z]+"' | tr -d '"')"
    [[ $flags == *loop* ]]
    for flag in $flags; do
        sed -n '/flags: {/,/}/p' "$PAGE" | grep -cE "\b$flag: \"" | grep -Fx 3 || { echo "no text for $flag" && false; }
    done
}

@test "texts have a contrast of at least 4.5 in light and in dark" {
    python3 "$BATS_TEST_DIRNAME/check_page.py" --contrast "$PAGE"
}
