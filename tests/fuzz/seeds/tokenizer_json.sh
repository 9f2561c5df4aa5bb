# shellcheck shell=bash disable=SC2154
files "$golden"/tokenizer_json/*/tokenizer.json
# Byte-level BPE.
split='{"type":"Split","pattern":{"Regex":"(?i:'"'"'s)|[^\\r\\n\\p{L}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false}'
bytes='{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true}'
model='{"type":"BPE","ignore_merges":true,"vocab":{"<s>":0,"</s>":1,"a":2,"b":3,"ab":4,"\u0120":5,"\u0120ab":6,"\u00c3":7,"\u00a9":8,"1":9},"merges":["a b","\u0120 ab"]}'
frame='{"type":"RobertaProcessing","sep":["</s>",1],"cls":["<s>",0],"trim_offsets":true,"add_prefix_space":true}'
for steps in "$bytes" "{\"type\":\"Sequence\",\"pretokenizers\":[$split,{\"type\":\"Digits\"},${bytes/regex\":true/regex\":false}]}"; do
    seed '{"normalizer":{"type":"NFC"},"pre_tokenizer":%s,"post_processor":%s,"decoder":%s,"model":%s}' \
        "$steps" "$frame" "$bytes" "$model"
done
