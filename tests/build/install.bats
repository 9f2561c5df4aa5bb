#!/usr/bin/env bats
# make install and make uninstall.
# shellcheck disable=SC2013,SC2030,SC2031 # names have no spaces; each test sets PKG_CONFIG_PATH itself

setup_file() {
    export PREFIX=$BATS_FILE_TMPDIR/usr
    MAKEFLAGS=${TEST_MAKEFLAGS-} make -s install PREFIX="$PREFIX" >&2
}

build() { MAKEFLAGS=${TEST_MAKEFLAGS-} make -s "$@"; }

bats_require_minimum_version 1.5.0

@test "all that a user needs is there" {
    [ -x "$PREFIX/bin/dragoman" ]
    for file in lib/libdragoman.a lib/pkgconfig/dragoman.pc include/dragoman/{dragoman,buf,err}.h share/man/man1/dragoman.1 \
        share/doc/dragoman/{README.md,LICENSE}; do
        [ -s "$PREFIX/$file" ] || { echo "$file is missing" && false; }
    done
    [ ! -e models/en-de/config.json ] || [ -n "$(echo "Hello." | "$PREFIX/bin/dragoman")" ]
}

@test "the program needs only libraries that it uses" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the sanitizers bring their own"
    run -0 readelf -d "$PREFIX/bin/dragoman"
    [[ $output == *libopenblas* && $output == *libsentencepiece.so* ]]
    [[ $output != *sentencepiece_train* && $output != *RPATH* && $output != *RUNPATH* ]]
}

@test "the man page is one" {
    command -v man >/dev/null || skip "no man"
    run -0 --separate-stderr man --warnings -l "$PREFIX/share/man/man1/dragoman.1"
    [ -z "$stderr" ]
    [[ $output == *--beam* ]]
}

@test "a program of somebody else compiles and links against the library" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    cat >"$BATS_TEST_TMPDIR/hello.c" <<'END'
#include <dragoman.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    DragomanOptions options = dragoman_default_options();
    const DragomanLine *line;
    Dragoman *d;
    Err err;

    options.model = argv[argc - 1];
    if (dragoman_open(&d, &options, &err) != OK) return fprintf(stderr, "%s\n", err.text), 1;
    if (dragoman_submit(d, "ran the tests.", strlen("ran the tests."), 0, &err) != OK) return 2;
    dragoman_finish(d);
    if (dragoman_next(d, &line, &err) != OK || !line) return 3;
    puts(line->translations[0].text.data);
    dragoman_close(d);
    return 0;
}
END
    local models=(tests/golden/marian/*/) model flags cc
    model=${models[0]}
    export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
    read -ra flags <<<"$(pkg-config --cflags --libs dragoman)"
    read -ra cc <<<"${CC:-gcc}"
    "${cc[@]}" -Wall -Werror -o "$BATS_TEST_TMPDIR/hello" "$BATS_TEST_TMPDIR/hello.c" "${flags[@]}"
    run -0 "$BATS_TEST_TMPDIR/hello" "$model"
    [ "$output" = "$(echo 'ran the tests.' | "$PREFIX/bin/dragoman" -m "$model")" ]
}

@test "a C++ program compiles and links against the library" {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the library needs the sanitizers' runtime"
    cat >"$BATS_TEST_TMPDIR/hello.cc" <<'END'
#include <dragoman.h>
#include <cstdio>

int main()
{
    DragomanOptions options = dragoman_default_options();
    Dragoman *d = nullptr;
    Buf text = { nullptr, 0, 0 };
    Err err;

    options.model = "no/such/model";
    if (dragoman_open(&d, &options, &err) == OK || buf_append_text(&text, err.text, &err) != OK) return 1;
    std::puts(text.data);
    buf_free(&text);
    dragoman_close(d);
}
END
    local flags cxx
    export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
    read -ra flags <<<"$(pkg-config --cflags --libs dragoman)"
    read -ra cxx <<<"${CXX:-g++}"
    "${cxx[@]}" -Wall -Werror -o "$BATS_TEST_TMPDIR/hello" "$BATS_TEST_TMPDIR/hello.cc" "${flags[@]}"
    run -0 "$BATS_TEST_TMPDIR/hello"
    [[ $output == no/such/model:* ]]
}

@test "every link of an installed document leads somewhere" {
    local document target missing=
    while IFS= read -r document; do
        for target in $(grep -oE '\]\([^)#]+' "$document" | cut -c3-); do
            [[ $target == http* ]] || [ -e "$(dirname "$document")/$target" ] || missing+="$document: $target "
        done
    done < <(find "$PREFIX/share/doc/dragoman" -name '*.md')
    [ -z "$missing" ] || { echo "dead: $missing" && false; }
    [ -e "$PREFIX/share/doc/dragoman/docs/formats.md" ]
    [ -e "$PREFIX/share/doc/dragoman/scripts/export_tutorial.py" ]
}

@test "uninstall takes away what was installed, and nothing else" {
    local own=("$PREFIX/share/dragoman/models/mine/model.npz" "$PREFIX/bin/other" "$PREFIX/share/doc/dragoman/notes")
    mkdir -p "${own[0]%/*}"
    touch "${own[@]}"
    build uninstall PREFIX="$PREFIX"
    run -0 find "$PREFIX" -type f
    [ "$(sort <<<"$output")" = "$(printf '%s\n' "${own[@]}" | sort)" ]
    rm "${own[@]}"
    rmdir "${own[0]%/*}"
    build install PREFIX="$PREFIX"
    build uninstall PREFIX="$PREFIX"
    run -0 find "$PREFIX" -path '*dragoman*'
    [ -z "$output" ]
}

@test "names with spaces and quotes are taken as they are" {
    local stage="$BATS_TEST_TMPDIR/a  b's \"c\" \$(x)"
    build install PREFIX="/usr local" DESTDIR="${stage//$/\$\$}"
    [ -x "$stage/usr local/bin/dragoman" ]
    [ "$(find "$BATS_TEST_TMPDIR" -mindepth 1 -maxdepth 1)" = "$stage" ]
    PKG_CONFIG_PATH="$stage/usr local/lib/pkgconfig" run -0 pkg-config --cflags dragoman
    [[ $output == *'-I/usr\ local/include/dragoman'* ]]
    build uninstall PREFIX="/usr local" DESTDIR="${stage//$/\$\$}"
    run -0 find "$stage" -type f
    [ -z "$output" ]
}

@test "DESTDIR stands before everything, and nowhere inside" {
    build install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/stage"
    [ -x "$BATS_TEST_TMPDIR/stage/usr/bin/dragoman" ]
    grep -q '^prefix=/usr$' "$BATS_TEST_TMPDIR/stage/usr/lib/pkgconfig/dragoman.pc"
    run -1 grep -rqF "$BATS_TEST_TMPDIR/stage" "$BATS_TEST_TMPDIR/stage"
}
