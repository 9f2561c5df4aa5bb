# shellcheck shell=bash disable=SC2154
# The settings are in an entry of the archive, after 128 bytes at most; decoder.yml follows after a byte 0x01.
for folder in "$golden"/marian_nmt/*; do
    [[ -f $folder/model.npz ]] || continue
    settings=$(unzip -p "$folder/model.npz" special:model.yml.npy | tr -d '\000' | LC_ALL=C sed '1s/^.*} *//')
    seed '%s\n\001%s' "$settings" "$(<"$folder/decoder.yml")"
    seed '%s\n' "$settings"
done
