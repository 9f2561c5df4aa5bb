"""translate() and the models that it keeps open, progress, help() and what notebooks show."""

import gc
import os
import pathlib
import pydoc
import sys
import tempfile
import types
import unittest
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List, Optional, Tuple
from unittest import mock

import dragoman
from dragoman import Translator, _engine, _library, _open_models, translate
from dragoman._options import TABLE

GOLDEN = pathlib.Path(os.environ.get("GOLDEN_ROOT", "../../build/golden"))
LINES = ["Good morning.", "", "The house is small."] * 40


class Bar:
    """What the package tqdm has, as far as it is needed."""

    made: List["Bar"] = []

    def __init__(self, total: Optional[int], unit: str) -> None:
        self.total, self.done, self.is_open = total, 0, True
        self.made.append(self)

    def update(self, count: int) -> None:
        self.done += count

    def close(self) -> None:
        self.is_open = False


TQDM = {"tqdm": types.SimpleNamespace(auto=None), "tqdm.auto": types.SimpleNamespace(tqdm=Bar)}


class TranslateTest(unittest.TestCase):
    def tearDown(self) -> None:
        dragoman.close_models()

    def test_translations_are_those_of_a_translator(self) -> None:
        with Translator(beam=1) as translator:
            self.assertEqual(translate(LINES, beam=1), translator.translate(LINES))
            self.assertEqual(translate(LINES[0], "en-de", beam=1), translator.translate(LINES[0]))
            for details in (False, True):
                made, wanted = translate(LINES[0], beam=1, details=details), translator.translate(LINES[0], details=details)
                self.assertEqual(made, wanted)
                self.assertEqual(translate(LINES[:3], beam=1, details=details), translator.translate(LINES[:3], details=details))
        self.assertEqual(translate([]), [])

    def test_a_text_may_have_several_lines(self) -> None:
        one, two = translate("Good morning."), translate("The house is small.")
        self.assertEqual(translate("Good morning.\n\nThe house is small.\n"), f"{one}\n\n{two}\n")
        self.assertEqual(translate(["The house is small.", "Good morning.\nGood morning."]), [two, f"{one}\n{one}"])
        with self.assertRaisesRegex(TypeError, r"text\[1\] must be a str, not int"):
            translate(["Good\nmorning.", 1])  # type: ignore[list-item]
        wrong: Any
        for wrong, name in ((None, "NoneType"), (b"a", "bytes")):
            with self.assertRaisesRegex(TypeError, f"text must be an iterable of str, not {name}"):
                translate(wrong)
        with self.assertRaisesRegex(dragoman.UsageError, "^the text contains a newline"):
            translate("Good\nmorning.", details=True)

    def test_the_model_reads_no_cr_of_a_line_ending(self) -> None:
        lines = ["Good morning.", "", "The house is small.", "Yes."]
        models = ["en-de", *(model for model in [GOLDEN / "marian" / "swish-opus"] if model.exists())]
        for model in models:
            wanted = translate(lines, model)
            self.assertEqual(translate("\r\n".join(lines), model).split("\r\n"), wanted)
            self.assertEqual(translate("\r\n".join(lines), model, keep="xyz").split("\r\n"), wanted)

    def test_faults_of_lines_name_the_text(self) -> None:
        submit = _library.waiting.submit_text

        def fail(handle: Any, text: bytes, length: int, tag: int, error: Any) -> int:
            if text != b"bad":
                return int(submit(handle, text, length, tag, error))
            error.status, error.message = _library.ERROR_USAGE, b"is bad"
            return int(error.status)

        with mock.patch.object(_library.waiting, "submit_text", fail):
            for text, place in ((["a\nb\nc", "d\nbad"], "text[1]: "), (["a", "bad"], "text[1]: "), ("a\nbad", "")):
                with self.subTest(text), self.assertRaises(dragoman.UsageError) as caught:
                    translate(text)
                self.assertEqual(str(caught.exception), place + "is bad")
                self.assertEqual(caught.exception.index, 1 if place else 0)

    def test_models_stay_open(self) -> None:
        with mock.patch.object(_open_models, "Translator", wraps=Translator) as opener:
            for _ in range(3):
                translate("Good morning.", beam=1)
                translate("Good morning.", beam=2)
            self.assertEqual(opener.call_count, 2)
            for beam in range(1, _open_models.MOST + 2):
                translate("Good morning.", beam=beam)
            self.assertEqual(opener.call_count, _open_models.MOST + 1)
            translate("Good morning.", beam=1)  # was closed for the last one
            self.assertEqual(opener.call_count, _open_models.MOST + 2)

    def test_an_open_model_does_not_wait_for_another_one(self) -> None:
        expected = translate("Good morning.")
        with ThreadPoolExecutor(1) as pool, _engine.opening:  # as while a thread opens a model
            self.assertEqual(pool.submit(translate, "Good morning.").result(timeout=60), expected)

    def test_a_model_that_cannot_be_opened_closes_no_other_one(self) -> None:
        for beam in range(1, _open_models.MOST + 1):
            translate("", beam=beam)
        before = list(_open_models._recent.values())
        with self.assertRaises(dragoman.Error):
            translate("", "no-such-model")
        self.assertEqual(list(_open_models._recent.values()), before)

    def test_a_path_is_known_by_what_it_names(self) -> None:
        class Place:
            def __init__(self, path: str) -> None:
                self.path = path

            def __fspath__(self) -> str:
                return self.path

        path = os.path.join(os.path.dirname(dragoman.__file__), "share", "dragoman", "models", "en-de.safetensors")
        with mock.patch.object(_open_models, "Translator", wraps=Translator) as opener:
            translate("", pathlib.Path(path))
            for _ in range(2):
                translate("", Place(path))
            translate("", [Place(path)])
            translate("", path)
        self.assertEqual(opener.call_count, 3)  # a str may be a name, and a list a pipeline

    def test_the_working_folder_may_be_removed(self) -> None:
        before = os.getcwd()
        try:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
            self.assertRaises(OSError, os.getcwd)
            self.assertEqual(translate(""), "")
        finally:
            os.chdir(before)

    def test_close_models_frees_them(self) -> None:
        translate("Good morning.")
        opened = weakref.ref(next(iter(_open_models._recent.values())))
        dragoman.close_models()
        gc.collect()
        self.assertIsNone(opened())

    def test_a_closed_translator_is_opened_again(self) -> None:
        expected = translate("Good morning.")
        next(iter(_open_models._recent.values())).close()
        self.assertEqual(translate("Good morning."), expected)

    def test_unknown_options_are_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "no option 'baem'; did you mean 'beam'"):
            wrong: Any = {"baem": 3}
            translate("Good morning.", **wrong)


class ProgressTest(unittest.TestCase):
    def setUp(self) -> None:
        self.told: List[Tuple[int, Optional[int]]] = []
        self.translator = Translator(beam=1)
        self.addCleanup(self.translator.close)

    def tell(self, done: int, total: Optional[int]) -> None:
        self.told.append((done, total))

    def check(self, total: Optional[int]) -> None:
        self.assertEqual(self.told[-1], (len(LINES), total))
        self.assertEqual(self.told, sorted(self.told))
        self.told = []

    def test_a_function_receives_the_number_of_lines(self) -> None:
        expected = self.translator.translate(LINES)
        self.assertEqual(self.translator.translate(LINES, progress=self.tell), expected)
        self.check(len(LINES))
        self.assertEqual(list(self.translator.translate_stream(LINES, progress=self.tell)), expected)
        self.check(len(LINES))
        self.assertEqual(list(self.translator.translate_stream(iter(LINES), progress=self.tell)), expected)
        self.check(None)
        self.assertEqual(translate(LINES, beam=1, progress=self.tell), expected)
        self.check(len(LINES))
        with Translator(beam=1, keep="house") as translator:
            translator.translate(LINES * 3, progress=self.tell)
        self.assertEqual(self.told, [(256, 360), (360, 360)])

    def test_faults_of_lines_are_the_same(self) -> None:
        with self.assertRaises(dragoman.UsageError) as caught:
            self.translator.translate([*LINES, "a\nb"], progress=self.tell)
        self.assertEqual(caught.exception.index, len(LINES))

    def test_a_fault_of_the_function_ends_the_call(self) -> None:
        def fail(done: int, total: Optional[int]) -> None:
            raise KeyError(done)

        with self.assertRaises(KeyError):
            self.translator.translate(LINES, progress=fail)
        self.assertEqual(self.translator.translate(""), "")

    def test_true_shows_a_bar(self) -> None:
        with mock.patch.dict(sys.modules, TQDM):
            self.translator.translate(LINES, progress=True)
            list(self.translator.translate_stream(iter(LINES), progress=True))
            stream = self.translator.translate_stream(iter(LINES), progress=True)
            next(stream)
            del stream
            self.translator.translate_stream(LINES, progress=True)  # nobody reads it, so there is no bar
        self.assertEqual([(bar.total, bar.done) for bar in Bar.made], [(120, 120), (None, 120), (None, 1)])
        self.assertFalse(any(bar.is_open for bar in Bar.made))
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            with self.assertRaisesRegex(dragoman.UsageError, "progress=True needs the package tqdm"):
                self.translator.translate(LINES, progress=True)
            with self.assertRaisesRegex(dragoman.UsageError, "progress=True needs the package tqdm"):
                self.translator.translate_stream(LINES, progress=True)

    def test_other_values_are_refused(self) -> None:
        wrong: Any = 5
        for call in (self.translator.translate, self.translator.translate_stream):
            with self.assertRaisesRegex(TypeError, "progress must be a bool or a function, not int"):
                list(call(LINES, progress=wrong))


class HelpTest(unittest.TestCase):
    def test_help_lists_every_option(self) -> None:
        text = pydoc.plain(pydoc.render_doc(Translator))
        for name, row in TABLE.items():
            with self.subTest(name):
                self.assertRegex(text, rf"\n \|  {name}: \S.*\n \|      [A-Z]")
                self.assertTrue(row.help)
        self.assertIn("as in --suffix", _in_python_of("as in --suffix"))
        self.assertEqual(_in_python_of("--max-length, -n N (-m PATH,PATH) or --no-split"), "max_length, n_best N (model "
                         "PATH,PATH) or split=False")  # fmt: skip
        self.assertIsNone(__import__("re").search(r"(?<!\w)--?(beam|max-length|n|from|sample)\b", Translator.__doc__ or ""))

    def test_representations_are_short(self) -> None:
        with Translator("en-de", beam=2) as translator:
            self.assertEqual(repr(translator), "<dragoman.Translator 'en-de.safetensors' beam=2>")
            made = translator.translate("Good morning.", details=True)
        self.assertRegex(repr(made), r"^Translation\('Guten Morgen\.', score=-\d\.\d+\)$")
        self.assertRegex(repr(made.hypotheses[0]), r"^Hypothesis\('Guten Morgen\.', score=-\d\.\d+\)$")


def _in_python_of(text: str) -> str:
    from dragoman._options import _in_python

    return _in_python(text)


if __name__ == "__main__":
    unittest.main()
