"""A server for the tests of `dragoman get`: the Hugging Face hub, Argos Translate's index and Firefox's registry.

    get_server.py PORTS TASK

PORTS receives the ports of two servers, as "PORT OTHER"; the second one, which redirects lead to, has the same files.
The file TASK has the lines FOLDER, LOG and FAULT=VALUE. It may be replaced at any time: the next request is answered as
it says, and the requests of files are counted anew.

FOLDER/hub/ORG/NAME has the files of models, FOLDER/argos the files *.argosmodel, FOLDER/firefox/FROM-TO those of
Firefox. LOG receives a line for each request: server (1 or 2), path, Range, Authorization; "-" for none.

Faults: failing=N (this status for everything of org/failing), cut=N (close the connection after N bytes of a file),
times=N (only the first N requests of files), ignore_range=1, wrong_range=1, wrong_hash=FILE, wrong_size=FILE,
extra=FILE (one byte too many), status=N (of every answer), file_status=N (of files), retry_after=S, code=TEXT (X-Error-
Code), redirect=other|loop|plain (of files), unsafe=NAME (another file of that name), token=TOKEN (401 without it),
slow=S (seconds after each 1000 bytes), huge=1 (an endless list), no_size=1 (no Content-Length), no_space=1 (files of 1
EB).
"""
import hashlib
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse

PORTS, TASK = sys.argv[1:]
FOLDER, LOG = "", ""
FAULTS = {}
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".bin", ".npz", ".spm", ".model")
lock = threading.Lock()
left = 0
state = None  # of the file TASK
ports = []


def read_task():
    global FOLDER, LOG, FAULTS, left, state
    info = os.stat(TASK)
    if state != (info.st_ino, info.st_mtime_ns):
        state = info.st_ino, info.st_mtime_ns
        with open(TASK, encoding="utf-8") as file:
            FOLDER, LOG, *faults = file.read().splitlines()
        FAULTS = dict(line.split("=", 1) for line in faults)
        left = int(FAULTS.get("times", 10**9))


def content(path):
    with open(os.path.join(FOLDER, path), "rb") as file:
        return file.read()


def listing(model):
    siblings = []
    for folder, _, files in os.walk(os.path.join(FOLDER, "hub", model)):
        for file in sorted(files):
            name = os.path.relpath(os.path.join(folder, file), os.path.join(FOLDER, "hub", model))
            data = content(os.path.join("hub", model, name))
            if FAULTS.get("wrong_hash") == name:
                data = b"x" * len(data)
            size = len(data) + (FAULTS.get("wrong_size") == name)
            if "no_space" in FAULTS:
                size = 10**13
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            entry = {"rfilename": name, "size": size, "blobId": blob}
            if name.endswith(LARGE):
                entry["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": size, "pointerSize": 133}
            siblings.append(entry)
    if "unsafe" in FAULTS:
        siblings.append({"rfilename": FAULTS["unsafe"], "size": 1, "blobId": "0" * 40})
    return {"id": model, "sha": COMMIT, "siblings": siblings}


def index(port):
    packages = []
    for name in sorted(os.listdir(os.path.join(FOLDER, "argos"))):
        pair, version = re.match(r"translate-([a-z_]+)(?:-(\w+))?\.argosmodel", name).groups()
        source, target = pair.split("_")
        packages.append({
            "package_version": (version or "1_0").replace("_", "."), "from_code": source, "to_code": target,
            "links": [f"http://127.0.0.1:{port}/argos/{name}"],
        })
    return packages


def records():
    data = []
    for pair in sorted(os.listdir(os.path.join(FOLDER, "firefox"))):
        source, target = pair.split("-")
        for version in sorted(os.listdir(os.path.join(FOLDER, "firefox", pair))):
            for name in sorted(os.listdir(os.path.join(FOLDER, "firefox", pair, version))):
                path = f"firefox/{pair}/{version}/{name}"
                bytes_ = content(path)
                if FAULTS.get("wrong_hash") == name:
                    bytes_ = b"x" * len(bytes_)
                data.append({
                    "name": name, "fromLang": source, "toLang": target, "version": version,
                    "fileType": name.split(".")[0], "filter_expression": "",
                    "attachment": {"hash": hashlib.sha256(bytes_).hexdigest(), "size": len(bytes_), "filename": name,
                                   "location": path},
                })
    return {"data": data}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def number(self):
        return 1 + (self.server.server_address[1] == ports[1])

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status):
        headers = {}
        if "retry_after" in FAULTS:
            headers["Retry-After"] = FAULTS["retry_after"]
        if "code" in FAULTS:
            headers["X-Error-Code"] = FAULTS["code"]
        self.answer(status, b"<html>error</html>", headers)

    def do_HEAD(self):
        """What huggingface_hub asks for before it downloads a file."""
        with lock:
            read_task()
        path = urllib.parse.unquote(self.path.split("?")[0])
        model, name = re.fullmatch(r"/(.+)/resolve/[^/]+/(.+)", path).groups()
        entry = next((e for e in listing(model)["siblings"] if e["rfilename"] == name), None)
        self.send_response(200 if entry else 404)
        if entry:
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", '"%s"' % entry.get("lfs", {}).get("sha256", entry["blobId"]))
        self.send_header("Content-Length", str(entry["size"] if entry else 0))
        self.end_headers()

    def do_GET(self):
        path = urllib.parse.unquote(self.path.split("?")[0])
        with lock:
            read_task()
            with open(LOG, "a", encoding="utf-8") as log:
                log.write(f"{self.number()} {path} {self.headers.get('Range', '-')} "
                          f"{self.headers.get('Authorization', '-')}\n")
        try:
            self.route(path)
        except FileNotFoundError:
            self.fail(404)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def route(self, path):
        if "token" in FAULTS and self.number() == 1 and self.headers.get("Authorization") != "Bearer " + FAULTS["token"]:
            return self.fail(401)
        if "failing" in FAULTS and "/org/failing/" in path:
            return self.fail(int(FAULTS["failing"]))
        if "status" in FAULTS:
            return self.fail(int(FAULTS["status"]))
        model = re.fullmatch(r"/api/models/(.+)/revision/(.+)", path)
        if model and "huge" in FAULTS:
            return self.answer(200, b" " * (17 << 20))
        if model:
            if model[2] not in ("main", "v1", "refs/pr/1", COMMIT):
                return self.fail(404)
            if not os.path.isdir(os.path.join(FOLDER, "hub", model[1])):
                return self.fail(404)
            return self.json(listing(model[1]))
        tree = re.fullmatch(r"/api/models/(.+)/tree/[^/]+", path)
        if tree:
            return self.json([{"type": "file", "path": e["rfilename"], "size": e["size"], "oid": e["blobId"]}
                              for e in listing(tree[1])["siblings"]])
        if path == "/argos/index.json":
            return self.json(index(self.server.server_address[1]))
        if path == "/v1/":
            base = f"http://127.0.0.1:{self.server.server_address[1]}/"
            return self.json({"capabilities": {"attachments": {"base_url": base}}})
        if path.endswith("/translations-models/records"):
            return self.json(records())
        file = re.fullmatch(r"/(.+)/resolve/" + COMMIT + "/(.+)", path)
        return self.file(os.path.join("hub", file[1], file[2]) if file else path[1:])

    def json(self, value):
        self.answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def take_fault(self):
        global left
        with lock:
            left -= 1
            return left >= 0

    def file(self, path):
        data = content(path)
        faulty = len(data) > int(FAULTS.get("cut", 0)) and self.take_fault()
        if "file_status" in FAULTS and faulty:
            return self.fail(int(FAULTS["file_status"]))
        kind = FAULTS.get("redirect")
        if kind and (self.number() == 1 or kind == "loop"):
            other = {"other": f"http://localhost:{ports[1]}", "loop": "", "plain": "ftp://127.0.0.1"}[kind]
            return self.answer(302, b"", {"Location": other + urllib.parse.quote(self.path)})
        if os.path.basename(path) == FAULTS.get("extra"):
            data += b"x"
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        begin = int(wanted[1]) if wanted and "ignore_range" not in FAULTS else 0
        if begin > len(data):
            return self.fail(416)
        part = data[begin:]
        self.send_response(206 if begin else 200)
        if begin:
            shown = begin + ("wrong_range" in FAULTS)
            self.send_header("Content-Range", f"bytes {shown}-{len(data) - 1}/{len(data)}")
        if "no_size" in FAULTS:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if "cut" in FAULTS and faulty:
            self.wfile.write(part[:int(FAULTS["cut"])])
            self.wfile.flush()
            self.close_connection = True
            return None
        if "slow" in FAULTS:
            pause = float(FAULTS["slow"])
            for at in range(0, len(part), 1000):
                self.wfile.write(part[at:at + 1000])
                self.wfile.flush()
                time.sleep(pause)
            return None
        self.wfile.write(part)
        return None


def main():
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    ports.extend(server.server_address[1] for server in servers)
    threading.Thread(target=servers[1].serve_forever, daemon=True).start()
    with open(PORTS + ".new", "w", encoding="utf-8") as file:
        file.write(f"{ports[0]} {ports[1]}\n")
    os.rename(PORTS + ".new", PORTS)
    servers[0].serve_forever()


main()
