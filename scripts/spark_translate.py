#!/usr/bin/env python3
"""spark_translate.py - translate text, JSON Lines or Parquet with dragoman on an Apache Spark cluster.

  spark-submit spark_translate.py [OPTION]... INPUT OUTPUT [-- DRAGOMAN-OPTION...]

INPUT is a file, a folder or a pattern of a file system that Spark reads. OUTPUT
is a folder that does not exist yet. Its files, in the order of their names, are
what one dragoman process writes for the files of INPUT in the order of theirs.

text     one line in, one line out
jsonl    one object in, one object out; `dragoman --as jsonl` replaces the texts
parquet  each row gets another column with the translation of the text column

Each task runs `dragoman -j1` on up to --lines lines at a time, so that a Spark
slot uses one core. The processes of a machine share a packed model, which they
map from the same file. dragoman and the model must have the same absolute paths
on all machines. Spark runs the tasks of a lost executor again; only complete
tasks add files to OUTPUT, and _SUCCESS appears when all are complete.

Requires pyspark 3.5 or later with pyarrow. docs/scale.md has examples.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Iterable, Iterator, Optional

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

# The columns that give each row its place in the input.
ORDER = ["__dragoman_path", "__dragoman_block", "__dragoman_row"]
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NEWLINE = b"\n"
STDERR_LINES = 5


class TranslationError(Exception):
    """One line for the user: what failed and what dragoman said about it."""


# --- dragoman, which needs no Spark -----------------------------------------


def describe_end(status: int) -> str:
    """Says how a process ended: "exit status 1", "killed by SIGKILL"."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def run_dragoman(command: list[str], data: bytes) -> bytes:
    """Returns what dragoman writes for data. Its warnings go to the log of the executor."""
    try:
        result = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise TranslationError(f"{command[0]}: {error.strerror}; dragoman must have this path on all machines") from None
    messages = result.stderr.decode("utf-8", "replace").splitlines()
    if result.returncode != 0:
        said = " | ".join(messages[-STDERR_LINES:]) or "no message"
        raise TranslationError(f"{command[0]}: {describe_end(result.returncode)}: {said}")
    for message in messages:
        print(message, file=sys.stderr)
    return result.stdout


def translate_lines(command: list[str], lines: list[bytes], mark: bool) -> list[bytes]:
    """Translates lines without their LF, and compares the number of lines.

    mark: begin with a byte order mark, which dragoman removes from lines, so
    that a U+FEFF that begins lines[0] is kept, as it is inside a file.
    """
    if not lines:
        return []
    data = (BYTE_ORDER_MARK if mark else b"") + NEWLINE.join(lines) + NEWLINE
    out = run_dragoman(command, data)
    translations = out.split(NEWLINE)
    if translations.pop() != b"" or len(translations) != len(lines):
        raise TranslationError(
            f"{command[0]}: {out.count(NEWLINE)} complete lines were written for {len(lines)};"
            " use no option that writes to a file, or several lines for one"
        )
    return translations


def translate_values(command: list[str], values: list[Optional[bytes]]) -> list[Optional[bytes]]:
    """Translates each line of each value. None stays None."""
    parts = [None if value is None else value.split(NEWLINE) for value in values]
    translations = iter(translate_lines(command, [line for part in parts if part is not None for line in part], True))
    return [None if part is None else NEWLINE.join(next(translations) for _ in part) for part in parts]


# --- Spark ------------------------------------------------------------------


def translate_batches(
    batches: Iterable[pyarrow.RecordBatch], command: list[str], kind: str, column: str, into: str
) -> Iterator[pyarrow.RecordBatch]:
    """Runs in a task: yields the batches of a partition with their translations."""
    import pyarrow

    for batch in batches:
        values = batch.column(batch.schema.names.index(column)).cast(pyarrow.binary()).to_pylist()
        if kind == "parquet":
            translations = translate_values(command, values)
        else:
            translations = translate_lines(command, values, kind == "text")
        texts = pyarrow.array(translations, pyarrow.binary()).cast(pyarrow.string())
        if kind == "parquet":
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, texts], names=[*batch.schema.names, into])
        else:
            yield pyarrow.RecordBatch.from_arrays([texts], names=[column])


def read_input(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Reads the input with the columns of ORDER. For text and jsonl, the bytes of a line are in `value`."""
    from pyspark.sql.functions import col, monotonically_increasing_id

    if options.format == "parquet":
        frame = spark.read.parquet(options.input)
        check_columns(frame, options)
        columns = [col(f"`{name}`") for name in frame.columns]
    else:
        # Only LF ends a line. As binary, bytes that are not valid UTF-8 reach dragoman unchanged.
        frame = spark.read.text(options.input, lineSep="\n")
        columns = [col("value").cast("binary").alias("value")]
    return frame.select(
        *columns,
        col("_metadata.file_path").alias(ORDER[0]),
        col("_metadata.file_block_start").alias(ORDER[1]),
        monotonically_increasing_id().alias(ORDER[2]),
    )


def check_columns(frame: DataFrame, options: argparse.Namespace) -> None:
    types = dict(frame.dtypes)
    if types.get(options.column) != "string":
        have = ", ".join(name for name, kind in frame.dtypes if kind == "string") or "none"
        raise TranslationError(f"--column {options.column}: no column of strings has this name (columns: {have})")
    if options.into in types:
        raise TranslationError(f"--into {options.into}: this column exists; choose another name")


def translate_frame(frame: DataFrame, options: argparse.Namespace) -> DataFrame:
    """Orders the rows, divides them into tasks, and adds the translations."""
    from pyspark.sql.types import StringType, StructField, StructType

    sc = frame.sparkSession.sparkContext
    partitions = options.partitions or 4 * sc.defaultParallelism
    ordered = frame.repartitionByRange(partitions, *ORDER).sortWithinPartitions(*ORDER).drop(*ORDER)
    kind, command = options.format, options.command
    column = options.column if kind == "parquet" else "value"
    into = options.into
    field = StructField(into if kind == "parquet" else "value", StringType())
    schema = StructType([*ordered.schema.fields, field] if kind == "parquet" else [field])
    return ordered.mapInArrow(lambda batches: translate_batches(batches, command, kind, column, into), schema)


def translate(spark: SparkSession, options: argparse.Namespace) -> int:
    """Writes the translation and returns the number of rows."""
    rows_in = read_input(spark, options).count()
    translated = translate_frame(read_input(spark, options), options)
    if options.format == "parquet":
        translated.write.parquet(options.output)
        rows_out = spark.read.parquet(options.output).count()
    else:
        translated.write.text(options.output, lineSep="\n")
        rows_out = spark.read.text(options.output, lineSep="\n").count()
    if rows_in != rows_out:
        raise TranslationError(f"{options.output}: {rows_out} rows were written for {rows_in}; do not use this output")
    return rows_out


def start_spark(options: argparse.Namespace) -> SparkSession:
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.appName("dragoman")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", options.lines)
        # Version 1 moves the files of all tasks into OUTPUT at the end of the job, version 2 those of each task.
        .config("spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version", 1)
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .getOrCreate()
    )


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    more: list[str] = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, more = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        prog="spark_translate.py",
        usage="spark-submit %(prog)s [OPTION]... INPUT OUTPUT [-- DRAGOMAN-OPTION...]",
        description="Translate text, JSON Lines or Parquet with dragoman on an Apache Spark cluster.",
    )
    parser.add_argument("input", metavar="INPUT", help="a file, a folder or a pattern")
    parser.add_argument("output", metavar="OUTPUT", help="a folder that does not exist yet")
    parser.add_argument("--format", choices=["text", "jsonl", "parquet"], default="text", help="default: text")
    parser.add_argument("--column", default="text", help="parquet: translate this column (default: text)")
    parser.add_argument("--into", default="translation", help="parquet: the new column (default: translation)")
    parser.add_argument("--dragoman", default="dragoman", metavar="PATH", help="the program on each machine")
    parser.add_argument("--lines", type=positive, default=10000, help="lines for each process (default: 10000)")
    parser.add_argument("--partitions", type=positive, help="number of tasks and files (default: 4 for each slot)")
    options = parser.parse_args(arguments)
    options.command = [options.dragoman, "-j1", *(["--as", "jsonl"] if options.format == "jsonl" else []), *more]
    return options


def positive(text: str) -> int:
    number = int(text)
    if number <= 0:
        raise ValueError(text)
    return number


def one_line(error: Exception) -> Optional[str]:
    """Returns the message of an error that the user can mend. Spark puts that of a task into a long trace."""
    from pyspark.errors import AnalysisException

    if isinstance(error, TranslationError):
        return str(error)
    lines = str(error).splitlines()
    for line in lines:
        _, found, message = line.partition("TranslationError: ")
        if found:
            return message.strip()
    return lines[0] if isinstance(error, AnalysisException) and lines else None


def main() -> int:
    options = parse_arguments(sys.argv[1:])
    spark = start_spark(options)
    try:
        rows = translate(spark, options)
    except Exception as error:
        message = one_line(error)
        if message is None:
            raise
        print(f"spark_translate: {message}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    print(f"spark_translate: {rows} rows translated", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
