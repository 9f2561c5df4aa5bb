# shellcheck shell=bash disable=SC2154
# number N WIDTH: a little-endian number as octal escapes
number() {
    local i
    for ((i = 0; i < $2; i++)); do printf '\\%03o' $(($1 >> 8 * i & 255)); done
}
# file NAME TYPE BYTES SHAPE...: one tensor, whose data are zeros but for a multiplier at their end
file() {
    local name=$1 type=$2 bytes=$3 text side
    shift 3
    text=$(number 1 8 && number 1 8 && number $((${#name} + 1)) 8 && number "$type" 8 && number $# 8 && number "$bytes" 8)
    text+="$name\\000"
    for side; do text+=$(number "$side" 4); done
    text+=$(number 3 8)'\000\000\000'$(number 0 $((bytes - 4)))$(number $((0x42fe0000)) 4)
    seed "$text"
}
file encoder_l1_W 0x404 32 2 4
file decoder_ff_logit_out_W 0x404 16 1 4
file encoder_b 0x402 8 1 4
file Wemb 0x4101 12 2 4
file encoder_l1_Wq 0x4101 12 4 2
file special:model.yml 0x101 8 8
file encoder_l1_W_QuantMultA 0x404 4 1 1
file u32 0x204 4 1
file packed 0x801 4 1
