#!/usr/bin/env bats
# The model that is used without -m. Most tests put the small model in its place.

load helper

# A copy of the program in a folder of its own, at $1.
copy_program() {
    mkdir -p "$(dirname "$1")"
    cp "$DRAGOMAN" "$1"
    unset DRAGOMAN_MODEL
    copy=$FILES/$1
}

@test "names the paths tried if there is no default model" {
    copy_program bin/dragoman
    status=0
    "$copy" </dev/null >out 2>err || status=$?
    expect_status 1
    here=$(pwd -P)/bin
    expect_err "dragoman: no model: use -m PATH or set \$DRAGOMAN_MODEL; the default model exists neither at $here/models/en-de.safetensors nor at $here/../share/dragoman/models/en-de.safetensors"
}

@test "ignores an empty DRAGOMAN_MODEL" {
    copy_program bin/dragoman
    status=0
    DRAGOMAN_MODEL='' "$copy" </dev/null >out 2>err || status=$?
    expect_status 1
    grep -q '^dragoman: no model: ' err
}

@test "finds the model next to the program, also through a link and from PATH" {
    copy_program tree/dragoman
    mkdir tree/models links
    dragoman pack -m "$MODEL" -o tree/models/en-de.safetensors
    ln -s ../tree/dragoman links/dragoman
    echo "Hello." | "$DRAGOMAN" -m "$MODEL" >expected
    echo "Hello." | timeout "$LIMIT" "$copy" | cmp - expected
    echo "Hello." | timeout "$LIMIT" links/dragoman | cmp - expected
    (unset -f dragoman && cd / && echo "Hello." | PATH=$FILES/links:$PATH timeout "$LIMIT" dragoman) | cmp - expected
}

@test "finds the model of an installed program" {
    copy_program prefix/bin/dragoman
    mkdir -p prefix/share/dragoman/models
    dragoman pack -m "$MODEL" -o prefix/share/dragoman/models/en-de.safetensors
    echo "Hello." | "$DRAGOMAN" -m "$MODEL" >expected
    echo "Hello." | timeout "$LIMIT" "$copy" | cmp - expected
}

@test "the embedded model translates English to German" {
    need_default_model
    printf 'Where is the train station?\n\nI have two brothers.\n' >in
    unset DRAGOMAN_MODEL
    translate in
    expect_status 0
    expect_err
    [[ $(wc -l <out) == 3 ]]
    [[ $(sed -n 2p out) == "" ]]
    grep -qi 'bahnhof' <(sed -n 1p out)
    grep -qi 'zwei' <(sed -n 3p out)
}

@test "the embedded model de-en translates German to English" {
    [[ -e $ROOT/models/de-en ]] || skip "models/de-en is not here"
    unset DRAGOMAN_MODEL
    printf 'Wo ist der Bahnhof?\n\nIch habe zwei Brüder.\n' >in
    translate -m de-en in
    expect_status 0
    expect_err
    [[ $(wc -l <out) == 3 ]]
    grep -qi 'station' <(sed -n 1p out)
    [[ $(sed -n 2p out) == "" ]]
    grep -qi 'two brothers' <(sed -n 3p out)
}

@test "the embedded model de-en translates what stands between >> and <<" {
    [[ -e $ROOT/models/de-en ]] || skip "models/de-en is not here"
    unset DRAGOMAN_MODEL
    echo '>>Das ist sehr gut<<, sagte er. Wo ist der Bahnhof?' >in
    translate -m de-en in
    expect_status 0
    grep -qiE 'very (good|well).*said.*station' out
    [[ $(grep -ioE 'good|well' out | wc -l) == 1 ]]
}

@test "every embedded model translates by its name, and between its languages" {
    local name from to
    unset DRAGOMAN_MODEL
    dragoman models --format jsonl | jq -r 'select(.place == "embedded") | .name' >names
    [[ -s names ]] || skip "there are no embedded models"
    for name in "$ROOT"/models/*/; do grep -qxF "$(basename "$name")" names; done
    echo "Tom 7" >in
    while read -r name; do
        from=${name%-*} to=${name#*-}
        dragoman -m "$name" --max-length 8 in >expected
        [[ $(wc -l <expected) == 1 ]]
        for options in "--from $from --to $to" "--from $from" "--to $to"; do
            # shellcheck disable=SC2086
            dragoman $options --max-length 8 in 2>err | cmp - expected
            expect_err "dragoman: using $name (embedded)"
        done
    done <names
    dragoman --max-length 8 in >out
    dragoman -m en-de --max-length 8 in | cmp - out
}

@test "the embedded models are calibrated" {
    local folder name
    need_default_model
    unset DRAGOMAN_MODEL
    for folder in "$ROOT"/models/*/; do
        name=$(basename "$folder")
        dragoman info -m "$name" >description
        grep -x "calibration: .*/$name.safetensors/dragoman-calibration.json" description
        grep -x 'confidence: fitted to [0-9]* translations' description
    done
    dragoman --alignment hard --alignment-unit word <<<"The house is small." >out
    [[ $(cat out) == "Das Haus ist klein. ||| 0-0 1-1 2-2 3-3" ]]
}

@test "a text in another language gets one warning in the singular" {
    need_default_model
    unset DRAGOMAN_MODEL
    translate <<<"Guten Tag, wie geht es Ihnen heute?"
    expect_status 0
    [[ $(<err) == "dragoman: 1 of 1 text seems to be in another language (de) than the model reads (en); choose another model, "* ]]
}
