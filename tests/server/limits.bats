#!/usr/bin/env bats
# limits.bats - who may use dragoman-server, and how much.

load helper

@test "refuses bodies that are too large with 413, also when they are chunked" {
    check <<'PYTHON'
big = b"q=" + b"a" * (1 << 20) + b"&source=en&target=de"
with Server("-m", "en-de", "--max-body", "1", "--max-file", "2") as server:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in "/translate", "/detect", "/v1/translate":
        status, _, body = server.request("POST", path, big, headers)
        assert status == 413 and body == {"error": "the request is larger than 1 MB"}, (path, status, body)
    connection = server.connect()
    connection.request("POST", "/translate", iter([big[:700000], big[700000:]]), headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    status, _, body = server.post("/translate_file", {"file": ("a.txt", b"a\n" * (1 << 20)), "source": "en",
                                                      "target": "de"}, "multipart")
    assert status == 413 and body == {"error": "the request is larger than 2 MB"}, (status, body)
    answer = server.raw(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\nq=")
    assert not answer or b" 413 " in answer, answer
    assert server.translate("Yes.")
PYTHON
}

@test "refuses requests with 503 when too many bytes of others are in memory" {
    check <<'PYTHON'
with Server("-m", "en-de", "--max-uploads", "1", "--max-body", "2") as server:
    head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nq="
    slow = []
    def refused():
        slow.append(server.socket()) # the server may have refused those before
        slow[-1].sendall(head + b"a" * 400000)
        answer = server.request("POST", "/translate", b"q=" + b"a" * 400000)
        return answer if answer[0] == 503 else None
    _, headers, body = wait_until(refused)
    assert headers["Retry-After"] == "5" and "memory" in body["error"], body
    assert server.translate("Yes.")
    for s in slow:
        s.close()
PYTHON
}

@test "the requests of one client take at most half of the memory for requests" {
    check <<'PYTHON'
head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.1\r\nContent-Length: 1000000\r\n\r\nq="
with Server("-m", "en-de", "--max-uploads", "8", "--max-body", "1", "--max-file", "1", "--trust-proxy") as server:
    def ask(client):
        return server.request("POST", "/translate", b"q=" + b"a" * 900000, {"X-Forwarded-For": client})[0]
    slow = []
    def fill():
        if all(ask("10.0.0.1") == 429 for _ in range(5)): # a slow request that was refused has left room
            return True
        slow.append(server.socket())
        slow[-1].sendall(head + b"a" * 700000)
    wait_until(fill)
    assert ask("10.0.0.2") == 400 # it names no languages
    status, headers, body = server.request("POST", "/translate", b"q=" + b"a" * 900000, {"X-Forwarded-For": "10.0.0.1"})
    assert status == 429 and headers["Retry-After"] == "5", (status, body)
    assert body["error"].startswith("Slowdown: too many bytes of this address"), body
    for s in slow:
        s.close()
    wait_until(lambda: ask("10.0.0.1") != 429)
PYTHON
}

@test "refuses the requests of one client with 429, and of all with 503, when there are too many" {
    check <<'PYTHON'
import threading
long = "\n".join(sentences(300))
answers = []
def ask(server, values, headers=None):
    answers.append(server.post("/translate", {"source": "en", "target": "de", **values}, headers=headers))
options = ["-m", "en-de", "--max-requests", "2", "--max-waiting", "1", "--max-per-client", "2", "--trust-proxy"]
with Server(*options) as server:
    def count():
        return server.metric("requests_in_flight"), server.metric("requests_waiting")
    threads = []
    for client, expected in [("10.0.0.1", (1, 0)), ("10.0.0.2", (2, 0)), ("10.0.0.1", (2, 1))]:
        threads.append(threading.Thread(target=ask, args=(server, {"q": long}, {"X-Forwarded-For": client})))
        threads[-1].start()
        wait_until(lambda: answers or count() == expected)
        assert not answers, answers
    status, headers, body = server.post("/translate", {"q": "Yes.", "source": "en", "target": "de"},
                                        headers={"X-Forwarded-For": "10.0.0.1"})
    assert status == 429 and headers["Retry-After"] == "1" and body["error"].startswith("Slowdown: "), (status, body)
    status, headers, body = server.post("/translate", {"q": "Yes.", "source": "en", "target": "de"},
                                        headers={"X-Forwarded-For": "10.0.0.3"})
    assert status == 503 and headers["Retry-After"] == "5", (status, body)
    assert server.get("/health")[0] == 200 # needs no turn
    for thread in threads:
        thread.join()
    assert [answer[0] for answer in answers] == [200] * 3, answers
    assert len({answer[2]["translatedText"] for answer in answers}) == 1
    assert count() == (0, 0)
PYTHON
}

@test "--rate bounds the requests of each client in a minute" {
    check <<'PYTHON'
with Server("-m", "en-de", "--rate", "3", "--trust-proxy") as server:
    def ask(client):
        return server.post("/translate", {"q": "Yes.", "source": "en", "target": "de"}, headers={"X-Forwarded-For": client})
    statuses = [ask("10.0.0.1")[0] for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429], statuses
    assert 0 < int(ask("10.0.0.1")[1]["Retry-After"]) <= 20
    assert ask("10.0.0.2")[0] == 200
    assert ask("2001:db8::1")[0] == 200 # the addresses of a network are one client
    assert [ask("2001:db8::%x" % i)[0] for i in range(2, 5)] == [200, 200, 429]
    glossary = {"name": "a", "dictionaries": [{"source_lang": "en", "target_lang": "de", "entries": "a\tb",
                                               "entries_format": "tsv"}]}
    headers = {"X-Forwarded-For": "10.0.0.3"}
    assert [server.post("/v3/glossaries", glossary, headers=headers)[0] for _ in range(4)] == [201, 201, 201, 429]
PYTHON
}

@test "--keys: only requests with a key are translated, and SIGHUP reads the keys again" {
    check <<'PYTHON'
import os, signal
with open("keys", "w") as file:
    file.write("# of the tests\nanna:secret-a\n \n bert : secret:b \n")
os.chmod("keys", 0o600)
good = {"q": "Yes.", "source": "en", "target": "de"}
with Server("-m", "en-de", "--keys", "keys", "--verbose") as server:
    for path in "/translate", "/detect":
        status, _, body = server.post(path, good)
        assert (status, body) == (400, {"error": "Please contact the server operator to get an API key"}), body
        status, _, body = server.post(path, {**good, "api_key": "secret-"})
        assert (status, body) == (403, {"error": "Invalid API key"}), body
        assert server.post(path, {**good, "api_key": "secret-a"})[0] == 200
    assert server.post("/translate", {**good, "api_key": "secret:b"}, "form")[0] == 200
    assert server.post("/translate", {**good, "api_key": "x" * 5000})[0] == 403
    own = {"text": "Yes.", "source": "en", "target": "de"}
    status, headers, body = server.post("/v1/translate", own)
    assert status == 401 and headers["WWW-Authenticate"] == "Bearer", (status, body)
    assert server.post("/v1/translate", own, headers={"Authorization": "Bearer secret-a"})[0] == 200
    assert server.post("/v1/translate", own, headers={"Authorization": "Bearer secret-b"})[0] == 403
    assert server.get("/metrics")[0] == 401
    for path in "/", "/languages", "/health", "/frontend/settings":
        assert server.get(path)[0] == 200, path
    assert server.get("/frontend/settings")[2]["keyRequired"]
    assert any(line.endswith(" anna") for line in server.log)
    assert not any("secret" in line for line in server.log), server.log
    with open("keys", "w") as file:
        file.write("carl:other\n")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("read the models and the keys again")
    assert server.post("/translate", {**good, "api_key": "secret-a"})[0] == 403
    assert server.post("/translate", {**good, "api_key": "other"})[0] == 200
    with open("keys", "w") as file:
        file.write("no key\n")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("keys:1: must be NAME:KEY; the keys stay as they were")
    assert server.post("/translate", {**good, "api_key": "other"})[0] == 200
PYTHON
    (umask 077 && printf 'x\n' >bad)
    run -1 "$DRAGOMAN-server" --listen 127.0.0.1:0 --keys bad
    [ "$output" = "dragoman-server: bad:1: must be NAME:KEY" ]
    run -1 "$DRAGOMAN-server" --listen 127.0.0.1:0 --keys missing
    [ "$output" = "dragoman-server: missing: No such file or directory" ]
}

@test "with --trust-proxy, the last entry of the last X-Forwarded-For is the client" {
    check <<'PYTHON'
with Server("-m", "en-de", "--trust-proxy", "-v") as server:
    server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.1\r\n"
               b"X-Forwarded-For: 10.0.0.2, 10.0.0.3\r\nConnection: close\r\n\r\n")
    server.wait_for(" ms 10.0.0.3")
PYTHON
}

@test "requests for foreign hosts are refused, so that no web page can give the server a name of its own" {
    check <<'PYTHON'
with Server("-m", "en-de", "--host", "translate.example") as server:
    port = server.port
    for host in ("localhost", f"localhost:{port}", "LOCALHOST", f"127.0.0.1:{port}", "192.168.1.7", "[::1]:80",
                 "a.localhost", "translate.example", f"Translate.Example:{port}"):
        assert server.get("/health", headers={"Host": host})[0] == 200, host
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "translate.example.evil", "", "[::1",
                 "1.2.3", "xlocalhost", "[::1]evil.example", "127.0.0.1:evil.example", "localhost:80:"):
        status, _, body = server.get("/health", headers={"Host": host})
        assert status in (400, 403), (host, status, body)
    assert b" 200 " in server.raw(b"GET /health HTTP/1.0\r\n\r\n")
    # The host of a target in absolute form counts, and the header does not.
    for target, host, status in [("http://localhost/health", "evil.example", 200), ("HTTP://localhost:80", "a", 200),
                                 ("http://evil.example/health", "localhost", 403), ("http:///health", "localhost", 403)]:
        answer = server.raw(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert f" {status} ".encode() in answer, (target, answer)
PYTHON
}

@test "web pages of other origins may not use the server unless --cors names them" {
    check <<'PYTHON'
good = {"q": "Yes.", "source": "en", "target": "de"}
with Server("-m", "en-de", "--cors", "https://good.example") as server:
    own = f"http://127.0.0.1:{server.port}"
    def ask(origin):
        return server.post("/translate", good, headers={"Origin": origin})
    for origin in "https://evil.example", "null", "http://good.example", "https://good.example.evil", "http://localhost:1":
        status, headers, body = ask(origin)
        assert status == 403 and "Access-Control-Allow-Origin" not in headers, (origin, status)
        status, headers, _ = server.request("OPTIONS", "/translate", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in headers, origin
    for origin in own, "moz-extension://1234":
        status, headers, _ = ask(origin)
        assert status == 200 and "Access-Control-Allow-Origin" not in headers, (origin, status)
    status, headers, _ = ask("https://good.example")
    assert status == 200 and headers["Access-Control-Allow-Origin"] == "https://good.example", headers
    status, headers, _ = server.request("OPTIONS", "/translate", headers={"Origin": "https://good.example"})
    assert status == 204 and headers["Access-Control-Allow-Methods"] == "POST", headers
with Server("-m", "en-de", "--cors", "*") as server:
    status, headers, _ = server.post("/translate", good, headers={"Origin": "https://any.example"})
    assert status == 200 and headers["Access-Control-Allow-Origin"] == "https://any.example"
PYTHON
}

@test "garbage is refused, and the server goes on" {
    check <<'PYTHON'
import random
chance = random.Random(7)
head = b"POST /translate HTTP/1.1\r\nHost: localhost\r\n"
with Server("-m", "en-de") as server:
    cases = [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9.9\r\n\r\n", b"A" * 100000,
             head + b"X: " + b"y" * 100000 + b"\r\n\r\n", head + b"Content-Length: -1\r\n\r\n",
             head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
             head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
             b"GET /%00%ff/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"GET /translate?q=%zz&q=%&%=&=&&&q HTTP/1.1\r\nHost: localhost\r\n\r\n",
             head + b"Content-Type: multipart/form-data; boundary=\r\nContent-Length: 2\r\n\r\n--",
             head + b"Content-Type: multipart/form-data; boundary=\"a\r\nContent-Length: 9\r\n\r\n--a\r\n\r\n--"]
    cases += [bytes(chance.randrange(256) for _ in range(300)) for _ in range(50)]
    for case in cases:
        try:
            answer = server.raw(case)
        except ConnectionError:
            answer = b""
        assert not answer or b" 200 " not in answer.split(b"\r\n")[0], (case[:80], answer[:200])
    assert server.process.poll() is None and server.translate("Yes.")
PYTHON
}

@test "slow clients are disconnected, and do not keep others waiting" {
    check <<'PYTHON'
with Server("-m", "en-de", "--timeout", "1", "--max-connections", "8") as server:
    slow = [server.socket() for _ in range(3)]
    slow[0].sendall(b"POST /translate HTTP/1.1\r\n")
    slow[1].sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nq=")
    assert server.translate("Yes.")
    for s in slow:
        try:
            while s.recv(65536):
                pass
        except ConnectionError:
            pass
        s.close()
PYTHON
}

@test "a client that has sent much may not send the rest slowly" {
    check <<'PYTHON'
import time
with Server("-m", "en-de", "--timeout", "2") as server:
    with server.socket() as slow:
        slow.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n" + b"a" * 1000000)
        begin = time.monotonic()
        try:
            while time.monotonic() - begin < 40: # at 10 kB per second, the first bytes would take longer
                slow.sendall(b"a")
                time.sleep(0.2)
        except OSError:
            pass
        assert time.monotonic() - begin < 30
PYTHON
}

@test "a request with several lengths or hosts is refused, and its connection closed" {
    check <<'PYTHON'
twice = [b"Host: localhost\r\nContent-Length: 2\r\nContent-Length: 9\r\n",
         b"Host: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n",
         b"Host: localhost\r\nHost: example.org\r\nContent-Length: 2\r\n"]
with Server("-m", "en-de") as server:
    for headers in twice:
        body = b"0\r\n\r\n" if b"chunked" in headers else b"{}"
        answer = server.raw(b"POST /detect HTTP/1.1\r\nContent-Type: application/json\r\n" + headers + b"\r\n" + body +
                            b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 400 ") and b"several lengths or hosts" in answer, answer
        assert answer.count(b"HTTP/1.1 ") == 1 and b"Connection: close" in answer, answer
PYTHON
}
