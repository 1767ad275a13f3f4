// What all pictures share: frames, scales, stores' colours and marks, and Plot with the page's looks.

const HEIGHT = 270;
const MARGINS = { marginTop: 20, marginBottom: 36, marginLeft: 62, marginRight: 18 };
const AROUND = MARGINS.marginTop + MARGINS.marginBottom;
const NAME_HEIGHT = 14;

/** Labels below a picture with this few characters are never cut. */
const TICK_LENGTH_MIN = 12;

/** The height of a picture in which this many names are above each other. */
const heightFor = (names) => Math.max(HEIGHT, AROUND + names * NAME_HEIGHT);

/** Where a picture is: its frame is made once, its content with every choice. */
const frames = new Map();

/** A picture with its title, a description (longer where it is saved alone), its own choosers, and what is below it. Without marks it says what is missing. It is in a list of pictures, and of a run if it is not of the chosen one. A picture that says nothing is hidden. */
function picture(id, { title, hint, alone = "", controls = [], plot, below = [], wide = false, missing = "Nothing was measured for this.", list = "chart-list", run, isHidden = false }) {
  let frame = frames.get(id);
  if (!frame) {
    frame = element("figure", { id, class: wide ? "wide" : "" });
    frames.set(id, frame);
    document.getElementById(list).append(frame);
  }
  frame.hidden = isHidden;
  if (isHidden) return frame.replaceChildren();
  const plots = [plot(Math.max(260, (frame.clientWidth || 480) - 30))].flat();
  const drawn = plots.filter(Boolean);
  const menu = drawn.length ? saveMenu(title, hint + alone, () => drawn, run) : null;
  const caption = element("figcaption", {}, element("h3", {}, title), menu, controls, element("p", { class: "hint" }, hint));
  frame.replaceChildren(caption, ...plots.map((each) => each ?? element("p", { class: "empty" }, missing)), ...below);
}

/** Plot with the page's looks; a description replaces the picture where it cannot be seen. */
function draw(options, description) {
  const every = data.stores.map((_, index) => index);
  const frame = { height: HEIGHT, ...MARGINS, ...options };
  const labels = spacedLabels(frame);
  const more = NAME_HEIGHT * d3.max(labels.values(), (label) => label.lastIndexOf("\n") + 1);
  const drawn = Plot.plot({
    style: { background: "none", fontSize: "12px" },
    // Stores are numbers, and of two numbers Plot would make a scale between them.
    color: { type: "ordinal", domain: every, range: every.map(colourOf) },
    symbol: { type: "ordinal", domain: every, range: every.map(symbolOf) },
    ...frame,
    height: frame.height + more,
    marginBottom: frame.marginBottom + more,
    marks: [...ticksOf("x", { ...options.x, tickFormat: (value) => labels.get(value) }), ...ticksOf("y", options.y), ...options.marks],
  });
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", description);
  return drawn;
}

/** The labels below a picture, on as many lines as their axis may have. So none runs into another or out of its frame. A label without room is left out. */
function spacedLabels({ x, width, marginLeft, marginRight }) {
  const { insetLeft = 0, insetRight = 0, lines = 1, ...scale } = x;
  const { apply } = Plot.scale({ x: { ...scale, range: [marginLeft + insetLeft, width - marginRight - insetRight] } });
  const ends = Array(lines).fill(-Infinity);
  return new Map(x.ticks.map((value) => {
    const middle = apply(value);
    const room = 2 * (14 + Math.min(middle, width - middle));
    const label = cut(x.tickFormat(value), Math.max(TICK_LENGTH_MIN, Math.floor(room / 7)));
    const half = 3.5 * label.length;
    const line = ends.findIndex((end) => middle - half > end);
    if (line < 0) return [value, ""];
    ends[line] = middle + half + 5;
    return [value, "\n".repeat(line) + label];
  }));
}

/** Grid and axis with exactly the ticks given: a logarithmic scale would leave out some of their labels. */
function ticksOf(channel, { ticks, tickFormat, grid, label }) {
  if (!ticks) return [];
  const [axis, lines] = channel === "x" ? [Plot.axisX, Plot.gridX] : [Plot.axisY, Plot.gridY];
  return [...(grid ? [lines(ticks)] : []), axis(ticks, { text: tickFormat, label })];
}

/** Labels of logarithmic axes. */
const rightward = (title) => `${title}, logarithmic →`;
const upward = (title) => `↑ ${title}, logarithmic`;

/**
 * A logarithmic scale of a measure, with round numbers that do not run into each other. What no such scale reaches, a figure of zero or
 * the far end of a wide interval, is at its very edge, which has a label that says so.
 */
function logarithmic(figures, measure, label, ends = []) {
  const smallest = d3.min(figures, (value) => (value > 0 ? value : undefined)) ?? 1;
  const values = [...figures, ...ends].filter((value) => value !== undefined);
  const [low, high] = d3.extent([smallest, ...values.filter((value) => value >= smallest / 20)]);
  const beyond = values.filter((value) => value < low);
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1, 10, 100] : decades > 1.5 ? [1, 3, 10, 30, 100, 300] : [1, 2, 5, 10, 20, 50, 100, 200, 500];
  const round = d3.sort(UNITS[measure.unit].flatMap(([scale]) => steps.map((step) => step * scale)).filter((value) => value >= low / 1.5 && value <= high * 1.5));
  const ticks = round.length > 2 ? round : finer(low, high, measure);
  const first = Math.min(low, ...ticks);
  const last = Math.max(high, ...ticks, first * 1.1);
  const edge = beyond.length ? first / Math.max(1.5, (last / first) ** 0.12) : first;
  const edgeLabel = beyond.every((value) => value === 0) ? "0" : `<${tick(first, measure)}`;
  return {
    type: "log", label, domain: [edge, last], ticks: beyond.length ? [edge, ...ticks] : ticks, grid: true,
    tickFormat: (value) => (value < first ? edgeLabel : tick(value, measure)),
    transform: (value) => Math.max(value, edge),
  };
}

/** Ticks for figures that lie between two round ones: some on either side too, so that three digits distinguish them. */
function finer(low, high, measure) {
  const [scale] = unitOf(high, UNITS[measure.unit]);
  return d3.ticks(low / 1.1 / scale, (high * 1.1) / scale, 5).map((value) => value * scale);
}

/** A scale from nought, with ticks that are round in one unit, in which all of them are shown. */
function linear(values, measure, label) {
  const largest = d3.max(values) || 1;
  const [scale, unit] = unitOf(largest, UNITS[measure.unit]);
  const ticks = d3.ticks(0, largest / scale, 4).map((value) => value * scale);
  return { label, domain: [0, largest], ticks, tickFormat: (value) => (value ? `${Number((value / scale).toPrecision(3))}${unit}` : "0"), grid: true };
}

/** A store's name in a picture of this many pixels, of which it may take a third. */
const nameIn = (width, title) => cut(title, Math.max(12, Math.floor(width / 3 / 7.4)));

/** A scale of lines, each with a name before it, and the room that the names need. */
function named(titles, width) {
  const longest = d3.max(titles, (title) => nameIn(width, title).length);
  return { y: { domain: titles, ticks: titles, tickFormat: (title) => nameIn(width, title), label: null }, marginLeft: 24 + 7.4 * longest };
}

/** Names at the ends of lines or next to dots, each behind its store's mark: a colour that is clear enough for a mark is not for a text. */
function names(rows, width, { dx, textAnchor, ...channels }) {
  return [
    Plot.dot(rows, { ...channels, dx: dx + 3, fill: "store", symbol: "store", r: 3, className: "key" }),
    Plot.text(rows, { ...channels, dx: dx + 10, textAnchor, text: (row) => nameIn(width, data.stores[row.store].title), fill: "var(--ink)", fontWeight: 600, stroke: "var(--card)", strokeWidth: 3 }),
  ];
}

/** The same names, each at the place nearest to its dot where it lies on no other. */
function apart(rows, { x, y, width, height, marginRight }) {
  const across = Plot.scale({ x: { ...x, range: [MARGINS.marginLeft, width - marginRight] } });
  const [top, bottom] = [MARGINS.marginTop, height - MARGINS.marginBottom];
  const up = Plot.scale({ y: { ...y, range: [bottom, top] } });
  const placed = [];
  return rows.map((row) => {
    const left = across.apply(x.transform(row.x)), right = left + nameWidth(row.store, width), dot = up.apply(y.transform(row.mean));
    const free = (at) => at > top - 1 && at < bottom + 1 && placed.every((name) => right < name.left || left > name.right || Math.abs(at - name.at) > NAME_HEIGHT - 1);
    const steps = d3.range(2 * rows.length).map((step) => dot + Math.ceil(step / 2) * (step % 2 ? NAME_HEIGHT : -NAME_HEIGHT));
    const at = steps.find(free) ?? dot;
    placed.push({ left, right, at });
    return { ...row, mean: up.invert(at) };
  });
}

/** The width of a name next to a mark, with its key. */
const nameWidth = (store, width) => 32 + 7.4 * nameIn(width, data.stores[store].title).length;

/** Room for the longest name next to the last mark. */
const roomForNames = (width) => d3.max(data.stores, (_, store) => nameWidth(store, width));

/** A line of a tip: a name and a figure with its interval, or what it lies between. */
function tipLabel(row, measure) {
  const interval = row.high === undefined ? "" : ` (${SPREAD_TITLE} ${range(row.low, row.high, measure)})`;
  return `${data.stores[row.store].title}: ${figure(row.mean, measure)}${interval}`;
}

/** A row for each store shown in a contest, with its mean and interval. */
function rowsOfContest(contest, measure, more = {}) {
  return standings(contest, measure).filter((each) => shown(each.index)).map((each) => {
    const [mean, low, high] = each.figures;
    return { store: each.index, mean, low, high, tied: each.figures[6] === 1, ...more };
  });
}

const meansOf = (rows) => rows.map((row) => row.mean);
const endsOf = (rows) => rows.flatMap((row) => [row.low, row.high]);
