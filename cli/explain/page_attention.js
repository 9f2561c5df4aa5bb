/* page_attention.js - all layers and heads of an attention: small maps to choose from, and the chosen one with names. */

/* data: tensor [layers, heads, rows, columns], rowNames, columnNames; `flat` if the layers have no heads. */
function attention(data) {
    const [layers, heads, rows, columns] = data.tensor.shape;
    const detail = make("div", { class: "detail" }), buttons = [];
    const plane = i => slice(data.tensor, i * rows * columns, rows, columns);
    const nameOf = i => data.flat ? label("onlyLayer", i + 1) : label("layerHead", Math.floor(i / heads) + 1, i % heads + 1);
    const choose = i => {
        buttons.forEach((button, k) => button.setAttribute("aria-checked", k === i));
        detail.replaceChildren(make("h3", {}, nameOf(i)), attentionMap(plane(i), data, nameOf(i)));
    };

    for (let i = 0; i < layers * heads; i++) buttons.push(thumb(plane(i), nameOf(i)));
    rove(buttons, gridMove(heads, layers * heads), choose);
    buttons.forEach((button, i) => button.addEventListener("click", () => { button.focus(); choose(i); }));
    choose(data.first || 0);
    return [make("div", { class: "wide" }, make("div", {}, scrollBox({}, thumbGrid(buttons, layers, heads, data)), legend(1)), detail)];
}

function thumb(cells, name) {
    const canvas = make("canvas");
    const paint = () => paintCells(canvas, cells);
    whenSeen(canvas, () => { redraws.push({ canvas, paint }); paint(); });
    return make("button", { class: "thumb", type: "button", role: "radio", "aria-label": name, title: name }, canvas);
}

function thumbGrid(buttons, layers, heads, data) {
    const grid = make("div", { class: "grid", role: "radiogroup", "aria-label": data.name });
    grid.style.gridTemplateColumns = `repeat(${heads + 1}, auto)`;
    grid.append(make("span"));
    for (let h = 0; h < heads; h++) grid.append(make("span", { class: "axis" }, data.flat ? "" : label("head", h + 1)));
    for (let l = 0; l < layers; l++)
        grid.append(make("span", { class: "axis" }, label("layer", l + 1)), ...buttons.slice(l * heads, (l + 1) * heads));
    return grid;
}

function attentionMap(cells, data, name) {
    const size = Math.max(12, Math.min(26, Math.floor((data.room || Math.min(760, innerWidth - 520)) / Math.max(cells.rows, cells.columns))));
    return heatMap({ ...cells, name, rowNames: data.rowNames, columnNames: data.columnNames, cell: [size, size],
                     tell: (r, c) => label("value", shown(data.rowNames[r]), shown(data.columnNames[c]), number(cells.at(r, c), 5)) });
}

/* --- Formulas --- */

function scoreFormula() {
    const { score, score_scale: scale, relative_bias: biased } = TRACE.model;
    const bias = biased ? " + <i>B</i>" : "";
    const scores = { scaled_dot: scale === 1 ? "<i>Q</i><i>K</i><sup>⊤</sup>" : "<i>Q</i><i>K</i><sup>⊤</sup> / √<i>d</i><sub><i>k</i></sub>",
                     dot: "<i>Q</i><i>K</i><sup>⊤</sup>", general: "<i>Q</i><i>W</i><i>K</i><sup>⊤</sup>",
                     additive: "<i>v</i>·tanh(<i>W</i>[<i>Q</i>; <i>K</i>])", location: "<i>W</i><i>Q</i>" };
    return `head = softmax(${scores[score]}${bias}) <i>V</i>`;
}

function residualFormula(part) {
    return TRACE.model.pre_norm ? `<i>x</i> ← <i>x</i> + ${part}(norm(<i>x</i>))` : `<i>x</i> ← norm(<i>x</i> + ${part}(<i>x</i>))`;
}

/* The symbols of an attention; those of its scores differ from model to model. */
const ATTENTION_SYMBOLS = [
    ["symHidden", "<i>x</i>"], ["symEncoded", "<i>e</i>"], ["symQuery", "<i>Q</i>"], ["symKey", "<i>K</i>"], ["symValue", "<i>V</i>"],
    ["symProjection", "<i>W</i><sub>Q</sub>", "<i>W</i><sub>K</sub>", "<i>W</i><sub>V</sub>"],
    ["symScore", "<i>W</i>", "<i>v</i>"], ["symHeadSize", "√<i>d</i><sub><i>k</i></sub>"], ["symTransposed", "<sup>⊤</sup>"],
    ["symBias", "<i>B</i>"], ["symSoftmax", "softmax"], ["symHead", "head"], ["symAttention", "attention"],
    ["symFeedForward", "feed-forward"], ["symNorm", "norm"], ["symBecomes", "←"],
];

const PROJECTIONS = "<i>Q</i> = <i>x</i><i>W</i><sub>Q</sub>,  <i>K</i> = <i>x</i><i>W</i><sub>K</sub>,  <i>V</i> = <i>x</i><i>W</i><sub>V</sub>";
const CROSS_PROJECTIONS = "<i>Q</i> = <i>x</i><i>W</i><sub>Q</sub>,  <i>K</i> = <i>e</i><i>W</i><sub>K</sub>,  <i>V</i> = <i>e</i><i>W</i><sub>V</sub>";

function encoderSection() {
    const tokens = TRACE.source.tokens;
    return section("encoder", label("encoderSelf"), label("encoderSelfAbout"),
                   { formulas: [PROJECTIONS, scoreFormula(), residualFormula("attention"), residualFormula("feed-forward")],
                     symbols: ATTENTION_SYMBOLS },
                   [["model/run/encoder.c", "attend_part"], ["kernels/attention.c", "attention_run"],
                    ["model/run/layers.c", "layers_feed_forward"]],
                   ...attention({ name: label("encoderSelf"), tensor: TRACE.encoder_self_attention, rowNames: tokens,
                                  columnNames: tokens, first: 0 }));
}

const PAST = {
    "self-attention": { key: "decoderSelf", source: ["model/run/decoder.c", "self_attention"],
                        formulas: () => [PROJECTIONS, scoreFormula(), residualFormula("attention")], symbols: ATTENTION_SYMBOLS },
    SSRU: { key: "ssru", source: ["model/run/decoder.c", "ssru"],
            formulas: () => ["<i>f</i><sub><i>t</i></sub> = σ(<i>W</i><sub><i>f</i></sub><i>x</i><sub><i>t</i></sub> + <i>b</i><sub><i>f</i></sub>)",
                             "<i>c</i><sub><i>t</i></sub> = <i>f</i><sub><i>t</i></sub> ⊙ <i>c</i><sub>t−1</sub> + (1 − <i>f</i><sub><i>t</i></sub>) ⊙ <i>W</i><i>x</i><sub><i>t</i></sub>,  <i>h</i><sub><i>t</i></sub> = relu(<i>c</i><sub><i>t</i></sub>)",
                             "share(<i>t</i>, <i>j</i>) = mean<sub><i>d</i></sub>((1 − <i>f</i><sub><i>j</i></sub>) <i>f</i><sub>j+1</sub> ⋯ <i>f</i><sub><i>t</i></sub>)"],
            symbols: [["symStepInput", "<i>x</i><sub><i>t</i></sub>"], ["symForget", "<i>f</i><sub><i>t</i></sub>", "<i>f</i><sub><i>j</i></sub>", "<i>f</i><sub>j+1</sub>"],
                      ["symCell", "<i>c</i><sub><i>t</i></sub>", "<i>c</i><sub>t−1</sub>"], ["symState", "<i>h</i><sub><i>t</i></sub>"],
                      ["symLearned", "<i>W</i><sub><i>f</i></sub>", "<i>b</i><sub><i>f</i></sub>", "<i>W</i>"], ["symSigmoid", "σ"],
                      ["symElementwise", "⊙"], ["symRelu", "relu"], ["symShare", "share"], ["symMean", "mean<sub><i>d</i></sub>"]] },
    AAN: { key: "aan", source: ["model/run/decoder.c", "aan"],
           formulas: () => ["<i>c</i><sub><i>t</i></sub> = (<i>x</i><sub>1</sub> + ⋯ + <i>x</i><sub><i>t</i></sub>) / <i>t</i>"],
           symbols: [["symAverage", "<i>c</i><sub><i>t</i></sub>"], ["symStepInput", "<i>x</i><sub>1</sub>", "<i>x</i><sub><i>t</i></sub>"],
                     ["symStep", "<i>t</i>"]] },
};

function pastSection() {
    const kind = TRACE.model.decoder_kind, past = PAST[kind], tokens = TRACE.target.input_tokens;
    return section("past", label(past.key), label(past.key + "About"), { formulas: past.formulas(), symbols: past.symbols },
                   [past.source, ["model/run/trace.c", "trace_read_past"]],
                   ...attention({ name: label(past.key), tensor: TRACE.decoder_self_attention, rowNames: tokens,
                                  columnNames: tokens, flat: kind !== "self-attention" }));
}

function crossSection() {
    const { source, target, cross_attention: tensor, alignment } = TRACE;
    const [layer, head] = alignment.heads[0];
    return section("cross", label("cross"), label("crossAbout"),
                   { formulas: [CROSS_PROJECTIONS, scoreFormula(), residualFormula("attention")], symbols: ATTENTION_SYMBOLS },
                   [["model/run/decoder.c", "cross_attention"],
                    ["model/run/decoder.c", "decoder_read_source"]],
                   ...attention({ name: label("cross"), tensor, rowNames: target.tokens, columnNames: source.tokens,
                                  first: layer * tensor.shape[1] + head }));
}
