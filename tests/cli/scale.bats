#!/usr/bin/env bats
# scale.bats - the commands of docs/scale.md, taken from the document.
#
# ssh and sbatch are replaced by scripts: no test needs another machine, a
# network, a user account or a terminal.
# shellcheck disable=SC2016 # single quotes: texts of scripts and of the document

load helper

setup_file() {
    # Login shells, variables of a job and settings of GNU parallel must not matter.
    unset "${!SLURM_@}" "${!PARALLEL@}" SHELL
    export PREPARED=$BATS_FILE_TMPDIR/prepared LC_ALL=C.UTF-8 HOME=$BATS_FILE_TMPDIR
    mkdir "$PREPARED"
    cd "$PREPARED" || return
    make_files
}

# block HEADING N: prints the Nth shell block of a section of the document; fails if there is none.
block() {
    awk -v heading="## $1" -v wanted="$2" '
        /^## / { inside = $0 == heading }
        /^```/ { code = inside && $0 == "```sh"; number += code; next }
        code && number == wanted { print; found = 1 }
        END { exit !found }' "$ROOT/docs/scale.md"
}

# run_block HEADING N: runs it as the user would paste it, in an environment with nothing but a search path. Blocks of
# 1 kB divide the short book.fr of the tests.
run_block() {
    block "$1" "$2" | sed 's/--block 100k/--block 1k/' >block.sh
    status=0
    env -i PATH="$PWD/bin:$PATH" HOME="$PWD" TMPDIR="$BATS_TEST_TMPDIR" LC_ALL=C.UTF-8 PARALLEL_HOME="$PWD/.parallel" \
        ${PARALLEL_SSH:+PARALLEL_SSH="$PARALLEL_SSH"} timeout "$LIMIT" bash block.sh >out 2>err </dev/null || status=$?
}

# The files that the document names, fr-en.safetensors, the text, the folder and the programs, and the translation of the
# text by one process.
make_files() {
    mkdir bin french 'french/a b'
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$DRAGOMAN" >bin/dragoman
    chmod +x bin/dragoman
    ln -s "$ROOT/scripts/translate-array" bin/translate-array
    ln -s "$MODEL" opus-mt-fr-en
    run_block "Prepare the model" 1
    expect_status 0
    { numbered_lines 1 130; printf '\n \r\n'; numbered_lines 131 140; } >book.fr
    for i in 1 2 3; do numbered_lines "$i" 9 >"french/a b/$i.txt"; done
    numbered_lines 3 4 >french/top.txt
    dragoman -q -m fr-en.safetensors book.fr >expected
}

prepare() {
    cp -r "$PREPARED/." .
}

need_parallel() {
    PARALLEL_HOME=$PWD/.parallel parallel --version 2>/dev/null </dev/null | grep -q '^GNU parallel' || skip "no GNU parallel"
}

expect_folder() {
    local file
    for file in 'a b'/{1,2,3}.txt top.txt; do dragoman -q -m fr-en.safetensors "french/$file" | cmp - "english/$file"; done
}

# A script instead of ssh. As sshd does, it sets HOME and SHELL. "down" does not
# answer, and "lost" breaks the connection while it sends a translation.
make_ssh() {
    cat >bin/fake-ssh <<'SH'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
host=$1
shift
[[ $1 != -- ]] || shift
echo "$host" >>hosts
[[ $host != down ]] || exit 255
[[ $host != lost ]] || { head -c 99; exit 255; }
exec env -i PATH="$PATH" HOME="$PWD" SHELL=/bin/sh LC_ALL=C.UTF-8 sh -c "$*"
SH
    chmod +x bin/fake-ssh
    export PARALLEL_SSH=$PWD/bin/fake-ssh
}

@test "GNU parallel gives what one process gives" {
    need_parallel
    prepare
    (($(wc -c <book.fr) > 2000)) # three blocks
    run_block "GNU parallel on one machine" 1
    grep -q -- '--block 1k' block.sh
    expect_status 0
    cmp book.en expected
}

@test "GNU parallel translates the files of a folder, and what is missing the second time" {
    need_parallel
    prepare
    run_block "GNU parallel on one machine" 2
    expect_status 0
    expect_folder
    rm english/top.txt
    echo unchanged >'english/a b/2.txt'
    run_block "GNU parallel on one machine" 2
    expect_status 0
    [[ $(cat 'english/a b/2.txt') == unchanged ]]
    dragoman -q -m fr-en.safetensors french/top.txt | cmp - english/top.txt
}

@test "several machines give what one process gives" {
    need_parallel
    prepare
    make_ssh
    printf '1/alpha\n1/beta\n' >machines
    run_block "GNU parallel on several machines" 1
    expect_status 0
    cmp book.en expected
    [[ $(sort -u hosts | xargs) == "alpha beta" ]]
}

@test "other machines do the work of those that do not answer" {
    need_parallel
    prepare
    make_ssh
    printf '1/down\n1/lost\n2/alpha\n' >machines
    run_block "GNU parallel on several machines" 1
    expect_status 0
    cmp book.en expected
    [[ $(sort -u hosts | xargs) == "alpha down lost" ]]
}

@test "without any machine that answers, there is no translation" {
    need_parallel
    prepare
    make_ssh
    printf '1/down\n' >machines
    run_block "GNU parallel on several machines" 1
    ((status != 0))
    [ ! -e book.en ]
}

# Runs the tasks of an array at once, the last one first, and other jobs only if all of them succeed.
make_sbatch() {
    cat >bin/sbatch <<'SH'
#!/bin/bash
for argument; do
    case $argument in
    --array=0-*) last=${argument#--array=0-} ;;
    --dependency=afterok:17) [[ ! -e failed ]] || exit 1 ;;
    esac
done
if [[ -z ${last-} ]]; then
    bash -c "$argument"
    exit
fi
for ((task = last; task >= 0; task--)); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last + 1)) SLURM_ARRAY_TASK_MIN=0 bash -c "$argument" ||
        touch failed
done
echo '17;cluster'
SH
    chmod +x bin/sbatch
}

@test "a job array gives what one process gives" {
    prepare
    make_sbatch
    run_block "A job array" 1
    expect_status 0
    cmp book.en expected
    [ ! -e book.en.parts ]
}

@test "a job array translates the files of a folder" {
    prepare
    run_block "A job array" 2
    expect_status 0
    expect_folder
}

@test "Spark gives what one process gives" {
    [[ -n ${SPARK_PYTHON-} ]] || skip "SPARK_PYTHON is not set; make test-spark sets it"
    prepare
    numbered_lines 1 12000 >book.fr # more than one part of a task
    dragoman -q -m fr-en.safetensors book.fr >expected
    cat >bin/spark-submit <<'SH'
#!/bin/sh
export PYSPARK_PYTHON="$SPARK_PYTHON" SPARK_LOCAL_IP=127.0.0.1
SPARK_HOME=$("$SPARK_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') || exit
export SPARK_HOME
exec "$SPARK_HOME/bin/spark-submit" --master 'local[2]' --conf spark.ui.enabled=false "$@"
SH
    sed -i "2i export SPARK_PYTHON='$SPARK_PYTHON'" bin/spark-submit
    chmod +x bin/spark-submit
    ln -s "$ROOT/scripts/spark_translate.py" spark_translate.py
    run_block "Apache Spark" 1
    expect_status 0
    cmp book.en expected
    numbered_lines 1 50 | sed 's/.*/{"id": 7, "text": "&", "note": "This is."}/' >reviews.jsonl
    "$SPARK_PYTHON" -c 'import json, pyarrow as pa, pyarrow.parquet as pq
rows = [json.loads(line) for line in open("reviews.jsonl")]
pq.write_table(pa.Table.from_pylist(rows), "reviews.parquet")'
    { echo 'model=$PWD/fr-en.safetensors'; block "Apache Spark" 2; } >both.sh
    env PATH="$PWD/bin:$PATH" HOME="$PWD" timeout "$LIMIT" bash -e both.sh
    dragoman -q -m fr-en.safetensors --as jsonl --select text reviews.jsonl >expected
    cat reviews-en/part-* | cmp - expected
    jq -r .text reviews.jsonl | dragoman -q -m fr-en.safetensors >expected
    "$SPARK_PYTHON" -c 'import glob, pyarrow.parquet as pq
for name in sorted(glob.glob("result-en/*.parquet")):
    for text in pq.read_table(name)["english"].to_pylist(): print(text)' | cmp - expected
}
