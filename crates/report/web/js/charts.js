// What all pictures share: frames, scales, stores' colours and marks, and Plot with the page's looks.

const HEIGHT = 270;

/** Where a picture is: its frame is made once, its content with every choice. */
const frames = new Map();

/** A picture with its title, what it shows in words, and its own choosers; without marks it says what is missing. */
function picture(id, { title, hint, controls = [], plot, wide = false }) {
  let frame = frames.get(id);
  if (!frame) {
    frame = element("figure", { id, class: wide ? "wide" : "" });
    frames.set(id, frame);
    document.getElementById("chart-list").append(frame);
  }
  const caption = element("figcaption", {}, element("h3", {}, title), controls, element("p", { class: "hint" }, hint));
  const width = Math.max(260, (frame.clientWidth || 480) - 30);
  frame.replaceChildren(caption, ...[plot(width)].flat().map((drawn) => drawn ?? element("p", { class: "empty" }, "Nothing was measured for this.")));
}

/** Plot with the page's looks; a description stands in for the picture where it cannot be seen. */
function draw(options, description) {
  const every = data.stores.map((_, index) => index);
  const drawn = Plot.plot({
    height: HEIGHT,
    marginLeft: 62,
    marginRight: 18,
    marginBottom: 36,
    style: { background: "none", fontSize: "12px" },
    color: { domain: every, range: every.map(colourOf) },
    symbol: { domain: every, range: every.map(symbolOf) },
    ...options,
    marks: [...ticksOf("x", options.x), ...ticksOf("y", options.y), ...options.marks],
  });
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", description);
  return drawn;
}

/** Grid and axis with exactly the ticks given: a logarithmic scale would leave out some of their labels. */
function ticksOf(channel, { ticks, tickFormat, grid, label }) {
  if (!ticks) return [];
  const [axis, lines] = channel === "x" ? [Plot.axisX, Plot.gridX] : [Plot.axisY, Plot.gridY];
  return [...(grid ? [lines(ticks)] : []), axis(ticks, { text: tickFormat, label })];
}

/** A logarithmic scale of a measure, with round numbers that do not run into each other. */
function logarithmic(values, measure, label) {
  const [low, high] = d3.extent(values.filter((value) => value > 0));
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1, 10, 100] : decades > 1.5 ? [1, 3, 10, 30, 100, 300] : [1, 2, 5, 10, 20, 50, 100, 200, 500];
  const round = UNITS[measure.unit].flatMap(([scale]) => steps.map((step) => step * scale)).filter((value) => value >= low / 1.5 && value <= high * 1.5);
  const ticks = round.length > 1 ? round : [low, high];
  return { type: "log", label, domain: [Math.min(low, ...ticks), Math.max(high, ...ticks)], ticks, tickFormat: (value) => tick(value, measure), grid: true };
}

/** A scale from nought, with ticks that are round in one unit, in which all of them are shown. */
function linear(values, measure, label) {
  const largest = d3.max(values) || 1;
  const [scale, unit] = unitOf(largest, UNITS[measure.unit]);
  const ticks = d3.ticks(0, largest / scale, 4).map((value) => value * scale);
  return { label, domain: [0, largest], ticks, tickFormat: (value) => (value ? `${Number((value / scale).toPrecision(3))}${unit}` : "0"), grid: true };
}

/** Names at the ends of lines or beside dots, each behind its store's mark: a colour that is clear enough for a mark is not for a text. */
function names(rows, { dx, textAnchor, ...channels }) {
  return [
    Plot.dot(rows, { ...channels, dx: dx + 3, fill: "store", symbol: "store", r: 3, className: "key" }),
    Plot.text(rows, { ...channels, dx: dx + 10, textAnchor, text: (row) => data.stores[row.store].title, fill: "var(--ink)", fontWeight: 600, stroke: "var(--card)", strokeWidth: 3 }),
  ];
}

/** Room for the longest name beside the last mark. */
const roomForNames = () => 32 + 7.4 * Math.max(...data.stores.map((store) => store.title.length));

/** A line of a tip: a name and a figure with its interval, or what it lies between. */
function tipWords(row, measure) {
  const interval = row.high === undefined ? "" : ` (${spreadTitle(measure)} ${range(row.low, row.high, measure)})`;
  return `${data.stores[row.store].title}: ${figure(row.mean, measure)}${interval}`;
}

/** A row for each store shown in a contest, with its mean and interval. */
function rowsOfContest(contest, measure, more = {}) {
  return standings(contest, measure).filter((each) => shown(each.index)).map((each) => {
    const [mean, low, high] = each.figures;
    return { store: each.index, mean, low, high, tied: each.figures[6] === 1, ...more };
  });
}

const positive = (rows) => rows.filter((row) => row.mean > 0).map((row) => ({ ...row, low: row.low === undefined ? undefined : Math.max(row.low, row.mean / 20) }));
