"""Names, types and ranges of options, and the messages about them."""

import copy
import fractions
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Any
from unittest import mock

import dragoman
from dragoman import Translator
from dragoman._models import resolve
from dragoman._options import NO_KEYWORDS, TABLE, Options
from dragoman._program import MODELS

ROWS = pathlib.Path(__file__).resolve().parents[2] / "translator" / "settings.def"


class OptionsTest(unittest.TestCase):
    def refuses(self, kind: type, pattern: str, *arguments: Any, **options: Any) -> None:
        with self.assertRaisesRegex(kind, pattern):
            Translator(*arguments, **options).close()

    @unittest.skipUnless(ROWS.exists(), "the list of settings is not here")
    def test_every_setting_of_the_program_is_an_option(self) -> None:
        pattern = r'^SETTING_ROW\(\w+, \w+\(.*?\), (\w+),\s[^"]*(?:"[^"]*"\),\s*)?"([a-z0-9-]+)"'
        rows = re.findall(pattern, ROWS.read_text(), re.MULTILINE)
        names = {option.replace("-", "_") for _, option in rows}
        self.assertGreater(len(names), 55)
        self.assertEqual(names - {"model", "from", *NO_KEYWORDS}, set(TABLE) - {"greedy", "alignment_unit", "from_"})

    def test_type_checkers_know_all_options(self) -> None:
        self.assertEqual(set(Options.__annotations__), set(TABLE))
        for name, row in TABLE.items():
            kinds = {"FLAG": "bool", "SWITCH": "bool", "SIZE": "int", "NUMBER": "int", "REAL": "float", "EACH": "PerModel"}
            if row.kind in kinds:
                with self.subTest(name):
                    self.assertIn(kinds[row.kind], str(Options.__annotations__[name]))

    @unittest.skipUnless(ROWS.exists(), "docs/python.md is not here")
    def test_the_table_of_the_documentation_has_each_option(self) -> None:
        text = (ROWS.parents[1] / "docs" / "python.md").read_text()
        rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", text[: text.index("## Streams")], re.MULTILINE)
        values = {name: value for names, value in rows for name in re.findall(r"`(\w+)`", names)}
        self.assertEqual(set(values), set(TABLE))
        kinds = {"FLAG": "bool", "SWITCH": "`True`", "SIZE": "int", "NUMBER": "int", "REAL": "float", "EACH": "str"}
        for name, row in TABLE.items():
            with self.subTest(name):
                self.assertTrue(values[name].startswith(kinds.get(row.kind, "")))
                self.assertEqual(re.findall(r'"(\w+)"', values[name]), list(row.words) if row.kind == "CHOICE" else
                                 ["hard", "soft"] if name == "alignment" else [])

    def test_an_unknown_option_is_refused_with_the_nearest_name(self) -> None:
        self.refuses(TypeError, "no option 'baem'; did you mean 'beam'", baem=3)
        self.refuses(TypeError, "no option 'from'; did you mean 'from_'", **{"from": "en"})
        for word, option in {
            "num_beams": "beam", "src_lang": "from_", "tgt_lang": "to", "max_new_tokens": "max_length",
            "num_return_sequences": "n_best", "do_sample": "sample", "no_repeat_ngram_size": "no_repeat_ngram",
        }.items():  # fmt: skip
            with self.subTest(word):
                self.refuses(TypeError, f"no option '{word}'; did you mean '{option}'", **{word: 1})
        for word in ("xyzzy", "device"):
            self.refuses(TypeError, f"no option '{word}'$", **{word: 1})

    def test_values_of_other_types_are_refused(self) -> None:
        self.refuses(TypeError, "option 'beam' must be an integer, not str", beam="4")
        self.refuses(TypeError, "option 'beam' must be an integer, not bool", beam=True)
        self.refuses(TypeError, "option 'length_penalty' must be a number, not str", length_penalty="1")
        self.refuses(TypeError, "option 'confidence' must be a bool, not int", confidence=1)
        self.refuses(TypeError, "option 'to' must be a str, not int", to=3)
        self.refuses(TypeError, "option 'alignment' must be 'hard', 'soft' or a number, not bool", alignment=True)
        self.refuses(TypeError, "option 'suppress' must be a str, not int", suppress=["a", 1])
        self.refuses(TypeError, "option 'sample' must be a bool, not int", sample=1)
        self.refuses(TypeError, "model must be a str or a path, not int", 5)

    def test_values_out_of_range_are_refused(self) -> None:
        for options in (
            {"beam": 0},
            {"beam": 5000},
            {"beam": 2**64},
            {"threads": -1},
            {"threads": 100000},
            {"n_best": 5, "beam": 4},
            {"length_penalty": float("nan")},
            {"length_penalty": float("inf")},
            {"alignment": 1.5},
            {"alignment": "both"},
            {"alignment_unit": "line"},
            {"precision": "f64"},
            {"max_input": 1},
            {"beam": 2, "greedy": True},
            {"prefix": "a\0b"},
            {"temperature": 0.0},
            {"top_p": 1.5},
            {"min_p": -0.5},
            {"top_k": -1},
            {"seed": -1},
            {"alternatives": 0},
            {"alternatives": 2, "n_best": 2},
            {"prefix_bias": 1.0},
            {"min_alternative_probability": 2.0},
            {"patience": 0.0},
            {"suppress": ["a", "b\nc"]},
            {"end_token": ""},
            {"shortlist": ""},
            {"calibration": ""},
            {"vocab": ""},
            {"from_": ""},
            {"max_length_factor": -1.0},
            {"vocab": ["a", "b"]},
        ):
            with self.subTest(str(options)):
                self.refuses(dragoman.UsageError, f"'{next(iter(options))}'", **options)

    def test_a_wrong_alignment_is_told_all_that_it_may_be(self) -> None:
        wanted = "must be 'hard', 'soft', or a number above 0 and at most 1"
        for value, shown in (("foo", "'foo'"), ("", "''"), ("0.5", "'0.5'"), (0, "0"), (1.5, "1.5"), (float("nan"), "nan")):
            options: Any = {"alignment": value}
            self.refuses(dragoman.UsageError, f"option 'alignment' {re.escape(shown)}: {wanted}$", **options)
        quarter: Any = fractions.Fraction(1, 4)
        Translator(alignment=quarter).close()

    def test_numbers_that_python_does_not_print_are_refused(self) -> None:
        for name in ("beam", "length_penalty", "alignment"):
            options: Any = {name: 10**5000}
            self.refuses(dragoman.UsageError, f"'{name}' .*: must be ", **options)

    def test_options_that_need_another_one_are_refused_without_it(self) -> None:
        self.refuses(dragoman.UsageError, "option 'prefix_bias' needs 'prefix'", prefix_bias=0.5)
        self.refuses(dragoman.UsageError, "option 'shortlist_best' needs 'shortlist'", shortlist_best=10)
        self.refuses(dragoman.UsageError, "option 'alignment_unit' needs 'alignment'", alignment_unit="word")
        self.refuses(
            dragoman.UsageError,
            "option 'min_alternative_probability' needs 'alternatives'",
            min_alternative_probability=0.5,
        )
        Translator(prefix_bias=0.5, prefix="").close()

    def test_messages_call_options_by_their_python_names(self) -> None:
        self.refuses(dragoman.UsageError, "^'to' fr", to="fr")
        self.refuses(dragoman.UsageError, "^'from_' tlh", from_="tlh")
        self.refuses(dragoman.UsageError, "^'word_penalty'|'max_length_factor'|'weights'", weights="0.5,0.5")
        self.assertEqual(dragoman._library.message(b"use DRAGOMAN_MODEL or $DRAGOMAN_MODEL"), "use 'model' or $DRAGOMAN_MODEL")

    def test_warnings_call_options_by_their_python_names(self) -> None:
        text = b"the model has no limit; set DRAGOMAN_MAX_LENGTH\nanother warning\n"
        with mock.patch.object(dragoman._library.quick, "warnings", return_value=text):
            with Translator() as translator:
                expected = ("the model has no limit; set 'max_length'", "another warning")
                self.assertEqual(translator.warnings, expected)

    def test_none_is_the_default_of_every_option(self) -> None:
        options: Any = {name: None for name in TABLE}
        with Translator(**options) as plain, Translator() as expected:
            self.assertEqual(plain.translate("Good morning."), expected.translate("Good morning."))

    def test_options_reach_the_search(self) -> None:
        text = "This is a sentence that has a long translation."
        with Translator() as four, Translator(greedy=True) as greedy, Translator(beam=1) as one:
            self.assertEqual(greedy.translate(text, details=True), one.translate(text, details=True))
            self.assertGreater(len(four.translate(text, details=True).hypotheses[0].ids), 3)
        with Translator(max_length=3) as short:
            self.assertLessEqual(len(short.translate(text, details=True).hypotheses[0].ids), 3)
        with Translator(prefix="Dies") as forced:
            self.assertTrue(forced.translate(text).startswith("Dies"))
        with Translator(pieces=True) as pieces:
            self.assertIn("\u2581", pieces.translate("\u2581Hello ."))


    def test_long_texts_are_cut_off_if_asked(self) -> None:
        text = " and ".join(["The house is big", "the tree is green", "the man is old", "the cat is black"] * 3)
        with Translator(max_input=16, max_length_crop=True) as cropping, Translator(max_input=16) as plain:
            cropped = cropping.translate(text, details=True)
            whole = plain.translate(text, details=True)
        self.assertEqual((cropped.cropped, cropped.segments), (16, 1))
        self.assertEqual(whole.cropped, 0)
        self.assertGreater(whole.segments, 1)
        self.assertLess(len(cropped.text), len(whole.text))

    def test_lists_of_texts_are_pickled(self) -> None:
        text = "Good morning."
        with Translator(suppress=["Guten", "Morgen"], end_token=["</s>", "."], beam=1) as translator:
            expected = translator.translate(text)
            for again in (pickle.loads(pickle.dumps(translator)), copy.deepcopy(translator)):
                with again:
                    self.assertEqual(again.translate(text), expected)
        with Translator(beam=1) as plain:
            self.assertNotEqual(plain.translate(text), expected)

    def test_an_empty_list_of_texts_is_none(self) -> None:
        with Translator(suppress=[], end_token=()) as plain, Translator() as expected:
            self.assertEqual(plain.translate("Good morning."), expected.translate("Good morning."))


class ModelTest(unittest.TestCase):
    def test_a_model_is_a_path_or_a_name(self) -> None:
        path = os.path.join(MODELS, "en-de.safetensors")
        with Translator() as translator:
            expected = translator.translate("Good morning.")
        self.assertIn("en-de", dragoman.models())
        for model in (path, pathlib.Path(path), "en-de", [path]):
            with Translator(model) as translator:
                self.assertEqual(translator.translate("Good morning."), expected)
                self.assertEqual(translator.target_language, "de")
                self.assertEqual(translator.languages(), dragoman.Languages(["en"], ["de"]))
                self.assertEqual(repr(translator), "<dragoman.Translator 'en-de.safetensors'>")
        self.assertEqual(dragoman.languages(), dragoman.Languages(["en"], ["de"]))

    def test_names_of_other_models_are_those_of_the_program(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            folder = os.path.join(home, "dragoman", "models")
            os.makedirs(folder)
            os.symlink(os.path.join(MODELS, "en-de.safetensors"), os.path.join(folder, "mine.safetensors"))
            code = "import dragoman; print(dragoman.Translator('mine').translate('Good morning.'))"
            environment = {**os.environ, "XDG_DATA_HOME": home, "HOME": home, "XDG_CONFIG_HOME": home}
            output = subprocess.run(
                [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True, timeout=120
            ).stdout
        with Translator() as translator:
            self.assertEqual(output.decode(), translator.translate("Good morning.") + "\n")

    def test_places_of_models_may_be_relative(self) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as home:
            folder = os.path.join(home, "packages", "en_de")
            os.makedirs(os.path.join(folder, "model"))
            with open(os.path.join(folder, "metadata.json"), "w", encoding="utf-8") as file:
                file.write('{"from_code": "en", "to_code": "de", "package_version": "1"}')
            with open(os.path.join(folder, "model", "model.bin"), "wb"):
                pass
            os.chdir(home)
            try:
                with mock.patch.dict(os.environ, {"ARGOS_PACKAGES_DIR": "packages", "HOME": home}):
                    self.assertEqual(resolve("argos:en-de"), os.path.realpath(folder))
            finally:
                os.chdir(before)

    def test_names_are_found_from_a_folder_that_is_gone(self) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
        try:
            self.assertRaises(OSError, os.getcwd)
            self.assertRaisesRegex(dragoman.FileError, "^missing: no such folder, file or model", resolve, "missing")
        finally:
            os.chdir(before)

    def test_the_package_may_be_in_any_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            models = os.path.join(folder, "a[1]*", "models")
            os.makedirs(models)
            os.symlink(os.path.join(MODELS, "en-de.safetensors"), os.path.join(models, "en-de.safetensors"))
            with mock.patch("dragoman._program.MODELS", models):
                self.assertEqual(dragoman.models(), ["en-de"])

    def test_languages_of_an_unusable_model_raise_the_fitting_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "config.json")
            for text, kind in (('{"model_type": "bert"}', dragoman.UnsupportedError), ("{", dragoman.FormatError)):
                with open(config, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertRaises(kind, dragoman.languages, folder)
                self.assertRaises(kind, Translator, folder)

    def test_the_default_model_is_that_of_the_package(self) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "en-de"))
            os.chdir(folder)
            try:
                with Translator() as translator:
                    self.assertEqual(translator.target_language, "de")
            finally:
                os.chdir(before)

    def test_a_path_may_have_commas_and_be_relative(self) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                os.symlink(os.path.join(MODELS, "en-de.safetensors"), "a,b.safetensors")
                for model in ("a,b.safetensors", pathlib.Path("a,b.safetensors")):
                    self.assertEqual(dragoman.languages(model).targets, ["de"])
                with Translator("a,b.safetensors") as translator:
                    expected = translator.translate("Good morning.")
                    os.chdir(before)
                    with pickle.loads(pickle.dumps(translator)) as copy:
                        self.assertEqual(copy.translate("Good morning."), expected)
                    self.assertEqual(translator.languages().targets, ["de"])
            finally:
                os.chdir(before)

    def test_a_fault_of_the_list_of_models_is_reported(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            os.mkdir(os.path.join(home, "dragoman"))
            with open(os.path.join(home, "dragoman", "config"), "w", encoding="utf-8") as file:
                file.write("modle = x\n")
            with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": home}):
                with self.assertRaisesRegex(dragoman.UsageError, "config:1: .*modle"):
                    Translator("mymodel")

    def test_a_name_of_several_models_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            for name in ("one", "two"):
                folder = os.path.join(home, name)
                os.makedirs(os.path.join(folder, "model"))
                with open(os.path.join(folder, "metadata.json"), "w", encoding="utf-8") as file:
                    file.write('{"from_code": "en", "to_code": "de", "package_version": "1"}')
            with mock.patch.dict(os.environ, {"ARGOS_PACKAGES_DIR": home}):
                with self.assertRaisesRegex(dragoman.UsageError, "^argos:en-de: several models .*/one, .*/two$"):
                    Translator("argos:en-de")

    def test_the_configuration_and_the_environment_choose_the_model(self) -> None:
        path = os.path.join(MODELS, "en-de.safetensors")
        with tempfile.TemporaryDirectory() as home:
            os.mkdir(os.path.join(home, "dragoman"))
            for name in ("configured", "aliased", "set"):
                os.symlink(path, os.path.join(home, name + ".safetensors"))
            with open(os.path.join(home, "dragoman", "config"), "w", encoding="utf-8") as file:
                file.write(f"model = {home}/configured.safetensors\nalias mine = {home}/aliased.safetensors\n")
            with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": home}):
                for model, expected in ((None, "configured"), ("mine", "aliased")):
                    with Translator(model) as translator:
                        self.assertEqual(repr(translator), f"<dragoman.Translator '{expected}.safetensors'>")
                with mock.patch.dict(os.environ, {"DRAGOMAN_MODEL": os.path.join(home, "set.safetensors")}):
                    with Translator() as translator:
                        self.assertEqual(repr(translator), "<dragoman.Translator 'set.safetensors'>")

    @unittest.skipUnless("de-en" in dragoman.models(), "the package has only one model")
    def test_languages_choose_the_model(self) -> None:
        with Translator(from_="German", to="en") as translator:
            self.assertEqual(repr(translator), "<dragoman.Translator 'de-en.safetensors' from_='German' to='en'>")
        with self.assertRaisesRegex(dragoman.UsageError, "^'from_' xx: no model that came with dragoman .*: give 'to'"):
            Translator(from_="xx")

    def test_texts_that_the_library_cannot_read_are_refused(self) -> None:
        path = os.path.join(MODELS, "en-de.safetensors")
        for model in (pathlib.Path(path + "\0junk"), "./\ud800", pathlib.Path("\ud800")):
            self.assertRaises(dragoman.UsageError, Translator, model)
        for options in ({"from_": "\ud800"}, {"to": "d\0e"}, {"length_penalty": 10**400}):
            self.assertRaises(dragoman.UsageError, Translator, **options)

    def test_a_model_that_does_not_exist_raises_file_error(self) -> None:
        self.assertRaises(dragoman.FileError, dragoman.languages, "/no/such/model")
        for model in ("no-such-model", "/no/such/model", "./no-such-model", "en-de,no-such-model"):
            with self.assertRaisesRegex(dragoman.FileError, "no.such.model: ") as caught:
                Translator(model)
            self.assertIsInstance(caught.exception, OSError)
        self.assertRaises(dragoman.UsageError, Translator, [])
        self.assertRaises(dragoman.UsageError, Translator, "")
        self.assertRaises(dragoman.UsageError, Translator, "a\0b")

    def test_a_broken_model_raises_format_error_with_the_message(self) -> None:
        with open(os.path.join(MODELS, "en-de.safetensors"), "rb") as file:
            whole = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "broken.safetensors")
            for content in (whole[:-1000], whole[:4], b"", b"\xff" * 5000, whole[:200] + bytes(100) + whole[300:]):
                with open(path, "wb") as file:
                    file.write(content)
                with self.assertRaisesRegex(dragoman.FormatError, f"^{re.escape(path)}:? .") as caught:
                    Translator(path)
                self.assertNotIn("\n", str(caught.exception))

    def test_models_that_do_not_fit_together_are_refused(self) -> None:
        with self.assertRaisesRegex(dragoman.UsageError, "translates into de, but .* translates from en"):
            Translator(["en-de", "en-de"])

    @unittest.skipUnless("de-en" in dragoman.models(), "the package has only one model")
    def test_two_models_are_a_pipeline(self) -> None:
        with Translator(["en-de", "de-en"], confidence=True) as both, Translator() as one:
            translation = both.translate("Good morning.", details=True)
            self.assertEqual(translation.pivots, (one.translate("Good morning."),))
            with Translator("de-en") as two:
                self.assertEqual(translation.text, two.translate(translation.pivots[0]))
            self.assertRaises(dragoman.UsageError, both.score, "Good morning.", "Good morning.")

    def test_an_ensemble_has_several_paths(self) -> None:
        with Translator("en-de,en-de", weights="0.5,0.5") as both, Translator() as one:
            self.assertEqual(both.translate("Good morning."), one.translate("Good morning."))


if __name__ == "__main__":
    unittest.main()
