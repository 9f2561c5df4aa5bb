"""What a translation consists of, and how it is read from a line of the library."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _library
from ._library import quick, waiting

Span = Tuple[int, int]


@dataclass(frozen=True)
class Score:
    """How probable a model finds a translation: the sum of the log-probabilities of its tokens."""

    sum: float
    count: int
    tokens: Tuple[str, ...]
    token_scores: Optional[Tuple[float, ...]]

    @property
    def mean(self) -> float:
        """The mean log-probability of a token; 0 if there are no tokens."""
        return self.sum / self.count if self.count else 0.0


@dataclass(frozen=True)
class Alignment:
    """Which parts of the source a translation was made from."""

    #: The units (tokens or words) of the source and of the translation as slices [begin, end) of their texts.
    sources: Tuple[Span, ...]
    targets: Tuple[Span, ...]
    #: Pairs of unit numbers (source, target), counted from 0, sorted by source.
    links: Tuple[Tuple[int, int], ...]
    #: With alignment="soft": for each target unit, pairs (source unit, probability), sorted by source; else None.
    weights: Optional[Tuple[Tuple[Tuple[int, float], ...], ...]]


@dataclass(frozen=True, repr=False)
class Hypothesis:
    """One translation of a text."""

    text: str
    #: The sum divided by length^length_penalty.
    score: float
    #: The sum of the log-probabilities of the tokens.
    sum: float
    ids: Tuple[int, ...]
    tokens: Tuple[str, ...]
    #: With the option token_scores, the log-probability of each token.
    token_scores: Optional[Tuple[float, ...]]
    #: With the option confidence and a calibrated model, the probability that the translation is good.
    confidence: Optional[float]
    #: With the option confidence, signs that the translation is bad: loop, cut, short, long, copy, uncovered,
    #: numbers, term, chatter.
    flags: Tuple[str, ...]
    #: With the option alignment.
    alignment: Optional[Alignment]

    def __repr__(self) -> str:
        return f"Hypothesis({self.text!r}, score={self.score:.4f})"


@dataclass(frozen=True, repr=False)
class Translation:
    """The translations of a text, best first, and what is known of it. str() gives the text of the best one."""

    source: str
    #: Empty if there was nothing to translate; `text` is then the source.
    hypotheses: Tuple[Hypothesis, ...]
    #: With several models, the texts between them.
    pivots: Tuple[str, ...]
    #: The number of sentences and parts that were translated separately; 0 for a blank text.
    segments: int
    #: Whether the text or a sentence of it was cut because it is too long for the model.
    wrapped: bool
    #: With the option max_length_crop: the number of tokens after which the text or a sentence of it was cut off because
    #: it is too long, or 0.
    cropped: int
    #: Whether the option rescue has improved the translation.
    rescued: bool

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Translation({self.text!r}, score={self.score:.4f})"

    @property
    def text(self) -> str:
        if self.hypotheses:
            return self.hypotheses[0].text
        return self.pivots[-1] if self.pivots else self.source

    @property
    def score(self) -> float:
        return self.hypotheses[0].score if self.hypotheses else 0.0

    @property
    def confidence(self) -> Optional[float]:
        return self.hypotheses[0].confidence if self.hypotheses else None

    @property
    def flags(self) -> Tuple[str, ...]:
        return self.hypotheses[0].flags if self.hypotheses else ()

    @property
    def alignment(self) -> Optional[Alignment]:
        return self.hypotheses[0].alignment if self.hypotheses else None


Reader = Callable[[int], Any]  # reads a DragomanLine


def read_text(line: int) -> str:
    """Reads the best translation of a line."""
    text = quick.line_translation(line, 0, None)
    if not text and not quick.line_count(line):
        pivots = quick.line_pivot_count(line)
        text = quick.line_pivot(line, pivots - 1, None) if pivots else quick.line_source(line, None)
    return _library.decode(text)


class CharacterIndex:
    """Converts offsets of bytes in the UTF-8 of a text to offsets of characters."""

    def __init__(self, text: str) -> None:
        self._indexes: Optional[List[int]] = None
        if not text.isascii():
            self._indexes = [i for i, c in enumerate(text) for _ in c.encode("utf-8", "replace")]
            self._indexes.append(len(text))

    def span(self, piece: Any) -> Span:
        if self._indexes is None:
            return piece.begin, piece.end
        return self._indexes[piece.begin], self._indexes[piece.end]


def _list(function: Callable[..., Any], *arguments: Any) -> List[Any]:
    """Calls a function that returns an array and its length."""
    count = ctypes.c_size_t()
    array = function(*arguments, count)
    return array[: count.value] if array else []


class DetailReader:
    """Reads everything that the options ask for. `handle` is the Dragoman that the lines are from."""

    def __init__(self, handle: ctypes.c_void_p, options: Dict[str, Any]) -> None:
        self._handle = handle
        self._token_scores = bool(options.get("token_scores"))
        self._confidence = bool(options.get("confidence"))
        self._alignment = options.get("alignment")
        self._unit = _library.UNITS.index(options.get("alignment_unit", _library.UNITS[0]))

    def read(self, line: int) -> Translation:
        source = quick.line_source(line, None).decode("utf-8", "replace")
        return Translation(
            source=source,
            hypotheses=tuple(self._hypothesis(line, rank, source) for rank in range(quick.line_count(line))),
            pivots=tuple(_library.decode(quick.line_pivot(line, i, None)) for i in range(quick.line_pivot_count(line))),
            segments=quick.line_segments(line),
            wrapped=quick.line_wrapped(line),
            cropped=quick.line_cropped(line),
            rescued=quick.line_rescued(line),
        )

    def read_score(self, line: int) -> Score:
        """Reads a given translation. The tokens that the model is forced to write are left out: they have no score."""
        forced = quick.line_forced(line, 0)
        tokens = self._tokens(_list(quick.line_ids, line, 0))[forced:]
        scores = self._scores(line, 0)
        return Score(quick.line_sum(line, 0), len(tokens), tokens, scores and scores[forced:])

    def _tokens(self, ids: List[int]) -> Tuple[str, ...]:
        return tuple(_library.decode(quick.piece(self._handle, i)) for i in ids)

    def _scores(self, line: int, rank: int) -> Optional[Tuple[float, ...]]:
        return tuple(_list(quick.line_token_scores, line, rank)) if self._token_scores else None

    def _hypothesis(self, line: int, rank: int, source: str) -> Hypothesis:
        text = _library.decode(quick.line_translation(line, rank, None))
        ids = _list(quick.line_ids, line, rank)
        confidence = quick.line_confidence(line, rank)
        flags = quick.line_flags(line, rank)
        return Hypothesis(
            text=text,
            score=quick.line_score(line, rank),
            sum=quick.line_sum(line, rank),
            ids=tuple(ids),
            tokens=self._tokens(ids),
            token_scores=self._scores(line, rank),
            confidence=None if math.isnan(confidence) else confidence,
            flags=tuple(_library.decode(quick.flag_name(flag)) for flag in _library.FLAGS if flags & flag),
            alignment=self._align(line, rank, source, text) if self._alignment is not None else None,
        )

    def _align(self, line: int, rank: int, source: str, text: str) -> Alignment:
        out = ctypes.c_void_p()
        error = _library.DragomanError()
        _library.check(waiting.align(out, line, rank, self._unit, error), error)
        try:
            return self._read_alignment(out, CharacterIndex(source), CharacterIndex(text))
        finally:
            quick.alignment_free(out)

    def _read_alignment(self, out: Any, source: CharacterIndex, target: CharacterIndex) -> Alignment:
        targets = _list(quick.alignment_targets, out)
        return Alignment(
            sources=tuple(source.span(piece) for piece in _list(quick.alignment_sources, out)),
            targets=tuple(target.span(piece) for piece in targets),
            links=self._links(out),
            weights=tuple(self._weights(out, i) for i in range(len(targets))) if self._alignment == "soft" else None,
        )

    def _links(self, out: Any) -> Tuple[Tuple[int, int], ...]:
        links = ctypes.POINTER(_library.DragomanLink)()
        count = ctypes.c_size_t()
        error = _library.DragomanError()
        threshold = 1.0 if isinstance(self._alignment, str) else float(self._alignment or 0)
        _library.check(quick.alignment_links(out, threshold, links, count, error), error)
        return tuple((link.source, link.target) for link in links[: count.value])

    @staticmethod
    def _weights(out: Any, target: int) -> Tuple[Tuple[int, float], ...]:
        weights = _list(quick.alignment_weights, out, target)
        return tuple(sorted((weight.source, weight.probability) for weight in weights))
