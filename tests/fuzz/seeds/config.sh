# shellcheck shell=bash disable=SC2154
# generation_config.json follows config.json after a byte 0x01.
for folder in "$golden"/families/* "$golden"/marian/* "$golden"/transformers/*; do
    [[ -f $folder/config.json ]] || continue
    if [[ -f $folder/generation_config.json ]]; then
        seed '%s\001%s' "$(<"$folder/config.json")" "$(<"$folder/generation_config.json")"
    else
        files "$folder/config.json"
    fi
done
