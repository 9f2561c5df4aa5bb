#!/usr/bin/env bats
# lifetime.bats - how dragoman-server starts, reloads and ends; clients that go away; open models.

load helper

@test "prints its help and its version, and refuses wrong options" {
    run -0 "$DRAGOMAN-server" --help
    [[ $output == "Usage: dragoman-server [OPTION]..."* && $output == *"--listen ADDRESS"* ]]
    run -0 "$DRAGOMAN-server" --help-man
    [[ $output == ".TH DRAGOMAN-SERVER 1 "* ]]
    diff <("$DRAGOMAN-server" --help | sed -nE 's/^  (-., |    )(--[a-z-]+).*/\2/p' | sort -u) \
        <(printf '%s\n' "${lines[@]}" | sed -nE '/^\.TP$/{n;s/.*(\\-\\-[a-z\\-]+)\\fR.*/\1/p}' | tr -d '\134' | sort -u)
    if command -v groff >/dev/null; then [[ -z $(groff -ww -man -Tascii <<<"$output" 2>&1 >/dev/null) ]]; fi
    run -0 "$DRAGOMAN-server" --version
    [[ $output == "dragoman-server "* ]]
    run -2 "$DRAGOMAN-server" --nope
    [ "$output" = "dragoman-server: unknown option '--nope' (did you mean '--no-page'?); try 'dragoman-server --help'" ] ||
        [[ $output == "dragoman-server: unknown option '--nope'"*"; try 'dragoman-server --help'" ]]
    run -2 "$DRAGOMAN-server" file
    [ "$output" = "dragoman-server: unexpected file 'file'; the server takes no files; try 'dragoman-server --help'" ]
    run -2 "$DRAGOMAN-server" --port 5001
    [ "$output" = "dragoman-server: unknown option '--port' (did you mean '--listen 127.0.0.1:PORT'?); try 'dragoman-server --help'" ]
    run -2 "$DRAGOMAN-server" --listen 127.0.0.1
    [ "$output" = "dragoman-server: --listen: '127.0.0.1' is not ADDRESS:PORT, such as 127.0.0.1:5000" ]
    run -2 "$DRAGOMAN-server" --host 0.0.0.0
    [ "$output" = "dragoman-server: --host: '0.0.0.0' is an address, not a name; to listen there, use --listen 0.0.0.0:5000" ]
    for host in https://x.example x.example:5000 x.example/; do
        run -2 "$DRAGOMAN-server" --host "$host"
        [ "$output" = "dragoman-server: --host: '$host' must be a name such as translate.example.com, without https://, port or path" ]
    done
    for origin in https://x.example/ x.example https://; do
        run -2 "$DRAGOMAN-server" --cors "$origin"
        [ "$output" = "dragoman-server: --cors: '$origin' must be an origin such as https://www.example.com, with https:// or http:// and without a path or a slash at the end" ]
    done
    run -1 "$DRAGOMAN-server" -m nothing
    [[ $output == "dragoman-server: "*nothing* ]]
    run -2 "$DRAGOMAN" --listen 127.0.0.1:0
    [ "$output" = "dragoman: --listen can only be used with dragoman-server; try 'dragoman --help'" ]
    run -2 "$DRAGOMAN" serve
    [ "$output" = "dragoman: serve: No such file or directory (did you mean 'dragoman-server'?); try 'dragoman --help'" ]
}

@test "listens at a socket in the file system, and removes it at the end" {
    check <<'PYTHON'
import os
for _ in range(2):
    with Server("-m", "en-de", listen=("--unix", "socket")) as server:
        assert server.translate("Yes.") and server.get("/health", headers={"Host": "evil.example"})[0] == 403
        second = subprocess.run([PROGRAM + "-server", "--unix", "socket"], stderr=subprocess.PIPE, text=True)
        assert second.returncode == 1 and "Address already in use" in second.stderr, second
    assert not os.path.exists("socket")
server = Server("-m", "en-de", listen=("--unix", "socket"))
server.stop(signal.SIGKILL)
assert os.path.exists("socket")
with Server("-m", "en-de", listen=("--unix", "socket", "--listen", "127.0.0.1:0")) as server: # replaces the one that is left
    assert server.translate("Yes.")
PYTHON
}

@test "takes a socket of systemd" {
    check <<'PYTHON'
import os
listening = socket.create_server(("127.0.0.1", 0))
os.set_inheritable(listening.fileno(), True)
class Passed(Server):
    pass
script = f'exec 3<&{listening.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"'
real = subprocess.Popen
subprocess.Popen = lambda command, **more: real(["bash", "-c", script, *command], pass_fds=[listening.fileno()], **more)
server = Server("-m", "en-de", listen=())
assert server.port == listening.getsockname()[1]
assert server.translate("Yes.")
assert server.stop() == 0
PYTHON
}

@test "a second server at the same port says what to do" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    second = subprocess.run([PROGRAM + "-server", "--listen", f"127.0.0.1:{server.port}"], stderr=subprocess.PIPE, text=True)
    assert second.returncode == 1, second
    assert second.stderr == (f"dragoman-server: cannot listen at 127.0.0.1:{server.port}: Address already in use; choose "
                             "another port, as in --listen 127.0.0.1:5001\n"), second.stderr
PYTHON
}

@test "SIGTERM under load loses no request that was accepted" {
    check <<'PYTHON'
import threading
text = sentences(3)
server = Server("-m", "en-de")
expected = [server.translate(line) for line in text]
wrong, answered, refused = [], [0] * 16, [0] * 16
begun = threading.Barrier(17)
def load(index):
    begun.wait()
    connection = server.connect()
    fresh = True
    for i in range(100000):
        try:
            connection.connect() if fresh else None
        except ConnectionRefusedError: # after the end of accepting
            refused[index] += 1
            return
        except ConnectionResetError:
            return
        try:
            status, headers, body = server.post("/translate", {"q": text[i % 3], "source": "en", "target": "de"},
                                                connection=connection)
        except Exception as fault:
            wrong.append(repr(fault))
            return
        if status != 200 or body["translatedText"] != expected[i % 3]:
            wrong.append((status, body))
        answered[index] += 1
        fresh = headers.get("Connection", "").lower() == "close"
        if fresh:
            connection.close()
            connection = server.connect()
threads = [threading.Thread(target=load, args=(i,)) for i in range(16)]
for thread in threads:
    thread.start()
begun.wait()
while sum(answered) < 100:
    pass
assert server.stop() == 0
for thread in threads:
    thread.join()
assert not wrong, wrong
assert sum(answered) >= 100
PYTHON
}

@test "SIGTERM waits for a request that is running, and for one that is being sent" {
    check <<'PYTHON'
import threading, time
text = "\n".join(sentences(100))
answers = []
server = Server("-m", "en-de")
expected = program(text, "-m", "en-de").decode()
thread = threading.Thread(target=lambda: answers.append(server.translate(text)))
thread.start()
while server.metric("requests_in_flight") < 1:
    pass
body = b"q=Yes.&source=en&target=de"
sending = server.socket()
sending.sendall(b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body) + body[:10])
time.sleep(0.3)
server.process.send_signal(signal.SIGTERM)
time.sleep(0.3)
sending.sendall(body[10:])
assert b" 200 OK" in sending.recv(65536)
thread.join()
assert answers == [expected]
assert server.process.wait(LIMIT) == 0
try:
    server.socket()
    raise SystemExit("it still accepts connections")
except ConnectionRefusedError:
    pass
PYTHON
}

@test "SIGHUP under load loses no request, and opens the models again" {
    check <<'PYTHON'
import threading
text = sentences(3)
with Server("-m", "en-de", "--verbose") as server:
    expected = [server.translate(line) for line in text]
    server.wait_for("opened en-de")
    wrong, ends = [], threading.Event()
    def load():
        i = 0
        while not ends.is_set():
            i += 1
            try:
                if server.translate(text[i % 3]) != expected[i % 3]:
                    wrong.append(i)
            except Exception as fault:
                wrong.append(repr(fault))
    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("read the models and the keys again", "opened en-de")
    ends.set()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    while server.metric("models_open") != 1:
        pass
PYTHON
}

@test "SIGHUP finds new models, and keeps the old ones if the configuration is wrong" {
    check <<'PYTHON'
import os, pathlib
os.environ["XDG_CONFIG_HOME"] = os.getcwd()
pathlib.Path("dragoman").mkdir()
models = pathlib.Path(PROGRAM).parent / "models"
config = pathlib.Path("dragoman/config")
config.write_text(f"model = {models}/en-de.safetensors\n")
server = Server("--verbose", listen=("--listen", "127.0.0.1:0"))
server.stop()
class Configured(Server):
    pass
real = subprocess.Popen
subprocess.Popen = lambda command, **more: real([part for part in command if part != "--no-config"], **more)
with Server("--verbose") as server:
    assert [language["targets"] for language in server.get("/languages")[2]] == [[], ["de"]]
    config.write_text("nonsense\n")
    server.process.send_signal(signal.SIGHUP)
    assert "the models stay as they were" in server.wait_for("config:1")
    assert server.translate("Yes.")
    config.write_text("")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for("read the models")
    assert [language["targets"] for language in server.get("/languages")[2]] == [["en"], ["de"]]
PYTHON
}

@test "a request whose client has gone away is cancelled" {
    check <<'PYTHON'
long = "\n".join(sentences(5000))
with Server("-m", "en-de", "--max-body", "20", "--max-chars", "10000000") as server:
    server.translate("Yes.")
    for path, next_request in (("/translate", b""), ("/translate", b"GET /health HTTP/1.1\r\n"),
                               ("/v1/stream?source=en&target=de", b"")):
        body = urllib.parse.urlencode({"q": long, "source": "en", "target": "de"}).encode()
        before = server.metric("lines_total")
        connection = server.connect()
        connection.request("POST", path, body if path == "/translate" else long.encode(),
                           {"Content-Type": "application/x-www-form-urlencoded"})
        while server.metric("lines_total") == before:
            pass
        connection.sock.sendall(next_request) # which nobody reads
        connection.sock.close()
        while server.metric("requests_in_flight"):
            pass
        assert server.metric("lines_total") - before < 4000
    assert server.translate("Yes.")
PYTHON
}

@test "models are closed when others need the memory, or when they are not used" {
    check <<'PYTHON'
with Server("-m", "en-de", "-m", "de-en", "--memory-limit", "20", "--verbose") as server:
    for _ in range(2):
        assert server.translate("Yes.") and server.translate("Ja.", "de", "en")
        assert server.metric("models_open") == 1
        assert server.metric("models_bytes") <= 20 << 20
    assert sum("opened en-de" in line for line in server.log) == 2, server.log
with Server("-m", "en-de") as server:
    server.translate("Yes.")
    server.translate("No.")
    assert server.metric("models_open") == 1
PYTHON
}

@test "many requests that need the same closed model open it once" {
    check <<'PYTHON'
import threading
with Server("-m", "en-de", "--verbose") as server:
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(server.translate("Good morning."))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16 and len(set(answers)) == 1, answers
    assert sum("opened en-de" in line for line in server.log) == 1, server.log
PYTHON
}

@test "many connections with different texts get their own answers" {
    check <<'PYTHON'
import threading
text = sentences(64)
expected = program("\n".join(text), "-m", "en-de").decode().split("\n")
wrong = []
with Server("-m", "en-de") as server:
    def ask(index):
        connection = server.connect()
        for i in range(index, index + 12):
            body = server.post("/translate", {"q": text[i % 64], "source": "en", "target": "de"}, connection=connection)[2]
            if body.get("translatedText") != expected[i % 64]:
                wrong.append((text[i % 64], body))
    threads = [threading.Thread(target=ask, args=(i * 2,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert not wrong, wrong[:3]
PYTHON
}

@test "the log has no texts" {
    check <<'PYTHON'
with Server("-m", "en-de", "--verbose") as server:
    server.translate("Confidential news.")
    server.get("/translate?q=confidential")
    server.get("/confidential")
    server.post("/translate_file", {"file": ("confidential.txt", b"Confidential."), "source": "en", "target": "de"},
                "multipart")
    server.stop()
    assert any("POST /translate 200" in line for line in server.log), server.log
    assert not any("onfidential" in line for line in server.log), server.log
PYTHON
}
