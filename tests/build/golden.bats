#!/usr/bin/env bats
# golden.bats - tests/golden is small, has no duplicates, and is restored without changes.
# shellcheck disable=SC2013 # names have no spaces

bats_require_minimum_version 1.5.0

GOLDEN_ROOT=${GOLDEN_ROOT:-$PWD/build/golden}

# tracked PATH: prints the files under PATH that git tracks.
tracked() {
    git rev-parse --is-inside-work-tree >/dev/null 2>&1 || skip "not a git working tree"
    git ls-files -z -- "$1"
}

@test "no two tracked files have the same bytes" {
    tracked . >"$BATS_TEST_TMPDIR/files"
    run -0 --separate-stderr xargs -0 sha256sum <"$BATS_TEST_TMPDIR/files"
    [ "${#lines[@]}" -gt 500 ]
    output=$(sort <<<"$output" | uniq -w 64 --all-repeated=separate)
    [ -z "$output" ] || { echo "$output" && false; }
    run ! grep -q '^120000' <(git ls-files -s) # nor symbolic links
}

@test "tests/golden has at most 10.5 MB and 820 files" {
    local sizes
    sizes=$(find tests/golden -type f -exec wc -c {} + | awk '$2 != "total" { files++; bytes += $1 } END { print files, bytes }')
    echo "files and bytes: $sizes"
    ((${sizes% *} <= 820 && ${sizes#* } <= 10500000))
}

@test "tests/golden/README.md names each folder and each script" {
    local name
    for name in tests/golden/*/; do
        grep -q "^| $(basename "$name") |" tests/golden/README.md || { echo "$name is missing" && false; }
    done
    for name in $(grep -oE '[a-z0-9_]+\.py' tests/golden/README.md); do
        [ -e "scripts/reference/$name" ] || { echo "$name is not there" && false; }
    done
    for name in scripts/reference/make_*.py; do
        grep -q "$(basename "$name")" tests/golden/README.md || { echo "$name is missing" && false; }
    done
}

@test "golden_store.py restores the folders that the tests read, and stores them unchanged" {
    command -v python3 >/dev/null || skip "no python3"
    local tree=$BATS_TEST_TMPDIR/golden
    cp -R tests/golden "$tree"
    rm "$tree"/*.c "$tree/README.md"
    python3 - "$tree" "$GOLDEN_ROOT" <<'END'
import functools, gzip, pathlib, subprocess, sys
sys.path.insert(0, "scripts/reference")
import golden_store

def expect(*arguments):
    subprocess.run(["diff", "-r", *arguments, tree], check=True)

# Compressing takes nearly all of the time, so nothing is compressed twice.
gzip.compress = functools.lru_cache(maxsize=None)(gzip.compress)
tree, restored = map(pathlib.Path, sys.argv[1:])
compressed = [path.relative_to("tests/golden") for path in pathlib.Path("tests/golden").rglob("*.gz")]
golden_store.fold_tree(tree)
expect("-x", "*.c", "-x", "README.md", "tests/golden")
golden_store.unfold_tree(tree)
expect("-x", ".stamp", restored)
# With the compressed files beside the restored ones, these are not compressed again, either.
subprocess.run(["cp", "--parents", "-t", tree.resolve(), *compressed], cwd="tests/golden", check=True)
golden_store.fold_tree(tree)
expect("-x", "*.c", "-x", "README.md", "tests/golden")
END
}

@test "golden_store.py replaces the stored files of a folder that has changed" {
    command -v python3 >/dev/null || skip "no python3"
    local tree=$BATS_TEST_TMPDIR/golden
    mkdir -p "$tree/a/one" "$tree/a/two" "$tree/b"
    printf '{"x": 1}\n' | tee "$tree/a/one/config.json" "$tree/a/two/config.json" >/dev/null
    printf '{"y": 2}' >"$tree/a/one/open.json" # no newline: kept as a file
    printf '{"y": 3}\n' >"$tree/b/own.json"
    seq 5000 >"$tree/b/numbers.txt"
    cp -R "$tree" "$BATS_TEST_TMPDIR/plain"
    python3 scripts/reference/golden_store.py fold "$tree"
    [ "$(cd "$tree" && find . -type f | sort | sed 's/config\.[0-9a-f]*\.json/SHARED/' | tr '\n' ' ')" = \
        "./a/one/open.json ./b/FILES ./b/numbers.txt.gz ./shared/LIST ./shared/SHARED " ]
    scripts/assemble-golden "$tree" "$BATS_TEST_TMPDIR/out"
    diff -r -x .stamp "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/out"

    python3 scripts/reference/golden_store.py unfold "$tree"
    diff -r "$BATS_TEST_TMPDIR/plain" "$tree"
    printf '{"x": 4}\n' >"$tree/a/two/config.json"
    seq 6000 >"$tree/b/numbers.txt"
    rm "$tree/b/own.json"
    python3 scripts/reference/golden_store.py fold "$tree"
    [ "$(cd "$tree" && find . -type f | sort | tr '\n' ' ')" = "./a/one/FILES ./a/one/open.json ./a/two/FILES ./b/numbers.txt.gz " ]
    scripts/assemble-golden "$tree" "$BATS_TEST_TMPDIR/out"
    [ "$(cat "$BATS_TEST_TMPDIR/out/a/two/config.json")" = '{"x": 4}' ]
    seq 6000 | cmp - "$BATS_TEST_TMPDIR/out/b/numbers.txt"
}
