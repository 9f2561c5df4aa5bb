#!/usr/bin/env bats
# plurals.bats - plural forms in messages, in German with the model that comes with dragoman, and in other languages with
# --pseudo.

load helper

@test "the branches of a message are whole German sentences" {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    echo '{"a": "You have {n, plural, one {# file} other {# files}} in {dir}."}' >a.json
    dragoman -q a.json >out
    expected='{"a": "{n, plural, one {Sie haben # Datei in {dir}.} other {Sie haben # Dateien in {dir}.}}"}'
    [ "$(<out)" = "$expected" ]
}

@test "--pseudo writes the plural forms of a language" {
    echo '{"a": "A {n, plural, one {#} other {1}}", "b_one": "1", "b_other": "c {{n}}"}' >a.json
    dragoman --pseudo --from en --to ru a.json >out
    expected='{"a": "{n, plural, one {Á #} few {Á 1} many {Á 1} other {Á 1}}", "b_one": "ć {{n}}", "b_few": "ć {{n}}", '
    [ "$(<out)" = "$expected"'"b_many": "ć {{n}}", "b_other": "ć {{n}}"}' ]
    printf 'msgid "a {n, plural, one {b} other {c}}"\nmsgstr ""\n' | dragoman --pseudo --to ja --as po >out
    grep -Fx 'msgstr "{n, plural, other {á ć}}"' out
    dragoman --identity --to ru a.json | cmp - a.json
}
