# shellcheck shell=bash disable=SC2154
text=$(printf 'the house and the river %.0s' {1..20})
gzip -9n <<<"$text" >"$dir/text.gz"
{ gzip -9n <<<"$text" && gzip -1n <<<"more"; } >"$dir/members.gz"
{ gzip -9n <<<"$text" && printf '\000\000'; } >"$dir/zeros.gz"
gzip -9n </dev/null >"$dir/empty.gz"
seed '\037\213\010\036\000\000\000\000\000\003\002\000ab'
if command -v zstd >/dev/null; then
    zstd -q <<<"$text" >"$dir/text.zst"
    zstd -q --no-check --no-content-size <<<"$text" >"$dir/plain.zst"
    { zstd -q <<<"$text" && zstd -q <<<"more"; } >"$dir/frames.zst"
fi
seed '\050\265\057\375\044\000\001\000\000\231\351\330\121'
seed '\120\052\115\030\004\000\000\000abcd'
