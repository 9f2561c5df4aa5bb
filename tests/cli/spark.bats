#!/usr/bin/env bats
# spark.bats - scripts/spark_translate.py.
#
# The tests that need Spark run if SPARK_PYTHON names a Python with pyspark:
# `make test-spark` installs one below the build folder.
# shellcheck disable=SC2030,SC2031 # each test has its own exports

load helper

SCRIPT=$ROOT/scripts/spark_translate.py

# Runs Python with the module `spark_translate` and the program in `dragoman`.
python_test() {
    command -v python3 >/dev/null || skip "no python3"
    timeout "$LIMIT" python3 -c 'import os, sys; sys.path.insert(0, sys.argv[1])
import spark_translate as s
dragoman = [os.environ["DRAGOMAN"], "-q"]
'"$1" "$ROOT/scripts"
}

# fails_with MESSAGE: the standard input is Python, and it raises TranslationError with this message.
fails_with() {
    python_test "$(printf 'try:\n    %s\nexcept s.TranslationError as e:\n    print(e)\n' "$(cat)")" >out
    diff -u - out <<<"$1"
}

need_spark() {
    [[ -n ${SPARK_PYTHON-} ]] || skip "SPARK_PYTHON is not set; make test-spark sets it"
    export PYSPARK_PYTHON=$SPARK_PYTHON HOME=$BATS_TEST_TMPDIR SPARK_LOCAL_IP=127.0.0.1 TMPDIR=$BATS_TEST_TMPDIR
    SPARK_HOME=$("$SPARK_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
    export SPARK_HOME SPARK_WORKER_DIR=$BATS_TEST_TMPDIR/workers SPARK_LOCAL_DIRS=$BATS_TEST_TMPDIR/local
}

# spark MASTER ARGUMENT...: like translate, with Spark and $PROGRAM instead of the program under test.
# spark-submit writes what the script prints to its standard output.
spark() {
    local master=$1
    shift
    status=0
    timeout "$LIMIT" "$SPARK_HOME/bin/spark-submit" --master "$master" --conf spark.ui.enabled=false \
        --conf spark.log.level=WARN "$SCRIPT" --dragoman "${PROGRAM:-$DRAGOMAN}" "$@" >out 2>err </dev/null || status=$?
}

# A program like dragoman that, on its third call, kills the Spark executor that runs it.
make_killer() {
    cat >killer <<'SH'
#!/bin/bash
set -u
calls=$(dirname "$0")/calls
mkdir -p "$calls"
if ! mkdir "$calls/1" 2>/dev/null && ! mkdir "$calls/2" 2>/dev/null && mkdir "$calls/3" 2>/dev/null; then
    pid=$$
    while ((pid > 1)); do
        if tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q CoarseGrainedExecutorBackend; then
            echo "$pid" >"$calls/killed"
            kill -9 "$pid"
            exit 1
        fi
        pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
    done
fi
exec "$DRAGOMAN" "$@"
SH
    chmod +x killer
}

@test "translates lines and keeps blank lines, carriage returns and a byte order mark inside a file" {
    printf '\xef\xbb\xbfThis is a line.\n\n \r\nThis is\ra line.\r\n' >end
    numbered_lines 1 5 >in
    cat end >>in
    dragoman -q in >expected
    python_test 'data = open("in", "rb").read().split(b"\n")[:-1]
for part in (data[:5], data[5:], []):
    sys.stdout.buffer.write(b"".join(line + b"\n" for line in s.translate_lines(dragoman, part, True)))' >out
    cmp out expected
}

@test "translates each line of a value, and keeps missing values" {
    python_test 'one = s.translate_lines(dragoman, [b"This is a line."], True)[0]
values = s.translate_values(dragoman, [None, b"", b"This is a line.\n\nThis is a line.", None, b"This is a line."])
assert values == [None, b"", one + b"\n\n" + one, None, one], values
assert s.translate_values(dragoman, [None, None]) == [None, None]'
}

@test "a dragoman that dies is an error with its message" {
    fails_with "$DRAGOMAN: exit status 1: dragoman: /none: No such file or directory" \
        <<<'s.translate_lines([dragoman[0], "-m", "/none"], [b"a"], True)'
    fails_with "/nowhere/dragoman: No such file or directory; dragoman must have this path on all machines" \
        <<<'s.translate_lines(["/nowhere/dragoman"], [b"a"], True)'
    fails_with "sh: killed by SIGKILL: no message" <<<'s.translate_lines(["sh", "-c", "kill -9 $$"], [b"a"], True)'
}

@test "a number of lines that is not that of the input is an error" {
    local rest="use no option that writes to a file, or several lines for one"
    fails_with "$DRAGOMAN: 4 complete lines were written for 2; $rest" \
        <<<'s.translate_lines([*dragoman, "-b2", "-n2"], [b"This is.", b"a line."], True)'
    fails_with "$DRAGOMAN: 0 complete lines were written for 1; $rest" \
        <<<'s.translate_lines([*dragoman, "-o", "file"], [b"This is."], True)'
    fails_with "sh: 0 complete lines were written for 1; $rest" <<<'s.translate_lines(["sh", "-c", "printf a"], [b"a"], True)'
}

@test "Spark: the lines of several files are those of one process, though an executor is killed" {
    need_spark
    make_killer
    mkdir in
    numbered_lines 1 1500 >in/b.txt
    numbered_lines 1501 2000 >in/a.txt
    { printf '\n \r\n'; numbered_lines 2001 4000; } >in/c.txt
    dragoman -q in/a.txt in/b.txt in/c.txt >expected
    PROGRAM=$PWD/killer spark 'local-cluster[2,1,1024]' --lines 100 --partitions 6 in result -- -q
    expect_status 0
    [ -s calls/killed ]
    [ -e result/_SUCCESS ]
    cat result/part-* | cmp - expected
    grep -q '^spark_translate: 4002 rows translated$' out
}

@test "Spark: adds a column to Parquet files and keeps the other columns and the order" {
    need_spark
    cat >make.py <<'PY'
import datetime, decimal, sys, pyarrow as pa, pyarrow.parquet as pq
n = 1000
lines = open("in", encoding="utf-8").read().split("\n")
text = [None if i % 50 == 7 else lines[i] + "\n" + lines[i + 1] if i % 50 == 9 else lines[i] for i in range(n)]
when = [datetime.datetime(2026, 10, 25, 0, i % 60, tzinfo=datetime.timezone.utc) for i in range(n)]
pq.write_table(pa.table({"id": list(range(n)), "a b": pa.array(text), "list": [[i, i] for i in range(n)], "when": pa.array(when),
    "money": pa.array([decimal.Decimal(i) / 100 for i in range(n)], pa.decimal128(12, 2))}), "in.parquet", row_group_size=300)
PY
    cat >check.py <<'PY'
import glob, pyarrow as pa, pyarrow.parquet as pq
source = pq.read_table("in.parquet")
files = sorted(glob.glob("result/*.parquet"))
assert len(files) == 3, files
result = pa.concat_tables(pq.read_table(f) for f in files)
assert result.column_names == [*source.column_names, "german"], result.column_names
for name in source.column_names:
    assert result[name].to_pylist() == source[name].to_pylist(), name
translated = iter(open("expected", encoding="utf-8").read().split("\n"))
for value, german in zip(source["a b"].to_pylist(), result["german"].to_pylist()):
    expected = None if value is None else "\n".join(next(translated) for _ in value.split("\n"))
    assert german == expected, (value, german)
PY
    numbered_lines 1 1001 >in
    "$SPARK_PYTHON" make.py
    "$SPARK_PYTHON" -c 'import pyarrow.parquet as pq
for value in pq.read_table("in.parquet")["a b"].to_pylist():
    if value is not None: print(value)' >lines
    dragoman -q lines >expected
    spark 'local[2]' --format parquet --column "a b" --into german --partitions 3 --lines 64 in.parquet result -- -q
    expect_status 0
    "$SPARK_PYTHON" check.py
    spark 'local[2]' --format parquet --column id in.parquet other
    expect_status 1
    grep -qx 'spark_translate: --column id: no column of strings has this name (columns: a b)' out
}

@test "Spark: an empty file gives an empty translation" {
    need_spark
    : >in
    spark 'local[2]' in result
    expect_status 0
    cat result/part-* | cmp - in
}

@test "Spark: JSON Lines are those of one process, and a dragoman that dies leaves no output" {
    need_spark
    numbered_lines 1 1000 | sed 's/.*/{"id": 7, "text": "&", "note": "This is."}/' >in.jsonl
    dragoman -q --as jsonl --select text in.jsonl >expected
    spark 'local[2]' --format jsonl --lines 150 in.jsonl result -- -q --select text
    expect_status 0
    cat result/part-* | cmp - expected
    spark 'local[2]' in.jsonl other -- -m /none
    expect_status 1
    grep -qx "spark_translate: $DRAGOMAN: exit status 1: dragoman: /none: No such file or directory" out
    [ ! -e other/_SUCCESS ]
    spark 'local[2]' in.jsonl result
    expect_status 1
    grep -q '^spark_translate: .*result already exists' out
    spark 'local[2]' missing other
    expect_status 1
    grep -q '^spark_translate: .*missing' out
    [ -z "$(find other -name 'part-*' -not -path '*/_temporary/*' 2>/dev/null)" ]
}
