#!/usr/bin/env bats
# LoRA adapters: -m ADAPTER and -m BASE+ADAPTER:WEIGHT

load helper

BASE=$GOLDEN_ROOT/marian/relu6-odd

# make_adapter FOLDER BASE [SETTINGS]: an adapter of rank 1 for the queries of the decoder's first layer.
make_adapter() {
    command -v python3 >/dev/null || skip "no python3 to write it"
    mkdir -p "$1"
    jq -n --arg base "$2" "{peft_type: \"LORA\", base_model_name_or_path: \$base, r: 1, lora_alpha: 2} + ${3:-{\}}" \
        >"$1/adapter_config.json"
    python3 - "$BASE" "$1/adapter_model.safetensors" <<'PY'
import json, struct, sys
d = json.load(open(sys.argv[1] + "/config.json"))["d_model"]
module = "base_model.model.model.decoder.layers.0.encoder_attn.q_proj"
values = struct.pack(f"<{2 * d}f", *[(i * 7 % 11 - 5) / 4 for i in range(2 * d)])
header = json.dumps({module + ".lora_A.weight": {"dtype": "F32", "shape": [1, d], "data_offsets": [0, 4 * d]},
                     module + ".lora_B.weight": {"dtype": "F32", "shape": [d, 1], "data_offsets": [4 * d, 8 * d]}})
open(sys.argv[2], "wb").write(struct.pack("<Q", len(header)) + header.encode() + values)
PY
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    printf '%s\n' "the old bridge" "the river and the town" "we walk" >in
}

# The adapter a changes the translations of its base, and its packed model translates as it does.
expect_packed_alike() {
    dragoman -m "$BASE" in >base
    dragoman -m a in >expected
    run ! cmp -s base expected
    dragoman pack -m a -o packed.safetensors
    translate -m packed.safetensors in
    expect_status 0
    cmp out expected
}

@test "merges an adapter, alone and with its base, and packs the result" {
    make_adapter a "$BASE"
    translate -m "$BASE" in
    expect_status 0
    mv out base
    translate -m a in
    expect_status 0
    expect_err
    mv out expected
    run ! cmp -s base expected
    translate -m "$BASE+a" in
    cmp out expected
    translate -m "$BASE+a:0.5+a:0.5" in
    cmp out expected
    translate -m "$BASE+a:0" in
    cmp out base
    translate -m "$BASE+a:0,$BASE" --weights 1,0 in
    cmp out base
    dragoman pack -m a -o packed.safetensors
    rm -r a
    translate -m packed.safetensors in
    cmp out expected
}

@test "keeps an output layer of its own, which an adapter has saved, in a packed model" {
    make_adapter a "$BASE" '{modules_to_save: ["lm_head"]}'
    python3 - "$BASE" a/adapter_model.safetensors <<'PY'
import json, struct, sys
config = json.load(open(sys.argv[1] + "/config.json"))
rows, d = config["vocab_size"], config["d_model"]
values = struct.pack(f"<{rows * d}f", *[(i * 31 % 101 - 50) / 40 for i in range(rows * d)])
header = json.dumps({"base_model.model.lm_head.weight":
                     {"dtype": "F32", "shape": [rows, d], "data_offsets": [0, len(values)]}})
open(sys.argv[2], "wb").write(struct.pack("<Q", len(header)) + header.encode() + values)
PY
    [[ $(jq '.tie_word_embeddings' "$BASE/config.json") != false ]]
    dragoman info -m "$BASE" | grep "the output layer uses the decoder's embeddings"
    dragoman info -m a | grep "the output layer has its own matrix"
    expect_packed_alike
    dragoman info -m packed.safetensors | grep "the output layer has its own matrix"
}

@test "packs what an adapter changes in biases and norms" {
    make_adapter a "$BASE" '{modules_to_save: ["final_layer_norm"]}'
    python3 - "$BASE" a/adapter_model.safetensors <<'PY'
import json, struct, sys
d = json.load(open(sys.argv[1] + "/config.json"))["d_model"]
layer = "base_model.model.model.decoder.layers.0."
values = struct.pack(f"<{4 * d}f", *[(i * 7 % 11 - 5) / 4 for i in range(4 * d)])
shapes = {"encoder_attn.q_proj.lora_A.weight": [1, d], "encoder_attn.q_proj.lora_B.weight": [d, 1],
          "encoder_attn.q_proj.lora_B.bias": [d], "final_layer_norm.bias": [d]}
header = json.dumps({layer + name: {"dtype": "F32", "shape": shape, "data_offsets": [4 * d * i, 4 * d * (i + 1)]}
                     for i, (name, shape) in enumerate(shapes.items())})
open(sys.argv[2], "wb").write(struct.pack("<Q", len(header)) + header.encode() + values)
PY
    expect_packed_alike
}

@test "info names the adapters, and --memory tells them apart by weight" {
    make_adapter a "$BASE"
    dragoman info -m "$BASE+a+a:0.5" | grep -x "adapters, merged: a, a:0.5"
    translate -m "$BASE+a:0" --memory m.tsv in
    mv out base
    translate -m "$BASE+a:1" --memory m.tsv in
    expect_status 0
    run ! cmp -s out base
}

@test "finds the base of an adapter by name, and says what to download" {
    export HF_HUB_CACHE=$PWD/hub
    local snapshot=hub/models--org--base/snapshots/0123456789012345678901234567890123456789
    make_adapter a org/base
    translate -m a in
    expect_status 1
    expect_err "dragoman: a: the base model org/base of this adapter is not on this machine; 'dragoman get org/base' \
downloads it, or give another folder of it: BASE+a"
    mkdir -p "$snapshot" hub/models--org--base/refs
    cp "$BASE"/* "$snapshot"
    printf 0123456789012345678901234567890123456789 >hub/models--org--base/refs/main
    translate -m a in
    expect_status 0
    mv out expected
    translate -m org/base+a:1 in
    cmp out expected
    translate -m "org/base+a,$BASE" --weights 1,0 in
    cmp out expected
    mkdir -p hub/models--org--a/snapshots/1 hub/models--org--a/refs # a model that is found by its languages
    cp a/* hub/models--org--a/snapshots/1
    printf 1 >hub/models--org--a/refs/main
    jq '.source_lang = "fi" | .target_lang = "sv"' "$BASE/tokenizer_config.json" >config
    chmod u+w "$snapshot/tokenizer_config.json"
    cp config "$snapshot/tokenizer_config.json"
    translate --from "fi" --to sv in
    expect_status 0
    cmp out expected
}

@test "refuses other kinds of adapters by name" {
    make_adapter a "$BASE" '{use_dora: true}'
    translate -m a in
    expect_status 1
    expect_err "dragoman: a/adapter_config.json: use_dora (DoRA) is not supported: merge it in Python with \
merge_and_unload() of peft, and give the folder of the result"
    make_adapter a "$BASE" '{peft_type: "IA3"}'
    translate pack -m a -o packed
    expect_status 1
    grep -q '^dragoman: a/adapter_config.json: peft_type "IA3" is not supported' err
    make_adapter a "$BASE"
    dragoman pack -m "$BASE" -o packed.safetensors
    translate -m packed.safetensors+a in
    expect_status 1
    expect_err "dragoman: packed.safetensors is packed, so no adapter can be added: name the folder that it was packed from"
}
