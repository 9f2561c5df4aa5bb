# shellcheck shell=bash disable=SC2154
# packed FLAGS HEADER DATA: the fuzzer makes the checksums right with the flag 1. `Z` in the header is such a checksum.
packed() {
    local header=${2//Z/0000000000000000}
    while (((${#header} + 8) % 64)); do header+=' '; done
    seed "$1\\$(printf %03o $((${#header} & 255)))\\$(printf %03o $((${#header} >> 8)))\\000\\000\\000\\000\\000\\000%s$3" "$header"
}
head='{"__metadata__":{"dragoman.packed":"1","dragoman.header":"Z"'
packed '\001' "$head"',"files/config.json":"Z","pads/0":"Z","norm":"Z"},"files/config.json":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"pads/0":{"dtype":"U8","shape":[62],"data_offsets":[2,64]},"norm":{"dtype":"F32","shape":[1],"data_offsets":[64,68]}}' "{}$(printf '\\000%.0s' {1..62})\\000\\000\\200\\077"
packed '\000' "$head"',"files/a":"Z"},"files/a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}' ab
packed '\001' "$head"',"files/a.gz":"Z"},"files/a.gz":{"dtype":"U8","shape":[25],"data_offsets":[0,25]}}' '\037\213\010\000\000\000\000\000\002\003\313H\315\311\311\007\000\206\246\020\066\005\000\000\000'
packed '\001' "${head/\"1\"/\"2\"}"'}}' ''
packed '\001' "$head"'}}' ''
