# shellcheck shell=bash disable=SC2154
# The models and files in the table of fuzz_model.c, each with its row as the first byte.
row=0
while IFS=' ' read -r model file; do
    prefixed "\\$(printf %03o "$row")" "$golden/$model/$file"
    row=$((row + 1))
done < <(awk -F '"' -v kind="$variant" '/^    { "/ { found = $2 == kind } found && NF == 5 { print $2, $4 }' "$seeds/../fuzz_model.c")
