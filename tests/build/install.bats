#!/usr/bin/env bats
# install.bats - make install and make uninstall.
# shellcheck disable=SC2013,SC2030,SC2031 # names have no spaces; each test sets PKG_CONFIG_PATH itself

setup_file() {
    export PREFIX=$BATS_FILE_TMPDIR/usr
    MAKEFLAGS=${TEST_MAKEFLAGS-} make -s install PREFIX="$PREFIX" >&2
}

build() { MAKEFLAGS=${TEST_MAKEFLAGS-} make -s "$@"; }

bats_require_minimum_version 1.5.0

@test "installs the program, the libraries, the man page, the completions, the documents and the models" {
    [ -x "$PREFIX/bin/dragoman" ]
    for file in lib/libdragoman.{a,so.0,so} lib/pkgconfig/dragoman.pc include/dragoman/dragoman.h share/man/man1/dragoman.1 \
        share/bash-completion/completions/dragoman share/zsh/site-functions/_dragoman \
        share/fish/vendor_completions.d/dragoman.fish share/doc/dragoman/{README.md,LICENSE}; do
        [ -s "$PREFIX/$file" ] || { echo "$file is missing" && false; }
    done
    [[ -x $PREFIX/share/dragoman/scripts/translate-array && -x $PREFIX/share/dragoman/scripts/spark_translate.py ]]
    [ "$(ls "$PREFIX/include/dragoman")" = $'dragoman.h\ndragoman_hub.h\ndragoman_job.h\ndragoman_settings.h\ndragoman_tools.h\nsettings.def' ]
    local card cards=(models/*/README.md) name
    for card in "${cards[@]}"; do
        name=$(basename "$(dirname "$card")")
        cmp "$card" "$PREFIX/share/dragoman/models/$name.md"
        [ -n "$(echo "Tom 7" | "$PREFIX/bin/dragoman" -m "$name" --max-length 8)" ]
    done
    [ "$(find "$PREFIX/share/dragoman/models" -type f | wc -l)" = $((2 * ${#cards[@]})) ]
}

@test "the program is linked only with libraries that it uses" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the sanitizers add libraries"
    run -0 readelf -d "$PREFIX/bin/dragoman"
    [[ $output == *libsentencepiece.so* && $output != *openblas* ]]
    [[ $output != *sentencepiece_train* && $output != *RPATH* && $output != *RUNPATH* ]]
}

@test "man shows the man page without warnings" {
    command -v man >/dev/null || skip "no man"
    run -0 --separate-stderr man --warnings -l "$PREFIX/share/man/man1/dragoman.1"
    [ -z "$stderr" ]
    [[ $output == *--beam* ]]
}

@test "the libraries export only the functions in the headers" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the sanitizers add symbols"
    grep -oE '\bdragoman_[a-z_]+\(' <(grep -hE '^DRAGOMAN_' "$PREFIX"/include/dragoman/*.h) | tr -d '(' | sort >"$BATS_TEST_TMPDIR/declared"
    nm -D --defined-only "$PREFIX/lib/libdragoman.so.0" | awk '{ print $3 }' | sort | diff "$BATS_TEST_TMPDIR/declared" -
    nm -g --defined-only "$PREFIX/lib/libdragoman.a" | awk 'NF == 3 { print $3 }' | sort | diff "$BATS_TEST_TMPDIR/declared" -
    readelf -d "$PREFIX/lib/libdragoman.so.0" | grep -q 'SONAME.*\[libdragoman\.so\.0\]'
    [ "$(readlink "$PREFIX/lib/libdragoman.so")" = libdragoman.so.0 ]
}

@test "the list of symbols of the Debian package is that of the library" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the sanitizers add symbols"
    sed -n 's/^ \(.*\)@Base .*/\1/p' scripts/package/debian/libdragoman0.symbols |
        diff - <(nm -D --defined-only "$PREFIX/lib/libdragoman.so.0" | awk '{ print $3 }' | LC_ALL=C sort)
}

@test "dragoman.h includes only its settings and headers of the C standard library" {
    local compiler
    read -ra compiler <<<"${CC:-gcc}"
    echo '#include <dragoman.h>' >"$BATS_TEST_TMPDIR/one.c"
    "${compiler[@]}" -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$PREFIX/include/dragoman" "$BATS_TEST_TMPDIR/one.c"
    [ "$(grep -h '^#include' "$PREFIX/include/dragoman/dragoman.h")" = \
        $'#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include "dragoman_settings.h"' ]
    [ "$(grep -h '^#include' "$PREFIX/include/dragoman/dragoman_settings.h")" = '#include "settings.def"' ]
}

# check_program COMPILER FILE shared|static: compiles FILE outside the tree and runs it.
check_program() {
    local flags models=("${GOLDEN_ROOT:-$PWD/build/golden}"/marian/*/) program=$BATS_TEST_TMPDIR/hello compiler wanted
    wanted=$(echo 'ran the tests.' | "$PREFIX/bin/dragoman" -m "${models[0]}")
    export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
    if [ "$3" = static ]; then
        read -ra flags <<<"$(pkg-config --static --cflags --libs dragoman | sed 's/-ldragoman/-l:libdragoman.a/')"
    else
        read -ra flags <<<"$(pkg-config --cflags --libs dragoman)"
        [[ ${flags[*]} != *openblas* && ${flags[*]} != *stdc++* ]]
        export LD_LIBRARY_PATH=$PREFIX/lib
    fi
    read -ra compiler <<<"$1"
    cd "$BATS_TEST_TMPDIR" || return
    "${compiler[@]}" -Wall -Wextra -Werror -o "$program" "$2" "${flags[@]}"
    [ "$("$program" "${models[0]}")" = "$wanted" ]
    readelf -d "$program" >dynamic
    [ "$3" = static ] || grep -q 'NEEDED.*libdragoman\.so\.0' dynamic
    [ "$3" = shared ] || run -1 grep libdragoman dynamic
    # The models that came with dragoman are near the shared library.
    [ "$3" = static ] || [ "$("$program" en-de)" = "$(echo 'ran the tests.' | "$PREFIX/bin/dragoman" -m en-de)" ]
    run -1 "$program" no/such/model
    [[ $output == "1 0 no/such/model: "* ]]
    run -1 "$program" "${models[0]}" klingon
    [[ $output == "5 7 DRAGOMAN_TO klingon: "* ]]
}

@test "an external C program builds and translates with the shared and the static library" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    cp tests/build/library_user.c "$BATS_TEST_TMPDIR/hello.c"
    (check_program "${CC:-gcc}" hello.c shared)
    check_program "${CC:-gcc}" hello.c static
}

@test "an external C++ program builds and translates with the shared and the static library" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    cp tests/build/library_user.c "$BATS_TEST_TMPDIR/hello.cc"
    (check_program "${CXX:-g++}" hello.cc shared)
    check_program "${CXX:-g++}" hello.cc static
}

# compile FILE PROGRAM: compiles FILE with the installed headers and the shared library.
compile() {
    local flags compiler
    export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig LD_LIBRARY_PATH=$PREFIX/lib
    read -ra flags <<<"$(pkg-config --cflags --libs dragoman)"
    read -ra compiler <<<"${CC:-gcc}"
    "${compiler[@]}" -Wall -Wextra -Werror -o "$2" "$1" "${flags[@]}"
}

# Prints program number $1 of docs/c.md.
program_of_page() { awk -v wanted="$1" '/^```c$/ { code = ++n == wanted; next } /^```/ { code = 0 } code' docs/c.md; }

@test "the programs of docs/c.md translate a text and a document as dragoman does" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    local letter=$PWD/tests/golden/documents/docx/letter.docx
    program_of_page 1 >"$BATS_TEST_TMPDIR/hello.c"
    program_of_page 2 >"$BATS_TEST_TMPDIR/letter.c"
    cd "$BATS_TEST_TMPDIR"
    [ "$(grep -c dragoman hello.c)" -gt 5 ]
    [ "$(grep -c dragoman letter.c)" -gt 5 ]
    compile hello.c hello
    run -0 ./hello
    [ "$output" = "$(echo "Where is the train station?" | "$PREFIX/bin/dragoman" -q -m en-de)" ]
    cp "$letter" .
    printf 'letter\tSchreiben\n' >terms.tsv
    compile letter.c letter
    run -0 ./letter
    [ "$output" = "letter.de.docx is complete." ]
    "$PREFIX/bin/dragoman" -q -m en-de --glossary terms.tsv letter.docx | cmp - letter.de.docx
    rm terms.tsv letter.de.docx
    run ./letter
    [[ $status -ne 0 && $output == terms.tsv:* && ! -e letter.de.docx ]]
}

@test "a C program and dragoman give the same document with a glossary, kept parts and a memory" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    local letter=$PWD/tests/golden/documents/docx/letter.docx user=$PWD/tests/build/job_user.c
    cd "$BATS_TEST_TMPDIR"
    cp "$letter" .
    compile "$user" job_user
    printf 'letter\tSchreiben\n' >terms.tsv
    "$PREFIX/bin/dragoman" -q -m en-de --glossary terms.tsv --memory one.tsv --keep '[A-Z][a-z]+ing' letter.docx >expected.docx
    "$PREFIX/bin/dragoman" -q -m en-de --glossary terms.tsv --memory two.tsv --keep '[A-Z][a-z]+ing' letter.docx >/dev/null
    cmp one.tsv two.tsv
    cp one.tsv three.tsv
    for memory in new.tsv three.tsv; do
        run -0 ./job_user letter.docx docx terms.tsv "$memory" '[A-Z][a-z]+ing' made.docx
        [ "${lines[0]}" = "$(printf 'Good morning.\n' | "$PREFIX/bin/dragoman" -m en-de --keep '[A-Z][a-z]+ing')" ]
        cmp expected.docx made.docx
        rm made.docx
    done
    head -c "$(wc -c <one.tsv)" new.tsv | cmp - one.tsv # the three lines of the text come after the document
}

# Prints the links of the installed documents that do not resolve.
broken_links() {
    local document target
    trap - DEBUG # bats traces each command, which is slow
    while IFS= read -r document; do
        for target in $(grep -oE '\]\([^)#]+' "$document" | cut -c3-); do
            [[ $target == http* ]] || [ -e "${document%/*}/$target" ] || echo "$document: $target"
        done
    done < <(find "$PREFIX/share/doc/dragoman" -name '*.md')
}

@test "every link in an installed document resolves" {
    run -0 broken_links
    [ -z "$output" ] || { echo "broken: $output" && false; }
    [ -e "$PREFIX/share/doc/dragoman/docs/tutorial-models.md" ]
    [ -e "$PREFIX/share/doc/dragoman/scripts/export_tutorial.py" ]
}

@test "uninstall leaves the files of others alone" {
    local own=("$PREFIX/share/dragoman/models/mine/model.npz" "$PREFIX/bin/other" "$PREFIX/share/doc/dragoman/notes")
    mkdir -p "${own[0]%/*}"
    touch "${own[@]}"
    build uninstall PREFIX="$PREFIX"
    run -0 find "$PREFIX" -type f
    [ "$(sort <<<"$output")" = "$(printf '%s\n' "${own[@]}" | sort)" ]
}

@test "DESTDIR precedes every path and is in no installed file, with spaces, quotes and dollar signs; uninstall leaves nothing" {
    local stage="$BATS_TEST_TMPDIR/a  b's \"c\" \$(x)"
    build install PREFIX="/usr local" DESTDIR="${stage//$/\$\$}"
    [ -x "$stage/usr local/bin/dragoman" ]
    [ "$(find "$BATS_TEST_TMPDIR" -mindepth 1 -maxdepth 1)" = "$stage" ]
    grep -q '^prefix=/usr\\* local$' "$stage/usr local/lib/pkgconfig/dragoman.pc"
    run -1 grep -rqF "$BATS_TEST_TMPDIR" "$stage"
    PKG_CONFIG_PATH="$stage/usr local/lib/pkgconfig" run -0 pkg-config --cflags dragoman
    [[ $output == *'-I/usr\ local/include/dragoman'* ]]
    build uninstall PREFIX="/usr local" DESTDIR="${stage//$/\$\$}"
    cd "$stage"
    run -0 find . -type f -o -path '*dragoman*'
    [ -z "$output" ]
}
