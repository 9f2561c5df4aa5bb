# shellcheck shell=bash disable=SC2154
for flags in 000 001 002 004 006 011; do
    seed "\\${flags}A B 0.5\\nC A 0.25\\nB A 1e-3\\nD A 0.5\\nZ Z 1\\n<s> B 0.125\\n"
    seed "\\${flags}\\tA B\\nA\\tC D\\nA B\\tE <s>\\nA\\tF\\n"
done
# Marian's binary format: magic, checksum, first, best, 15 offsets, 3 ids
head='\365\027\064\001\325\110\032\361\000\000\000\000\000\000\000\000\002\000\000\000\000\000\000\000\003\000\000\000\000\000\000\000'
offsets='\000\000\000\000\000\000\000\000\002\000\000\000\000\000\000\000'
for ((i = 0; i < 13; i++)); do offsets+='\003\000\000\000\000\000\000\000'; done
binary="$head\\017\\000\\000\\000\\000\\000\\000\\000\\003\\000\\000\\000\\000\\000\\000\\000$offsets\\005\\000\\000\\000\\006\\000\\000\\000\\052\\000\\000\\000"
for flags in 020 021 022 024 000; do seed "\\$flags$binary"; done
