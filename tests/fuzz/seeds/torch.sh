# shellcheck shell=bash disable=SC2154
files "$golden"/torch/*.pt
# The pickles without their archives.
for file in "$golden"/torch/*.pt; do
    if unzip -p "$file" '*/data.pkl' >"$dir/pickle" 2>/dev/null; then prefixed P "$dir/pickle"; fi
    rm -f "$dir/pickle"
done
