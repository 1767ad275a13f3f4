// One workload: every store's figures with intervals and percentiles, and what is needed to run its cell again.

function drawDetail() {
  const contest = contestAt(state.event, state.at);
  const whole = contestsByPlace.get(placeKey("", state.at));
  const words = [state.event, workloadLabel(state.at)].filter(Boolean).join(" · ");
  const open = contest?.timed_whole ? ` ${upperFirst(TIMED_WHOLE)}` : contest?.asked_per_second ? ` ${describeOpenLoop(contest)}` : "";
  const per = `${contest?.per_entry ? " Times and rates are per entry, percentiles per scan." : ""}${contest?.operation ? " The phase mixes operations: ops/s counts these over the time of all." : ""}`;
  document.getElementById("detail-workload").textContent = contest ? `${words}. The figure of a typical round; of percentiles the median of the rounds (too few: not ten operations beyond it), of max the largest; below each the lowest and the highest round.${per}${describeThreads(state.at)}${open}` : `${words}: nothing was measured here.`;
  document.getElementById("detail-table").replaceChildren(...(contest ? detailTables(contest, whole) : []));
  document.getElementById("detail-cells").replaceChildren(...(contest ? [element("p", { class: "hint" }, describeMissing(contest).join(" · ")), cellsAgain(contest), columnsMeaning(contest, whole)] : []));
}

/** That operations did not wait for each other, and how many a second were due. */
function describeOpenLoop(contest) {
  return `Open loop: ${figure(contest.asked_per_second, { unit: "per_second" })} asked for; times count from when operations were due.`;
}

/** Whose figures they are where several threads were at work; nothing where there was one. */
function describeThreads(at) {
  const threads = data.axes[axisIndex.get("threads")]?.values[at[axisIndex.get("threads")]].number;
  return threads > 1 ? ` ${threads} threads: times are those of an operation in its thread, rates those of all threads together; CPU, bytes and memory are the whole process's.` : "";
}

/** What the table of a workload is sorted by, the best first: mean time unless a head was pressed. */
let detailSort = { measure: data.measures[0], reverse: false };

/** The stores of a workload in that order; those without such a figure come last. */
function detailOrder(contest, whole) {
  const { measure, reverse } = detailSort;
  const all = standings(contest, data.measures[0]).filter((each) => shown(each.index));
  const order = standings(measure.per_phase ? contest : whole, measure).map((each) => each.index);
  const known = all.filter((each) => order.includes(each.index)).sort((one, other) => order.indexOf(one.index) - order.indexOf(other.index));
  return [...(reverse ? known.toReversed() : known), ...all.filter((each) => !order.includes(each.index))];
}

/** A head that sorts by its measure. */
function detailHead(measure) {
  const isChosen = detailSort.measure === measure;
  const isUp = measure.lower_is_better !== detailSort.reverse;
  const onclick = () => {
    detailSort = { measure, reverse: isChosen && !detailSort.reverse };
    drawDetail();
    document.querySelector(`#detail-table [data-by="${measure.name}"]`)?.focus();
  };
  const arrow = isChosen ? element("span", { "aria-hidden": "true" }, isUp ? " ▲" : " ▼") : null;
  return element("th", { scope: "col", title: measure.help, "aria-sort": isChosen ? (isUp ? "ascending" : "descending") : null },
    element("button", { type: "button", class: "sort", "data-by": measure.name, onclick }, measure.title, arrow));
}

const detailColumns = (contest, whole) => measures.filter((measure) => measure.in_detail && hasColumn(contest, whole, measure));

/** Figures of the operation, and below them those of the whole cell: one table of all would be wider than the page. */
function detailTables(contest, whole) {
  const order = detailOrder(contest, whole);
  const columns = detailColumns(contest, whole);
  const [ofPhase, ofCell] = [true, false].map((perPhase) => columns.filter((measure) => measure.per_phase === perPhase));
  const ratios = order.map((each) => ratioCell(each, verdictOf(contest, data.measures[0])));
  const rounds = order.map((each) => element("td", {}, String(each.entry.rounds)));
  return [
    detailTable(contest, order, ofPhase, [["to the best", ratios]], [["rounds", rounds]]),
    ofCell.length ? detailTable(whole, order, ofCell, [], []) : null,
  ].filter(Boolean);
}

/** A table of some measures, with other columns before and behind them. */
function detailTable(contest, order, columns, before, behind) {
  const head = ([title]) => element("th", { scope: "col" }, title);
  const rows = order.map((each, index) => element("tr", {},
    element("th", { scope: "row" }, storeName(each.index), each.store.ranked ? "" : " (not ranked)"),
    before.map(([, cells]) => cells[index]),
    columns.map((measure) => detailCell(contest, each.index, measure)),
    behind.map(([, cells]) => cells[index])));
  return element("table", { class: "figures" },
    element("thead", {}, element("tr", {}, head(["store"]), before.map(head), columns.map(detailHead), behind.map(head))),
    element("tbody", {}, rows),
  );
}

/** Whether some store has a figure of a measure here, or too few operations for one. */
function hasColumn(contest, whole, measure) {
  const of = measure.per_phase ? contest : whole;
  return of?.entries.some(({ store }) => figuresOf(of, store, measure) || hasTooFew(of, store, measure)) || lacksLatencies(of, measure);
}

/** How many times the best one's figure it is; with the interval where that is proven. */
function ratioCell({ figures }, verdict) {
  const [, , , ratio, low, high] = figures;
  if (ratio === undefined) return element("td", {}, "–");
  const interval = ratio !== 1 && verdict !== "u" ? element("span", { class: "interval" }, timesRange(low, high)) : null;
  return element("td", {}, times(ratio), interval);
}

function detailCell(contest, store, measure) {
  const figures = figuresOf(contest, store, measure);
  if (!figures && hasTooFew(contest, store, measure)) return element("td", { class: "interval", title: describeTooFew(contest, measure)[0] }, "too few");
  if (!figures) return element("td", { title: lacksLatencies(contest, measure) ? upperFirst(TIMED_WHOLE) : null }, "–");
  const [mean, low, high] = figures;
  return element("td", {}, figure(mean, measure), high === undefined ? null : element("span", { class: "interval" }, range(low, high, measure)));
}

/** What each column counts. */
function columnsMeaning(contest, whole) {
  const words = detailColumns(contest, whole).flatMap((measure) => [element("dt", {}, measure.title), element("dd", {}, measure.help)]);
  return element("details", {}, element("summary", {}, "What the columns count"), element("dl", { class: "facts" }, words));
}

/** A file of the run, which is in a directory next to the page. */
const fileLink = (href, words) => element("a", { href, target: "_blank", rel: "noreferrer" }, words);

/** Each store's cell: its version, settings, log, the command that does it again, and flame graphs of it where a run on the page has any. */
function cellsAgain(contest) {
  const run = data.runs[contest.at[axisIndex.get("run")]];
  const entries = contest.entries.filter((entry) => shown(entry.store));
  const profiled = entries.some((entry) => run.cells[entry.cell]?.flame_graphs);
  const rows = entries.map((entry) => {
    const cell = run.cells[entry.cell];
    const graphs = (cell?.flame_graphs ?? []).flatMap(([name, href]) => [fileLink(href, name), " "]);
    const log = element("code", {}, cell?.log ?? "–");
    const settings = Object.entries(cell?.settings ?? {}).map(([name, value]) => `${name}=${value}`).join(", ");
    return element("tr", {},
      element("th", { scope: "row" }, storeName(entry.store)),
      element("td", {}, cell?.version ?? "–"),
      element("td", {}, settings || "none"),
      element("td", {}, cell?.log_link ? fileLink(cell.log_link, log) : log),
      profiled ? element("td", {}, graphs.length ? graphs : "–") : null,
      element("td", {}, element("code", {}, cell?.again ?? "–")),
    );
  });
  const heads = ["store", "version", "settings in force", "log", ...(profiled ? ["flame graphs"] : []), "run it again"];
  return element("details", {},
    element("summary", {}, profiled ? "Versions, settings, logs, flame graphs, commands" : "Versions, settings, logs, commands"),
    element("div", { class: "scroll" },
      element("table", { class: "stores" }, element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, rows)),
    ),
  );
}

listeners.push(drawDetail);
