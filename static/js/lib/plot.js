// Draws the figures of a page, in the colours of its theme.
// The server writes a figure with the light colours; here each is exchanged for what the theme has
// in its place. A figure is <div data-figure="id of its JSON" data-config="id of its config">.

const INKS = ["text", "muted", "line", "edge", "surface", "accent",
  "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];

// Between two panels: the ticks of the upper one, the title of the lower one.
const GAP = 52;
const narrow = "(max-width: 699px)";

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

/** A figure of several panels with one below the other, each as high as it was and as wide as the page. */
export function stacked(figure) {
  const { data = [], layout = {} } = figure;
  const every = Object.keys(layout).filter((key) => /^xaxis\d*$/.test(key)).map((key) => key.slice("xaxis".length));
  const used = new Set(data.map((trace) => (trace.xaxis ?? "x").slice(1)));
  const numbers = every.filter((number) => used.has(number)).sort((a, b) => Number(a) - Number(b));
  const n = numbers.length;
  const beside = new Set(numbers.map((number) => layout[`yaxis${number}`]?.domain?.[0])).size;
  if (n < 2 || n === beside || !layout.height) return figure;

  const { t = 0, b = 0 } = layout.margin ?? {};
  const inner = layout.height - t - b;
  const [low, high] = layout.yaxis.domain;
  const panel = (high - low) * inner;
  const whole = n * panel + (n - 1) * GAP;
  const changed = { ...layout, height: Math.round(whole + t + b) };
  // A row that is not full has axes without anything on them.
  for (const number of every)
    if (!used.has(number)) for (const axis of ["xaxis", "yaxis"]) delete changed[`${axis}${number}`];
  const tops = numbers.map((_, place) => 1 - place * (panel + GAP) / whole);
  numbers.forEach((number, place) => {
    const domain = [Math.max(tops[place] - panel / whole, 0), tops[place]];
    const isLast = place === n - 1;
    changed[`yaxis${number}`] = { ...layout[`yaxis${number}`], domain, showticklabels: true };
    changed[`xaxis${number}`] = {
      ...layout[`xaxis${number}`], domain: [0, 1], title: isLast ? layout[`xaxis${number}`].title : undefined,
    };
  });
  changed.annotations = layout.annotations?.map((title, place) =>
    place < n ? { ...title, x: 0, xanchor: "left", y: tops[place], yanchor: "bottom" } : title);
  return { ...figure, layout: changed };
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
  const given = recolour(read(place.dataset.figure), coloursOfTheTheme());
  const figure = matchMedia(narrow).matches ? stacked(given) : given;
  const font = getComputedStyle(document.body).fontFamily;
  const layout = { ...figure.layout, font: { ...figure.layout?.font, family: font } };
  // Told by the box as well: when the page changes its width, plotly asks the box for its height.
  if (layout.height) place.style.height = `${layout.height}px`;
  const told = place.dataset.config ? read(place.dataset.config) : {};
  const config = { displaylogo: false, responsive: true, modeBarButtons: [["toImage"]], ...told };
  return window.Plotly.react(place, figure.data, layout, config);
}

function drawAll() {
  for (const place of document.querySelectorAll("[data-figure]")) draw(place);
}

if (typeof document !== "undefined") {
  drawAll();
  document.documentElement.addEventListener("themechange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia(narrow).addEventListener("change", drawAll);
  document.addEventListener("htmx:load", (event) => {
    for (const place of event.target.querySelectorAll?.("[data-figure]") ?? []) draw(place);
  });
}
