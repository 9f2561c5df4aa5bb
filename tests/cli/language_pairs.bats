#!/usr/bin/env bats
# The choice of a model by --from and --to.

load helper
load models_on_disk

A=aaaaaaa1111111111111111111111111111111aa

# expect_choice MESSAGE ARGUMENT...: stderr names the choice.
expect_choice() {
    local message=$1
    shift
    echo "One." >in
    translate "$@" <in
    expect_status 0
    expect_err "dragoman: $message"
    translate -q "$@" <in
    expect_err
}

prepare() {
    unset DRAGOMAN_MODEL
}

@test "\$DRAGOMAN_MODEL and -m are not replaced" {
    hub_model Org/fr-en $A fr en main
    echo "One." | DRAGOMAN_MODEL=$(golden) dragoman --from en --to de 2>err >out
    [[ ! -s err ]]
    translate -m "$(golden)" --from fr --to en <<<"One."
    expect_status 2
}

@test "one language in two spellings is refused, and not translated through English" {
    prepare
    hub_model Org/de-en $A de en main
    hub_model Org/en-de $A en de main
    hub_model Org/hans-en $A zh-Hans en main
    hub_model Org/en-hant $A en zh-Hant main
    local same="are the same language, so there is nothing to translate"
    for pair in 'de de' 'German deu' 'en English'; do
        translate -f "${pair% *}" -t "${pair#* }" <<<Hallo.
        expect_status 2
        expect_err "dragoman: --from ${pair% *} and --to ${pair#* } $same"
    done
    expect_choice "using Org/hans-en (Hugging Face) and Org/en-hant (Hugging Face), through English" -f zh-Hans -t zh-Hant
}

@test "takes a model of the pair, and says which" {
    prepare
    hub_model Org/opus-fr-en $A fr en main
    hub_model Org/opus-en-fr $A en fr main
    expect_choice "using Org/opus-fr-en (Hugging Face)" --from fr --to en
    expect_choice "using Org/opus-en-fr (Hugging Face)" --from English --to fr_FR
}

@test "a pair comes before several languages, these before two models through English" {
    prepare
    hub_model Org/fr-en $A fr en main
    hub_model Org/en-es $A en es main
    expect_choice "using Org/fr-en (Hugging Face) and Org/en-es (Hugging Face), through English" --from fr --to es
    mkdir -p "$(own)"
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" "$(own)/many"
    expect_choice "using many (dragoman)" --from fr --to es
    expect_choice "using Org/fr-en (Hugging Face)" --from fr --to en
    argos_model fr-es fr es
    expect_choice "using argos:fr-es (Argos Translate)" --from fr --to es
}

@test "of two models of a pair in one place, the first is taken, and the other one named" {
    prepare
    hub_model Org/a-fr-en $A fr en main
    hub_model Org/b-fr-en $A fr en main
    expect_choice "using Org/a-fr-en (Hugging Face); Org/b-fr-en would do as well: choose with -m" --from fr --to en
}

@test "broken models are passed over" {
    prepare
    mkdir -p "$(own)/fr-en"
    echo '{' >"$(own)/fr-en/config.json"
    hub_model Org/fr-en $A fr en main
    expect_choice "using Org/fr-en (Hugging Face)" --from fr --to en
    hub_model Org/a-fr-en $A fr en main
    rm "$(hub)/models--Org--a-fr-en/snapshots/$A/vocab.json"
    expect_choice "using Org/fr-en (Hugging Face)" --from fr --to en
    argos_model one es en
    argos_model two es en
    expect_choice "using argos:es-en (Argos Translate); $(argos)/two would do as well: choose with -m" --from es --to en
}

@test "without a model for the languages, one line says what to do" {
    prepare
    translate --from fr --to es <<<"Un."
    expect_status 1
    expect_err "dragoman: no model on this machine translates from fr into es: 'dragoman models' lists the models, 'dragoman get fr-es' downloads Helsinki-NLP/opus-mt-fr-es (~300 MB), and -m takes any path"
    [[ ! -s out ]]
    translate --to es <<<"Un."
    expect_status 2
    expect_err "dragoman: --to es: no model that came with dragoman has this language: give --from, too, or choose a model with -m; 'dragoman get en-es' downloads firefox:en-es (37 MB)"
}

@test "without a model for the languages, the message names one that cannot be opened" {
    local none="dragoman: no model on this machine translates from"
    prepare
    mkdir -p "$(own)/fr-en"
    echo '{' >"$(own)/fr-en/config.json"
    translate --from fr --to en <<<"Un."
    expect_status 1
    grep -qF "$none fr into en (fr-en cannot be opened: config.json: " err
    translate --from fr --to xh <<<"Un." # through English
    grep -qF "$none fr into xh (fr-en cannot be opened: config.json: " err
    translate --from es --to it <<<"Un."
    grep -qF "$none es into it: " err
}

@test "the embedded model is taken if it fits, and without languages" {
    prepare
    echo "Hello." | dragoman >plain 2>err || skip "the embedded model is not here"
    [[ ! -s err ]]
    model "$(own)/mine" en de
    echo "Hello." | dragoman --from en --to de 2>err | cmp - plain
    [[ $(<err) == "dragoman: using en-de (embedded)" ]]
    echo "Hello." | dragoman -q --to German 2>err | cmp - plain
}

@test "commands for one model refuse two models" {
    prepare
    hub_model Org/fr-en $A fr en main
    hub_model Org/en-es $A en es main
    translate explain --from fr --to es "Un." -o x
    expect_status 2
    expect_err "dragoman: explain: takes one model, and only two models together translate from fr into es; try 'dragoman explain --help'" ||
        expect_err "dragoman: explain: takes one model, and only two models together translate from fr into es"
    translate info -q --from fr --to es
    [[ $(grep -c '^model: ' out) == 2 ]]
}

@test "two models through English translate as with -m twice" {
    prepare
    hub_model Org/fr-en $A fr en main
    hub_model Org/en-es $A en es main
    echo "One." | dragoman -q --from fr --to es >got
    echo "One." | dragoman -m Org/fr-en -m Org/en-es | cmp - got
}

@test "no model translates a language into itself" {
    prepare
    translate --from English --to en_GB <<<"One."
    expect_status 2
    expect_err "dragoman: --from English and --to en_GB are the same language"
}

@test "a misspelled language is answered with the language that is near" {
    prepare
    translate --from germn --to en <<<"Eins."
    expect_status 2
    expect_err "dragoman: --from germn: unknown language (did you mean German (de)?)"
    translate --to englsh <<<"Eins."
    expect_status 2
    expect_err "dragoman: --to englsh: unknown language (did you mean English (en)?)"
    translate --to jp <<<"One."
    expect_err "dragoman: --to jp: unknown language (did you mean Japanese (ja)?)"
    translate models --from germn
    expect_status 2
    expect_err "dragoman: models: --from germn: unknown language (did you mean German (de)?)"
}

@test "one language without a model is answered with the model for it and English" {
    local missing="no model that came with dragoman has this language: give --from, too, or choose a model with -m"
    prepare
    translate --to uk <<<"One."
    expect_status 2
    expect_err "dragoman: --to uk: $missing; 'dragoman get en-uk' downloads firefox:en-uk (36 MB)"
    translate --to zh <<<"One."
    expect_err "dragoman: --to zh: $missing; 'dragoman get en-zh' downloads firefox:en-zh-Hans (52 MB), 'dragoman get en-zh-Hant' downloads firefox:en-zh-Hant"
    translate --from uk <<<"Odyn."
    expect_err "dragoman: --from uk: ${missing/--from/--to}; 'dragoman get uk-en' downloads firefox:uk-en (22 MB)"
    hub_model Org/en-uk $A en uk main
    translate --to uk <<<"One."
    expect_err "dragoman: --to uk: $missing, such as Org/en-uk"
}
