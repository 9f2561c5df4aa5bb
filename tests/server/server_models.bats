#!/usr/bin/env bats
# server_models.bats - which models dragoman-server translates with: those of the program for the same languages.

load helper
load ../cli/models_on_disk

@test "a pair without a model of its own is translated through English, as by the program" {
    argos_model fr-en fr en
    check <<'PYTHON'
text = "Le pont est vieux.\nOui."
expected = program(text, "--from", "fr", "--to", "de").decode()
for options in (), ("-m", "argos:fr-en", "-m", "en-de"):
    with Server(*options) as server:
        targets = {language["code"]: language["targets"] for language in server.get("/languages")[2]}
        assert targets["fr"] == ["de", "en"] and "fr" not in targets["de"], targets
        assert server.translate(text, "fr", "de") == expected, options
        body = server.post("/v1/translate", {"source": "fr", "target": "de", "text": "Oui."})[2]
        assert body["model"] == "argos:fr-en, en-de", body
        assert "pivots" in body["translations"][0], body
PYTHON
}

@test "a language model serves the languages that its prompt can name" {
    python3 "$BATS_TEST_DIRNAME/../cli/language_model.py" llm qwen2
    check <<'PYTHON'
text = "The <b>old</b> house."
expected = program("A house.", "-m", "llm", "--from", "fr", "--to", "es").decode()
assert expected != program("A house.", "-m", "llm", "--from", "fr", "--to", "it").decode()
with Server("-m", "llm") as server:
    assert server.translate("A house.", "fr", "es") == expected
    assert server.post("/translate", {"q": "x", "source": "fr", "target": "xx"})[0] == 400
    html = server.post("/translate", {"q": text, "source": "en", "target": "de", "format": "html"})[2]["translatedText"]
    assert html.count("<b>") == html.count("</b>") == 1, html
PYTHON
}

@test "a model with several languages serves all of its pairs" {
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" many
    check <<'PYTHON'
expected = program("One.", "-m", "many", "--from", "fr", "--to", "es").decode()
with Server("-m", "many") as server:
    languages = server.get("/languages")[2]
    assert len(languages) > 2 and len(languages[0]["targets"]) == len(languages) - 1, languages
    assert server.translate("One.", "fr", "es") == expected
    assert server.translate("One.", "fr", "fr") == "One."
PYTHON
}

@test "without -m, \$DRAGOMAN_MODEL is served; a model that does not tell its languages is refused" {
    check <<'PYTHON'
with Server(env={"DRAGOMAN_MODEL": "de-en"}) as server:
    assert [language["targets"] for language in server.get("/languages")[2]] == [["en"], []]
PYTHON
    cp -r "$GOLDEN_ROOT/marian_nmt/student" nameless
    run -2 timeout "$LIMIT" "$DRAGOMAN-server" -m nameless --listen 127.0.0.1:0
    [ "$output" = "dragoman-server: nameless: its files do not tell its languages; give it a name that ends in them, such as opus-mt-fr-en" ]
}

@test "alternatives are given by models that search with fewer hypotheses" {
    check <<'PYTHON'
expected = program("The weather is nice.\n", "-m", "en-de", "-b", "3", "-n", "3").decode().splitlines()
with Server("-m", "en-de", "--greedy") as server:
    body = server.post("/translate", {"q": "The weather is nice.", "source": "en", "target": "de", "alternatives": 2})[2]
    assert [body["translatedText"], *body["alternatives"]] == expected, (body, expected)
PYTHON
}

@test "without English, a text in no known language is read in a language that has a model" {
    argos_model de-fr de fr
    check <<'PYTHON'
ask = {"source": "auto", "target": "fr"}
with Server("-m", "argos:de-fr") as server:
    expected = server.translate("?!", "de", "fr")
    status, _, body = server.post("/translate", {**ask, "q": "?!"})
    assert status == 200 and body["translatedText"] == expected, (status, body)
    assert body["detectedLanguage"] == {"confidence": 0.0, "language": "de"}, body
    assert server.post("/translate", {**ask, "q": "?!", "target": "de"})[2]["translatedText"] == "?!"
    assert server.post("/translate", {**ask, "q": "?!", "target": "xx"})[2]["error"] == "xx is not supported"
    body = server.post("/v1/translate", {**ask, "text": "?!"})[2]
    assert body["source"] == "de" and body["translations"][0]["translations"][0]["text"] == expected, body
    assert server.post("/translate_file", {**ask, "file": ("a.txt", b"?!\n")}, "multipart")[0] == 200
    body = server.post("/v2/translate", {"text": ["?!"], "target_lang": "FR"})[2]
    assert body["translations"] == [{"detected_source_language": "DE", "text": expected}], body
PYTHON
}

@test "a damaged model and a missing CLD2 are faults of the server: status 500, and a line in the log" {
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" many
    weights=$(stat -c %s many/model.safetensors)
    truncate -s $((weights - 100)) many/model.safetensors
    mkdir lib
    echo nonsense >lib/libcld2.so.0
    cp lib/libcld2.so.0 lib/libcld2.so
    check <<'PYTHON'
good = {"q": "One.", "source": "fr", "target": "es"}
with Server("-m", "many", env={"LD_LIBRARY_PATH": "lib"}) as server:
    for values in good, {**good, "source": "auto"}:
        status, _, body = server.post("/translate", values)
        assert status == 500, (status, body)
        server.wait_for(body["error"])
    assert "CLD2" in body["error"], body
    data = {"file": ("a.txt", b"One."), "source_lang": "FR", "target_lang": "ES"}
    assert server.post("/v2/document", data, "multipart")[0] == 200
    server.wait_for("many")
    assert server.post("/translate", {**good, "target": "xx"})[0] == 400
    assert server.stop() == 0 and not any("not supported" in line for line in server.log), server.log
PYTHON
}
