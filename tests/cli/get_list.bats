#!/usr/bin/env bats
# dragoman get: the list of models that can be downloaded, and models that are chosen by their languages
# shellcheck disable=SC2153 # MODEL is set in helper.bash

load helper
load get

# A model of Firefox, which dragoman can use, for the pair $1 in the version $2.
serve_firefox() {
    local folder=$SERVED/firefox/$1/$2
    mkdir -p "$folder"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/model.bin" "$folder/model.$1.intgemm.alphas.bin"
    cp "$GOLDEN_ROOT/marian_nmt/student_8bit/vocab.yml" "$folder/vocab.yml"
}

# A model of each site, without which its list would be refused.
serve_both() {
    serve_firefox en-de 1.0
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
}

# How many requests the server had for a list.
asked() {
    requests | grep -cE 'translations-models/records|index.json' || true
}

@test "get --list shows what the sites have now, and asks them once a day" {
    local cache=$HOME/.cache/dragoman/models.tsv size
    serve_firefox en-de 1.10
    serve_firefox en-de 1.9
    serve_firefox en-de 2.0a1
    serve_firefox xh-en 2.0a1 # is being tested
    echo more >>"$SERVED/firefox/en-de/1.10/vocab.yml"
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_de-1_0.argosmodel"
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$SERVED/argos/translate-en_pb-1_0.argosmodel"
    size=$(cat "$SERVED"/firefox/en-de/1.10/* | wc -c)
    serve
    get --list en-de
    expect_status 0
    [[ $(awk '{ print $1 }' out | sed -n 1,4p) == $'MODEL\nfirefox:en-de\nHelsinki-NLP/opus-mt-en-de\nargos:en-de' ]]
    expect_err "dragoman: the list is from today" \
        "dragoman: 'dragoman get en-de' downloads firefox:en-de ($(awk -v n="$size" 'BEGIN { printf "%.1f", n / 1e6 }') MB)"
    [[ $(asked) == 2 ]]
    grep -qxP "firefox:en-de\tFirefox tiny\t$size\tMPL-2.0\ten\tde" "$cache"
    grep -qxP "argos:en-pb\tArgos Translate\t-\t-\ten\tpt_BR" "$cache"
    ! grep -q xh-en "$cache" || false
    cp out first
    get --list --from English --to de_AT
    cmp out first
    [[ $(asked) == 2 ]]
    touch -d '25 hours ago' "$cache"
    get --list --from en
    [[ $(asked) == 4 ]]
    [[ -z $(find "$HOME" -name '*dragoman-*') ]]
}

@test "get --list --format jsonl has the same models, with all numbers" {
    serve_both
    serve
    get -q --list en-de --format jsonl
    expect_status 0
    expect_err
    jq -e -s '.[0].name == "firefox:en-de" and .[0].source_language == "en" and .[0].target_language == "de" and
        .[0].bytes > 1000 and .[0].licence == "MPL-2.0" and .[1].estimate and .[-1].languages == 202' out
    [[ $(wc -l <out) == $(($(dragoman get -q --list en-de | wc -l) - 1)) ]]
}

@test "get says what a model of the list is, and its licence, before it downloads the model" {
    mkdir -p "$SERVED/hub/tencent"
    cp -r "$SERVED/hub/org/small" "$SERVED/hub/tencent/Hy-MT2-1.8B"
    serve
    get tencent/Hy-MT2-1.8B@v1
    expect_status 0
    [[ $(sed -n 1p err) == "dragoman: get: downloading tencent/Hy-MT2-1.8B (Hy-MT2, unknown size, Apache-2.0)" ]]
    get -q tencent/Hy-MT2-1.8B
    expect_status 0
    expect_err
    get org/small
    ! grep -q licence err || false
    get --list --from en --to mt
    grep -q '^BSC-LT/salamandraTA-2b-instruct  *36 languages  *~4.5 GB  *SalamandraTA  *Apache-2.0$' out
    get --list --from en --to zu
    grep -q '^google/translategemma-4b-it  *55 languages  *-  *TranslateGemma, gated  *Gemma$' out
}

@test "without a network, get --list has the list that came with dragoman" {
    local list
    list="the list is from $(sed -n 's/^date\t//p' "$ROOT/hub/models.tsv")"
    serve
    export ARGOS_PACKAGE_INDEX=http://127.0.0.1:1 DRAGOMAN_FIREFOX_REGISTRY=http://127.0.0.1:1
    get --list fr-en
    expect_status 0
    grep -q '^firefox:fr-en  *fr > en  *37 MB  *Firefox base  *MPL-2.0$' out
    [[ $(sed -n 1p err) == "dragoman: $list ("*" days old); it could not be updated: http://127.0.0.1:1/buckets/"*"; check the network and the proxy settings" ]]
    [[ $(sed -n 2p err) == "dragoman: 'dragoman get fr-en' downloads firefox:fr-en (37 MB)" ]]
    [[ ! -e $HOME/.cache ]]
    HF_HUB_OFFLINE=1 get --list fr-en
    [[ $(sed -n 1p err) == "dragoman: $list ("*" days old)" ]]
    mkdir -p "$HOME/.cache/dragoman"
    printf 'date\t2999-01-02\n' >"$HOME/.cache/dragoman/models.tsv"
    HF_HUB_OFFLINE=1 get --list fr-en
    [[ $(sed -n 1p err) == "dragoman: the list is from 2999-01-02, a day in the future: check the clock of this machine" ]]
    rm -r "$HOME/.cache"
    get --list --from xx
    expect_status 0
    [[ $(wc -l <out) == 1 && $(sed -n 2p err) == "dragoman: no model in the list translates from xx" ]]
}

@test "an answer that is no list leaves the list as it was" {
    serve_both
    serve
    get -q --list
    cp "$HOME/.cache/dragoman/models.tsv" before
    touch -d '25 hours ago' "$HOME/.cache/dragoman/models.tsv"
    serve status=500
    get --list en-de
    expect_status 0
    [[ $(sed -n 1p err) == "dragoman: the list is from "*"; it could not be updated: $URL/v1/"*"the server failed (500); try again later" ]]
    [[ $(asked) == 1 ]] # one attempt at the first site
    grep -q '^firefox:en-de' out
    cmp "$HOME/.cache/dragoman/models.tsv" before
}

@test "an empty list leaves the list as it was" {
    local date
    date=$(sed -n 's/^date\t//p' "$ROOT/hub/models.tsv")
    serve
    get --list en-de
    expect_status 0
    [[ $(sed -n 1p err) == "dragoman: the list is from $date ("*"; it could not be updated: $URL/v1/"*" has no models" ]]
    grep -q '^firefox:en-de' out
    serve_firefox en-de 1.0
    get --list en-de
    [[ $(sed -n 1p err) == "dragoman: the list is from $date ("*"; it could not be updated: $URL/argos/index.json has no models" ]]
    grep -q '^argos:en-de' out
    [[ ! -e $HOME/.cache/dragoman/models.tsv ]]
}

@test "get FROM-TO downloads the best model, and says which before" {
    local place=$HOME/.local/share/dragoman/models/firefox
    serve_both
    serve
    get en-de
    expect_status 0
    [[ $(<out) == firefox:en-de && -e $place/en-de/vocab.yml ]]
    [[ $(<err) == "dragoman: get: en-de: downloading firefox:en-de (Firefox tiny, "*" MB, MPL-2.0)" ]]
    rm -r "$place"
    get -q --from English --to de_AT
    expect_status 0
    expect_err
    [[ $(<out) == firefox:en-de && -e $place/en-de/vocab.yml ]]
    DRAGOMAN_MODEL='' dragoman info --from en --to de 2>/dev/null | grep -q '^model: '
}

@test "get FROM-TO takes two models if there is none for the pair" {
    serve_firefox ky-en 1.0
    serve_firefox en-is 1.0
    serve_both
    serve
    get ky-is
    expect_status 0
    [[ $(<out) == $'firefox:ky-en\nfirefox:en-is' ]]
    [[ $(<err) == "dragoman: get: ky-is: downloading firefox:ky-en ("*") and firefox:en-is ("*"), pivoting through English" ]]
    echo "One." >in
    DRAGOMAN_MODEL='' dragoman --from ky --to is in 2>err >/dev/null
    [[ $(sed -n 1p err) == "dragoman: using firefox:ky-en (Firefox) and firefox:en-is (Firefox), through English" ]]
    get --int8 en-is
    [[ $(<out) == "$HOME/.local/share/dragoman/models/firefox-en-is.safetensors" && -s $(<out) ]]
}

@test "get says what to do if no model translates between the languages" {
    serve_both
    serve
    local day
    day=$(date -u +%F)
    get --from fr --to tlh
    expect_status 1
    grep -qF "from $day " err || day=$(date -u +%F) # midnight has passed
    expect_err "dragoman: get: no model in the list from $day translates from fr into tlh; 'dragoman get --list --from fr' lists the models from fr"
}

@test "a pair without a model is answered with the command to type" {
    serve
    export HF_HUB_OFFLINE=1 DRAGOMAN_MODEL=''
    hide_embedded_models
    translate --from fr --to en <<<"Un."
    expect_status 1
    expect_err "dragoman: no model on this machine translates from fr into en: 'dragoman models' lists the models, 'dragoman get fr-en' downloads firefox:fr-en (37 MB), and -m takes any path"
    translate models --from French --to English
    expect_err "dragoman: no single model on this machine translates from French into English; 'dragoman get fr-en' downloads firefox:fr-en (37 MB)"
    translate --from fr --to tlh <<<"Un."
    expect_err "dragoman: no model on this machine translates from fr into tlh: 'dragoman models' lists the models, 'dragoman get' downloads one, and -m takes any path"
    [[ -z $(requests) ]]
}

@test "get answers one language and misspelled languages with the pair to type" {
    serve
    expect_usage_error "get: 'en-cn' is not a pair of languages (did you mean 'dragoman get en-zh'?)" get en-cn
    expect_usage_error "get: 'germn-english' is not a pair of languages (did you mean 'dragoman get de-en'?)" get germn-english
    get zh
    expect_status 2
    expect_err "dragoman: get: 'zh' is one language; name a pair, such as zh-en; from zh into en, bg, de, fi, he, it, ms, nl and 3 more; into zh from en; 'dragoman get --list --from zh' lists the models; try 'dragoman get --help'"
    for name in French pt-BR; do
        get $name
        expect_status 2
        grep -q "^dragoman: get: '$name' is one language; name a pair, such as " err
    done
    for name in en-us en-xx; do
        get $name
        expect_status 2
        grep -q "^dragoman: get: '$name' is one language, because '${name#en-}' is not the code of a language; name a pair, such as " err
    done
    get --list --from germn
    expect_status 2
    expect_err "dragoman: get: --from germn: unknown language (did you mean German (de)?)"
    get --from en --to frensh
    expect_err "dragoman: get: --to frensh: unknown language (did you mean French (fr)?)"
    run ! grep -v -e /v1/ -e index.json <(requests)
}

@test "get refuses operands and options that do not belong together" {
    local needs="get: needs the name of one model, such as ORG/NAME, or two languages, such as fr-en; 'dragoman get --list' lists models"
    expect_usage_error "$needs" get
    expect_usage_error "$needs" get --from fr
    expect_usage_error "$needs" get a/b c/d
    expect_usage_error "get: --list takes two languages, such as fr-en, or --from LANG and --to LANG, not 'a/b'" get --list a/b
    expect_usage_error "get: --list takes two languages, such as fr-en, or --from LANG and --to LANG, not 'xx-en'" get --list xx-en
    expect_usage_error "get: 'fr-en' and --from cannot be used together" get --list fr-en --from de
    expect_usage_error "get: 'a/b' and --to cannot be used together" get a/b --to de
    expect_usage_error "get: --format needs --list" get fr-en --format jsonl
}
