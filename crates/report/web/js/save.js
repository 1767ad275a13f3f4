// Pictures as files: an SVG that needs nothing else, and a PNG made of it.

const PNG_SCALE = 2;
const SAVED_MARGIN = 14;
const SAVED_LINE = 16;

/** An element of an SVG. */
function vector(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat());
  return made;
}

/** A text in lines of at most this many pixels. */
function linesOf(text, width, look) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && textWidth(longer, look) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Colours of the style sheet are put in: a file has no style sheet. */
function withColours(text) {
  const style = getComputedStyle(document.documentElement);
  return text.replace(/var\((--[\w-]+)\)/g, (whole, name) => style.getPropertyValue(name).trim() || whole);
}

/** A picture with its title, what it shows in words, and the line to cite its run by, as one SVG. */
function savedPicture(drawn, title, words, { cite }) {
  const width = Math.max(360, ...drawn.map((svg) => Number(svg.getAttribute("width"))));
  const parts = [];
  let bottom = SAVED_MARGIN;
  const write = (text, look, attributes) => {
    for (const line of linesOf(text, width, look)) {
      bottom += SAVED_LINE;
      parts.push(vector("text", { x: SAVED_MARGIN, y: bottom, ...attributes }, line));
    }
  };
  write(title, BOLD, { "font-size": 14, "font-weight": 600, fill: "var(--ink)" });
  write(words, PLAIN, { "font-size": 12, fill: "var(--soft)" });
  for (const svg of drawn) {
    const copy = svg.cloneNode(true);
    for (const tip of copy.querySelectorAll("[aria-label=tip]")) tip.remove();
    const place = { x: SAVED_MARGIN, y: bottom + 8, overflow: "visible" };
    for (const [key, value] of Object.entries(place)) copy.setAttribute(key, value);
    parts.push(copy);
    bottom += 8 + Number(svg.getAttribute("height"));
  }
  write(cite, PLAIN, { "font-size": 11, fill: "var(--soft)" });
  const [across, down] = [width + 2 * SAVED_MARGIN, bottom + SAVED_MARGIN];
  const frame = { xmlns: "http://www.w3.org/2000/svg", width: across, height: down, viewBox: `0 0 ${across} ${down}`, "font-family": fontFamily, "font-size": 12, color: "var(--ink)" };
  const whole = vector("svg", frame,
    vector("title", {}, title), vector("desc", {}, `${words} ${cite}`),
    vector("rect", { width: across, height: down, fill: "var(--card)" }), parts);
  return { text: withColours(new XMLSerializer().serializeToString(whole)), width: across, height: down };
}

/** The same as pixels. */
async function pixels({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A part of a file's name: letters, digits, points and dashes. */
const slug = (words) => words.replace(/[^\p{L}\p{N}.]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 80);

/** A menu that saves what is drawn of a run, the chosen one unless it is given: the file is named after the run and the picture. */
function saveMenu(title, words, drawn, run = state.at[axisIndex.get("run")]) {
  const of = data.runs[run];
  const name = `${slug(of.label)}-${slug(title)}`;
  const menu = element("details", { class: "save" });
  const kinds = {
    SVG: () => save(`${name}.svg`, "image/svg+xml", savedPicture(drawn(), title, words, of).text),
    PNG: async () => save(`${name}.png`, "image/png", await pixels(savedPicture(drawn(), title, words, of))),
  };
  const buttons = Object.entries(kinds).map(([kind, act]) => {
    const onclick = () => {
      menu.open = false;
      menu.firstChild.focus();
      act();
    };
    return element("button", { type: "button", onclick }, kind);
  });
  menu.append(element("summary", { "aria-label": `Save the picture: ${title}`, title: "Save this picture" }, "⤓"), element("span", { class: "kinds" }, buttons));
  return menu;
}

/** A menu closes where something else is pressed, and with Escape. */
function closeMenus({ target, type, key }) {
  if (type === "keydown" && key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.save[open]")) {
    const isInside = menu.contains(target);
    if (type === "click" && isInside) continue;
    menu.open = false;
    if (isInside) menu.firstChild.focus();
  }
}

document.addEventListener("click", closeMenus);
document.addEventListener("keydown", closeMenus);
