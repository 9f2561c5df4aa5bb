#!/usr/bin/env bats
# Warnings, and errors for input that would be translated wrongly
# shellcheck disable=SC2086 # $search is several words

load helper

FOLDER=$GOLDEN_ROOT/marian/mish-languages
MARIAN=$GOLDEN_ROOT/marian_nmt/post

# add_tensor FOLDER COPY NAME: copies the folder and adds a tensor with two elements.
add_tensor() {
    command -v python3 >/dev/null || skip "no python3 to write it"
    cp -r "$1" "$2"
    chmod -R u+w "$2"
    python3 - "$2/model.safetensors" "$3" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, rest = json.loads(data[8:8 + size]), data[8 + size:]
header[sys.argv[2]] = {"dtype": "F32", "shape": [2], "data_offsets": [len(rest), len(rest) + 8]}
text = json.dumps(header).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + rest + bytes(8))
PY
}

@test "warns of weights that no layer uses, but not with -q" {
    local warning="model/model.safetensors: tensor model.adapter.weight is not used by any layer"
    add_tensor "$FOLDER" model model.adapter.weight
    echo One. >in
    dragoman -m "$FOLDER" --to de in >expected
    translate -m model --to de in
    expect_status 0
    expect_err "dragoman: warning: $warning"
    cmp out expected
    translate -m model --to de -q in
    expect_err
    dragoman info -m model --to de | grep -x "warning: $warning"
    run dragoman info -m "$FOLDER" --to de
    [[ $status == 0 && $output != *warning:* ]]
    translate pack -m model -o packed
    expect_status 0
    expect_err "dragoman: warning: $warning"
    translate -m packed --to de in
    expect_err
    cmp out expected
}

@test "says once that translations end after transformers' default length, unless a file or an option sets one" {
    local warning="dragoman: warning: t5: translations end after 20 tokens, because max_length is the default of \
transformers; set another limit with --max-length"
    cp -r "$GOLDEN_ROOT/families/t5-relu" t5
    chmod -R u+w t5
    jq 'del(.max_length, .num_beams)' "$GOLDEN_ROOT/families/t5-relu/generation_config.json" >t5/generation_config.json
    jq '.task_specific_params = {
        translation_en_to_de: {prefix: "de: ", max_length: 30, num_beams: 3, early_stopping: true},
        translation_en_to_fr: {prefix: "fr: "}}' "$GOLDEN_ROOT/families/t5-relu/config.json" >t5/config.json
    printf '%s\n' "the old bridge" "the river" >in
    translate -m t5 in
    expect_status 0
    expect_err "$warning"
    translate -m t5 --to fr in
    expect_err "$warning"
    dragoman info -m t5 | grep -x "${warning#dragoman: }"
    translate -m t5 -q in
    expect_err
    translate -m t5 --max-length 20 in
    expect_err
    # The task has its own settings, which options replace.
    translate -m t5 --to de --format tsv in
    expect_err
    cp -r t5 general
    jq '. + {max_length: 30, num_beams: 3, early_stopping: true}' t5/generation_config.json >general/generation_config.json
    sed 's/^/de: /' in | dragoman -m general --format tsv >expected
    cmp out expected
    dragoman info -m t5 --to de >shown
    grep -qx 'beam: 3' shown
    grep -qx 'max length: 29' shown
    grep -qx 'early stopping: true' shown
    dragoman info -m t5 --to de -b 2 --max-length 9 >shown
    grep -qx 'beam: 2' shown
    grep -qx 'max length: 9' shown
    dragoman pack -m t5 -o packed
    dragoman info -m packed --to de | grep -x 'max length: 29'
    # max_new_tokens takes precedence.
    jq 'del(.max_length) | .max_new_tokens = 7' "$GOLDEN_ROOT/families/t5-relu/generation_config.json" >t5/generation_config.json
    dragoman info -m t5 --to de | grep -x 'max length: 7'
}

@test "rejects more layers than the configuration has" {
    local last
    add_tensor "$FOLDER" model model.encoder.layers.9.fc1.bias
    last=$(jq .encoder_layers model/config.json)
    translate -m model --to de </dev/null
    expect_status 1
    expect_err "dragoman: model/model.safetensors: tensor model.encoder.layers.9.fc1.bias: belongs to encoder layer 10, but the model's configuration has only $last"
    translate pack -m model -o packed
    expect_status 1
}

@test "ends with an error at a line whose scores overflow, after the lines before" {
    local precision search
    command -v python3 >/dev/null || skip "no python3 to write them"
    cp -r "$FOLDER" model
    chmod -R u+w model
    python3 - model/model.safetensors <<'PY'
import json, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size = struct.unpack("<Q", data[:8])[0]
tensor = json.loads(data[8:8 + size])["model.decoder.layers.0.fc1.weight"]
assert tensor["dtype"] == "BF16"
begin, end = (8 + size + n for n in tensor["data_offsets"])
data[begin:end] = b"\x7f\x7f" * ((end - begin) // 2)
open(sys.argv[1], "wb").write(data)
PY
    printf '\nOne.\n' >in
    for precision in f32 bf16 int8; do
        for search in -g "-b 3" "-b 1 --format tsv" "-b 2 --repetition-penalty 1.2"; do
            translate -m model --to de --precision $precision $search in
            expect_status 1
            expect_err "dragoman: in:2: the scores of this line are NaN or infinite; the weights of the model are too large or corrupt"
            [[ $(wc -l <out) == 1 ]]
        done
    done
}

@test "accepts a language code in a line as in --to, or rejects it" {
    echo One. >in
    dragoman -m "$FOLDER" --to ger in >expected
    printf '>>ger<<One.\n' | dragoman -m "$FOLDER" | cmp expected -
    printf '>>ger<<One.\n>>xyz<<One.\n' >in
    translate -m "$FOLDER" in
    expect_status 2
    expect_err "dragoman: in:2: the line's code >>xyz<<: unknown language; the model translates into deu, nld, gsw"
    cmp out expected
}

@test "warns of a prefix with text that is not in the vocabulary" {
    echo w5 >in
    translate -m "$MARIAN" --pieces --prefix "w7 nopiece" in
    expect_status 2
    expect_err 'dragoman: --prefix: "nopiece" is not a piece of the model'"'"'s vocabulary'
    translate -m "$MARIAN" --pieces --prefix " w7  w8" in
    expect_status 0
    expect_err
    [[ $(<out) == "w7 w8"* ]]
    echo Hello. >in
    translate -g --prefix "Hallo ☃" in
    expect_status 0
    expect_err "dragoman: warning: the prefix contains text that the model's vocabulary does not have; it becomes the unknown token"
}

@test "warns of a prefix with characters that the tokenizer replaces" {
    need_default_model
    echo "The flat is big." >in
    translate -m "$DEFAULT_MODEL" --prefix 'Die … m²' in
    expect_status 0
    expect_err 'dragoman: warning: the prefix contains characters that the model'"'"'s tokenizer replaces; it becomes "Die ... m2"'
    [[ $(<out) == 'Die ... m2'* ]]
    translate -m "$DEFAULT_MODEL" --prefix $'Scho\u0308ne  Wohnung' in
    expect_err
    [[ $(<out) == 'Schöne Wohnung'* ]]
    # A language token that is not special is not a part of the text, either.
    echo the >in
    translate -m "$GOLDEN_ROOT/families/m2m100-untied-bf16-bin" --to de --prefix das in
    expect_err
}

@test "rejects a min length above Marian's maximum and names the line" {
    printf 'w3 w4 w5 w6 w7\nw3\n' >in
    translate -m "$MARIAN" --min-length 7 --max-length-factor 1.5 in
    expect_status 2
    [[ $(tail -n 1 err) == "dragoman: in:2: --min-length 7 exceeds the max length 3, which is 2 source tokens times the max length factor 1.5" ]]
    [[ $(wc -l <out) == 1 ]]
    [[ $(wc -w <out) -ge 7 ]]
}

@test "info states the memory of whole sentences" {
    dragoman info -b 1024 | grep '^memory of a worker:' | grep -F "with 1024 hypotheses"
    dragoman info -b 5 | grep '^memory of a worker:' | grep -F "with 60 hypotheses"
    dragoman info -b 4 | grep '^memory of a worker:' | grep -F "with 64 hypotheses"
}
