// Builds the report page from its JSON: text, tables and figures. Charts are drawn when they come into
// view, or all at once if the address of the page ends with #all.
//
// body.dataset.panels is the number of panels on the page, body.dataset.charts the number drawn.
const INK = "#1f2933";
const MUTED = "#52606d";
const GRID = "#e7eaee";
const BAND_OPACITY = 0.15;
const DASHES = { solid: [], dashed: [8, 4], dotted: [2, 3] };
const LONGEST_NAME = 32; // letters; a column with longer cells holds sentences

/** Returns a new element with `properties` and `children` (elements or text). */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// ---------------------------------------------------------------------------------- text

/** Returns text with its words between backquotes as code. */
function inline(text) {
  return text.split("`").map((piece, i) => (i % 2 ? element("code", {}, piece) : piece));
}

/** Returns the paragraphs and lists of `text`. */
function paragraphs(text) {
  return text.split(/\n\s*\n/).filter((block) => block.trim()).map((block) => {
    const lines = block.trim().split("\n");
    if (!lines.every((line) => line.startsWith("- "))) return element("p", {}, ...inline(block));
    return element("ul", {}, ...lines.map((line) => element("li", {}, ...inline(line.slice(2)))));
  });
}

// -------------------------------------------------------------------------------- tables

/** Orders cells by number or as text; cells that are not numbers come last. */
function compareCells(a, b, numeric, sign) {
  if (!numeric) return sign * a.localeCompare(b, "en", { numeric: true });
  const [x, y] = [parseFloat(a), parseFloat(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
  return sign * (x - y);
}

/** Sorts the body by `column`, ascending first, then descending. */
function sortTable(table, body, column, numeric) {
  const headers = [...table.tHead.rows[0].cells];
  const ascending = headers[column].getAttribute("aria-sort") !== "ascending";
  headers.forEach((header) => header.removeAttribute("aria-sort"));
  headers[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const text = (row) => row.cells[column].textContent;
  const rows = [...body.rows];
  rows.sort((a, b) => compareCells(text(a), text(b), numeric, ascending ? 1 : -1));
  body.append(...rows);
}

/** Returns the class of the cells of a column: numbers and names are not wrapped. */
function columnKind({ numeric, rows }, column) {
  if (numeric[column]) return "numeric";
  return rows.some((row) => row[column].length > LONGEST_NAME) ? "prose" : "";
}

function tableElement(description) {
  const kind = (column) => columnKind(description, column);
  const table = element("table");
  const body = element("tbody");
  const headers = description.header.map((name, column) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", () =>
      sortTable(table, body, column, description.numeric[column]));
    return element("th", { scope: "col", className: kind(column) }, button);
  });
  for (const row of description.rows) {
    const cells = row.map((cell, column) => element("td", { className: kind(column) }, cell));
    body.append(element("tr", {}, ...cells));
  }
  table.append(element("thead", {}, element("tr", {}, ...headers)), body);
  return element("section", {},
    element("h3", {}, description.title),
    element("p", { className: "note" }, ...inline(description.note)),
    element("div", { className: "table-frame" }, table));
}

// -------------------------------------------------------------------------------- charts

/** Returns `value` in readable form: five digits, with powers of ten for values far from 1. */
function readable(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value.toExponential(2).replace(/\.?0*e\+?/, "e");
  }
  return String(Number(value.toPrecision(5)));
}

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;

/** Draws bands behind lines and error bars through points, for datasets with `lower` and `upper`. */
const spread = {
  id: "spread",

  beforeDatasetsDraw(chart) {
    spread.forEachVisible(chart, "line", spread.drawBand);
  },

  afterDatasetsDraw(chart) {
    spread.forEachVisible(chart, "points", spread.drawBars);
  },

  /** Calls `draw` for the visible datasets of one kind, clipped to the chart's area. */
  forEachVisible(chart, mark, draw) {
    const { ctx, chartArea: area } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    chart.data.datasets.forEach((dataset, i) => {
      if (dataset.mark !== mark || !dataset.lower || !chart.isDatasetVisible(i)) return;
      draw(chart, dataset);
    });
    ctx.restore();
  },

  /** Pixel rows [x, lower, upper] of the dataset; null where something is missing. */
  pixels(chart, dataset) {
    const { x, y } = chart.scales;
    return dataset.data.map((point, i) => {
      const [lower, upper] = [dataset.lower[i], dataset.upper[i]];
      if (point.x === null || lower === null || upper === null) return null;
      return [point.x, lower, upper].map((value, k) => (k ? y : x).getPixelForValue(value));
    });
  },

  drawBand(chart, dataset) {
    const { ctx } = chart;
    ctx.globalAlpha = BAND_OPACITY;
    ctx.fillStyle = dataset.borderColor;
    let run = [];
    for (const row of [...spread.pixels(chart, dataset), null]) {
      if (row) {
        run.push(row);
        continue;
      }
      ctx.beginPath();
      run.forEach(([x, lower]) => ctx.lineTo(x, lower));
      run.reverse().forEach(([x, , upper]) => ctx.lineTo(x, upper));
      ctx.fill();
      run = [];
    }
  },

  drawBars(chart, dataset) {
    const { ctx } = chart;
    ctx.strokeStyle = dataset.borderColor;
    ctx.lineWidth = 1.5;
    for (const row of spread.pixels(chart, dataset)) {
      if (!row) continue;
      const [x, lower, upper] = row;
      ctx.beginPath();
      ctx.moveTo(x, lower);
      ctx.lineTo(x, upper);
      for (const end of [lower, upper]) {
        ctx.moveTo(x - 4, end);
        ctx.lineTo(x + 4, end);
      }
      ctx.stroke();
    }
  },
};

/** Returns the Chart.js dataset of a series. */
function dataset(series) {
  const points = series.mark === "points";
  return {
    label: series.label,
    mark: series.mark,
    range: series.range,
    lower: series.lower,
    upper: series.upper,
    data: series.x.map((x, i) => ({ x, y: series.y[i] })),
    borderColor: series.colour,
    backgroundColor: series.colour,
    borderWidth: 1.8 * series.size,
    borderDash: DASHES[series.dash],
    showLine: !points,
    pointRadius: points ? 3.5 * series.size : 0,
    pointHitRadius: 6,
    pointHoverRadius: points ? 5 * series.size : 3,
    spanGaps: false,
  };
}

/** Returns [low, high] with a small margin at both ends. */
function padded([low, high], logarithmic, share) {
  if (!(low <= high)) return logarithmic ? [0.1, 1] : [0, 1];
  if (logarithmic) {
    const factor = low === high ? 2 : (high / low) ** share;
    return [low / factor, high * factor];
  }
  const room = low === high ? Math.max(0.5, 0.05 * Math.abs(low)) : share * (high - low);
  return [low - room, high + room];
}

/** Returns the range of the y axis that shows the visible datasets. */
function verticalRange(panel, datasets, hidden) {
  if (panel.y.categories.length) return [-0.5, panel.y.categories.length - 0.5];
  let [low, high] = [Infinity, -Infinity];
  for (const { label, range } of datasets) {
    if (!range || hidden.has(label)) continue;
    low = Math.min(low, range[0]);
    high = Math.max(high, range[1]);
  }
  return padded([low, high], panel.y.logarithmic, 0.05);
}

/** Returns the ticks of a logarithmic axis: powers of ten, or 1, 2 and 5 times them if the axis is short. */
function logarithmicTicks({ min, max }) {
  const decades = Math.log10(max / min);
  const step = decades < 2 ? 1 : Math.ceil(decades / 6);
  const ticks = [];
  for (let exponent = Math.floor(Math.log10(min)); exponent <= Math.log10(max); ++exponent) {
    if (exponent % step !== 0) continue;
    for (const digit of decades < 2 ? [1, 2, 5] : [1]) {
      const value = Number(`${digit}e${exponent}`);
      if (min <= value && value <= max) ticks.push({ value });
    }
  }
  return ticks;
}

/** Returns the options of an axis; `size` is its text size. */
function scale(axis, [min, max], size) {
  const categories = axis.categories;
  const options = {
    type: axis.logarithmic ? "logarithmic" : "linear",
    min,
    max,
    title: { display: Boolean(axis.title), text: axis.title, color: INK, font: { size } },
    grid: { color: GRID, borderColor: MUTED, tickColor: MUTED },
    ticks: { color: INK, font: { size: size - 1 }, maxRotation: 0, autoSkipPadding: 12,
      includeBounds: false, callback: readable },
  };
  if (axis.logarithmic) {
    options.afterBuildTicks = (built) => {
      const ticks = logarithmicTicks(built);
      if (ticks.length > 1) built.ticks = ticks; // otherwise the axis is too short: leave it to Chart.js
    };
  }
  if (categories.length) {
    options.afterBuildTicks = (built) => {
      built.ticks = categories.map((_, value) => ({ value }));
    };
    options.ticks = { ...options.ticks, autoSkip: false, maxRotation: 60,
      callback: (value) => categories[value] ?? "" };
  }
  return options;
}

/** Returns the tooltip text of a point: series, value and error band. */
function tooltipLine(panel, { dataset: { label, lower, upper }, dataIndex: i, raw }) {
  const name = label ? `${label}: ` : "";
  const value = panel.y.categories[raw.y] ?? readable(raw.y);
  const hasBand = lower && lower[i] !== null && upper[i] !== null;
  return name + value + (hasBand ? ` (${readable(lower[i])} to ${readable(upper[i])})` : "");
}

function tooltipTitle(panel, items) {
  if (!items.length) return "";
  const x = items[0].raw.x;
  return panel.x.categories[x] ?? `${panel.x.title} ${readable(x)}`.trim();
}

/** Draws `panel` on `canvas` without the series whose labels are in `hidden`. */
function draw(panel, canvas, hidden, size) {
  const datasets = panel.series.map(dataset);
  for (const each of datasets) each.hidden = hidden.has(each.label);
  const dots = panel.series.some(({ mark }) => mark === "points");
  const horizontal = panel.x.categories.length
    ? panel.x.range
    : padded(panel.x.range ?? [1, 0], panel.x.logarithmic, dots ? 0.05 : 0);
  return new Chart(canvas, {
    type: "line",
    data: { datasets },
    plugins: [spread],
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: dots
        ? { mode: "nearest", intersect: true }
        : { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: scale(panel.x, horizontal, size),
        y: scale(panel.y, verticalRange(panel, datasets, hidden), size),
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          bodyFont: { size },
          titleFont: { size },
          boxWidth: 8,
          boxHeight: 8,
          callbacks: {
            title: (items) => tooltipTitle(panel, items),
            label: (item) => tooltipLine(panel, item),
          },
        },
      },
    },
  });
}

// ------------------------------------------------------------------ visibility of series

/** Returns the state of a figure: hidden labels, and the charts and buttons that show them. */
function shownFigure(figure) {
  return { figure, hidden: new Set(), charts: [], buttons: [] };
}

/** Shows or hides series in the charts of a figure and fits the y axes to the visible ones. */
function refresh({ hidden, charts, buttons }) {
  for (const { button, label } of buttons) {
    button.setAttribute("aria-pressed", String(!hidden.has(label)));
  }
  for (const { chart, panel } of charts) {
    const { datasets } = chart.data;
    datasets.forEach(({ label }, i) => chart.setDatasetVisibility(i, !hidden.has(label)));
    const [min, max] = verticalRange(panel, datasets, hidden);
    Object.assign(chart.options.scales.y, { min, max });
    chart.update("none");
  }
}

/** Returns a short line or a dot in the style of the series. */
function sample({ colour, dash, mark }) {
  const name = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(name, "svg");
  picture.setAttribute("width", 28);
  picture.setAttribute("height", 10);
  picture.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(name, mark === "points" ? "circle" : "line");
  const attributes = mark === "points"
    ? { cx: 14, cy: 5, r: 4, fill: colour }
    : { x1: 0, x2: 28, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.5,
        "stroke-dasharray": DASHES[dash].join(" ") };
  Object.entries(attributes).forEach(([key, value]) => shape.setAttribute(key, value));
  picture.append(shape);
  return picture;
}

/** Returns a legend whose buttons show and hide series in all panels of the figure. */
function legendElement(shown) {
  const legend = element("div", { className: "legend", role: "group" });
  legend.setAttribute("aria-label", "Shown series");
  for (const entry of shown.figure.legend) {
    const button = element("button", { type: "button" }, sample(entry), entry.label);
    button.setAttribute("aria-pressed", String(!shown.hidden.has(entry.label)));
    button.addEventListener("click", () => {
      if (!shown.hidden.delete(entry.label)) shown.hidden.add(entry.label);
      refresh(shown);
    });
    shown.buttons.push({ button, label: entry.label });
    legend.append(button);
  }
  return legend;
}

// ---------------------------------------------------------------------- enlarged charts

const dialog = document.getElementById("enlarged");

/** Opens a panel in the dialog, with a legend that acts on the whole figure. */
function enlarge(shown, panel) {
  const buttonsBelow = shown.buttons.length;
  document.getElementById("enlarged-title").textContent = fullTitle(shown.figure, panel);
  document.getElementById("enlarged-legend").replaceChildren(legendElement(shown));
  dialog.showModal();
  const chart = draw(panel, dialog.querySelector("canvas"), shown.hidden, 15);
  shown.charts.push({ chart, panel });
  dialog.addEventListener("close", () => {
    shown.charts = shown.charts.filter((each) => each.chart !== chart);
    shown.buttons.length = buttonsBelow;
    chart.destroy();
  }, { once: true });
}

dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // a click on the backdrop
});
document.getElementById("close-enlarged").addEventListener("click", () => dialog.close());

// ------------------------------------------------------------------------------- figures

const pending = new Map(); // element of a panel -> the function that draws it
const observer = new IntersectionObserver((entries) => {
  entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawPending(entry.target));
}, { rootMargin: "300px" });

/** Draws the panel unless it is already drawn. */
function drawPending(frame) {
  const drawNow = pending.get(frame);
  if (!drawNow) return;
  pending.delete(frame);
  observer.unobserve(frame);
  drawNow();
  document.body.dataset.charts = Number(document.body.dataset.charts) + 1;
}

function drawAllPending() {
  [...pending.keys()].forEach(drawPending);
}

function fullTitle(figure, panel) {
  return [figure.title, panel.title].filter(Boolean).join(": ");
}

/** Returns the element of a panel. When it is drawn, it joins the charts of the figure. */
function panelElement(shown, panel) {
  const canvas = element("canvas", { role: "img" });
  canvas.setAttribute("aria-label", fullTitle(shown.figure, panel));
  const title = element("button", { type: "button", className: "panel-title", title: "Enlarge" },
    panel.title || "Enlarge");
  const frame = element("div", { className: "panel" }, title,
    element("div", { className: "panel-chart" }, canvas));
  for (const target of [title, canvas]) {
    target.addEventListener("click", () => enlarge(shown, panel));
  }
  pending.set(frame, () =>
    shown.charts.push({ chart: draw(panel, canvas, shown.hidden, 12), panel }));
  return frame;
}

function figureElement(figure) {
  const shown = shownFigure(figure);
  const panels = figure.panels.map((panel) => panelElement(shown, panel));
  const single = panels.length === 1 ? " single" : "";
  const grid = element("div", { className: `panels${single}` }, ...panels);
  grid.style.setProperty("--columns", Math.min(figure.columns, panels.length));
  return element("section", { id: `figure-${figure.name}` },
    element("h3", {}, figure.title), legendElement(shown), grid,
    element("p", { className: "caption" }, ...inline(figure.caption)));
}

// ---------------------------------------------------------------------------------- page

function sectionElement(section, number) {
  return element("section", { id: `section-${number}` },
    element("h2", {}, section.title),
    ...paragraphs(section.text),
    ...section.tables.map(tableElement),
    ...section.figures.map(figureElement));
}

function contentsElement(sections) {
  return element("ol", {}, ...sections.map((section, i) =>
    element("li", {}, element("a", { href: `#section-${i + 1}` }, section.title))));
}

const report = JSON.parse(document.getElementById("report-data").textContent);
document.getElementById("page-header").append(
  element("h1", {}, report.title),
  element("p", { className: "subtitle" }, report.subtitle));
document.getElementById("contents").append(contentsElement(report.sections));
document.getElementById("content").replaceChildren(
  ...report.sections.map((section, i) => sectionElement(section, i + 1)));

document.body.dataset.panels = pending.size;
document.body.dataset.charts = 0;
pending.forEach((_, frame) => observer.observe(frame));
if (location.hash === "#all") drawAllPending();
else if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
window.addEventListener("beforeprint", drawAllPending);
