# shellcheck shell=bash disable=SC2154
# array NAME-NUMBER DESCR SHAPE VALUES: an entry with a header of version 1
array() {
    local header="{'descr': '$2', 'fortran_order': False, 'shape': ($3), }   "
    seed "\\$(printf %03o "$1")\\223NUMPY\\001\\000\\$(printf %03o "${#header}")\\000%s$4" "$header"
}
array 0 '<f4' '1, 2' '\000\000\200\077\000\000\000\100'
array 1 '<f4' '2, 1' '\000\000\200\077\000\000\000\100'
array 2 '<f2' '2,' '\000\074\000\100'
array 0 '<f8' '' '\000\000\000\000\000\000\360\077'
array 3 '|i1' '4,' 'a: 1'
array 3 '|S1' '4,' 'a: 1'
array 0 '|u1' '0, 7' ''
array 0 '<i4' '1, 1, 1' 'abcd'
array 0 '|O' '1,' 'abcd'
seed "\\000\\223NUMPY\\002\\000\\075\\000\\000\\000{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }    abcd"
files "$golden"/torch/types.pt
