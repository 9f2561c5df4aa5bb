/* page_map.js - heat maps: a table of numbers as colors, whose numbers can be read with the pointer and the keyboard. */

/* Colors as [red, green, blue]. Probabilities go from none to all, other numbers from low over zero to high. */
function palette() {
    return DARK.matches && !printing
        ? { none: [27, 29, 33], all: [150, 205, 255], low: [90, 150, 255], high: [255, 140, 90], text: "#a3a8b3", mark: "#f2b06a" }
        : { none: [255, 255, 255], all: [12, 60, 140], low: [30, 90, 200], high: [200, 70, 20], text: "#5b606b", mark: "#c24a00" };
}

function blend(from, to, part) {
    return from.map((c, i) => Math.round(c + (to[i] - c) * part));
}

/* Small probabilities are made visible: the color follows the power 0.6. */
function colorOf(value, most) {
    const colors = palette(), part = Math.min(1, Math.abs(value) / most);
    if (most === 1) return blend(colors.none, colors.all, part ** 0.6);
    return blend(colors.none, value < 0 ? colors.low : colors.high, part ** 0.6);
}

/* Names fit in the rows. */
function nameFont(data) {
    return `${Math.min(11, data.cell[1])}px sans-serif`;
}

/* Paints one pixel for each cell. `data` is { rows, columns, most, at(row, column) }. */
function paintCells(canvas, data) {
    const pixels = new ImageData(data.columns, data.rows);
    canvas.width = data.columns;
    canvas.height = data.rows;
    for (let r = 0, i = 0; r < data.rows; r++)
        for (let c = 0; c < data.columns; c++, i += 4) {
            pixels.data.set(colorOf(data.at(r, c), data.most), i);
            pixels.data[i + 3] = 255;
        }
    canvas.getContext("2d").putImageData(pixels, 0, 0);
}

/* A part of a tensor of the trace: `offset` is that of its first value. */
function slice(tensor, offset, rows, columns) {
    return { rows, columns, most: 1, at: (r, c) => tensor.values[offset + r * columns + c] * tensor.unit };
}

/* Where the cells are within the canvas: room for the names of rows and columns. */
function layoutOf(data) {
    const context = document.createElement("canvas").getContext("2d");
    const widest = names => Math.min(110, Math.max(0, ...names.map(n => context.measureText(n).width)) + 6);
    context.font = nameFont(data);
    const left = widest(data.rowNames), top = data.columnNames ? widest(data.columnNames) : 2;
    return { left, top, width: left + data.columns * data.cell[0] + 1, height: top + data.rows * data.cell[1] + 1 };
}

function paintNames(context, data, layout) {
    const [w, h] = data.cell;
    context.font = nameFont(data);
    context.fillStyle = palette().text;
    context.textBaseline = "middle";
    context.textAlign = "right";
    data.rowNames.forEach((name, r) => context.fillText(shortened(name, 14), layout.left - 4, layout.top + (r + 0.5) * h, layout.left - 4));
    context.textAlign = "left";
    (data.columnNames || []).forEach((name, c) => {
        context.save();
        context.translate(layout.left + (c + 0.5) * w, layout.top - 4);
        context.rotate(-Math.PI / 2);
        context.fillText(shortened(name, 14), 0, 0, layout.top - 4);
        context.restore();
    });
}

function paintMap(canvas, data, layout, cursor) {
    const ratio = Math.min(2, devicePixelRatio || 1), cells = document.createElement("canvas");
    const context = canvas.getContext("2d"), [w, h] = data.cell;

    canvas.width = Math.round(layout.width * ratio);
    canvas.height = Math.round(layout.height * ratio);
    context.scale(ratio, ratio);
    paintCells(cells, data);
    context.imageSmoothingEnabled = false;
    context.drawImage(cells, layout.left, layout.top, data.columns * w, data.rows * h);
    context.strokeStyle = palette().text;
    context.globalAlpha = 0.35;
    context.strokeRect(layout.left - 0.5, layout.top - 0.5, data.columns * w + 1, data.rows * h + 1);
    context.globalAlpha = 1;
    paintNames(context, data, layout);
    if (!cursor) return;
    context.strokeStyle = palette().mark;
    context.lineWidth = 2;
    context.strokeRect(layout.left + cursor[1] * w - 1, layout.top + cursor[0] * h - 1, Math.max(3, w) + 1, h + 1);
}

/* Scrolls a box so that the `width` pixels from x on are visible. */
function reveal(box, x, width) {
    if (x < box.scrollLeft || x + width > box.scrollLeft + box.clientWidth) box.scrollLeft = x - box.clientWidth / 2;
}

/* data: as for paintCells(), and name, cell [width, height], rowNames, columnNames (null: numbered dimensions), and
 * tell(row, column), the text of a cell. */
function heatMap(data) {
    const layout = layoutOf(data);
    const readout = make("p", { class: "readout", "aria-live": "polite" });
    const canvas = make("canvas", { class: "map", tabindex: 0, role: "application",
                                    "aria-label": label("mapLabel", data.name, data.rows, data.columns) });
    let cursor = null, painted = false;
    const paint = () => { if (painted) paintMap(canvas, data, layout, cursor); };
    const go = (row, column) => {
        const next = [Math.max(0, Math.min(data.rows - 1, row)), Math.max(0, Math.min(data.columns - 1, column))];
        if (cursor && cursor[0] === next[0] && cursor[1] === next[1]) return;
        cursor = next;
        readout.textContent = data.tell(...cursor);
        paint();
    };
    const keys = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
                   PageUp: [-8, 0], PageDown: [8, 0], Home: [0, -1e6], End: [0, 1e6] };

    canvas.style.width = layout.width + "px";
    canvas.style.height = layout.height + "px";
    canvas.addEventListener("pointermove", e => point(e));
    canvas.addEventListener("pointerdown", e => point(e));
    canvas.addEventListener("focus", () => { if (!cursor) go(0, 0); });
    canvas.addEventListener("keydown", event => {
        if (!(event.key in keys)) return;
        event.preventDefault();
        if (!cursor) go(0, 0);
        go(cursor[0] + keys[event.key][0], cursor[1] + keys[event.key][1]);
        reveal(canvas.parentElement, layout.left + cursor[1] * data.cell[0], data.cell[0]);
    });
    function point(event) {
        const row = Math.floor((event.offsetY - layout.top) / data.cell[1]);
        const column = Math.floor((event.offsetX - layout.left) / data.cell[0]);
        if (row >= 0 && row < data.rows && column >= 0 && column < data.columns) go(row, column);
    }
    redraws.push({ canvas, paint });
    whenSeen(canvas, () => { painted = true; paint(); });
    return make("div", {}, scrollBox({}, canvas), readout);
}

/* Pictures are painted when they come near the screen, so that a page with many of them opens at once. */
const seen = new Map();
const watcher = new IntersectionObserver(entries => entries.forEach(entry => {
    if (!entry.isIntersecting) return;
    const show = seen.get(entry.target);
    watcher.unobserve(entry.target);
    seen.delete(entry.target);
    if (show) show();
}), { rootMargin: "600px" });

function whenSeen(element, action) {
    seen.set(element, action);
    watcher.observe(element);
}

/* Paints all pictures that are not painted yet. */
function showPictures() {
    const shows = [...seen.values()];
    seen.clear();
    watcher.disconnect();
    shows.forEach(show => show());
}

/* Forgets all pictures, before the page is written again. */
function forgetPictures() {
    redraws = [];
    seen.clear();
    watcher.disconnect();
}

/* The scale of a heat map. */
function legend(most, digits = 0) {
    const canvas = make("canvas", { width: 120, height: 12 });
    const paint = () => paintCells(canvas, { rows: 1, columns: 60, most, at: (r, c) => most === 1 ? c / 59 : most * (c / 29.5 - 1) });
    canvas.style.cssText = "width:120px;height:12px";
    redraws.push({ canvas, paint });
    paint();
    return make("span", { class: "legend" }, most === 1 ? "0" : number(-most, digits), canvas, number(most, digits));
}
