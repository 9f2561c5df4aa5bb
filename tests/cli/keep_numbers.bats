#!/usr/bin/env bats
# --keep-numbers, --no-keep-numbers, models that ask for it, and what is said about numbers and languages of lines. What
# is kept from the start is tested by tests/unit/test_number_text.c, the comparison by tests/unit/test_number_check.c.
# shellcheck disable=SC2154 # helper.bash's

load helper

english() { DRAGOMAN_MODEL='' dragoman "$@"; }
german() { dragoman -m "${DEFAULT_MODEL%/*}/de-en.safetensors" "$@"; }

@test "the embedded models keep numbers" {
    english -q <<<"Her book has 922997 pages." | grep -qw 922997
    english -q <<<"Please transfer 4669 dollars to account number 13300." | grep -w 4669 | grep -qw 13300
    english -q <<<"My IBAN is DE86 5707 0499 9622 8303." | grep -qF "DE86 5707 0499 9622 8303"
    english -q <<<'Open C:\Users\me\notes.txt or report.pdf now.' | grep -F 'C:\Users\me\notes.txt' | grep -qF report.pdf
    german -q <<<"Bitte überweisen Sie 4669 Dollar auf das Konto 13300." | grep -w 4669 | grep -qw 13300
    german -q <<<"Die Datei bericht.pdf ist fertig." | grep -qF bericht.pdf
    run ! grep -qw 922997 <(english -q --no-keep-numbers <<<"Her book has 922997 pages.")
}

@test "numbers of a second attempt are written as the target language does" {
    english -q <<<"The average temperature was 8111.8 degrees." | grep -qF 8111,8
    run ! grep -qF 8111,8 <(english -q --no-keep-numbers <<<"The average temperature was 8111.8 degrees.")
    german -q <<<"Ihr Buch hat 70.329.669 Seiten." | grep -qF 70,329,669
    german -q <<<"Tom ist am 20. Oktober 2013 in den Ruhestand gegangen." | grep -wE '20(th)?' | grep -qw 2013
}

@test "a number that the target language would read otherwise gets its separators, and units stay" {
    english -q <<<"1,500 items" | grep -qF 1.500
    english -q <<<"The road is 1,500 km long and the cable is 3 mm thick." | grep -F "1.500 km" | grep -qF "3 mm"
    english -q <<<"At 5 pm we ran 10.5 km." | grep -qF "10,5 km"
    english -q <<<"Add 7 ml of oil and 9 g of salt." | grep -F "7 ml" | grep -qF "9 g"
    run ! grep -qF "7 ml" <(english -q --no-keep-numbers <<<"Add 7 ml of oil and 9 g of salt.")
    german -q <<<"Das kostet 1.234,56 €." | grep -F 1,234.56 | grep -qF €
}

@test "a line without letters is copied, with the separators of the target language" {
    printf '%s\n' -------------------- '+-----+-----+' '<!-- -->' 1-2 2021-05-31 § $'5\t7' '§ 5 %' \
        '00:01:15,500 --> 00:01:18,200' 192.168.178.100/24 >in
    english in | cmp - in
    german in | cmp - in
    printf '1,234.5 €\n(3.5 %%) – 2,500\n' | english | cmp - <(printf '1.234,5 €\n(3,5 %%) – 2.500\n')
    printf '2019   1,500\n10:30 12 %%\n' | english | cmp - <(printf '2019   1.500\n10:30 12 %%\n')
    [[ $(english <<<'1,500-2,000') == 1.500-2.000 ]]
    printf '%s\n' '12.05. - 31.12.' 2.1 '[1, 2.5, 3]' '10.30 - 12.00' '52.5200, 13.4050' '§ 1.2' >in
    english in | cmp - in
    [[ $(english -e $'Apple\t2\t1,234.50\t$5.00') == *$'\t2\t1.234,50\t$5,00' ]]
    [[ $(english -e $'Total\t1,234.50 USD') == *$'\t1.234,50 USD' ]]
    english -b 3 -n 3 -e '1,234 €' | cmp - <(printf '1.234 €\n1.234 €\n1.234 €\n')
    [[ $(english -b 3 -n 3 --format marian -e '1,234 €' | grep -cF ' ||| 1.234 € ||| ') == 3 ]]
    [[ $(english --prefix Nummer -e 5) == "Nummer 5" ]]
    english --prefix Siehe -e https://example.com -e '5 | 6' | cmp - <(printf 'Siehe %s\n' https://example.com '5 | 6')
    printf 'KB5034441\tUpdate\n' | english --tsv-in source,prefix | grep -E '^Update.*KB5034441$'
    [[ $(german -e '12,50 €') == '12.50 €' ]]
    [[ $(dragoman -m "${DEFAULT_MODEL%/*}/de-en.safetensors" -m "$DEFAULT_MODEL" -e '1.500') == 1.500 ]]
}

@test "numbers in terms stay with them, and other numbers are kept, also with --must" {
    english -q --term $'Windows 11\tWindows 11' <<<"Windows 11 and number 2777 and number 32777" >out
    [[ $(grep -ow 11 out | wc -l) == 1 ]]
    grep -F "Windows 11" out | grep -w 2777 | grep -qw 32777
    english -q --must Satz <<<"This is sentence number 177" | grep -w Satz | grep -qw 177
}

@test "lines and blanks, and codes in hexadecimal, are kept" {
    english -q <<<"Chapter 1 ---------------------------" | grep -qE '[^-]-{27}$'
    english -q <<<"Error 0x80070005 occurred at 0xDEADBEEF." | grep -F 0x80070005 | grep -qF 0xDEADBEEF
    english -q <<<"The commit 259e44b and 3aae9bc are broken." | grep -F 259e44b | grep -qF 3aae9bc
}

@test "sentences without digits are the same with and without" {
    seq 30 | sed 's/.*/The house is big, and we like it./' >in
    english --keep-numbers in | cmp - <(english --no-keep-numbers in)
    english --keep-numbers <<<"Tom came at 2:30." | cmp - <(english --no-keep-numbers <<<"Tom came at 2:30.")
}

@test "what differs has a flag and a warning, and less confidence" {
    line="Her book has 922997 pages."
    DRAGOMAN_MODEL='' translate --no-keep-numbers --confidence --format tsv <<<"$line"
    expect_status 0
    [[ $(cut -f 6 out) == numbers ]]
    expect_err "dragoman: standard input:1: numbers differ: 922997 in the text, but 92297 in the translation"
    awk '{ exit !($1 < 0.5) }' <(cut -f 5 out)
    english -q --no-keep-numbers --confidence --format jsonl <<<"$line" | jq -e '.translations[0].flags == ["numbers"]'
    english -q --confidence --format jsonl <<<"$line" | jq -e '.translations[0].flags == []'
    for _ in $(seq 15); do echo "$line"; done >in
    DRAGOMAN_MODEL='' translate --no-keep-numbers in
    [[ $(tail -n 1 err) == "dragoman: 5 more lines with numbers that differ" ]]
    DRAGOMAN_MODEL='' translate -q --no-keep-numbers in
    expect_err
}

@test "a model asks for it in config.json" {
    cp -r "$MODEL" asking
    chmod -R u+w asking
    echo "This is line 12345 of 1,250.5 lines." >in
    dragoman -q in >as_it_is
    dragoman -q --keep-numbers in >kept
    grep -qw 12345 kept
    run ! cmp -s kept as_it_is
    sed -i '0,/{/s//{ "dragoman_keep_numbers": true,/' asking/config.json
    dragoman -q -m asking in | cmp - kept
    dragoman -q -m asking --no-keep-numbers in | cmp - as_it_is
    dragoman info -m asking | grep -qx "numbers: kept"
    run ! grep -q "^numbers" <(dragoman info -m asking --no-keep-numbers)
    sed -i 's/"dragoman_keep_numbers": true/"dragoman_keep_numbers": 1/' asking/config.json
    translate -m asking <in
    expect_status 1
    expect_err "dragoman: asking/config.json: dragoman_keep_numbers must be true or false"
}

@test "options that contradict are refused" {
    expect_usage_error "--keep-numbers and --no-keep-numbers cannot be used together" --keep-numbers --no-keep-numbers
    expect_usage_error "--keep-numbers and --pieces cannot be used together" --keep-numbers --pieces
}

@test "text in another language is noticed" {
    printf 'Das ist ein deutscher Satz, der schon Deutsch ist.\nHallo\nWir gehen heute ins Kino und dann nach Hause.\n' >in
    DRAGOMAN_MODEL='' translate --confidence --format tsv in
    expect_status 0
    grep -q "needs the library CLD2" <(dragoman --from auto --to de </dev/null 2>&1) && skip "no CLD2"
    [[ $(tail -n 1 err) == "dragoman: 2 of 3 texts seem to be in another language (de) than the model reads (en); "* ]]
    [[ $(cut -f 6 out | grep -c language) == 2 ]]
    DRAGOMAN_MODEL='' translate -q in
    expect_err
    printf 'The children are playing in the garden of the house.\nHallo\n' >in
    DRAGOMAN_MODEL='' translate --confidence --format tsv in
    expect_err
    [[ -z $(cut -f 6 out | tr -d '\n') ]]
    printf '%s\n' 'Guten Morgen' 'Wie geht es dir?' 'Wo ist das Bad?' 'Danke' >in
    DRAGOMAN_MODEL='' translate in
    [[ $(tail -n 1 err) == "dragoman: 4 of 4 texts seem to be in another language (de) "* ]]
}
