"""The constants and functions of _library.py are those of the headers. Skipped where the headers are not."""

import ctypes
import pathlib
import re
import unittest
from typing import Dict, List

import dragoman
from dragoman import _library

TREE = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [TREE / "translator" / name for name in ("dragoman.h", "dragoman_settings.h", "dragoman_tools.h")]
STRUCTURES = "DragomanError DragomanSettingRow DragomanRange DragomanLink DragomanWeight".split()
STRUCTURES += ["DragomanHubSettings", "DragomanChoice", "DragomanReporter"]
HEADERS += [TREE / "hub" / "dragoman_hub.h", TREE / "job" / "dragoman_job.h"]


def read_headers() -> str:
    text = "".join(path.read_text() for path in HEADERS)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def enum_values(text: str, name: str) -> Dict[str, int]:
    """The constants of an enum without the prefix DRAGOMAN_."""
    end = re.search(r"\}\s*" + name + ";", text)
    assert end, name
    out: Dict[str, int] = {}
    for item in text[text.rindex("{", 0, end.start()) + 1 : end.start()].split(","):
        constant, _, value = (part.strip() for part in item.partition("="))
        if constant:
            out[constant.replace("DRAGOMAN_", "", 1)] = int(value) if value else len(out)
    return out


def declarations(text: str) -> Dict[str, List[str]]:
    """The functions without the prefix dragoman_: their result, then their parameters, as they are declared."""
    found = re.findall(r"^DRAGOMAN_(?:API|CHECKED) ([^;]*?)\bdragoman_(\w+)\(([^;]*)\);", text, re.MULTILINE)
    out = {}
    for result, name, parameters in found:
        listed = [] if parameters.strip() == "void" else parameters.split(",")
        out[name] = [" ".join(part.split()) for part in [result, *listed]]
    return out


def kind_of_c(declared: str) -> str:
    """The kind of a C type, as far as the calling convention tells types apart."""
    if "*" in declared or "[" in declared:
        return "pointer"
    for word, kind in (
        ("uintptr_t", "8 bytes"),
        ("size_t", "8 bytes"),
        ("uint64_t", "8 bytes"),
        ("long", "8 bytes"),
        ("bool", "bool"),
        ("float", "float"),
        ("double", "double"),
        ("void", "none"),
    ):
        if re.search(rf"\b{word}\b", declared):
            return kind
    return "4 bytes"  # int32_t, unsigned, int and enums


def kind_of_python(declared: object) -> str:
    if declared is None:
        return "none"
    name = getattr(declared, "__name__")
    if name.startswith("LP_") or name in ("c_void_p", "c_char_p"):
        return "pointer"
    if name in ("c_bool", "c_float", "c_double"):
        return str(name[2:])
    return f"{ctypes.sizeof(declared)} bytes"  # type: ignore[arg-type]


@unittest.skipUnless(HEADERS[0].exists(), "the headers of the library are not here")
class HeaderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.text = read_headers()

    def test_version_is_that_of_the_header(self) -> None:
        self.assertIn(f'#define DRAGOMAN_VERSION "{dragoman.__version__}"\n', self.text)
        self.assertEqual(dragoman.version(), dragoman.__version__)

    def test_settings_are_those_of_the_header(self) -> None:
        rows = re.findall(r"^SETTING_ROW\((\w+),", (TREE / "translator" / "settings.def").read_text(), re.MULTILINE)
        self.assertEqual({name: number for number, name in enumerate(rows, 1)}, {
            name: number for name, (number, _) in _library.SETTINGS.items()
        })

    def test_enums_are_those_of_the_header(self) -> None:
        statuses = enum_values(self.text, "DragomanStatus")
        self.assertEqual(statuses, {name: getattr(_library, name) for name in statuses})
        self.assertEqual(set(_library.ERRORS), set(statuses.values()) - {0})
        kinds = enum_values(self.text, "DragomanKind")
        self.assertEqual(kinds, {f"KIND_{name}": i for i, name in enumerate(_library.KINDS)})
        scopes = enum_values(self.text, "DragomanScope")
        self.assertEqual(scopes, {f"FOR_{name}": i for i, name in enumerate(_library.SCOPES)})
        units = enum_values(self.text, "DragomanUnit")
        self.assertEqual(units, {f"{name.upper()}S": i for i, name in enumerate(_library.UNITS)})
        self.assertEqual(tuple(enum_values(self.text, "DragomanFlag").values()), _library.FLAGS)

    def test_structures_are_those_of_the_header(self) -> None:
        for structure in STRUCTURES:
            end = re.search(r"\}\s*" + structure + ";", self.text)
            assert end, structure
            body = self.text[self.text.rindex("{", 0, end.start()) + 1 : end.start()]
            body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # pointers to functions
            declared = re.findall(r"(\w+)(?:\[\d+\])?[,;]", body)
            self.assertEqual(declared, [field[0] for field in getattr(_library, structure)._fields_])
        self.assertIn("char message[1024];", self.text)

    def test_functions_have_the_types_of_the_header(self) -> None:
        declared = declarations(self.text)
        self.assertGreater(len(declared), 60)
        for name, (result, arguments) in {**_library.WAITING, **_library.QUICK}.items():
            with self.subTest(name):
                kinds = [kind_of_python(one) for one in [result, *arguments]]
                self.assertEqual(kinds, [kind_of_c(one) for one in declared[name]])


if __name__ == "__main__":
    unittest.main()
