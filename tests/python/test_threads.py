"""Threads, interruption, closing, and processes."""

import gc
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref
from typing import Iterator, List
from unittest import mock

import dragoman
from dragoman import Translator, _library

TEXT = "This is a line of the text."
LIMIT = 240  # seconds after which a process is taken to hang

# What a process does first. It has so many lines that it would take hours to finish. READY says, from another thread,
# that the main thread is busy.
BUSY = """
import dragoman, itertools, sys, threading
translator = dragoman.Translator(threads=1, beam=1)
lines = (f"This is line {n}." for n in itertools.count())
stream = translator.translate_stream(lines)
next(stream)
READY = threading.Timer(0.3, lambda: print("ready", flush=True))
"""


class Process:
    """A Python process that runs `code`; its output is read by lines."""

    def __init__(self, code: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == b"ready\n"

    def finish(self) -> List[str]:
        """Returns the exit status, the output and the errors as texts."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return [str(self.process.returncode), out.decode(), err.decode()]


class ThreadsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.translator = Translator(threads=2, beam=1)
        self.expected = self.translator.translate(TEXT)

    def tearDown(self) -> None:
        self.translator.close()

    def test_several_threads_share_a_translator(self) -> None:
        texts = [[f"Thread {i}: {n}." for n in range(70)] for i in range(4)]
        expected = [self.translator.translate(lines) for lines in texts]
        results: List[List[str]] = [[] for _ in texts]

        def work(i: int) -> None:
            if i % 2:
                results[i] = self.translator.translate(texts[i])
            else:
                results[i] = list(self.translator.translate_stream(texts[i], read_ahead=40))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        self.assertEqual(results, expected)

    def test_streams_can_be_used_in_turns(self) -> None:
        left = self.translator.translate_stream([TEXT] * 50)
        right = self.translator.translate_stream(itertools.repeat(TEXT))
        pairs = list(zip(left, right))
        self.assertEqual(pairs, [(self.expected, self.expected)] * 50)

    def test_the_lines_of_an_abandoned_stream_are_dropped(self) -> None:
        for _ in range(3):
            stream = self.translator.translate_stream(itertools.repeat(TEXT), read_ahead=100)
            self.assertEqual(next(stream), self.expected)
            del stream
        self.assertEqual(self.translator.translate([TEXT, "", TEXT]), [self.expected, "", self.expected])

    def test_close_ends_calls_in_other_threads(self) -> None:
        started = threading.Event()
        errors: List[Exception] = []

        def lines() -> Iterator[str]:
            for number in itertools.count():
                if number == 50:
                    started.set()
                yield TEXT

        def work() -> None:
            try:
                for _ in self.translator.translate_stream(lines()):
                    pass
            except dragoman.Error as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(started.wait(LIMIT))
        self.translator.close()
        thread.join(LIMIT)
        self.assertEqual([str(error) for error in errors], ["the translator is closed"])

    def test_a_closed_translator_raises(self) -> None:
        stream = self.translator.translate_stream([TEXT])
        self.translator.close()
        self.translator.close()
        self.assertRaisesRegex(dragoman.UsageError, "closed", self.translator.translate, TEXT)
        self.assertRaisesRegex(dragoman.UsageError, "closed", self.translator.translate_stream, [TEXT])
        self.assertRaisesRegex(dragoman.UsageError, "closed", next, stream)
        self.assertRaisesRegex(dragoman.UsageError, "closed", self.translator.score, TEXT, TEXT)
        self.assertEqual(repr(self.translator), "<closed dragoman.Translator 'en-de.safetensors' threads=2 beam=1>")

    def test_the_garbage_collector_closes(self) -> None:
        before = set(threading.enumerate())  # of other tests, which may end at any time
        translator = Translator(threads=1)
        threads = set(threading.enumerate()) - before
        self.assertEqual({thread.name for thread in threads}, {"dragoman-sender", "dragoman-receiver"})
        watch = weakref.ref(translator)
        stream = translator.translate_stream(itertools.repeat(TEXT))
        next(stream)
        del translator
        self.assertIsNotNone(watch())
        del stream
        gc.collect()
        self.assertIsNone(watch())
        end = time.monotonic() + LIMIT  # the collector does not wait for the threads
        for thread in threads:
            thread.join(end - time.monotonic())
        self.assertFalse([thread for thread in threads if thread.is_alive()])

    def test_the_garbage_collector_waits_for_no_lock(self) -> None:
        code = (
            "import dragoman, faulthandler, gc, threading\n"
            "from dragoman._engine import opening\n"
            "faulthandler.dump_traceback_later(200, exit=True)\n"
            "class Cycle: pass\n"
            "cycle = Cycle()\n"
            "cycle.cycle, cycle.translator = cycle, dragoman.Translator(threads=1)\n"
            "del cycle\n"
            "with threading._active_limbo_lock, opening: print(gc.collect() > 0)\n"
        )
        self.assertEqual(Process(code).finish(), ["0", "True\n", ""])

    def test_a_thread_that_opens_can_close(self) -> None:
        """As a handler of signals does that interrupts the opening of another model."""
        code = (
            "import dragoman, faulthandler\n"
            "from dragoman._engine import opening\n"
            "faulthandler.dump_traceback_later(200, exit=True)\n"
            "translator = dragoman.Translator(threads=1)\n"
            "with opening: translator.close()\n"
            "print('closed')\n"
        )
        self.assertEqual(Process(code).finish(), ["0", "closed\n", ""])

    def test_a_pickled_translator_opens_its_model_again(self) -> None:
        with Translator("en-de", beam=1) as translator, pickle.loads(pickle.dumps(translator)) as copy:
            self.assertEqual(copy.translate(TEXT), translator.translate(TEXT))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_a_forked_process_translates(self) -> None:
        code = (
            BUSY + "import os, warnings\nwarnings.simplefilter('ignore')\n"
            "print(translator.translate('Good morning.'), flush=True)\n"
            "child = os.fork()\n"
            "if not child: print(translator.translate('Good morning.'), flush=True)\n"
            "else: assert os.waitpid(child, 0)[1] == 0\n"
        )
        status, out, err = Process(code).finish()
        self.assertEqual((status, err), ("0", ""))
        lines = out.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0], lines[1])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_a_fork_waits_until_no_model_is_opened_or_closed(self) -> None:
        code = (
            "import dragoman, os, threading, time, warnings\nfrom dragoman import _library\n"
            "warnings.simplefilter('ignore')\n"
            "def slow(name):\n"
            "    function = getattr(_library.waiting, name)\n"
            "    def call(*arguments):\n"
            "        begun.append(name)\n        time.sleep(0.5)\n        result = function(*arguments)\n"
            "        done.append(name)\n        return result\n"
            "    setattr(_library.waiting, name, call)\n"
            "def work():\n"
            "    dragoman.languages()\n    dragoman.Translator(threads=1).close()\n"
            "begun, done, forks = [], [], 0\n"
            "for name in 'outline', 'open', 'close': slow(name)\n"
            "thread = threading.Thread(target=work)\nthread.start()\n"
            "while thread.is_alive():\n"
            "    if begun == done:\n        time.sleep(0.01)\n        continue\n"
            "    child = os.fork()\n"
            "    if not child:\n"
            "        assert begun == done, begun\n"
            "        print(dragoman.Translator(threads=1).translate(''), flush=True)\n"
            "        os._exit(0)\n"
            "    assert os.waitpid(child, 0)[1] == 0\n"
            "    forks += 1\n"
            "assert forks and len(done) == 3, done\n"
        )
        status, _, err = Process(code).finish()
        self.assertEqual((status, err), ("0", ""))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have(self) -> None:
        code = (
            "import dragoman, os, threading, warnings\nfrom dragoman import _open_models\n"
            "warnings.simplefilter('ignore')\n"
            "def work():\n    with _open_models._lock:\n        held.set()\n        forked.wait()\n"
            "held, forked = threading.Event(), threading.Event()\n"
            "thread = threading.Thread(target=work, daemon=True)\nthread.start()\nheld.wait()\n"
            "child = os.fork()\n"
            "if not child:\n    print(dragoman.translate('Good morning.'), flush=True)\n    os._exit(0)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
            "forked.set()\nthread.join()\n"
        )
        status, out, err = Process(code).finish()
        self.assertEqual((status, err), ("0", ""))
        self.assertEqual(out, "Guten Morgen.\n")

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_a_stream_does_not_go_on_in_a_forked_process(self) -> None:
        code = (
            BUSY + "import os, warnings\nwarnings.simplefilter('ignore')\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    try:\n        for line in stream: pass\n"
            "    except dragoman.UsageError as error: print(error, flush=True)\n"
            "    os._exit(0)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
        )
        status, out, err = Process(code).finish()
        self.assertEqual((status, err), ("0", ""))
        self.assertIn("forked", out)

    def test_an_unexpected_error_in_a_thread_ends_the_call(self) -> None:
        with mock.patch("dragoman._translator.read_text", side_effect=ZeroDivisionError("broken")):
            with self.assertRaisesRegex(dragoman.Error, "ZeroDivisionError.*broken"):
                self.translator.translate([TEXT] * 3)
        self.assertEqual(self.translator.translate(TEXT), self.expected)

    def test_an_unexpected_error_of_the_sender_ends_all_calls(self) -> None:
        stream = self.translator.translate_stream(itertools.repeat(TEXT))
        next(stream)
        with mock.patch.object(_library.waiting, "submit_text", side_effect=MemoryError):
            self.assertRaises(dragoman.OutOfMemoryError, self.translator.translate, TEXT)
        self.assertRaises(dragoman.OutOfMemoryError, list, stream)
        self.assertRaises(dragoman.OutOfMemoryError, self.translator.translate, TEXT)


class ProcessTest(unittest.TestCase):
    def interrupt(self, code: str) -> List[str]:
        process = Process(BUSY + code)
        process.wait_until_ready()
        process.process.send_signal(signal.SIGINT)
        return process.finish()

    def test_an_interrupt_ends_a_list(self) -> None:
        status, out, err = self.interrupt(
            "lines = [f'This is line {n}.' for n in range(10**5)]\n"
            "try:\n    READY.start()\n    translator.translate(lines)\n"
            "except KeyboardInterrupt: print('interrupted')\n"
            "print(translator.translate(''))\n"
        )
        self.assertEqual((status, out, err), ("0", "interrupted\n\n", ""))

    def test_an_interrupt_ends_a_stream(self) -> None:
        status, out, err = self.interrupt(
            "try:\n    READY.start()\n    for line in stream: pass\n"
            "except KeyboardInterrupt: print('interrupted')\n"
        )
        self.assertEqual((status, out, err), ("0", "interrupted\n", ""))

    def test_an_interrupt_that_is_not_caught_ends_the_process(self) -> None:
        status, _, err = self.interrupt("READY.start()\nfor line in stream: pass\n")
        self.assertEqual(status, str(-signal.SIGINT))
        self.assertTrue(err.endswith("KeyboardInterrupt\n"), err)

    def test_a_process_ends_while_lines_are_in_progress(self) -> None:
        for code in (
            "",
            "threading.Thread(target=lambda: [line for line in stream], daemon=True).start()\n",
            "other = translator.translate_stream(['word ' * 20000] * 100, read_ahead=100)\n"
            "threading.Thread(target=lambda: next(other), daemon=True).start()\nnext(stream)\n",
            "raise SystemExit(0)\n",
        ):
            with self.subTest(code):
                status, out, _ = Process(BUSY + code).finish()
                self.assertEqual((status, out), ("0", ""))

    def test_exit_without_close_prints_nothing(self) -> None:
        self.assertEqual(Process(BUSY).finish(), ["0", "", ""])

    def test_a_daemon_thread_dies_silently_with_the_process(self) -> None:
        code = (
            "import dragoman, threading, time\ntranslator = dragoman.Translator(threads=1)\n"
            "lines = ['This is a line of the text.'] * 10**5\n"
            "threading.Thread(target=translator.translate, args=(lines,), daemon=True).start()\n"
            "time.sleep(0.5)\n"
        )
        self.assertEqual(Process(code).finish(), ["0", "", ""])

    def test_a_daemon_thread_that_begins_a_call_while_the_process_ends_is_silent(self) -> None:
        code = (
            "import dragoman, threading, time\nfrom dragoman import _engine\n"
            "end, ends = _engine.Engine.end, threading.Event()\n"
            "def slow(self, silent=False):\n    end(self, silent)\n    ends.set()\n    time.sleep(0.2)\n"
            "_engine.Engine.end = slow\n"
            "translator = dragoman.Translator(threads=1)\n"
            "def lines():\n    begun.set()\n    ends.wait()\n    yield 'One.'\n"
            "begun = threading.Event()\n"
            "threading.Thread(target=translator.translate, args=(lines(),), daemon=True).start()\n"
            "begun.wait()\n"
        )
        self.assertEqual(Process(code).finish(), ["0", "", ""])


if __name__ == "__main__":
    unittest.main()
