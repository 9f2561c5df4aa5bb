# shellcheck shell=bash disable=SC2154
# `dragoman pack` made them of tests/golden/transformers/q-linear-no-bias, with --int8, and of
# tests/golden/marian_nmt/student_shared.
for file in "$seeds"/packed_models/*.gz; do
    gzip -dc "$file" >"$dir/plain"
    prefixed '\000' "$dir/plain"
done
rm "$dir/plain"
