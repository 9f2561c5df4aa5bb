"""The options of a Translator: names and values as for the program, one table."""

from __future__ import annotations

import ctypes
import difflib
import math
import numbers
import operator
import os
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, TypedDict, Union

from . import _library
from ._errors import OutOfMemoryError, UsageError
from ._program import check_encodable

Path = Union[str, "os.PathLike[str]"]
PerModel = Union[Path, Sequence[Optional[Path]], None]
Texts = Union[str, Sequence[str], None]

MOST = 2**31 - 1
FILES = ("vocab", "shortlist", "calibration")

MAY_BE_EMPTY = ("prefix",)  # with this text, a translation begins as it does without the option

# Options that have no effect without another one.
NEEDS = {
    "alignment_unit": "alignment",
    "prefix_bias": "prefix",
    "min_alternative_probability": "alternatives",
    "shortlist_first": "shortlist",
    "shortlist_best": "shortlist",
}


class Options(TypedDict, total=False):
    """The keyword arguments of Translator. None is the default of every option."""

    vocab: PerModel
    weights: PerModel
    from_: Optional[str]
    to: Optional[str]
    via: PerModel
    calibration: PerModel
    precision: Optional[str]
    beam: Optional[int]
    greedy: Optional[bool]
    n_best: Optional[int]
    length_penalty: Optional[float]
    min_length: Optional[int]
    max_length: Optional[int]
    max_length_factor: Optional[float]
    word_penalty: Optional[float]
    allow_unk: Optional[bool]
    prefix: Optional[str]
    repetition_penalty: Optional[float]
    no_repeat_ngram: Optional[int]
    prefix_bias: Optional[float]
    alternatives: Optional[int]
    min_alternative_probability: Optional[float]
    suppress: Texts
    disable_unk: Optional[bool]
    replace_unknowns: Optional[bool]
    end_token: Texts
    coverage_penalty: Optional[float]
    patience: Optional[float]
    sample: Optional[bool]
    temperature: Optional[float]
    top_k: Optional[int]
    top_p: Optional[float]
    min_p: Optional[float]
    seed: Optional[int]
    rescue: Optional[bool]
    shortlist: PerModel
    shortlist_first: Optional[int]
    shortlist_best: Optional[int]
    alignment: Union[str, float, None]
    alignment_unit: Optional[str]
    token_scores: Optional[bool]
    confidence: Optional[bool]
    pieces: Optional[bool]
    split: Optional[bool]
    capitals: Optional[bool]
    keep_unknown: Optional[bool]
    keep_numbers: Optional[bool]
    max_input: Optional[int]
    max_length_crop: Optional[bool]
    threads: Optional[int]
    batch_rows: Optional[int]


class Row(NamedTuple):
    setting: str  # the constant without DRAGOMAN_; "" if the option needs more than its value
    kind: str  # text, texts (one per line of the setting), list (one per model), number, real, flag
    models: str = "all"  # those that get the value: all, first, last
    least: float = -math.inf


TABLE: Dict[str, Row] = {
    "vocab": Row("VOCABS", "list"),
    "weights": Row("WEIGHTS", "list"),
    "from_": Row("FROM", "text", "first"),
    "to": Row("TO", "text", "last"),
    "via": Row("VIA", "list"),
    "calibration": Row("CALIBRATION", "list"),
    "precision": Row("", "text"),
    "beam": Row("BEAMS", "number", least=1),
    "greedy": Row("", "flag"),
    "n_best": Row("N_BEST", "number", "last", 1),
    "length_penalty": Row("LENGTH_PENALTY", "real"),
    "min_length": Row("MIN_LENGTH", "number", least=0),
    "max_length": Row("MAX_LENGTH", "number", least=1),
    "max_length_factor": Row("LENGTH_FACTOR", "real"),
    "word_penalty": Row("WORD_PENALTY", "real"),
    "allow_unk": Row("ALLOW_UNK", "flag"),
    "prefix": Row("PREFIX", "text", "last"),
    "repetition_penalty": Row("REPETITION_PENALTY", "real"),
    "no_repeat_ngram": Row("NO_REPEAT_NGRAM", "number", least=0),
    "prefix_bias": Row("PREFIX_BIAS", "real", "last"),
    "alternatives": Row("ALTERNATIVES", "number", "last", 1),
    "min_alternative_probability": Row("ALTERNATIVE_PROBABILITY", "real", "last"),
    "suppress": Row("SUPPRESS", "texts", "last"),
    "disable_unk": Row("DISABLE_UNK", "flag", "last"),
    "replace_unknowns": Row("REPLACE_UNKNOWNS", "flag", "last"),
    "end_token": Row("END_TOKEN", "texts", "last"),
    "coverage_penalty": Row("COVERAGE_PENALTY", "real"),
    "patience": Row("PATIENCE", "real"),
    "sample": Row("", "flag"),
    "temperature": Row("TEMPERATURE", "real", "last"),
    "top_k": Row("TOP_K", "number", "last", least=0),
    "top_p": Row("TOP_P", "real", "last"),
    "min_p": Row("MIN_P", "real", "last"),
    "seed": Row("SEED", "number", "last", least=0),
    "rescue": Row("RESCUE", "flag"),
    "shortlist": Row("SHORTLIST", "list"),
    "shortlist_first": Row("SHORTLIST_FIRST", "number", least=0),
    "shortlist_best": Row("SHORTLIST_BEST", "number", least=0),
    "alignment": Row("", ""),
    "alignment_unit": Row("", "text"),
    "token_scores": Row("TOKEN_SCORES", "flag", "last"),
    "confidence": Row("CONFIDENCE", "flag"),
    "pieces": Row("", "flag"),
    "split": Row("", "flag"),
    "capitals": Row("", "flag"),
    "keep_unknown": Row("", "flag"),
    "keep_numbers": Row("", "flag"),
    "max_input": Row("MAX_INPUT", "number", least=_library.LEAST_INPUT),
    "max_length_crop": Row("CROP", "flag"),
    "threads": Row("THREADS", "number", least=1),
    "batch_rows": Row("BATCH_ROWS", "number", least=1),
}

for _name, _row in TABLE.items():
    if _row.setting:
        _library.spell(_row.setting, _name)
for _setting, _name in (
    ("MODEL", "model"),
    ("PRECISION", "precision"),
    ("SPLIT", "split"),
    ("CAPITALS", "capitals"),
    ("KEEP_UNKNOWN", "keep_unknown"),
    ("KEEP_NUMBERS", "keep_numbers"),
    ("SAMPLING", "sample"),
    ("PIECES_IN", "pieces"),
    ("PIECES_OUT", "pieces"),
    ("ATTENTION", "alignment"),
):
    _library.spell(_setting, _name)


def _refuse(name: str, value: object, wanted: str) -> NoReturn:
    raise TypeError(f"option '{name}' must be {wanted}, not {type(value).__name__}")


def _check_names(options: Dict[str, Any]) -> None:
    for name in options:
        if name not in TABLE:
            nearest = difflib.get_close_matches({"from": "from_"}.get(name, name), TABLE, 1)
            hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
            raise TypeError(f"Translator has no option '{name}'{hint}")


def _shown(value: Any) -> str:
    """A number or a str for a message. Python refuses to print an int of more than about 4300 digits."""
    try:
        return repr(value) if isinstance(value, str) else str(value)
    except ValueError:
        return "of too many digits"


def _number(name: str, row: Row, value: Any) -> Any:
    """The int or float that a value, such as one of numpy, stands for."""
    wanted = "a number" if row.kind == "real" else "an integer"
    if isinstance(value, bool):
        _refuse(name, value, wanted)
    try:
        number = float(value) if row.kind == "real" and not isinstance(value, str) else operator.index(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        _refuse(name, value, wanted)
    if row.kind == "real" and not math.isfinite(number):
        raise UsageError(f"option '{name}' {_shown(value)}: must be a finite number")
    if row.kind == "number" and not row.least <= number <= MOST:
        raise UsageError(f"option '{name}' {_shown(value)}: must be from {row.least} to {MOST}")
    return number


def number(name: str, value: Any) -> int:
    """Checks an argument that is a positive integer."""
    return int(_number(name, Row("", "number", least=1), value))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        _refuse(name, value, "a str")
    text = os.fsdecode(value)
    if not text and name not in MAY_BE_EMPTY:
        raise UsageError(f"option '{name}' needs a value that is not empty")
    check_encodable(f"option '{name}'", text)
    return text


def _line(name: str, value: Any) -> str:
    text = _text(name, value)
    if "\n" in text:
        raise UsageError(f"option '{name}' {text!r}: must be a single line")
    return text


def _check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"option '{name}' {value!r}: must be one of {', '.join(choices)}")


def _alignment(value: Any) -> Union[str, float]:
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Real)):
        _refuse("alignment", value, "'hard', 'soft' or a number")
    if value not in ("hard", "soft") if isinstance(value, str) else not 0 < value <= 1:
        wanted = "'hard', 'soft', or a number above 0 and at most 1"
        raise UsageError(f"option 'alignment' {_shown(value)}: must be {wanted}")
    return value if isinstance(value, str) else float(value)


def _item_text(name: str, value: Any) -> Optional[str]:
    """Makes paths of files absolute, for a process that opens them later in another working folder."""
    if value is None:
        return None
    text = _text(name, value)
    if name not in FILES:
        return text
    if os.path.exists(text):
        return os.path.abspath(text)
    return ",".join(os.path.abspath(part) if os.path.exists(part) else part for part in text.split(","))


def _value(name: str, row: Row, value: Any, models: int) -> Any:
    """The value of an option in the form in which it is used."""
    if row.kind in ("number", "real"):
        return _number(name, row, value)
    if row.kind == "text":
        return _text(name, value)
    if row.kind == "texts":
        return [_line(name, item) for item in _items(value)] or None
    if row.kind == "list":
        items = _items(value)
        most = models - 1 if name == "via" else models
        if len(items) > most:
            raise UsageError(f"option '{name}': has {len(items)} values, but at most {most} can be used")
        return [_item_text(name, item) for item in items]
    if row.kind == "flag" and not isinstance(value, bool):
        _refuse(name, value, "a bool")
    return value


def _items(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def checked(options: Dict[str, Any], models: int) -> Dict[str, Any]:
    """Checks names, types and ranges. Returns the options without those that are None."""
    _check_names(options)
    given = {name: _value(name, TABLE[name], value, models) for name, value in options.items() if value is not None}
    if "precision" in given:
        _check_choice("precision", given["precision"], _library.PRECISIONS)
    if "alignment" in given:
        given["alignment"] = _alignment(given["alignment"])
    if "alignment_unit" in given:
        _check_choice("alignment_unit", given["alignment_unit"], _library.UNITS)
    if given.get("greedy") and given.get("beam", 1) != 1:
        raise UsageError("options 'greedy' and 'beam' cannot be used together")
    for name, other in NEEDS.items():
        if name in given and other not in given:
            raise UsageError(f"option '{name}' needs '{other}'")
    return given


def _item(value: Any, index: int) -> Any:
    items = _items(value)
    return items[index] if 0 <= index < len(items) else None


def _values(options: Dict[str, Any], index: int, count: int) -> Dict[str, Any]:
    """The settings of one of the models, by the names of their constants."""
    first, last = index == 0, index == count - 1
    out: Dict[str, Any] = {}
    for name, row in TABLE.items():
        here = row.models == "all" or (first if row.models == "first" else last)
        if name not in options or not row.setting or not here:
            continue
        value = options[name]
        if row.kind == "list":
            value = _item(value, index - (name == "via"))
        out[row.setting] = value
    if "precision" in options:
        out["PRECISION"] = _library.PRECISIONS.index(options["precision"])
    if "split" in options:
        out["SPLIT"] = options["split"]
    if "capitals" in options:
        out["CAPITALS"] = options["capitals"]
    if "keep_unknown" in options:
        out["KEEP_UNKNOWN"] = options["keep_unknown"]
    if "keep_numbers" in options:
        out["KEEP_NUMBERS"] = options["keep_numbers"]
    if not last:
        out["SAMPLING"] = False
    elif "sample" in options:
        out["SAMPLING"] = options["sample"]
    if options.get("greedy"):
        out["BEAMS"] = 1
    out["PIECES_IN"] = first and options.get("pieces", False)
    out["PIECES_OUT"] = last and options.get("pieces", False)
    out["ATTENTION"] = "alignment" in options
    return {name: value for name, value in out.items() if value is not None}


def _set(handle: int, name: str, value: Any) -> None:
    setting = _library.SETTINGS.index(name)
    error = _library.DragomanError()
    if isinstance(value, list):
        for item in value:
            _library.check(_library.quick.add_text(handle, setting, item.encode("utf-8", "surrogateescape"), error), error)
        return
    if isinstance(value, bool):
        status = _library.quick.set_flag(handle, setting, value, error)
    elif isinstance(value, str):
        status = _library.quick.set_text(handle, setting, value.encode("utf-8", "surrogateescape"), error)
    elif name in _REALS:
        status = _library.quick.set_real(handle, setting, value, error)
    else:
        status = _library.quick.set_number(handle, setting, value, error)
    _library.check(status, error)


_REALS = {row.setting for row in TABLE.values() if row.kind == "real"}


class OptionList:
    """DragomanOptions for each model of a pipeline, to be used in a with statement."""

    def __init__(self, models: Sequence[str], options: Dict[str, Any]) -> None:
        self._settings: List[Tuple[str, Dict[str, Any]]] = [
            (model, _values(options, i, len(models))) for i, model in enumerate(models)
        ]
        self.handles: List[int] = []

    def __enter__(self) -> "ctypes.Array[ctypes.c_void_p]":
        try:
            for model, settings in self._settings:
                handle = _library.quick.options_new()
                if not handle:
                    raise OutOfMemoryError("out of memory")
                self.handles.append(handle)
                for name, value in (("MODEL", model), *settings.items()):
                    _set(handle, name, value)
        except BaseException:
            self.__exit__()
            raise
        return (ctypes.c_void_p * len(self.handles))(*self.handles)

    def __exit__(self, *_: object) -> None:
        for handle in self.handles:
            _library.quick.options_free(handle)
        self.handles.clear()
