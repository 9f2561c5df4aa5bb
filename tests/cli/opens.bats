#!/usr/bin/env bats
# Each file of a model is opened at most twice.

load helper

GOLDEN=$GOLDEN_ROOT

# check_opens MODEL FOLDER [OPTION...]: translates a line and counts the opens of each file of the folder.
check_opens() {
    local often
    command -v strace >/dev/null || skip "no strace to count them"
    strace -f -qq -e trace=openat,open -o trace true 2>/dev/null || skip "strace may not trace here"
    echo 1 >in
    # LeakSanitizer cannot work in a traced program.
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -qq -e trace=openat,open -o trace "$DRAGOMAN" -m "$1" "${@:3}" in >out 2>err || { cat err && false; }
    grep -F "\"$2" trace | grep -v O_DIRECTORY | grep -v ' = -1 ' | grep -o '"[^"]*"' | sort | uniq -c >opens
    [ -s opens ]
    often=$(awk '$1 > 2' opens)
    [ -z "$often" ] || { echo "$often" && false; }
}

@test "opens each file of a Hugging Face folder at most twice" { check_opens "$MODEL" "$MODEL"; }
@test "opens each file of a sharded Hugging Face folder at most twice" {
    check_opens "$GOLDEN/marian/tanh-sharded" "$GOLDEN/marian"
    [[ $(grep -c 'model-0000[1-8]-of-00008.safetensors"' opens) == 8 ]]
}
@test "opens each file of a Hugging Face folder with PyTorch weights at most twice" {
    check_opens "$GOLDEN/families/bart-untied-relu-f16-bin" "$GOLDEN/families"
    grep -q 'pytorch_model.bin"' opens
    check_opens "$GOLDEN/families/mbart50-gelu-new-bf16-bin-sharded" "$GOLDEN/families" --from en --to de
    [[ $(grep -c 'pytorch_model-0000[12]-of-00002.bin"' opens) == 2 ]]
}
@test "opens each file of a CTranslate2 folder at most twice" {
    check_opens "$GOLDEN/ctranslate2/opennmt-v5-int8" "$GOLDEN/ctranslate2"
    check_opens "$GOLDEN/ctranslate2/marian-int8" "$GOLDEN/ctranslate2"
    check_opens "$GOLDEN/ctranslate2/opennmt-v1" "$GOLDEN/ctranslate2"
}
@test "opens each file of a Marian folder at most twice" {
    check_opens "$GOLDEN/marian_nmt/student_8bit" "$GOLDEN/marian_nmt"
    grep -q 'model.bin"' opens
    check_opens "$GOLDEN/marian_nmt/post" "$GOLDEN/marian_nmt"
    grep -q 'model.npz"' opens
}
@test "opens each file of an ensemble of Marian models once" {
    check_opens "$GOLDEN/marian_nmt/post,$GOLDEN/marian_nmt/student_8bit" "$GOLDEN/marian_nmt"
    [[ $(grep -c '^ *1 .*/decoder.yml"' opens) == 2 ]]
    run ! grep -v '^ *1 ' opens
}
@test "opens the file of an Argos package at most twice" { check_opens "$GOLDEN/argos/translate-en_de.argosmodel" "$GOLDEN/argos"; }
@test "opens the file of a packed model at most twice" {
    "$DRAGOMAN" pack -m "$MODEL" --int8 -o packed.safetensors
    check_opens packed.safetensors packed.safetensors
    "$DRAGOMAN" pack -m "$GOLDEN/ctranslate2/marian-int8" -o packed
    check_opens packed packed
}
