#!/usr/bin/env python3
"""Train both directions on a GPU machine in a quarter of an hour: pack, run, read.

  gpu.py pack PREPARED FOLDER     write all that the other machine needs, with these scripts, as one folder
  gpu.py run FOLDER --out OUT     on that machine: train for --seconds, and leave files under 16 MiB in OUT
  gpu.py read PREPARED OUT NEW    here: write the results as model folders and back-translated pairs

`run` needs no network, and Python with PyTorch, NumPy, SentencePiece, safetensors and sacrebleu. It works with the clock:
each part has a share of the time, and results are written every minute, so that it can be stopped at any moment.
With --prepare, it only encodes and tries each part for a few steps; --work keeps that for the run that follows.
"""

import argparse
import sys



def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    pack = commands.add_parser("pack", help="write the folder for the other machine")
    pack.add_argument("prepared", help="folder of prepare.py")
    pack.add_argument("out", help="folder to write")
    pack.add_argument("--mib", type=float, default=60, help="largest size of the folder (default %(default)s)")
    pack.add_argument("--start", action="append", default=[], metavar="FOLDER",
                      help="exported model with which the direction of its tokenizer_config.json begins")
    pack.add_argument("--mono", type=float, default=0.3, help="share of the text that is monolingual (default %(default)s)")
    run = commands.add_parser("run", help="train")
    run.add_argument("folder", help="folder of pack")
    run.add_argument("--out", required=True)
    run.add_argument("--work", default="/tmp/dragoman-gpu", help="folder for data that a second run uses again")
    run.add_argument("--seconds", type=float, default=570, help="time from the start to the end (default %(default)s)")
    run.add_argument("--prepare", action="store_true", help="encode, align, try each part for a few seconds, and end")
    run.add_argument("--trial", action="store_true", help="a tiny model and little text, to try the script on a CPU")
    run.add_argument("--tokens", type=int, default=60000, help="source and target tokens per step (default %(default)s)")
    run.add_argument("--rate", type=float, default=4e-3, help="highest learning rate (default %(default)s)")
    run.add_argument("--dropout", type=float, default=0.05)
    run.add_argument("--warmup", type=int, default=300)
    run.add_argument("--feeders", type=int, default=6, help="processes that make batches")
    read = commands.add_parser("read", help="read the results")
    read.add_argument("prepared", help="folder of prepare.py that was packed")
    read.add_argument("results", help="folder with the files of run")
    read.add_argument("out", help="folder to write: the models DIRECTION, and back-translated-LANGUAGE")
    args = parser.parse_args()
    if args.command == "run":
        import gpu_run

        gpu_run.Timetable(args).all()
    else:
        import gpu_files

        getattr(gpu_files, args.command)(args)


if __name__ == "__main__":
    sys.exit(main())
