#!/usr/bin/env bats
# dragoman explain: its page, its JSON and its refusals. tests/golden/test_trace_golden.c checks the numbers.

load helper

# The JSON in a page.
page_json() {
    sed -n 's/.*<script type="application\/json" id="trace">\(.*\)<\/script>$/\1/p' "$1" | sed 's/\\u003c/</g'
}

# The member $1 of a trace, up to its values.
values_of() {
    grep -oE "\"$1\":\{\"shape\":[^}]*\}"
}

@test "the page has the numbers of --format json, and the same bytes each time" {
    translate explain -b 3 "the old bridge"
    expect_status 0
    expect_err
    [[ $(head -n 2 out) == $'<!DOCTYPE html>\n<html lang="en">' ]]
    page_json out >page.json
    dragoman explain -b 3 --format json "the old bridge" >trace.json
    [[ $(wc -l <trace.json) == 1 ]]
    diff page.json trace.json
    dragoman explain -b 3 -j 1 -o again "the old bridge"
    cmp out again
    grep -qF '"text":"the old bridge"' trace.json
}

@test "the page requests nothing" {
    dragoman explain -o page "see http://example.org"
    page_json page | grep -qF http://example.org
    run ! grep -E '(src|href|action|data) *=|@import|url\(|fetch\(|XMLHttpRequest|import *\(|WebSocket|EventSource|sendBeacon' \
        <(grep -v -e 'href="data:,"' -e '^<script type="application/json"' page)
    run ! grep -E 'https?:|//[a-z]' <(grep -v '^<script type="application/json"' page)
    grep -qF "content=\"default-src 'none';" page
}

@test "the page names files and functions of the source" {
    local missing='' checked=0 file name
    while IFS=' ' read -r file name; do
        checked=$((checked + 1))
        grep -qE "^[A-Za-z].*[ *]$name\(" "$ROOT/$file" || missing+="$name in $file; "
    done < <(grep -ohE '\["[a-z_/]+\.c", "[a-z_]+"\]' "$ROOT"/cli/explain/page_*.js | tr -d '[]",')
    [[ -z $missing ]] || { echo "not there: $missing"; false; }
    ((checked >= 15))
}

@test "English and Chinese have the same labels" {
    local keys
    keys=$(grep -oE '(^ *|, )[A-Za-z]+: "' "$ROOT/cli/explain/page_labels.js" | grep -oE '[A-Za-z]+' | sort | uniq -c | awk '$1 != 2')
    [[ -z $keys ]] || { echo "$keys"; false; }
    for key in $(grep -ohE 'label\("[A-Za-z]+"' "$ROOT"/cli/explain/page_*.js | grep -oE '"[A-Za-z]+' | tr -d '"'); do
        grep -qE "\b$key: \"" "$ROOT/cli/explain/page_labels.js"
    done
    for key in $(grep -ohE '\["sym[A-Za-z]+' "$ROOT"/cli/explain/page_*.js | tr -d '["'); do
        grep -qE "\b$key: \"" "$ROOT/cli/explain/page_labels.js"
    done
    dragoman explain --lang zh-CN tea | cmp - <(dragoman explain --lang zh tea)
    dragoman explain --lang zh tea | sed -n 2p | grep -Fx '<html lang="zh">'
}

@test "the page forgets its pictures before it is written in another language" {
    dragoman explain -o page tea
    sed -n '/^function render()/,/^}/p' page | grep -qF 'forgetPictures();'
    sed -n '/^function forgetPictures()/,/^}/p' page | grep -c -e 'seen.clear()' -e 'watcher.disconnect()' | grep -qx 2
}

@test "a printed page has all pictures, bars and chips, in light colors" {
    dragoman explain -o page tea
    sed -n '/addEventListener("beforeprint"/,/^});/p' page | grep -c -e 'showPictures();' -e 'repaint();' | grep -qx 2
    sed -n '/^function showPictures()/,/^}/p' page | grep -qF 'shows.forEach(show => show())'
    sed -n '/^function palette()/,/^}/p' page | grep -qF '!printing'
    sed -n '/^@media print {/,/^}/p' page | grep -qF 'print-color-adjust: exact'
    run ! grep -F '@media (prefers-color-scheme: dark)' page
}

@test "boxes that scroll say so, and formulas define what they use" {
    dragoman explain -o page tea
    run ! grep -E 'class: "box"' <(grep -v '"box", \.\.\.attributes' page)
    sed -n '/^function scrollBox(/,/^}/p' page | grep -qF 'label("more")'
    grep -qF '<i>H</i> = {' page
    run ! grep -F '(√<i>d</i>)' page
}

@test "the text of a script element does not end it" {
    dragoman explain -o page "tea </script><!--"
    [[ $(grep -c '</script>' page) == 2 ]]
    page_json page | grep -qF '"text":"tea </script><!--"'
}

@test "a page of 20 words with the default model and 5 beams is smaller than 3 MB" {
    need_default_model
    unset DRAGOMAN_MODEL
    translate explain -b 5 "Where is the nearest train station, and how much does a ticket to the city center cost on a Sunday morning?"
    expect_status 0
    expect_err
    (($(wc -c <out) < 3000000))
    page_json out | grep -qF '"beams":5'
}

@test "a sentence in another language than the model reads gets one warning" {
    need_default_model
    unset DRAGOMAN_MODEL
    local text="Wo ist denn hier der nächste Bahnhof, und wann fährt der Zug?"
    translate explain --format json "$text"
    expect_status 0
    [[ -s out ]]
    expect_err "dragoman: warning: the text seems to be in another language (de) than the model reads (en); choose another model"
    translate explain -q --format json "$text"
    expect_err
}

@test "- reads one line from standard input" {
    dragoman explain --format json tea >wanted
    printf 'tea\n' | dragoman explain --format json - | cmp - wanted
    printf 'tea\r\n' | dragoman explain --format json - | cmp - wanted
    printf 'tea' | dragoman explain --format json - | cmp - wanted
    status=0
    printf 'tea\nbridge\n' | dragoman explain - >out 2>err || status=$?
    expect_status 2
    expect_err "dragoman: explain: standard input has more than one line"
    status=0
    printf 'tea\n\nbridge\n' | dragoman explain - >out 2>err || status=$?
    expect_status 2
    expect_err "dragoman: explain: standard input has more than one line"
    printf 'tea\n\n\n' | dragoman explain --format json - | cmp - wanted
    status=0
    printf 'te\0a\n' | dragoman explain - >out 2>err || status=$?
    expect_status 2
    expect_err "dragoman: explain: the text contains invalid UTF-8 or NUL"
    translate explain - </dev/null
    expect_status 2
    expect_err "dragoman: explain: the text to explain is blank"
}

@test "--forced explains a given translation; the model's own gives the same numbers" {
    text=$(dragoman -g <<<"the old bridge")
    dragoman explain -g --format json "the old bridge" >own
    translate explain --forced "$text" --format json "the old bridge"
    expect_status 0
    for key in encoder_self_attention decoder_self_attention cross_attention; do
        diff <(values_of $key <own) <(values_of $key <out)
    done
    diff <(grep -oE '"steps":.*\}\]\}\]' own | sed 's/,"beam".*//') <(grep -oE '"steps":.*\}\]\}\]' out)
    grep -qF '"forced":true' out
    run ! grep -qF '"beam":' out
    translate explain -b 4 --forced "der" --format json "the old bridge"
    expect_status 0
    grep -qF '"text":"der","forced":true' out
}

@test "models without self-attention in the decoder show what replaces it" {
    for kind in student:SSRU average:AAN; do
        dragoman explain -m "$GOLDEN_ROOT/marian_nmt/${kind%:*}" --format json "w55 w60 w20" >trace
        grep -qF "\"decoder_kind\":\"${kind#*:}\"" trace
        grep -qE '"decoder_self_attention":\{"shape":\[[0-9]+,1,' trace
    done
    dragoman explain -m "$GOLDEN_ROOT/marian_nmt/student" --format json "w55 nowhere" | grep -qF '"tokens":["w55","<unk>","</s>"]'
}

@test "rejects what cannot be explained in one line" {
    expect_usage_error "explain: needs a text to translate" explain
    expect_usage_error "explain: takes one text, not 2; put it in quotes" explain the bridge
    expect_usage_error "explain: takes one model, not 2" explain -m "$MODEL" -m "$MODEL" tea
    expect_usage_error "--format must be one of html, json, not 'text'" explain --format text tea
    expect_usage_error "--lang must be one of en, zh, not 'de'" explain --lang de tea
    long=$(yes tea | head -n 100 | tr '\n' ' ')
    for case in "the text to explain is blank|  " "the text must be a single line|a"$'\n'"b" \
        "the text contains invalid UTF-8 or NUL|"$'\xff'; do
        translate explain "${case#*|}"
        expect_status 2
        expect_err "dragoman: explain: ${case%%|*}"
        [[ ! -s out ]]
    done
    translate explain -o page "$long"
    expect_status 2
    grep -qE '^dragoman: explain: the text has [0-9]+ tokens; at most [0-9]+ can be explained$' err
    [[ ! -e page ]]
    translate explain --forced "$long" tea
    expect_status 2
    grep -qE '^dragoman: explain: the forced translation has [0-9]+ tokens; at most [0-9]+ can be explained$' err
    translate explain --forced "☃" tea
    expect_status 2
    expect_err "dragoman: explain: the forced translation contains text that the model's vocabulary does not have"
    for case in "is blank|" "is blank|  " "must be a single line|a"$'\n'"b" "contains invalid UTF-8 or NUL|"$'\xff'; do
        translate explain --forced "${case#*|}" tea
        expect_status 2
        expect_err "dragoman: explain: the forced translation ${case%%|*}"
    done
    translate explain -b 33 tea
    expect_status 2
    expect_err "dragoman: explain: the search has 33 beams; at most 32 can be explained"
    translate explain -m "$GOLDEN_ROOT/marian_nmt/student" --min-length 250 --max-length 500 \
        "$(yes w55 | head -n 100 | tr '\n' ' ')"
    expect_status 2
    expect_err "dragoman: explain: the translation has more than 192 tokens, the most that can be explained"
    translate explain -b 4 --length-penalty -40 -o page "the old bridge the old bridge"
    expect_status 2
    expect_err "dragoman: explain: the search found no translation"
    [[ ! -e page ]]
    translate explain -m "$MODEL,$MODEL" tea
    expect_status 2
    expect_err "dragoman: explain: $MODEL,$MODEL: an ensemble cannot be explained; explain each of its models"
}

@test "-o replaces a file only when the page is complete, and never a file of the model" {
    echo old >page
    translate explain -o page "$(yes tea | head -n 200 | tr '\n' ' ')"
    expect_status 2
    [[ $(cat page) == old ]]
    dragoman explain -o page tea
    grep -q '</html>' page
    cp -r "$MODEL" model
    translate explain -m model -o model/config.json tea
    expect_status 2
    expect_err "dragoman: explain: model/config.json is a file of the model model; write to another file"
    cmp "$MODEL/config.json" model/config.json
    echo tea >line
    status=0
    # shellcheck disable=SC2094 # dragoman must refuse this
    dragoman explain - -o line <line 2>err || status=$?
    expect_status 2
    [[ $(cat line) == tea ]]
}

@test "refuses to write to a terminal" {
    command -v script >/dev/null || skip "no script"
    script -qec "$DRAGOMAN explain tea" /dev/null </dev/null >out || true
    grep -qF "explain: a page is too long for a terminal; write it to a file with -o FILE" out
}
