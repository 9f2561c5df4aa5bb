#!/usr/bin/env bats
# keep.bats - what translations keep: --keep, --keep-file, and the items in documents. How the items are found is tested
# by tests/unit/test_keep_rules.c and test_keep_patterns.c.
# shellcheck disable=SC2016 # items such as ${v} are text here

load helper

# count TEXT FILE: how often the text is in the file.
count() {
    local text without
    text=$(<"$2")
    without=${text//"$1"/}
    echo $(((${#text} - ${#without}) / ${#1}))
}

use_english() {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
}

# expect_once FILE TEXT...
expect_once() {
    local file=$1 text
    shift
    for text; do
        [[ $(count "$text" "$file") == 1 ]] || { echo "not once: $text"; cat "$file"; return 1; }
    done
}

@test "--keep keeps what expressions match in lines" {
    printf 'This is line ABC-12 of %%s.\n\nHello.\nline ABC-12\n' >in
    translate --keep '[A-Z]+-\d+' --keep '%s' in
    expect_status 0
    expect_err
    [[ $(wc -l <out) == 4 && $(count ABC-12 out) == 2 ]]
    expect_once out '%s'
    translate --keep '[A-Z]+-\d+' --keep '%s' -j 1 <in
    cmp <(dragoman --keep '[A-Z]+-\d+' --keep '%s' -j 4 in) out
    dragoman --keep 'nothing|x*' in | cmp - <(dragoman in)
}

@test "lines keep only what the options say" {
    echo 'See https://example.org of {name}.' >in
    dragoman in >plain
    dragoman --keep '#' in | cmp - plain
    translate --keep '{name}' in
    expect_once out '{name}'
    translate --as text in
    expect_once out '{name}' https://example.org
}

@test "--keep-file keeps words and phrases" {
    printf '\xef\xbb\xbfZebra Crossing\r\n\n  Qu\xc3\xa4x  \n#tag\n' >words
    echo 'This is a Zebra Crossing of a Quäx and #tag.' >in
    translate --keep-file words --keep-file /dev/null in
    expect_status 0
    expect_err
    expect_once out 'Zebra Crossing' Quäx '#tag'
}

@test "wrong expressions and files are refused" {
    translate --keep 'a(b' /dev/null
    expect_status 2
    expect_err "dragoman: --keep 'a(b': missing closing parenthesis (at character 4)"
    translate --keep 'ä[' --as text /dev/null
    expect_status 2
    expect_err "dragoman: --keep 'ä[': missing terminating ] for character class (at character 3)"
    translate --keep-file missing /dev/null
    expect_status 1
    expect_err "dragoman: missing: No such file or directory"
    translate --keep-file . /dev/null
    expect_status 1
    expect_err "dragoman: .: Is a directory"
    printf 'a\n\xff\n' >words
    translate --keep-file words /dev/null
    expect_status 1
    expect_err "dragoman: words:2: not valid UTF-8"
    translate --keep-file /dev/zero /dev/null
    expect_status 1
    expect_err "dragoman: /dev/zero: lists of words of more than 64 MB are not supported"
}

@test "an expression that needs too many steps ends the file with its line" {
    local steps="the expression '(a+)+\$' needs too many steps for this text; simplify it"
    printf 'Hello.\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n' >in.txt
    translate --keep '(a+)+$' in.txt
    expect_status 1
    expect_err "dragoman: in.txt:2: $steps"
    sed '1s/^/<p>/; 2s/^/<p>/' in.txt >in.html
    translate --keep '(a+)+$' -o out in.html
    expect_status 1
    [[ $(head -n 1 err) == "dragoman: in.html:2: $steps" ]]
    echo Hello. >good.txt
    translate --keep '(a+)+$' -O all in.txt in.html good.txt
    expect_status 1
    grep -qF "in.txt:2: $steps" err
    grep -qF "in.html:2: $steps" err
    [[ $(ls all) == good.txt ]]
}

@test "documents of all formats keep their items as they are spelled" {
    local url='http://example.org/?a=1'
    printf '<p>R&D is <b>%s</b> at <code>a <i>&lt; b</i></code>, %s?x&amp;y.</p>\n' '{name}' "$url" >a.html
    printf 'The *{name}* of `a * b` is at <%s>.\n\n- line %%s of R\\&D\n' "$url" >a.md
    printf '<r><p>line %%s of {name} is <x id="1"/>at %s&amp;b</p></r>\n' "$url" >a.xml
    printf 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "line %%s of \\"{name}\\" is at %s"\nmsgstr ""\n' "$url" >a.po
    printf '{"a": "line %%s of \\"{name}\\" is at \\u0024{v}"}\n' >a.json
    printf '{"a": "line %%s of {name}"}\n' >a.jsonl
    printf 'a,b\nline %%s of {name},"a ""line"" of ${v}, and"\n' >a.csv
    printf 'a = line %%s of {name} is \\u0024{v}\n' >a.properties
    printf '"a" = "line %%@ of \\"{name}\\" is %%d";\n' >a.strings
    printf 'de:\n  a: "line %%s of \\"{name}\\""\n  b: line %%{v} of\n' >a.yaml
    printf '1\n00:00:01,000 --> 00:00:02,000\nline %%s of {name}\n' >a.srt
    printf 'WEBVTT\n\n00:01.000 --> 00:02.000\nline %%s of <b>{name}</b>\n' >a.vtt
    printf '<?xml version="1.0"?>\n<TS><context><message><source>line %%1 of &quot;{name}&quot;</source>' >a.ts
    printf '<translation type="unfinished"></translation></message></context></TS>\n' >>a.ts
    printf '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1">' >a.xlf
    printf '<source>line <x id="1"/>of {name} &amp; %%s</source></trans-unit></body></file></xliff>\n' >>a.xlf
    dragoman -q -O out a.*
    cd out
    expect_once a.html '<b>{name}</b>' '<code>a <i>&lt; b</i></code>' "$url?x&amp;y"
    expect_once a.md '*{name}*' '`a * b`' "<$url>" %s
    expect_once a.xml %s '{name}' '<x id="1"/>' "$url&amp;b"
    sed -i '/^msgid/d' a.po
    sed -i 's/.*<translation//' a.ts
    sed -i 's/.*<target//' a.xlf
    expect_once a.po %s '{name}' "$url"
    expect_once a.json %s '{name}' '\u0024{v}'
    expect_once a.jsonl %s '{name}'
    expect_once a.csv %s '{name}' "\${v}"
    expect_once a.properties %s '{name}' '\u0024{v}'
    expect_once a.strings %@ '{name}' %d
    expect_once a.yaml %s '{name}' '%{v}'
    expect_once a.srt %s '{name}'
    expect_once a.vtt %s '<b>{name}</b>'
    expect_once a.ts %1 '{name}'
    expect_once a.xlf '<x id="1"/>' '{name}' %s
}

@test "--pseudo leaves items, and those of the options" {
    echo 'Read a %s at <b>http://a.org</b> for Zoe.' >in.html
    translate --pseudo --keep Zoe in.html
    expect_status 0
    [[ $(<out) == 'Ŕéáḋ á %s áť <b>http://a.org</b> ḟóŕ Zoe.' ]]
}

@test "numbers that differ are warnings with their lines" {
    printf '<p>This line 12 is\nline <b>1,500</b>.\n\n<p>line {20} of 1/2\n' >in.html # the model writes no digits
    translate in.html
    expect_status 0
    expect_err "dragoman: in.html:1: numbers differ: 12 is missing in the translation" \
        "dragoman: in.html:4: numbers differ: 1 is missing in the translation"
    translate -q in.html
    expect_err
    translate --as lines in.html
    expect_err "dragoman: in.html:1: numbers differ: 12 is missing in the translation" \
        "dragoman: in.html:2: numbers differ: 1,500 is missing in the translation" \
        "dragoman: in.html:4: numbers differ: 20 is missing in the translation"
    for ((i = 20; i < 33; i++)); do printf '<p>This is line %s.\n' $i; done >in.html
    translate in.html
    expect_status 0
    [[ $(wc -l <err) == 11 ]]
    [[ $(sed -n 2p err) == "dragoman: in.html:2: numbers differ: 21 is missing in the translation" ]]
    [[ $(tail -n 1 err) == "dragoman: 3 more lines with numbers that differ" ]]
}

@test "a line of kept items alone is in every format" {
    [[ $(echo Foo | dragoman --keep Foo) == Foo ]]
    [[ $(echo Foo | dragoman --keep Foo --format tsv) == $'1\t1\t0\tFoo' ]]
    [[ $(echo Foo | dragoman --keep Foo --format jsonl) == *'"translations":[{"text":"Foo",'* ]]
    [[ $(echo Foo | dragoman --keep Foo --format marian -n 2 -b 2 | head -n 1) == '0 ||| Foo |||'* ]]
}

@test "items side by side in one sentence come out once, whatever the model does" {
    local text='{count} "%s" of %d files copied from %s to %s (%d bytes left, about %s)'
    echo "$text" | dragoman --keep '%[ds]|\{\w+\}' >out
    [[ $(grep -o '%[ds]' out | sort | uniq -c | tr -s ' \n' ' ') == " 2 %d 4 %s " && $(grep -c '{count}' out) == 1 ]]
}

@test "a match that the prefix contains is not repeated" {
    use_english
    echo 'ABC-1 is broken. The printer is old.' >in
    translate --keep '[A-Z]+-\d' --prefix 'ABC-1 ist' in
    expect_status 0
    expect_once out ABC-1
    [[ $(<out) == 'ABC-1 ist kaputt.'* ]]
    printf 'We met Tom Smith in Berlin.\tWir haben Tom Smith\nHere is ABC-2.\tHier ist\n' >in
    for beams in 1 4; do
        translate --keep 'Tom Smith|Berlin|[A-Z]+-\d' --tsv-in source,prefix -b "$beams" in
        expect_once out 'Tom Smith' Berlin ABC-2
        [[ $(head -n 1 out) == 'Wir haben Tom Smith '* ]]
    done
    # The model goes on with the last word of the prefix, which is then another one.
    echo 'It costs 10 euros and 1 cent.' >in
    translate --keep '\d+' --prefix 'Es ist 1' in
    [[ $(grep -ow 10 out) == 10 && $(grep -ow 1 out) == 1 ]]
    echo 'This is line one of {x}.' >in # this model copies nothing
    translate -m "$MODEL" --keep '{x}' --prefix 'line {x}' in
    [[ $(count '{x}' out) -le 1 ]]
    translate -m "$MODEL" --keep one --prefix 'line one' in
    expect_once out 'line one'
}

@test "an end token that is a part of a stand-in loses no match" {
    use_english
    echo 'Please open the file ABC-1 and QQQ-2 now.' >in
    for piece in X ▁X 1 ▁1 2; do
        translate --keep '[A-Z]+-\d' --end-token "$piece" --max-length 30 in
        expect_status 0
        expect_once out ABC-1 QQQ-2
    done
}

@test "stand-ins are in no prefix and no required text" {
    use_english
    echo 'The FOO car is red.' >in
    printf 'car\tX1\n' >terms.tsv
    translate --keep FOO --prefix 'Der X1' in
    expect_once out 'Der X1' FOO
    for demand in --must=X1 --glossary=terms.tsv; do
        translate --keep FOO "$demand" in
        expect_err
        expect_once out X1 FOO
    done
}

@test "the language code of a line and the prompt of T5 are not searched for matches and terms" {
    local codes=$GOLDEN_ROOT/marian/mish-languages t5=$GOLDEN_ROOT/families/t5-relu
    printf '>>deu<< The house.\n>>deu<<\n' >in
    printf 'deu\tzu\nEnglish\tder\n' >terms.tsv
    translate -m "$codes" in
    mv out plain
    translate -m "$codes" --keep 'deu|>+' --keep '<[^>]+>' --glossary terms.tsv in
    expect_status 0
    expect_err
    cmp plain out
    echo '>>deu<<The <b>house</b> is big, deu.' >in
    translate -m "$codes" --keep '<[^>]+>' --keep '^The' --keep deu in
    expect_status 0
    expect_once out The deu '<b>' '</b>'
    printf '>>deu<< AB-1234\n>>deu<< 1 | 2\n' | dragoman -m "$codes" --split --keep '[A-Z]+-[0-9]+' |
        cmp - <(printf 'AB-1234\n1 | 2\n')
    echo 'translate English to German: The house is big.' >in
    dragoman -m "$t5" --max-length 10 in >plain
    translate -m "$t5" --max-length 10 --glossary terms.tsv in
    expect_err
    cmp plain out
}

@test "tags around kept parts do not go to tags without words beside them" {
    use_english
    printf '<p><a href="x">please</a> <code>K</code></p>\n' >a.html
    printf '<p><i><a href="x">please</a> <span translate="no">Acme</span></i></p>\n' >>a.html
    printf '[please](x) `K`\n\n## *please* `npm`\n' >a.md
    dragoman -q a.html >out.html
    dragoman -q a.md >out.md
    expect_once out.html '<code>K</code>' '<span translate="no">Acme</span>'
    expect_once out.md '`K`' '`npm`'
}

@test "kept parts touch words in the translation as in the text" {
    use_english
    echo '<p>Open the {0}<b>red</b>{1} house now</p>' >a.html
    dragoman -q a.html >out
    expect_once out '{0}<b>rote</b>{1} Haus'
    echo '{"a": "Click {$START_LINK}here{$CLOSE_LINK} now"}' >a.json
    dragoman -q a.json >out
    expect_once out ' {$START_LINK}hier{$CLOSE_LINK}'
}

@test "a FIFO is refused as a list of words or terms, and the pipe of a shell is read" {
    use_english
    mkfifo fifo
    for option in --keep-file --glossary; do
        translate "$option" fifo </dev/null
        expect_status 1
        expect_err "dragoman: fifo is a FIFO; save its content in a file"
    done
    [[ $(echo "The house." | dragoman --keep-file <(echo house)) == *house* ]]
}
