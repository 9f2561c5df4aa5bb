#!/usr/bin/env bats
# own_api.bats - dragoman's own API: the lines of the output format jsonl, as a list and as a stream; the metrics; the
# page.

load helper

@test "/v1/translate has the lines that the program writes as jsonl" {
    check <<'PYTHON'
import json
text = "Good morning, my friend.\n\nThe river is wide."
options = ["-m", "en-de", "--format", "jsonl", "--alignment", "hard", "--confidence", "-n", "3"]
with Server("-m", "en-de") as server:
    for unit in "word", "token":
        lines = program(text + "\n", *options, "--alignment-unit", unit).decode().splitlines()
        expected = {"source": "en", "target": "de", "model": "en-de", "translations": [json.loads(line) for line in lines]}
        for value in text, text.split("\n"), text.replace("\n", "\r\n") + "\r\n":
            ask = {"source": "en", "target": "de", "text": value, "n": 3, "unit": unit}
            status, _, body = server.post("/v1/translate", ask)
            assert (status, body) == (200, expected), (body, expected)
    body = server.post("/v1/translate", {"source": "en", "target": "de", "text": ["One.\nTwo."]})[2]
    assert [line["source"] for line in body["translations"]] == ["One. Two."], body
    assert server.post("/v1/translate", {"source": "en", "target": "de", "text": []})[2]["translations"] == []
PYTHON
}

@test "/v1/translate detects the language, and copies texts in the target language" {
    check <<'PYTHON'
german = "Das ist ein deutscher Satz über das Wetter von gestern."
with Server() as server:
    status, _, body = server.post("/v1/translate", {"source": "auto", "target": "en", "text": german})
    assert status == 200 and body["source"] == "de" and body["detected"]["language"] == "de", body
    body = server.post("/v1/translate", {"source": "auto", "target": "de", "text": [german, ""]})[2]
    assert [line["translations"][0]["text"] for line in body["translations"]] == [german, ""], body
PYTHON
}

@test "/v1/translate says what is wrong" {
    check <<'PYTHON'
good = {"source": "en", "target": "de", "text": "Yes."}
cases = [
    ({**good, "source": "zz"}, 400, "source: 'zz' is not a language of this server; /languages lists them"),
    ({**good, "target": "zz"}, 400, "target: 'zz' is not a language of this server; /languages lists them"),
    ({"text": "Yes.", "target": "de"}, 400, "source is missing"),
    ({"source": "en", "target": "de"}, 400, "text must be a string or an array of strings"),
    ({**good, "text": [1]}, 400, "text must be a string or an array of strings"),
    ({**good, "n": 0}, 400, "n must be a whole number from 1 to 10"),
    ({**good, "n": "x"}, 400, "n must be a whole number from 1 to 10"),
    ({**good, "unit": "x"}, 400, "unit must be token or word, not 'x'"),
    ({**good, "text": ["a"] * 4}, 413, "the request has more than 3 lines"),
    ({**good, "text": "a" * 51}, 413, "line 1 has more than 50 characters"),
    ({**good, "text": ["a" * 26] * 2}, 413, "the request has more than 50 characters; /v1/stream takes more"),
    ({"source": "de", "target": "en", "text": "Ja."}, 400, "no model translates from de into en"),
]
with Server("-m", "en-de", "--max-texts", "3", "--max-chars", "50") as server:
    for values, expected, message in cases:
        status, _, body = server.post("/v1/translate", values)
        assert (status, body) == (expected, {"error": message}), (values, status, body)
PYTHON
}

@test "/v1/stream answers each line as the program does, in order" {
    check <<'PYTHON'
import json
lines = sentences(60)
options = ["-m", "en-de", "--format", "jsonl", "--alignment", "hard", "--alignment-unit", "word", "--confidence"]
expected = program("\n".join(lines) + "\n", *options)
with Server("-m", "en-de") as server:
    for kind, body in [("text/plain", "\n".join(lines)),
                       ("application/x-ndjson", "\n".join(json.dumps(line) for line in lines) + "\n"),
                       ("Application/X-NDJSON", "\r\n".join(json.dumps({"text": line}) for line in lines)),
                       ("text/plain", "\r\n".join(lines) + "\r\n")]:
        status, headers, data = server.request("POST", "/v1/stream?source=en&target=de", body.encode(),
                                               {"Content-Type": kind})
        assert status == 200 and data == expected, (kind, status, data[:300], expected[:300])
        assert headers["Content-Type"] == "application/x-ndjson" and headers["Transfer-Encoding"] == "chunked"
    status, _, body = server.request("POST", "/v1/stream?source=en&target=de", b'"a"\n{"text":1}\n',
                                     {"Content-Type": "application/x-ndjson"})
    assert status == 400 and body["error"].startswith("line 2 is neither"), body
    assert server.request("POST", "/v1/stream?source=en&target=de", b"")[0:3:2] == (200, b"")
PYTHON
}

@test "/v1/stream sends lines before all are translated" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    connection = server.connect()
    connection.request("POST", "/v1/stream?source=en&target=de", "\n".join(sentences(400)).encode())
    reply = connection.getresponse()
    first = reply.readline()
    assert b'"line":1,' in first, first
    translated = server.metric("lines_total")
    assert 1 <= translated < 400, translated
    assert len(reply.read().splitlines()) == 399
PYTHON
}

@test "/metrics counts requests, lines and characters" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    server.translate("Yes.\nNo.")
    server.post("/translate", {})
    server.post("/v1/translate", {"source": "en", "target": "de", "text": "Äh."})
    assert server.metric('requests_total{api="libretranslate",status="200"}') == 1
    assert server.metric('requests_total{api="libretranslate",status="400"}') == 1
    assert server.metric('requests_total{api="dragoman",status="200"}') >= 1
    assert server.metric("lines_total") == 3 and server.metric("characters_total") == 10
    assert server.metric("models_open") == 2 and server.metric("models_bytes") > 1e6
    assert server.metric("requests_in_flight") == 0
    assert server.metric('request_seconds_count{api="libretranslate"}') == 2
PYTHON
}

@test "the page is served with a policy that allows only its own script" {
    check <<'PYTHON'
import re
with Server("-m", "en-de") as server:
    status, headers, body = server.get("/")
    policy = headers["Content-Security-Policy"]
    assert status == 200 and headers.get_content_type() == "text/html", headers
    assert policy.startswith("default-src 'none'; script-src 'nonce-") and "unsafe" not in policy, policy
    nonce = re.search("script-src 'nonce-([0-9a-f]+)'", policy)[1]
    for tag in re.findall(rb"<(?:script|style)[^>]*>", body):
        assert f'nonce="{nonce}"'.encode() in tag, tag
    assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
    assert server.get("/")[1]["Content-Security-Policy"] != policy
with Server("-m", "en-de", "--no-page") as server:
    assert server.get("/")[0] == 404
PYTHON
}
