// The page's script, in parts that are one module. This part: what the page carries, unpacked, and how to find things in it.
// Every text in it is data: it reaches the page through textContent and attributes, never as markup.

/** Says what went wrong, where otherwise something would silently be missing. */
addEventListener("error", ({ message }) => {
  const trouble = document.getElementById("trouble");
  trouble.textContent = `Something of the matrix or the pictures cannot be shown in this browser (${message}). The answer above and the raw data in the file are whole.`;
  trouble.hidden = false;
});

/** @typedef {{contest: object, entry: object, store: object, figures: number[]}} Standing */

async function unpack(element) {
  const packed = Uint8Array.from(atob(element.textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const data = JSON.parse(await unpack(document.getElementById("data")));

/** Whether an axis has more than one value, so that there is something to choose. */
const varies = (axis) => axis.values.length > 1;

/** Whether all values of an axis are numbers. */
const isCounted = (axis) => axis.values.every((value) => value.number !== undefined);

const axisIndex = new Map(data.axes.map((axis, index) => [axis.name, index]));

/** What takes place: an operation in a phase; the cell as a whole has no phase. */
const events = [];
const contestsByPlace = new Map();
for (const contest of data.contests) {
  contest.event = contest.phase === null ? "" : contest.operation === null ? contest.phase : `${contest.phase}: ${contest.operation}`;
  if (contest.event && !events.includes(contest.event)) events.push(contest.event);
  contestsByPlace.set(placeKey(contest.event, contest.at), contest);
}

function placeKey(event, at) {
  return `${event}|${at.join(",")}`;
}

const measureIndex = new Map(data.measures.map((measure, index) => [measure.name, index]));

/** The contest of an event at a place; of a measure of whole cells the cell's. */
function contestAt(event, at, measure = data.measures[0]) {
  return contestsByPlace.get(placeKey(measure.per_phase ? event : "", at));
}

/** The typical round, the lowest, the highest; then the ratio to the best, low, high, and the standing, if there is an interval. Null without any figure. */
function figuresOf(contest, store, measure) {
  const entry = contest?.entries.find((each) => each.store === store);
  const figures = entry?.figures[measureIndex.get(measure.name)];
  return figures?.length ? figures : null;
}

/** Whether a store's percentile was left out, since it has too few operations. */
function hasTooFew(contest, store, measure) {
  const entry = contest?.entries.find((each) => each.store === store);
  return entry?.too_few?.includes(measureIndex.get(measure.name)) ?? false;
}

/** Whether a contest has nothing under a measure of single operations since these were not timed one by one. */
const lacksLatencies = (contest, measure) => Boolean(contest?.timed_whole) && measure.name.startsWith("latency_ns_");

/** Whether any contest has a figure under a measure, or too few operations for one. */
const measured = new Set();
for (const contest of data.contests)
  for (const entry of contest.entries) {
    entry.figures.forEach((figures, index) => {
      if (figures.length) measured.add(index);
    });
    for (const index of entry.too_few ?? []) measured.add(index);
  }

const measures = data.measures.filter((_, index) => measured.has(index));

/** Every store's place in a contest under a measure, best first. */
function standings(contest, measure) {
  const place = measureIndex.get(measure.name);
  const entries = (contest?.orders[place] ?? []).map((at) => contest.entries[at]);
  return entries.map((entry) => ({ contest, entry, store: data.stores[entry.store], index: entry.store, figures: entry.figures[place] }));
}

/** The stores that no other one beats in both measures, along the first one. */
function front(contest, across, up) {
  const pair = [across, up].map((measure) => measureIndex.get(measure.name));
  const [low, high] = d3.sort(pair);
  const [, , stores] = contest?.fronts.find(([first, second]) => first === low && second === high) ?? [low, high, []];
  return low === pair[0] ? stores : stores.toReversed();
}

function verdictOf(contest, measure) {
  return contest?.verdicts[measureIndex.get(measure.name)] ?? "";
}

/** What a publication found for an operation at a place under a measure. */
function publishedAt(event, at, measure) {
  const figures = (contestAt(event, at, measure)?.published ?? []).map((index) => data.published.figures[index]);
  return figures.filter((of) => of.measure === measure.name);
}

/** The contest nearest to a place: with the most axes the same, then of this operation, then with the fewest steps on the others. */
function nearest(contests, at, event) {
  const ways = contests.map((contest) => {
    const steps = contest.at.map((place, index) => Math.abs(place - at[index]));
    return { contest, same: d3.sum(steps, (each) => each === 0), named: contest.event === event, far: d3.sum(steps) };
  });
  return d3.least(ways, (a, b) => b.same - a.same || b.named - a.named || a.far - b.far)?.contest;
}

/** A workload in words: the axes that vary, and always size, count and data. */
function workloadLabel(at) {
  const label = (name) => data.axes[axisIndex.get(name)].values[at[axisIndex.get(name)]].label;
  const others = data.axes.filter((axis) => varies(axis) && !axis.of_field);
  const words = others.map((axis) => `${axis.title} ${label(axis.name)}`);
  return [`${label("value_bytes")} × ${label("records")} ${label("data")}`, ...words].join(" · ");
}
