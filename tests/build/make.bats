#!/usr/bin/env bats
# make.bats - the output of make and its checks.

bats_require_minimum_version 1.5.0

setup_file() { # a copy of the tree, in which little is built; its path has a blank
    export TREE="$BATS_FILE_TMPDIR/a tree"
    mkdir "$TREE"
    cp -r Makefile base kernels weights search model tokenizer document translator cli scripts "$TREE"
    rm -rf "$TREE/scripts/train/data"
    unset MAKEFLAGS MAKELEVEL TESTS BUILD V WERROR SANITIZE CFLAGS # set by the make that runs the tests
}

setup() { cd "$TREE" || return; }

@test "make prints a line per file, with V=1 the command, with -s nothing" {
    run -0 make build/base/err.c.o
    [ "$output" = "CC base/err.c" ]
    rm build/base/err.c.o # rather than touch base/err.c: both files might have the same time
    run -0 make V=1 build/base/err.c.o
    [[ $output == *" -c -o build/base/err.c.o base/err.c" && ${#lines[@]} == 1 ]] || { echo "$output" && false; }
    rm build/base/err.c.o
    run -0 make -s build/base/err.c.o
    [ -z "$output" ]
}

@test "rejects stack frames larger than 16 kB" {
    cat >base/large_frame.c <<'END'
void large_frame_use(char *bytes);
void large_frame(void);
void large_frame(void)
{
    char bytes[17000];

    large_frame_use(bytes);
}
END
    run -2 make build/base/large_frame.c.o
    [[ $output == *frame*16384* ]]
    sed -i 's/17000/16000/' base/large_frame.c
    run -0 make build/base/large_frame.c.o
    rm base/large_frame.c
}

@test "make demo and make test use all cores unless -j is given" {
    local goals
    # A dry run runs the commands with $(MAKE); they take seconds, unless MAKE does nothing.
    run -0 make -n MAKE='true make' demo test
    [ "$(grep -c "make -j$(nproc) --no-print-directory" <<<"$output")" = 2 ]
    for goals in '-j demo test' '-j1 demo test'; do
        # shellcheck disable=SC2086 # words
        run -0 make -n MAKE='true make' $goals
        [[ $output == *"make  --no-print-directory"* && $output != *"make -j"* ]]
    done
    run -0 make -n -j3 demo
    [[ $output == *"make  --no-print-directory"* && $output != *"make -j"* && $output != *jobserver* ]]
}

@test "names a missing compiler" {
    run -2 make CC=no-such-cc build/base/err.c.o
    [[ $output == *"CC=no-such-cc: program not found"* && $output != *install-deps\ * ]]
    run -1 env CXX=no-such-c++ scripts/install-deps
    [[ $output == "install-deps: CXX=no-such-c++: program not found; install it, or unset CXX to build with g++" ]]
}

@test "shows the message of a compiler that cannot compile" {
    run -1 env CC='gcc --no-such-option' scripts/install-deps --check
    [[ ${lines[0]} == *--no-such-option* ]]
    [[ ${lines[-1]} == "install-deps: CC=gcc --no-such-option: cannot compile for dragoman, which needs gcc 11 or later, or clang 14 or later" ]]
}

@test "the static library of an LTO build has machine code and exports dragoman_* only" {
    local flags
    [[ $(g++ --version) == *"Free Software Foundation"* ]] || skip "g++ is not GCC"
    printf 'int helper(void);\nint dragoman_one(void);\nint dragoman_one(void) { return helper(); }\n' >base/one.c
    printf 'int helper(void);\nint helper(void) { return 7; }\n' >base/two.c
    for flags in -flto '-flto -ffat-lto-objects'; do
        run -0 make CC=gcc CXX=g++ CFLAGS="$flags" CXXFLAGS="$flags" INSTALLED_OBJECTS='build/base/one.c.o build/base/two.c.o' build/libdragoman.a
        strip -R '.gnu.lto_*' -R '.gnu.debuglto_*' -N __gnu_lto_slim -N __gnu_lto_v1 build/libdragoman.o
        [[ $(nm -g --defined-only build/libdragoman.o | cut -d' ' -f2-) == "T dragoman_one" ]]
    done
    rm base/one.c base/two.c
}

@test "make run-tests and make install work in a folder whose name has a blank, and leave out what training has made" {
    mkdir -p scripts/train/__pycache__
    run -0 make -n run-tests install
    [[ $output == *"DRAGOMAN='$TREE/dragoman' GOLDEN_ROOT='$TREE/build/golden' "* ]]
    [[ $output == *" 644:scripts/train/train.py:"* && $output == *" 644:scripts/train/README.md:"* && $output != *__pycache__* ]]
}

# fake_compiler TARGET STATUS: makes a compiler for TARGET that ends with STATUS if it only has to check a file.
fake_compiler() {
    printf '#!/bin/sh\ncase " $* " in\n*" -dumpmachine "*) echo %s ;;\n*" -fsyntax-only "*) exit %d ;;\nesac\n' "$1" "$2" >fake-cc
    chmod +x fake-cc
}

@test "the file with Arm's dot products is compiled for them if the compiler cannot do it otherwise" {
    local file=build/kernels/panels/panels_s8_dotprod.c
    fake_compiler aarch64-linux-gnu 1
    run -0 make -n V=1 CC=./fake-cc $file.o
    [[ $output == *"-march=armv8.2-a+dotprod -MMD -MP -c -o $file.o"* ]]
    run -0 make -n V=1 CC=./fake-cc ${file/dotprod/neon}.o
    [[ $output != *"-march="* ]]
    fake_compiler aarch64-linux-gnu 0
    run -0 make -n V=1 CC=./fake-cc $file.o
    [[ $output != *"-march="* ]]
    fake_compiler x86_64-linux-gnu 1
    run -0 make -n V=1 CC=./fake-cc $file.o
    [[ $output != *"-march="* ]]
}
