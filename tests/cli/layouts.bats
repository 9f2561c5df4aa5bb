#!/usr/bin/env bats
# A table of layouts on disk and the model that each one gives.
# shellcheck disable=SC2016 # the steps are expanded by layout

load helper
load models_on_disk

A=aaaaaaa1111111111111111111111111111111aa
B=bbbbbbb2222222222222222222222222222222bb

# layout "STEPS" "ARGUMENTS" RESULT: after the steps, the arguments of `info` choose the model at RESULT, a path below
# HOME or FILES (several paths: a pipeline), or end with a message that contains RESULT after "!".
layout() {
    local steps=$1 arguments=$2 result=$3
    number=$((number + 1))
    rm -rf "${BATS_TEST_TMPDIR:?}/home" "${BATS_TEST_TMPDIR:?}/files"
    mkdir -p "$HOME" "$FILES"
    cd "$FILES" || return
    eval "$steps"
    # shellcheck disable=SC2086
    translate info -q $arguments </dev/null
    if [[ $result == !* ]]; then
        [[ $status != 0 && $(wc -l <err) == 1 && $(<err) == *"${result#!}"* ]] && return
    else
        local line models=''
        while IFS= read -r line; do
            [[ $line != 'model: '* ]] || { line=${line#model: }; line=${line#"$HOME/"}; models+=" ${line#"$FILES/"}"; }
        done <out
        [[ $models == " $result" ]] && return
        echo "chosen:$models"
    fi
    echo "layout $number: $steps: info $arguments: not $result"
    cat err
    return 1
}

@test "layouts on disk and the model chosen" {
    local number=0 data=.local/share/dragoman/models cache=.cache/huggingface/hub packages=.local/share/argos-translate/packages
    unset DRAGOMAN_MODEL

    # Paths.
    layout 'model fr-en' '-m fr-en' fr-en
    layout 'model sub/fr-en' '-m sub/fr-en' sub/fr-en
    layout 'model fr-en; model "$(own)/fr-en"' '-m fr-en' fr-en
    layout 'model Org/fr-en; hub_model Org/fr-en $A fr en main' '-m Org/fr-en' Org/fr-en
    layout 'model fr-en; mkdir -p "$HOME/.config/dragoman"; echo "alias fr-en = /nowhere" >"$HOME/.config/dragoman/config"' '-m fr-en' fr-en
    layout 'hub_model Org/fr-en $A fr en main' "-m $HOME/$cache/models--Org--fr-en" "$cache/models--Org--fr-en/snapshots/$A"
    layout 'hub_model Org/fr-en $A fr en main' "-m $HOME/$cache/models--Org--fr-en/snapshots/$A" "$cache/models--Org--fr-en/snapshots/$A"

    # Names.
    layout 'model "$(own)/fr-en"' '-m fr-en' $data/fr-en
    layout 'model "$(own)/fr-en"; hub_model fr-en $A fr en main' '-m fr-en' $data/fr-en
    layout 'mkdir -p "$(own)"; dragoman pack -q -m "$(golden)" -o "$(own)/fr-en.safetensors"' '-m fr-en' $data/fr-en.safetensors
    layout 'model "$(own)/fr-en"; : >"$(own)/fr-en.safetensors"' '-m fr-en' '!several models have this name'
    layout 'hub_model Org/fr-en $A fr en main' '-m Org/fr-en' "$cache/models--Org--fr-en/snapshots/$A"
    layout 'hub_model Org/fr-en $A fr en' '-m Org/fr-en' "$cache/models--Org--fr-en/snapshots/$A"
    layout 'hub_model Org/fr-en $A fr en main; hub_model Org/fr-en $B fr en' '-m Org/fr-en' "$cache/models--Org--fr-en/snapshots/$A"
    layout 'hub_model Org/fr-en $A fr en; hub_model Org/fr-en $B fr en' '-m Org/fr-en' '!has several snapshots'
    layout 'hub_model Org/fr-en $A fr en main; hub_model Org/fr-en $B fr en v2' '-m Org/fr-en@v2' "$cache/models--Org--fr-en/snapshots/$B"
    layout 'hub_model Org/fr-en $A fr en main' "-m Org/fr-en@$A" "$cache/models--Org--fr-en/snapshots/$A"
    layout 'hub_model Org/fr-en $A fr en main' '-m Org/fr-en@v9' "!no snapshot for revision 'v9'"
    layout 'mkdir -p "$(hub)/models--Org--fr-en/blobs"' '-m Org/fr-en' "!'dragoman get Org/fr-en' downloads it"
    layout 'mkdir -p "$(hub)/models--Org--fr-en/snapshots"' '-m Org/fr-en' '!has no snapshot: is the download complete?'
    layout 'argos_model one fr en' '-m argos:fr-en' $packages/one/model
    layout 'argos_model one fr en; argos_model two fr en' '-m argos:fr-en' '!several models have this name'
    layout 'argos_model a fr en 1.9; argos_model b fr en 1.10; argos_model c fr en' '-m argos:fr-en' $packages/b/model
    layout 'argos_model a fr en 1.9; argos_model b fr en 1.10; argos_model c fr en 1.10' '-m argos:fr-en' "!several models have this name: give the path of one: $HOME/$packages/b, $HOME/$packages/c"
    layout 'argos_model a fr en 1.9; argos_model b fr en 1.10' '--from fr --to en' $packages/b/model
    layout 'argos_model one fr en' '-m argos:en-fr' "!'dragoman get argos:en-fr' downloads it"
    layout 'locally_model one fr-en-tiny' '-m firefox:fr-en' .config/translateLocally/one/model.npz
    layout 'locally_model one fr-en-tiny; locally_model two fr-en-base' '-m firefox:fr-en' '!several models have this name'
    layout 'locally_model one fr-en-tiny; locally_model two fr-en-base' '-m firefox:fr-en-base' .config/translateLocally/two/model.npz

    # Aliases and the configuration.
    layout 'model "$HOME/m"; mkdir -p "$HOME/.config/dragoman"; echo "alias x = ~/m" >"$HOME/.config/dragoman/config"' '-m x' m
    layout 'model "$HOME/m"; model "$(own)/x"; mkdir -p "$HOME/.config/dragoman"; echo "alias x = ~/m" >"$HOME/.config/dragoman/config"' '-m x' m
    layout 'model "$HOME/m"; mkdir -p "$HOME/.config/dragoman"; echo "model = ~/m" >"$HOME/.config/dragoman/config"' '' m
    layout 'model "$HOME/m"; mkdir -p "$HOME/.config/dragoman"; echo "model = ~/m" >"$HOME/.config/dragoman/config"; hub_model Org/fr-en $A fr en main' '-m Org/fr-en' "$cache/models--Org--fr-en/snapshots/$A"

    # Languages.
    layout 'hub_model Org/a $A fr en main; hub_model Org/b $A en fr main' '--from fr --to en' "$cache/models--Org--a/snapshots/$A"
    layout 'hub_model Org/a $A fr en main; argos_model one fr en' '--from fr --to en' "$cache/models--Org--a/snapshots/$A"
    layout 'cp -r "$GOLDEN_ROOT/families/m2m100-relu" m; mkdir -p "$(own)"; mv m "$(own)/m"; argos_model one fr en' '--from fr --to en' $packages/one/model
    layout 'cp -r "$GOLDEN_ROOT/families/m2m100-relu" m; mkdir -p "$(own)"; mv m "$(own)/m"; argos_model one fr en' '--from fr --to ja' $data/m
    layout 'hub_model Org/a $A fr en main; hub_model Org/b $A en ja main' '--from fr --to ja' "$cache/models--Org--a/snapshots/$A $cache/models--Org--b/snapshots/$A"
    layout 'hub_model Org/a $A fr de main; hub_model Org/b $A de ja main' '--from fr --to ja' '!no model on this machine translates from fr into ja'
    layout 'locally_model one fr-en-tiny' '--from fr --to en' .config/translateLocally/one/model.npz
    layout 'model "$(own)/opus-fr-en"; jq "del(.source_lang, .target_lang)" "$(golden)/tokenizer_config.json" >"$(own)/opus-fr-en/tokenizer_config.json"' '--from fr --to en' $data/opus-fr-en

    layout 'argos_model one zt en' '--from zh_TW --to en' $packages/one/model
    layout 'argos_model one en pb' '--from en --to pt_BR' $packages/one/model
    layout 'mkdir -p "$(own)/firefox"; cp -r "$GOLDEN_ROOT/marian_nmt/student" "$(own)/firefox/en-zh_hant"' '--from en --to zh_Hant' $data/firefox/en-zh_hant/model.npz
    layout 'hub_model Org/a $A fr en main; rm "$(hub)"/models--Org--a/snapshots/$A/*.safetensors; hub_model Org/b $A fr en main' '--from fr --to en' "$cache/models--Org--b/snapshots/$A"
    layout 'mkdir -p "$(own)"; dragoman pack -q -m "$(golden)" -o "$(own)/x-fr-ja.safetensors"; argos_model one fr ja' '--from fr --to ja' $packages/one/model
    layout 'mkdir -p "$(own)"; cp -r "$GOLDEN_ROOT/families/m2m100-relu" "$(own)/finetuned-fr-en"' '--from fr --to ja' $data/finetuned-fr-en
    layout 'mkdir -p "$(own)"; cp -r "$GOLDEN_ROOT/marian/mish-languages" "$(own)/m"' '--from en --to nld' $data/m
    layout 'model m; mkdir -p "$HOME/.config/dragoman"; echo "model = m" >"$HOME/.config/dragoman/config"' '' '!m (in the configuration): no such model'
    layout 'mkdir -p "$HOME/.config/dragoman"; model "$HOME/.config/dragoman/m"; echo "model = ./m" >"$HOME/.config/dragoman/config"' '' .config/dragoman/./m

    echo "$number layouts"
    [[ $number -ge 45 ]]
}
