/* page_parts.js - the trace, and functions that make elements. */
const TRACE = JSON.parse(document.getElementById("trace").textContent);
const SVG = document.getElementById("namespace").namespaceURI;
const DARK = matchMedia("(prefers-color-scheme: dark)");

/* { canvas, paint }: what is drawn again when the colors change. Canvases that left the page are dropped. */
let redraws = [];
function repaint() {
    redraws = redraws.filter(r => r.canvas.isConnected);
    redraws.forEach(r => r.paint());
}
DARK.addEventListener("change", repaint);

/* Paper is white, and all pictures are on it, also those that were never near the screen. */
let printing = false;
addEventListener("beforeprint", () => {
    printing = true;
    showPictures();
    repaint();
    document.querySelectorAll(".tree").forEach(cutTree);
});
addEventListener("afterprint", () => {
    printing = false;
    document.querySelectorAll(".cuts").forEach(cuts => cuts.remove());
    repaint();
});

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
}

function make(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

/* Formulas, as lines of HTML, with a legend of their symbols. `symbols` has [key, html...] for each symbol: the key of its
 * text in the labels, and how formulas write it. The text is also the tooltip of the symbol, and the legend marks the
 * symbol that the pointer or the focus is on. Symbols that no formula has are left out. */
function formulaParts(id, formulas, symbols) {
    const keys = new Map(symbols.flatMap(([key, ...htmls]) => htmls.map(html => [html, key])));
    const plain = text => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const any = new RegExp([...keys.keys()].sort((a, b) => b.length - a.length).map(plain).join("|") || "$^", "g");
    const math = make("div", { class: "formula", role: "group" }), legend = make("dl", { class: "symbols" }), used = new Set();

    for (const html of formulas) {
        const line = make("div");
        line.innerHTML = html.replace(any, found => {
            used.add(found);
            return `<span class="symbol" data-key="${keys.get(found)}">${found}</span>`;
        });
        math.append(line);
    }
    symbols.forEach(([key, ...htmls]) => {
        const own = htmls.filter(html => used.has(html)), entry = make("div", { id: `${id}-${key}` });
        if (!own.length) return;
        entry.append(make("dt"), make("dd", {}, label(key)));
        entry.firstChild.innerHTML = own.join(", ");
        legend.append(entry);
        math.querySelectorAll(`[data-key="${key}"]`).forEach(symbol => {
            symbol.title = label(key);
            symbol.setAttribute("aria-describedby", entry.id);
            for (const event of ["pointerenter", "focus"]) symbol.addEventListener(event, () => entry.classList.add("on"));
            for (const event of ["pointerleave", "blur"]) symbol.addEventListener(event, () => entry.classList.remove("on"));
        });
    });
    const all = [...math.querySelectorAll(".symbol")];
    rove(all, (key, i) => ({ ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: all.length - 1 })[key], () => {});
    return make("div", { class: "math" }, math, legend);
}

/* `formulas` and `symbols`: see formulaParts(); `sources` are pairs of a file and a function. */
function section(id, title, about, { formulas = [], symbols = [] }, sources, ...children) {
    const where = make("p", { class: "where" }, label("computed"));

    sources.forEach(([file, name], i) => where.append(i ? ", " : "", make("code", {}, `${file} ${name}()`)));
    return make("section", { id, "aria-labelledby": `${id}-title` },
                make("h2", { id: `${id}-title` }, title), make("p", { class: "soft" }, about),
                ...(formulas.length ? [formulaParts(id, formulas, symbols)] : []), where, ...children);
}

/* A box that scrolls sideways if its contents are wider, and that says so. */
function scrollBox(attributes, ...children) {
    const box = make("div", { class: "box", ...attributes }, ...children);

    new ResizeObserver(() => {
        if (box.scrollWidth > box.clientWidth) box.dataset.more = label("more");
        else delete box.dataset.more;
    }).observe(box);
    return box;
}

/* A number with the minus sign of typography. */
function number(value, digits) {
    return value.toFixed(digits).replace("-", "−");
}

/* The token as the reader sees it; spaces and empty tokens stay visible. */
function shown(token) {
    return token === "" ? "∅" : token.replace(/ /g, "␣");
}

function shortened(token, most) {
    const letters = [...shown(token)];
    return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

/* Moves the focus among elements of which one can be reached with Tab. move(key, index) returns the next index. */
function rove(elements, move, select) {
    elements.forEach((element, i) => {
        element.setAttribute("tabindex", i ? -1 : 0);
        element.addEventListener("focus", () => {
            elements.forEach(other => other.setAttribute("tabindex", other === element ? 0 : -1));
            select(i);
        });
        element.addEventListener("keydown", event => {
            const next = move(event.key, i);
            if (next === undefined || !elements[next]) return;
            event.preventDefault();
            elements[next].focus();
        });
    });
}

/* The arrow keys in a grid of `columns` columns and `count` cells. */
function gridMove(columns, count) {
    return (key, i) => {
        const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
        if (key === "Home") return 0;
        if (key === "End") return count - 1;
        return key in steps ? i + steps[key] : undefined;
    };
}
