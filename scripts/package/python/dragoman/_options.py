"""The options of a Translator: names and values as for the program. The library has the table of them."""

from __future__ import annotations

import difflib
import itertools
import math
import numbers
import operator
import os
import re
import textwrap
from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, TypedDict, Union

from . import _library
from ._errors import OutOfMemoryError, UsageError
from ._program import check_encodable

Path = Union[str, "os.PathLike[str]"]
PerModel = Union[Path, Sequence[Optional[Path]], None]
Texts = Union[str, Sequence[str], None]
Files = Union[Path, Sequence[Path], None]

MOST = 2**31 - 1
MAY_BE_EMPTY = ("prefix",)  # with this text, a translation begins as it does without the option

# Options that have no effect without another one.
NEEDS = {
    "alignment_unit": "alignment",
    "prefix_bias": "prefix",
    "min_alternative_probability": "alternatives",
    "shortlist_first": "shortlist",
    "shortlist_best": "shortlist",
    "memory_read_only": "memory",
}


class Options(TypedDict, total=False):
    """The keyword arguments of Translator. None is the default of every option."""

    vocab: PerModel
    weights: PerModel
    from_: Optional[str]
    to: Optional[str]
    via: PerModel
    calibration: PerModel
    prompt: PerModel
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
    early_stopping: Optional[str]
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
    reuse: Optional[int]
    keep: Texts
    keep_file: Files
    term: Texts
    glossary: Files
    glossary_match: Optional[str]
    must: Texts
    memory: Optional[Path]
    memory_read_only: Optional[bool]
    unknown: Optional[str]
    encoding: Optional[str]
    select: Texts
    skip: Texts
    blocks: Optional[str]
    front_matter: Texts
    column: Texts
    sheet: Texts
    header: Optional[bool]
    retranslate: Optional[bool]
    keep_lang: Optional[bool]
    force_language: Optional[bool]
    bilingual: Optional[bool]


# Options of texts and documents that a method has as an argument, or that need no model.
NO_KEYWORDS = ("as", "tsv_in", "force_decode", "identity", "pseudo", "quiet", "verbose")
# Options without which lines need no job: dragoman.h has all that they ask for.
LINE_OPTIONS = ("keep", "keep_file", "term", "glossary", "must", "memory", "unknown")

# The options of Translator that have another name, or another meaning, in transformers.
RENAMED = {
    "num_beams": "beam",
    "num_return_sequences": "n_best",
    "do_sample": "sample",
    "no_repeat_ngram_size": "no_repeat_ngram",
    "src_lang": "from_",
    "tgt_lang": "to",
    "truncation": "max_length_crop",
}
_OTHER_NAMES = {**RENAMED, "from": "from_", "max_new_tokens": "max_length"}  # what an unknown option may stand for


class Row(NamedTuple):
    kind: str  # that of the setting; "": of the module alone
    settings: Tuple[int, ...] = ()  # those that get the value
    least: float = -math.inf
    words: Sequence[str] = ()
    is_file: bool = False
    help: str = ""  # as the program says it


def _table() -> Dict[str, Row]:
    """The options: those of the module, and those of the settings of the library."""
    table = {
        "greedy": Row("FLAG", help="Use greedy search, the fastest; the same as --beam 1"),
        "alignment": Row("", help="Keep the alignment of each translation: 'hard', 'soft', or a number above 0 and at most 1"),
        "alignment_unit": Row("CHOICE", words=_library.UNITS, help="Align by token or word. Default: token"),
    }
    for constant, (number, row) in _library.SETTINGS.items():
        option = row.option.decode()
        name = {"from": "from_"}.get(option, option.replace("-", "_"))
        if name.isidentifier():
            _library.spell(constant, name)
        if not name.isidentifier() or name in ("model", "alignment", *NO_KEYWORDS):
            continue
        words = [word.decode() for word in itertools.takewhile(bool, row.words)] if row.words else ()
        before = table.get(name, Row(""))  # one option may set two settings
        is_file = row.argument in (b"FILE", b"FILES")
        text = before.help or _library.decode(row.help)
        table[name] = Row(_library.KINDS[row.kind], (*before.settings, number), row.low, words, is_file, text)
    return table


TABLE = _table()

_KINDS = {"FLAG": "bool", "SWITCH": "bool", "SIZE": "int", "NUMBER": "int", "REAL": "float"}
_LETTERS = {"-n": "n_best", "-b": "beam", "-m": "model"}  # of the program's options


def _in_python(text: str) -> str:
    """A text of the program's help, with the names of the keyword arguments."""

    def spell(match: "re.Match[str]") -> str:
        name = {"from": "from_"}.get(match[1], match[1].replace("-", "_"))
        return name if name in TABLE else match[0]

    text = re.sub(r"--no-(\w+)", lambda match: f"{match[1]}=False" if match[1] in TABLE else match[0], text)
    text = re.sub(r"--([a-z][a-z-]*)", spell, text)
    text = re.sub(r"(?<![\w-])-[nbm]\b", lambda match: _LETTERS[match[0]], text)
    text = text.replace("Can be repeated", "May be a list").replace("give it once", "give a list with one")
    return text.replace("use - for none", "None means none")


def describe() -> str:
    """The list of all options with what they do, for help()."""
    wrap = textwrap.TextWrapper(width=88, initial_indent=" " * 8, subsequent_indent=" " * 8)
    lines: List[str] = []
    for name in dict.fromkeys(("from_", "to", *TABLE)):
        row = TABLE[name]
        kind = "|".join(row.words) or _KINDS.get(row.kind, "list of str" if row.kind == "LIST" else "str")
        lines += ["", f"    {name}: {kind}", wrap.fill(_in_python(row.help) + ".")]
    return "\n".join(lines) + "\n    "


_library.spell("FROM_LINES", "from_='auto'")


def _refuse(name: str, value: object, wanted: str) -> NoReturn:
    raise TypeError(f"option '{name}' must be {wanted}, not {type(value).__name__}")


def _check_names(options: Dict[str, Any]) -> None:
    for name in options:
        if name not in TABLE:
            nearest = difflib.get_close_matches(_OTHER_NAMES.get(name, name), TABLE, 1)
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
    wanted = "a number" if row.kind == "REAL" else "an integer"
    if isinstance(value, bool):
        _refuse(name, value, wanted)
    try:
        number = float(value) if row.kind == "REAL" and not isinstance(value, str) else operator.index(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        _refuse(name, value, wanted)
    if row.kind == "REAL" and not math.isfinite(number):
        raise UsageError(f"option '{name}' {_shown(value)}: must be a finite number")
    if row.kind != "REAL" and not row.least <= number <= MOST:
        raise UsageError(f"option '{name}' {_shown(value)}: must be from {int(row.least)} to {MOST}")
    return number


def number(name: str, value: Any, least: int = 1) -> int:
    """Checks an argument that is an integer, and not below `least`."""
    return int(_number(name, Row("NUMBER", least=least), value))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        _refuse(name, value, "a str")
    text = os.fsdecode(value)
    if not text and name not in MAY_BE_EMPTY:
        raise UsageError(f"option '{name}' needs a value that is not empty")
    check_encodable(f"option '{name}'", text)
    return text


def _line(name: str, _: Row, value: Any) -> str:
    text = _text(name, value)
    if "\n" in text:
        raise UsageError(f"option '{name}' {text!r}: must be a single line")
    return text


def _check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(f"option '{name}' {value!r}: must be one of {', '.join(choices)}")


def _alignment(value: Any) -> Union[str, float]:
    number: Any = value  # type checkers do not compare a Real with an int
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Real)):
        _refuse("alignment", value, "'hard', 'soft' or a number")
    if value not in ("hard", "soft") if isinstance(value, str) else not 0 < number <= 1:
        wanted = "'hard', 'soft', or a number above 0 and at most 1"
        raise UsageError(f"option 'alignment' {_shown(value)}: must be {wanted}")
    return value if isinstance(value, str) else float(value)


def _item_text(name: str, row: Row, value: Any) -> Optional[str]:
    """Makes paths of files absolute, for a process that opens them later in another working folder."""
    if value is None:
        return None
    text = _text(name, value)
    if not row.is_file:
        return text
    if os.path.exists(text) or name == "memory":
        return os.path.abspath(text)
    return ",".join(os.path.abspath(part) if os.path.exists(part) else part for part in text.split(","))


def _value(name: str, row: Row, value: Any, models: int) -> Any:
    """The value of an option in the form in which it is used."""
    if row.kind in ("SIZE", "NUMBER", "REAL"):
        return _number(name, row, value)
    if row.kind in ("TEXT", "CHOICE"):
        value = _item_text(name, row, value) if row.is_file else _text(name, value)
        if row.words:
            _check_choice(name, value, row.words)
    elif row.kind == "LIST":
        read = _item_text if row.is_file else _line
        return [read(name, row, item) for item in _items(value)] or None
    elif row.kind == "EACH":
        items = _items(value)
        most = models - 1 if name == "via" else models
        if len(items) > most:
            raise UsageError(f"option '{name}': has {len(items)} values, but at most {most} can be used")
        return [_item_text(name, row, item) for item in items]
    elif name == "alignment":
        return _alignment(value)
    elif not isinstance(value, bool):
        _refuse(name, value, "a bool")
    return value


def _items(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def checked(options: Dict[str, Any], models: int) -> Dict[str, Any]:
    """Checks names, types and ranges. Returns the options without those that are None."""
    _check_names(options)
    given = {name: _value(name, TABLE[name], value, models) for name, value in options.items() if value is not None}
    given = {name: value for name, value in given.items() if value is not None}  # an empty list
    if given.get("greedy") and given.get("beam", 1) != 1:
        raise UsageError("options 'greedy' and 'beam' cannot be used together")
    for name, other in NEEDS.items():
        if name in given and other not in given:
            raise UsageError(f"option '{name}' needs '{other}'")
    return given


def _set(handle: int, setting: int, row: Row, value: Any) -> None:
    error = _library.DragomanError()
    quick = _library.quick
    if row.kind in ("LIST", "EACH"):
        for item in value or ():
            _library.check(quick.add_text(handle, setting, _bytes(item), error), error)
        return
    if row.kind == "TEXT":
        status = quick.set_text(handle, setting, _bytes(value), error)
    elif row.kind in ("FLAG", "SWITCH"):
        status = quick.set_flag(handle, setting, value, error)
    elif row.kind == "REAL":
        status = quick.set_real(handle, setting, value, error)
    else:
        status = quick.set_number(handle, setting, row.words.index(value) if row.words else value, error)
    _library.check(status, error)


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode("utf-8", "surrogateescape")


class Settings:
    """DragomanOptions for the models of a pipeline, to be used in a with statement."""

    def __init__(self, models: Sequence[str], options: Dict[str, Any]) -> None:
        self._models = models
        self._options = options
        self._handle: Optional[int] = None

    def __enter__(self) -> int:
        handle = self._handle = _library.quick.options_new()
        if not handle:
            raise OutOfMemoryError("out of memory")
        try:
            self._fill(handle)
        except BaseException:
            self.__exit__()
            raise
        return int(handle)

    def _fill(self, handle: int) -> None:
        numbers = {constant: number for constant, (number, _) in _library.SETTINGS.items()}
        _set(handle, numbers["MODEL"], Row("EACH"), self._models)
        for name, value in self._options.items():
            if name == "from_" and value == "auto":
                _set(handle, numbers["FROM_LINES"], Row("FLAG"), True)
                continue
            for setting in TABLE[name].settings:
                _set(handle, setting, TABLE[name], value)
        if self._options.get("greedy"):
            _set(handle, numbers["BEAMS"], Row("NUMBER"), 1)
        if "alignment" in self._options:
            _set(handle, numbers["ATTENTION"], Row("FLAG"), True)

    def __exit__(self, *_: object) -> None:
        _library.quick.options_free(self._handle)
        self._handle = None
