#!/usr/bin/env bats
# deepl.bats - DeepL's API, as its clients use it: texts, documents, languages, usage and keys. deepl_glossaries.bats
# tests its glossaries.

load helper

@test "translates texts as JSON, as a form and as a multipart form, in the order given" {
    check <<'PYTHON'
texts = ["Good morning.", "How old is the bridge?\n\nIt is very old.", "Where is the station?"]
expected = [program(text, "-m", "en-de").decode() for text in texts]
with Server("-m", "en-de") as server:
    for values, kind in [({"text": texts, "target_lang": "DE", "source_lang": "EN"}, "json"),
                         ({"text": texts, "target_lang": "de", "source_lang": "en"}, "form")]:
        status, headers, body = server.post("/v2/translate", values, kind)
        assert status == 200 and headers["Content-Type"] == "application/json", (status, body)
        assert body == {"translations": [{"detected_source_language": "EN", "text": text} for text in expected]}, body
    for kind in "form", "multipart":
        body = server.post("/v2/translate", {"text": texts[0], "target_lang": "DE"}, kind)[2]
        assert body["translations"][0]["text"] == expected[0], body
PYTHON
}

@test "detects the language of each text" {
    check <<'PYTHON'
need_cld2 = ["Where is the station of this town?", "Wo ist der Bahnhof dieser Stadt?", "OK"]
with Server("-m", "en-de", "-m", "de-en") as server:
    status, _, body = server.post("/v2/translate", {"text": need_cld2, "target_lang": "DE"})
    if status == 400 and "CLD2" in body["message"]:
        sys.exit()
    found = [row["detected_source_language"] for row in body["translations"]]
    assert found[:2] == ["EN", "DE"] and body["translations"][1]["text"] == need_cld2[1], body
    german = "<p class='the class of this text' title=''>Wie geht es dir?</p>"
    ignored = "<code>This is the code of the program</code>"
    for handling in "xml", "html":
        ask = {"text": [german, german + ignored], "target_lang": "EN", "tag_handling": handling, "ignore_tags": "code"}
        found = [row["detected_source_language"] for row in server.post("/v2/translate", ask)[2]["translations"]]
        assert found == ["DE", "DE"], (handling, found)
    back = server.post("/v2/translate", {"text": need_cld2[1:2], "target_lang": "EN-US"})[2]["translations"][0]
    assert back == {"detected_source_language": "DE", "text": program(need_cld2[1], "-m", "de-en").decode()}, back
PYTHON
}

@test "tags of HTML and XML stay at the translated words, and ignored elements stay as they are" {
    check <<'PYTHON'
import xml.etree.ElementTree as tree
with Server("-m", "en-de") as server:
    def translate(text, **more):
        status, _, body = server.post("/v2/translate", {"text": [text], "source_lang": "EN", "target_lang": "DE", **more})
        assert status == 200, body
        return body["translations"][0]["text"]
    html = '<p>The <b>old house</b> is <a href="x">red</a>.</p><!-- c -->'
    assert translate(html, tag_handling="html") == program(html, "-m", "en-de", "--as", "html").decode()
    kept = translate("<p>A nice <keep>old house</keep> stands here.</p>", tag_handling="html", ignore_tags=["keep"])
    assert "<keep>old house</keep>" in kept and kept.startswith("<p>") and "nice" not in kept, kept
    # XML without and with a root element
    text = translate("The big <keep>old house</keep> is <i>here</i> &amp; there.", tag_handling="xml",
                     ignore_tags="x,keep")
    root = tree.fromstring("<r>" + text + "</r>")
    assert root.find("keep").text == "old house" and [e.tag for e in root] == ["keep", "i"] and "big" not in text, text
    whole = '<?xml version="1.0"?>\n<doc><title>A letter</title><par>The house is red.</par></doc>'
    text = translate(whole, tag_handling="xml")
    assert text.startswith('<?xml version="1.0"?>\n<doc><title>') and "Haus" in tree.fromstring(text).find("par").text
    # splitting tags divide a text, others do not
    text = "The house is<par>red like an apple</par>in the summer"
    assert translate(text, tag_handling="xml", splitting_tags=["par"]) == \
        "".join(program(part, "-m", "en-de").decode() + tag for part, tag in
                [("The house is", "<par>"), ("red like an apple", "</par>"), ("in the summer", "")])
    status, _, body = server.post("/v2/translate", {"text": ["<b>x</i>"], "target_lang": "DE", "source_lang": "EN",
                                                    "tag_handling": "xml"})
    assert status == 400 and body["message"].startswith("Tag handling parsing failed, please check input: "), body
PYTHON
}

@test "split_sentences nonewlines and 0 join the lines of a paragraph" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    text = "The tree that we saw in\nthe garden is green.\n\nThe end."
    for split in "0", "nonewlines":
        body = server.post("/v2/translate", {"text": [text], "source_lang": "EN", "target_lang": "DE",
                                             "split_sentences": split})[2]
        assert body["translations"][0]["text"] == program(text, "-m", "en-de", "--as", "text").decode(), body
    body = server.post("/v2/translate", {"text": [text], "source_lang": "EN", "target_lang": "DE",
                                         "split_sentences": "1"})[2]
    assert body["translations"][0]["text"] == program(text, "-m", "en-de").decode(), body
PYTHON
}

@test "accepts the parameters of DeepL that have no effect, and counts billed characters" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    body = server.post("/v2/translate", {"text": ["Größe."], "source_lang": "EN", "target_lang": "DE", "context": "x",
                                         "preserve_formatting": True, "outline_detection": False, "formality":
                                         "prefer_less", "model_type": "prefer_quality_optimized",
                                         "show_billed_characters": True})[2]
    row = body["translations"][0]
    assert row["billed_characters"] == 6 and row["model_type_used"] == "quality_optimized", row
PYTHON
}

@test "refuses wrong parameters with DeepL's messages" {
    check <<'PYTHON'
good = {"text": ["Yes."], "source_lang": "EN", "target_lang": "DE"}
cases = [({"text": []}, 400, "Parameter 'text' not specified."),
         ({"text": [1]}, 400, "Parameter 'text' not specified."),
         ({"text": ["a"] * 51}, 400, "Too many texts: a request has at most 50"),
         ({"target_lang": None}, 400, "Parameter 'target_lang' not specified."),
         ({"target_lang": "XX"}, 400, "Value for 'target_lang' not supported."),
         ({"source_lang": "XX"}, 400, "Value for 'source_lang' not supported."),
         ({"source_lang": "DE", "target_lang": "EN-GB"}, 400,
          "Value for 'target_lang' not supported: there is no model from DE into EN-GB"),
         ({"formality": "more"}, 400, "'formality' is not supported for given 'target_lang'."),
         ({"formality": "rude"}, 400, "Value for 'formality' not supported."),
         ({"tag_handling": "json"}, 400, "Value for 'tag_handling' not supported."),
         ({"tag_handling": "xml", "ignore_tags": 1}, 400, "Value for 'ignore_tags' not supported."),
         ({"split_sentences": "2"}, 400, "Value for 'split_sentences' not supported."),
         ({"model_type": "big"}, 400, "Value for 'model_type' not supported."),
         ({"glossary_id": "x"}, 404, "Glossary not found"),
         ({"text": ["a" * 101]}, 413, "text 1 has more than 100 characters")]
with Server("-m", "en-de", "--max-chars", "100") as server:
    for change, expected, message in cases:
        status, _, body = server.post("/v2/translate", {**good, **change})
        assert (status, body) == (expected, {"message": message}), (change, status, body)
    status, _, body = server.request("POST", "/v2/translate", b"{", {"Content-Type": "application/json"})
    assert status == 400 and "message" in body, body
    assert server.get("/v2/nothing")[0] == 404 and "message" in server.get("/v3/nothing")[2]
    assert server.post("/v2/languages", {"type": "x"})[0] == 400
PYTHON
}

@test "lists languages, with the variants of targets that clients must choose" {
    check <<'PYTHON'
with Server("-m", "en-de", "-m", "de-en") as server:
    source = [{"language": "DE", "name": "German"}, {"language": "EN", "name": "English"}]
    assert server.get("/v2/languages")[2] == server.get("/v2/languages?type=source")[2] == source
    target = server.get("/v2/languages?type=target")[2]
    assert [row["language"] for row in target] == ["DE", "EN-GB", "EN-US"], target
    assert all(row["supports_formality"] is False for row in target)
    # DeepL's own library sends the type in the body of a GET request
    body = server.request("GET", "/v2/languages", "type=target",
                          {"Content-Type": "application/x-www-form-urlencoded"})[2]
    assert body == target, body
    for code in "EN-GB", "en-us", "EN":
        body = server.post("/v2/translate", {"text": ["Das Haus."], "source_lang": "DE", "target_lang": code})[2]
        assert body["translations"][0]["text"] == program("Das Haus.", "-m", "de-en").decode(), body
PYTHON
}

@test "needs a key if the server has keys, counts the characters of each, and has a quota" {
    check <<'PYTHON'
open("keys", "w").write("one:K1\ntwo:K2\n")
ask = {"text": ["Yes."], "source_lang": "EN", "target_lang": "DE"}
with Server("-m", "en-de", "--keys", "keys", "--quota", "10") as server:
    def key(name):
        return {"Authorization": "DeepL-Auth-Key " + name}
    for headers in {}, key("K3"):
        for path in "/v2/translate", "/v2/document", "/v2/glossaries", "/v3/glossaries":
            status, _, body = server.post(path, ask, headers=headers)
            assert status == 403 and "message" in body, (path, status, body)
        assert server.get("/v2/usage", headers=headers)[0] == 403
    assert server.post("/v2/translate", {**ask, "auth_key": "K1"}, "form")[0] == 200
    assert server.post("/v2/translate", ask, headers=key("K1"))[0] == 200
    assert server.get("/v2/usage", headers=key("K1"))[2] == {"character_count": 8, "character_limit": 10}
    assert server.get("/v2/usage", headers=key("K2"))[2] == {"character_count": 0, "character_limit": 10}
    status, _, body = server.post("/v2/translate", ask, headers=key("K1"))
    assert status == 456 and "Quota" in body["message"], (status, body)
    assert server.post("/v2/translate", ask, headers=key("K2"))[0] == 200
PYTHON
}

# Python functions for documents: upload() returns the id and the key.
DOCUMENTS='
def upload(server, name, data, headers=None, **more):
    status, _, body = server.post("/v2/document", {"file": (name, data), "target_lang": "DE", **more}, "multipart",
                                  headers=headers)
    assert status == 200, (status, body)
    return "/v2/document/" + body["document_id"], {"document_key": body["document_key"]}
def wait(server, path, key):
    def ready():
        status, _, body = server.post(path, key)
        assert status == 200, (status, body)
        if body["status"] in ("done", "error"):
            return body
        assert body["status"] in ("queued", "translating") and body["seconds_remaining"] >= 0, body
    return wait_until(ready)
'

@test "translates documents, whose translation can be fetched once" {
    check <<PYTHON
$DOCUMENTS
html = "<html><head><title>The house</title></head><body><p>The <b>old</b> house.</p></body></html>"
with Server("-m", "en-de") as server:
    for name, text, options in [("a.html", html, ["--as", "html"]), ("b.txt", "Yes.\nThe house is red.\n", [])]:
        path, key = upload(server, name, text.encode(), source_lang="EN", output_format=name[2:])
        state = wait(server, path, key)
        assert state["status"] == "done" and state["billed_characters"] > 10, state
        wrong = {"document_key": "0" * 32}
        assert server.post(path, wrong)[0] == server.post(path + "/result", wrong)[0] == 404
        assert server.post(path, {})[0] == 400
        head = server.connect()
        head.request("HEAD", path + "/result?document_key=" + key["document_key"])
        assert head.getresponse().status == 405 # it would have used up the translation
        status, headers, body = server.post(path + "/result", key, "form")
        assert status == 200 and body == program(text, "-m", "en-de", *options), body
        assert headers["Content-Disposition"] == 'attachment; filename="' + name + '"', dict(headers)
        assert server.post(path + "/result", key)[0] == server.post(path, key)[0] == 404
    assert server.get("/v2/usage")[2]["character_count"] > 20
PYTHON
}

@test "documents with faults end in an error, and others are refused at once" {
    check <<PYTHON
$DOCUMENTS
with Server("-m", "en-de") as server:
    path, key = upload(server, "/etc/../letter.docx", b"no zip", source_lang="EN")
    state = wait(server, path, key)
    assert state["status"] == "error" and "letter.docx: not a DOCX document" in state["error_message"], state
    assert server.post(path + "/result", key)[0] == 400
    def refused(values, expected):
        status, _, body = server.post("/v2/document", values, "multipart")
        assert status == expected and "message" in body, (status, body)
    refused({"target_lang": "DE"}, 400)
    refused({"target_lang": "DE", "file": ("a.txt", b"")}, 400)
    refused({"target_lang": "DE", "file": ("a.exe", b"x")}, 400)
    refused({"target_lang": "DE", "file": ("a.txt", b"x"), "filename": "a" * 252 + ".txt"}, 400)
    refused({"target_lang": "DE", "file": ("a.html", b"x"), "output_format": "docx"}, 400)
    refused({"target_lang": "XX", "file": ("a.txt", b"x")}, 400)
    refused({"target_lang": "DE", "file": ("a.txt", b"x"), "formality": "more"}, 400)
    refused({"target_lang": "DE", "file": ("a.txt", b"x"), "glossary_id": "x"}, 400)
    for path in "/v2/document/x", "/v2/document/" + "0" * 32, "/v2/document/" + "0" * 32 + "/result":
        assert server.post(path, {"document_key": "x"})[0] == 404, path
PYTHON
}

@test "the quota limits documents, and counts nothing that fails" {
    check <<PYTHON
$DOCUMENTS
ask = {"text": ["<a>Yes."], "source_lang": "EN", "target_lang": "DE"}
with Server("-m", "en-de", "--quota", "10") as server:
    def used():
        return server.get("/v2/usage")[2]["character_count"]
    assert server.post("/v2/translate", {**ask, "tag_handling": "xml"})[0] == 400 and used() == 0
    path, key = upload(server, "a.txt", b"Yes. Yes. Yes.\n", source_lang="EN")
    state = wait(server, path, key)
    assert state["status"] == "error" and "Quota" in state["error_message"] and used() == 0, (state, used())
    assert server.post(path + "/result", key)[0] == 400
    path, key = upload(server, "a.txt", b"Yes.\n", source_lang="EN")
    assert wait(server, path, key)["status"] == "done" and used() == 4, used()
    assert server.post("/v2/translate", {**ask, "text": "No ice"})[0] == 200 and used() == 10
    values = {"file": ("a.txt", b"Yes.\n"), "target_lang": "DE", "source_lang": "EN"}
    status, _, body = server.post("/v2/document", values, "multipart")
    assert status == 456 and "Quota" in body["message"], (status, body)
PYTHON
}

@test "bounds the documents of a client, and their bytes" {
    check <<PYTHON
$DOCUMENTS
with Server("-m", "en-de", "--max-per-client", "2", "--max-uploads", "1", "--max-file", "2") as server:
    kept = [upload(server, "a.txt", b"Yes.\n", source_lang="EN") for _ in range(2)]
    values = {"file": ("a.txt", b"Yes.\n"), "target_lang": "DE", "source_lang": "EN"}
    status, headers, body = server.post("/v2/document", values, "multipart")
    assert status == 429 and headers["Retry-After"] and "message" in body, (status, body)
    for path, key in kept:
        wait(server, path, key)
        assert server.post(path + "/result", key)[0] == 200
    status, headers, body = server.post("/v2/document", {**values, "file": ("a.txt", b"a" * 700000)}, "multipart")
    assert status == 503 and headers["Retry-After"] and "message" in body, (status, body)
    assert server.post("/v2/document", {**values, "file": ("a.txt", b"a" * 3000000)}, "multipart")[0] == 413
    path, key = upload(server, "a.txt", b"Yes.\n", source_lang="EN")
    assert wait(server, path, key)["status"] == "done"
PYTHON
}

@test "with keys, the bodies and the documents of an address together take at most half of the memory for requests" {
    (umask 077 && printf 'anna:K1\n' >keys)
    check <<PYTHON
$DOCUMENTS
text = "\n".join(sentences(12000)).encode()[:900000]
options = ["--max-uploads", "8", "--max-body", "1", "--max-file", "1", "--trust-proxy", "--threads", "1"]
with Server("-m", "en-de", "--keys", "keys", *options) as server:
    def headers(address):
        return {"Authorization": "DeepL-Auth-Key K1", "X-Forwarded-For": address}
    def send(address):
        values = {"file": ("a.txt", text), "source_lang": "EN", "target_lang": "DE"}
        return server.post("/v2/document", values, "multipart", headers(address))[0]
    statuses = [send("10.0.0.1") for _ in range(20)] # four documents alone would fit into 4 MB
    assert statuses[0] == 200 and statuses[-1] == 429 and statuses.count(200) < 4, statuses
    assert send("10.0.0.2") == 200
PYTHON
}

@test "the terms of documents that wait count as bytes in memory" {
    check <<PYTHON
$DOCUMENTS
entries = "\n".join("term%d\t%s" % (i, "a" * 500) for i in range(800))
values = {"name": "x", "source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"}
with Server("-m", "en-de", "--max-uploads", "1") as server:
    status, _, body = server.post("/v2/glossaries", values)
    assert status == 201, body
    values = {"file": ("a.txt", "\n".join(sentences(1500)).encode()), "source_lang": "EN", "target_lang": "DE",
              "glossary_id": body["glossary_id"]}
    # until the server has freed the request with the glossary
    wait_until(lambda: server.post("/v2/document", values, "multipart")[0] == 200)
    status, _, body = server.post("/v2/document", values, "multipart")
    assert status == 503 and "message" in body, (status, body)
PYTHON
}

@test "documents that are done take no memory of requests" {
    check <<PYTHON
$DOCUMENTS
with Server("-m", "en-de", "--max-uploads", "1") as server:
    for count in 1, 2, 3: # copies, because they are German already
        values = {"file": ("a.txt", b"Ja.\n" * 75000), "source_lang": "DE", "target_lang": "DE"}
        def accepted(): # when the server has freed the request before
            status, _, body = server.post("/v2/document", values, "multipart")
            return body if status == 200 else None
        body = wait_until(accepted)
        path, key = "/v2/document/" + body["document_id"], {"document_key": body["document_key"]}
        assert wait(server, path, key)["status"] == "done" and server.metric("downloads_bytes") == count * 300000
    assert server.post(path + "/result", key)[0] == 200
    wait_until(lambda: server.metric("downloads_bytes") == 600000)
PYTHON
}

@test "translations that a client does not fetch, or fetches slowly, take at most half of the memory for them" {
    check <<PYTHON
$DOCUMENTS
options = ["--max-uploads", "8", "--max-body", "1", "--max-file", "1", "--trust-proxy"]
with Server("-m", "en-de", *options, listen=("--unix", "socket")) as server: # the buffer of this socket is small
    text = b"Ja.\n" * 225000 # 0.9 MB; copied, because it is German already
    def send(client):
        headers = {"X-Forwarded-For": client}
        values = {"file": ("a.txt", text), "source_lang": "DE", "target_lang": "DE"}
        def accepted(): # when the server has freed the request before
            status, _, body = server.post("/v2/document", values, "multipart", headers)
            return body if status == 200 else None
        body = wait_until(accepted)
        path, key = "/v2/document/" + body["document_id"], {"document_key": body["document_key"]}
        return path, key, wait(server, path, key)
    def translate_file():
        return server.post("/translate_file", {"file": ("a.txt", text), "source": "de", "target": "de"}, "multipart")
    kept = [send("10.0.0.1") for _ in range(5)]
    assert [state["status"] for _, _, state in kept] == ["done"] * 4 + ["error"], kept
    assert "fetch others of this client" in kept[4][2]["error_message"], kept[4]
    assert translate_file()[0] == 200
    assert server.post(kept[0][0] + "/result", kept[0][1])[0] == 200
    assert send("10.0.0.1")[2]["status"] == "done"
    with server.socket() as slow:
        path, key, _ = kept[1]
        slow.sendall(("GET %s/result?document_key=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" %
                      (path, key["document_key"])).encode())
        wait_until(lambda: server.post(path, key)[0] == 404)
        assert server.post(path + "/result", key)[0] == 404
        assert send("10.0.0.1")[2]["status"] == "error"
    wait_until(lambda: server.metric("downloads_bytes") == 4 * len(text))
    assert send("10.0.0.1")[2]["status"] == "done"
    # When the documents of several clients take all, others are refused. The log has no line for this, and documents
    # that are kept are not forgotten.
    assert [send(client)[2]["status"] for client in ["10.0.0.2"] * 4 + ["10.0.0.3"]] == ["done"] * 5
    small = server.post("/translate_file", {"file": ("a.txt", b"Ja."), "source": "de", "target": "de"}, "multipart")[2]
    state = send("10.0.0.4")[2]
    assert state["status"] == "error" and "no room" in state["error_message"], state
    status, headers, body = translate_file()
    assert status == 503 and headers["Retry-After"] == "5" and "no room" in body["error"], (status, body)
    assert server.get("/" + small["translatedFileUrl"].split("/", 3)[3])[0] == 200
    assert server.stop() == 0 and not any("no room" in line for line in server.log), server.log
PYTHON
}

@test "ends at once while documents are translated" {
    check <<PYTHON
$DOCUMENTS
with Server("-m", "en-de") as server:
    path, key = upload(server, "a.txt", "\n".join(sentences(20000)).encode(), source_lang="EN")
    wait_until(lambda: server.post(path, key)[2]["status"] == "translating")
    assert server.post(path + "/result", key)[0] == 503
    assert server.stop() == 0, server.log
PYTHON
}
