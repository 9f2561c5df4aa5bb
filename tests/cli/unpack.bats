#!/usr/bin/env bats
# unpack.bats - scripts/unpack_model.py, which writes the folder of a packed model.

load helper

unpack() {
    status=0
    python3 "$ROOT/scripts/unpack_model.py" "$@" >out 2>err || status=$?
}

# expect_tensors FOLDER NAME...: the model.safetensors of FOLDER/NAME and of NAME have the same tensors: names, types,
# shapes and bytes.
expect_tensors() {
    python3 - "$@" <<'END'
import json, struct, sys
def tensors(path):
    content = open(path, "rb").read()
    size = struct.unpack_from("<Q", content)[0]
    rows = json.loads(content[8 : 8 + size])
    rows.pop("__metadata__", None)
    return {name: (row["dtype"], row["shape"], content[8 + size :][slice(*row["data_offsets"])])
            for name, row in rows.items()}
for name in sys.argv[2:]:
    old, new = (tensors(f"{folder}/{name}/model.safetensors") for folder in (sys.argv[1], "."))
    wrong = sorted(tensor for tensor in {*old, *new} if old.get(tensor) != new.get(tensor))
    assert old and not wrong, (name, wrong)
END
}

@test "gives the tensors that were packed, of every type and shape" {
    local name names=(swish-opus relu6-odd gelu-f16-two-ends gelu-new-bf16-untied linear-f16-separate laplace-untied)
    for name in "${names[@]}"; do
        dragoman pack -m "$GOLDEN_ROOT/marian/$name" -o packed
        unpack packed "$name"
        expect_status 0
        expect_err
        diff -r -x model.safetensors -x 'reference*' "$GOLDEN_ROOT/marian/$name" "$name"
    done
    expect_tensors "$GOLDEN_ROOT/marian" "${names[@]}"
}

@test "int8 matrices are packed again to the same bytes and give the same translations" {
    local name
    numbered_lines 1 5 >in
    for name in swish-opus relu6-odd laplace-untied relu-separate; do
        dragoman pack -m "$GOLDEN_ROOT/marian/$name" --int8 -o packed
        unpack packed "$name"
        expect_status 0
        dragoman pack -m "$name" --int8 -o again
        cmp packed again
        dragoman -q -m packed -b 2 --max-length 20 --format jsonl in >expected
        dragoman -q -m "$name" --precision int8 -b 2 --max-length 20 --format jsonl in | cmp - expected
    done
    [[ $(dragoman info -m "$name" | grep '^stored as:') == "stored as: F32" ]]
}

@test "config.json names the type of the matrices, so that other programs keep their precision" {
    local folder=$GOLDEN_ROOT/marian/gelu-10-no-forced-end
    [[ $(jq -r .dtype "$folder/config.json") == bfloat16 ]]
    dragoman pack -m "$folder" --int8 -o packed
    unpack packed folder
    expect_status 0
    [[ $(jq -r .dtype folder/config.json) == float32 ]]
    diff <(jq -S 'del(.dtype)' folder/config.json) <(jq -S 'del(.dtype)' "$folder/config.json")
}

@test "the embedded models are packed again to the same bytes" {
    local packed name
    for packed in "${DEFAULT_MODEL%/*}"/*.safetensors; do
        [[ -e $packed ]] || skip "there are no embedded models"
        name=$(basename "$packed" .safetensors)
        unpack "$packed" "$name"
        expect_status 0
        if [[ -e $ROOT/models/$name/config.json ]]; then # which may name another type than float32
            cp "$ROOT/models/$name/config.json" "$name"
        fi
        dragoman pack -m "$name" --int8 -o again
        cmp "$packed" again
    done
}

# rename_file FROM TO: packs MODEL with the file FROM, and renames it to TO, which has as many characters, in the file.
rename_file() {
    cp -r "$MODEL" folder
    echo text >"folder/$1"
    dragoman pack -m folder -o packed
    LC_ALL=C sed -i "s|files/$1|files/$2|g" packed
}

@test "files never leave the folder" {
    rename_file aaaescape ../escape
    mkdir inside
    unpack packed inside/folder
    expect_status 1
    expect_err "unpack_model.py: packed: '../escape' is not the name of a file in a folder; do not use this model"
    [[ ! -e inside/escape && ! -e inside/folder ]]
}

@test "refuses what it cannot unpack, in one line" {
    unpack "$MODEL/model.safetensors" folder
    expect_status 1
    expect_err "unpack_model.py: $MODEL/model.safetensors: not a packed model; give a file written by 'dragoman pack'"
    : >empty
    unpack empty folder
    expect_err "unpack_model.py: empty: not a packed model; give a file written by 'dragoman pack'"
    unpack missing folder
    expect_err "unpack_model.py: missing: No such file or directory"
    dragoman pack -m "$(dirname "$(find "$GOLDEN_ROOT/families/" -name config.json | sort | head -n 1)")" -o other
    unpack other folder
    expect_status 1
    grep -Eqx 'unpack_model.py: other: the model_type is [a-z0-9_]+; only models of the type marian can be unpacked' err
    dragoman pack -m "$MODEL" -o packed
    head -c -5000 packed >short
    unpack short folder
    expect_status 1
    grep -qx 'unpack_model.py: short: tensor [a-z0-9._/]* is outside the file, which may be incomplete; copy it again' err
    sed 's/"dtype":"I8"/"dtype":"I9"/' <(dragoman pack -m "$MODEL" --int8 -o int8 && cat int8) >damaged
    unpack damaged folder
    expect_status 1
    expect_err "unpack_model.py: damaged is damaged; 'dragoman info --verify -m damaged' says where"
    # packed_with CONFIG: a packed file with no more than this config.json.
    packed_with() {
        python3 - "$1" <<'END' >damaged
import json, struct, sys
data = sys.argv[1].encode()
header = {"__metadata__": {"dragoman.packed": "1", "x": ""},
          "matrices/encoder.table": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]},
          "files/config.json": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}
text = json.dumps(header, separators=(",", ":")).encode()
sys.stdout.buffer.write(struct.pack("<Q", len(text)) + text + data)
END
    }
    for config in '[]' '{"model_type": "marian", "d_model": 8, "vocab_size": 0}' '{"model_type": "marian"}' '{'; do
        packed_with "$config"
        unpack damaged folder
        expect_status 1
        expect_err "unpack_model.py: damaged is damaged; 'dragoman info --verify -m damaged' says where"
    done
    [[ ! -e folder ]]
    mkdir full
    touch full/mine
    unpack packed full
    expect_status 1
    expect_err "unpack_model.py: packed: full is not empty; give a new folder"
    [[ $(ls full) == mine ]]
}
