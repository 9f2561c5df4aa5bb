# shellcheck shell=bash
# models_on_disk.bash - lays out models as dragoman and other programs keep them. Load it after helper.

SMALL_MODEL=swish-opus # a model from English into German

# The folders of the places. `isolate` has set HOME to an empty folder.
own() { echo "$HOME/.local/share/dragoman/models"; }
hub() { echo "$HOME/.cache/huggingface/hub"; }
argos() { echo "$HOME/.local/share/argos-translate/packages"; }
locally() { echo "$HOME/.config/translateLocally"; }

golden() { echo "$GOLDEN_ROOT/marian/$SMALL_MODEL"; }

# model FOLDER [FROM TO]: a copy of a small model for a pair of languages.
model() {
    mkdir -p "$1"
    cp "$(golden)"/* "$1"
    [[ -z ${2-} ]] || sed -i "s/\"source_lang\": \"[a-z]*\"/\"source_lang\": \"$2\"/
        s/\"target_lang\": \"[a-z]*\"/\"target_lang\": \"$3\"/" "$1/tokenizer_config.json"
}

# hub_model ORG/NAME COMMIT FROM TO [REF]: a snapshot whose files are links to blobs, and a reference to it.
hub_model() {
    local folder
    folder=$(hub)/models--${1//\//--}
    mkdir -p "$folder"/{refs,"snapshots/$2"}
    model "$folder/blobs/$2" "$3" "$4"
    (cd "$folder/snapshots/$2" && ln -sf "../../blobs/$2"/* .)
    [[ -z ${5-} ]] || { mkdir -p "$(dirname "$folder/refs/$5")"; printf %s "$2" >"$folder/refs/$5"; }
}

# argos_model FOLDER FROM TO [VERSION]: an installed package.
argos_model() {
    local unpacked=$BATS_FILE_TMPDIR/unpacked
    [[ -e $unpacked ]] || python3 -m zipfile -e "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$unpacked"
    mkdir -p "$(argos)"
    cp -r "$unpacked/translate-en_de-1_0" "$(argos)/$1"
    printf '{"package_version":"%s","from_code":"%s","to_code":"%s"}' "${4-1.0}" "$2" "$3" >"$(argos)/$1/metadata.json"
}

# locally_model FOLDER SHORT-NAME: a model of translateLocally.
locally_model() {
    mkdir -p "$(locally)/$1"
    cp "$GOLDEN_ROOT"/marian_nmt/student/* "$(locally)/$1"
    printf '{"shortName":"%s","src":"French","trg":"English","version":1}' "$2" >"$(locally)/$1/model_info.json"
}

# chosen PATH... -- ARGUMENT...: the arguments choose these models, in this order. PATH is relative to HOME.
chosen() {
    local paths=()
    while [[ $1 != -- ]]; do paths+=("$HOME/$1"); shift; done
    shift
    translate info -q "$@"
    expect_status 0
    diff -u <(printf 'model: %s\n' "${paths[@]}") <(grep '^model: ' out)
}
