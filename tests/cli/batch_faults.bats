#!/usr/bin/env bats
# batch_faults.bats - a file of a batch that fails leaves the others alone; an interrupted batch can be resumed.

load helper
load output

# make_files COUNT LINES: files in two folders.
make_files() {
    local i lines
    mkdir -p docs/a docs/b
    mapfile -t lines < <(numbered_lines 1 $(($1 + $2)))
    for ((i = 1; i <= $1; i++)); do
        if ((i % 2)); then
            printf '%s\n' "${lines[@]:i - 1:$2}" >"docs/b/$i.txt"
        else
            printf '%s\n' "${lines[@]:i - 1:$2}" >"docs/a/$i.txt"
        fi
    done
}

# large_file NAME: a file whose translation has more than 100,000 bytes, nearly all of them blanks, which are copied.
large_file() {
    printf 'This is a line.\n%100000s\n' '' >"$1"
}

has_temporary() { compgen -G "de/*/.*.dragoman-${1:-}*" >/dev/null; }
has_files() { local files=("$1"/*/*.txt); ((${#files[@]} >= $2)); }
count_of() { find "$1" -type f | wc -l; }

# start_stopped ARGUMENT...: a batch ($worker) that is stopped once its first temporary file exists. The window of lines
# is as small as possible, so that later files have not been read yet.
start_stopped() {
    "$DRAGOMAN" -j 1 --batch-rows 1 "$@" 2>err &
    worker=$!
    wait_for has_temporary "$worker"
    kill -STOP "$worker"
}

go_on() {
    status=0
    kill -CONT "$worker"
    wait "$worker" || status=$?
}

@test "a batch that is killed again and again and resumed gives the same files" {
    local kills=0 goal
    make_files 60 12
    dragoman -O whole docs
    for goal in 2 11 20 35 50; do
        "$DRAGOMAN" --resume -O de docs &
        worker=$!
        wait_for has_files de "$goal" && kill -KILL "$worker" && kills=$((kills + 1))
        wait "$worker" || true
    done
    [[ $kills -ge 1 ]]
    touch -d '2020-01-01' de/a/2.txt docs/a/2.txt
    cp -p de/a/2.txt kept
    translate --resume -O de docs -v
    expect_status 0
    diff -r whole de
    no_leftovers
    [[ $(stat -c %y kept) == $(stat -c %y de/a/2.txt) ]]
    grep -q '^dragoman: files: .* 0 failed$' err
    touch -d '2030-01-01' docs/b/3.txt
    translate --resume -O de docs -v
    grep -q '^dragoman: files: 1 translated, 0 copied, 59 up to date, 0 skipped, 0 failed$' err
}

@test "left-over files of any name are removed, those of running processes are not" {
    make_files 2 3
    mkdir -p de/a de/b
    (exit 0) &
    gone=$!
    wait $gone
    echo old | tee "de/a/.x.txt.dragoman-$gone" "de/b/.7.txt.dragoman-$gone-3" "de/a/.2.txt.dragoman-1" >de/b/.dragoman-1
    dragoman -O de docs
    [[ $(cd de && find . -type f | sort | paste -sd ' ') == "./a/.2.txt.dragoman-1 ./a/2.txt ./b/.dragoman-1 ./b/1.txt" ]]
}

@test "a signal leaves no temporary file" {
    make_files 4 800
    for signal in INT TERM HUP; do
        ("$BASH" -c 'trap - INT; exec "$@"' - "$DRAGOMAN" -O de docs) &
        worker=$!
        wait_for has_temporary
        kill -$signal "$worker"
        wait "$worker" && false
        no_leftovers
    done
}

@test "an interrupted batch says how many files were translated, and --resume translates the others" {
    make_files 4 2
    numbered_lines 1 20000 >docs/b/5.txt # the last one, in which the signal arrives
    set -m # so that the shell does not make it ignore SIGINT
    "$DRAGOMAN" -j 1 --batch-rows 1 -O de docs 2>err &
    worker=$!
    set +m
    wait_for has_files de 4
    kill -INT "$worker"
    status=0
    wait "$worker" || status=$?
    expect_status 130
    # The fourth file may have its name, but not be counted yet.
    grep -Exq "dragoman: interrupted; [34] files were translated, and --resume translates those that are left" err
    [[ $(wc -l <err) == 1 ]]
    numbered_lines 1 2 >docs/b/5.txt
    translate -v --resume -O de docs
    grep -q " 1 translated, 0 copied, 4 up to date" err
}

@test "a target that is a folder, and one in a file, are reported; the others are translated" {
    make_files 4 3
    mkdir -p de/a/2.txt
    echo file >de/b
    translate -O de docs
    expect_status 1
    expect_err "dragoman: de/a/2.txt: Is a directory" \
        "dragoman: de/b/1.txt: Not a directory" "dragoman: de/b/3.txt: Not a directory" \
        "dragoman: 3 failures:" "dragoman:   de/a/2.txt: Is a directory" \
        "dragoman:   de/b/1.txt: Not a directory" "dragoman:   de/b/3.txt: Not a directory"
    dragoman -o expected docs/a/4.txt
    cmp expected de/a/4.txt
    [[ $(cat de/b) == file ]]
    no_leftovers
}

@test "a file that cannot be read and one that does not exist are reported" {
    make_files 2 3
    [[ -r /proc/self/mem ]] || skip "there is no /proc/self/mem"
    translate -O de /proc/self/mem docs missing.txt /dev/null
    expect_status 1
    expect_err "dragoman: missing.txt: No such file or directory" \
        "dragoman: /dev/null: neither a regular file nor a folder" \
        "dragoman: /proc/self/mem: Input/output error" \
        "dragoman: 3 failures:" "dragoman:   missing.txt: No such file or directory" \
        "dragoman:   /dev/null: neither a regular file nor a folder" "dragoman:   /proc/self/mem: Input/output error"
    [[ $(count_of de) == 2 ]]
    translate ''
    expect_status 1
    expect_err "dragoman: '': No such file or directory"
}

@test "a folder that cannot be created is reported with the reason" {
    mkdir docs
    echo "Hello." >docs/a
    translate -O /proc/new docs
    expect_status 1
    grep -qx "dragoman: /proc/new: cannot create the folder: No such file or directory" err ||
        grep -qx "dragoman: /proc/new: cannot create the folder: Permission denied" err
}

@test "read-only files and folders are reported" {
    [[ $(id -u) != 0 ]] || skip "root may write everything"
    make_files 4 3
    mkdir -p de/a de/b
    echo old >de/a/2.txt
    chmod a-w de/a/2.txt de/b
    chmod a-r docs/a/4.txt
    translate -O de docs
    chmod u+w de/b
    expect_status 1
    grep -qx "dragoman: 4 failures:" err
    grep -qx "dragoman: docs/a/4.txt: Permission denied" err
    [[ $(cat de/a/2.txt) == old && $(count_of de) == 1 ]]
}

@test "a file that vanishes or changes while others are translated is reported" {
    make_files 4 3
    numbered_lines 1 1500 >docs/a/2.txt
    start_stopped -O de docs
    rm docs/b/1.txt
    echo "More." >>docs/a/2.txt
    go_on
    expect_status 1
    expect_err "dragoman: docs/a/2.txt: changed while it was being translated; translate it again" \
        "dragoman: docs/b/1.txt: No such file or directory" \
        "dragoman: 2 failures:" \
        "dragoman:   docs/a/2.txt: changed while it was being translated; translate it again" \
        "dragoman:   docs/b/1.txt: No such file or directory"
    [[ $(cd de && find . -type f | sort | paste -sd ' ') == "./a/4.txt ./b/3.txt" ]]
}

@test "a file that changes after it was read is reported, and not resumed as up to date" {
    make_files 2 400
    start_stopped -O de docs
    echo "New text." >docs/b/1.txt
    echo "New text." >docs/a/2.txt
    go_on
    [[ $status == 0 || $status == 1 ]]
    dragoman -O new docs
    dragoman --resume -O de docs
    diff -r new de
}

@test "a line that a later model refuses makes its file fail only" {
    local model=$GOLDEN_ROOT/marian_nmt/post
    [[ -d $model ]]
    mkdir docs
    words="w39 w69 w35 w30 w85 w19 w39 w95"
    echo "$words $words" | tee docs/1.txt docs/2.txt >docs/3.txt
    echo "$words" >>docs/2.txt
    translate -m "$model" -m "$model" --max-length-factor 0.5 --min-length 4 -O de docs
    expect_status 1
    grep -q "^dragoman: docs/2.txt:2: --min-length 4 exceeds" err
    grep -qx "dragoman: 1 failure:" err
    [[ $(cd de && find . -type f | sort | paste -sd ' ') == "./1.txt ./3.txt" ]]
    translate -m "$model" -m "$model" --max-length-factor 0.5 --min-length 4 docs/1.txt docs/2.txt docs/3.txt
    expect_status 2
    grep -q "^dragoman: docs/2.txt:2: --min-length 4 exceeds" err
    [[ $(wc -l <out) == 2 ]]
}

@test "with a memory, lines of a file that has failed are learned before the next one fails" {
    local model=$GOLDEN_ROOT/marian_nmt/post
    mkdir docs
    words="w39 w69 w35 w30 w85 w19 w39 w95"
    printf '%s\n%s\n%s\n' "$words" "$words $words w1" "$words" >docs/2.txt
    translate -m "$model" -m "$model" --threads 1 --max-length-factor 0.5 --min-length 4 -O de --memory m.tsv docs
    expect_status 1
    grep -q "^dragoman: docs/2.txt:[0-9]: --min-length 4 exceeds" err
    [ -f m.tsv ]
}

@test "a batch needs few open files" {
    make_files 120 1
    (ulimit -n 40 && exec "$DRAGOMAN" -O de docs)
    [[ $(count_of de) == 120 ]]
}

@test "a file that grows too large is reported and removed" {
    make_files 4 3
    large_file docs/a/4.txt
    (ulimit -f 16 && exec "$DRAGOMAN" -O de docs) 2>err && false
    expect_err "dragoman: de/a/4.txt: File too large" "dragoman: 1 failure:" \
        "dragoman:   de/a/4.txt: File too large"
    [[ $(count_of de) == 3 ]]
    no_leftovers
}

# shellcheck disable=SC2016 # another shell expands the variables
@test "a full disk is reported for each file that does not fit" {
    make_files 8 3
    export ROOM=64k
    for file in docs/a/2.txt docs/b/5.txt docs/b/7.txt; do large_file $file; done
    in_namespace '
        mkdir de
        mount -t tmpfs -o size=$ROOM tmpfs de || exit 99
        status=0
        "$DRAGOMAN" -O de docs 2>err || status=$?
        echo $status >status
        find de -type f | sort >files
        umount de
    ' || { [[ $? == 99 ]] && skip "no mount points can be made here"; return 1; }
    [[ $(cat status) == 1 ]]
    # A small file fails, too, if it is written while a large one fills the disk.
    sed -n 's/^dragoman:   \(.*\): No space left on device$/\1/p' err >failures
    for file in a/2.txt b/5.txt b/7.txt; do
        grep -qx "dragoman: de/$file: No space left on device" err
        grep -qx "de/$file" failures
    done
    grep -qx "dragoman: $(wc -l <failures) failures:" err
    sort failures files | cmp - <(find docs -type f | sed 's/^docs/de/' | sort)
}

@test "a line that the model refuses ends its file only" {
    local model=$GOLDEN_ROOT/marian/mish-languages
    [[ -d $model ]]
    mkdir docs
    printf '>>deu<< Hello.\n' | tee docs/1.txt >docs/3.txt
    printf '>>deu<< Hello.\n>>xxx<< Hello.\n>>deu<< Hello.\n' >docs/2.txt
    translate -m "$model" -O de docs
    expect_status 1
    grep -q "^dragoman: docs/2.txt:2: " err
    grep -qx "dragoman: 1 failure:" err
    [[ $(count_of de) == 2 ]]
}
