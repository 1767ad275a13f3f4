// The heatmap: every store in every workload under the measure, coloured by how many times worse than the best it is. Who is best, tied or
// not told apart is in the data.

/** A store's standings in a workload, as the data has them behind its figures. */
const STANDINGS = ["worse", "first", "open"];

/** What each look of a field means: the sign before its figure, and the words. A store that is first looks as its workload's verdict says. */
const LOOKS = {
  wins: ["★", "best"],
  tied: ["=", `tied with the best, within ${data.tied_within}×`],
  open: ["≈", "not told apart from the best"],
  unproven: ["?", "not proven: too few rounds"],
  alone: ["★", "no competitor"],
  worse: ["", "worse than the best"],
  typical: ["", "by typical rounds, without an interval"],
};
const FIRST_LOOKS = { w: "wins", t: "tied", o: "open", u: "unproven", a: "alone" };

const fieldAxes = data.axes.flatMap((axis, index) => (axis.of_field && varies(axis) ? [[axis, index]] : []));

/** How stores compare over all workloads at the state's place. */
function overHere(measure) {
  const here = data.over.find((of) => of.at.every((place, axis) => place === null || place === state.at[axis]));
  return here?.measures[measureIndex.get(measure.name)];
}

/** Of more columns than this only those of the chosen operation are shown: nobody reads them all, and laying them out takes long. */
const HEAT_COLUMNS_MAX = 400;

/** A sheet of paper has room for this many columns. */
const PAPER_COLUMNS_MAX = 20;

/** The workloads of the heatmap: those at the state's place in which anything is known under the measure. */
function heatColumns(measure) {
  const isKnown = (contest) => contest.orders[measureIndex.get(measure.name)].length || contest.failed?.length || contest.entries.some((entry) => hasTooFew(contest, entry.store, measure));
  return data.contests.filter((contest) => (contest.phase === null) === !measure.per_phase
    && contest.at.every((place, axis) => data.axes[axis].of_field || place === state.at[axis]) && isKnown(contest));
}

/** A workload's name among those of the heatmap; it is kept in the address. */
const columnName = (contest) => [contest.event, ...fieldAxes.map(([axis, index]) => axis.values[contest.at[index]].label)].filter(Boolean).join(" ");

/** How many times worse than the best a store is, with its interval and standing where they are known. */
function ratioOf(contest, store, measure) {
  const [, , , times, low, high, standing] = figuresOf(contest, store, measure) ?? [];
  if (times !== undefined) return { times, low, high, standing: STANDINGS[standing] };
  const place = measureIndex.get(measure.name);
  const found = contest.entries.find((entry) => entry.store === store)?.unproven?.find(([of]) => of === place);
  return found && { times: found[1] };
}

/** The look of a ratio, given the verdict under which it stands. */
function lookOf({ standing }, verdict) {
  if (verdict === "a") return "alone";
  if (!verdict) return "typical";
  return standing === "first" ? FIRST_LOOKS[verdict] : standing ?? "unproven";
}

/** A ratio where there is little room. */
const brief = (value) => (value >= 999.5 ? `${digits(value / 1000)}k` : digits(value));

/** Which colour of the scale a ratio has. */
const heatStep = (value) => data.heat.filter((end) => value > end).length;

/** What a field shows: its sign and ratio, its look, and its colour; a figure without a ratio has no colour. */
function heatShows(ratio, verdict) {
  const look = lookOf(ratio, verdict);
  return { text: `${LOOKS[look][0]}${brief(ratio.times)}`, look, step: heatStep(ratio.times), words: LOOKS[look][1] };
}

function heatField(contest, store, measure) {
  const ratio = data.stores[store].ranked && ratioOf(contest, store, measure);
  if (ratio) return { contest, store, ratio, ...heatShows(ratio, verdictOf(contest, measure)) };
  const figures = figuresOf(contest, store, measure);
  if (figures) return { contest, store, text: figure(figures[0], measure), look: "plain", words: data.stores[store].ranked ? "no ratio: a figure of zero" : "not ranked" };
  if (contest.failed?.includes(store)) return { contest, store, text: "✕", look: "failed", words: "failed" };
  if (contest.not_offered?.some(([of]) => of === store)) return { contest, store, text: "n/a", look: "plain", words: "not offered" };
  if (hasTooFew(contest, store, measure)) return { contest, store, text: "few", look: "plain", words: TOO_FEW };
  return { contest, store, text: "–", look: "plain", words: "not measured" };
}

/** The field over all workloads. */
function overField(over, store) {
  const place = over.order.find(([of]) => of === store);
  if (!place) return { store, text: "–", look: "plain", words: "it lacks a figure somewhere" };
  const [, times, low, high, standing] = place;
  const ratio = { times, low, high, standing: STANDINGS[standing] };
  return { store, ratio, ...heatShows(ratio, over.verdict) };
}

/** What names a workload's column among all that can be sorted by. */
const columnKey = (contest) => `in ${columnName(contest)}`;

/** Stores in the order that was asked for, which is in the data; those without a figure come last. */
function heatOrder(columns, over, measure) {
  const { by, reverse } = state.sort;
  const present = new Set(columns.flatMap((contest) => [...contest.entries.map((entry) => entry.store), ...(contest.failed ?? [])]).filter(shown));
  const byName = d3.sort(present, (one, other) => data.stores[one].title.localeCompare(data.stores[other].title));
  const overall = over ? over.order.map(([store]) => store) : [];
  const column = columns.find((contest) => columnKey(contest) === by);
  const known = column ? column.orders[measureIndex.get(measure.name)].map((at) => column.entries[at].store) : by === "store" ? byName : overall;
  return [...new Set([...(reverse ? known.toReversed() : known), ...overall, ...byName])].filter((store) => present.has(store));
}

/** What the heatmap shows now: its columns, and a row of fields for each store. */
let heat = null;

function drawHeat() {
  const measure = state.measure;
  const all = heatColumns(measure);
  const isCut = measure.per_phase && all.length > HEAT_COLUMNS_MAX;
  const columns = isCut ? all.filter((contest) => contest.event === state.event) : all;
  const shape = JSON.stringify([measure.name, [...state.hidden], state.sort, columns.map((contest) => placeKey(contest.event, contest.at))]);
  if (shape !== heat?.shape) {
    const over = overHere(measure);
    const rows = heatOrder(columns, over, measure).map((store) => ({
      store, over: over && overField(over, store), fields: columns.map((contest) => heatField(contest, store, measure)),
    }));
    heat = { shape, measure, isCut, columns, over, rows };
    showHeat();
  }
  const chosen = columnKey({ event: measure.per_phase ? state.event : "", at: state.at });
  for (const button of heat.grid[0]) button.classList.toggle("chosen", button.dataset.by === chosen);
}

/** A head that sorts by what stands below it. */
function sortHead(by, label, attributes = {}) {
  const isChosen = state.sort.by === by;
  const onclick = () => {
    state.sort = { by, reverse: isChosen && !state.sort.reverse };
    remember();
    drawHeat();
    heat.grid[0].find((each) => each.dataset.by === by)?.focus();
  };
  const [way, arrow] = state.sort.reverse ? ["descending", " ▼"] : ["ascending", " ▲"];
  const button = element("button", { type: "button", class: "sort", tabindex: -1, "data-by": by, onclick }, label, isChosen ? element("span", { "aria-hidden": "true" }, arrow) : null);
  return element("th", { scope: "col", "aria-sort": isChosen ? way : null, ...attributes }, button);
}

/** Fields are copied, which is much quicker than making thousands. */
const HEAT_FIELD = element("td", { tabindex: -1 });

function heatCell(field) {
  const cell = HEAT_FIELD.cloneNode();
  cell.className = field.step === undefined ? field.look : `${field.look} h${field.step}`;
  cell.textContent = field.text;
  return cell;
}

function showHeat() {
  const { measure, isCut, columns, over, rows } = heat;
  const groups = d3.groups(columns, (contest) => contest.event);
  const differing = fieldAxes.filter(([, index]) => new Set(columns.map((contest) => contest.at[index])).size > 1);
  const isGrouped = differing.length > 0 && measure.per_phase;
  const label = (contest) => differing.map(([axis, index]) => axis.values[contest.at[index]].label).join(" · ") || contest.event || measure.title;
  const heads = columns.map((contest) => sortHead(columnKey(contest), label(contest), { class: "workload" }));
  const rowspan = isGrouped ? 2 : null;
  const first = [sortHead("store", "store", { rowspan }), ...(over ? [sortHead("overall", "overall", { rowspan, class: "overall" })] : [])];
  const bodies = rows.map((row) => element("tr", {},
    element("th", { scope: "row", tabindex: -1 }, storeName(row.store)),
    row.over ? heatCell(row.over) : null,
    row.fields.map(heatCell)));
  document.getElementById("heat-table").replaceChildren(element("table", { class: columns.length > PAPER_COLUMNS_MAX ? "heat broad" : "heat", role: "grid", "aria-label": "Every store in every workload" },
    element("thead", {}, isGrouped
      ? [element("tr", {}, first, groups.map(([event, of]) => element("th", { scope: "colgroup", class: "group", colspan: of.length }, element("span", {}, event)))), element("tr", {}, heads)]
      : element("tr", {}, first, heads)),
    element("tbody", {}, bodies)));
  heat.grid = [[...first, ...heads].map((head) => head.firstChild), ...bodies.map((row) => [...row.children])];
  reach(heat.grid[0][0]);
  hidePop();
  const whole = over ? ` Overall: geometric mean over the ${over.common} of ${over.all} workloads that all stores have figures of.` : "";
  const cut = isCut ? ` There are too many workloads to show at once: these are of ${state.event}.` : "";
  document.getElementById("heat-hint").textContent = `${upperFirst(measure.title)}: how many times worse than the best store of a workload each one is.${whole}${cut} Press a head to sort by it.`;
  document.getElementById("heat-legend").replaceChildren(...heatLegend(rows));
  document.getElementById("heat-save").replaceChildren(saveMenu(`Every store in every workload: ${measure.title}`, heatWords(), () => [heatPicture()]));
}

/** What the heatmap shows, where it is saved: its signs, and where on all axes that are no columns it was measured. */
const heatWords = () => `How many times worse than the best of each workload. ★ best; = tied, within ${data.tied_within}×; ≈ not told apart from the best; ? too few rounds. ${upperFirst(placeLabel())}`;

/** The looks that are there, and the scale. */
function heatLegend(rows) {
  const seen = new Set(rows.flatMap((row) => [row.over, ...row.fields]).filter(Boolean).map((field) => field.look));
  const looks = ["wins", "tied", "open", "unproven"].filter((look) => seen.has(look)).map((look) =>
    element("span", {}, element("i", { class: `${look} h0` }, LOOKS[look][0]), ` ${LOOKS[look][1]}`));
  const steps = [...data.heat.map((end) => `≤ ${Number(end)}×`), "more"].map((words, step) => element("span", {}, element("i", { class: `h${step}` }), ` ${words}`));
  return [...looks, "times the best:", ...steps];
}

/** A field's place in the grid. */
function heatPlace(cell) {
  const row = heat.grid.findIndex((each) => each.includes(cell));
  return row < 0 ? null : [row, heat.grid[row].indexOf(cell)];
}

/** The field that a cell shows; a head and a store's name have none. */
function fieldAt([row, column]) {
  if (row === 0 || column === 0) return null;
  const of = heat.rows[row - 1];
  return [of.over, ...of.fields].filter(Boolean)[column - 1];
}

/** The interval of a ratio, where it has one. */
const intervalWords = ({ low, high }) => (low === undefined || low === high ? "" : ` (${timesRange(low, high)})`);

/** What a field says, for a screen reader too. */
function heatSaid({ contest, store, ratio, words }) {
  const { measure, over } = heat;
  const figures = contest && figuresOf(contest, store, measure);
  const where = contest ? [contest.event, workloadLabel(contest.at)].filter(Boolean).join(" · ") : `over ${over.common} of ${over.all} workloads`;
  const parts = [
    figures && `${measure.title} ${figure(figures[0], measure)}${figures.length > 2 ? ` (${SPREAD_TITLE} ${range(figures[1], figures[2], measure)})` : ""}`,
    ratio && `${times(ratio.times)} the best${intervalWords(ratio)}`,
    words,
    contest?.not_offered?.find(([of]) => of === store)?.[1],
  ];
  return `${data.stores[store].title}, ${where}: ${parts.filter(Boolean).join("; ")}.`;
}

/** All figures of a store in a workload. */
function heatFigures({ contest, store }) {
  if (!contest) return "";
  const whole = contestsByPlace.get(placeKey("", contest.at));
  const rows = measures.filter((measure) => measure.in_detail || measure === heat.measure).flatMap((measure) => {
    const of = measure.per_phase ? contest : whole;
    const figures = figuresOf(of, store, measure);
    const ratio = figures && ratioOf(of, store, measure);
    return figures ? [element("tr", {},
      element("td", {}, measure.title), element("td", {}, figure(figures[0], measure)),
      element("td", { class: "interval" }, figures.length > 2 ? range(figures[1], figures[2], measure) : "one round"),
      element("td", {}, ratio ? times(ratio.times) : "–"),
      element("td", { class: "interval" }, ratio ? intervalWords(ratio) : ""))] : [];
  });
  if (!rows.length) return "";
  const heads = ["", "figure", SPREAD_TITLE, "to the best", ""];
  return element("table", {}, element("thead", {}, element("tr", {}, heads.map((head) => element("th", {}, head)))), element("tbody", {}, rows));
}

/** Shows next to a field what it says, and all figures there. */
function showHeatField(cell, field) {
  openPop(cell, element("p", {}, heatSaid(field)), heatFigures(field));
}

/** Only one cell is reached with Tab; arrows lead to the others. */
function reach(cell) {
  if (heat.reached) heat.reached.tabIndex = -1;
  heat.reached = cell;
  cell.tabIndex = 0;
}

const HEAT_STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };

function listenToHeat() {
  const frame = document.getElementById("heat-table");
  const cellOf = ({ target }) => target.closest("td, tbody th, button.sort");
  frame.addEventListener("focusin", (event) => {
    const cell = cellOf(event), at = cell && heatPlace(cell), field = at && fieldAt(at);
    if (!at) return;
    reach(cell);
    document.getElementById("heat-said").textContent = field ? heatSaid(field) : "";
    if (field) showHeatField(cell, field);
  });
  frame.addEventListener("focusout", hidePop);
  frame.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("td"), field = cell && fieldAt(heatPlace(cell));
    if (field && !(popOwner === cell && !pop.hidden)) showHeatField(cell, field);
  });
  frame.addEventListener("mouseout", ({ relatedTarget }) => popOwner?.contains(relatedTarget) || hidePop());
  frame.addEventListener("scroll", () => (document.activeElement === popOwner ? place(popOwner.getBoundingClientRect()) : hidePop()), { passive: true });
  frame.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    cell.focus();
    chooseHeat(cell);
  });
  frame.addEventListener("keydown", (event) => {
    const step = HEAT_STEPS[event.key], cell = cellOf(event), at = cell && heatPlace(cell);
    if (!at) return;
    if (event.key === "Enter" && cell.matches("td")) chooseHeat(cell);
    if (!step) return;
    event.preventDefault();
    const [row, column] = at.map((place, side) => place + step[side]);
    const across = heat.grid[Math.max(0, Math.min(row, heat.grid.length - 1))];
    across[Math.max(0, Math.min(column, across.length - 1))].focus();
  });
}

/** Shows the workload of a field below. */
function chooseHeat(cell) {
  const { contest } = fieldAt(heatPlace(cell)) ?? {};
  if (!contest) return;
  state.at = [...contest.at];
  if (contest.event) state.event = contest.event;
  changed();
}

const HEAT_PIXELS = { across: 46, down: 22 };

/** How the fields of a look are outlined where they are saved. */
const OUTLINES = {
  wins: { stroke: "var(--good)", "stroke-width": 1.5 },
  tied: { stroke: "var(--good)", "stroke-width": 1.5, "stroke-dasharray": "3 2" },
  open: { stroke: "var(--soft)", "stroke-dasharray": "2 3" },
  unproven: { stroke: "var(--soft)", "stroke-dasharray": "2 3" },
};

/** The heatmap as an SVG, to be saved. */
function heatPicture() {
  const { columns, rows, over } = heat;
  const { across, down } = HEAT_PIXELS;
  const labels = [...(over ? ["overall"] : []), ...columns.map(columnName)];
  const left = 30 + Math.max(...rows.map((row) => textWidth(data.stores[row.store].title, BOLD)));
  const top = 14 + Math.max(...labels.map((label) => textWidth(label, PLAIN)));
  const width = left + labels.length * across + 10, height = top + rows.length * down;
  const fields = rows.flatMap((row, y) => [row.over, ...row.fields].filter(Boolean).flatMap((field, x) => {
    const box = { x: left + x * across + 1, y: top + y * down + 1, width: across - 2, height: down - 2, rx: 3 };
    const fill = field.step === undefined ? "none" : `var(--h${field.step})`;
    return [
      vector("rect", { ...box, fill, ...OUTLINES[field.look] }),
      vector("text", { x: left + (x + 0.5) * across, y: top + (y + 0.5) * down + 4, "text-anchor": "middle", "font-size": 11, fill: field.look === "failed" ? "var(--bad)" : "var(--ink)" }, field.text),
    ];
  }));
  const names = rows.flatMap((row, y) => [
    vector("circle", { cx: 8, cy: top + (y + 0.5) * down, r: 4, fill: colourOf(row.store) }),
    vector("text", { x: 18, y: top + (y + 0.5) * down + 4, "font-size": 12, fill: "var(--ink)" }, data.stores[row.store].title),
  ]);
  const heads = labels.map((label, x) => vector("text", { transform: `translate(${left + (x + 0.5) * across + 4} ${top - 6}) rotate(-90)`, "font-size": 11, fill: "var(--soft)" }, label));
  return vector("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, names, heads, fields);
}

listenToHeat();
