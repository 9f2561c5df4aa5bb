"""Documents, and texts with terms, kept parts or a memory: the calls of dragoman_job.h.

Each call runs in a thread of its own, so Ctrl-C stops waiting for it at once; a call that was left goes on to its end.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from queue import SimpleQueue
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

from . import _library
from ._engine import as_error, closed_error, opening
from ._errors import Error, FileError, TranslationWarning
from ._library import quick, waiting
from ._options import Settings
from ._program import check_encodable


def _level() -> int:
    """The level of the first caller outside the package, as warnings.warn() counts."""
    folder = os.path.dirname(__file__)
    level = 1
    frame = sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == folder:
        frame = frame.f_back
        level += 1
    return level


class Job:
    """A DragomanJob, whose calls take turns."""

    def __init__(self, models: Sequence[str], options: Dict[str, Any]) -> None:
        self._handle = ctypes.c_void_p()
        self._messages: List[str] = []  # of the call that runs
        self._lock = threading.Lock()  # held during a call
        self._closed = False
        self._left = False  # a caller has stopped waiting for its call
        self._warn = _library.WARN(lambda _, message: self._messages.append(_library.message(message)))
        error = _library.DragomanError()
        with opening, Settings(models, options) as settings:
            status = waiting.job_open(self._handle, settings, _library.DragomanReporter(None, self._warn), error)
        _library.check(status, error)
        self.warnings, self._messages = tuple(self._messages), []
        self.target_language = _library.decode(quick.job_target_language(self._handle)) or None

    def close(self) -> None:
        """Waits for the call that runs, unless its caller has stopped waiting for it."""
        self._closed = True
        if self._lock.acquire(blocking=not self._left):
            self._free_and_release()

    def end(self) -> None:
        """Closes without waiting, so the garbage collector may call it: a call that runs closes at its end."""
        self._closed = True
        if self._lock.acquire(blocking=False):
            self._free_and_release()

    def _free_and_release(self) -> None:
        """Waits a second at most for a thread that opens a model, which may itself wait for this one."""
        locked = opening.acquire(timeout=1)
        try:
            handle, self._handle = self._handle, ctypes.c_void_p()
            waiting.job_close(handle)
        finally:
            if locked:
                opening.release()
            self._lock.release()

    def _call(self, function: Callable[[ctypes.c_void_p], Any]) -> Any:
        """Returns what the function returns, and gives its messages to the module warnings."""
        answer: "SimpleQueue[Tuple[Any, Sequence[str]]]" = SimpleQueue()

        def run() -> None:
            with self._lock:
                try:
                    result: Any = closed_error() if self._closed else function(self._handle)
                except Exception as fault:
                    result = as_error(fault)
                messages, self._messages = self._messages, []
            if self._closed:
                self.end()
            answer.put((result, messages))

        try:
            threading.Thread(target=run, name="dragoman-job", daemon=True).start()
        except RuntimeError as fault:
            raise FileError(f"cannot start a thread: {fault}") from None
        try:
            result, messages = answer.get()
        except BaseException:  # Ctrl-C
            self._left = True
            raise
        for message in messages:
            warnings.warn(message, TranslationWarning, stacklevel=_level())
        if isinstance(result, Error):
            raise result
        return result

    def _bytes(self, function: str, *arguments: Any) -> bytes:
        def run(handle: ctypes.c_void_p) -> bytes:
            made, size, error = ctypes.c_void_p(), ctypes.c_size_t(), _library.DragomanError()
            _library.check(getattr(waiting, function)(handle, *arguments, made, size, error), error)
            try:
                return ctypes.string_at(made.value or 0, size.value)
            finally:
                quick.free_text(made)

        return bytes(self._call(run))

    def text(self, text: bytes) -> bytes:
        """Translates the lines of a text."""
        return self._bytes("job_text", text, len(text))

    def document(self, form: str, data: bytes) -> bytes:
        check_encodable("format", form)
        return self._bytes("job_document", form.encode("utf-8", "surrogateescape"), data, len(data))

    def file(self, source: Union[str, "os.PathLike[str]"], target: Union[str, "os.PathLike[str]"]) -> None:
        for what, path in (("source", source), ("target", target)):
            check_encodable(what, os.fsdecode(path))
        paths = [os.fsencode(path) for path in (source, target)]

        def run(handle: ctypes.c_void_p) -> None:
            error = _library.DragomanError()
            _library.check(waiting.job_file(handle, *paths, error), error)

        self._call(run)
