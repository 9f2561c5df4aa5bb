"""Runs the engines: dragoman itself, and CTranslate2 and transformers in peer_worker.py.

A sentence is a list of pieces. translate() returns a Result; its seconds cover the translation
only, in a process that is loaded and warm.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

WORKER = pathlib.Path(__file__).with_name("peer_worker.py")


@dataclasses.dataclass
class Result:
    seconds: float
    pieces: list | None = None  # one list per sentence
    texts: list | None = None


class Engine:
    """A process that reads and writes lines."""

    def __init__(self, command, environment=None):
        """environment: variables in addition to those of this process."""
        self.command = [str(word) for word in command]
        everything = os.environ | (environment or {})
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=everything)

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{' '.join(self.command)}: ended with exit code {self.process.wait()}")
        return line

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def peak_memory(self):
        """The largest resident set so far, in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024

    def cpu_seconds(self):
        """The CPU time of all threads so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def dragoman_command(program, **options):
    """beam=4, pieces=True: --beam 4 --pieces. Texts come again in each round, and are translated again."""
    command = [program, "--no-reuse"]
    for name, value in options.items():
        command += [f"--{name}"] if value is True else [f"--{name}", value]
    return command


class Dragoman(Engine):
    def __init__(self, program, model, threads, beams, rows=None, length=None, pieces=True, **options):
        """rows: hypotheses in flight per thread (default: dragoman chooses); options: dragoman's long options."""
        options |= {"threads": threads, "beam": beams}
        if rows:
            options["batch-rows"] = rows
        if length:
            options |= {"min-length": length, "max-length": length}
        if pieces:
            options |= {"pieces": True}
        self.pieces = pieces
        super().__init__(dragoman_command(program, model=model, **options))

    def exchange(self, lines, one_by_one):
        """Sends the lines; returns the seconds and the lines of output."""
        data = [(line + "\n").encode() for line in lines]
        start = time.perf_counter()
        if one_by_one:
            out = []
            for line in data:
                self.write(line)
                out.append(self.read_line())
        else:
            writer = threading.Thread(target=self.write, args=(b"".join(data),))
            writer.start()
            out = [self.read_line() for _ in data]
            writer.join()
        return time.perf_counter() - start, out

    def translate(self, sentences=None, lines=None, one_by_one=False):
        """Translates sentences if pieces is true, else lines of text."""
        seconds, out = self.exchange(lines or [" ".join(pieces) for pieces in sentences], one_by_one)
        texts = [line.decode().rstrip("\n") for line in out]
        if self.pieces:
            return Result(seconds, pieces=[text.split(" ") for text in texts])
        return Result(seconds, texts=texts)


class Peer(Engine):
    def __init__(self, name, environment=None, **settings):
        super().__init__([sys.executable, WORKER, name, json.dumps(settings)], environment)
        self.version = json.loads(self.read_line())

    def translate(self, **job):
        self.write(json.dumps(job).encode() + b"\n")
        return Result(**json.loads(self.read_line()))
