# shellcheck shell=bash disable=SC2154
files "$golden"/torch/*.pt
# The pickles without their archives.
for file in "$golden"/torch/*.pt; do
    if unzip -p "$file" '*/data.pkl' >"$dir/pickle" 2>/dev/null; then prefixed P "$dir/pickle"; fi
    rm -f "$dir/pickle"
done
# Opcodes that PyTorch does not write: POP, POP_MARK, BINBYTES, BYTEARRAY8, sets, INST, OBJ, DUP, DICT, LIST, memo.
seed 'P\200\004}(X\001\000\000\000a0K\0011(1C\002abB\003\000\000\000abc\226\001\000\000\000\000\000\000\000xs.'
seed 'P\200\004\217(K\001K\002\220(K\003\221\205\206\207.'
seed 'P(I1\nF1.5\nL5L\nS'"'"'a'"'"'\nVb\nl(dN2p0\n0g0\nq\001h\001r\002\000\000\000j\002\000\000\000\224.'
seed 'P(ccollections\nOrderedDict\n)Ro.'
seed 'P(icollections\nOrderedDict\n.'
seed 'P\200\002\212\010\001\002\003\004\005\006\007\010\213\001\000\000\000\001G?\360\000\000\000\000\000\000\210\211.'
