#!/usr/bin/env bats
# dragoman pack, packed models, info --verify

load helper
load output

@test "a packed model gives the folder's translations" {
    numbered_lines 1 20 >in
    translate pack -m "$MODEL" -o model.safetensors
    expect_status 0
    expect_err
    [[ ! -s out ]]
    no_leftovers
    dragoman --format jsonl in >expected
    translate -m model.safetensors --format jsonl in
    expect_status 0
    expect_err
    cmp expected out
    DRAGOMAN_MODEL=model.safetensors dragoman --format jsonl in | cmp expected -
}

@test "a packed model needs neither its folder nor its original path" {
    cp -r "$MODEL" folder
    dragoman pack -m folder -o model.safetensors
    rm -r folder
    mkdir elsewhere
    mv model.safetensors elsewhere/m
    echo "One." | dragoman >expected
    (cd elsewhere && echo "One." | dragoman -m m) | cmp expected -
    echo "One." | dragoman -m ./elsewhere/m | cmp expected -
}

@test "packing twice gives the same bytes" {
    dragoman pack -m "$MODEL" -o a
    DRAGOMAN_CPU=scalar dragoman pack -m "$MODEL/" -o b
    cmp a b
}

@test "a packed model has one precision and gives the folder's translations at it" {
    local precision
    numbered_lines 1 20 >in
    for precision in f32 bf16 int8; do
        dragoman pack -m "$MODEL" --$precision -o $precision
        dragoman pack -m "$MODEL" --precision $precision -o same
        cmp $precision same
        dragoman -b 2 -n 2 --format jsonl --precision $precision in >expected
        dragoman -b 2 -n 2 --format jsonl -m $precision in | cmp expected -
        DRAGOMAN_CPU=scalar dragoman -b 2 -n 2 --format jsonl -m $precision --precision $precision in | cmp expected -
    done
    [[ $(stat -c %s bf16) -lt $(stat -c %s f32) ]]
    [[ $(stat -c %s int8) -lt $(stat -c %s f32) ]]
    [[ $(dragoman info -m f32 | grep '^stored as:') == "stored as: F32, packed" ]]
    [[ $(dragoman info -m bf16 | grep '^stored as:') == "stored as: BF16, packed" ]]
    [[ $(dragoman info -m int8 | grep '^stored as:') == "stored as: I8, packed" ]]
    translate -m int8 --precision f32 in
    expect_status 2
    expect_err "dragoman: int8 is packed for --precision int8; for f32, use the folder it was packed from"
}

@test "info --verify finds a changed weight and names its tensor" {
    dragoman pack -m "$MODEL" -o model
    translate info -m model --verify
    expect_status 0
    grep -q '^checksums: [0-9]*, all correct$' out
    offset=$(($(stat -c %s model) - 1000))
    printf 'x' | dd of=model bs=1 seek=$offset conv=notrunc status=none
    translate info -m model
    expect_status 0
    translate info -m model --verify
    expect_status 1
    [[ ! -s out ]]
    grep -Eq '^dragoman: model: tensor matrices/[a-z0-9.]+: checksum mismatch: the file is corrupt$' err
    [[ $(wc -l <err) == 1 ]]
}

@test "rejects a changed header" {
    dragoman pack -m "$MODEL" -o model
    printf 'x' | dd of=model bs=1 seek=300 conv=notrunc status=none
    translate -m model <<<"One."
    expect_status 1
    expect_err "dragoman: model: header: checksum mismatch: the file is corrupt"
}

@test "info --verify of a folder is a usage error" {
    translate info -m "$MODEL" --verify
    expect_status 2
    expect_err "dragoman: $MODEL is a folder: only packed models have checksums"
}

@test "keeps an existing file when packing fails" {
    cp -r "$MODEL" broken
    rm broken/model.safetensors
    echo "precious" >target
    translate pack -m broken -o target
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
    [[ $(cat target) == precious ]]
    cp "$MODEL/model.safetensors" broken
    printf '\xff\xff\xff\xff' | dd of=broken/model.safetensors bs=1 conv=notrunc status=none \
        seek=$(($(stat -c %s broken/model.safetensors) - 4))
    translate pack -m broken -o target
    expect_status 1
    grep -q 'holds NaN or infinity' err
    [[ $(cat target) == precious ]]
    no_leftovers
}

@test "replaces an existing file when packing succeeds" {
    echo "old" >target
    dragoman pack -m "$MODEL" -o target
    dragoman pack -m "$MODEL" -o new
    cmp target new
    no_leftovers
}

@test "packs to regular files only" {
    translate pack -m "$MODEL" -o /dev/null
    expect_status 2
    expect_err "dragoman: pack: /dev/null is not a regular file; give -o the name of a file to write"
    echo "text" >plain
    mkfifo fifo
    for target in /dev/stdout fifo; do # a FIFO without a reader: not opened
        status=0
        dragoman pack -m "$MODEL" -o $target >>plain 2>err || status=$?
        expect_status 2
        expect_err "dragoman: pack: $target is not a regular file; give -o the name of a file to write"
        [[ $(cat plain) == text ]]
    done
    translate pack -m "$MODEL" -o no/such/folder
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
}

@test "refuses to overwrite a file of the model, but not a packed one in its folder" {
    cp -r "$MODEL" folder
    for file in folder/model.safetensors ./folder/vocab.json; do
        translate pack -m folder -o $file
        expect_status 2
        expect_err "dragoman: pack: $file is a file of the model; write to another file"
    done
    diff -r "$MODEL" folder
    dragoman pack -m folder -o folder/int8.safetensors --int8
    dragoman pack -m folder -o folder/int8.safetensors
    cmp folder/int8.safetensors <(dragoman pack -m "$MODEL" -o plain && cat plain)
}

@test "accepts a packed model in its folder, but not in place of the weights" {
    cp -r "$GOLDEN_ROOT/marian_nmt/student" folder
    dragoman -m folder folder/source.txt >expected
    dragoman pack -m folder -o folder/packed.safetensors
    dragoman -m folder folder/source.txt | cmp expected -
    dragoman -m folder/packed.safetensors folder/source.txt | cmp expected -
    cp -r "$MODEL" copy
    dragoman pack -m "$MODEL" -o packed
    mv packed copy/model.safetensors
    translate -m copy <<<"One."
    expect_status 1
    expect_err "dragoman: copy/model.safetensors is a packed model: give this file, not its folder"
}

@test "reports a file size limit and leaves no file" {
    (
        ulimit -f 40
        translate pack -m "$MODEL" -o model
        expect_status 1
        expect_err "dragoman: model: File too large"
    )
    no_leftovers
}

@test "refuses to pack a packed model" {
    dragoman pack -m "$MODEL" -o model
    translate pack -m model -o again
    expect_status 2
    expect_err "dragoman: model is already packed"
    [[ ! -e again ]]
}

@test "rejects a file that is not a model in one line" {
    echo "text" >file
    translate -m file <<<"One."
    expect_status 1
    expect_err "dragoman: file is text, not a model: did the download fail?"
    printf 'text\1' >file
    translate -m file <<<"One."
    expect_status 1
    expect_err "dragoman: file is neither a model's folder nor a packed model; a model's folder has config.json, weights (safetensors, .bin or .npz) and a tokenizer"
}

@test "checks the usage of pack and its options" {
    expect_usage_error "pack: name the model to pack" pack -o x
    expect_usage_error "pack: needs -o FILE, the file to write" pack -m "$MODEL"
    expect_usage_error "pack: needs -o FILE, the file to write" pack -m "$MODEL" -o -
    expect_usage_error "pack: unexpected 'x'; the model is already given with -m" pack -m "$MODEL" -o y x
    local excluded="pack: only one of --f32, --bf16, --int8 and --precision can be used"
    expect_usage_error "$excluded" pack -m "$MODEL" -o x --f32 --bf16
    expect_usage_error "$excluded" pack -m "$MODEL" -o x --int8 --precision int8
    expect_usage_error "pack: --beam cannot be used with this command" pack -m "$MODEL" -o x --beam 2
    [[ ! -e x ]]
}

@test "translates a file named pack as ./pack" {
    echo "One." >pack
    [[ $(dragoman ./pack) == "$(echo "One." | dragoman)" ]]
}
