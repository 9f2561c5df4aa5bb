"""client.py - starts dragoman-server and sends requests, for the tests in this folder. Standard library only.

    with Server("-m", "en-de") as server:
        status, headers, body = server.post("/translate", {"q": "Hello", "source": "en", "target": "de"})
"""

import contextlib
import http.client
import json
import os
import queue
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

PROGRAM = os.environ["DRAGOMAN"]
LIMIT = float(os.environ.get("TEST_LIMIT", "300"))


class UnixConnection(http.client.HTTPConnection):
    """A connection to a socket in the file system."""

    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(LIMIT)
        self.sock.connect(self.path)


class Server:
    """A running server. Its messages are in `log`, a list of lines."""

    def __init__(self, *options, listen=("--listen", "127.0.0.1:0"), env=None, **popen):
        self.process = subprocess.Popen([PROGRAM + "-server", "--no-config", *listen, *options], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}, **popen)
        self.log, self.lines = [], queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        line = self.wait_for("listening at ")
        self.address = line.split("listening at ")[1]
        self.port = int(self.address.rsplit(":", 1)[1]) if self.address.startswith("http:") else None

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line.rstrip("\n"))
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def wait_for(self, *texts):
        """Waits until each of the texts has been in a message, in any order. Returns the last of these messages."""
        missing = set(texts)
        while True:
            line = self.lines.get(timeout=LIMIT)
            if line is None:
                raise AssertionError("the server has ended: " + "\n".join(self.log))
            missing -= {text for text in missing if text in line}
            if not missing:
                return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def stop(self, number=signal.SIGTERM):
        """Ends the server and returns its exit code."""
        self.process.send_signal(number)
        status = self.process.wait(LIMIT)
        self.reader.join(LIMIT)
        return status

    def connect(self):
        if self.port is None:
            return UnixConnection(self.address.split("unix:")[1])
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)

    def socket(self):
        """A connection to which a test writes bytes."""
        if self.port is None:
            connection = UnixConnection(self.address.split("unix:")[1])
            connection.connect()
            return connection.sock
        return socket.create_connection(("127.0.0.1", self.port), LIMIT)

    def raw(self, data):
        """Sends bytes and returns everything that the server answers until it closes the connection."""
        with self.socket() as s:
            answer = b""
            with contextlib.suppress(OSError):  # the server may have closed the connection before the end
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):
                while part := s.recv(65536):
                    answer += part
            return answer

    def request(self, method, path, body=None, headers=None, connection=None):
        """Returns the status, the headers and the body; a JSON body is decoded."""
        own = connection or self.connect()
        own.request(method, path, body, headers or {})
        reply = own.getresponse()
        data = reply.read()
        if connection is None:
            own.close()
        if reply.headers.get_content_type() == "application/json":
            data = json.loads(data)
        return reply.status, reply.headers, data

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, values, kind="json", headers=None, **more):
        """Sends parameters as JSON, as a form ("form") or as a multipart form ("multipart"). In the latter, a value may
        be a file: (name, bytes)."""
        headers = dict(headers or {})
        if kind == "json":
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(values).encode()
        elif kind == "form":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(values, doseq=True).encode()
        else:
            headers["Content-Type"] = "multipart/form-data; boundary=XyZ"
            body = b""
            for name, value in values.items():
                file = f'; filename="{value[0]}"' if isinstance(value, tuple) else ""
                data = value[1] if isinstance(value, tuple) else value.encode()
                body += f'--XyZ\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + data + b"\r\n"
            body += b"--XyZ--\r\n"
        return self.request("POST", path, body, headers, **more)

    def translate(self, text, source="en", target="de", **more):
        """Returns the translation of LibreTranslate's API."""
        status, _, body = self.post("/translate", {"q": text, "source": source, "target": target, **more})
        assert status == 200, (status, body)
        return body["translatedText"]

    def metric(self, name):
        """The value of a number of /metrics."""
        text = self.get("/metrics")[2].decode()
        found = re.search("^" + re.escape("dragoman_" + name) + r" (\S+)$", text, re.M)
        return float(found.group(1)) if found else 0


def program(text, *options):
    """What the program dragoman writes for a text."""
    if isinstance(text, str):
        text = text.encode()
    return subprocess.run([PROGRAM, "--no-config", "-q", *options], input=text, stdout=subprocess.PIPE, check=True,
                          timeout=LIMIT).stdout


def wait_until(condition, seconds=60):
    """Calls condition() until it is true, and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited for {seconds} s"
        time.sleep(0.01)
    return value


def sentences(count):
    """Different sentences, which take some time to translate."""
    words = "house river garden winter letter teacher window market summer bridge".split()
    return [f"The {words[i % 10]} number {i} is older than the {words[i // 10 % 10]} that we saw in the year {1500 + i}."
            for i in range(count)]
