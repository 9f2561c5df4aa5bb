#!/usr/bin/env bats
# --precision

load helper

same_everywhere() {
    local precision=$1 level
    dragoman -q --precision "$precision" -b 4 -n 4 --format tsv "$FILES/in" >want
    for level in scalar avx2 avxvnni avx512 avx512vnni amx; do
        DRAGOMAN_CPU=$level dragoman -q --precision "$precision" -b 4 -n 4 --format tsv "$FILES/in" >got
        cmp want got || { echo "$level"; return 1; }
    done
    for options in "-j 1" "-j 2" "--batch-rows 1" "--batch-rows 7" "-j 3 --batch-rows 64"; do
        # shellcheck disable=SC2086
        dragoman -q --precision "$precision" -b 4 -n 4 --format tsv $options "$FILES/in" >got
        cmp want got || { echo "$options"; return 1; }
    done
}

lines() {
    local i
    for i in {1..6}; do
        echo "line number $i of a file, and $((i * 37 % 11)) more things to say."
        echo "a"
    done >"$FILES/in"
}

@test "int8: the same bytes on every CPU level, for any threads and batches" {
    lines
    same_everywhere int8
}

@test "bf16: the same bytes on every CPU level, for any threads and batches" {
    lines
    same_everywhere bf16
}

# More logits a step than four megabytes: they come in blocks.
@test "translates hundreds of sentences in flight as each one alone" {
    local i precision options model=en-de
    need_default_model
    unpack_default folder
    for i in {1..140}; do echo "Go $i."; done >lines
    head -n 40 lines >fewer
    for precision in int8 f32; do
        for options in "-b 4 -n 2 --format tsv fewer" "-b 1 --format tsv lines" "-b 1 lines"; do
            # shellcheck disable=SC2086
            dragoman -m $model -q -j 1 --max-length 3 --precision $precision --batch-rows 600 $options >got
            # shellcheck disable=SC2086
            dragoman -m $model -q -j 1 --max-length 3 --precision $precision --batch-rows 16 $options >want
            cmp want got || { echo "$precision $options"; return 1; }
        done
        model=folder
    done
}

@test "f32 and auto are the same for a folder" {
    lines
    dragoman -q --format tsv "$FILES/in" >auto.tsv
    dragoman -q --format tsv --precision auto "$FILES/in" >named.tsv
    dragoman -q --format tsv --precision f32 "$FILES/in" >f32.tsv
    cmp auto.tsv named.tsv
    cmp auto.tsv f32.tsv
}

@test "int8 scores are close to those of f32" {
    lines
    dragoman -q --format tsv "$FILES/in" >f32.tsv
    dragoman -q --format tsv --precision int8 "$FILES/in" >int8.tsv
    run ! cmp -s f32.tsv int8.tsv
    paste f32.tsv int8.tsv | awk -F'\t' '$3 != "" { n++; near += ($3 - $7) ^ 2 < (0.05 * $3) ^ 2 + 0.01 }
        END { print near, n; exit near < 0.7 * n }'
}

@test "info names the precision and the kernels" {
    dragoman info --precision int8 >out
    grep -qx 'precision: int8 matmul, f32 elsewhere' out
    grep -q '^matmul kernels: 8-bit panels, ' out
    dragoman info --precision bf16 >out
    grep -qx 'precision: bf16 weights, f32 arithmetic' out
    dragoman info >out
    grep -qx 'precision: f32' out
}
