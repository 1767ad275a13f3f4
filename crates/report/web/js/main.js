// Starts the page: downloads, first drawing.

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The rows of a CSV as JSON: numbers as numbers, absent figures left out, the apostrophe before what looks like a formula taken off. */
function rowsOf(csv) {
  // Not csvParse, which makes a function of the header: the page's policy forbids that.
  const [header, ...rows] = d3.csvParseRows(csv);
  const field = (name, value) => (!data.texts.includes(name) && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value.replace(/^'(?=[=+\-@\t\r\n])/, ""));
  return rows.map((row) => Object.fromEntries(row.flatMap((value, index) => (value === "" ? [] : [[header[index], field(header[index], value)]]))));
}

for (const raw of document.querySelectorAll("script.raw")) {
  const run = raw.dataset.run;
  const button = (kind, type, convert) =>
    element("button", { type: "button", onclick: async () => save(`${run}.${kind}`, type, convert(await unpack(raw))) }, `${run}.${kind}`);
  document.getElementById("download-buttons").append(
    button("csv", "text/csv", (csv) => csv), " ",
    button("json", "application/json", (csv) => JSON.stringify(rowsOf(csv), null, 1)), " ",
  );
}

/** Marks of one strip that would hide each other stand above each other. */
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

document.querySelectorAll(".standings .strip").forEach(separate);

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
    pending.shift()?.();
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
