"""The threads of a Translator.

    calls ---- SimpleQueue ----> sender ---- dragoman_submit() ----> library
      ^                                                                 |
      +---- SimpleQueue of each call <---- receiver <---- dragoman_next()

The library returns lines in the order in which they were submitted, and only the sender submits them. It is therefore
enough to keep the number of the first line of each turn that a call has.

- A caller waits for a SimpleQueue only, which signals interrupt: Ctrl-C stops it at once. Its lines that are in
  progress are finished and dropped.
- The queues can be used by the garbage collector, in any thread and at any time, so end() may be a finalizer. It must
  not wait: the thread that collects may hold any lock, such as those of the module threading.
- The threads refer to the Engine but not to the Translator, which can therefore be collected and then closes it.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from queue import SimpleQueue
from typing import Any, Deque, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import _library
from ._errors import Error, FileError, OutOfMemoryError, UsageError, at_index
from ._library import quick, waiting
from ._options import Settings
from ._results import Reader

WINDOW = 128  # for each thread: the lines in the library, which a new call waits for
TURN = 32  # the lines that a call submits before other calls have their turn
DELIVERY = 256  # the most results that are handed over together

# Held while a model is opened or closed or its outline is read, and during a fork: otherwise the child could inherit a
# lock of the library that another thread has locked. Finalizers do not take it.
opening = threading.RLock()

engines: Set["Engine"] = set()  # those that are open

Text = Union[bytes, Tuple[bytes, bytes]]  # a line, or a source and its translation


def closed_error() -> Error:
    return UsageError("the translator is closed")


def as_error(fault: Exception) -> Error:
    """What a call raises for an exception in one of the threads."""
    if isinstance(fault, Error):
        return fault
    return OutOfMemoryError("out of memory") if isinstance(fault, MemoryError) else Error(repr(fault))


def cores() -> int:
    """The cores that the process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Failure(NamedTuple):
    """The end of a call: an error that counts when the results before it have been taken."""

    error: BaseException
    after: int = 0


class Call:
    """The lines of one call of a method, and their results in order."""

    def __init__(self, read: Reader, what: str, total: Optional[int] = None) -> None:
        self.read = read
        self.what = what  # the name of the texts in messages
        self.total = total  # the number of lines; None: not known, so results are delivered as soon as possible
        self.stopped = False  # the caller takes no more results
        self.refused = False  # the library did not accept a line
        self.submitted = 0  # belongs to the sender
        self.received = 0  # belongs to the receiver
        self._process = os.getpid()
        self._results: "SimpleQueue[Union[List[Any], Failure]]" = SimpleQueue()
        self._taken = 0  # these two belong to the caller
        self._failure: Optional[Failure] = None

    def deliver(self, results: Union[List[Any], Failure]) -> None:
        self._results.put(results)

    def has_results(self) -> bool:
        return not self._results.empty()

    def take(self) -> List[Any]:
        """Waits for results. Raises the error that ends the call, after all results before it."""
        if os.getpid() != self._process:
            raise UsageError("this process was forked during the call, whose results its parent receives; call again")
        while True:
            if self._failure and self._taken >= self._failure.after:
                raise self._failure.error
            results = self._results.get()
            if isinstance(results, Failure):
                self._failure = results
            else:
                self._taken += len(results)
                return results


class Engine:
    """A Dragoman, a thread that submits lines, and a thread that receives them."""

    def __init__(self, models: Sequence[str], options: Dict[str, Any]) -> None:
        self.handle = ctypes.c_void_p()
        self._todo: "SimpleQueue[Optional[Tuple[Call, Sequence[Text], int]]]" = SimpleQueue()
        self._release: "SimpleQueue[None]" = SimpleQueue()  # allows the receiver to close the Dragoman
        self._closer = [True]  # empty when close() has been called
        self._calls: Set[Call] = set()
        self._turns: Deque[Tuple[int, Call]] = deque()  # the number of the first line of each turn
        self._accepted = 0  # belongs to the sender
        self._room: "SimpleQueue[None]" = SimpleQueue()  # an item for each line that the library has returned
        self._window = WINDOW * (options.get("threads") or cores())
        self._silent = False  # callers are not told of the end: the process ends
        self._end: Optional[Error] = None  # why no more lines are translated
        self._sender = threading.Thread(target=self._send, name="dragoman-sender", daemon=True)
        self._receiver = threading.Thread(target=self._receive, name="dragoman-receiver", daemon=True)
        try:
            self._start(models, options)
        except BaseException:  # also Ctrl-C
            self._stop_starting()
            raise

    def _start(self, models: Sequence[str], options: Dict[str, Any]) -> None:
        error = _library.DragomanError()
        with opening:
            _library.check(waiting.check_cpu(error), error)
            with Settings(models, options) as settings:
                _library.check(waiting.job_check(settings, error), error)  # options of documents, which may follow
                _library.check(waiting.open(self.handle, settings, error), error)
        try:
            self._sender.start()
            self._receiver.start()
        except RuntimeError as fault:
            raise FileError(f"cannot start a thread: {fault}") from None
        engines.add(self)

    def _stop_starting(self) -> None:
        """The receiver closes the Dragoman; if it was not started, nobody else does."""
        if self._receiver.ident is not None:
            self.close()
            return
        if self._sender.ident is not None:
            self._todo.put(None)
            self._sender.join()
        if self.handle:
            self._close_handle()

    def _close_handle(self) -> None:
        """Waits a second at most: the thread that has locked may itself wait for this one, in a handler of signals."""
        locked = opening.acquire(timeout=1)
        try:
            waiting.close(self.handle)
        finally:
            if locked:
                opening.release()

    # --- for callers ---

    def begin(self, call: Call) -> None:
        self._calls.add(call)
        if self._end:
            if self._silent and threading.current_thread().daemon:
                threading.Event().wait()  # forever: the process is ending
            raise self._end

    def send(self, call: Call, texts: Sequence[Text]) -> None:
        """Submits texts. A call that sends several times keeps their order if it sends at most TURN each time."""
        self._todo.put((call, texts, 0))

    def finish(self, call: Call) -> None:
        """Must follow begin(). Lines of the call that are still in progress are dropped."""
        call.stopped = True
        self._calls.discard(call)

    def is_closed(self) -> bool:
        return not self._closer

    def end(self, silent: bool = False) -> None:
        """Ends all calls and makes the receiver close the Dragoman. Any thread may call it, more than once."""
        self._silent = self._silent or silent
        try:
            self._closer.pop()
        except IndexError:
            pass
        else:
            self._end = self._end or closed_error()
            quick.cancel(self.handle)
            self._todo.put(None)
            self._room.put(None)
            self._release.put(None)

    def close(self) -> None:
        """As end(), and waits until the Dragoman is closed."""
        self.end()
        if threading.current_thread() not in (self._sender, self._receiver):
            self._receiver.join()

    # --- the sender ---

    def _send(self) -> None:
        """An exception ends all calls: it is not known whether the library has accepted the line."""
        try:
            self._send_turns()
        except Exception as fault:
            self._end = self._end or as_error(fault)
            quick.cancel(self.handle)

    def _send_turns(self) -> None:
        while True:
            job = self._todo.get()
            if job is None or self.is_closed():
                return
            call, texts, begin = job
            end = begin + TURN
            if not call.stopped and not call.refused:
                self._send_turn(call, texts[begin:end])
                if end < len(texts):
                    self._todo.put((call, texts, end))

    def _send_turn(self, call: Call, texts: Sequence[Text]) -> None:
        error = _library.DragomanError()
        self._turns.append((self._accepted + 1, call))
        for text in texts:
            if self._accepted >= self._window:
                self._room.get()
                if self.is_closed():
                    return
            if isinstance(text, bytes):
                status = waiting.submit_text(self.handle, text, len(text), 0, error)
            else:
                status = self._submit_pair(text[0], text[1], error)
            if status != _library.OK:
                self._refuse(call, error)
                return
            self._accepted += 1
            call.submitted += 1

    def _submit_pair(self, source: bytes, target: bytes, error: _library.DragomanError) -> int:
        request = quick.request_new()
        if not request:
            raise MemoryError
        try:
            status = quick.request_begin(request, source, len(source), error)
            if status == _library.OK:
                status = quick.request_score(request, target, len(target), error)
            return int(waiting.submit(self.handle, request, 0, error) if status == _library.OK else status)
        finally:
            quick.request_free(request)

    @staticmethod
    def _refuse(call: Call, error: _library.DragomanError) -> None:
        """Ends the call. Without memory, it is not the line that is at fault; after close(), the receiver ends it."""
        call.refused = True
        if error.status == _library.ERROR_IO:
            return
        fault = _library.exception(error)
        if error.status != _library.ERROR_MEMORY:
            fault = at_index(fault, call.what, call.submitted)
        # The receiver keeps the last results of a list until it has all, so a list does not wait for them.
        call.deliver(Failure(fault, call.submitted if call.total is None else 0))

    # --- the receiver ---

    def _receive(self) -> None:
        try:
            end = self._receive_lines()
        except Exception as fault:
            end = as_error(fault)
        self._end = self._end or end
        for call in () if self._silent else list(self._calls):
            call.deliver(Failure(self._end))
        self._release.get()
        self._sender.join()
        self._close_handle()
        engines.discard(self)

    def _receive_lines(self) -> Error:
        """Hands over lines until there are no more, and returns the reason."""
        line = ctypes.c_void_p()
        error = _library.DragomanError()
        number = 0  # of the line
        call: Optional[Call] = None
        results: List[Any] = []
        while True:
            if quick.ready(self.handle):
                status = quick.next(self.handle, line, error)
            else:
                if call and results and call.total is None:
                    results = self._deliver(call, results)
                status = waiting.next(self.handle, line, error)
            failed = status != _library.OK
            if not line and not (failed and quick.failed_line(self.handle)):
                return _library.exception(error) if failed else closed_error()
            number += 1
            self._room.put(None)
            previous, call = call, self._call_of(number)
            if previous is not call and previous and results:
                results = self._deliver(previous, results)
            if failed:
                quick.skip_failed_line(self.handle)
            if call.stopped:
                continue
            try:
                _library.check(status, error)
                results.append(call.read(line.value or 0))
            except Exception as fault:
                results = self._fail(call, results, as_error(fault))
                continue
            call.received += 1
            if len(results) >= DELIVERY or call.received == call.total:
                results = self._deliver(call, results)

    def _call_of(self, number: int) -> Call:
        turns = self._turns
        while len(turns) > 1 and turns[1][0] <= number:
            turns.popleft()
        return turns[0][1]

    @staticmethod
    def _deliver(call: Call, results: List[Any]) -> List[Any]:
        """Returns the list for the next results."""
        call.deliver(results)
        return []

    @staticmethod
    def _fail(call: Call, results: List[Any], error: Error) -> List[Any]:
        if results:
            call.deliver(results)
        call.stopped = True
        call.deliver(Failure(at_index(error, call.what, call.received)))
        return []
