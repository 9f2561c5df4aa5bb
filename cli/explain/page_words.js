/* page_words.js - tokens, alignment, embeddings, masks and decoder steps. */

/* Byte ranges are those of UTF-8. */
function textAt(text, [begin, end]) {
    return new TextDecoder().decode(new TextEncoder().encode(text).slice(begin, end));
}

function tokenList(name, part, tokens, ids, ranges) {
    const items = tokens.map((token, i) => {
        const range = ranges ? ranges[i] : null, special = range ? range[0] === range[1] : i === 0;
        const unknown = range && range[0] < range[1] && /^<unk>$/i.test(token);
        const title = unknown ? label("unknown", textAt(part.text, range))
                              : range ? label("tokenAt", ids[i], ...range) : "";
        return make("li", { class: unknown ? "unknown" : special ? "special" : null, title },
                    shown(token), make("span", { class: "id number" }, ids[i]), ...(unknown ? [title] : []));
    });
    return [make("h3", {}, name), make("ol", { class: "tokens" }, ...items)];
}

function tokenSection() {
    const { source, target } = TRACE;
    return section("tokens", label("tokens"), label("tokensAbout"), {},
                   [["tokenizer/tokenizer_encode.c", "tokenizer_encode"], ["tokenizer/tokenizer.c", "tokenizer_decode"]],
                   ...tokenList(label("source"), source, source.tokens, source.ids, source.ranges),
                   ...tokenList(label("input"), target, target.input_tokens, target.input_ids, null),
                   ...tokenList(label("target"), target, target.tokens, target.ids, target.ranges));
}

/* --- Alignment --- */

const LEAST_RIBBON = 0.05;

function ribbonParts() {
    const { source, target, alignment } = TRACE, S = source.ids.length, T = target.ids.length;
    const height = Math.max(S, T) * 26, w = slice(alignment.weights, 0, T, S);
    const y = (i, count) => (i + 0.5) * height / count;
    const paths = [];

    for (let t = 0; t < T; t++)
        for (let s = 0; s < S; s++) {
            const weight = w.at(t, s), a = y(s, S), b = y(t, T);
            if (weight < LEAST_RIBBON) continue;
            const path = draw("path", { d: `M130 ${a} C180 ${a} 180 ${b} 230 ${b}`, "stroke-width": 1 + 9 * weight });
            path.style.opacity = 0.2 + 0.55 * weight;
            paths.push({ path, s, t, weight });
        }
    const names = (tokens, x, anchor) => tokens.map((token, i) =>
        draw("text", { x, y: y(i, tokens.length), "text-anchor": anchor, "dominant-baseline": "central", role: "button",
                       "aria-label": shown(token) }, shortened(token, 15)));
    return { height, paths, sources: names(source.tokens, 124, "end"), targets: names(target.tokens, 236, "start") };
}

function ribbons() {
    const { height, paths, sources, targets } = ribbonParts();
    const texts = [...sources, ...targets], S = sources.length;
    const readout = make("p", { class: "readout", "aria-live": "polite" });
    const svg = draw("svg", { class: "ribbons", viewBox: `0 0 360 ${height}`, role: "group", "aria-label": label("alignment") },
                     ...paths.map(p => p.path), ...texts);
    const choose = i => {
        const own = paths.filter(p => (i < S ? p.s === i : p.t === i - S));
        const words = i < S ? TRACE.target.tokens : TRACE.source.tokens;
        const list = own.sort((a, b) => b.weight - a.weight).map(p => `${shown(words[i < S ? p.t : p.s])} ${number(p.weight, 5)}`);
        paths.forEach(p => p.path.classList.toggle("on", own.includes(p)));
        texts.forEach((text, k) => text.classList.toggle("on", k === i));
        svg.classList.add("chosen");
        readout.textContent = label("weights", texts[i].getAttribute("aria-label"), list.join(", ") || label("nothing"));
    };
    const move = (key, i) => ({ ArrowDown: i + 1, ArrowUp: i - 1, ArrowRight: i < S ? S : undefined,
                                ArrowLeft: i < S ? undefined : 0, Home: 0, End: texts.length - 1 })[key];
    rove(texts, move, choose);
    texts.forEach((text, i) => text.addEventListener("pointerenter", () => choose(i)));
    texts.forEach(text => text.addEventListener("click", () => text.focus()));
    return make("div", { class: "wide" }, svg, make("div", { class: "detail" }, readout, alignmentMap()));
}

/* The same weights as numbers. */
function alignmentMap() {
    const { source, target, alignment } = TRACE, S = source.tokens.length, T = target.tokens.length;

    return attentionMap(slice(alignment.weights, 0, T, S), { rowNames: target.tokens, columnNames: source.tokens, room: Math.min(760, Math.max(420, innerWidth - 700)) }, label("alignment"));
}

function alignmentSection() {
    const { heads, shift } = TRACE.alignment;
    const which = heads.length === 1 ? label("heads", heads[0][0] + 1, heads[0][1] + 1)
                                     : label("headsAll", heads.length, heads[0][0] + 1);
    return section("alignment", label("alignment"), label("alignmentAbout", which),
                   { formulas: [`<i>H</i> = {${heads.map(([layer, head]) => label("heads", layer + 1, head + 1)).join("; ")}}`,
                    `<i>a</i><sub><i>ts</i></sub> = (1 / |<i>H</i>|) Σ<sub><i>h</i> ∈ <i>H</i></sub> cross<sub><i>h</i></sub>(<i>t</i>${shift ? " + 1" : ""}, <i>s</i>)`],
                     symbols: [["symHeads", "<i>H</i>"], ["symWeight", "<i>a</i><sub><i>ts</i></sub>"],
                               ["symCrossHead", "cross<sub><i>h</i></sub>"], ["symTarget", "<i>t</i>"], ["symSource", "<i>s</i>"]] },
                   [["model/run/attention_choice.c", "attention_choice_copy"], ["translator/tracing.c", "read_result"]],
                   ribbons());
}

/* --- Embeddings --- */

/* Pixels for the cells of a map: on a wide screen, those of the source and of the decoder are side by side. */
function embeddingRoom() {
    const width = Math.min(innerWidth, 1640), columns = width >= 1400 ? 2 : 1;
    return Math.min(920, width / columns - 190);
}

function embeddingMap(name, tokens, at, most, digits) {
    const d = TRACE.model.d_model;
    return make("div", { class: "figure" }, make("h3", {}, name), legend(most, 1),
                heatMap({ name, rows: tokens.length, columns: d, most, at, rowNames: tokens, columnNames: null,
                          cell: [Math.max(1, Math.min(12, embeddingRoom() / d)), 14],
                          tell: (r, c) => label("value", shown(tokens[r]), label("dimension", c), number(at(r, c), digits)) }));
}

function embeddingMaps(title, tokens, { token, position }) {
    const d = TRACE.model.d_model, digits = 5;
    const a = slice(token, 0, tokens.length, d).at, b = slice(position, 0, tokens.length, d).at;
    const largest = t => t.values.reduce((most, v) => Math.max(most, Math.abs(v)), 0) * t.unit;
    const most = Math.max(largest(token), largest(position)) + 1e-9, has = TRACE.model.positions !== "none";
    const maps = [embeddingMap(label("embeddingMap", title, label("embeddingToken")), tokens, a, most, digits)];

    if (!has) return maps;
    maps.push(embeddingMap(label("embeddingMap", title, label("embeddingPosition")), tokens, b, most, digits));
    maps.push(embeddingMap(label("embeddingMap", title, label("embeddingSum")), tokens, (r, c) => a(r, c) + b(r, c),
                           most, digits));
    return maps;
}

function positionFormula() {
    const { positions, embedding_scale: scale, d_model: d } = TRACE.model;
    const is_root = scale !== 1 && Math.abs(scale * scale - d) < 0.01, root = "√<i>d</i>";
    const factor = scale === 1 ? "" : `${is_root ? root : +scale.toFixed(3)} · `;
    const sum = `<i>x</i><sub><i>i</i></sub> = ${factor}<i>E</i>[<i>id</i><sub><i>i</i></sub>]${positions === "none" ? "" : " + <i>P</i>[<i>i</i>]"}${is_root ? `,  ${root} = √${d} = ${+scale.toFixed(3)}` : ""}`;
    const symbols = [["symInput", "<i>x</i><sub><i>i</i></sub>"], ["symEmbedding", "<i>E</i>"],
                     ["symId", "<i>id</i><sub><i>i</i></sub>"], ["symPosition", "<i>P</i>[<i>i</i>]"],
                     ["symFrequency", "ω<sub><i>k</i></sub>"], ["symSize", "√<i>d</i>", "<i>d</i>"]];
    const waves = "<i>P</i>[<i>i</i>] = sin(<i>i</i> ω<sub><i>k</i></sub>), cos(<i>i</i> ω<sub><i>k</i></sub>),  ω<sub><i>k</i></sub> ≈ 10000<sup>−2<i>k</i>/<i>d</i></sup>";
    return { formulas: positions === "sinusoidal" ? [sum, waves] : [sum], symbols };
}

function embeddingSection() {
    const { model, source, target, embeddings } = TRACE;
    const notes = model.relative_bias ? label("positionBias") : model.positions === "none" ? label("positionNone") : "";
    return section("embedding", label("embedding"), `${label("embeddingAbout", model.d_model)} ${notes}`, positionFormula(),
                   [["model/run/layers.c", "layers_embed"], ["model/run/layers.c", "layers_position"]],
                   make("p", { class: "soft" }, label("hint")),
                   make("div", { class: "sides" },
                        make("div", {}, ...embeddingMaps(label("source"), source.tokens, embeddings.source)),
                        make("div", {}, ...embeddingMaps(label("input"), target.input_tokens, embeddings.target))));
}

/* --- Masks --- */

function mask(name, rowNames, columnNames, at) {
    const size = Math.max(8, Math.min(16, Math.floor(230 / columnNames.length)));
    return make("div", { class: "figure" }, make("h3", {}, name),
                heatMap({ name, rows: rowNames.length, columns: columnNames.length, most: 1, at, rowNames, columnNames,
                          cell: [size, size],
                          tell: (r, c) => label("value", shown(rowNames[r]), shown(columnNames[c]),
                                                label(at(r, c) ? "visible" : "hidden")) }));
}

function maskSection() {
    const source = TRACE.source.tokens, target = TRACE.target.input_tokens;
    return section("masks", label("masks"), label("masksAbout"),
                   { formulas: ["<i>M</i><sub><i>ij</i></sub> = 0 (<i>j</i> ≤ <i>i</i>),  −∞ (<i>j</i> &gt; <i>i</i>)"],
                     symbols: [["symMask", "<i>M</i><sub><i>ij</i></sub>"], ["symNever", "−∞"]] },
                   [["model/run/kv_cache.c", "kv_cache_self_rows"], ["model/run/encoder.c", "encoder_run"]],
                   make("div", { class: "wide" },
                        mask(label("maskEncoder"), source, source, () => 1),
                        mask(label("maskDecoder"), target, target, (r, c) => c <= r ? 1 : 0),
                        mask(label("maskCross"), target, source, () => 1)));
}

/* --- Steps --- */

function bar(probability) {
    const inner = make("span");
    inner.style.width = `${100 * probability}%`;
    return make("div", { class: "bar", "aria-hidden": "true" }, inner);
}

function candidateRow(token, chosen) {
    return make("div", { class: chosen ? "row chosen" : "row" },
                make("span", { class: "word", title: `id ${token.id}` }, shown(token.token)), bar(token.probability),
                make("span", { class: "number right" }, number(token.probability, 6)),
                make("span", { class: "number right" }, number(token.logprob, 4)));
}

function stepDetails(step, i) {
    const known = step.probability !== undefined, rows = step.best.map(token => candidateRow(token, token.id === step.id));
    if (!step.best.some(token => token.id === step.id))
        rows.push(make("p", { class: "soft" }, label("otherToken", step.best.length)),
                  ...(known ? [candidateRow(step, true)] : []));
    const headings = ["token", "", "probability", "sum"].map((key, k) => make("span", { class: k > 1 ? "right" : null }, key && label(key)));
    rows.unshift(make("div", { class: "row soft" }, ...headings));
    return make("details", { open: i === 0 },
                make("summary", {}, make("span", { class: "step" }, i + 1), make("span", { class: "word" }, shown(step.token)),
                     bar(known ? step.probability : 0),
                     make("span", { class: "number right" }, known ? number(step.probability, 4) : label("unknownProbability"))),
                make("div", { class: "candidates" }, ...rows));
}

function stepSection() {
    const all = TRACE.steps.map(stepDetails);
    const toggle = open => () => all.forEach(details => { details.open = open; });
    return section("steps", label("steps"), label("stepsAbout"),
                   { formulas: ["<i>z</i> = <i>W</i> <i>h</i><sub><i>t</i></sub> + <i>b</i>,  <i>p</i>(<i>y</i><sub><i>t</i></sub> | <i>y</i><sub>&lt;t</sub>, <i>x</i>) = softmax(<i>z</i>)",
                                "log <i>p</i> = <i>z</i> − log Σ<sub><i>v</i></sub> exp(<i>z</i><sub><i>v</i></sub>)"],
                     symbols: [["symLogits", "<i>z</i><sub><i>v</i></sub>", "<i>z</i>"], ["symOutput", "<i>W</i>", "<i>b</i>"],
                               ["symState", "<i>h</i><sub><i>t</i></sub>"], ["symNext", "<i>y</i><sub><i>t</i></sub>"],
                               ["symBefore", "<i>y</i><sub>&lt;t</sub>"], ["symText", "<i>x</i>"],
                               ["symProbability", "<i>p</i>"], ["symSoftmaxWords", "softmax"]] },
                   [["model/run/decoder.c", "decoder_step"], ["model/run/decoder.c", "decoder_logits"],
                    ["model/run/trace.c", "trace_take_logits"]],
                   make("p", {}, make("button", { type: "button", onclick: toggle(true) }, label("openAll")), " ",
                        make("button", { type: "button", onclick: toggle(false) }, label("closeAll"))), ...all);
}
