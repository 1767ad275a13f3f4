// What is chosen: one object, kept in the address after the `#`, so that a view can be sent as a link. All that is drawn is
// drawn from it.

const firstEvent = events.find((event) => data.contests.some((contest) => contest.event === event && contest.entries.some((entry) => entry.curve))) ?? events[0] ?? "";

const state = {
  measure: measures[0] ?? data.measures[0],
  event: firstEvent,
  at: firstPlace(),
  hidden: new Set(),
  sort: { by: "overall", reverse: false },
  scatter: [measures[0], measures.find((measure) => measure.name === "rss_peak_above_baseline_bytes") ?? measures[0]],
  barEvents: new Set(events),
  barPlaces: data.axes.map(() => -1),
};

/**
 * Where something was measured, and published if anything was: under the circumstances of which the first answer speaks, as near as can be to
 * where each axis begins. One answer sums up the axes of a field; places on all others come in the order of the answers.
 */
function firstPlace() {
  const begin = data.axes.map((axis) => axis.begin);
  const whole = data.contests.filter((contest) => contest.phase === null);
  const published = whole.filter((contest) => publishedAt(firstEvent, contest.at, data.measures[0]).length);
  const among = published.length ? published : whole;
  const differ = data.axes.flatMap((axis, index) => (axis.of_field ? [] : [index]));
  const [first] = differ.reduce((rest, index) => rest.filter((contest) => contest.at[index] === d3.min(rest, (each) => each.at[index])), among);
  return nearest(among.filter((contest) => differ.every((index) => contest.at[index] === first.at[index])), begin)?.at.slice() ?? begin;
}

/** Where nothing was measured for what is chosen, what was not just chosen moves to the nearest place where something was. */
function settle(asChosen) {
  const phases = data.contests.filter((contest) => contest.phase !== null && asChosen(contest));
  const contest = nearest(phases, state.at, state.event);
  if (!contest) return;
  state.at = [...contest.at];
  state.event = contest.event;
}

const listeners = [];

/** Draws everything that depends on the choice again. */
function changed() {
  remember();
  for (const draw of listeners) draw();
}

function remember() {
  const words = new URLSearchParams();
  words.set("measure", state.measure.name);
  words.set("operation", state.event);
  data.axes.forEach((axis, index) => {
    if (varies(axis)) words.set(axis.name, axis.values[state.at[index]].label);
  });
  for (const store of state.hidden) words.append("without", data.stores[store].title);
  words.set("sort", `${state.sort.reverse ? "-" : ""}${state.sort.by}`);
  words.set("across", state.scatter[0].name);
  words.set("up", state.scatter[1].name);
  data.axes.forEach((axis, index) => {
    if (state.barPlaces[index] >= 0) words.set(`bars-${axis.name}`, axis.values[state.barPlaces[index]].label);
  });
  for (const event of events) if (!state.barEvents.has(event)) words.append("bars-without", event);
  try {
    history.replaceState(null, "", `#${words}`);
  } catch {
    // Inside some viewers a page may not change its address; the choice then lives as long as the page.
  }
}

/** Takes up a choice from the address, without names that this page does not know. An address without one leaves everything as it is. */
function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("measure")) return;
  const named = (name, otherwise) => measures.find((measure) => measure.name === words.get(name)) ?? otherwise;
  const place = (axis, name) => axis.values.findIndex((each) => each.label === words.get(name));
  state.measure = named("measure", state.measure);
  if (events.includes(words.get("operation"))) state.event = words.get("operation");
  data.axes.forEach((axis, index) => {
    const value = place(axis, axis.name);
    if (value >= 0) state.at[index] = value;
  });
  const without = words.getAll("without");
  state.hidden = new Set(data.stores.flatMap((store, index) => (without.includes(store.title) ? [index] : [])));
  const [, reverse, by] = /^(-?)(.*)$/s.exec(words.get("sort") ?? "overall");
  state.sort = { by, reverse: reverse === "-" };
  state.scatter = [named("across", state.scatter[0]), named("up", state.scatter[1])];
  state.barPlaces = data.axes.map((axis) => place(axis, `bars-${axis.name}`));
  state.barEvents = new Set(events.filter((event) => !words.getAll("bars-without").includes(event)));
  settle(() => true);
}

const shown = (store) => !state.hidden.has(store);

/** A choice among options. */
function chooser(label, options, chosen, choose) {
  const select = element(
    "select",
    { onchange: () => choose(options[select.selectedIndex].value) },
    options.map((option) => element("option", { selected: option.value === chosen }, option.label)),
  );
  return element("label", {}, label, select);
}

function drawChoosers() {
  // Drawing anew would take the focus from users who choose with the keyboard.
  const place = [...document.querySelectorAll("#choosers select")].indexOf(document.activeElement);
  const chooseMeasure = (measure) => {
    state.measure = measure;
    changed();
  };
  const chooseEvent = (event) => {
    state.event = event;
    settle((contest) => contest.event === event);
    changed();
  };
  const axes = data.axes.flatMap((axis, index) => {
    const options = axis.values.map((value, place) => ({ label: value.label, value: place }));
    const choose = (place) => {
      state.at[index] = place;
      settle((contest) => contest.at[index] === place);
      changed();
    };
    return varies(axis) ? [chooser(axis.title, options, state.at[index], choose)] : [];
  });
  document.getElementById("choosers").replaceChildren(
    chooser("measure", measures.map((measure) => ({ label: measure.title, value: measure })), state.measure, chooseMeasure),
    chooser("operation", events.map((event) => ({ label: event, value: event })), state.event, chooseEvent),
    ...axes,
  );
  document.querySelectorAll("#choosers select")[place]?.focus();
}

function drawStores() {
  const place = [...document.querySelectorAll("#stores button")].indexOf(document.activeElement);
  const toggle = (index) => () => {
    if (!state.hidden.delete(index)) state.hidden.add(index);
    changed();
  };
  const buttons = data.stores.map((_, index) =>
    element("button", { type: "button", "aria-pressed": String(shown(index)), onclick: toggle(index) }, storeName(index)),
  );
  document.getElementById("stores").replaceChildren(...buttons);
  buttons[place]?.focus();
}

listeners.push(drawChoosers, drawStores);
