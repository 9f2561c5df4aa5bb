"""The class Translator."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import re
import threading
import weakref
from collections import deque
from typing import (
    TYPE_CHECKING,
    Any,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    overload,
)

from . import _library
from ._engine import TURN, Call, Engine, Text, closed_error, cores, engines, opening
from ._errors import Error, FileError, UsageError, at_index
from ._library import quick, waiting
from ._models import choose, resolve, shown
from ._job import Job
from ._options import LINE_OPTIONS, checked, describe, number
from ._progress import Progress, Wish, size_of
from ._results import DetailReader, Reader, Score, Translation, read_text

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    from ._options import Options

ModelPath = Union[str, "os.PathLike[str]"]

READ_AHEAD = 256  # lines for each thread
READ_AHEAD_BYTES = 16 << 20
FEW_LINES = 64  # below this number of lines in progress, a stream does not wait until it has TURN lines


class Languages(NamedTuple):
    """The codes of the languages that a model translates from and into; empty if the model does not tell."""

    sources: List[str]
    targets: List[str]


def languages(model: Optional[ModelPath] = None) -> Languages:
    """Returns the languages of a model. Its weights are not read."""
    outline = ctypes.c_void_p()
    error = _library.DragomanError()
    path = choose(None, None).paths[0] if model is None else resolve(model)
    if not os.path.exists(path):
        path = path.split(",")[0]  # of an ensemble
    if not os.path.exists(path):
        raise FileError(f"{path}: No such file or directory")
    name = os.path.basename(os.fsdecode(model) if model is not None else path)
    with opening:
        status = waiting.outline(outline, os.fsencode(path), os.fsencode(name), error)
    _library.check(status, error)
    try:
        fault = quick.outline_fault(outline)
        if fault:
            raise _library.ERRORS.get(quick.outline_status(outline), Error)(_library.message(fault))
        return Languages(*(_codes(side, outline) for side in (quick.outline_sources, quick.outline_targets)))
    finally:
        quick.outline_free(outline)


def _codes(side: Any, outline: ctypes.c_void_p) -> List[str]:
    count = ctypes.c_size_t()
    codes = side(outline, count)
    return [_library.decode(code) for code in codes[: count.value]] if codes else []


def _encode(text: str, what: str, index: int) -> bytes:
    """The UTF-8 of a text for the library: without NUL and lone surrogates, as the program reads it."""
    if not isinstance(text, str):
        raise TypeError(f"{_name(what, index)} must be a str, not {type(text).__name__}")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")
    if b"\0" in data:
        data = data.replace(b"\0", "\ufffd".encode())
    if b"\n" in data:
        fault = UsageError("the text contains a newline; translate its lines one by one, for example text.split('\\n')")
        raise at_index(fault, what, index)
    return data


def _name(what: str, index: int) -> str:
    return f"{what}[{index}]" if what else "the text"


def _check_iterable(texts: Any, what: str) -> None:
    if isinstance(texts, (str, bytes)) or not (hasattr(texts, "__iter__") or hasattr(texts, "__getitem__")):
        raise TypeError(f"{what} must be an iterable of str, not {type(texts).__name__}")


def _list_of(texts: Any, what: str) -> List[Any]:
    _check_iterable(texts, what)
    return list(texts)


class Translator:
    """Translates lines of text with a model, or with several models one after the other.

    `model` is the path of a model, the name of one, or a list of them, each of which translates the output of the one
    before. "A,B" is an ensemble. Without it, the user's model is used, or models that translate from `from_` into `to`,
    or the English-German model of the package. The options are keyword arguments, and those of the program.

    Several threads may use a Translator at the same time. It has threads and memory until it is closed, which a with
    statement or the garbage collector does, too. A process that is forked opens its own threads when it first
    translates, and so does a Translator that is pickled.

    Options:
    """

    __doc__ = (__doc__ or "") + describe()  # with -OO there is none

    def __init__(self, model: Union[ModelPath, Sequence[ModelPath], None] = None, **options: "Unpack[Options]") -> None:
        models: List[Any] = list(model) if isinstance(model, (list, tuple)) else [model]
        if not models:
            raise UsageError("model: the list is empty")
        self._checked = checked(dict(options), len(models))
        self._uses_job = options.get("from_") == "auto" or any(name in self._checked for name in LINE_OPTIONS)
        if models == [None] and options.get("from_") == "auto":
            self._paths: List[str] = []  # the languages of the texts choose
        elif models == [None]:
            self._paths, via = choose(options.get("from_"), options.get("to"))
            if via:
                self._checked = checked({**options, "via": via}, len(self._paths))
        else:
            self._paths = [resolve(one) for one in models]
        self._closed = False
        self._lock = threading.Lock()
        self._job_lock = threading.Lock()
        self._engine: Optional[Engine] = None
        self._job: Optional[Job] = None
        self.warnings: Tuple[str, ...]
        self.target_language: Optional[str]
        if self._uses_job:
            job = self._open_job()
            self.warnings, self.target_language = job.warnings, job.target_language
        else:
            engine = self._open()
            self.warnings = tuple(_library.message(quick.warnings(engine.handle)).splitlines())
            self.target_language = _library.decode(quick.target_language(engine.handle)) or None

    def _open(self) -> Engine:
        """The threads, which are started when they are needed: in the beginning and after a fork."""
        with self._lock:
            if self._closed:
                raise closed_error()
            if not self._engine:
                engine = Engine(self._paths, self._checked)
                try:
                    self._finalizer = weakref.finalize(self, engine.end)
                    self._finalizer.atexit = False
                    _opened.add(self)
                    self._engine = engine
                except BaseException:  # also Ctrl-C
                    engine.close()
                    raise
            return self._engine

    def _open_job(self) -> Job:
        """What documents, and lines with terms or kept parts, need; it has models of its own."""
        with self._job_lock:
            if self._closed:
                raise closed_error()
            if not self._job:
                job = self._job = Job(self._paths, self._checked)
                self._job_finalizer = weakref.finalize(self, job.end)
                _opened.add(self)
            return self._job

    def _forget_threads(self) -> None:
        """In a forked process, which has none of the threads: their memory cannot be freed."""
        self._lock = threading.Lock()
        self._job_lock = threading.Lock()
        if self._job:
            self._job_finalizer.detach()
            self._job = None
        if self._engine:
            self._finalizer.detach()
            self._engine = None

    def close(self) -> None:
        """Stops the threads and frees the memory. Calls in other threads raise UsageError."""
        self._closed = True
        engine, job = self._engine, self._job
        if engine:
            engine.close()
        if job:
            self._job_finalizer.detach()
            job.close()

    def __enter__(self) -> "Translator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed " if self._closed else ""
        names = ", ".join(repr(shown(path)) for path in self._paths)
        options = "".join(f" {name}={value!r}" for name, value in self._checked.items())
        return f"<{state}dragoman.Translator {names}{options}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _reopen, (self._paths, self._checked)

    def languages(self) -> Languages:
        """Returns the languages of the first model's input and of the last model's output."""
        if not self._paths:
            raise UsageError("languages() needs a model, but from_='auto' chooses one for each text")
        first, last = languages(self._paths[0]), languages(self._paths[-1])
        return Languages(first.sources, last.targets)

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, lines: str, *, details: "Literal[False]" = False, progress: Wish = None
    ) -> str: ...

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, lines: str, *, details: "Literal[True]", progress: Wish = None
    ) -> Translation: ...

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, lines: str, *, details: bool, progress: Wish = None
    ) -> Union[str, Translation]: ...

    @overload
    def translate(
        self, lines: Iterable[str], *, details: "Literal[False]" = False, progress: Wish = None
    ) -> List[str]: ...

    @overload
    def translate(
        self, lines: Iterable[str], *, details: "Literal[True]", progress: Wish = None
    ) -> List[Translation]: ...

    @overload
    def translate(
        self, lines: Iterable[str], *, details: bool, progress: Wish = None
    ) -> Union[List[str], List[Translation]]: ...

    def translate(
        self, lines: Union[str, Iterable[str]], *, details: bool = False, progress: Wish = None
    ) -> Any:
        """Translates one line, or many at once. Returns a str for a str, else a list; with `details`, Translations.

        `progress` is True for a bar, which needs the package tqdm, or a function that is called with the number of
        lines that are translated and the number of all lines.
        """
        is_one = isinstance(lines, str)
        given: List[Any] = [lines] if is_one else _list_of(lines, "lines")
        what = "" if is_one else "lines"
        self._refuse_job("details", details)
        texts = [_encode(line, what, i) for i, line in enumerate(given)]
        with Progress(progress, len(texts)) as shown:
            if self._uses_job:
                turn = READ_AHEAD if shown.is_shown else max(len(texts), 1)
                translations: List[Any] = []
                for first in range(0, len(texts), turn):
                    translations += self._run_job(texts[first : first + turn], first, what)
                    shown.add(min(turn, len(texts) - first))
            else:
                translations = self._run(texts, what, details, shown=shown)
        return translations[0] if is_one else translations

    def _refuse_job(self, what: str, is_asked: bool = True) -> None:
        if is_asked and self._uses_job:
            given = [name for name in LINE_OPTIONS if name in self._checked] or ["from_='auto'"]
            raise UsageError(f"{what} cannot be used with the option {given[0]}")

    def _run_job(self, texts: Sequence[bytes], first: int, what: str) -> List[str]:
        """Translates encoded lines, the first of which has the index `first`."""
        if not texts:
            return []
        try:
            made = self._open_job().text(b"\n".join(texts))
        except Error as fault:
            place = re.match(r"text:(\d+): ", str(fault))
            if not place:
                raise
            named = type(fault)(str(fault)[place.end() :])
            raise at_index(named, what, first + int(place[1]) - 1) from None
        return _library.decode(made).split("\n")

    def translate_file(self, source: ModelPath, target: ModelPath) -> None:
        """Translates a document, or a text file line by line, into another file, which appears when it is complete.

        The name of the source tells its format. What the program would warn of is a TranslationWarning.
        """
        self._open_job().file(source, target)

    def translate_document(self, data: bytes, format: str) -> bytes:
        """Translates a document in memory. `format` is its name, such as "docx" ('dragoman help documents' lists them).

        What the program would warn of is a TranslationWarning.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data must be bytes, not {type(data).__name__}")
        if not isinstance(format, str):
            raise TypeError(f"format must be a str, not {type(format).__name__}")
        return self._open_job().document(format, bytes(data))

    def _run(
        self, texts: Sequence[Text], what: str, details: bool, score: bool = False, shown: Optional[Progress] = None
    ) -> List[Any]:
        engine = self._open()
        results: List[Any] = []
        is_shown = shown is not None and shown.is_shown  # results are delivered as soon as possible
        call = Call(self._reader(engine, details, score), what, None if is_shown else len(texts))
        try:
            engine.begin(call)
            engine.send(call, texts)
            while len(results) < len(texts):
                taken = call.take()
                results += taken
                if shown:
                    shown.add(len(taken))
        finally:
            engine.finish(call)
        return results

    def _reader(self, engine: Engine, details: bool, score: bool = False) -> Reader:
        reader = DetailReader(engine.handle, self._checked)
        return reader.read_score if score else reader.read if details else read_text

    @overload
    def translate_stream(
        self,
        lines: Iterable[str],
        *,
        details: "Literal[False]" = False,
        read_ahead: Optional[int] = None,
        progress: Wish = None,
    ) -> Iterator[str]: ...

    @overload
    def translate_stream(
        self, lines: Iterable[str], *, details: "Literal[True]", read_ahead: Optional[int] = None, progress: Wish = None
    ) -> Iterator[Translation]: ...

    @overload
    def translate_stream(
        self, lines: Iterable[str], *, details: bool, read_ahead: Optional[int] = None, progress: Wish = None
    ) -> Union[Iterator[str], Iterator[Translation]]: ...

    def translate_stream(
        self,
        lines: Iterable[str],
        *,
        details: bool = False,
        read_ahead: Optional[int] = None,
        progress: Wish = None,
    ) -> Iterator[Any]:
        """Translates lines while they are read. Returns an iterator that yields the translations in order.

        At most `read_ahead` lines are read before the translation of the first of them is yielded; by default, 256 for
        each thread. `progress` is as for translate(); the number of all lines is None if `lines` has no length.
        """
        _check_iterable(lines, "lines")
        if read_ahead is None:
            read_ahead = READ_AHEAD * (self._checked.get("threads") or cores())
        read_ahead = number("read_ahead", read_ahead)
        if self._uses_job:
            self._refuse_job("details", details)
            made = self._stream_job(iter(lines), read_ahead)
        else:
            engine = self._open()
            made = self._stream(engine, Call(self._reader(engine, details), "lines"), iter(lines), read_ahead)
        return self._show(made, Progress(progress, size_of(lines))) if progress else made

    @staticmethod
    def _show(translations: Iterator[Any], progress: Progress) -> Iterator[Any]:
        with progress:
            for translation in translations:
                progress.add(1)
                yield translation

    def _stream_job(self, lines: Iterator[str], read_ahead: int) -> Iterator[str]:
        first = 0
        fault: Union[UsageError, TypeError, None] = None
        while fault is None:
            texts: List[bytes] = []
            size = 0
            for index, line in enumerate(itertools.islice(lines, read_ahead), first):
                try:
                    texts.append(_encode(line, "lines", index))
                except (UsageError, TypeError) as error:
                    fault = error
                    break
                size += len(texts[-1])
                if size >= READ_AHEAD_BYTES:
                    break
            if not texts:
                break
            try:
                made = self._run_job(texts, first, "lines")
            except Error as error:
                if error.index is not None:
                    yield from self._run_job(texts[: error.index - first], first, "lines")
                raise
            yield from made
            first += len(texts)
        if fault:
            raise fault

    def _stream(self, engine: Engine, call: Call, lines: Iterator[str], read_ahead: int) -> Iterator[Any]:
        sizes: Deque[int] = deque()  # of the lines in progress
        size = 0
        turn: List[Text] = []
        fault: Union[UsageError, TypeError, None] = None
        try:
            engine.begin(call)
            for index, line in enumerate(lines):
                try:
                    text = _encode(line, "lines", index)
                except (UsageError, TypeError) as error:
                    fault = error
                    break
                turn.append(text)
                sizes.append(len(text))
                size += len(text)
                if len(turn) < TURN and FEW_LINES < len(sizes) < read_ahead and size < READ_AHEAD_BYTES:
                    continue
                engine.send(call, turn)
                turn = []
                while call.has_results() or len(sizes) >= read_ahead or size >= READ_AHEAD_BYTES:
                    for result in call.take():
                        size -= sizes.popleft()
                        yield result
            engine.send(call, turn)
            while sizes:
                for result in call.take():
                    sizes.popleft()
                    yield result
            if fault:
                raise fault
        finally:
            engine.finish(call)

    @overload
    def score(self, sources: str, targets: str) -> Score: ...  # type: ignore[overload-overlap]

    @overload
    def score(self, sources: Iterable[str], targets: Iterable[str]) -> List[Score]: ...

    def score(self, sources: Union[str, Iterable[str]], targets: Union[str, Iterable[str]]) -> Any:
        """Computes how probable the model finds each target as the translation of the source at the same place."""
        self._refuse_job("score()")
        if isinstance(sources, str) and isinstance(targets, str):
            return self._run([(_encode(sources, "", 0), _encode(targets, "", 0))], "", False, True)[0]
        if isinstance(sources, str) or isinstance(targets, str):
            raise TypeError("sources and targets must be two str, or two iterables of str")
        left, right = _list_of(sources, "sources"), _list_of(targets, "targets")
        if len(left) != len(right):
            kinds = (left, "source"), (right, "target")
            counts = [f"{len(texts)} {kind}{'s' * (len(texts) != 1)}" for texts, kind in kinds]
            raise UsageError(f"there are {' and '.join(counts)}")
        pairs: List[Text] = [
            (_encode(source, "sources", i), _encode(target, "targets", i))
            for i, (source, target) in enumerate(zip(left, right))
        ]
        return self._run(pairs, "sources", False, True)


def _reopen(models: List[str], options: Dict[str, Any]) -> Translator:
    return Translator(models or None, **options)  # no models: the languages of the texts choose


_opened: "weakref.WeakSet[Translator]" = weakref.WeakSet()


def _at_exit() -> None:
    """Calls of daemon threads stay where they are: nobody reads an exception any more."""
    left = list(engines)
    for engine in left:
        engine.end(silent=True)
    for engine in left:
        engine.close()


atexit.register(_at_exit)


def _after_fork() -> None:
    engines.clear()
    for translator in _opened:
        translator._forget_threads()
    opening.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=opening.acquire, after_in_parent=opening.release, after_in_child=_after_fork)
