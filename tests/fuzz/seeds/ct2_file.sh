# shellcheck shell=bash disable=SC2154
# text TEXT: its length, and the text with a NUL
text() { printf '\\%03o\\000%s\\000' $((${#1} + 1)) "$1"; }
one='\001\000\000\000'
head="$(text TransformerSpec)\\006\\000\\000\\000"
# variable NAME RANK-AND-SIDES TYPE-AND-BYTES VALUES
variable() { printf '%s%s%s%s' "$(text "$1")" "$2" "$3" "$4"; }
layers=$(variable num_layers '\000' '\001\001\000\000\000' '\003')
matrix=$(variable decoder/weight '\002\002\000\000\000\003\000\000\000' '\001\006\000\000\000' abcdef)
scale=$(variable decoder/weight_scale '\001\002\000\000\000' '\000\010\000\000\000' '\000\000\200\077\000\000\000\100')
bias=$(variable decoder/bias '\001\002\000\000\000' '\004\004\000\000\000' '\000\074\000\074')
token=$(variable unk_token '\001\003\000\000\000' '\001\003\000\000\000' unk)
alias=$(text encoder/weight)$(text decoder/weight)
seed "\\006\\000\\000\\000$head\\005\\000\\000\\000$layers$matrix$scale$bias$token$one$alias"
seed "\\004\\000\\000\\000$head\\002\\000\\000\\000$matrix$scale\\000\\000\\000\\000"
wide=$(variable transformer/encoder/w_embs:0 '\002\002\000\000\000\001\000\000\000' '\002\002\000\000\000' '\001\000\002\000')
seed "$one$one$wide"
seed "\\001\\000\\000\\000\\002\\000\\000\\000$(variable a/multi_head/conv1d_0/kernel '\000' '\004\001\000\000\000' '\000\000\200\077')$wide"
seed "\\003\\000\\000\\000$head$one$wide$one$(text b)$(text transformer/encoder/w_embs:0)"
seed "\\006\\000\\000\\000$(text WhisperSpec)\\003\\000\\000\\000"
