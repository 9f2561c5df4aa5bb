#!/usr/bin/env bats
# dragoman calibrate, --calibration
# shellcheck disable=SC2153 # helper.bash sets MODEL

load helper

# Words and their made-up translations in other orders, as files source and target, and a calibration with them.
setup_file() {
    export SHARED=$BATS_FILE_TMPDIR
    cd "$SHARED" || return
    awk -v n=150 'BEGIN {
        split("one two ten house man sea tree red old new sun day", s); split("sin ets net esuoh nam aes eert der dlo wen nus yad", t)
        for (p = 0; p < n; p++) {
            a = p % 12 + 1; b = (p * 5 + 3) % 12 + 1; c = (p * 7 + 1) % 12 + 1
            print s[a], s[b], s[c] > "source"
            print t[c], t[a], t[b] > "target"
        }
    }'
    dragoman calibrate -m "$MODEL" source target -o made.json
}

# given: the shared files in the folder of the case.
given() {
    cp "$SHARED"/{source,target,made.json} .
}

# calibration HEAD: a calibration of $MODEL that chooses this head.
calibration() {
    jq ".alignment.head = $1" <made.json
}

@test "calibrates a model, with the same bytes for compressed files and packed models" {
    given
    rm made.json
    translate calibrate source target -o made.json
    expect_status 0
    expect_err
    [[ ! -s out ]]
    [[ $(jq -r '.dragoman_calibration, .alignment.pairs, .confidence' made.json) == $'1\n150\nnull' ]]
    jq -e '.model | test("^[0-9a-f]{16}$")' made.json
    dragoman calibrate - target -o again.json <source
    cmp made.json again.json
    gzip -k source
    zstd -q target
    dragoman pack -m "$MODEL" -o packed
    dragoman calibrate -m packed source.gz target.zst -o again.json
    cmp made.json again.json
    dragoman pack -m "$MODEL" --int8 -o int8
    dragoman calibrate -m int8 source target -o again.json
    [[ $(jq .model again.json) == $(jq .model made.json) ]]
}

@test "lines that contain only white space are skipped" {
    given
    printf '\n \n\u00a0\n\u3000\none\n' >>source
    printf 'sin\nsin\nsin\nsin\n\t\n' >>target
    translate calibrate source target -o again.json
    expect_status 0
    expect_err
    cmp made.json again.json
}

@test "uses --calibration, a file in the folder, or the one in a packed model, in this order" {
    given
    cp -r "$MODEL" model
    calibration 0 >zero.json
    calibration 1 >model/dragoman-calibration.json
    dragoman info -m model >described
    grep -x 'calibration: model/dragoman-calibration.json' described
    grep -x 'alignment: decoder layer [0-9]*, head 1.*' described
    dragoman info -m model --calibration zero.json | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    dragoman pack -m model --int8 -o packed
    dragoman info -m packed --verify >described
    grep -x 'calibration: packed/dragoman-calibration.json' described
    grep -x 'alignment: decoder layer [0-9]*, head 1.*' described
    dragoman info -m packed --calibration zero.json | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    dragoman pack -m model --calibration zero.json -o other
    dragoman info -m other | grep -x 'alignment: decoder layer [0-9]*, head 0.*'
    rm model/dragoman-calibration.json
    dragoman pack -m model --calibration zero.json -o again
    cmp other again
}

@test "applies to Marian's models and CTranslate2's, also when they are packed" {
    local model
    given
    for model in marian_nmt/post ctranslate2/{marian-f32,m2m100-f16,opennmt-v1,opennmt-v4-f16}; do
        model=$GOLDEN_ROOT/$model
        dragoman calibrate -m "$model" source target -o made.json
        dragoman pack -m "$model" --calibration made.json -o packed
        dragoman info -m "$model" --calibration made.json | grep '^alignment' >expected
        dragoman info -m packed >described
        grep -x 'calibration: packed/dragoman-calibration.json' described
        grep '^alignment' described | cmp - expected
    done
}

@test "refuses a calibration of another model" {
    local other=$GOLDEN_ROOT/marian_nmt/post
    given
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
    given
    cp -r "$MODEL" model
    echo '{' >model/dragoman-calibration.json
    dragoman calibrate -m model source target -o model/dragoman-calibration.json # replaces it
    dragoman info -m model | grep -x 'agreement of the alignment: .* on 150 pairs'
}

@test "calibrate: refuses texts of different length, too few pairs, ensembles and pipelines" {
    given
    rm made.json
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
