// The pictures, one function each; all draw from the state.

/** The chosen workload: every store's figure under the measure, with its interval. */
function drawDetailChart() {
  const measure = state.measure;
  const rows = rowsOfContest(contestAt(state.event, state.at, measure), measure);
  const frame = document.getElementById("detail-chart");
  if (!rows.length) return frame.replaceChildren(element("p", { class: "empty" }, missingUnder(measure)));
  const width = Math.max(280, frame.clientWidth || 900);
  const title = (row) => data.stores[row.store].title;
  const heading = `${measure.per_phase ? `${upperFirst(state.event)}: ` : ""}${measure.title}`;
  const plot = draw({
    width,
    height: 50 + rows.length * 34,
    ...named(rows.map(title), width),
    marginRight: 24,
    x: { ...logarithmic(meansOf(rows), measure, rightward(measure.title), endsOf(rows)), insetLeft: 26, insetRight: 26 },
    marks: [
      Plot.ruleY(rows.filter((row) => row.high !== undefined), { x1: "low", x2: "high", y: title, stroke: "store", strokeWidth: 5, strokeOpacity: 0.35 }),
      Plot.dot(rows, { x: "mean", y: title, fill: "store", symbol: "store", r: 5 }),
      Plot.text(rows, { x: "mean", y: title, text: (row) => figure(row.mean, measure), dy: -13 }),
    ],
  }, `${measure.title} of every store with its interval`);
  const words = `${workloadLabel(state.at)}. Dots: typical rounds; bars: ${SPREAD_TITLE}.`;
  frame.replaceChildren(element("figcaption", {}, element("h3", {}, heading), saveMenu(heading, words, () => [plot])), plot);
}

/** Why nothing is shown under a measure at the chosen place. */
function missingUnder(measure) {
  const contest = contestAt(state.event, state.at, measure);
  if (lacksLatencies(contest, measure)) return upperFirst(TIMED_WHOLE);
  return contest?.entries.some((entry) => hasTooFew(contest, entry.store, measure)) ? `Too few operations for ${measure.title}.` : "Nothing was measured for this.";
}

/** A measure along one axis, everything else as chosen. */
function drawAlong(axis) {
  const index = axisIndex.get(axis.name);
  const perSecond = data.measures[measureIndex.get("per_second")];
  const measure = axis.name === "threads" && state.measure === measures[0] ? perSecond : state.measure;
  const numeric = axis.values.every((value) => value.number > 0);
  const rows = axis.values.flatMap((value, place) => {
    const contest = contestAt(state.event, state.at.with(index, place), measure);
    return rowsOfContest(contest, measure, { x: numeric ? value.number : value.label, label: value.label });
  });
  const what = measure.per_phase ? `${state.event}: ${measure.title}` : measure.title;
  picture(`along-${axis.name}`, {
    title: `${upperFirst(what)} against ${axis.title}`,
    hint: [otherPlaces(index), axis.name === "threads" ? { per_second: "All threads together.", ns: "Of an operation in its thread." }[measure.per_phase && measure.name !== "cpu_ns_per_operation" ? measure.unit : ""] : ""].filter(Boolean).join(" · "),
    // One place alone is shown above.
    isHidden: new Set(rows.map((row) => row.x)).size < 2,
    plot: (width) => drawLines(rows, axis, measure, numeric, width),
  });
}

/** A measure along the rate that open loops asked for, over variants or else over runs, everything else as chosen. */
function drawAlongRate() {
  const along = ["variant", "run"].map((name) => axisIndex.get(name)).find((index) => index !== undefined && varies(data.axes[index]));
  if (along === undefined) return;
  const places = data.axes[along].values.map((_, place) => contestAt(state.event, state.at.with(along, place)));
  const asked = d3.sort(places.filter((contest) => contest?.asked_per_second), (contest) => contest.asked_per_second);
  if (!data.contests.some((contest) => contest.asked_per_second)) return;
  const measure = state.measure.per_phase ? state.measure : data.measures[0];
  const rows = asked.flatMap((contest) => {
    const label = figure(contest.asked_per_second, { unit: "per_second" });
    return rowsOfContest(contest, measure, { x: contest.asked_per_second, label });
  });
  picture("along-rate", {
    title: `${upperFirst(state.event)}: ${measure.title} against the rate asked for`,
    hint: [otherPlaces(along), "Open loops; times count from when operations were due."].filter(Boolean).join(" · "),
    plot: (width) => (rows.length ? drawLines(rows, { name: "rate asked for" }, measure, true, width) : null),
  });
}

/** The places on all axes but one. */
function otherPlaces(except) {
  const words = data.axes.flatMap((axis, index) => (index !== except && varies(axis) ? [`${axis.title} ${axis.values[state.at[index]].label}`] : []));
  return words.join(" · ");
}

function drawLines(rows, axis, measure, numeric, width) {
  const labels = new Map(rows.map((row) => [row.x, row.label]));
  const places = (axis.values ?? []).map((value) => value.label);
  const x = numeric
    ? { type: "log", label: rightward(axis.title), domain: d3.extent(labels.keys()), ticks: [...labels.keys()], tickFormat: (value) => labels.get(value), lines: 3 }
    : { type: "point", label: axis.title, domain: [...places], ticks: places, tickFormat: (label) => label, padding: 0.5, lines: 3 };
  const y = logarithmic(meansOf(rows), measure, upward(measure.title), endsOf(rows));
  const marginRight = roomForNames(width);
  // Of words the names stand behind the last place, whichever places a store has.
  const last = spread(rows, y).map((row) => (numeric ? row : { ...row, x: places.at(-1) }));
  const behind = numeric ? 0 : (width - MARGINS.marginLeft - marginRight) / places.length / 2;
  const dodge = dodges(rows, numeric, axis, width - MARGINS.marginLeft - marginRight);
  const aside = Math.max(...dodge.values());
  return draw({
    width,
    height: heightFor(dodge.size),
    marginRight,
    x: { ...x, insetLeft: aside, insetRight: aside },
    y,
    marks: [
      ...[...dodge].flatMap(([store, dx]) => {
        const of = rows.filter((row) => row.store === store);
        return [
          Plot.ruleX(of.filter((row) => row.high !== undefined), { x: "x", y1: "low", y2: "high", stroke: "store", strokeWidth: 4, strokeOpacity: 0.3, dx }),
          ...(numeric && of.length > 1 ? [Plot.line(of, { x: "x", y: "mean", stroke: "store", strokeWidth: 1.8, strokeDasharray: dashOf(store), dx })] : []),
          Plot.dot(of, { x: "x", y: "mean", fill: "store", symbol: "store", r: 3.5, dx }),
        ];
      }),
      ...names(last, width, { x: "x", y: "mean", dx: behind + aside + 8, textAnchor: "start" }),
      Plot.tip(rows, Plot.pointer({ x: "x", y: "mean", title: (row) => `${row.label}\n${tipLabel(row, measure)}` })),
    ],
  }, `${measure.title} of every store against ${axis.title}`);
}

/** How many pixels each store is drawn away from its place, so that the intervals of several do not lie over each other. */
function dodges(rows, numeric, axis, width) {
  const stores = d3.sort(new Set(rows.map((row) => row.store)));
  const places = numeric ? d3.sort(new Set(rows.map((row) => Math.log(row.x)))) : axis.values.map((_, index) => index);
  const nearest = d3.min(d3.pairs(places, (a, b) => b - a)) / (places.at(-1) - places[0]) || 1;
  const step = Math.min(7, (0.6 * nearest * width) / stores.length);
  return new Map(stores.map((store, index) => [store, (index - (stores.length - 1) / 2) * step]));
}

/** The last mark of each line, moved where names would lie on each other on this logarithmic scale: up, and down again from its end. */
function spread(rows, { domain: [low, high], transform }) {
  const last = d3.sort(d3.rollups(rows, (all) => all.at(-1), (row) => row.store).map(([, row]) => ({ ...row })), (row) => row.mean);
  const gap = (high / low) ** (NAME_HEIGHT / (heightFor(last.length) - AROUND));
  last.forEach((row, index) => {
    row.mean = Math.max(transform(row.mean), index > 0 ? last[index - 1].mean * gap : low);
  });
  last.toReversed().forEach((row, index, rows) => {
    row.mean = Math.min(row.mean, index > 0 ? rows[index - 1].mean / gap : high);
  });
  return last;
}

/** Latency at each share of the operations: how long the slowest one in a hundred, a thousand takes. */
function drawPercentiles() {
  const contest = contestAt(state.event, state.at);
  const time = data.measures[0];
  const rows = (contest?.entries ?? []).filter((entry) => shown(entry.store) && entry.curve).flatMap((entry) =>
    entry.curve.map((ns, index) => {
      const last = index === entry.curve.length - 1;
      const share = last ? 1 - 1 / entry.timed : data.shares[index];
      return { store: entry.store, mean: ns, last, x: -Math.log10(1 - share), label: last ? "max" : `p${Number((share * 100).toFixed(6))} of all rounds together` };
    }),
  );
  const unreadable = d3.sum(contest?.entries ?? [], (entry) => (shown(entry.store) && entry.unreadable) || 0);
  const marks = [[0, "min"], [Math.log10(2), "p50"], [1, "p90"], [2, "p99"], [3, "p99.9"], [4, "p99.99"], [5, "p99.999"], [6, "p99.9999"]];
  const end = d3.max(rows, (row) => row.x) ?? 1;
  const y = logarithmic(meansOf(rows), time, upward("latency"));
  picture("percentiles", {
    title: `${upperFirst(state.event)}: latency at each percentile`,
    missing: contest?.timed_whole ? upperFirst(TIMED_WHOLE) : undefined,
    hint: `${workloadLabel(state.at)}. All rounds together. A line ends at the last percentile that enough operations tell; the ring behind it is the slowest operation of all.${unreadable ? ` ${unreadable} histogram(s) cannot be read and are left out.` : ""}`,
    plot: (width) => (rows.length ? draw({
      width,
      height: heightFor(new Set(rows.map((row) => row.store)).size),
      marginRight: roomForNames(width),
      x: { label: "slowest share of operations →", ticks: marks.map(([x]) => x).filter((x) => x <= end + 0.01), tickFormat: (x) => marks.find(([at]) => at === x)[1], domain: [0, end], lines: 2 },
      y,
      marks: [
        ...d3.groups(rows.filter((row) => !row.last), (row) => row.store).map(([store, of]) => Plot.line(of, { x: "x", y: "mean", stroke: "store", strokeWidth: 1.8, strokeDasharray: dashOf(store) })),
        Plot.dot(rows.filter((row) => row.last), { x: "x", y: "mean", stroke: "store", symbol: "store", r: 4, className: "slowest-of-all" }),
        ...names(spread(rows, y), width, { x: "x", y: "mean", dx: 10, textAnchor: "start" }),
        Plot.tip(rows, Plot.pointer({ x: "x", y: "mean", title: (row) => `${row.label}\n${tipLabel(row, time)}` })),
      ],
    }, "latency of every store at each percentile") : null),
  });
}

/** How latency went over the time of the phase, with the slowest operations and what they waited for. */
function drawCourse() {
  const contest = contestAt(state.event, state.at);
  const time = data.measures[0];
  const entries = (contest?.entries ?? []).filter((entry) => shown(entry.store) && entry.course);
  const length = (course) => course.slice_ns * course.means.length;
  const rows = entries.flatMap(({ store, course }) => course.means.map((mean, index) => ({ store, mean: mean > 0 ? mean : NaN, x: (index + 0.5) / course.means.length })));
  const filled = rows.filter((row) => row.mean > 0);
  const slow = entries.flatMap(({ store, course }) => course.slow.map(([at, latency, operation, cause]) => ({ store, mean: latency, x: Math.min(1, at / length(course)), operation, cause })));
  const words = [...new Set(slow.map((row) => row.cause))];
  const letter = (cause) => "abcdefghij"[words.indexOf(cause)];
  const y = logarithmic([...filled, ...slow].map((row) => row.mean), time, upward("latency"));
  picture("course", {
    title: `${upperFirst(contest?.phase ?? state.event)}: latency over the time of the phase`,
    hint: `${workloadLabel(state.at)}. Lines: means in the round with the slowest operation; in a gap no operation ended. Rings: the slowest operations.`,
    alone: ` They waited for: ${words.map((cause) => `${letter(cause)} ${cause}`).join(", ") || "nothing that is known"}.`,
    below: slow.length ? [causesLegend(words, letter), slowestTable(entries, slow)] : [],
    wide: true,
    plot: (width) => (filled.length ? draw({
      width,
      height: heightFor(entries.length),
      marginRight: roomForNames(width),
      x: { label: "share of the phase's time →", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], tickFormat: percent },
      y,
      marks: [
        ...d3.groups(rows, (row) => row.store).map(([store, of]) => Plot.line(of, { x: "x", y: "mean", stroke: "store", strokeWidth: 1.8, strokeDasharray: dashOf(store) })),
        Plot.dot(slow, { x: "x", y: "mean", stroke: "store", symbol: "store", r: 6, className: "slow" }),
        Plot.text(slow, { x: "x", y: "mean", text: (row) => letter(row.cause), fill: "var(--ink)", fontSize: 9, className: "cause" }),
        ...names(spread(filled, y), width, { x: "x", y: "mean", dx: 6, textAnchor: "start" }),
        Plot.tip(slow, Plot.pointer({ x: "x", y: "mean", title: (row) => `${data.stores[row.store].title}, ${row.operation}: ${figure(row.mean, time)}\n${row.cause}` })),
      ],
    }, "latency of every store over the time of the phase, and its slowest operations") : null),
  });
}

/** What the slowest operations waited for: a ring for each cause. */
function causesLegend(words, letter) {
  return element("p", { class: "legend causes" }, words.map((cause) => element("span", {}, element("i", {}, letter(cause)), ` ${cause}`)));
}

/** The slowest operations of every store in words, for those without a pointer, and for paper. */
function slowestTable(entries, slow) {
  const time = data.measures[0];
  const rows = entries.map(({ store, course }) => {
    const own = slow.filter((row) => row.store === store).map((row) => `${figure(row.mean, time)} at ${percent(row.x)}: ${row.cause}`);
    const causes = course.causes.map(([cause, share]) => `${cause} ${percent(share)}`);
    return element("tr", {}, element("th", { scope: "row" }, storeName(store)), element("td", {}, causes.join(", ") || "–"), element("td", {}, own.join("; ") || "–"));
  });
  const heads = ["store", "time of the slowest thousandth (8 at least)", "slowest operations: when they began, what they waited for"];
  return element("details", { class: "slowest" }, element("summary", {}, "The slowest operations in words"),
    element("table", { class: "stores" },
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows)));
}

/** Two pictures are next to each other in a frame of more pixels than this. */
const SIDE_BY_SIDE = 700;

/** What the chosen workload costs in space and memory. */
function drawCosts() {
  const whole = contestsByPlace.get(placeKey("", state.at));
  const wanted = ["disk_after_close_allocated_bytes", "rss_peak_above_baseline_bytes"].map((name) => data.measures[measureIndex.get(name)]);
  picture("costs", {
    title: "Space and memory",
    hint: [`${workloadLabel(state.at)}.`, ...wanted.map((measure) => `${upperFirst(measure.title)}: ${lowerFirst(measure.help)}`)].join(" "),
    wide: true,
    plot: (width) => wanted.filter((measure) => measures.includes(measure)).map((measure) => drawBars(rowsOfContest(whole, measure), width > SIDE_BY_SIDE ? width / 2 - 12 : width, {
      unit: measure, label: measure.title, words: (row) => figure(row.mean, measure), description: `${measure.title} of every store`,
    })),
  });
}

/** Horizontal bars from nought, a store each. */
function drawBars(rows, width, { unit, label, words, description }) {
  if (!rows.length) return null;
  const title = (row) => data.stores[row.store].title;
  return draw({
    width,
    height: 40 + rows.length * 22,
    ...named(rows.map(title), width),
    marginRight: 74,
    x: linear(rows.map((row) => Math.max(row.high ?? 0, row.mean)), unit, `${label} →`),
    marks: [
      Plot.barX(rows, { x: "mean", y: title, fill: "store", fillOpacity: 0.85, insetTop: 2, insetBottom: 2 }),
      Plot.ruleY(rows.filter((row) => row.high !== undefined), { x1: "low", x2: "high", y: title, stroke: "var(--ink)", strokeWidth: 1.3 }),
      Plot.text(rows, { x: (row) => Math.max(row.high ?? 0, row.mean), y: title, text: words, dx: 6, textAnchor: "start" }),
    ],
  }, description);
}

/** Two measures against each other, and the stores that no other one beats in both. */
function drawScatter() {
  const [across, up] = state.scatter;
  const contest = contestAt(state.event, state.at), whole = contestsByPlace.get(placeKey("", state.at));
  const at = (measure, store) => figuresOf(measure.per_phase ? contest : whole, store, measure)?.[0];
  const rows = data.stores.flatMap((_, store) => {
    const x = at(across, store), y = at(up, store);
    return shown(store) && x !== undefined && y !== undefined ? [{ store, x, mean: y }] : [];
  });
  const onFront = front(across.per_phase || up.per_phase ? contest : whole, across, up).flatMap((store) => rows.filter((row) => row.store === store));
  const options = measures.map((measure) => ({ label: measure.title, value: measure }));
  const choose = (index) => (measure) => {
    state.scatter[index] = measure;
    remember();
    drawScatter();
    document.querySelectorAll("#scatter select")[index].focus();
  };
  const plot = (width) => {
    if (!rows.length) return null;
    const frame = {
      width,
      height: heightFor(rows.length),
      marginRight: roomForNames(width),
      x: logarithmic(rows.map((row) => row.x), across, rightward(across.title)),
      y: logarithmic(meansOf(rows), up, upward(up.title)),
    };
    return draw({
      ...frame,
      marks: [
        Plot.line(onFront, { x: "x", y: "mean", stroke: "var(--soft)", strokeDasharray: "4 4", className: "front" }),
        Plot.dot(rows, { x: "x", y: "mean", fill: "store", symbol: "store", r: 6 }),
        ...names(apart(rows, frame), width, { x: "x", y: "mean", dx: 10, textAnchor: "start" }),
        Plot.tip(rows, Plot.pointer({ x: "x", y: "mean", title: (row) => `${data.stores[row.store].title}\n${across.title} ${figure(row.x, across)}\n${up.title} ${figure(row.mean, up)}` })),
      ],
    }, `${up.title} against ${across.title}, a mark a store`);
  };
  picture("scatter", {
    title: "Trade-offs",
    hint: `${[state.event, workloadLabel(state.at)].join(" · ")}. On the line: stores that no other beats in both.`,
    // With an even number before it, it would be alone in its row.
    wide: document.querySelectorAll("#chart-list figure:not(.wide, #scatter, [hidden])").length % 2 === 0,
    controls: [chooser("across", options, across, choose(0)), chooser("up", options, up, choose(1))],
    plot,
  });
}

/** Over many workloads at once: the geometric mean of each store's figure relative to the best one. */
function drawRelative() {
  const measure = state.measure;
  const chosen = data.contests.filter((contest) => (contest.phase === null) === !measure.per_phase
    && (contest.phase === null || state.barEvents.has(contest.event))
    && contest.at.every((place, index) => state.barPlaces[index] < 0 || state.barPlaces[index] === place));
  const over = overChosen(measure);
  const { rows, common, all } = over ? overRows(over) : { ...relativeRows(chosen, measure), all: chosen.length };
  const eventBoxes = element("span", { class: "checks" }, events.map((event) => {
    const toggle = () => {
      if (!state.barEvents.delete(event)) state.barEvents.add(event);
      remember();
      drawRelative();
      [...document.querySelectorAll("#relative input")][events.indexOf(event)].focus();
    };
    return element("label", {}, element("input", { type: "checkbox", checked: state.barEvents.has(event), onchange: toggle }), event);
  }));
  const nth = (index) => data.axes.slice(0, index).filter(varies).length;
  const filters = data.axes.flatMap((axis, index) => {
    if (!varies(axis)) return [];
    const options = [{ label: "all", value: -1 }, ...axis.values.map((value, place) => ({ label: value.label, value: place }))];
    const choose = (place) => {
      state.barPlaces[index] = place;
      remember();
      drawRelative();
      document.querySelectorAll("#relative select")[nth(index)].focus();
    };
    return [chooser(axis.title, options, state.barPlaces[index], choose)];
  });
  picture("relative", {
    title: `Over many workloads: ${measure.title} relative to the best`,
    hint: `Geometric mean over ${common} of ${all} contests: those in which every store shown has a figure, and none is zero. 1 is best in every one. ${over ? "The same as in the answer above." : "Of typical rounds, so without an interval: the answer above compares round by round."}`,
    controls: [measure.per_phase ? eventBoxes : null, ...filters].filter(Boolean),
    wide: true,
    plot: (width) => drawBars(rows, width, { unit: { unit: "times" }, label: "times the best", words: (row) => times(row.mean), description: "geometric means of every store" }),
  });
}

/** The chosen ranking over all workloads, if the data has it. */
function overChosen(measure) {
  const isWhole = !state.hidden.size && (!measure.per_phase || events.every((event) => state.barEvents.has(event)));
  const found = data.over.filter((of) => of.at.every((place, axis) => state.barPlaces[axis] < 0 || state.barPlaces[axis] === place));
  const of = isWhole && found.length === 1 ? found[0].measures[measureIndex.get(measure.name)] : null;
  return of?.verdict ? of : null;
}

/** Its rows, each with its interval where that says something. */
function overRows({ order, common, all }) {
  const row = ([store, mean, low, high]) => (high <= data.interval_width_max * low ? { store, mean, low, high } : { store, mean });
  return { rows: order.map(row), common, all };
}

function relativeRows(chosen, measure) {
  const takesPart = data.stores.map((store, index) => store.ranked && shown(index) && chosen.some((contest) => figuresOf(contest, index, measure)));
  const stores = data.stores.flatMap((_, index) => (takesPart[index] ? [index] : []));
  const sums = stores.map(() => 0);
  let common = 0;
  for (const contest of chosen) {
    const means = stores.map((store) => figuresOf(contest, store, measure)?.[0]);
    if (!means.length || means.some((mean) => !(mean > 0))) continue;
    const best = measure.lower_is_better ? Math.min(...means) : Math.max(...means);
    means.forEach((mean, index) => {
      sums[index] += Math.abs(Math.log(mean / best));
    });
    common += 1;
  }
  const rows = common ? stores.map((store, index) => ({ store, mean: Math.exp(sums[index] / common) })) : [];
  return { rows: d3.sort(rows, (row) => row.mean), common };
}

/** What a publication found for the chosen workload, next to our results. */
function drawPublished() {
  if (!data.published) return;
  const measure = data.published.figures.some((of) => of.measure === state.measure.name) ? state.measure : data.measures[0];
  const ours = rowsOfContest(contestAt(state.event, state.at, measure), measure).map((row) => ({ ...row, name: data.stores[row.store].name }));
  const theirs = publishedAt(state.event, state.at, measure);
  const titles = [...new Set([...ours.map((row) => data.stores[row.store].title), ...theirs.map((of) => titleOf(of, ours))])];
  const words = theirs.length ? `${workloadLabel(state.at)}. Filled: this run. Hollow: as published; other machines, other versions.` : `Nothing was published for ${workloadLabel(state.at)}.`;
  picture("published", {
    title: `${upperFirst(state.event)}: ${measure.title}, published and ours`,
    hint: `${data.published.title}. ${words}`,
    missing: "Nothing to compare with.",
    wide: true,
    plot: (width) => (theirs.length ? draw({
      width,
      height: 44 + titles.length * 24,
      ...named(titles, width),
      x: logarithmic([...meansOf(ours), ...theirs.map((of) => of.value)], measure, rightward(measure.title), endsOf(ours)),
      marks: [
        Plot.ruleY(ours.filter((row) => row.high !== undefined), { x1: "low", x2: "high", y: (row) => data.stores[row.store].title, stroke: "store", strokeWidth: 5, strokeOpacity: 0.35 }),
        Plot.dot(ours, { x: "mean", y: (row) => data.stores[row.store].title, fill: "store", symbol: "store", r: 5 }),
        Plot.dot(theirs, { x: "value", y: (of) => titleOf(of, ours), stroke: "var(--ink)", strokeWidth: 1.6, r: 5, className: "published" }),
        Plot.tip(theirs, Plot.pointer({ x: "value", y: (of) => titleOf(of, ours), title: (of) => `${of.title}, ${of.hardware}\n${figure(of.value, measure)}` })),
      ],
    }, `${measure.title} of every store, published and ours`) : null),
  });
}

/** The title of a publication's store: our store's of the same name, so that both are on one line. */
function titleOf(of, ours) {
  const row = ours.find((each) => each.name === of.store);
  return row ? data.stores[row.store].title : of.title;
}

/** Every picture, in the order in which they stand. */
function allPictures() {
  const along = (chosen) => data.axes.filter((axis) => varies(axis) && chosen(axis)).map((axis) => () => drawAlong(axis));
  return [
    ...pickPictures,
    drawHeat,
    drawDetailChart,
    ...along(isCounted),
    drawAlongRate, drawPercentiles, drawCourse,
    ...along((axis) => !isCounted(axis) && !axis.of_field),
    drawScatter, drawCosts, drawPublished, drawRelative,
  ];
}

/** How many of them are above the list of pictures. */
const PICTURES_ABOVE = pickPictures.length + 2;

/** Pictures still to be drawn for the present choice. */
let pending = [];
let isScheduled = false;

/** Pictures come one by one behind the matrix, so that a choice is answered at once however many there are. */
function drawPictures() {
  pending = allPictures();
  document.documentElement.dataset.drawing = "";
  scheduleNext();
}

function scheduleNext() {
  if (!isScheduled) setTimeout(drawNext);
  isScheduled = true;
}

function drawNext() {
  const page = document.documentElement.dataset;
  isScheduled = false;
  try {
    pending.shift()?.();
  } finally {
    if (pending.length) {
      scheduleNext();
    } else {
      delete page.drawing;
      page.ready ??= performance.now().toFixed(1);
    }
  }
}

/** What was folded before printing: paper cannot be unfolded. */
let folded = [];

addEventListener("beforeprint", () => {
  while (pending.length) pending.shift()();
  folded = [...document.querySelectorAll("details:not([open], .save)")];
  for (const part of folded) part.open = true;
  separateIn(document);
});
addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
listeners.push(drawPictures);
