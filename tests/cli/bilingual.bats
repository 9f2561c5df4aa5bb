#!/usr/bin/env bats
# bilingual.bats - --bilingual: sources and their translations in one output.

load helper

@test "lines become a source, a tab and a translation" {
    printf 'I love my dog.\tyes\n\nWhere is the house?' >in
    dragoman in >plain
    dragoman --bilingual in >both
    [[ $(wc -l <both) == "$(wc -l <plain)" && $(tr -cd '\t' <both | wc -c) == 3 ]]
    cut -f1 both | cmp - <(tr '\t' ' ' <in && echo)
    cut -f2 both | cmp - <(tr '\t' ' ' <plain && echo)
}

@test "HTML gets two columns, and texts without markup a slash" {
    printf '<html lang="en"><title>My page</title><p>The <b>red house</b> &amp; dog.</p><select><option>One dog</option></select>' >in.html
    dragoman in.html >plain
    dragoman --bilingual in.html >both
    grep -q '<p><span style="display:inline-block;width:48%;vertical-align:top" dir="auto">The red house &amp; dog.</span> <span [^>]* lang="de">' both
    grep -q '<title>My page / ' both
    grep -q '<option>One dog / ' both
    grep -q '<html lang="en">' both
    printf '<svg class="i"/><p>A dog</p>' | dragoman --pseudo --bilingual --as html | grep '<span'
    printf '<svg><svg class="i"/><title>A cat</title></svg>' | dragoman --pseudo --bilingual --as html | grep -F 'A cat / '
    printf '<svg><text x="1">A <a href="b">dog</a></text><g><title>A cat</title></g></svg>' | dragoman --pseudo --bilingual --as html >both
    [[ $(<both) == '<svg><text x="1">A dog / Á <a href="b">ḋóǵ</a></text><g><title>A cat / Á ćáť</title></g></svg>' ]]
    dragoman --bilingual in.html >both
    [[ $(grep -o '<b>' both | wc -l) == 1 && $(grep -o '<span' both | wc -l) == "$(grep -o '</span>' both | wc -l)" ]]
}

@test "in HTML, the parser finds the texts that get no columns, and pictures in a text come with it" {
    printf '<!-- <svg --><script>"<svg"</script><p data-a="<svg">A dog</p><option><b>A</b> cat<option>A bird</select>See <svg><g/></svg> or \xb5&alpha;.\n' >in.html
    dragoman --pseudo --bilingual --encoding latin1 in.html | iconv -f latin1 -t utf8 | sed 's/<span[^>]*>/[/g; s,</span>,],g' >both
    diff both - <<'END'
<!-- <svg --><script>"<svg"</script><p data-a="<svg">[A dog] [Á &#7691;ó&#501;]</p><option>A cat / <b>Á</b> &#263;á&#357;<option>A bird / Á &#7683;í&#341;&#7691;</select>[See <svg><g/></svg> or µ&alpha;.] [&#346;éé <svg><g/></svg> ó&#341; µ&alpha;.]
END
}

@test "in Markdown and text, a paragraph is above its translation" {
    printf '# The house\n\nThe dog.\n\n- An item\n\n> A quote\n\n| A cat |\n|---|\n\nTitle\n=====\n' >in.md
    dragoman --pseudo --bilingual in.md >both
    diff both - <<'END'
# The house / Ťḣé ḣóúśé

The dog.

Ťḣé ḋóǵ.

- An item

  Áń íťéḿ

> A quote
>
> Á ɋúóťé

| A cat / Á ćáť |
|---|

Title / Ťíťĺé
=====
END
    printf '> One two\r\n> three\r\n\r\n1. Four' | dragoman --pseudo --bilingual --as text >both
    printf '> One two\r\n> three\r\n>\r\n> Óńé ťẃó\r\n> ťḣŕéé\r\n\r\n1. Four\n\n   Ḟóúŕ' | cmp - both
}

@test "in Markdown, titles in metadata and after marks get a slash" {
    printf 'Title: A house\nDate: x\n\n> [!tip] A dog\n> A cat\n\n*[A]: A bird\n\n| A line\n' >in.md
    dragoman --pseudo --bilingual in.md >both
    diff both - <<'END'
Title: A house / Á ḣóúśé
Date: x

> [!tip] A dog / Á ḋóǵ
> A cat
>
> Á ćáť

*[A]: A bird / Á ḃíŕḋ

| A line / Á ĺíńé
END
    printf '<table>\n  <tr>\n    <td>\n      A house\n    </td>\n' >in.md
    dragoman --pseudo --bilingual in.md >both
    printf '<table>\n  <tr>\n    <td>\n      A house / Á ḣóúśé\n    </td>\n' | cmp - both
    printf '%% A house\n' >in.md
    dragoman --pseudo --bilingual in.md >both
    echo '% A house / Á ḣóúśé' | diff both -
}

@test "documents of other formats and other outputs are refused" {
    echo '{"a": "A dog."}' >in.json
    translate --bilingual in.json
    expect_status 2
    expect_err 'dragoman: --bilingual cannot be used with in.json, a document of the format json; it applies to: html markdown text lines; try '"'dragoman --help'"
    for option in --format=jsonl --n-best=2 --pieces --alignment=hard --identity; do
        translate --bilingual "$option" in.json
        expect_status 2
        [[ $(<err) == 'dragoman: --bilingual and --'*' cannot be used together'* ]]
    done
}
