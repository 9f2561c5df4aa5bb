#!/usr/bin/env bats
# Which folder may include which: the table of docs/architecture.md against
# the compiler lists of the Makefile, for each folder and each header.

allowed() {
    case $1 in
    base) echo base ;;
    kernels) echo kernels base ;;
    weights) echo weights kernels base ;;
    model) echo model weights kernels base ;;
    tokenizer) echo tokenizer base ;;
    translator) echo translator tokenizer model kernels base ;;
    cli) echo cli translator base ;;
    esac
}

setup_file() {
    local folder
    for folder in base kernels weights model tokenizer translator cli; do
        env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory print-includes FOLDER=$folder >"$BATS_FILE_TMPDIR/$folder"
    done
}

# compiler FOLDER HEADER OPTION...: a file with this include, compiled as one
# of that folder.
compiler() {
    local flags cc
    read -ra flags <"$BATS_FILE_TMPDIR/$1"
    read -ra cc <<<"${CC:-gcc}" # perhaps with a wrapper before it
    printf '#include "%s"\nint main(void) { return 0; }\n' "${2##*/}" >"$BATS_TEST_TMPDIR/one.c"
    "${cc[@]}" "${flags[@]}" -DLANES_BYTES=16 "-DPANELS_INLINE=static inline" "${@:3}" "$BATS_TEST_TMPDIR/one.c" 2>&1
}

# A folder's headers compile alone (those of the kernels' levels, once a level
# has set its width and its functions' attributes); one of a forbidden folder is not found.
# (The C library has a search.h, too: the name of the file found counts.)
check_folder() {
    local other header output
    for other in base kernels weights model tokenizer translator cli; do
        for header in "$other"/*.h; do
            [ -e "$header" ] || continue
            [[ $header == *_tile.h ]] && continue # over the registers that the file including it has defined
            if [ "$other" = "$1" ]; then
                grep -q '^#include <arm_neon.h>' "$header" && [ "$(uname -m)" = x86_64 ] && continue
                output=$(compiler "$1" "$header" -fsyntax-only) || { echo "$header needs more: $output" && return 1; }
            elif [[ " $(allowed "$1") " == *" $other "* ]]; then
                continue
            elif output=$(compiler "$1" "$header" -M) && [[ $output == *" $header"* ]]; then
                echo "$1 can include $header" && return 1
            fi
        done
    done
}

@test "base includes only base" { check_folder base; }
@test "kernels includes only what is right of it" { check_folder kernels; }
@test "weights includes only what is right of it" { check_folder weights; }
@test "model includes only what is right of it" { check_folder model; }
@test "tokenizer includes only base" { check_folder tokenizer; }
@test "translator includes only what is right of it" { check_folder translator; }
@test "cli includes only translator and base" { check_folder cli; }

@test "no file goes around the lists by a path" {
    run grep -nE '#include *"[^"]*/' base/*.[ch] kernels/*.[ch] weights/*.[ch] model/*.[ch] tokenizer/*.[ch]* translator/*.[ch] cli/*.[ch]
    [ "$status" -eq 1 ] || { echo "$output" && false; }
}
