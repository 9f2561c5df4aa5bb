#!/usr/bin/env bats
# document_encoding.bats - documents in other encodings than UTF-8, byte order marks and line ends on the command line.
# document/encoding itself is tested by tests/unit/test_document_encoding.c.

load helper
load output

# encode NAME [MARK]: standard input, which is UTF-8, in another encoding, after a byte order mark in octal.
encode() {
    printf %b "${2:-}"
    iconv -f UTF-8 -t "$1"
}

# check FILE [OPTION...]: --identity gives the same bytes.
check() {
    dragoman --identity "${@:2}" "$1" | cmp - "$1"
}

make_page() {
    printf '<html lang="en">\n<head><meta charset="%s"><title>Café</title></head>\r\n' "$1"
    printf '<p>This is a <b>line</b>.</p>\n<p>Hello.</p></html>'
}

@test "a document comes back in the encoding of its byte order mark, its declaration or --encoding" {
    make_page utf-8 >utf8.html
    dragoman utf8.html >utf8.de
    local name mark
    while read -r name mark; do
        encode "$name" "$mark" <utf8.html >in.html
        check in.html
        dragoman in.html | cmp - <(encode "$name" "$mark" <utf8.de)
        dragoman --pseudo in.html | cmp - <(dragoman --pseudo utf8.html | encode "$name" "$mark")
        iconv -f UTF-8 -t "$name" utf8.html >in.html # the first characters show it
        dragoman in.html | cmp - <(iconv -f UTF-8 -t "$name" utf8.de)
    done <<<'UTF-16LE \0377\0376
UTF-16BE \0376\0377
UTF-32LE \0377\0376\0\0
UTF-32BE \0\0\0376\0377'
    for name in windows-1252 ISO-8859-15 ISO-8859-2 GB18030; do
        make_page "$name" | encode "$name" >in.html
        check in.html
        dragoman in.html | cmp - <(sed "s/utf-8/$name/" utf8.de | encode "$name")
    done
    printf 'Hello 日本語.\n\n# テキスト' | encode SHIFT_JIS >in.md
    check in.md --encoding Shift_JIS
    [[ $(dragoman --pseudo --encoding Shift_JIS in.md | iconv -f SHIFT_JIS -t UTF-8) == '&#7714;&#233;&#314;&#314;&#243; 日本語.'* ]]
    translate --identity in.md
    expect_status 1
    expect_err "dragoman: in.md:1: not valid UTF-8; it may be in windows-1251, Shift_JIS or GB18030: name its encoding with --encoding"
}

@test "what an encoding lacks becomes a reference, or the document is refused with its line" {
    printf '<?xml version="1.0" encoding="US-ASCII"?>\n<p>Hello</p>' >in.xml
    [[ $(dragoman --pseudo in.xml) == *'<p>&#7714;&#233;&#314;&#314;&#243;</p>' ]]
    printf '1\n00:00:01,000 --> 00:00:02,000\nHello\n' >in.srt
    translate --pseudo --encoding ISO-8859-1 in.srt
    expect_status 1
    expect_err "dragoman: in.srt:3: the translation contains U+1E22 (Ḣ), which ISO-8859-1 cannot encode; convert the document to UTF-8"
    mkdir in
    mv in.srt in.xml in
    translate --pseudo --encoding ISO-8859-1 -O out-dir in
    expect_status 1
    [[ ! -e out-dir/in.srt && -s out-dir/in.xml ]]
}

@test "a .properties file in ASCII stays in ASCII, unless an encoding is asked for" {
    printf 'a=Hello\n' >in.properties
    [[ $(dragoman --pseudo in.properties) == 'a=\u1E22\u00E9\u013A\u013A\u00F3' ]]
    [[ $(dragoman --pseudo --encoding UTF-8 in.properties) == 'a=Ḣéĺĺó' ]]
    dragoman --pseudo --encoding ISO-8859-1 in.properties | iconv -f ISO-8859-1 -t UTF-8 | grep -Fx 'a=\u1E22é\u013A\u013Aó'
}

@test "--encoding wants a name that is known" {
    echo a >in
    expect_usage_error "--encoding: unknown encoding '../a'; known are UTF-8, UTF-16, ISO-8859-1, windows-1252, Shift_JIS, GB18030 and many others" --encoding ../a --as text in
    expect_usage_error "option '--encoding' needs a value that is not empty" --encoding '' --as text in
    check in --as text --encoding UTF-8
}

@test "the charset of a PO file that is ASCII becomes UTF-8, which msgfmt accepts" {
    printf 'msgid ""\nmsgstr ""\n"Language: en\\n"\n"Content-Type: text/plain; charset=%s\\n"\n\nmsgid "The street is long."\nmsgstr ""\n' CHARSET >in.po
    check in.po
    dragoman in.po >out.po
    grep -qF 'charset=UTF-8\n' out.po
    grep -qF 'Language: de\n' out.po
    if command -v msgfmt >/dev/null; then msgfmt --use-fuzzy -o out.mo out.po; fi
    dragoman --keep-lang in.po | grep -qF 'Language: en\n'
    { sed 's/CHARSET/ISO-8859-1/' in.po && echo '# é'; } >utf8.po
    encode ISO-8859-1 <utf8.po >latin1.po
    check latin1.po
    dragoman latin1.po | cmp - <(sed 's/8859-1/utf8/' utf8.po | dragoman --as po --encoding UTF-8 | sed s/utf8/8859-1/ | encode ISO-8859-1)
}

@test "byte order marks, line ends and a missing last newline are kept in all formats" {
    local format text end
    while IFS='|' read -r format text; do
        rm -rf in same
        mkdir in
        for end in '\n' '\r\n' '\n\r\n'; do
            printf %b "\0357\0273\0277${text//@/$end}" >"in/mark${end//\\/}"
            printf %b "${text//@/$end}$end" >"in/plain${end//\\/}"
            encode UTF-16LE '\0377\0376' <"in/plain${end//\\/}" >"in/utf16${end//\\/}"
        done
        dragoman --identity --as "$format" -O same in
        diff -r in same
    done <<'END'
text|One line@and two.@@- Three
html|<p>One@line</p>@<p>Two</p>
markdown|# One@@Two@lines
xml|<a>@<b>One@line</b>@</a>
xliff|<xliff version="1.2"><file source-language="en">@<trans-unit id="1">@<source>One</source>@</trans-unit>@</file></xliff>
tmx|<tmx>@<tu><tuv xml:lang="en">@<seg>One</seg>@</tuv></tu></tmx>
android|<resources>@<string name="a">One</string>@</resources>
qt|<TS>@<context><message>@<source>One</source>@<translation/></message></context>@</TS>
json|{"a":@"One"@}
jsonl|{"a": "One"}@{"a": "Two"}
po|msgid "One"@msgstr ""@@msgid "Two"@msgstr ""
properties|a = One\\@  line@b = Two
strings|"a" = "One";@/* b */@"b" = "Two";
csv|one,two@"three@four",five
tsv|one	two@three	four
srt|1@00:00:01,000 --> 00:00:02,000@One@@2@00:00:03,000 --> 00:00:04,000@Two
ttml|<tt>@<body><div><p begin="1s">One<br/>@two</p>@<p>Three</p></div></body></tt>
vtt|WEBVTT@@00:01.000 --> 00:02.000@One
sbv|0:00:01.000,0:00:02.000@One@two@@0:00:02.000,0:00:03.000@three
ass|[Events]@Dialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,One@Dialogue: 0,0:00:02.00,0:00:03.00,,,0,0,0,,two
yaml|a: One@b:@  - Two
END
}

@test "lines come back in the encoding of --encoding or of a byte order mark, line by line" {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    printf 'The house is\nold.\r\n\n  The street.\tThe tree.\n12\nNo newline' >utf8
    dragoman --as text utf8 >joined
    local name mark
    while read -r name mark; do
        encode "$name" "$mark" <utf8 >in.txt
        check in.txt
        [[ $(dragoman in.txt | iconv -f "$name" -t UTF-8 | tee lines | wc -l) == 5 ]]
        [[ $(<lines) == *$'\n\n  Die Straße.\tDer Baum.\n12\n'* ]]
        run ! cmp lines joined
        dragoman in.txt >out
        dragoman <in.txt | cmp - out
    done <<<'UTF-16LE \0377\0376
UTF-16BE \0376\0377
UTF-32LE \0377\0376\0\0'
    encode ISO-8859-1 <utf8 >in.txt
    echo "Café." | encode ISO-8859-1 >>in.txt
    for options in "in.txt" "--as lines in.txt" "-"; do
        # shellcheck disable=SC2086
        dragoman --encoding latin1 $options <in.txt >out
        [[ $(iconv -f ISO-8859-1 -t UTF-8 out) == *$'\n  Die Straße.\tDer Baum.\n12\n'* ]]
    done
    check in.txt --encoding latin1
    [[ $(dragoman --encoding UTF-8 utf8) == "$(dragoman utf8)" ]]
    translate --pseudo --encoding latin1 in.txt
    expect_status 1
    expect_err "dragoman: in.txt:1: the translation contains U+0164 (Ť), which latin1 cannot encode; convert the document to UTF-8"
    expect_usage_error "--format cannot be used with in.txt, which is not in UTF-8; convert it to UTF-8 first, as with iconv" \
        --format tsv --encoding latin1 in.txt
    expect_usage_error "in.txt is not in UTF-8, so it cannot share its output with other files; use -O DIR or --suffix TEXT, or convert it to UTF-8" \
        --encoding latin1 in.txt in.txt
}

@test "texts of a folder are read in UTF-16 with a mark, and in --encoding" {
    mkdir in
    printf 'A line.\n' | encode UTF-16LE '\0377\0376' >in/wide.txt
    printf 'A caf\351.\n' >in/latin1.txt
    head -c 3000 "$DRAGOMAN" >in/program
    translate -O de in
    expect_status 0
    expect_err "dragoman: 2 files skipped, reasons: a program (1), not UTF-8 text (1) (-v names each; see --others)"
    dragoman in/wide.txt | cmp - de/wide.txt
    translate -v --dry-run -O de in
    grep -qxF "dragoman: in/latin1.txt: skipped: not UTF-8 text; it may be in windows-1252 or ISO-8859-2: name its encoding with --encoding" err
    grep -qxF "dragoman: in/program: skipped: a program" err
    grep -qxF $'in/wide.txt\tlines\tde/wide.txt\ttranslate' out
    translate -O de --encoding windows-1252 in
    expect_err "dragoman: 1 file skipped, reason: a program (-v names each; see --others)"
    dragoman --encoding windows-1252 in/latin1.txt | cmp - de/latin1.txt
}
