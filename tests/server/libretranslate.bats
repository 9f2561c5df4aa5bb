#!/usr/bin/env bats
# libretranslate.bats - the API of LibreTranslate, as its clients use it.

load helper

@test "translates a text as JSON, as a form and as a multipart form, as the program does" {
    check <<'PYTHON'
text = "Good morning.\n\nHow old is the bridge? It is very old."
expected = program(text, "-m", "en-de").decode()
with Server("-m", "en-de") as server:
    for kind in "json", "form", "multipart":
        status, headers, body = server.post("/translate", {"q": text, "source": "en", "target": "de"}, kind)
        assert (status, body) == (200, {"translatedText": expected}), (kind, body)
        assert headers["Content-Type"] == "application/json"
PYTHON
}

@test "a form's line endings become LF, as in LibreTranslate" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    expected = program("Yes.\nNo.", "-m", "en-de").decode()
    body = server.post("/translate", {"q": "Yes.\r\nNo.\r\n", "source": "en", "target": "de"}, "form")[2]
    assert body == {"translatedText": expected}, body
    assert server.translate("Yes.\r\nNo.\r\n") == expected.replace("\n", "\r\n") + "\r\n"
PYTHON
}

@test "translates an array of texts, also empty ones, in order" {
    check <<'PYTHON'
texts = ["Good morning.", "", "One.\nTwo.", "   ", "The river is wide."]
with Server("-m", "en-de") as server:
    expected = [program(text, "-m", "en-de").decode() for text in texts]
    assert server.translate(texts) == expected, server.translate(texts)
PYTHON
}

@test "gives alternatives, without repetitions" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    ask = {"q": "The weather is nice today.", "source": "en", "target": "de", "alternatives": 3}
    status, _, one = server.post("/translate", ask)
    best = program(ask["q"] + "\n", "-m", "en-de", "-n", "4").decode().splitlines()
    assert status == 200 and one["translatedText"] == best[0], one
    assert one["alternatives"] == [text for i, text in enumerate(best) if i and text not in best[:i]], one
    form = server.post("/translate", ask, "form")[2]
    assert form == one, form
    status, _, many = server.post("/translate", {**ask, "q": [ask["q"], "Yes."]})
    assert many["alternatives"][0] == one["alternatives"] and len(many["alternatives"]) == 2, many
    status, _, body = server.post("/translate", {**ask, "alternatives": 0})
    assert body == {"translatedText": body["translatedText"]}, body
PYTHON
}

@test "translates HTML with its markup" {
    check <<'PYTHON'
html = '<p>The <b>river</b> is wide &lt; deep.</p>\n<p title="x">Good morning.</p>'
with Server("-m", "en-de") as server:
    expected = program(html, "-m", "en-de", "--as", "html").decode()
    assert "<b>" in expected
    assert server.translate(html, format="html") == expected, server.translate(html, format="html")
    assert server.translate([html, "<i>Yes.</i>"], format="html")[0] == expected
PYTHON
}

@test "detects languages, and translates from the language that was detected" {
    check <<'PYTHON'
german = "Das ist ein deutscher Satz über das Wetter von gestern."
english = "This is an English sentence about the weather of yesterday."
with Server("-m", "en-de", "-m", "de-en") as server:
    for kind in "json", "form":
        status, _, body = server.post("/detect", {"q": german}, kind)
        assert status == 200 and body[0]["language"] == "de" and body[0]["confidence"] > 50, body
    assert server.post("/detect", {"q": [english, english]})[2][0]["language"] == "en"
    assert server.post("/detect", {"q": "?!"})[2] == [{"confidence": 0.0, "language": "en"}]
    status, _, body = server.post("/translate", {"q": german, "source": "auto", "target": "en"})
    assert status == 200 and body["detectedLanguage"]["language"] == "de", body
    assert body["translatedText"] == server.translate(german, "de", "en"), body
    status, _, body = server.post("/translate", {"q": [german, german], "source": "auto", "target": "en"})
    assert [found["language"] for found in body["detectedLanguage"]] == ["de", "de"], body
    status, _, body = server.post("/translate", {"q": german, "source": "auto", "target": "de"})
    assert body["translatedText"] == german, body # it is German already
PYTHON
}

@test "markup does not count for the detected language" {
    check <<'PYTHON'
html = ('<p><span class="h-card" translate="no"><a href="https://mastodon.example.social/@username" class="u-url mention">@'
        '<span>username</span></a></span> Guten Morgen, wie geht es dir?</p>')
with Server("-m", "en-de", "-m", "de-en") as server:
    status, _, body = server.post("/translate", {"q": [html, ""], "source": "auto", "target": "en", "format": "html"})
    assert status == 200 and body["detectedLanguage"][0]["language"] == "de", body
    assert body["translatedText"][0] == server.translate(html, "de", "en", format="html"), body
PYTHON
}

@test "lists the languages with their targets" {
    check <<'PYTHON'
with Server() as server: # all models on this machine
    expected = [{"code": "de", "name": "German", "targets": ["en"]}, {"code": "en", "name": "English", "targets": ["de"]}]
    assert server.get("/languages")[2] == expected, server.get("/languages")[2]
with Server("-m", "en-de") as server:
    expected = [{"code": "de", "name": "German", "targets": []}, {"code": "en", "name": "English", "targets": ["de"]}]
    assert server.get("/languages")[2] == expected, server.get("/languages")[2]
    status, _, body = server.post("/translate", {"q": "Ja.", "source": "de", "target": "en"})
    assert status == 400
    assert body == {"error": "English (en) is not available as a target language from German (de)"}, body
    for code in "EN", "en-US", "en_GB":
        assert server.translate("Yes.", code) == server.translate("Yes."), code
PYTHON
}

@test "answers /health, /frontend/settings and /suggest" {
    check <<'PYTHON'
with Server("-m", "en-de", "--max-chars", "1234") as server:
    assert server.get("/health")[2] == {"status": "ok"}
    settings = server.get("/frontend/settings")[2]
    assert settings["charLimit"] == 1234 and not settings["apiKeys"] and not settings["keyRequired"], settings
    assert not settings["suggestions"] and settings["filesTranslation"], settings
    assert {".txt", ".docx", ".html", ".odt"} <= set(settings["supportedFilesFormat"]), settings
    assert settings["language"]["source"]["code"] == "auto", settings
    status, _, body = server.post("/suggest", {"q": "a", "s": "b", "source": "en", "target": "de"})
    assert (status, body) == (403, {"error": "Suggestions are disabled on this server."}), body
    for headers in {"Content-Type": "application/json"}, {"Content-Type": "text/xml"}: # clients that always send one
        assert server.get("/languages", headers=headers)[0] == 200
    assert server.request("GET", "/languages", b"x=1", {"Content-Type": "application/json"})[0] == 200
    assert server.post("/health", {})[0] == 405
    assert server.get("/translate")[0] == 405
    assert server.get("/nothing")[0] == 404
PYTHON
}

@test "refuses wrong requests with LibreTranslate's messages" {
    check <<'PYTHON'
good = {"q": "Hello", "source": "en", "target": "de"}
cases = [
    ({**good, "q": ""}, "Invalid request: missing q parameter"),
    ({**good, "q": []}, "Invalid request: missing q parameter"),
    ({"source": "en", "target": "de"}, "Invalid request: missing q parameter"),
    ({"q": "Hello", "target": "de"}, "Invalid request: missing source parameter"),
    ({"q": "Hello", "source": "en"}, "Invalid request: missing target parameter"),
    ({**good, "source": "zz"}, "zz is not supported"),
    ({**good, "target": "zz"}, "zz is not supported"),
    ({**good, "format": "xml"}, "xml format is not supported"),
    ({**good, "alternatives": "abc"}, "Invalid request: alternatives parameter is not a number"),
    ({**good, "alternatives": 3}, "Invalid request: alternatives parameter must be <= 2"),
    ({**good, "q": ["a", "b", "c"]}, "Invalid request: request (3) exceeds text limit (2)"),
    ({**good, "q": "äöüß" * 10}, "Invalid request: request (40) exceeds text limit (30)"),
    (["not", "an", "object"], "Invalid JSON format"),
]
with Server("-m", "en-de", "--max-alternatives", "2", "--max-texts", "2", "--max-chars", "30") as server:
    for values, message in cases:
        status, headers, body = server.post("/translate", values)
        assert (status, body) == (400, {"error": message}), (values, body)
    for body in b"{", b"", b'{"q": "\xff"}', b"[" * 5000, b'{"q":"a\\u0000b"}':
        answer = server.request("POST", "/translate", body, {"Content-Type": "application/json"})
        assert answer[0] == 400 and answer[2] == {"error": "Invalid JSON format"}, (body[:20], answer)
    assert server.post("/detect", {})[2] == {"error": "Invalid request: missing q parameter"}
    status, _, body = server.request("POST", "/translate", b"<q/>", {"Content-Type": "text/xml"})
    assert status == 415, (status, body)
PYTHON
}

@test "a text that is not UTF-8, or has NULs, is translated" {
    check <<'PYTHON'
with Server("-m", "en-de") as server:
    status, _, body = server.request("POST", "/translate", b"q=Caf\xe9%FF+is+open.%00&source=en&target=de",
                                     {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200 and "Caf" in body["translatedText"], body
    # This looks like UTF-16, but forms are UTF-8. json.loads() fails if the answer is not.
    status, _, body = server.request("POST", "/translate", b"q=%FF%FET%00h%00e%00&source=en&target=de",
                                     {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 200, body
PYTHON
}

@test "a text may begin like a binary file, and a binary file is refused, without opening the model again" {
    check <<'PYTHON'
with Server("-m", "en-de", "--verbose") as server:
    for text in "GIF89a is an old format.", "%PDF- is a mark.", "PK\3\4", "bplist00", "{\\rtf1":
        assert server.translate(text), text
        for path, values in (("/v1/translate", {"text": text, "source": "en", "target": "de"}),
                             ("/v2/translate", {"text": [text], "source_lang": "EN", "target_lang": "DE"})):
            status, _, body = server.post(path, values)
            assert status == 200, (path, text, body)
    for name, data in ("x.txt", b"%PDF-1.4\n"), ("y.docx", b"no archive"):
        for _ in range(2):
            status, _, body = server.post("/translate_file", {"file": (name, data), "source": "en", "target": "de"},
                                          "multipart")
            assert status == 400 and name in body["error"], (status, body)
    assert sum("opened en-de" in line for line in server.log) == 3, server.log # for texts, details and documents
PYTHON
}

@test "translates a file, and keeps it for download under a name that nobody can guess" {
    check <<'PYTHON'
import re
html = b"<html><body><p>Good <i>morning</i>.</p></body></html>"
with Server("-m", "en-de") as server:
    status, _, body = server.post("/translate_file", {"file": ("My page.html", html), "source": "en", "target": "de"},
                                  "multipart")
    assert status == 200, body
    url = body["translatedFileUrl"]
    found = re.fullmatch(rf"http://127\.0\.0\.1:{server.port}(/download_file/[0-9a-f]{{32}}\.My_page_de\.html)", url)
    assert found, url
    for _ in range(2):
        status, headers, data = server.get(found[1])
        assert status == 200 and data == program(html, "-m", "en-de", "--as", "html"), data
        assert headers["Content-Disposition"] == 'attachment; filename="My_page_de.html"', headers
    assert server.request("HEAD", found[1])[0] == 200
    _, _, body = server.post("/translate_file", {"file": ("Übersicht 1.html", html), "source": "en", "target": "de"},
                             "multipart")
    _, headers, _ = server.get(re.sub("^http://[^/]*", "", body["translatedFileUrl"]))
    assert headers["Content-Disposition"] == ('attachment; filename="_bersicht_1_de.html"; '
                                              "filename*=UTF-8''%C3%9Cbersicht_1_de.html"), headers["Content-Disposition"]
    assert server.get("/download_file/" + "0" * 32 + ".My_page_de.html")[0] == 404
    for path in "/download_file/..", "/download_file/%2e%2e%2fetc", "/download_file/x/../../y":
        status, _, body = server.get(path)
        assert (status, body) == (400, {"error": "Invalid filename"}), (path, status, body)
    text = b"Yes.\nNo.\n"
    body = server.post("/translate_file", {"file": ("a.txt", text), "source": "en", "target": "de"}, "multipart")[2]
    assert server.get(body["translatedFileUrl"].split(str(server.port))[1])[2] == program(text, "-m", "en-de")
PYTHON
}

@test "refuses wrong files with LibreTranslate's messages" {
    check <<'PYTHON'
good = {"file": ("a.txt", b"Hello"), "source": "en", "target": "de"}
cases = [
    ({key: good[key] for key in ("source", "target")}, "Invalid request: missing file parameter"),
    ({key: good[key] for key in ("file", "target")}, "Invalid request: missing source parameter"),
    ({key: good[key] for key in ("file", "source")}, "Invalid request: missing target parameter"),
    ({**good, "file": ("", b"")}, "Invalid request: empty file"),
    ({**good, "file": ("a" * 252 + ".txt", b"Hello")}, "Invalid request: the file name has more than 255 bytes"),
    ({**good, "file": ("program.exe", b"MZ")}, "Invalid request: file format not supported"),
    ({**good, "target": "zz"}, "zz is not supported"),
    ({**good, "source": "zz"}, "zz is not supported"),
]
with Server("-m", "en-de") as server:
    for values, message in cases:
        status, _, body = server.post("/translate_file", values, "multipart")
        assert (status, body) == (400, {"error": message}), (values, body)
    status, _, body = server.post("/translate_file", {**good, "file": ("a.docx", b"no archive")}, "multipart")
    assert status == 400 and "a.docx" in body["error"], body
    for body in b"--XyZ\r\n", b"nothing", b"--XyZ\r\n\r\nx\r\n--XyZ--":
        answer = server.request("POST", "/translate_file", body, {"Content-Type": "multipart/form-data; boundary=XyZ"})
        assert answer[0] == 400 and "multipart" in answer[2]["error"], (body, answer)
PYTHON
}

@test "detects the language of files, also of archives" {
    check <<'PYTHON'
import io, zipfile
german = "Das ist ein deutscher Satz über das Wetter von gestern."
docx = io.BytesIO()
with zipfile.ZipFile(docx, "w") as archive:
    archive.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/'
                     '2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.'
                     'openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
    archive.writestr("word/document.xml", '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/'
                     f'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{german}</w:t></w:r></w:p></w:body></w:document>')
with Server() as server:
    # Only what is translated tells the language, not English markup, keys, scripts and names of files.
    head = "<script>" + "this.is = the.script('of the page');" * 200 + "</script><style>body { color: white }</style>"
    key = "the_button_of_the_settings_of_this_program"
    xliff = ('<xliff version="1.2"><file source-language="de" target-language="en" original="the file of the program"><body>'
             f'<trans-unit id="{key}"><source>Haus</source></trans-unit></body></file></xliff>')
    po = ('msgid ""\nmsgstr "Language-Team: the translators of this program\\n"\n\n#: the/window/of/the/settings.c\n'
          'msgid "Das Haus ist rot."\nmsgstr ""\n')
    tex = ("\\documentclass{article}\\usepackage{graphicx}\\begin{document}\\includegraphics{the-picture-of-the-house}"
           "\\label{the-figure-with-the-house}\nDas Haus ist rot.\n\\end{document}\n")
    for name, data in (("a.txt", german.encode()), ("b.txt", german.encode("utf-16")), ("a.docx", docx.getvalue()),
                       ("a.html", f"<html><head>{head}</head><p>{german}</p></html>".encode()),
                       ("a.json", f'{{"{key}": "Das Haus ist rot.", "{key}_2": "Ja."}}'.encode()),
                       ("a.xlf", xliff.encode()), ("a.po", po.encode()), ("a.tex", tex.encode())):
        answers = []
        for source in "auto", "de":
            status, _, body = server.post("/translate_file", {"file": (name, data), "source": source, "target": "en"},
                                          "multipart")
            assert status == 200, (name, body)
            answers.append(server.get(body["translatedFileUrl"].split(str(server.port))[1])[2])
        assert answers[0] == answers[1] and len(answers[0]) > 20, (name, answers)
PYTHON
}

@test "a text is UTF-8, whatever encoding is declared in it" {
    check <<'PYTHON'
with Server("-m", "de-en") as server:
    plain = server.translate("<p>Die Brücke ist schön.</p>", "de", "en", format="html")
    for meta in '<meta charset="iso-8859-1">', '<meta http-equiv="Content-Type" content="text/html; charset=utf-16">':
        texts = [meta + "<p>Die Brücke ist schön.</p>", "", " ", "\ufeff<p>Die Brücke ist schön.</p>"]
        assert server.translate(texts, "de", "en", format="html") == [meta + plain, "", " ", plain]
    for encoding in "ISO-8859-1", "UTF-16", "unknown":
        head = f"<?xml version='1.0' encoding='{encoding}'?>"
        ask = {"text": [head + "<p>Die Brücke ist schön.</p>", "<p>Die Brücke ist schön.</p>", ""],
               "source_lang": "DE", "target_lang": "EN", "tag_handling": "xml"}
        answer = server.post("/v2/translate", ask)[2]
        assert [t["text"] for t in answer["translations"]] == [head + plain, plain, ""], answer
PYTHON
}

@test "a text in the target language is copied, and invalid UTF-8 is replaced" {
    check <<'PYTHON'
with Server("-m", "de-en") as server:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    status, _, body = server.request("POST", "/translate", b"q=a%FFb%00&source=de&target=de", kind)
    assert (status, body) == (200, {"translatedText": "a\ufffdb\ufffd"}), (status, body)
PYTHON
}
