#!/usr/bin/env bats
# deepl_glossaries.bats - glossaries that clients of DeepL's API send.

load helper

@test "a glossary is created, listed, read, used for texts and documents, and deleted" {
    check <<'PYTHON'
import re
ask = {"text": ["The house is red."], "source_lang": "EN", "target_lang": "DE"}
with Server("-m", "en-de") as server:
    plain = server.post("/v2/translate", ask)[2]["translations"][0]["text"]
    assert "Haus" in plain, plain
    status, _, made = server.post("/v2/glossaries", {"name": "My \"terms\"", "source_lang": "en", "target_lang": "DE",
                                                     "entries": "house\tGebäude\n a | b \tc\\\n#1\t2", "entries_format": "tsv"})
    assert status == 201 and made["ready"] is True and made["entry_count"] == 3, (status, made)
    assert (made["name"], made["source_lang"], made["target_lang"]) == ('My "terms"', "en", "de"), made
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", made["creation_time"]), made
    path = "/v2/glossaries/" + made["glossary_id"]
    assert server.get("/v2/glossaries")[2] == {"glossaries": [made]} and server.get(path)[2] == made
    status, headers, body = server.get(path + "/entries", headers={"Accept": "text/tab-separated-values"})
    assert headers["Content-Type"].startswith("text/tab-separated-values")
    assert body.decode() == "house\tGebäude\na | b\tc\\\n#1\t2\n", body
    use = {**ask, "glossary_id": made["glossary_id"]}
    assert server.post("/v2/translate", use)[2]["translations"][0]["text"] == plain.replace("Das Haus", "Das Gebäude")
    html = server.post("/v2/translate", {**use, "text": ["<p>The <b>house</b>.</p>"], "tag_handling": "html"})[2]
    assert "<b>Gebäude</b>" in html["translations"][0]["text"], html
    assert server.post("/v2/translate", ask)[2]["translations"][0]["text"] == plain
    status, _, body = server.post("/v2/translate", {"text": ["x"], "target_lang": "DE", "glossary_id": "x"})
    assert status == 400 and "source_lang" in body["message"], body
    _, _, upload = server.post("/v2/document", {"file": ("a.txt", b"The house is red.\n"), "source_lang": "EN",
                               "target_lang": "DE", "glossary_id": made["glossary_id"]}, "multipart")
    document, key = "/v2/document/" + upload["document_id"], {"document_key": upload["document_key"]}
    while server.post(document, key)[2]["status"] != "done":
        pass
    assert "Gebäude" in server.post(document + "/result", key)[2].decode()
    assert server.request("DELETE", path)[0] == 204
    assert server.get(path)[0] == server.get(path + "/entries")[0] == server.request("DELETE", path)[0] == 404
    assert server.post("/v2/translate", use)[0] == 404 and server.get("/v2/glossaries")[2] == {"glossaries": []}
PYTHON
}

@test "the terms of --glossary apply after those of the client" {
    check <<'PYTHON'
open("terms.tsv", "w").write("house\tBude\ntree\tBusch\n")
with Server("-m", "en-de", "--glossary", "terms.tsv") as server:
    made = server.post("/v2/glossaries", {"name": "x", "source_lang": "en", "target_lang": "de",
                                          "entries": "house\tGebäude", "entries_format": "tsv"})[2]
    body = server.post("/v2/translate", {"text": ["The house is red.", "The tree is green."], "source_lang": "EN",
                                         "target_lang": "DE", "glossary_id": made["glossary_id"]})[2]
    assert "Gebäude" in body["translations"][0]["text"] and "Busch" in body["translations"][1]["text"], body
PYTHON
}

@test "reads CSV with quotes, and refuses wrong entries" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    def create(entries, form="tsv", **more):
        return server.post("/v2/glossaries", {"name": "x", "source_lang": "EN", "target_lang": "DE", "entries": entries,
                                              "entries_format": form, **more})
    status, _, made = create('\ufeffhouse,Gebäude,en,de\r\n"a, ""b""",c\r\n\r\n', "csv")
    assert status == 201 and made["entry_count"] == 2, made
    assert server.get("/v2/glossaries/" + made["glossary_id"] + "/entries")[2].decode() == 'house\tGebäude\na, "b"\tc\n'
    for entries, form, word in [("", "tsv", "no entries"), ("a", "tsv", "entries:1: has no tab"), ("a\tb\na\tc", "tsv", "twice"),
                                ("a\t", "tsv", "entries:1: has an empty"), ("a\tb\x01", "tsv", "control"),
                                ("a\tb\tc", "tsv", "control"), ('"a\nb",c', "csv", "control"),
                                ("a" * 1001 + "\tb", "tsv", "1000 bytes"), ("a\tb", "xls", "entries_format"),
                                ("a\tb\n\n\u200b\tb", "tsv", "entries:3: the term has only invisible"),
                                ("a " * 101 + "\tb", "tsv", "entries:1: the term has more than 100 words")]:
        status, _, body = create(entries, form)
        assert status == 400 and word in body["message"], (entries, status, body)
    for change, word in [({"name": ""}, "name"), ({"source_lang": "XX"}, "language pair"), ({"target_lang": ""}, "target_lang"),
                         ({"source_lang": "DE", "target_lang": "EN"}, "language pair")]:
        status, _, body = create("a\tb", **change)
        assert status == 400 and word in body["message"], (change, status, body)
    assert len(server.get("/v2/glossaries")[2]["glossaries"]) == 1
    assert server.get("/v2/glossary-language-pairs")[2] == {
        "supported_languages": [{"source_lang": "en", "target_lang": "de"}]}
PYTHON
}

@test "version 3: glossaries with several dictionaries, which are changed, replaced and deleted" {
    check <<'PYTHON'
with Server("-m", "en-de", "-m", "de-en") as server:
    def table(source, target, entries):
        return {"source_lang": source, "target_lang": target, "entries": entries, "entries_format": "tsv"}
    status, _, made = server.post("/v3/glossaries", {"name": "x", "dictionaries": [
        table("en", "de", "house\tGebäude\ntree\tBusch"), table("de", "en", "Haus\tedifice")]})
    assert status == 201 and [row["entry_count"] for row in made["dictionaries"]] == [2, 1], (status, made)
    path = "/v3/glossaries/" + made["glossary_id"]
    assert server.get(path)[2] == made and server.get("/v3/glossaries")[2] == {"glossaries": [made]}
    body = server.post("/v2/translate", {"text": ["Das Haus ist rot."], "source_lang": "DE", "target_lang": "EN-US",
                                         "glossary_id": made["glossary_id"]})[2]
    assert "edifice" in body["translations"][0]["text"], body
    def send(method, path, values):
        return server.request(method, path, json.dumps(values), {"Content-Type": "application/json"})
    status, _, body = send("PATCH", path, {"name": "y", "dictionaries": [table("en", "de", "tree\tBaum\nriver\tStrom")]})
    assert status == 200 and body["name"] == "y" and body["dictionaries"][0]["entry_count"] == 3, body
    entries = path + "/entries?source_lang=EN&target_lang=DE"
    assert server.get(entries)[2]["dictionaries"][0]["entries"] == "house\tGebäude\ntree\tBaum\nriver\tStrom\n"
    status, _, body = send("PUT", path + "/dictionaries", table("en", "de", "a\tb"))
    assert (status, body) == (200, {"source_lang": "en", "target_lang": "de", "entry_count": 1}), body
    assert send("PATCH", path, {"dictionaries": [table("en", "de", "a")]})[0] == 400
    assert send("PUT", path + "/dictionaries", {"entries": "a\tb"})[0] == 400
    twice = [table("en", "de", "a\tb"), table("EN-US", "DE", "c\td")]
    for bad in {}, {"dictionaries": 1}, {"dictionaries": []}, {"dictionaries": [1]}, {"dictionaries": twice}:
        assert server.post("/v3/glossaries", {"name": "x", **bad})[0] == 400, bad
    assert server.request("DELETE", path + "/dictionaries?source_lang=en&target_lang=de")[0] == 204
    assert server.get(entries)[0] == server.request("DELETE", path + "/x")[0] == server.get(path + "/x")[0] == 404
    assert len(server.get(path)[2]["dictionaries"]) == 1
    assert server.request("DELETE", path)[0] == 204 and server.get(path)[0] == 404
PYTHON
}

@test "--glossaries keeps them in a folder, whatever ids clients send" {
    check <<'PYTHON'
values = {"name": "../x", "source_lang": "en", "target_lang": "de", "entries": "house\tGebäude", "entries_format": "tsv"}
with Server("-m", "en-de", "--glossaries", "folder") as server:
    made = server.post("/v2/glossaries", values)[2]
    gone = server.post("/v2/glossaries", values)[2]
    assert server.request("DELETE", "/v2/glossaries/" + gone["glossary_id"])[0] == 204
    assert os.listdir("folder") == [made["glossary_id"] + ".json"], os.listdir("folder")
    assert os.stat("folder").st_mode & 0o777 == 0o700
    assert os.stat("folder/" + made["glossary_id"] + ".json").st_mode & 0o777 == 0o600
    for name in "..%2Fx", "..%2F..%2Fetc%2Fpasswd", made["glossary_id"] + "%00", "x" * 36:
        assert server.get("/v2/glossaries/" + name)[0] == 404, name
        assert server.request("DELETE", "/v2/glossaries/" + name)[0] == 404, name
damaged = "folder/00000000-0000-4000-8000-000000000000.json"
open(damaged, "w").write('{"name": 1}')
open("folder/other.json", "w").write("{")
with Server("-m", "en-de", "--glossaries", "folder") as server:
    assert server.get("/v2/glossaries")[2] == {"glossaries": [made]}, server.get("/v2/glossaries")[2]
    assert any("warning: " + damaged in line for line in server.log), server.log
    body = server.post("/v2/translate", {"text": ["The house is red."], "source_lang": "EN", "target_lang": "DE",
                                         "glossary_id": made["glossary_id"]})[2]
    assert "Gebäude" in body["translations"][0]["text"], body
PYTHON
}

@test "each key has its own glossaries" {
    check <<'PYTHON'
open("keys", "w").write("one:K1\ntwo:K2\n")
one, two = ({"Authorization": "DeepL-Auth-Key " + key} for key in ("K1", "K2"))
values = {"name": "x", "source_lang": "en", "target_lang": "de", "entries": "house\tGebäude", "entries_format": "tsv"}
with Server("-m", "en-de", "--keys", "keys") as server:
    made = server.post("/v2/glossaries", values, headers=one)[2]
    path = "/v2/glossaries/" + made["glossary_id"]
    assert server.get(path, headers=one)[0] == 200 and server.get(path, headers=two)[0] == 404
    assert server.get("/v3/glossaries", headers=two)[2] == {"glossaries": []}
    assert server.request("DELETE", path, headers=two)[0] == 404
    ask = {"text": ["x"], "source_lang": "EN", "target_lang": "DE", "glossary_id": made["glossary_id"]}
    assert server.post("/v2/translate", ask, headers=two)[0] == 404
    assert server.post("/v2/translate", ask, headers=one)[0] == 200
PYTHON
}

@test "the name of a glossary must be UTF-8" {
    check <<'PYTHON'
kind = {"Content-Type": "application/x-www-form-urlencoded"}
with Server("-m", "en-de") as server:
    body = b"name=%FF&source_lang=en&target_lang=de&entries=a%09b&entries_format=tsv"
    status, _, answer = server.request("POST", "/v2/glossaries", body, kind)
    assert (status, answer["message"]) == (400, "Value for 'name' not supported."), (status, answer)
    assert server.get("/v2/glossaries")[2] == {"glossaries": []}
PYTHON
}

@test "a request without a body may have the content type of JSON" {
    check <<'PYTHON'
kind = {"Content-Type": "application/json"}
with Server("-m", "en-de") as server:
    made = server.post("/v2/glossaries", {"name": "x", "source_lang": "en", "target_lang": "de", "entries": "a\tb",
                                          "entries_format": "tsv"})[2]
    assert server.request("DELETE", "/v2/glossaries/" + made["glossary_id"], headers=kind)[0] == 204
    assert server.request("POST", "/v2/usage", b"", kind)[0] == 200
    assert server.request("POST", "/v2/translate", b"", kind)[2] == {"message": "Parameter 'text' not specified."}
PYTHON
}
