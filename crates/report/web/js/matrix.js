// The matrix: operation × size by data type × number of records, in each field the best store or the tied ones.

const NAMES_MAX = 2;

const VERDICTS = {
  w: "wins",
  t: `tied, within ${data.tied_within}×`,
  o: "first by its figure, not told apart from the next",
  u: "first by its figure, not proven: too few rounds",
  a: "no competitor",
};

const TOO_FEW = "too few operations";
const TIMED_WHOLE = "timed as a whole: no latencies of single operations.";

/** What is shown of measures that are no mean of all rounds. */
/** What low and high below a figure are. */
const SPREAD_TITLE = "lowest–highest round";

const OF_ROUNDS = { median: "the median of the rounds", largest: "the largest of all rounds" };

/** The state's place with some axes changed. */
function placeWith(changes) {
  return state.at.map((place, index) => changes[data.axes[index].name] ?? place);
}

function drawMatrix() {
  const measure = state.measure;
  const values = (name) => data.axes[axisIndex.get(name)].values;
  const columns = values("data").flatMap((type, typeIndex) =>
    values("records").map((records, recordsIndex) => ({ type, records, at: { data: typeIndex, records: recordsIndex } })),
  );
  const used = columns.filter((column) =>
    [...events, ""].some((event) => values("value_bytes").some((_, size) => contestAt(event, placeWith({ ...column.at, value_bytes: size }), measure))),
  );
  const rows = (measure.per_phase ? events : [""]).flatMap((event) => matrixRows(event, measure, used, values("value_bytes")));
  fill(buttonsFor(used, rows), rows, measure);
  document.getElementById("matrix-hint").textContent = `${upperFirst(measure.title)}. ${measure.help} ${measure.lower_is_better ? "Less" : "More"} is better.${describeShown(measure)}`;
  document.getElementById("matrix-place").textContent = `Here: ${placeLabel()}.`;
  document.getElementById("matrix-legend").textContent = `A = B: tied, within ${data.tied_within}×; the figure is the first one's. ?: not told apart from the next, or too few rounds.${state.hidden.size ? " *: best of the stores shown; a store left out is better." : ""} Point at a field, or move to it with Tab, to see every store; choose it to see the workload below.`;
}

/** The buttons of the matrix, and which rows and columns it has now. */
let buttons = [];
let shape = null;

/** The buttons of a matrix with these columns and rows: those there are, unless it has another shape. Laying out thousands anew takes long. */
function buttonsFor(columns, rows) {
  const wanted = JSON.stringify([columns.map(({ type, records }) => [type.label, records.label]), rows.map(({ head, size, contests }) => [head, size.label, contests.map(Boolean)])]);
  if (wanted !== shape) {
    const table = matrixTable(columns, rows);
    document.getElementById("matrix-table").replaceChildren(table);
    [buttons, shape] = [[...table.querySelectorAll(".cell")], wanted];
  }
  return buttons;
}

/** A range that may be broken behind its points, where there is little room. */
const breakable = (label) => label.split(/(?<=\.\.)/).flatMap((part, index) => (index ? [element("wbr"), part] : [part]));

/** As many fields are laid out whether they are in sight or not, which pictures of the whole page need. */
const ALL_LAID_OUT_MAX = 500;

function matrixTable(columns, rows) {
  const types = columns.map((column, index) => (index > 0 && columns[index - 1].type === column.type ? "" : column.type.label));
  const isLarge = columns.length * rows.length > ALL_LAID_OUT_MAX;
  return element("table", { class: `matrix ${isLarge ? "large" : ""}` },
    element("thead", {},
      element("tr", {}, element("th", {}), element("th", { scope: "row" }, "values"), types.map((type) => element("th", {}, type))),
      element("tr", {}, element("th", { scope: "col" }, "operation"), element("th", { scope: "row" }, "records"), columns.map((column) => element("th", { scope: "col" }, column.records.label))),
    ),
    element("tbody", {}, rows.map((row) =>
      element("tr", { class: `${row.head ? "first" : ""} ${row.isLast ? "last" : ""}` },
        element("th", { scope: "row" }, row.head),
        element("th", { scope: "row", class: "size" }, breakable(row.size.label)),
        row.contests.map((contest) => (contest ? FIELD.cloneNode(true) : element("td", { class: "blank", title: "not measured: see what was skipped under Method and data" }, "–"))),
      ),
    )),
  );
}

/** Where on all axes that are no rows or columns of the matrix it was measured: paper has no choosers. */
function placeLabel() {
  const words = data.axes.flatMap((axis, index) => {
    const { label } = axis.values[state.at[index]];
    const alone = axis.values.length === 1 && (label === "none" || axis.name === "run");
    return axis.of_field || alone ? [] : [`${axis.title} ${label}`];
  });
  return words.join(" · ");
}

/** That what is shown and what is ranked are made of rounds in two ways, where they are. */
function describeShown(measure) {
  const shown = OF_ROUNDS[measure.of_rounds];
  return shown ? ` Shown is ${shown}; who is best, and by how much, comes from the ratios within rounds of ${measure.title}.` : "";
}

function lowerFirst(words) {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

function upperFirst(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An operation's rows: one for each size at which anything was measured. */
function matrixRows(event, measure, columns, sizes) {
  const rows = sizes.flatMap((size, sizeIndex) => {
    const contests = columns.map((column) => contestAt(event, placeWith({ ...column.at, value_bytes: sizeIndex }), measure));
    return contests.some(Boolean) ? [{ event, size, contests }] : [];
  });
  return rows.map((row, index) => ({ ...row, head: index === 0 ? event || measure.title : "", isLast: index === rows.length - 1 }));
}

/** There may be thousands of fields: copying one is much quicker than making each anew. */
const FIELD = element("td", {}, element("button", { type: "button", class: "cell" }, element("b"), " ", element("span", { class: "value" })));

/** What each field of the matrix shows. */
const fields = new WeakMap();

/** Fills every field: a button that shows every store's figure, and chooses the workload. What a field shows already is not written again. */
function fill(buttons, rows, measure) {
  const among = [...state.hidden].join();
  let isWritten = false;
  const all = rows.flatMap(({ event, contests }) => contests.filter(Boolean).map((contest) => ({ contest, event, measure, among })));
  all.forEach((field, index) => {
    const button = buttons[index], before = fields.get(button);
    const isSame = before && ["contest", "measure", "among"].every((part) => before[part] === field[part]);
    const shows = isSame ? before.shows : fieldShows(field.contest, measure);
    const chosen = field.contest.at.every((place, axis) => place === state.at[axis]) && (field.event === state.event || !measure.per_phase);
    if (!isSame) {
      isWritten = true;
      if (shows.names !== before?.shows.names) button.firstChild.textContent = shows.names;
      if (shows.value !== before?.shows.value) button.lastChild.textContent = shows.value;
    }
    const look = `cell ${shows.marks}${chosen ? " chosen" : ""}`;
    if (button.className !== look) button.className = look;
    if (chosen !== before?.chosen) button.setAttribute("aria-pressed", String(chosen));
    if (!isSame) button.setAttribute("aria-label", spoken(field.contest, measure, shows));
    fields.set(button, { ...field, shows, chosen });
  });
  if (isWritten) widen(rows);
}

/** Each column of a large matrix as wide as its widest field, which the browser cannot know: it lays out only those fields that are in sight. */
function widen(rows) {
  const heads = document.querySelectorAll(".matrix.large thead tr:last-child th:nth-child(n + 3)");
  if (!heads.length) return;
  const widest = Array(heads.length).fill(0);
  let next = 0;
  for (const { contests } of rows) {
    contests.forEach((contest, column) => {
      if (!contest) return;
      const { names, value } = fields.get(buttons[next++]).shows;
      widest[column] = Math.max(widest[column], textWidth(`${names} `, BOLD) + textWidth(value, PLAIN));
    });
  }
  heads.forEach((head, column) => {
    head.style.minWidth = `calc(${Math.ceil(widest[column] * 1.02)}px + 1.6em)`;
  });
}

const pen = document.createElement("canvas").getContext("2d");
const { fontSize, fontFamily } = getComputedStyle(document.body);
const PLAIN = { font: `${fontSize} ${fontFamily}`, known: new Map() };
const BOLD = { font: `600 ${PLAIN.font}`, known: new Map() };

/** How wide a text is, in pixels. */
function textWidth(text, { font, known }) {
  if (!known.has(text)) {
    pen.font = font;
    known.set(text, pen.measureText(text).width);
  }
  return known.get(text);
}

/** A field's name for a screen reader: where it is, what it shows, and how sure that is. */
function spoken(contest, measure, { names, value }) {
  contest.words ??= [contest.event, workloadLabel(contest.at)].filter(Boolean).join(" · ");
  const verdict = names && (state.hidden.size ? "among the stores shown" : VERDICTS[verdictOf(contest, measure)]);
  return `${contest.words}: ${[[names, value].filter(Boolean).join(" "), verdict].filter(Boolean).join(", ")}`;
}

/** What a field shows: the marks of the first stores, the names, a figure or why there is none. */
function fieldShows(contest, measure) {
  const rest = standings(contest, measure).filter((each) => shown(each.index));
  const first = firstOf(rest.filter((each) => each.store.ranked));
  if (!first.length) return { marks: "none", names: "", value: rest.length ? "not ranked" : whyNone(contest, measure) };
  return {
    marks: first.length > 1 ? `${marksOf(first[0].index)} ${stripes(first)}` : marksOf(first[0].index),
    names: winners(contest, measure, first, rest),
    value: figure(first[0].figures[0], measure),
  };
}

function whyNone(contest, measure) {
  if (contest.entries.some((entry) => hasTooFew(contest, entry.store, measure))) return TOO_FEW;
  if (lacksLatencies(contest, measure)) return "timed as a whole";
  return contest.failed?.length && !contest.entries.length ? "failed" : "n/a";
}

/** Listens for all fields at once: there may be thousands. */
function listenToFields() {
  const table = document.getElementById("matrix-table");
  const on = (type, act) => table.addEventListener(type, (event) => {
    const button = event.target.closest(".cell");
    if (button) act(button, fields.get(button));
  });
  const show = (button, { contest, measure }) => popOwner === button && !pop.hidden || showPop(button, contest, measure);
  on("click", (_, { contest, event }) => choose(contest, event));
  on("focusin", show);
  on("mouseover", show);
  on("focusout", hidePop);
  table.addEventListener("mouseout", ({ relatedTarget }) => popOwner?.contains(relatedTarget) || hidePop());
}

/** Who shares the first place among the stores shown: the verdict was made among all of them. */
function firstOf(ranked) {
  const tied = ranked.filter((each) => each.figures[6] === 1);
  return tied.length ? tied : ranked.slice(0, 1);
}

/** The names of the stores that share the first place, if there is room for them. */
function winners(contest, measure, first, rest) {
  const ranked = rest.filter((each) => each.store.ranked);
  const all = first.length > NAMES_MAX && first.length === ranked.length;
  const names = all ? [`all ${first.length} tied`] : first.slice(0, NAMES_MAX).map((each) => cut(each.store.short, NAME_LENGTH_MAX));
  const more = all || first.length <= NAMES_MAX ? "" : ` +${first.length - NAMES_MAX}`;
  return names.join(" = ") + more + doubt(contest, measure);
}

/** What stands behind the name of a first place that is not proven, or that a store left out has. */
function doubt(contest, measure) {
  const all = firstOf(standings(contest, measure).filter((each) => each.store.ranked));
  if (!all.some((each) => shown(each.index))) return "*";
  return ["o", "u"].includes(verdictOf(contest, measure)) ? "?" : "";
}

/** Looks of ties: a class for each, since giving thousands of fields a look of their own takes long. */
const looks = new CSSStyleSheet();
const ties = new Set();
document.adoptedStyleSheets.push(looks);

/** A tie shows the colours of everyone in it, in the order of the names. */
function stripes(first) {
  const stores = first.map((each) => each.index);
  const tie = `tie-${stores.join("-")}`;
  if (!ties.has(tie)) {
    const part = 100 / stores.length;
    const tint = (store) => `color-mix(in srgb, ${colourOf(store)} var(--tint), var(--card))`;
    const stops = stores.map((store, index) => `${tint(store)} ${(index * part).toFixed(1)}% ${((index + 1) * part).toFixed(1)}%`);
    looks.insertRule(`.cell.${tie} { background: linear-gradient(100deg, ${stops.join(", ")}); }`);
    ties.add(tie);
  }
  return tie;
}

/** The most characters of a name in a field: what it points at says it in full. */
const NAME_LENGTH_MAX = 26;

function choose(contest, event) {
  state.at = [...contest.at];
  if (event) state.event = event;
  const place = [...document.querySelectorAll(".cell")].indexOf(document.activeElement);
  changed();
  document.querySelectorAll(".cell")[place]?.focus();
}

const pop = document.getElementById("pop");
let popOwner = null;

/** Shows every store's figure under the measure next to the field. */
function showPop(button, contest, measure) {
  const percentiles = ["latency_ns_p50", "latency_ns_p99"].map((name) => data.measures[measureIndex.get(name)]).filter((each) => measure.per_phase && each !== measure && measures.includes(each));
  const rows = standings(contest, measure).filter((each) => shown(each.index)).map((each) => {
    const [mean, low, high, ratio] = each.figures;
    return element("tr", {},
      element("td", {}, storeName(each.index)),
      element("td", {}, figure(mean, measure)),
      element("td", { class: "interval" }, high === undefined ? "one round" : range(low, high, measure)),
      element("td", {}, ratio === undefined ? "–" : times(ratio)),
      percentiles.map((of) => element("td", {}, figureOrDash(contest, each.index, of))),
    );
  });
  const heads = ["", measure.title, SPREAD_TITLE, "to the best", ...percentiles.map((of) => of.title)];
  const verdict = VERDICTS[verdictOf(contest, measure)];
  openPop(
    button,
    element("p", {}, element("b", {}, [contest.event, workloadLabel(contest.at)].filter(Boolean).join(" · ")), verdict ? ` (${verdict})` : ""),
    element("table", {}, element("thead", {}, element("tr", {}, heads.map((head) => element("th", {}, head)))), element("tbody", {}, rows)),
    contest.asked_per_second ? element("p", { class: "hint" }, describeOpenLoop(contest)) : "",
    ...[...describeMissing(contest), ...describeTooFew(contest, measure), ...(contest.timed_whole && measure.per_phase ? [upperFirst(TIMED_WHOLE)] : [])].map((words) => element("p", { class: "hint" }, words)),
  );
  button.setAttribute("aria-describedby", pop.id);
}

/** Shows something next to an element. */
function openPop(owner, ...contents) {
  hidePop();
  pop.replaceChildren(...contents);
  pop.hidden = false;
  popOwner = owner;
  place(owner.getBoundingClientRect());
}

function place(beside) {
  const { width, height } = pop.getBoundingClientRect();
  const left = Math.max(8, Math.min(beside.left, innerWidth - width - 8));
  const below = beside.bottom + 6;
  pop.style.left = `${left}px`;
  pop.style.top = `${below + height > innerHeight && beside.top > height + 12 ? beside.top - height - 6 : below}px`;
}

function hidePop() {
  pop.hidden = true;
  popOwner?.removeAttribute("aria-describedby");
}

function figureOrDash(contest, store, measure) {
  const figures = figuresOf(contest, store, measure);
  return figures ? figure(figures[0], measure) : "–";
}

/** Whose percentile is not shown, and why. */
function describeTooFew(contest, measure) {
  const few = contest.entries.filter((entry) => shown(entry.store) && hasTooFew(contest, entry.store, measure));
  if (!few.length) return [];
  return [`${few.map((entry) => data.stores[entry.store].title).join(", ")}: ${TOO_FEW} for ${measure.title}: not ten slower ones in all rounds together, or none in some.`];
}

/** Who failed here, and who does not offer it. */
function describeMissing(contest) {
  const title = (store) => data.stores[store].title;
  const failed = (contest.failed ?? []).filter(shown).map((store) => `${title(store)}: failed`);
  const missing = (contest.not_offered ?? []).filter(([store]) => shown(store)).map(([store, reason]) => `${title(store)}: n/a, ${reason}`);
  return [...failed, ...missing];
}

listenToFields();
listeners.push(drawMatrix);
document.addEventListener("keydown", (event) => event.key === "Escape" && hidePop());
// Moving the focus scrolls; what the focus shows goes along.
document.addEventListener("scroll", () => (document.activeElement === popOwner ? place(popOwner.getBoundingClientRect()) : hidePop()), { passive: true });
