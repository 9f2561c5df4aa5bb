#!/usr/bin/env bats
# Models by name: where names are looked up, and what is refused.

load helper
load models_on_disk

A=aaaaaaa1111111111111111111111111111111aa
B=aaaaaaa2222222222222222222222222222222bb

@test "an existing path comes before every name" {
    model fr-en fr en
    model "$(own)/fr-en" fr en
    translate info -q -m fr-en
    grep -qx 'model: fr-en' out
    translate info -q -m "$(own)/fr-en"
    grep -qx "model: $(own)/fr-en" out
}

@test "finds folders, packed models and packages in dragoman's own folder" {
    model "$(own)/folder"
    dragoman pack -q -m "$(golden)" -o "$FILES/packed.safetensors"
    mv packed.safetensors "$(own)/packed.safetensors"
    cp "$GOLDEN_ROOT/argos/translate-en_de.argosmodel" "$(own)/package.argosmodel"
    for name in folder packed package; do
        echo "One." | dragoman -m $name >got
        [[ -s got ]]
    done
    echo "One." | dragoman -m "$(golden)" >direct
    echo "One." | dragoman -m packed | cmp - direct
}

@test "finds a model of the Hugging Face cache by its name and revision" {
    local models=.cache/huggingface/hub/models--Org--fr-en
    hub_model Org/fr-en $A fr en main
    hub_model Org/fr-en $B fr en refs/pr/1
    chosen $models/snapshots/$A -- -m Org/fr-en
    chosen $models/snapshots/$A -- -m Org/fr-en@main
    chosen $models/snapshots/$B -- -m Org/fr-en@refs/pr/1
    chosen $models/snapshots/$B -- -m Org/fr-en@$B
    chosen $models/snapshots/$B -- -m Org/fr-en@${B:0:9}
    translate info -m Org/fr-en@${B:0:7}
    expect_status 2
    expect_err "dragoman: models--Org--fr-en: several snapshots begin with '${B:0:7}'; the snapshots are in $(hub)/models--Org--fr-en/snapshots"
    for revision in v1 ../x .. /etc a//b "$(printf 'a%.0s' {1..300})"; do
        translate info -m "Org/fr-en@$revision"
        expect_status 2
        grep -q "no snapshot for revision '" err
        [[ $(wc -l <err) == 1 ]]
    done
}

@test "finds a model of the hub without an organization, and a cache folder that is a path" {
    hub_model t5-tiny $A en de main
    chosen .cache/huggingface/hub/models--t5-tiny/snapshots/$A -- -m t5-tiny
    translate info -q -m "$(hub)/models--t5-tiny"
    expect_status 0
    grep -qx "model: $(hub)/models--t5-tiny/snapshots/$A" out
}

@test "several snapshots without refs/main are an error that lists them" {
    hub_model Org/fr-en $A fr en
    hub_model Org/fr-en $B fr en
    translate info -m Org/fr-en
    expect_status 2
    [[ $(wc -l <err) == 1 ]] && grep -q "$A" err && grep -q "$B" err
}

@test "finds packages of Argos Translate and models of Firefox and translateLocally" {
    argos_model translate-fr_en-1_9 fr en
    locally_model fr-en.tiny-1 fr-en-tiny
    mkdir -p "$(own)/firefox"
    cp -r "$GOLDEN_ROOT/marian_nmt/student" "$(own)/firefox/de-en"
    for name in argos:fr-en firefox:fr-en firefox:fr-en-tiny firefox:de-en; do
        translate info -q -m $name
        expect_status 0
    done
    chosen .config/translateLocally/fr-en.tiny-1/model.npz -- -m firefox:fr-en
}

@test "two models with one name in one place are listed, and the first place wins over others" {
    argos_model one fr en
    argos_model two fr en
    translate info -m argos:fr-en
    expect_status 2
    expect_err "dragoman: argos:fr-en: several models have this name: give the path of one: $(argos)/one, $(argos)/two"
    mkdir -p "$(own)/x"
    : >"$(own)/x.safetensors"
    translate info -m x
    expect_status 2
    expect_err "dragoman: x: several models have this name: give the path of one: $(own)/x, $(own)/x.safetensors"
    mkdir -p "$(own)/firefox"
    cp -r "$GOLDEN_ROOT/marian_nmt/student" "$(own)/firefox/fr-en"
    locally_model fr-en.tiny-1 fr-en-tiny
    chosen .local/share/dragoman/models/firefox/fr-en/model.npz -- -m firefox:fr-en
}

@test "the variables of the other programs move their folders" {
    hub_model Org/fr-en $A fr en main
    mv "$(hub)" "$FILES/elsewhere"
    HF_HUB_CACHE=$FILES/elsewhere translate info -q -m Org/fr-en
    expect_status 0
    mkdir -p "$FILES/hf"
    mv elsewhere hf/hub
    HF_HOME=$FILES/hf translate info -q -m Org/fr-en
    expect_status 0
    HF_HOME='' translate info -q -m Org/fr-en
    expect_status 1
    argos_model one fr en
    mv "$(argos)" "$FILES/packages"
    ARGOS_PACKAGES_DIR=$FILES/packages translate info -q -m argos:fr-en
    expect_status 0
    model "$FILES/data/dragoman/models/mine"
    XDG_DATA_HOME=$FILES/data translate info -q -m mine
    expect_status 0
    XDG_DATA_HOME=data translate info -q -m mine # must be absolute
    expect_status 1
}

@test "a folder with the name of the organization does not hide the cache" {
    hub_model Org/fr-en $A fr en main
    mkdir Org
    chosen .cache/huggingface/hub/models--Org--fr-en/snapshots/$A -- -m Org/fr-en
    translate info -m Org/other
    expect_status 1
    expect_err "dragoman: Org/other: No such file or directory"
}

@test "a plain file among the snapshots is no snapshot" {
    hub_model Org/fr-en $A fr en
    for i in {1..9}; do : >"$(hub)/models--Org--fr-en/snapshots/${A:0:8}$i"; done
    chosen .cache/huggingface/hub/models--Org--fr-en/snapshots/$A -- -m Org/fr-en@${A:0:8}
}

@test "names in an ensemble are looked up one by one" {
    model "$(own)/one"
    hub_model Org/two $A en de main
    echo "One." | dragoman -m one,Org/two >got
    echo "One." | dragoman -m "$(golden),$(golden)" | cmp - got
}

@test "a name without its organization is enough if no other model has it" {
    hub_model Org/de-fr $A de fr main
    dragoman info -m de-fr | cmp - <(dragoman info -m Org/de-fr)
    hub_model Other/de-fr $A de fr main
    translate info -m de-fr
    expect_status 2
    grep -q '^dragoman: de-fr: several models have this name: give the path of one: .*/.*models--Org--de-fr.*, .*models--Other--de-fr' err
    model "$(own)/de-fr" de fr
    dragoman info -m de-fr | cmp - <(dragoman info -m "$(own)/de-fr")
}

@test "unknown and hostile names give one line" {
    local name
    model "$(own)/fr-en" fr en
    translate info -m fr-em
    expect_status 1
    expect_err "dragoman: fr-em: no such folder, file or model (did you mean fr-en?)"
    translate info -m en-uk # not fr-en, and not en-de
    expect_status 1
    expect_err "dragoman: en-uk: no such folder, file or model; 'dragoman get en-uk' downloads firefox:en-uk (36 MB)"
    translate info -m opus-mt-en-uk
    expect_err "dragoman: opus-mt-en-uk: no such folder, and no such model on this machine; 'dragoman get Helsinki-NLP/opus-mt-en-uk' downloads it"
    hub_model Org/opus-mt-en-uk $A en uk main
    translate info -m en-uk
    expect_err "dragoman: en-uk: no such folder, file or model (did you mean Org/opus-mt-en-uk?)"
    for name in argos: argos:../../x-y firefox:x,y-z; do
        translate info -m "$name"
        run ! grep -q 'dragoman get' err
    done
    for name in argos:xx-yy firefox:xx-yy Org/missing Org/missing@main; do
        translate info -m $name
        expect_status 1
        expect_err "dragoman: $name: no such folder, and no such model on this machine; 'dragoman get $name' downloads it"
    done
    for name in ../x a//b /a@b argos: firefox:../.. 'x y' $'a\nb' 'models--a--b' "$(printf 'x%.0s' {1..5000})" @ a@ ',' a,,b; do
        translate info -m "$name"
        [[ $status == 1 || $status == 2 ]]
        [[ $(wc -l <err) == 1 ]]
    done
}

@test "a model that \$DRAGOMAN_MODEL or the configuration names is not there" {
    DRAGOMAN_MODEL=/nope translate <<<"One."
    expect_status 1
    expect_err "dragoman: /nope: No such file or directory; the name comes from \$DRAGOMAN_MODEL"
    mkdir -p "$HOME/.config/dragoman"
    echo "model = /nope" >"$HOME/.config/dragoman/config"
    DRAGOMAN_MODEL='' translate <<<"One."
    expect_err "dragoman: /nope: No such file or directory; the name comes from $HOME/.config/dragoman/config"
    translate -m /nope <<<"One."
    expect_err "dragoman: /nope: No such file or directory"
}

@test "works without a home folder" {
    echo "One." | env -u HOME "$DRAGOMAN" -m "$MODEL" | cmp - <(echo "One." | dragoman -m "$MODEL")
    env -u HOME "$DRAGOMAN" models >out
    run -1 --separate-stderr env -u HOME "$DRAGOMAN" info -m nowhere
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == "dragoman: nowhere: no such folder, file or model; 'dragoman models' lists the models on this machine" ]]
}

@test "no model is looked up by name in a run with paths alone" {
    command -v strace >/dev/null || skip "no strace"
    echo "One." | strace -f -e trace=openat -o trace "$DRAGOMAN" -m "$MODEL" >/dev/null || skip "strace may not trace"
    run ! grep -E 'huggingface|argos-translate|translateLocally' trace
}
