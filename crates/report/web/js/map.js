// A map: it shows the facts of the place that is pointed at, tapped, or reached with the arrow keys.

for (const map of document.querySelectorAll("figure.map")) {
  const rows = [...map.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]);
  const panel = map.querySelector(".known");
  let chosen = null;

  /** Shows a place in the panel, and marks it. Only the chosen one is reached with Tab. */
  const show = (place) => {
    panel.replaceChildren(...[...place.querySelector(".of").childNodes].map((node) => node.cloneNode(true)));
    map.querySelector(".shown")?.classList.remove("shown");
    place.classList.add("shown");
  };

  const choose = (place) => {
    if (!place) return;
    if (chosen) chosen.tabIndex = -1;
    chosen = place;
    chosen.tabIndex = 0;
    show(place);
  };

  const go = (place) => {
    choose(place);
    place?.focus();
  };

  const first = rows.at(-1)?.[0];
  if (first) first.tabIndex = 0;
  chosen = first;

  map.addEventListener("pointerover", (event) => {
    const place = event.target.closest("tbody td");
    if (place && event.pointerType !== "touch") show(place);
  });
  map.addEventListener("pointerleave", () => {
    if (chosen && map.querySelector(".shown")) show(chosen);
  });
  map.addEventListener("focusin", (event) => choose(event.target.closest("tbody td")));
  map.addEventListener("click", (event) => go(event.target.closest("tbody td")));
  map.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || !chosen || !event.target.closest("tbody td")) return;
    event.preventDefault();
    const row = rows.findIndex((each) => each.includes(chosen));
    go(rows[row + step[0]]?.[rows[row].indexOf(chosen) + step[1]]);
  });
}
