#!/usr/bin/env bats
# --output to an existing file: which attributes are kept, and what happens if renaming is not possible.

worker= # set by start_waiting

load helper
load output

inode() {
    stat -c %i "$1"
}

@test "replaces a plain file by a new one" {
    echo "old" >target
    before=$(inode target)
    echo "Hello." >in
    dragoman -o target in
    [[ $(inode target) != "$before" ]]
    no_leftovers
}

@test "keeps hard links" {
    echo "old and longer than the new text, since it has many words" >target
    ln target other
    before=$(inode target)
    echo "Hello." >in
    dragoman -o target in
    [[ $(inode target) == "$before" ]]
    cmp target other
    cmp other <(dragoman in)
    dragoman pack -m "$MODEL" -o target
    dragoman pack -m "$MODEL" -o packed
    cmp other packed
    no_leftovers
}

@test "keeps extended attributes" {
    echo "old" >target
    python3 -c 'import os; os.setxattr("target", "user.origin", b"here")' 2>err || skip "no extended attributes here"
    echo "Hello." >in
    dragoman -o target in
    [[ $(python3 -c 'import os; print(os.getxattr("target", "user.origin").decode())') == here ]]
    cmp target <(dragoman in)
    no_leftovers
}

@test "keeps owner, group and mode" {
    [[ $(id -u) == 0 ]] || skip "only root can give a file to others"
    echo "old" >target
    chown 65534:65533 target
    chmod 606 target
    echo "Hello." >in
    dragoman -o target in
    [[ $(stat -c %u:%g:%a target) == 65534:65533:606 ]]
    cmp target <(dragoman in)
}

@test "protects the temporary file of a private file" {
    echo "old" >target
    chmod 600 target
    start_waiting target
    [[ $(stat -c %a ./.target.dragoman-"$worker") == 600 ]]
    exec 7>&-
    wait "$worker"
    [[ $(stat -c %a target) == 600 ]]
}

@test "keeps the mode of a file that is removed meanwhile" {
    echo "old" >target
    chmod 640 target
    start_waiting target
    rm target
    exec 7>&-
    wait "$worker"
    [[ $(stat -c %a target) == 640 ]]
    no_leftovers
}

@test "copies into a mount point, which keeps its inode" {
    # shellcheck disable=SC2016 # expanded by the inner shell
    in_namespace '
        echo "old" >inside
        : >outside
        mount --bind outside inside || exit 99
        echo "Hello." >in
        "$DRAGOMAN" -o inside in
        umount inside
    ' || { [[ $? == 99 ]] && skip "no mount points can be made here"; return 1; }
    [[ $(cat inside) == old ]]
    cmp outside <(dragoman in)
    no_leftovers
}

@test "copies into a file in a read-only folder" {
    # shellcheck disable=SC2016 # expanded by the inner shell
    in_namespace '
        mkdir -p folder scratch
        echo "old" >folder/target
        echo "old" >outside
        echo "Hello." >in
        mount --bind folder folder && mount -o remount,ro,bind folder && mount --bind outside folder/target || exit 99
        status=0
        TMPDIR=$PWD/scratch "$DRAGOMAN" -o folder/target in
        "$DRAGOMAN" -o folder/new in 2>err || status=$?
        [[ $status == 1 ]]
        umount folder/target folder
    ' || { [[ $? == 99 ]] && skip "no mount points can be made here"; return 1; }
    expect_err "dragoman: folder/new: cannot create the file: Read-only file system"
    cmp outside <(dragoman in)
    [[ $(cat folder/target) == old ]]
    [[ -z $(ls scratch) ]]
    no_leftovers
}

# Replaces the target by a folder while the translation runs.
@test "keeps and names the complete file if it can be neither renamed nor copied" {
    start_waiting target
    mkdir target
    exec 7>&-
    status=0
    wait "$worker" || status=$?
    expect_status 1
    expect_err "dragoman: target: Is a directory; the complete output is in ./target.dragoman-$worker"
    cmp "target.dragoman-$worker" <(echo "Hello." | dragoman)
    # A later run leaves it alone.
    rmdir target
    echo "Hello." | dragoman -o target
    cmp target "target.dragoman-$worker"
}

@test "keeps a copy in TMPDIR and names it if the folder vanishes" {
    mkdir folder scratch
    TMPDIR=$PWD/scratch start_waiting folder/target folder/.target
    rm -r folder
    exec 7>&-
    status=0
    wait "$worker" || status=$?
    expect_status 1
    kept=$PWD/scratch/target.dragoman-$worker
    expect_err "dragoman: folder/target: No such file or directory; the complete output is in $kept"
    cmp "$kept" <(echo "Hello." | dragoman)
}

@test "names no file if no copy can be kept" {
    mkdir folder
    TMPDIR=$PWD/nowhere start_waiting folder/target folder/.target
    rm -r folder
    exec 7>&-
    status=0
    wait "$worker" || status=$?
    expect_status 1
    grep -q '^dragoman: folder/target: No such file or directory; the output could not be saved: ' err
}

@test "copies the open file if the temporary file is removed" {
    start_waiting target
    rm .target.dragoman-"$worker"
    exec 7>&-
    wait "$worker"
    cmp target <(echo "Hello." | dragoman)
    no_leftovers
}

@test "keeps the old and the complete file if a copy does not fit" {
    # shellcheck disable=SC2016 # expanded by the inner shell
    in_namespace '
        mkdir small
        : >target
        mount -t tmpfs -o size=16k tmpfs small || exit 99
        echo "precious" >small/file
        head -c 12000 /dev/zero >small/filler
        mount --bind small/file target
        for i in {1..400}; do echo "Hello."; done >in
        status=0
        "$DRAGOMAN" --format jsonl -o target in 2>err || status=$?
        cp target left
        [[ $status == 1 ]]
    ' || { [[ $? == 99 ]] && skip "no mount points can be made here"; return 1; }
    [[ $(cat left) == precious ]]
    kept=$(sed -n 's/^dragoman: target: No space left on device; the complete output is in //p' err)
    cmp "$kept" <(dragoman --format jsonl in)
}

@test "removes what a killed run for the same file has left" {
    start_waiting target
    left=./.target.dragoman-$worker
    kill -s KILL "$worker"
    wait "$worker" || true
    exec 7>&-
    [[ -e $left ]]
    # Neither a link nor the file for another target, nor that of a running process.
    ln -s in .target.dragoman-"$((worker - 1))"
    : >.other.dragoman-"$worker"
    : >".target.dragoman-$$"
    : >.target.dragoman-x
    echo "Hello." >in
    dragoman -o other2 in
    [[ -e $left ]]
    dragoman -o target in
    [[ ! -e $left ]]
    [[ -L .target.dragoman-$((worker - 1)) && -s in ]]
    [[ -e .other.dragoman-$worker && -e .target.dragoman-$$ && -e .target.dragoman-x ]]
}

@test "keeps a locked temporary file, whatever its process id" {
    command -v flock >/dev/null || skip "no flock here"
    sleep 0 &
    gone=$!
    wait "$gone"
    exec 7>.target.dragoman-"$gone"
    flock 7
    echo "Hello." | "$DRAGOMAN" -o target 7>&-
    [[ -e .target.dragoman-$gone ]]
    exec 7>&-
    echo "Hello." | dragoman -o target
    no_leftovers
}

@test "writes a file with the longest possible name" {
    name=$(printf '%0255d' 0)
    echo "Hello." >in
    dragoman -o "$name" in
    cmp "$name" <(dragoman in)
    name=$(printf 'ä%.0s' {1..127})
    dragoman -o "$name" in
    cmp "$name" <(dragoman in)
    no_leftovers
}
