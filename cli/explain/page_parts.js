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
});
addEventListener("afterprint", () => {
    printing = false;
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

/* `formulas` are lines of HTML; `sources` are pairs of a file and a function. */
function section(id, title, about, formulas, sources, ...children) {
    const where = make("p", { class: "where" }, label("computed"));
    const math = make("div", { class: "formula", tabindex: 0, role: "math" });

    sources.forEach(([file, name], i) => where.append(i ? ", " : "", make("code", {}, `${file} ${name}()`)));
    formulas.forEach(html => math.append(Object.assign(make("div"), { innerHTML: html })));
    return make("section", { id, "aria-labelledby": `${id}-title` },
                make("h2", { id: `${id}-title` }, title), make("p", { class: "soft" }, about),
                ...(formulas.length ? [math] : []), where, ...children);
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
