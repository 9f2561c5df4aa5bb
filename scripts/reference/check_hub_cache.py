"""Compares the cache that `dragoman get` writes with huggingface_hub, in both directions.

    python check_hub_cache.py DRAGOMAN MODEL

MODEL is the folder of a small model, such as build/golden/marian/swish-opus. A server on this machine
(tests/cli/get_server.py) stands for huggingface.co. Checked with huggingface_hub 0.36.2 and 2.4.0:
- scan_cache_dir() finds no fault in what `dragoman get` wrote, and snapshot_download(local_files_only=True) returns it;
- dragoman downloads nothing that snapshot_download() has laid down, and opens it;
- hf_hub_download() continues to work in the same folder.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, MODEL = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = pathlib.Path(__file__).parents[2]
NAMES = ["config.json", "generation_config.json", "tokenizer_config.json", "vocab.json", "source.spm", "target.spm",
         "model.safetensors"]
PATTERNS = ["*.json", "*.spm", "*.safetensors"]


def serve(folder):
    """Starts the server and returns it with its address."""
    served = folder / "served"
    shutil.copytree(MODEL, served / "hub" / "org" / "small")
    (served / "argos").mkdir()
    (served / "firefox").mkdir()
    (folder / "task").write_text(f"{served}\n{folder / 'log'}\n")
    server = subprocess.Popen([sys.executable, ROOT / "tests/cli/get_server.py", folder / "ports", folder / "task"])
    while not (folder / "ports").exists():
        time.sleep(0.05)
    return server, "http://127.0.0.1:" + (folder / "ports").read_text().split()[0]


def run_get(cache):
    result = subprocess.run([PROGRAM, "get", "org/small"], env=dict(os.environ, HF_HUB_CACHE=str(cache)), check=True,
                            capture_output=True, text=True)
    assert result.stdout == "org/small\n", result


def check(folder):
    from huggingface_hub import hf_hub_download, scan_cache_dir, snapshot_download

    ours, theirs = folder / "ours", folder / "theirs"
    run_get(ours)
    scan = scan_cache_dir(ours)
    assert not scan.warnings, scan.warnings
    (repository,) = scan.repos
    (revision,) = repository.revisions
    assert repository.repo_id == "org/small" and revision.refs == {"main"}, repository
    assert sorted(file.file_name for file in revision.files) == sorted(NAMES), revision.files
    path = snapshot_download("org/small", cache_dir=ours, local_files_only=True)
    assert pathlib.Path(path) == revision.snapshot_path, path
    assert hf_hub_download("org/small", "config.json", cache_dir=ours, local_files_only=True)

    path = pathlib.Path(snapshot_download("org/small", cache_dir=theirs, allow_patterns=PATTERNS))
    (folder / "log").write_text("")
    run_get(theirs)
    requests = (folder / "log").read_text().splitlines()
    assert len(requests) == 1 and "/api/models/" in requests[0], requests
    assert not scan_cache_dir(theirs).warnings
    for name in NAMES:
        assert os.readlink(path / name) == os.readlink(revision.snapshot_path / name), name
    subprocess.run([PROGRAM, "info", "-m", theirs / "models--org--small"], check=True, stdout=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, address = serve(folder)
        os.environ.update(HF_ENDPOINT=address, HF_HOME=str(folder / "home"), HF_HUB_DISABLE_XET="1", no_proxy="*")
        try:
            check(folder)
        finally:
            server.kill()
    import huggingface_hub

    print("huggingface_hub", huggingface_hub.__version__, "agrees")


main()
