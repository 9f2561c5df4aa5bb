# shellcheck shell=bash disable=SC2154
seed 'E\000\005\000hello'
# Deflated: a stored block, a block with fixed codes, and what gzip makes of a longer text.
seed 'E\010\005\000\001\005\000\372\377hello'
seed 'E\010\005\000\313H\315\311\311\007\000'
{ printf 'E\010\370\003' && printf 'the house and the river %.0s' {1..42} | head -c 1016 | gzip -9n | tail -c +11 | head -c -8; } >"$dir/deflated"
seed 'E\014\005\000bzip2'
files "$golden"/torch/state.pt "$golden"/torch/hostile_plain.pt
