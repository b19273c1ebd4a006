// Draws the figures of a page, in the colours of its theme.
// The server writes a figure with the light colours; here each is exchanged for what the theme has
// in its place. A figure is <div data-figure="id of its JSON" data-config="id of its config">.

const INKS = ["text", "muted", "line", "edge", "surface", "accent",
  "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];

/** "rgb(11, 100, 180)" → "#0b64b4". */
export function toHex(colour) {
  const parts = colour.match(/\d+(\.\d+)?/g)?.slice(0, 3) ?? [];
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, "0")).join("")}`;
}

/** A copy of a figure in which every colour that the table knows is exchanged. */
export function recolour(value, table) {
  if (typeof value === "string") return table.get(value.toLowerCase()) ?? value;
  if (Array.isArray(value)) return value.map((part) => recolour(part, table));
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, recolour(part, table)]));
  return value;
}

function resolve(theme) {
  const probe = document.createElement("i");
  probe.hidden = true;
  if (theme) probe.dataset.theme = theme;
  document.body.append(probe);
  const colours = INKS.map((ink) => {
    probe.style.setProperty("color", `var(--${ink})`);
    return toHex(getComputedStyle(probe).color);
  });
  probe.remove();
  return colours;
}

function coloursOfTheTheme() {
  const light = resolve("light");
  const now = resolve(document.documentElement.dataset.theme);
  return new Map(light.map((colour, place) => [colour, now[place]]));
}

function draw(place) {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const figure = recolour(read(place.dataset.figure), coloursOfTheTheme());
  const font = getComputedStyle(document.body).fontFamily;
  const layout = { ...figure.layout, font: { ...figure.layout?.font, family: font } };
  // Told by the box as well: when the page changes its width, plotly asks the box for its height.
  if (layout.height) place.style.height = `${layout.height}px`;
  const given = place.dataset.config ? read(place.dataset.config) : {};
  const config = { displaylogo: false, responsive: true, modeBarButtons: [["toImage"]], ...given };
  return window.Plotly.react(place, figure.data, layout, config);
}

function drawAll() {
  for (const place of document.querySelectorAll("[data-figure]")) draw(place);
}

if (typeof document !== "undefined") {
  drawAll();
  document.documentElement.addEventListener("themechange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  document.addEventListener("htmx:load", (event) => {
    for (const place of event.target.querySelectorAll?.("[data-figure]") ?? []) draw(place);
  });
}
