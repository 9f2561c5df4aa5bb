"""The functions of libdragoman that the module calls, with their types (dragoman.h, dragoman_hub.h, dragoman_job.h).

The library is opened twice. Functions of `waiting` release the interpreter's lock while they run: those that read
files, compute, or wait for other threads. Functions of `quick` keep it: each takes about a microsecond, and releasing
the lock would let a busy Python thread delay every one of them.
tests/python/test_header.py compares constants and functions with the headers.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_long, c_size_t, c_void_p
from ctypes import c_uint
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

from ._errors import Error, FileError, FormatError, OutOfMemoryError, UnsupportedError, UsageError

NAME = "libdragoman.so.0"

# DragomanStatus
OK, ERROR_IO, ERROR_MEMORY, ERROR_FORMAT, ERROR_UNSUPPORTED, ERROR_USAGE = range(6)
ERRORS: Dict[int, Type[Error]] = {
    ERROR_IO: FileError,
    ERROR_MEMORY: OutOfMemoryError,
    ERROR_FORMAT: FormatError,
    ERROR_UNSUPPORTED: UnsupportedError,
    ERROR_USAGE: UsageError,
}

KINDS = ("TEXT", "LIST", "EACH", "FLAG", "SWITCH", "CHOICE", "SIZE", "NUMBER", "REAL")  # DragomanKind
SCOPES = ("ALL", "FIRST", "LAST", "EACH", "BETWEEN", "JOB")  # DragomanScope
UNITS = ("token", "word")  # DragomanUnit
FLAGS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # DragomanFlag


class DragomanError(Structure):
    _fields_ = [("status", c_int), ("setting", c_int), ("message", ctypes.c_char * 1024)]


class DragomanSettingRow(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("option", c_char_p),
        ("argument", c_char_p),
        ("kind", c_int),
        ("models", c_int),
        ("low", c_double),
        ("high", c_double),
        ("words", POINTER(c_char_p)),
        ("help", c_char_p),
    ]


class DragomanRange(Structure):
    _fields_ = [("begin", c_size_t), ("end", c_size_t)]


class DragomanLink(Structure):
    _fields_ = [("source", c_size_t), ("target", c_size_t)]


class DragomanWeight(Structure):
    _fields_ = [("source", c_size_t), ("probability", c_float)]


class DragomanHubSettings(Structure):
    _fields_ = [("folder", c_char_p), ("no_configuration", c_bool), ("speller", c_void_p), ("context", c_void_p)]


class DragomanChoice(Structure):
    _fields_ = [("paths", POINTER(c_char_p)), ("count", c_size_t), ("via", c_char_p), ("message", c_char_p)]


WARN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class DragomanReporter(Structure):
    _fields_ = [("context", c_void_p), ("warn", WARN)]


COUNT = POINTER(c_size_t)
ERROR = POINTER(DragomanError)
Signature = Tuple[Any, List[Any]]  # the type of the result, those of the arguments

WAITING: Dict[str, Signature] = {
    "check_cpu": (c_int, [ERROR]),
    "open": (c_int, [POINTER(c_void_p), c_void_p, ERROR]),
    "close": (None, [c_void_p]),
    "submit": (c_int, [c_void_p, c_void_p, c_size_t, ERROR]),  # uintptr_t is as large as size_t
    "submit_text": (c_int, [c_void_p, c_char_p, c_size_t, c_size_t, ERROR]),
    "next": (c_int, [c_void_p, POINTER(c_void_p), ERROR]),
    "align": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_int, ERROR]),
    "hub_open": (c_int, [POINTER(c_void_p), POINTER(DragomanHubSettings), ERROR]),
    "hub_close": (None, [c_void_p]),
    "hub_find": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), ERROR]),
    "hub_choose": (
        c_int,
        [c_void_p, POINTER(c_char_p), c_size_t, c_char_p, c_char_p, POINTER(POINTER(DragomanChoice)), ERROR],
    ),
    "outline": (c_int, [POINTER(c_void_p), c_char_p, c_char_p, ERROR]),
    "model_json": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), ERROR]),
    "job_check": (c_int, [c_void_p, ERROR]),
    "job_open": (c_int, [POINTER(c_void_p), c_void_p, POINTER(DragomanReporter), ERROR]),
    "job_close": (None, [c_void_p]),
    "job_text": (c_int, [c_void_p, c_char_p, c_size_t, POINTER(c_void_p), COUNT, ERROR]),
    "job_document": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p), COUNT, ERROR]),
    "job_file": (c_int, [c_void_p, c_char_p, c_char_p, ERROR]),
}

QUICK: Dict[str, Signature] = {
    "version": (c_char_p, []),
    "free_text": (None, [c_void_p]),
    "job_target_language": (c_char_p, [c_void_p]),
    "choice_free": (None, [POINTER(DragomanChoice)]),
    "options_new": (c_void_p, []),
    "options_free": (None, [c_void_p]),
    "setting_row": (POINTER(DragomanSettingRow), [c_int]),
    "add_text": (c_int, [c_void_p, c_int, c_char_p, ERROR]),
    "set_text": (c_int, [c_void_p, c_int, c_char_p, ERROR]),
    "set_number": (c_int, [c_void_p, c_int, c_long, ERROR]),
    "set_real": (c_int, [c_void_p, c_int, c_double, ERROR]),
    "set_flag": (c_int, [c_void_p, c_int, c_bool, ERROR]),
    "request_new": (c_void_p, []),
    "request_free": (None, [c_void_p]),
    "request_begin": (c_int, [c_void_p, c_char_p, c_size_t, ERROR]),
    "request_score": (c_int, [c_void_p, c_char_p, c_size_t, ERROR]),
    "cancel": (None, [c_void_p]),
    "failed_line": (c_size_t, [c_void_p]),
    "skip_failed_line": (None, [c_void_p]),
    "ready": (c_bool, [c_void_p]),
    "next": WAITING["next"],  # if it is ready
    "line_source": (c_char_p, [c_void_p, COUNT]),
    "line_segments": (c_size_t, [c_void_p]),
    "line_wrapped": (c_bool, [c_void_p]),
    "line_cropped": (c_size_t, [c_void_p]),
    "line_rescued": (c_bool, [c_void_p]),
    "line_pivot_count": (c_size_t, [c_void_p]),
    "line_pivot": (c_char_p, [c_void_p, c_size_t, COUNT]),
    "line_count": (c_size_t, [c_void_p]),
    "line_translation": (c_char_p, [c_void_p, c_size_t, COUNT]),
    "line_score": (c_float, [c_void_p, c_size_t]),
    "line_sum": (c_float, [c_void_p, c_size_t]),
    "line_ids": (POINTER(c_int32), [c_void_p, c_size_t, COUNT]),
    "line_forced": (c_size_t, [c_void_p, c_size_t]),
    "line_token_scores": (POINTER(c_float), [c_void_p, c_size_t, COUNT]),
    "line_confidence": (c_double, [c_void_p, c_size_t]),
    "line_flags": (c_uint, [c_void_p, c_size_t]),
    "flag_name": (c_char_p, [c_uint]),
    "alignment_free": (None, [c_void_p]),
    "alignment_sources": (POINTER(DragomanRange), [c_void_p, COUNT]),
    "alignment_targets": (POINTER(DragomanRange), [c_void_p, COUNT]),
    "alignment_weights": (POINTER(DragomanWeight), [c_void_p, c_size_t, COUNT]),
    "alignment_links": (c_int, [c_void_p, c_float, POINTER(POINTER(DragomanLink)), COUNT, ERROR]),
    "piece": (c_char_p, [c_void_p, c_int32]),
    "warnings": (c_char_p, [c_void_p]),
    "target_language": (c_char_p, [c_void_p]),
    "outline_free": (None, [c_void_p]),
    "outline_sources": (POINTER(c_char_p), [c_void_p, COUNT]),
    "outline_targets": (POINTER(c_char_p), [c_void_p, COUNT]),
    "outline_fault": (c_char_p, [c_void_p]),
    "outline_status": (c_int, [c_void_p]),
}


def _path() -> str:
    """The library of the package; else the one that the system's linker finds."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", NAME)
    return path if os.path.exists(path) else NAME


class Functions:
    """The functions of one table, without the prefix dragoman_."""

    def __init__(self, library: ctypes.CDLL, table: Dict[str, Signature]) -> None:
        for name, (result, arguments) in table.items():
            function = getattr(library, "dragoman_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)


try:
    waiting = Functions(ctypes.CDLL(_path()), WAITING)
    quick = Functions(ctypes.PyDLL(_path()), QUICK)
except (OSError, AttributeError) as fault:  # no library, or one of another version
    raise ImportError(
        f"dragoman cannot use its library {NAME} ({fault}); a source tree has none beside this file: "
        "install the wheel that 'make wheel' builds"
    ) from None


def _rows() -> Iterator[DragomanSettingRow]:
    """The rows of settings.def, from DRAGOMAN_NO_SETTING + 1 on."""
    for number in itertools.count(1):
        row = quick.setting_row(number)
        if not row:
            return
        yield row[0]


# The settings by the names of their constants without DRAGOMAN_, each with its number.
SETTINGS: Dict[str, Tuple[int, DragomanSettingRow]] = {
    row.name.decode(): (number, row) for number, row in enumerate(_rows(), 1)
}

# The option that a message means by the name of a constant; tests/python/test_options.py checks that none is missing.
_spellings: Dict[str, str] = {}
_constants = re.compile(r"(?<![\w$])DRAGOMAN_[A-Z_]+\b")  # $DRAGOMAN_MODEL is a variable


def spell(setting: str, option: str) -> None:
    """Makes messages call a setting by the name of an option, or by an option with a value."""
    _spellings["DRAGOMAN_" + setting] = option if "=" in option else f"'{option}'"


def message(text: Optional[bytes]) -> str:
    """A message of the library, with the names of options."""
    return _constants.sub(lambda match: _spellings.get(match[0], match[0]), decode(text))


def exception(error: DragomanError) -> Error:
    """The exception for an error of the library."""
    return ERRORS.get(error.status, Error)(message(error.message))


def check(status: int, error: DragomanError) -> None:
    """Raises the exception for a status that is not OK."""
    if status != OK:
        raise exception(error)


def decode(text: Optional[bytes]) -> str:
    return text.decode("utf-8", "replace") if text else ""
