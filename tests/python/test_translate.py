"""Translations, their parts, scores and faults of lines."""

import math
import os
import subprocess
import tempfile
import unittest
import unittest.mock
from collections import deque
from typing import Any, Deque, Iterator, List

import dragoman
from dragoman import Translator, _library
from dragoman._program import PROGRAM

# More lines than one list of results has; most of them are blank and take no time.
LINES = [
    "Where is the train station?",
    "",
    "The weather is nice today. We are going to the lake.",
    "  two spaces before and a tab\tin the line  ",
    "Grüße aus Köln, 東京 and \U0001f600!",
    " ",
] + [line for number in range(60) for line in (f"This is line {number}.", "", " ", "", "")]


def run_program(lines: List[str], *options: str) -> List[str]:
    """What the program writes for the lines, without the configuration of the user."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder}
        if "DRAGOMAN_CPU" in os.environ:
            environment["DRAGOMAN_CPU"] = os.environ["DRAGOMAN_CPU"]
        output = subprocess.run(
            [PROGRAM, *options],
            input="".join(line + "\n" for line in lines).encode(),
            stdout=subprocess.PIPE,
            env=environment,
            check=True,
            timeout=300,
        ).stdout
    return output.decode().split("\n")[:-1]


class TranslateTest(unittest.TestCase):
    translator: Translator
    expected: List[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.translator = Translator(beam=1)
        cls.expected = run_program(LINES, "--beam", "1")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.translator.close()

    def test_translations_are_those_of_the_program(self) -> None:
        self.assertEqual(self.translator.translate(LINES), self.expected)
        self.assertEqual(list(self.translator.translate_stream(LINES)), self.expected)
        self.assertEqual([str(one) for one in self.translator.translate(LINES, details=True)], self.expected)

    def test_capitals_are_those_of_the_program(self) -> None:
        lines = ["THE STREET IS CLOSED TODAY."]
        for value, option in ((True, "--capitals"), (False, "--no-capitals")):
            with Translator(capitals=value) as translator:
                self.assertEqual(translator.translate(lines), run_program(lines, option))
        self.assertNotEqual(run_program(lines, "--capitals"), run_program(lines, "--no-capitals"))

    def test_unknown_words_are_those_of_the_program(self) -> None:
        lines = ["He is called Владимир."]
        for value, option in ((True, "--keep-unknown"), (False, "--no-keep-unknown")):
            with Translator(keep_unknown=value) as translator:
                self.assertEqual(translator.translate(lines), run_program(lines, option))
        self.assertIn("Владимир", run_program(lines)[0])

    def test_numbers_are_those_of_the_program(self) -> None:
        lines = ["This is sentence number 177"]
        for value, option in ((True, "--keep-numbers"), (False, "--no-keep-numbers")):
            with Translator(keep_numbers=value) as translator:
                self.assertEqual(translator.translate(lines), run_program(lines, option))
        self.assertRegex(run_program(lines)[0], r"\b177\b")

    def test_repeated_lines_equal_lines_that_are_translated_again(self) -> None:
        lines = 3 * LINES[:10]
        for options in ({"beam": 1}, {"beam": 2, "n_best": 2, "alignment": "soft", "confidence": True}):
            with Translator(**options) as translator, Translator(reuse=0, **options) as plain:
                self.assertEqual(translator.translate(lines, details=True), plain.translate(lines, details=True))
        self.assertRaisesRegex(dragoman.UsageError, "reuse", Translator, reuse=-1)

    def test_a_str_gives_a_str(self) -> None:
        self.assertEqual(self.translator.translate(LINES[0]), self.expected[0])
        self.assertEqual(self.translator.translate(""), "")
        self.assertEqual(self.translator.translate([]), [])
        self.assertEqual(self.translator.translate(line for line in LINES[:3]), self.expected[:3])
        self.assertEqual(self.translator.translate(tuple(LINES[:3])), self.expected[:3])

    def test_blank_lines_have_no_hypotheses(self) -> None:
        blank = self.translator.translate(" ", details=True)
        self.assertEqual((blank.text, blank.hypotheses, blank.segments, blank.score), (" ", (), 0, 0.0))
        self.assertEqual((blank.confidence, blank.flags, blank.alignment), (None, (), None))

    def test_nul_and_lone_surrogates_are_replaced_as_in_the_program(self) -> None:
        for text in ("a\0b", "a\ud800b", "a\udcffb"):
            self.assertEqual(self.translator.translate(text, details=True).source, "a\ufffdb")
        self.assertEqual(self.translator.translate("a\ud83d\ude00b", details=True).source, "a\U0001f600b")

    def test_texts_that_are_not_lines_are_refused(self) -> None:
        translate: Any = self.translator.translate
        wrong: Any
        with self.assertRaisesRegex(dragoman.UsageError, r"^lines\[1\]: the text contains a newline") as caught:
            translate(["a", "b\nc"])
        self.assertEqual(caught.exception.index, 1)
        self.assertRaises(ValueError, translate, "a\n")
        for wrong in (["a", 3], ["a", None], ["a", b"b"]):
            with self.assertRaisesRegex(TypeError, r"^lines\[1\] must be a str, not "):
                translate(wrong)
        for wrong in (5, None):
            self.assertRaises(TypeError, translate, wrong)
        for wrong in (b"abc", "abc"):
            self.assertRaises(TypeError, self.translator.translate_stream, wrong)
        with self.assertRaisesRegex(TypeError, r"^lines\[2\] must be a str, not int"):
            stream: Any = ["a", "b", 3]
            list(self.translator.translate_stream(stream))
        for wrong, kind in ((3, TypeError), ("a\nb", dragoman.UsageError)):
            stream = self.translator.translate_stream(["One.", "Two.", wrong, "Three."])
            self.assertEqual(next(stream), self.translator.translate("One."))
            self.assertEqual(next(stream), self.translator.translate("Two."))
            self.assertRaises(kind, next, stream)
        self.assertRaises(ValueError, self.translator.translate_stream, ["a"], read_ahead=0)
        self.assertEqual(self.translator.translate(LINES[0]), self.expected[0])

    def test_a_stream_reads_no_more_than_it_may(self) -> None:
        taken = 0

        def lines() -> Iterator[str]:
            nonlocal taken
            for taken, line in enumerate(LINES, 1):
                yield line

        for ahead in (1, 7, 100):
            stream = self.translator.translate_stream(lines(), read_ahead=ahead)
            for number, text in enumerate(stream):
                self.assertEqual(text, self.expected[number])
                self.assertLessEqual(taken - number, ahead)
        self.assertEqual(taken, len(LINES))

    def test_a_stream_of_long_lines_reads_no_more_bytes_than_it_may(self) -> None:
        megabyte, waiting = 1 << 20, deque()  # type: int, Deque[bytes]
        read, most = 0, 0

        def lines() -> Iterator[str]:
            nonlocal read
            for size in [1] * 100 + [megabyte] * 80:
                read += size
                yield "a" * size

        engine, call = unittest.mock.Mock(), unittest.mock.Mock()
        engine.send = lambda _, texts: waiting.extend(texts)
        call.has_results.return_value = False
        call.take = lambda: [waiting.popleft()]
        for result in self.translator._stream(engine, call, lines(), 1000):
            most = max(most, read)
            read -= len(result)
        self.assertLess(most, 18 * megabyte)

    def test_a_line_that_the_library_refuses_raises_after_the_lines_before_it(self) -> None:
        submit = _library.waiting.submit_text

        def refuse(handle: Any, text: bytes, length: int, tag: int, error: Any) -> int:
            if text != b"refused":
                return int(submit(handle, text, length, tag, error))
            error.status, error.message = _library.ERROR_USAGE, b"DRAGOMAN_TO is missing"
            return _library.ERROR_USAGE

        lines, expected = LINES[:100], self.expected[:70]
        lines[70] = "refused"
        with unittest.mock.patch.object(_library.waiting, "submit_text", refuse):
            with self.assertRaisesRegex(dragoman.UsageError, r"^lines\[70\]: 'to' is missing$") as caught:
                self.translator.translate(lines)
            self.assertEqual(caught.exception.index, 70)
            stream = self.translator.translate_stream(lines)
            self.assertEqual([next(stream) for _ in range(70)], expected)
            self.assertRaisesRegex(dragoman.UsageError, r"^lines\[70\]: ", next, stream)
        self.assertEqual(self.translator.translate(lines[:70]), expected)

    def test_an_error_of_the_input_ends_a_stream(self) -> None:
        def lines() -> Iterator[str]:
            yield from LINES[:5]
            raise KeyError("input")

        self.assertRaises(KeyError, list, self.translator.translate_stream(lines()))
        self.assertEqual(self.translator.translate(LINES[0]), self.expected[0])


class DetailsTest(unittest.TestCase):
    def test_hypotheses_have_scores_tokens_and_their_ids(self) -> None:
        with Translator(n_best=3, token_scores=True, confidence=True) as translator:
            translation = translator.translate("The house is small.", details=True)
        self.assertEqual(len(translation.hypotheses), 3)
        self.assertEqual(translation.segments, 1)
        self.assertFalse(translation.wrapped or translation.rescued)
        scores = [hypothesis.score for hypothesis in translation.hypotheses]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for hypothesis in translation.hypotheses:
            self.assertEqual(len(hypothesis.ids), len(hypothesis.tokens))
            self.assertEqual(hypothesis.tokens[-1], "</s>")
            assert hypothesis.token_scores is not None and hypothesis.confidence is not None
            self.assertAlmostEqual(math.fsum(hypothesis.token_scores), hypothesis.sum, 3)
            self.assertTrue(0 < hypothesis.confidence < 1)
            self.assertIsInstance(hypothesis.flags, tuple)
            self.assertIsNone(hypothesis.alignment)

    def test_what_was_not_asked_for_is_none(self) -> None:
        with Translator() as translator:
            hypothesis = translator.translate("The house is small.", details=True).hypotheses[0]
        self.assertEqual((hypothesis.token_scores, hypothesis.confidence, hypothesis.alignment), (None, None, None))

    def test_a_copied_text_has_a_flag(self) -> None:
        with Translator(confidence=True, max_length=2) as translator:
            self.assertIn("cut", translator.translate("This is a long sentence with words.", details=True).flags)

    def test_alignments_have_the_links_of_the_program(self) -> None:
        lines = ["The house is small.", "Grüße from 東京, my friend!", "One. Two."]
        for unit in ("token", "word"):
            written = run_program(lines, "--alignment", "hard", "--alignment-unit", unit)
            with Translator(alignment="hard", alignment_unit=unit) as translator:
                for line, expected in zip(translator.translate(lines, details=True), written):
                    alignment = line.alignment
                    assert alignment is not None
                    links = " ".join(f"{source}-{target}" for source, target in alignment.links)
                    self.assertEqual(f"{line.text} ||| {links}", expected)
                    self.assertIsNone(alignment.weights)

    def test_spans_count_characters(self) -> None:
        with Translator(alignment="soft", alignment_unit="word", keep_unknown=False) as translator:
            line = translator.translate("Grüße from 東京, my friend!", details=True)
        alignment = line.alignment
        assert alignment is not None and alignment.weights is not None
        words = [line.source[begin:end] for begin, end in alignment.sources]
        self.assertEqual(words, ["Grüße", "from", "東", "京", ",", "my", "friend!"])
        words = [line.text[begin:end] for begin, end in alignment.targets]
        self.assertEqual(" ".join(words), " ".join(line.text.split()))
        self.assertEqual(len(alignment.weights), len(alignment.targets))
        for row in alignment.weights:
            self.assertAlmostEqual(sum(weight for _, weight in row), 1, 3)
            self.assertEqual(sorted(row), list(row))

    def test_a_threshold_gives_links_above_it(self) -> None:
        text = "The house is small."
        with Translator(alignment="soft") as soft, Translator(alignment=0.2) as some:
            weights = soft.translate(text, details=True).alignment
            links = some.translate(text, details=True).alignment
        assert weights is not None and weights.weights is not None and links is not None
        expected = [(s, t) for t, row in enumerate(weights.weights) for s, weight in row if weight > 0.2]
        self.assertEqual(sorted(expected), list(links.links))


class ScoreTest(unittest.TestCase):
    def test_scores_are_those_of_the_program(self) -> None:
        sources = ["The house is small.", "Good morning.", " "]
        targets = ["Das Haus ist klein.", "Guten Morgen.", " "]
        pairs = ["\t".join(pair) for pair in zip(sources, targets)]
        expected = [[float(x) for x in line.split("\t")] for line in run_program(pairs, "score")[:2]]
        with Translator(token_scores=True) as translator:
            scores = translator.score(sources, targets)
            self.assertEqual(translator.score(sources[0], targets[0]), scores[0])
        for score, (total, count, mean) in zip(scores, expected):
            self.assertAlmostEqual(score.sum, total, 4)
            self.assertEqual(score.count, count)
            self.assertAlmostEqual(score.mean, mean, 4)
            assert score.token_scores is not None
            self.assertEqual(len(score.tokens), len(score.token_scores))
        self.assertEqual((scores[2].sum, scores[2].count, scores[2].mean), (0, 0, 0))

    def test_a_pair_that_fails_raises_with_its_index(self) -> None:
        with Translator() as translator:
            for place, target in ((0, " "), (350, "a\tb"), (699, "")):
                sources, targets = ["One.", " ", "", " "] * 175, ["Eins.", " ", "", " "] * 175
                sources[place], targets[place] = "Good morning.", target
                with self.assertRaisesRegex(dragoman.Error, rf"^sources\[{place}\]: ") as caught:
                    translator.score(sources, targets)
                self.assertEqual(caught.exception.index, place)
            with self.assertRaises(dragoman.Error) as caught:
                translator.score("Good morning.", "")
            self.assertNotIn("[", str(caught.exception))
            self.assertEqual(translator.score(["a"], ["b"])[0].count, translator.score("a", "b").count)

    def test_sources_and_targets_must_fit(self) -> None:
        with Translator() as translator:
            for targets, count in ([], "0 targets"), (["b", "c"], "2 targets"):
                self.assertRaisesRegex(ValueError, f"^there are 1 source and {count}$", translator.score, ["a"], targets)
            wrong: Any = 5
            self.assertRaisesRegex(TypeError, "^sources and targets must be two str", translator.score, "a", ["b"])
            self.assertRaisesRegex(TypeError, "^sources and targets must be two str", translator.score, ["a"], "b")
            self.assertRaises(TypeError, translator.score, ["a"], [wrong])


if __name__ == "__main__":
    unittest.main()
