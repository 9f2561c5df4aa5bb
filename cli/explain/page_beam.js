/* page_beam.js - the search as a tree: a column for each step, a node for each candidate. */
const NODE = { width: 92, height: 34, across: 122, down: 42 };

/* Returns nodes with x, y, parent, children and `best` (on the path of the translation). */
function treeNodes(withPruned) {
    const { candidates, results } = TRACE.beam, rows = results.length ? results[0].rows : [];
    const ids = results.length ? results[0].ids : [];
    const first = candidates.length ? candidates[0].position : 0;
    const root = { token: label("start"), root: true, best: true, x: 0, y: 0, children: [] };
    let before = { 0: root }, nodes = [root];

    for (let position = first; position < ids.length || candidates.some(c => c.position === position); position++) {
        const now = {}, column = candidates.filter(c => c.position === position);
        column.filter(c => withPruned || c.fate !== "pruned").forEach((c, rank) => {
            const parent = before[c.parent];
            if (!parent) return;
            const node = { ...c, parent, children: [], x: (position - first + 1) * NODE.across, y: rank * NODE.down,
                           best: parent.best && rows[position] === c.parent && ids[position] === c.id };
            parent.children.push(node);
            if (c.fate === "kept") now[c.row] = node;
            nodes.push(node);
        });
        before = now;
    }
    return nodes;
}

function fateOf(node) {
    if (node.fate === "finished") return label("nodeFinished", number(node.score, 4));
    if (node.fate === "pruned") return label("nodePruned");
    return node.children.length ? label("nodeKept") : label("nodeOpen");
}

function describe(node) {
    return node.root ? node.token : label("node", shown(node.token), node.position + 1, number(node.sum, 5), fateOf(node));
}

function edge({ x, y, parent, best }) {
    const middle = x - (NODE.across - NODE.width) / 2, half = NODE.height / 2;
    return draw("path", { class: best ? "edge best" : "edge",
                          d: `M${parent.x + NODE.width} ${parent.y + half} C${middle} ${parent.y + half} ${middle} ${y + half} ${x} ${y + half}` });
}

function nodeElement(node) {
    const small = node.root ? "" : node.fate === "finished" ? `✓ ${number(node.score, 3)}` : number(node.sum, 3);
    return draw("g", { class: [node.fate || "kept", node.best ? "best" : ""].join(" "), role: "treeitem",
                       "aria-label": describe(node), transform: `translate(${node.x} ${node.y})` },
                draw("rect", { width: NODE.width, height: NODE.height, rx: 6 }),
                draw("text", { class: "name", x: NODE.width / 2, y: small ? 15 : 21, "text-anchor": "middle" }, shortened(node.token, 11)),
                draw("text", { class: "small", x: NODE.width / 2, y: 28, "text-anchor": "middle" }, small));
}

/* Left: the parent. Right: the best child. Up and down: the neighbours in the column. */
function treeMove(nodes) {
    return (key, i) => {
        const node = nodes[i], column = nodes.filter(n => n.x === node.x);
        const to = { ArrowLeft: node.parent, ArrowRight: node.children[0], ArrowUp: column[column.indexOf(node) - 1],
                     ArrowDown: column[column.indexOf(node) + 1], Home: nodes[0] }[key];
        return to ? nodes.indexOf(to) : undefined;
    };
}

function tree(withPruned) {
    const nodes = treeNodes(withPruned), elements = nodes.map(nodeElement);
    const readout = make("p", { class: "readout", "aria-live": "polite" });
    const width = Math.max(...nodes.map(n => n.x)) + NODE.width + 4, height = Math.max(...nodes.map(n => n.y)) + NODE.height + 4;
    const edges = nodes.filter(n => !n.root).sort((a, b) => a.best - b.best).map(edge);
    const svg = draw("svg", { class: "tree", viewBox: `-2 -2 ${width} ${height}`, width, height, role: "tree",
                              "aria-label": label("beamTitle") }, ...edges, ...elements);

    rove(elements, treeMove(nodes), i => { readout.textContent = describe(nodes[i]); });
    elements.forEach((element, i) => element.addEventListener("pointerenter", () => { readout.textContent = describe(nodes[i]); }));
    return [scrollBox({}, svg), readout];
}

/* A long tree would be too small on paper, so it is printed in parts of a few steps, one below the other. */
function cutTree(svg) {
    const { x, y, width, height } = svg.viewBox.baseVal, part = 6 * NODE.across;
    const cuts = make("div", { class: "cuts" });

    for (let at = 0; at < width; at += part) {
        const copy = svg.cloneNode(true), shown = Math.min(part, width - at);
        copy.setAttribute("viewBox", `${x + at} ${y} ${shown} ${height}`);
        copy.setAttribute("width", shown);
        copy.setAttribute("class", "tree cut");
        cuts.append(copy);
    }
    svg.after(cuts);
}

function resultTable() {
    const head = make("tr", {}, ...["rank", "score", "sum", "text"].map(key => make("th", { scope: "col" }, label(key))));
    const rows = TRACE.beam.results.map((r, i) =>
        make("tr", {}, make("td", {}, i + 1), make("td", { class: "number" }, number(r.score, 5)),
             make("td", { class: "number" }, number(r.sum, 5)), make("td", { class: "word" }, r.text)));
    return [make("h3", {}, label("results")), scrollBox({ tabindex: 0 }, make("table", {}, head, ...rows))];
}

function beamSection() {
    const { beams, length_penalty: penalty, word_penalty: word } = TRACE.search, holder = make("div");
    const box = make("input", { type: "checkbox", checked: true, onchange: () => holder.replaceChildren(...tree(box.checked)) });
    const source = beams > 1 ? ["search/search_beam.c", "beam_advance"] : ["search/search_beam.c", "greedy_advance"];

    holder.replaceChildren(...tree(true));
    return section("beam", label(beams > 1 ? "beamTitle" : "greedyTitle"), beams > 1 ? label("beamAbout", beams) : label("greedyAbout"),
                   { formulas: ["sum = Σ<sub><i>t</i></sub> log <i>p</i>(<i>y</i><sub><i>t</i></sub>)",
                                `score = ${word ? `(sum − ${word} · length)` : "sum"} / length<sup>${number(penalty, 2)}</sup>`],
                     symbols: [["symSum", "sum"], ["symProbability", "<i>p</i>"], ["symNext", "<i>y</i><sub><i>t</i></sub>"],
                               ["symFinal", "score"], ["symLength", "length"], ["symPenalty", `<sup>${number(penalty, 2)}</sup>`],
                               ...(word ? [["symWordPenalty", ` ${word} `]] : [])] },
                   [source, ["search/search_lane.c", "search_lane_final_score"]],
                   ...(beams > 1 ? [make("label", {}, box, " ", label("showPruned"))] : []), holder, ...resultTable());
}
