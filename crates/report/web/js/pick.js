// A pick: the course of its race, and what another question does to its answer.

/** How many times a cost, on an axis. */
const MULTIPLE = { unit: "times" };

/** Ratios that an axis around 1 may name. */
const AROUND_ONE = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];

/** The pictures of every pick on the page. */
const pickPictures = data.picks.flatMap((pick) => [() => drawRace(pick), () => drawChanges(pick)]);

/** Every store's cost as a multiple of the best one's, after each of its rounds, and where it left. */
function drawRace({ run, goal, race }) {
  const rows = race.flatMap(({ store, steps }) => steps.map(([round, x, mean, low, high]) => ({ store, round, x, mean, low, high })));
  const gone = race.flatMap(({ store, steps, left }) => (left ? [{ ...rowOf(store, steps.at(-1)), left }] : []));
  const end = d3.max(rows, (row) => row.x);
  const y = logarithmic(meansOf(rows), MULTIPLE, upward("times the best so far"));
  const [least, most] = y.domain;
  const known = rows.filter((row) => row.high > least && row.high <= data.interval_width_max * row.low).map((row) => ({ ...row, low: Math.max(row.low, least), high: Math.min(row.high, most) }));
  const last = d3.rollups(rows, (all) => all.at(-1), (row) => row.store).map(([, row]) => row);
  picture(`race-${run}`, {
    list: `pick-${run}`,
    run,
    title: "The race",
    hint: `Each store's ${goal} after each of its rounds, as a multiple of the best one's. Bars: where the true ratio lies, with 95 % confidence, once that is known within ${data.interval_width_max}×. ✕: it left the race.`,
    alone: gone.map(({ store, left }) => ` ${data.stores[store].title}: ${left}.`).join(""),
    below: gone.length ? [element("ul", { class: "gone" }, gone.map(({ store, left }) => element("li", {}, "✕ ", storeName(store), ` ${left}`)))] : [],
    plot: (width) => (rows.length ? draw({
      width,
      height: Math.max(330, heightFor(last.length)),
      marginRight: roomForNames(width),
      x: { ...linear([end], data.measures[0], "time of the race →"), grid: false },
      y,
      marks: [
        Plot.ruleX(known, { x: "x", y1: "low", y2: "high", stroke: "store", strokeWidth: 3, strokeOpacity: 0.22 }),
        Plot.ruleY(last.filter((row) => row.x < end), { x1: "x", x2: end, y: "mean", stroke: "var(--line)" }),
        ...d3.groups(rows, (row) => row.store).map(([store, of]) => Plot.line(of, { x: "x", y: "mean", stroke: "store", strokeWidth: 1.8, strokeDasharray: dashOf(store) })),
        Plot.dot(rows, { x: "x", y: "mean", fill: "store", symbol: "store", r: 3, className: "round" }),
        Plot.dot(gone, { x: "x", y: "mean", stroke: "var(--ink)", strokeWidth: 2, symbol: "times", r: 5, className: "gone" }),
        ...names(spread(last, y).map((row) => ({ ...row, x: end })), width, { x: "x", y: "mean", dx: 8, textAnchor: "start" }),
        Plot.tip(rows, Plot.pointer({ x: "x", y: "mean", title: raceWords })),
      ],
    }, "every store's cost as a multiple of the best one's, over the time of the race") : null),
  });
}

const rowOf = (store, [round, x, mean, low, high]) => ({ store, round, x, mean, low, high });

/** A store's standing after a round, in words. */
function raceWords({ store, round, x, mean, low, high }) {
  const interval = high === undefined ? "" : ` (${timesRange(low, high)})`;
  return `${data.stores[store].title} after round ${round}, at ${figure(x, data.measures[0])}\n${times(mean)} the best${interval}`;
}

/** In a narrower picture, what a change does is below its words. */
const CHANGE_NARROW = 480;
const CHANGE_SIDE = 10;

/** What each changed question does to the answer: where the best other store is, to the right of 1 if the answer stays ahead of it. */
function drawChanges({ run, best, changes }) {
  const answer = data.stores[best].title;
  const rows = changes.map((change, place) => ({ ...change, place, mean: change.times?.[0] }));
  const known = rows.filter((row) => row.times);
  const ends = d3.extent([1 / 1.5, 1.5, ...meansOf(known).flatMap((mean) => [mean / 1.3, mean * 1.3])]);
  const inside = (value) => Math.max(ends[0], Math.min(ends[1], value));
  const plot = (width) => {
    if (!rows.length) return null;
    const isNarrow = width < CHANGE_NARROW;
    const [words, bar] = isNarrow ? [-20, 13] : [-9, 9];
    const line = { y: "place", fontSize: 12, stroke: "var(--card)", strokeWidth: 3, fill: "var(--ink)" };
    const effect = isNarrow ? { frameAnchor: "left", dy: words + 16 } : { frameAnchor: "right", dy: words };
    const fitting = (text) => cut(text, Math.floor((width - 2 * CHANGE_SIDE) / 6.8));
    return draw({
      width,
      height: 44 + rows.length * (isNarrow ? 62 : 46),
      marginLeft: CHANGE_SIDE,
      marginRight: CHANGE_SIDE,
      x: { type: "log", domain: ends, ticks: AROUND_ONE.filter((value) => value === inside(value)), tickFormat: (value) => `${value}×`, label: rightward(`times the cost of ${nameIn(width, answer)}`), grid: true },
      y: { type: "band", domain: rows.map((row) => row.place), axis: null },
      marks: [
        Plot.ruleX([1], { stroke: "var(--soft)" }),
        Plot.ruleY(known, { x1: (row) => inside(row.times[1]), x2: (row) => inside(row.times[2]), y: "place", dy: bar, stroke: "store", strokeWidth: 5, strokeOpacity: 0.35 }),
        Plot.dot(known, { x: "mean", y: "place", dy: bar, fill: "store", symbol: "store", r: 5, className: "change" }),
        Plot.text(rows, { ...line, frameAnchor: "left", dy: words, text: (row) => fitting(row.words), fontWeight: 600 }),
        Plot.text(known, { ...line, ...effect, text: effectWords }),
        Plot.text(rows.filter((row) => !row.times), { ...line, frameAnchor: "left", dy: words + (isNarrow ? 16 : 18), text: (row) => fitting(row.said), fill: "var(--soft)" }),
        Plot.tip(known, Plot.pointer({ x: "mean", y: "place", title: (row) => `${row.words}\n${row.said}` })),
      ],
    }, `what each changed question does to the answer, ${answer}`);
  };
  picture(`changes-${run}`, {
    list: `pick-${run}`,
    run,
    title: "When the answer changes",
    hint: `Dots: the best other store with this change; bars: where the true ratio lies. To the right of 1, ${answer} stays ahead.`,
    alone: rows.map(({ words, said }) => ` ${words}: ${said}.`).join(""),
    missing: "No change was tried.",
    plot,
  });
}

/** What a change does to the answer, and the best other store with it. */
function effectWords({ effect, store, mean }) {
  const { title } = data.stores[store];
  if (effect === "other") return `${title} instead, ${times(1 / mean)} ahead`;
  return `${effect === "same" ? "stays" : "not known"} · ${title} ${times(mean)}`;
}
