// Numbers for people, as the terminal shows them; elements; marks of stores.

const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const RATES = [[1e9, " G/s"], [1e6, " M/s"], [1e3, " k/s"], [1, "/s"]];

/** Three significant digits, without exponent. */
function digits(value) {
  if (value === 0) return "0";
  const decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 || value <= 0 ? 2 : Math.min(2 - Math.floor(Math.log10(value)), 9);
  return value.toFixed(decimals);
}

function unitOf(value, units) {
  return units.find(([scale]) => value >= scale * 0.9995) ?? units.at(-1);
}

/** Each unit's size and name, largest first. */
const UNITS = {
  ns: TIMES.map(([scale, unit]) => [scale, ` ${unit}`]),
  bytes: BYTES.map(([scale, unit]) => [scale, ` ${unit}`]),
  per_second: RATES,
  share: [[0.01, " %"]],
  times: [[1, "×"]],
};

/** A figure in the unit of its measure. */
function figure(value, measure) {
  const [scale, unit] = unitOf(value, UNITS[measure.unit]);
  return digits(value / scale) + unit;
}

/** Two figures in the unit of the second. */
function range(low, high, measure) {
  const [scale, unit] = unitOf(high, UNITS[measure.unit]);
  return `${digits(low / scale)}–${digits(high / scale)}${unit}`;
}

/** A round number on an axis: no digits that say nothing. */
function tick(value, measure) {
  const [scale, unit] = unitOf(value, UNITS[measure.unit]);
  return `${Number((value / scale).toPrecision(3))}${unit}`;
}

const times = (value) => `${digits(value)}×`;

/** The interval of a ratio, or the end of it that says something, as on a terminal (src/labels.rs). An end on one side of 1 is not shown as 1. */
function timesRange(low, high) {
  if (high <= low * 10) return `${besideOne(low)}–${besideOne(high)}×`;
  if (low > 1) return `≥${times(low)}`;
  return high < 1 ? `≤${times(high)}` : "too few rounds";
}

function besideOne(value) {
  const shown = digits(value);
  if (value === 1 || shown !== "1.00") return shown;
  return [3, 4].map((decimals) => value.toFixed(decimals)).find((longer) => !/^1\.0*$/.test(longer)) ?? shown;
}

const percent = (share) => `${Math.round(share * 100)} %`;

/** A text of at most this many characters: a longer one is cut in its middle, since names differ at both ends. */
const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.ceil(most / 2)).trimEnd()}…${text.slice(1 - Math.floor(most / 2)).trimStart()}` : text);

/** An element with attributes and children; text is only ever text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const COLOURS = 8;
const SYMBOLS = ["circle", "square", "diamond", "triangle"];
const DASHES = ["", "6 3", "2 3", "8 2 2 2"];
const colourNumber = (store) => data.stores[store].slot % COLOURS;
const markNumber = (store) => Math.floor(data.stores[store].slot / COLOURS);
const marksOf = (store) => `c${colourNumber(store)} m${markNumber(store)}`;
const colourOf = (store) => `var(--c${colourNumber(store)})`;
const symbolOf = (store) => SYMBOLS[markNumber(store)];
const dashOf = (store) => DASHES[markNumber(store)];

function storeName(store) {
  return element("span", { class: `store ${marksOf(store)}` }, data.stores[store].title);
}
