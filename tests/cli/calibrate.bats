#!/usr/bin/env bats
# dragoman calibrate, --calibration
# shellcheck disable=SC2153 # helper.bash sets MODEL

load helper

# pairs N: words and their made-up translations in other orders, as files source and target.
pairs() {
    awk -v n="$1" 'BEGIN {
        split("one two ten house man sea tree red old new sun day", s); split("sin ets net esuoh nam aes eert der dlo wen nus yad", t)
        for (p = 0; p < n; p++) {
            a = p % 12 + 1; b = (p * 5 + 3) % 12 + 1; c = (p * 7 + 1) % 12 + 1
            print s[a], s[b], s[c] > "source"
            print t[c], t[a], t[b] > "target"
        }
    }'
}

# calibration HEAD: a calibration of $MODEL that chooses this head.
calibration() {
    jq ".alignment.head = $1" <made.json
}

@test "calibrates a model, with the same bytes for compressed files and packed models" {
    pairs 150
    translate calibrate source target -o made.json
    expect_status 0
    expect_err
    [[ ! -s out ]]
    [[ $(jq -r '.dragoman_calibration, .alignment.pairs, .confidence' made.json) == $'1\n150\nnull' ]]
    jq -e '.model | test("^[0-9a-f]{16}$")' made.json
    gzip -k source
    zstd -q target
    dragoman calibrate source.gz target.zst -o again.json
    cmp made.json again.json
    dragoman calibrate - target -o again.json <source
    cmp made.json again.json
    dragoman pack -m "$MODEL" -o packed
    dragoman calibrate -m packed source target -o again.json
    cmp made.json again.json
    dragoman pack -m "$MODEL" --int8 -o int8
    dragoman calibrate -m int8 source target -o again.json
    [[ $(jq .model again.json) == $(jq .model made.json) ]]
}

@test "lines that contain only white space are skipped" {
    pairs 150
    dragoman calibrate source target -o made.json
    printf '\n \n\u00a0\n\u3000\none\n' >>source
    printf 'sin\nsin\nsin\nsin\n\t\n' >>target
    translate calibrate source target -o again.json
    expect_status 0
    expect_err
    cmp made.json again.json
}

@test "uses --calibration, a file in the folder, or the one in a packed model, in this order" {
    pairs 150
    dragoman calibrate source target -o made.json
    cp -r "$MODEL" model
    calibration 0 >zero.json
    calibration 1 >model/dragoman-calibration.json
    dragoman info -m model | grep -x 'calibration: model/dragoman-calibration.json'
    dragoman info -m model | grep -x 'alignment: decoder layer [0-9]*, head 1.*'
    dragoman info -m model --calibration zero.json | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    dragoman pack -m model --int8 -o packed
    dragoman info -m packed --verify | grep -x 'calibration: packed/dragoman-calibration.json'
    dragoman info -m packed | grep -x 'alignment: decoder layer [0-9]*, head 1.*'
    dragoman info -m packed --calibration zero.json | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    dragoman pack -m model --calibration zero.json -o other
    dragoman info -m other | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    rm model/dragoman-calibration.json
    dragoman pack -m model --calibration zero.json -o again
    cmp other again
}

@test "applies to Marian's models and CTranslate2's, also when they are packed" {
    local model
    pairs 150
    for model in "$GOLDEN_ROOT"/marian_nmt/post "$GOLDEN_ROOT"/ctranslate2/*; do
        dragoman calibrate -m "$model" source target -o made.json 2>err || { grep -q vocabulary err && continue; }
        dragoman pack -m "$model" --calibration made.json -o packed
        dragoman info -m packed | grep -x 'calibration: packed/dragoman-calibration.json'
        dragoman info -m "$model" --calibration made.json | grep '^alignment' >expected
        dragoman info -m packed | grep '^alignment' | cmp - expected
        echo "$model" >>checked
    done
    [[ $(wc -l <checked) -ge 3 ]]
}

@test "refuses a calibration of another model" {
    local other=$GOLDEN_ROOT/marian_nmt/post
    pairs 150
    dragoman calibrate source target -o made.json
    local message="made.json: was made for another model; make a new one with 'dragoman calibrate'"
    translate -m "$other" --calibration made.json <<<"One."
    expect_status 2
    expect_err "dragoman: $message"
    translate info -m "$other" --calibration made.json
    expect_err "dragoman: $message"
    translate pack -m "$other" --calibration made.json -o packed
    expect_err "dragoman: $message"
    [[ ! -e packed ]]
}

@test "refuses broken files; calibrating again replaces one" {
    echo '{"dragoman_calibration": 1, "model": 7}' >broken.json
    translate --calibration broken.json <<<"One."
    expect_status 1
    expect_err "dragoman: broken.json: model must be a string of 16 hexadecimal digits"
    translate --calibration missing.json <<<"One."
    expect_status 1
    expect_err "dragoman: missing.json: No such file or directory"
    pairs 150
    cp -r "$MODEL" model
    echo '{' >model/dragoman-calibration.json
    dragoman calibrate -m model source target -o model/dragoman-calibration.json # replaces it
    dragoman info -m model | grep -x 'agreement of the alignment: .* on 150 pairs'
}

@test "calibrate: refuses texts of different length, too few pairs, ensembles and pipelines" {
    pairs 150
    head -149 target >short
    translate calibrate source short -o made.json
    expect_status 2
    expect_err "dragoman: source: has more lines than short, which has 149"
    head -99 source >few
    head -99 target >fewer
    translate calibrate few fewer -o made.json
    expect_status 1
    expect_err "dragoman: few, fewer: only 99 pairs of lines can be used; a calibration needs at least 100, better a few thousand"
    translate calibrate -m "$MODEL,$MODEL" source target -o made.json
    expect_status 2
    expect_err "dragoman: $MODEL,$MODEL: an ensemble cannot be calibrated; calibrate its first model"
    expect_usage_error "calibrate: takes one model, not 2" calibrate -m "$MODEL" -m "$MODEL" source target -o made.json
    expect_usage_error "calibrate: needs two files, SOURCE and its translation TARGET" calibrate source -o made.json
    expect_usage_error "calibrate: needs -o FILE, the file to write" calibrate source target
    [[ ! -e made.json ]]
    ln -s source link
    translate calibrate source target -o link
    expect_status 2
    expect_err "dragoman: calibrate: link is also an input (source); write to another file"
}
