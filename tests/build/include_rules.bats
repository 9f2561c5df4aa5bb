#!/usr/bin/env bats
# include_rules.bats - each folder includes only the folders that
# docs/architecture.md allows, since the Makefile's -I lists hide the others.

bats_require_minimum_version 1.5.0

folders="base store kernels weights search model tokenizer document translator hub job cli server"

allowed() {
    case $1 in
    base) echo base ;;
    store) echo store base ;;
    kernels) echo kernels base ;;
    weights) echo weights kernels store base ;;
    search) echo search kernels store base ;;
    model) echo model search weights kernels store base ;;
    tokenizer) echo tokenizer store base ;;
    document) echo document store base ;;
    translator) echo translator document tokenizer model search kernels store base ;;
    hub) echo hub translator tokenizer store base ;;
    job) echo job hub translator document base ;;
    cli) echo cli job hub translator base ;;
    server) echo server cli job hub translator base ;;
    esac
}

setup_file() {
    env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory print-includes >"$BATS_FILE_TMPDIR/flags"
}

# check_folder FOLDER: with the flags of the folder, the headers of forbidden folders are not found. The C library has
# headers with some of their names, so these are included, and the path of the file that was found is compared.
check_folder() {
    local other header flags cc found
    read -ra flags < <(sed -n "s/^$1 //p" "$BATS_FILE_TMPDIR/flags")
    ((${#flags[@]} > 0))
    read -ra cc <<<"${CC:-gcc}" # may be two words, like "ccache gcc"
    for other in $folders; do
        [[ " $(allowed "$1") " == *" $other "* ]] || ls "$other"/*.h "$other"/*/*.h 2>/dev/null
    done | sed -E 's|^(.*/)([^/]*)$|#if __has_include("\2")\nfound: \1\2\n#endif|' >"$BATS_TEST_TMPDIR/headers.c"
    "${cc[@]}" "${flags[@]}" -E "$BATS_TEST_TMPDIR/headers.c" >"$BATS_TEST_TMPDIR/found"
    found=$(sed -n 's/^found: //p' "$BATS_TEST_TMPDIR/found")
    for header in $found; do
        printf '#include "%s"\n' "${header##*/}" >"$BATS_TEST_TMPDIR/one.c"
        [[ $("${cc[@]}" "${flags[@]}" -M -MG "$BATS_TEST_TMPDIR/one.c") != *" $header"* ]] || { echo "$1 can include $header" && return 1; }
    done
}

@test "base includes only base" { check_folder base; }
@test "store includes only base" { check_folder store; }
@test "kernels includes only base" { check_folder kernels; }
@test "weights includes only kernels, store and base" { check_folder weights; }
@test "search includes only kernels, store and base" { check_folder search; }
@test "model includes only search, weights, kernels, store and base" { check_folder model; }
@test "tokenizer includes only store and base" { check_folder tokenizer; }
@test "document includes only base" { check_folder document; }
@test "translator includes all folders except weights, job, hub, cli and server" { check_folder translator; }
@test "hub includes only translator, tokenizer, store and base" { check_folder hub; }
@test "job includes only hub, translator, document and base" { check_folder job; }
@test "cli includes only job, hub, translator and base" { check_folder cli; }

@test "server includes only cli, job, hub, translator and base" { check_folder server; }

@test "cli and server include only public headers, those of base and their own" {
    local header found
    scripts/source-files '*.c' '*.h' | grep -e ^cli/ -e ^server/ >"$BATS_TEST_TMPDIR/files"
    found=$(xargs sed -n 's/^ *#include "\(.*\)"/\1/p' <"$BATS_TEST_TMPDIR/files" | sort -u)
    [ -n "$found" ]
    for header in $found; do
        case $header in dragoman.h | dragoman_settings.h | settings.def | dragoman_job.h | dragoman_hub.h | dragoman_tools.h) continue ;; esac
        [ -n "$(find base cli server -name "$header")" ] || { echo "cli or server includes $header" && false; }
    done
}

# tsort prints the headers of each cycle.
@test "headers do not include each other in cycles" {
    # shellcheck disable=SC2016 # fields of awk
    scripts/source-files '*.h' | grep -v -e ^tests/ -e ^scripts/ | xargs awk -F '"' '
        FNR == 1 { self = FILENAME; gsub(/.*\//, "", self) }
        /^#include "/ { print self, $2 }' >"$BATS_TEST_TMPDIR/edges"
    run tsort "$BATS_TEST_TMPDIR/edges"
    [ "$status" -eq 0 ] || { echo "$output" | grep ^tsort: && false; }
}

@test "no more than three files call each other in a circle" {
    run -0 python3 tests/build/call_circles.py "${NM:-nm}" "$(dirname "$GOLDEN_ROOT")" 3
    [ -z "$output" ] || { echo "$output" && false; }
}

@test "every folder with C files has an include list" {
    local path
    for path in $(scripts/source-files '*.c' '*.cc' '*.h' | grep / | cut -d/ -f1 | sort -u); do
        [[ " $folders tests scripts " == *" $path "* ]] || { echo "$path has no include list" && false; }
    done
}

@test "no #include contains a path" {
    scripts/source-files '*.c' '*.cc' '*.h' >"$BATS_TEST_TMPDIR/files"
    [ -s "$BATS_TEST_TMPDIR/files" ]
    run ! xargs grep -nE '#include *"[^"]*/' <"$BATS_TEST_TMPDIR/files"
    [ -z "$output" ]
}

@test "only server includes headers of libmicrohttpd" {
    run -0 xargs grep -lE '#include <microhttpd' < <(scripts/source-files '*.c' '*.cc' '*.h')
    [ "$output" = server/http.c ]
}

@test "only hub/get includes headers of libcurl and OpenSSL" {
    scripts/source-files '*.c' '*.cc' '*.h' >"$BATS_TEST_TMPDIR/files"
    run xargs grep -lE '#include <(curl|openssl)/' <"$BATS_TEST_TMPDIR/files"
    [ -n "$output" ]
    ! grep -v '^hub/get/' <<<"$output" || false
}
