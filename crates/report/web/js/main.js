// Starts the page: downloads, first drawing.

function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A table as JSON, an object for each row; what is absent is left out. */
function jsonOf({ columns, rows }) {
  const object = (row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]).filter(([, value]) => value !== null));
  return JSON.stringify(rows.map(object), null, 1);
}

/** A field of CSV: quoted where it must be, and with an apostrophe where a spreadsheet would take it for a formula, as in src/export/csv.rs. */
function csvField(value) {
  const field = typeof value === "string" ? value.replace(/^(?=[=+\-@\t\n])/, "'") : String(value ?? "");
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** A table as CSV with a header; what is absent is an empty field. */
const csvOf = ({ columns, rows }) => [columns, ...rows].map((row) => `${row.map(csvField).join(",")}\n`).join("");

for (const raw of document.querySelectorAll("script.raw")) {
  const run = raw.dataset.run;
  const button = (kind, type, convert) =>
    element("button", { type: "button", onclick: async () => save(`${run}.${kind}`, type, convert(JSON.parse(await unpack(raw)))) }, `${run}.${kind}`);
  document.getElementById("download-buttons").append(
    button("csv", "text/csv", csvOf), " ",
    button("json", "application/json", jsonOf), " ",
  );
}

/** Marks of one strip that would hide each other are above each other. */
function separate(strip) {
  const groups = [];
  for (const dot of d3.sort(strip.querySelectorAll(".dot"), (each) => each.offsetLeft)) {
    const beside = groups.at(-1);
    if (beside && dot.offsetLeft - beside.at(-1).offsetLeft < dot.offsetWidth / 2) beside.push(dot);
    else groups.push([dot]);
  }
  const highest = d3.max(groups, (group) => group.length) ?? 0;
  const step = Math.min(8, 48 / highest);
  strip.style.height = `calc(1.1rem + ${(highest - 1) * step}px)`;
  for (const group of groups) {
    group.forEach((dot, index) => {
      dot.style.marginTop = `${((highest - group.length) / 2 + index) * step}px`;
    });
  }
}

/** Strips that are in sight; those of a folded part have no places before it is opened. */
function separateIn(part) {
  for (const strip of part.querySelectorAll(".standings .strip")) if (strip.checkVisibility()) separate(strip);
}

separateIn(document);
document.addEventListener("toggle", ({ target }) => separateIn(target), { capture: true });

/** What is moved to, by a link or by Tab, stays clear of the choosers that stick to the top. */
function keepClear() {
  const bar = document.getElementById("choose");
  const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  document.documentElement.style.setProperty("--bar", `${height}px`);
}

if (measures.length) {
  // The part of the page that the address names was hidden when the browser looked for it, and grows while pictures are drawn.
  const part = /^#[\w-]+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
  document.getElementById("interactive").hidden = false;
  new ResizeObserver(keepClear).observe(document.getElementById("choose"));
  recall();
  changed();
  if (part) {
    for (const above of pending.splice(0, PICTURES_ABOVE)) above();
    part.scrollIntoView({ behavior: "instant" });
  }
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    changed();
  });
  addEventListener("hashchange", () => { recall(); changed(); });
} else {
  document.documentElement.dataset.ready = performance.now().toFixed(1);
}
