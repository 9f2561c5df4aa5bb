/* page_main.js - puts the page together. */
function fact(name, value) {
    return make("div", {}, make("dt", {}, name), make("dd", {}, value));
}

function head() {
    const { model, source, target, search } = TRACE;
    const stack = s => label("stack", s.layers, s.heads);
    const scores = target.forced ? [fact(label("target"), label("forced"))]
                                 : [fact(label("beam"), search.beams), fact(label("sum"), number(target.sum, 4)),
                                    fact(label("score"), number(target.score, 4))];
    const other = () => {
        language = language === "en" ? "zh" : "en";
        render();
    };
    return [make("div", { class: "top" }, make("h1", {}, label("title", model.name)),
                 make("button", { type: "button", lang: language === "en" ? "zh" : "en", onclick: other }, label("other"))),
            make("div", { class: "pair" }, make("p", {}, source.text), make("p", { class: "translation" }, target.text)),
            make("dl", { class: "facts" }, fact(label("family"), model.family),
                 fact(label("size"), model.d_model),
                 fact(label("encoder"), stack(model.encoder)),
                 fact(label("decoder"), `${stack(model.decoder)}${model.decoder_kind === "self-attention" ? "" : ", " + model.decoder_kind}`),
                 ...scores)];
}

function contents(sections) {
    const links = sections.map(s => make("li", {}, make("a", { href: "#" + s.id }, s.querySelector("h2").textContent)));
    return make("nav", { "aria-label": label("contents") }, make("ol", {}, ...links));
}

function render() {
    forgetPictures();
    document.documentElement.lang = language;
    document.title = label("title", TRACE.model.name);
    const sections = [tokenSection(), alignmentSection(), embeddingSection(), maskSection(), encoderSection(), pastSection(),
                      crossSection(), stepSection(), ...(TRACE.beam ? [beamSection()] : [])];
    document.getElementById("head").replaceChildren(...head(), contents(sections));
    document.getElementById("main").replaceChildren(...sections);
    document.getElementById("foot").replaceChildren(make("p", {}, label("foot", TRACE.program)));
}

render();
