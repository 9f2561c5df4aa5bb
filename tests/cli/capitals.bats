#!/usr/bin/env bats
# --capitals, --no-capitals, and models that ask for it
# shellcheck disable=SC2153 # MODEL is helper.bash's

load helper

# The text of standard input in capitals; tests use no other small letters than these.
in_capitals() {
    sed 's/ß/SS/g' | tr '[:lower:]' '[:upper:]' | sed 's/ä/Ä/g; s/ö/Ö/g; s/ü/Ü/g'
}

# The embedded English-German model, which asks for it.
english() {
    dragoman -m "$DEFAULT_MODEL" "$@"
}

@test "a sentence in all capitals is translated as in normal case, and its translation is in capitals" {
    printf '%s\n' "Please close the door." "The street is closed today." "Don't open the window!" "We have two brothers." >ordinary
    in_capitals <ordinary >in
    english ordinary | in_capitals >expected
    run ! grep -q '[a-z]' expected
    english in | diff - expected
    english --capitals -b 2 -n 2 in | diff - <(english -b 2 -n 2 ordinary | in_capitals)
    run ! diff -q <(english --no-capitals in) expected
    english --pieces <<<"▁THE" >/dev/null # the case of pieces is not changed
    [[ $(english <<<YES) == "$(english <<<Yes | in_capitals)" ]]
    printf '%s\n' VAT PDF >in # abbreviations
    english in | diff - <(english --no-capitals in)
}

@test "each sentence of a line counts" {
    echo "PLEASE CLOSE THE DOOR. Please open the window. OK." >in
    { english <<<"Please close the door." | in_capitals; english <<<"Please open the window."; english --no-capitals <<<"OK."; } | paste -sd ' ' >expected
    english in | diff - expected
    [[ $(english <<<"PLEASE CLOSE THE DOOR. NO!") == "$(english <<<"Please close the door. No!" | in_capitals)" ]]
    english --no-split --no-capitals in >whole
    english --no-split in | cmp - whole
}

@test "by default the model decides" {
    echo "THE CAT SEES THE DOG" >in
    dragoman in >as_it_is
    dragoman --no-capitals in | cmp - as_it_is
    dragoman --capitals in >capitals
    run ! cmp -s capitals as_it_is
    cp -r "$MODEL" asking
    sed -i '0,/{/s//{ "dragoman_lower_capitals": true,/' asking/config.json
    dragoman -m asking in | cmp - capitals
    dragoman -m asking --no-capitals in | cmp - as_it_is
    dragoman pack -m asking -o packed
    dragoman -m packed in | cmp - capitals
    [[ $(dragoman info -m packed | grep capitals) == "capitals: converted to normal case before translation" ]]
    run ! grep -q capitals <(dragoman info -m packed --no-capitals)
    sed -i 's/"dragoman_lower_capitals": true/"dragoman_lower_capitals": 1/' asking/config.json
    translate -m asking in
    expect_status 1
    expect_err "dragoman: asking/config.json: dragoman_lower_capitals must be true or false"
}

@test "what is kept, and the tags of documents, stay as they are" {
    echo 'PLEASE OPEN THE FILE {file_name} OR SEE https://example.org/a.' >in
    english --keep '\{[a-z_]+\}' --keep 'https://[a-z./]*[a-z]' in >out
    grep -qF '{file_name}' out
    grep -qF 'https://example.org/a' out
    run ! grep -q '[a-z]' <(sed 's/{file_name}//; s|https://example.org/a||' out)
    echo '<p>THE STREET IS <i>CLOSED</i> TODAY.</p>' >in.html
    [[ $(english in.html) == "<p>"*"<i>"*"</i>"*"</p>" ]]
    diff <(english in.html | sed 's/<[^>]*>//g') <(english <<<"THE STREET IS CLOSED TODAY.")
}

@test "a forced, demanded or forbidden text turns it off, but no term" {
    echo "PLEASE CLOSE THE DOOR." >in
    for option in "--prefix BITTE" "--must TOR" "--suppress Tür"; do
        # shellcheck disable=SC2086
        english $option in >out
        # shellcheck disable=SC2086
        english --no-capitals $option in | cmp - out
    done
    echo "PLEASE CLOSE THE DOOR. PLEASE CLOSE THE DOOR." >two
    { english --no-capitals --prefix BITTE in; english in; } | paste -sd ' ' >expected
    english --prefix BITTE two | cmp - expected
    printf 'PLEASE CLOSE THE DOOR.\tBITTE\nPLEASE CLOSE THE DOOR.\t\n' >columns
    { english --no-capitals --prefix BITTE in; english in; } >expected
    english --tsv-in source,prefix columns | cmp - expected
    printf 'house\tGebäude\n' >terms
    { english --glossary terms <<<"The house is big." | sed 's/.*/\U&/; s/ß/SS/'; english in; } | paste -sd ' ' >expected
    english --glossary terms <<<"THE HOUSE IS BIG. PLEASE CLOSE THE DOOR." | cmp - expected
}

@test "pairs and explanations are read in the same way" {
    printf 'THE STREET IS CLOSED TODAY.\tDIE TÜR IST HEUTE OFFEN.\n' >pairs
    printf 'The street is closed today.\tDie Tür ist heute offen.\n' >ordinary
    dragoman score -m "$DEFAULT_MODEL" ordinary >expected
    dragoman score -m "$DEFAULT_MODEL" pairs | cmp - expected
    run ! cmp -s <(dragoman score -m "$DEFAULT_MODEL" --no-capitals pairs) expected
    dragoman align -m "$DEFAULT_MODEL" ordinary >expected
    dragoman align -m "$DEFAULT_MODEL" pairs | cmp - expected
    printf 'THE STREET IS CLOSED TODAY.\tDie Tür ist heute offen.\n' >mixed
    dragoman score -m "$DEFAULT_MODEL" mixed >found
    dragoman score -m "$DEFAULT_MODEL" --no-capitals mixed | cmp - found
    dragoman explain -m "$DEFAULT_MODEL" --format json "THE STREET IS CLOSED TODAY." >own
    dragoman explain -m "$DEFAULT_MODEL" --format json "THE STREET IS CLOSED TODAY." --forced "DIE TÜR." >forced
    dragoman explain -m "$DEFAULT_MODEL" --format json "The street is closed today." --forced "Die Tür." >ordinary
    [[ $(jq -rs '.[0].target.text, .[1].target.text, .[1].target.ids == .[2].target.ids' own forced ordinary) == \
        "$(english --no-split <<<"THE STREET IS CLOSED TODAY.")"$'\nDIE TÜR.\ntrue' ]]
}

@test "a text that is a part of a kept one, or of its word, stays as it is" {
    [[ $(english --keep 17 <<<"UPDATE TO iPadOS17 NOW PLEASE") == *iPadOS17* ]]
    echo '<p>THE IMAGE IS <code>5</code>px WIDE AND HIGH.</p>' >in.html
    [[ $(english in.html) == *"<code>5</code>px"* ]]
}

@test "a language request does not count" {
    languages=$GOLDEN_ROOT/marian/mish-languages
    echo "THE CAT SEES THE DOG" >in
    dragoman -m "$languages" --capitals --to deu in >expected
    sed 's/^/>>deu<< /' in | dragoman -m "$languages" --capitals | cmp - expected
    sed 's/^/>>deu<< /' in | dragoman -m "$languages" --capitals --split | cmp - expected
    run ! cmp -s <(dragoman -m "$languages" --to deu in) expected
}

@test "a vocabulary without capitals gets none" {
    words=$GOLDEN_ROOT/transformers/score-10
    echo "THE CAT SEES THE DOG ." >in
    dragoman -m "$words" --capitals in | diff - <(dragoman -m "$words" <<<"the cat sees the dog ." | in_capitals)
}

@test "SS of a German source becomes ß" {
    german() { dragoman -m "${DEFAULT_MODEL%/*}/de-en.safetensors"; }
    diff <(german <<<"BITTE DIE STRASSE SCHLIESSEN.") <(german <<<"Bitte die Straße schließen." | in_capitals)
    printf 'THE MASS\nThe mass\n' | english --format jsonl >rows
    [[ $(grep -o '"source_ids":[^]]*' rows | sort -u | wc -l) == 1 ]]
}

@test "common words get no capital because a shared vocabulary has one" {
    words() { dragoman -m "${DEFAULT_MODEL%/*}/en-de.safetensors"; }
    for text in "I like math." "My house has a small yard." "I am picking apples." "Men are pigs." "Tom is in Boston."; do
        diff <(words <<<"${text^^}") <(words <<<"$text" | in_capitals)
    done
}

@test "tokens have their bytes in the line" {
    for text in "THE STREET IS CLOSED TODAY." "The street is closed today."; do
        english --format jsonl --alignment hard --alignment-unit word <<<"$text"
    done | jq -c '.translations[0].alignment' >found
    [[ $(wc -l <found) == 2 && $(sort -u found | wc -l) == 1 ]]
}

@test "each of several models converts its text" {
    echo "THE STREET IS CLOSED TODAY." >in
    back=${DEFAULT_MODEL%/*}/de-en.safetensors
    english -m "$back" in >found
    english in | dragoman -m "$back" | cmp - found
    run ! grep -q '[a-z]' found
}
