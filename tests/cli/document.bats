#!/usr/bin/env bats
# document.bats - documents on the command line: which files are documents, where they are written, and what is refused.
# What the formats do is tested by tests/unit/test_document*.c.

load helper
load output

make_page() {
    printf '<!DOCTYPE html>\n<html lang="en">\n<p class="a">This is a <b>line</b> of <i>text</i>.</p>\n' >page.html
    printf '<script>let a = "text";</script>\n<p title="A title">Hello.<br>Good &amp; well</p>\r\n</html>' >>page.html
}

# tags FILE: the tags of a file, sorted.
tags() { grep -o '<[^>]*>' "$1" | sed 's/ \(title\|lang\)="[^"]*"/ \1/' | sort; }

# letters FILE: a pseudo translation with its letters restored.
letters() {
    local plain=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ
    sed "y/$(dragoman --pseudo --as text <<<$plain)/$plain/" "$1"
}

# formats: the names that --as accepts, without lines.
formats() {
    dragoman --as '?' </dev/null 2>&1 | sed 's/.*must be one of lines, \(.*\), not .*/\1/; s/, /\n/g'
}

@test "a file with the ending of a format is a document, others and standard input are lines" {
    make_page
    translate page.html
    expect_status 0
    expect_err
    diff <(tags page.html) <(tags out)
    grep -qF '<script>let a = "text";</script>' out
    run ! cmp -s page.html out
    cp out document
    cp page.html PAGE.HTM
    dragoman PAGE.HTM | cmp - document
    dragoman --as html <page.html | cmp - document
    dragoman --as html - <page.html | cmp - document
    cp page.html page.txt
    dragoman --as html page.txt | cmp - document
    dragoman page.txt >lines
    dragoman <page.html | cmp - lines
    dragoman --as lines page.html | cmp - lines
    run ! cmp -s lines document
}

@test "a unit gets the translation that its text has as a line" {
    printf '<p>This is a line.</p>\n<p>Hello.</p>' >page.html
    printf 'This is a line.\nHello.\n' | dragoman --split >lines
    sed '1s|.*|<p>&</p>|; 2s|.*|<p>&</p>|' lines | head -c -1 >expected
    dragoman page.html | cmp - expected
}

@test "--as text translates paragraphs of several lines" {
    printf 'This is\na line.\n\n  Hello.\n' >in
    printf 'This is a line.\nHello.\n' | dragoman --split >lines
    dragoman --as text in >out
    diff <(tr -s '\n ' '  ' <out) <(tr -s '\n ' '  ' <lines)
    [[ $(grep -c '^$' out) == 1 && $(tail -n 1 out) == '  '* ]]
}

@test "-o writes a document, and nothing if it cannot be read" {
    make_page
    dragoman page.html >expected
    echo old >target
    translate -o target page.html
    expect_status 0
    cmp target expected
    printf '<p>Hello \377</p>' >bad.html
    translate -o target bad.html
    expect_status 1
    expect_err "dragoman: bad.html:1: not valid UTF-8; it may be in windows-1252 or ISO-8859-2: name its encoding with --encoding"
    cmp target expected
    translate --as html bad.html
    expect_status 1
    expect_err "dragoman: bad.html:1: not valid UTF-8; it may be in windows-1252 or ISO-8859-2: name its encoding with --encoding"
    [[ ! -s out ]]
    translate missing.html
    expect_status 1
    expect_err "dragoman: missing.html: No such file or directory"
    no_leftovers
}

@test "documents without text, and empty ones, come back as they are" {
    printf '<p>12 &ndash; 34</p>\n' >numbers.html
    : >empty.html
    for file in numbers empty; do
        translate $file.html
        expect_status 0
        expect_err
        cmp out $file.html
    done
}

@test "-O translates documents and lines together, each as it would be alone" {
    mkdir -p in/sub
    make_page
    cp page.html in/a.html
    cp page.html in/sub/d.xhtml
    numbered_lines 1 40 >in/b.txt
    sed 's|.*|<p>&</p>|' in/b.txt >in/c.htm
    printf '<p>1</p>' >in/none.html
    : >in/empty.html
    : >in/empty.txt
    translate -v -O de in
    expect_status 0
    grep -qE '^dragoman: 40 lines, 48 units, .* texts/s' err
    grep -qx 'dragoman: files: 7 translated, 0 copied, 0 up to date, 0 skipped, 0 failed' err
    for file in a.html sub/d.xhtml b.txt c.htm none.html empty.html empty.txt; do
        dragoman --split -o expected "in/$file"
        cmp expected "de/$file"
    done
    for threads in 1 3; do
        dragoman -j $threads -O de$threads in
        diff -r de de$threads
    done
    translate --suffix .de in/a.html
    expect_status 0
    cmp in/a.de.html de/a.html
    no_leftovers
}

@test "a document of a batch that fails leaves the others alone" {
    mkdir in
    make_page
    cp page.html in/a.html
    printf '<p>Hello</p>\n<p>\377</p>' >in/bad.html
    cp page.html in/c.html
    translate -O de in
    expect_status 1
    local message="in/bad.html:2: not valid UTF-8; it may be in windows-1252 or ISO-8859-2: name its encoding with --encoding"
    expect_err "dragoman: $message" "dragoman: 1 failure:" "dragoman:   $message"
    translate -O de in/bad.html
    expect_status 1
    expect_err "dragoman: $message" # once, because it is all that has happened
    dragoman page.html >expected
    cmp de/a.html expected
    cmp de/c.html expected
    [[ ! -e de/bad.html ]]
    no_leftovers
}

@test "--identity gives the same bytes, --pseudo the same letters, both without a model" {
    # shellcheck disable=SC2030 # each test has its own environment
    export DRAGOMAN_MODEL=$FILES/missing
    mkdir in
    make_page
    cp page.html in/a.html
    printf '<p>Ein <em>Wort</em>' >in/b.htm
    translate --identity page.html
    expect_status 0
    expect_err
    cmp out page.html
    translate -v --identity -O same in
    sed -i '/^dragoman: sandbox: /d' err
    expect_status 0
    expect_err "dragoman: files: 2 translated, 0 copied, 0 up to date, 0 skipped, 0 failed"
    diff -r in same
    translate --pseudo page.html
    expect_status 0
    run ! cmp -s out page.html
    grep -qF '<b>ĺíńé</b>' out
    letters out | cmp - page.html
    translate --pseudo -O pseudo in
    cmp out <(:) && cmp pseudo/a.html <(dragoman --pseudo page.html)
    echo kept >target
    translate --identity -o target in/b.htm
    cmp target in/b.htm
}

@test "--dry-run shows the formats" {
    mkdir in
    make_page
    cp page.html in/a.html
    echo "Hello." >in/b.txt
    printf '\377\330\0\020' >in/c.png
    translate --dry-run -O de in
    printf 'in/%s\n' $'a.html\thtml\tde/a.html\ttranslate' $'b.txt\tlines\tde/b.txt\ttranslate' \
        $'c.png\tother\tde/c.png\tskip' | diff - out
    translate --dry-run --as text --include '*.txt' -O de in
    printf 'in/b.txt\ttext\tde/b.txt\ttranslate\n' | diff - out
}

@test "options that do not fit documents are refused before anything is translated" {
    make_page
    echo "Hello." >b.txt
    local tail="cannot be used with documents, and page.html is one (html); to translate its lines, use --as lines"
    expect_usage_error "--format $tail" --format tsv page.html
    expect_usage_error "--n-best above 1 $tail" -b 4 -n 2 page.html
    expect_usage_error "--pieces $tail" --pieces page.html
    expect_usage_error "--alignment $tail" --alignment hard page.html
    expect_usage_error "--format cannot be used with documents, and b.txt is one (text)" --format jsonl --as text b.txt
    tail="which cannot share its output with other files; use -o FILE for the translation of one document, -O DIR or --suffix TEXT for several"
    expect_usage_error "page.html is a document (html), $tail, or --as lines" b.txt page.html
    expect_usage_error "b.txt is a document (text), $tail" --as text b.txt b.txt
    expect_usage_error "--identity needs documents, but b.txt is read as lines; choose its format with --as" --identity b.txt
    expect_usage_error "--pseudo needs documents, but standard input is read as lines; choose its format with --as" --pseudo
    expect_usage_error "--identity and --pseudo cannot be used together" --identity --pseudo page.html
    expect_usage_error "option '--as' needs a value that is not empty" --as '' page.html
    expect_usage_error "--select needs documents, but b.txt is read as lines; choose its format with --as" --select a.b b.txt
    expect_usage_error "--keep-lang needs documents, but standard input is read as lines; choose its format with --as" --keep-lang
    translate --as doc page.html
    expect_status 2
    grep -q "^dragoman: --as must be one of lines, .*html.*, not 'doc' (did you mean 'docx'?);" err
    translate -b 4 -n 2 -O de .
    expect_status 2
    grep -q "^dragoman: --n-best above 1 cannot be used with documents, and ./page.html is one" err
    [[ ! -e de ]]
    dragoman -b 4 -n 2 --as lines page.html >out
    [[ -s out ]]
}

@test "a document on standard input gets one warning that names its format" {
    local tail="; --as lines translates its lines" said="dragoman: warning: standard input seems to be"
    warned() {
        printf '%b' "$3" >in
        translate -q <in
        expect_err
        mv out plain
        translate <in
        expect_status 0
        sed -i '/numbers differ/d; /another language/d' err
        expect_err "$said $1, but is read as lines: --as $2$tail"
        cmp out plain
        translate --as lines <in
        run ! grep -q 'seems to be' err
    }
    warned HTML 'html translates its text' '<!DOCTYPE html>\n<p>One.</p>\n'
    warned XML 'xml translates its elements' '<?xml version="1.0"?>\n<a>One.</a>\n'
    warned JSON 'json translates its strings' '{ "a": "One." }\n'
    warned subtitles 'srt translates their text' '1\n00:00:01,000 --> 00:00:02,000\nOne.\n'
    warned 'a PO file' 'po translates its messages' '# A comment\nmsgid "One"\nmsgstr ""\n'
    printf 'One < two.\n# A title\n1 house\n' >in
    translate <in
    run ! grep -q 'seems to be' err
}

@test "help documents and the completion scripts name all formats" {
    dragoman help documents >topic
    formats >names
    grep -qx html names
    while read -r name; do grep -qw -- "$name" topic; done <names
    dragoman completion bash | grep -qF "words=(lines $(paste -sd ' ' names))"
}

@test "a document's line numbers are in the messages" {
    { printf '<p>Hello.</p>\n\n<p>\n'; numbered_lines 1 60 | tr '\n' ' ' | tr -d .; printf '</p>\n'; } >page.html
    translate --no-split page.html
    expect_status 0
    grep -qE '^dragoman: page.html:4: the line is too long for the model and was translated in [0-9]+ parts$' err
}

@test "the embedded model puts markup onto the words that translate it" {
    need_default_model
    unset DRAGOMAN_MODEL
    {
        echo '<p>The <b>house</b> is red.</p>'
        echo '<p>I have two <a href="b">brothers</a>, and <i>Tom</i> has one.</p>'
        echo '<p>I have <b>read the <i>book</i></b>.</p>'
        echo '<p>Good morning!<br>Where is <b>Mary</b>?</p>'
    } >page.html
    translate page.html
    expect_status 0
    diff <(tags page.html) <(tags out)
    grep -qx '<p>[^<]*<b>Haus</b>[^<]*</p>' out
    grep -qx '<p>[^<]*<a href="b">Brüder</a>[^<]*<i>Tom</i>[^<]*</p>' out
    grep -qx '<p>[^<]*<b>[^<]*<i>Buch</i>[^<]*</b>[^<]*</p>' out
    grep -qx '<p>[^<]*<br>[^<]*<b>Mar[^< ]*</b>[?]</p>' out
}

@test "placeholders without numbers get numbers, or keep the order of the source" {
    need_default_model
    unset DRAGOMAN_MODEL
    {
        printf '#, c-format\nmsgid "There were %%d people in %%s."\nmsgstr ""\n\n'
        printf '#, python-format\nmsgid "There were %%d people in %%s."\nmsgstr ""\n\n'
        printf '#, c-format\nmsgid "There were %%d people in %%s.\\nThere were %%d people in %%s."\nmsgstr ""\n'
    } >in.po
    translate in.po
    expect_status 0
    [[ $(grep -c "^msgstr \"In %2\$s gab es %1\$d" out) == 1 ]]
    [[ $(grep -c 'In %d gab es %s' out) == 2 ]]
    local fault="placeholders or tags of templates were put back into the order of the source; check the translation"
    expect_err "dragoman: in.po:6: $fault" \
        "dragoman: in.po:10: $fault" "dragoman: in.po:10: $fault"
}

@test "placeholders get no numbers if others are in tags, addresses or options" {
    need_default_model
    unset DRAGOMAN_MODEL
    local text
    for text in '<a href=\"%s\">Open the page</a>. There were %d people in %s.' \
        'There were %d people in %s. See https://%s/x now.' 'There were %d people in %s. Use --name=%s now.'; do
        printf '#, c-format\nmsgid "%s"\nmsgstr ""\n\n' "$text"
    done >in.po
    translate in.po
    expect_status 0
    [[ $(grep -c 'In %d gab es %s' out) == 3 && $(wc -l <err) == 3 ]]
}

@test "TTML is read as subtitles, also in a .xml file" {
    need_default_model
    # shellcheck disable=SC2031 # each test has its own environment
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    echo '<tt xml:lang="en"><body><div><p begin="1s">The house is<br/>very old.</p></div></body></tt>' | tee film.ttml >film.xml
    translate film.ttml
    grep -qxE '<tt xml:lang="de"><body><div><p begin="1s">Das Haus ist<br/>sehr alt\.</p></div></body></tt>' out
    mv out out.first
    translate -o new.xml film.xml
    expect_status 0
    cmp out.first new.xml
    echo '<html/>' >film.ttml
    translate film.ttml
    expect_status 1
    expect_err 'dragoman: film.ttml:1:1: the first element must be <tt> (read as ttml because of its name; --as chooses another format)'
}

@test "the strings of Android in a .xml file get numbers" {
    need_default_model
    unset DRAGOMAN_MODEL
    echo '<resources><string name="a">There were %d people in %s.</string></resources>' >strings.xml
    translate strings.xml
    expect_status 0
    expect_err
    grep -qF "In %2\$s gab es %1\$d" out
}

@test "statements of templates inside a sentence stay whole" {
    need_default_model
    unset DRAGOMAN_MODEL
    {
        echo '<p>{{ name }} has {% if a %}<b>bought</b>{% else %}sold{% endif %} the house in {{ city }}.</p>'
        echo '<p>We will {% if a %}open the door. And we{% else %}they{% endif %} will go home.</p>'
    } >page.html
    translate page.html
    expect_status 0
    grep -qF ' {% if a %}<b>bought</b>{% else %}sold{% endif %} ' out
    grep -q '{% if a %}.*{% else %}.*{% endif %}.*nach Hause' out
}

@test "statements of templates move with their places" {
    need_default_model
    unset DRAGOMAN_MODEL
    local number='{% if n %}five{% else %}no{% endif %}' place='{% if w %}the house{% else %}the car{% endif %}'
    echo "{\"a\":\"There were $number errors in $place.\"}" >in.json
    translate in.json
    expect_status 0
    expect_err
    grep -qF "In $place gab es $number" out
}

@test "malformed lines of JSON Lines are copied and reported, and make the program fail" {
    printf '%s\n' '{"a":"one"}' '{"a":"two"' '{"a":"three"}' 'four' >in.jsonl
    translate --pseudo --quiet in.jsonl
    expect_status 1
    expect_err "dragoman: in.jsonl:2:11: expected ',' or '}'; the line was copied" \
        "dragoman: in.jsonl:4:1: not a JSON value; the line was copied"
    diff <(letters out) in.jsonl
    diff <(sed -n '2p; 4p' out) <(sed -n '2p; 4p' in.jsonl)
    translate -o target in.jsonl
    expect_status 1
    diff <(sed -n '2p; 4p' target) <(sed -n '2p; 4p' in.jsonl)
    run ! cmp -s target in.jsonl
    mkdir in
    for i in {1..7}; do cp in.jsonl "in/$i.jsonl"; done
    echo '"five"' >in/8.jsonl
    translate -O de in
    expect_status 1
    [[ $(wc -l <err) == 11 && $(tail -n 1 err) == "dragoman: 4 more lines copied because of an error" ]]
    for i in {1..7}; do cmp "de/$i.jsonl" target; done
    [[ -s de/8.jsonl ]]
    translate --identity in.jsonl
    expect_status 1
    cmp out in.jsonl
}

@test "bilingual sources without letters are copied; the end of a document is no text" {
    {
        echo '<xliff version="1.2"><file source-language="en"><body>'
        echo '<trans-unit id="1"><source><ph id="1">&lt;c></ph></source></trans-unit>'
        echo '<trans-unit id="2"><source>&#160;</source></trans-unit>'
        echo '<trans-unit id="3"><source>© 2024 {0}</source></trans-unit>'
        echo '<trans-unit id="4"><source>Hello.</source></trans-unit>'
        echo '</body></file></xliff>'
    } >pairs.xlf
    translate pairs.xlf
    expect_status 0
    grep -qF '<source><ph id="1">&lt;c></ph></source><target state="needs-review-translation"><ph id="1">&lt;c></ph></target>' out
    grep -qF '<source>&#160;</source><target state="needs-review-translation">&#160;</target>' out
    grep -qF '<source>© 2024 {0}</source><target state="needs-review-translation">© 2024 {0}</target>' out
    grep -qF "<source>Hello.</source><target state=\"needs-review-translation\">$(dragoman <<<Hello.)</target>" out
    mkdir in
    cp pairs.xlf in
    translate -O de in
    expect_status 0
    dragoman pairs.xlf | cmp - de/pairs.xlf
}

@test "options of other formats are refused; a selection without matches is a warning" {
    local file option
    echo '{"a":"one"}' >a.json
    printf 'a,b\n' >a.csv
    printf 'msgid "a"\nmsgstr ""\n' >a.po
    while read -r file option; do
        translate --pseudo "$option" x "$file"
        expect_status 2
        grep -qF -- "$option cannot be used with $file, a document of the format" err
    done <<<$'a.csv --select\na.po --skip\na.json --column'
    translate --pseudo --select x a.json
    expect_status 0
    expect_err "dragoman: a.json: nothing is translated: no text matches --select, --column or --sheet"
    cmp out a.json
    translate --pseudo --quiet --select x a.json
    expect_err
}

@test "--front-matter chooses keys of front matter" {
    printf -- '---\ntitle: A dog\ntags: [A cat]\nmenu:\n  main: {name: Dogs}\n---\nA text.\n' >a.md
    translate --pseudo --front-matter tags --front-matter 'menu.*.name' a.md
    expect_status 0
    printf -- '---\ntitle: Á ḋóǵ\ntags: [Á ćáť]\nmenu:\n  main: {name: Ḋóǵś}\n---\nÁ ťéẋť.\n' | cmp - out
    translate --pseudo --front-matter none --front-matter tags --as html a.md
    printf -- '---\ntitle: A dog\ntags: [Á ćáť]\nmenu:\n  main: {name: Dogs}\n---\nÁ ťéẋť.\n' | cmp - out
    printf '"A dog"\n' >a.json
    translate --pseudo --front-matter tags a.json
    expect_err "dragoman: --front-matter cannot be used with a.json, a document of the format json; it applies to: html\
 markdown; try 'dragoman --help'"
}

@test "in a folder, options of some formats apply to the files that have them, and a note names the others" {
    mkdir in
    printf 'Name,Text\nA dog.,A cat.\n' >in/a.csv
    printf '<p>A dog.</p>\n' >in/b.html
    printf '<p>A cat.</p>\n' >in/c.html
    printf '{"a": "A dog.", "b": "A cat."}\n' >in/d.json
    translate --pseudo --header --column Text --select a -O new in
    expect_status 0
    expect_err 'dragoman: --select does not apply to 3 files (csv html); it applies to: xml json jsonl yaml fluent' \
        'dragoman: --column does not apply to 3 files (html json); it applies to: csv tsv xlsx ods fods' \
        'dragoman: --header does not apply to 3 files (html json); it applies to: csv tsv xlsx ods fods'
    printf 'Name,Text\nA dog.,Á ćáť.\n' | cmp - new/a.csv
    dragoman --pseudo in/b.html | cmp - new/b.html
    dragoman --pseudo --select a in/d.json | cmp - new/d.json
    translate --pseudo -q --header -O new in
    expect_err
    translate --pseudo --bilingual -O both in
    expect_err 'dragoman: --bilingual does not apply to 2 files (csv json); it applies to: html markdown text lines'
    dragoman --pseudo --bilingual in/b.html | cmp - both/b.html
    dragoman --pseudo in/d.json | cmp - both/d.json
    rm in/a.csv
    translate --pseudo --header -O none in
    expect_status 2
    expect_err 'dragoman: --header cannot be used with in/b.html, a document of the format html; it applies to: csv tsv xlsx ods fods'
    [[ ! -e none ]]
}

@test "--retranslate needs a document with translations" {
    echo '<p>One.</p>' >a.html
    translate --pseudo --retranslate a.html
    expect_status 2
    expect_err "dragoman: --retranslate cannot be used with a.html, a document of the format html; it applies to: po xliff tmx qt xcstrings; try 'dragoman --help'"
    mkdir files # other files of a batch may have translations
    cp a.html files
    printf 'msgid "one"\nmsgstr "eins"\n' >files/a.po
    translate --pseudo --retranslate -O out_files files
    expect_status 0
    expect_err "dragoman: --retranslate does not apply to 1 file (html); it applies to: po xliff tmx qt xcstrings"
    [[ -e out_files/a.html ]]
    run ! grep -q eins out_files/a.po
    rm files/a.po
    translate --pseudo --retranslate -O other_files files
    expect_status 2
}

@test "the columns of a .tsv file are cells" {
    printf 'one\ttwo\n' >in.tsv
    dragoman --pseudo in.tsv | cmp - <(dragoman --pseudo --as tsv <in.tsv)
    translate in.tsv
    expect_status 0
    [[ $(tr -cd '\t' <out | wc -c) == 1 ]]
}

@test "messages get the plural forms of the target language, and entries with errors are noted" {
    # shellcheck disable=SC2016 # Fluent
    printf 'a = Open { $n ->\n [one] a file\n *[other] { $n } files\n }.\nb\n' >a.ftl
    printf '{"sourceLanguage" : "en", "strings" : {"Open the file" : {}}}' >a.xcstrings
    run -0 --separate-stderr dragoman --pseudo --to ru a.ftl
    # shellcheck disable=SC2016 # Fluent
    [[ $output == 'a = { $n ->'*'[one]'*'[few]'*'[many]'*'*[other] '*' { $n } '*$'.\n    }\nb' ]]
    [[ $stderr == "dragoman: a.ftl:5:2: expected '=' after the name of a message; this part stays as it is" ]]
    run -0 --separate-stderr dragoman -q --pseudo --to ja a.ftl
    [[ $output != *'[one]'* && $output == *'*[other] '* && ! $stderr ]]
    dragoman --identity a.ftl | cmp - a.ftl
    dragoman --pseudo --to de a.xcstrings | grep -F '"Open the file" : {"localizations" : {"de" : {"stringUnit" : {"state" : "needs_review"'
}
