#!/usr/bin/env bats
# python.bats - the Python module with the library, the program and the model that make has built, without a wheel.

bats_require_minimum_version 1.5.0

setup_file() {
    local root build program
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    build=$(dirname "${GOLDEN_ROOT:-$root/build/golden}")
    program=$(realpath "${DRAGOMAN:-$root/dragoman}")
    export SITE=$BATS_FILE_TMPDIR/site HOME=$BATS_FILE_TMPDIR/home
    mkdir -p "$HOME" "$SITE"
    cp -r "$root/scripts/package/python/dragoman" "$SITE"
    mkdir -p "$SITE/dragoman/bin" "$SITE/dragoman/lib" "$SITE/dragoman/share/dragoman"
    ln -s "$program" "$SITE/dragoman/bin/dragoman"
    ln -s "$build/libdragoman.so.0" "$SITE/dragoman/lib/libdragoman.so.0"
    ln -s "$(dirname "$program")/models" "$SITE/dragoman/share/dragoman/models"
}

setup() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "needs Python 3.9"
    [ -e "$SITE/dragoman/share/dragoman/models/en-de.safetensors" ] || skip "there is no embedded model"
    export PYTHONPATH=$SITE PYTHONDONTWRITEBYTECODE=1
    unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE ARGOS_PACKAGES_DIR
    cd "$BATS_TEST_DIRNAME/../python" || return
}

# check MODULE: runs a file of tests/python; -W makes warnings errors, and -X dev checks for open files and threads.
check() {
    run -0 python3 -X dev -W error -m unittest "$1"
    [[ $output == *OK* ]]
}

@test "the constants and functions are those of the headers" { check test_header; }
@test "options have the names of the program, and faults are named" { check test_options; }
@test "translations, alignments and scores are those of the program" { check test_translate; }
@test "pipeline() is that of transformers, and translate() keeps models open" { check test_pipeline; check test_open_models; }
@test "documents, terms, kept parts and memories are those of the program" { check test_documents; }
@test "threads, interrupts, forks and exits neither hang nor crash" { check test_threads; }

@test "python -m dragoman is the program" {
    run -0 python3 -m dragoman --version
    [[ $output == "dragoman "* ]]
    [ "$(echo Hello. | python3 -m dragoman)" = "$(python3 -c 'import dragoman; print(dragoman.Translator().translate("Hello."))')" ]
    run -2 python3 -m dragoman --no-such-option
}
