#!/usr/bin/env bats
# make install and make uninstall.

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

@test "uninstall takes all away" {
    build uninstall PREFIX="$PREFIX"
    run -0 find "$PREFIX" -type f
    [ -z "$output" ]
}

@test "DESTDIR stands before everything, and nowhere inside" {
    build install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/stage"
    [ -x "$BATS_TEST_TMPDIR/stage/usr/bin/dragoman" ]
    grep -q '^prefix=/usr$' "$BATS_TEST_TMPDIR/stage/usr/lib/pkgconfig/dragoman.pc"
    run -1 grep -rqF "$BATS_TEST_TMPDIR/stage" "$BATS_TEST_TMPDIR/stage"
}
