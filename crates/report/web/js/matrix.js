// The matrix: operation × size by data type × number of records, in each field the best store or those that are tied.

const NAMES_MAX = 2;

const VERDICTS = {
  w: "wins",
  t: "tied: cannot be told apart",
  u: "first by its figure, not proven: too few rounds",
  a: "no competitor",
};

const TOO_FEW = "too few operations";

/** What is shown of measures that are no mean of all rounds. */
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
  const body = (measure.per_phase ? events : [""]).flatMap((event) => matrixRows(event, measure, used, values("value_bytes")));
  const types = used.map((column, index) => (index > 0 && used[index - 1].type === column.type ? "" : column.type.label));
  const table = element(
    "table",
    { class: "matrix" },
    element("thead", {},
      element("tr", {}, element("th", {}), element("th", { scope: "row" }, "values"), types.map((type) => element("th", {}, type))),
      element("tr", {}, element("th", { scope: "col" }, "operation"), element("th", { scope: "row" }, "records"), used.map((column) => element("th", { scope: "col" }, column.records.label))),
    ),
    element("tbody", {}, body),
  );
  document.getElementById("matrix-table").replaceChildren(table);
  document.getElementById("matrix-hint").textContent = `${upperFirst(measure.title)}. ${measure.help} ${measure.lower_is_better ? "Less" : "More"} is better.${shownWords(measure)}`;
  document.getElementById("matrix-place").textContent = `Here: ${placeWords()}.`;
  document.getElementById("matrix-legend").textContent = "A = B: tied, cannot be told apart at 95 %; the figure is the first one's. A question mark: not proven, or best of those shown only. Point at a field, or move to it with Tab, to see every store; choose it to see the workload below.";
}

/** Where on all axes that are no rows or columns of the matrix it was measured: paper has no choosers. */
function placeWords() {
  const words = data.axes.flatMap((axis, index) => {
    const { label } = axis.values[state.at[index]];
    const alone = axis.values.length === 1 && (label === "none" || axis.name === "run");
    return ["data", "records", "value_bytes"].includes(axis.name) || alone ? [] : [`${axisTitle(axis)} ${label}`];
  });
  return words.join(" · ");
}

/** What low and high beside a figure are. */
const spreadTitle = (measure) => (OF_ROUNDS[measure.of_rounds] ? "lowest–highest round" : "95 % interval");

/** That what is shown and what is ranked are made of rounds in two ways, where they are. */
function shownWords(measure) {
  const shown = OF_ROUNDS[measure.of_rounds];
  return shown ? ` Shown is ${shown}; who is best, and by how much, is told by the means of the rounds' ${measure.title}.` : "";
}

function upperFirst(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function matrixRows(event, measure, columns, sizes) {
  const rows = sizes.flatMap((size, sizeIndex) => {
    const contests = columns.map((column) => contestAt(event, placeWith({ ...column.at, value_bytes: sizeIndex }), measure));
    return contests.some(Boolean) ? [{ size, contests }] : [];
  });
  return rows.map(({ size, contests }, index) =>
    element(
      "tr",
      { class: `${index === 0 ? "first" : ""} ${index === rows.length - 1 ? "last" : ""}` },
      element("th", { scope: "row" }, index === 0 ? event || measure.title : ""),
      element("th", { scope: "row", class: "size" }, size.label),
      contests.map((contest) => (contest ? field(contest, event, measure) : element("td", { class: "blank", title: "not measured: what was skipped or given up is told behind the figures" }, "–"))),
    ),
  );
}

/** There may be thousands of fields: copying one is much quicker than making each anew. */
const FIELD = element("td", {}, element("button", { type: "button" }, element("b"), " ", element("span", { class: "value" })));

/** One field: a button that shows every store's figure, and chooses the workload. */
function field(contest, event, measure) {
  const rest = standings(contest, measure).filter((each) => shown(each.index));
  const first = firstOf(rest.filter((each) => each.store.ranked));
  const chosen = contest.at.every((place, index) => place === state.at[index]) && (event === state.event || !measure.per_phase);
  const made = FIELD.cloneNode(true);
  const button = made.firstChild;
  button.className = `cell ${first.length ? marksOf(first[0].index) : "none"} ${chosen ? "chosen" : ""}`;
  button.setAttribute("aria-pressed", String(chosen));
  if (first.length > 1) button.style.background = stripes(first);
  if (first.length) {
    button.firstChild.textContent = winners(contest, measure, first, rest);
    button.lastChild.textContent = figure(first[0].figures[0], measure);
  } else {
    const few = contest.entries.some((entry) => hasTooFew(contest, entry.store, measure));
    button.textContent = rest.length ? "not ranked" : few ? TOO_FEW : contest.failed?.length && !contest.entries.length ? "failed" : "n/a";
  }
  fields.set(button, { contest, event, measure });
  return made;
}

/** What each field of the matrix shows. */
const fields = new WeakMap();

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

/** The names of those that share the first place, as far as there is room. */
function winners(contest, measure, first, rest) {
  const ranked = rest.filter((each) => each.store.ranked);
  const all = first.length > NAMES_MAX && first.length === ranked.length;
  const names = all ? [`all ${first.length} tied`] : first.slice(0, NAMES_MAX).map((each) => shortTitle(each.store));
  const more = all || first.length <= NAMES_MAX ? "" : ` +${first.length - NAMES_MAX}`;
  const doubt = verdictOf(contest, measure) === "u" || first[0].figures[6] !== 1 ? "?" : "";
  return names.join(" = ") + more + doubt;
}

/** A tie shows the colours of everyone in it. */
function stripes(first) {
  const part = 100 / first.length;
  const tint = (each) => `color-mix(in srgb, ${colourOf(each.index)} var(--tint), var(--card))`;
  const stops = first.map((each, index) => `${tint(each)} ${(index * part).toFixed(1)}% ${((index + 1) * part).toFixed(1)}%`);
  return `linear-gradient(100deg, ${stops.join(", ")})`;
}

/** The first word of a title, if no other store's title begins with it. */
function shortTitle(store) {
  const word = store.title.split(" ")[0];
  return data.stores.filter((each) => each.title.split(" ")[0] === word).length > 1 ? store.title : word;
}

function choose(contest, event) {
  state.at = [...contest.at];
  if (event) state.event = event;
  const place = [...document.querySelectorAll(".cell")].indexOf(document.activeElement);
  changed();
  document.querySelectorAll(".cell")[place]?.focus();
}

const pop = document.getElementById("pop");
let popOwner = null;

/** Every store's figure under the measure, beside the field. */
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
  const heads = ["", measure.title, spreadTitle(measure), "to the best", ...percentiles.map((of) => of.title)];
  const verdict = VERDICTS[verdictOf(contest, measure)];
  pop.replaceChildren(
    element("p", {}, element("b", {}, [contest.event, workloadWords(contest.at)].filter(Boolean).join(" · ")), verdict ? ` (${verdict})` : ""),
    element("table", {}, element("thead", {}, element("tr", {}, heads.map((head) => element("th", {}, head)))), element("tbody", {}, rows)),
    contest.asked_per_second ? element("p", { class: "hint" }, openLoopWords(contest)) : "",
    ...[...missingWords(contest), ...tooFewWords(contest, measure)].map((words) => element("p", { class: "hint" }, words)),
  );
  pop.hidden = false;
  popOwner = button;
  place(button.getBoundingClientRect());
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
}

function figureOrDash(contest, store, measure) {
  const figures = figuresOf(contest, store, measure);
  return figures ? figure(figures[0], measure) : "–";
}

/** Whose percentile is not shown, and why. */
function tooFewWords(contest, measure) {
  const few = contest.entries.filter((entry) => shown(entry.store) && hasTooFew(contest, entry.store, measure));
  if (!few.length) return [];
  return [`${few.map((entry) => data.stores[entry.store].title).join(", ")}: ${TOO_FEW} for ${measure.title}: not ten slower ones in all rounds together, or none in some.`];
}

/** Who failed here, and who does not offer it. */
function missingWords(contest) {
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
