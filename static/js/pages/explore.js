// A table of results as a figure: what is on which axis, in which colour and panel, and of which rows.
// The page holds the rows; plotly draws them. Only this page loads it.

const MOST_PANELS = 12;
const GAP = 0.08; // of the figure, between panels
const NONE = "–"; // what a row is called by where it has no value

const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text as plotly draws it sign by sign: it takes what looks like markup for markup. */
export function plain(one) {
  return typeof one === "string" ? one.replace(/[&<>]/g, (sign) => SIGNS[sign]) : one;
}

/** The different values of a column, as they come; numbers in their order. */
export function values(rows, at) {
  const found = [...new Set(rows.map((row) => row[at]).filter((one) => one !== null))];
  return found.every((one) => typeof one === "number") ? found.sort((a, b) => a - b) : found;
}

/** The rows where a column has a value; all where no column is named. */
export function kept(rows, at, value) {
  return at < 0 || value === "" ? rows : rows.filter((row) => String(row[at] ?? NONE) === value);
}

/** Rows by the value of a column, in the order of values, those without one last; all as one where no column is named. */
export function groups(rows, at) {
  if (at < 0) return [["", rows]];
  const found = values(rows, at).map((one) => [String(one), rows.filter((row) => row[at] === one)]);
  const rest = rows.filter((row) => row[at] === null);
  return rest.length ? [...found, [NONE, rest]] : found;
}

/** The mean of a column by the value of another one. */
export function means(rows, by, of) {
  return groups(rows, by).map(([name, some]) => {
    const numbers = some.map((row) => row[of]).filter((one) => typeof one === "number");
    return [name, numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : null];
  });
}

/** What plotly takes for whiskers from a value to both ends of its interval. */
export function whiskers(rows, at, low, high) {
  const away = (row, end) => (row[at] === null || row[end] === null ? 0 : Math.abs(row[end] - row[at]));
  return {
    type: "data",
    symmetric: false,
    array: rows.map((row) => away(row, high)),
    arrayminus: rows.map((row) => away(row, low)),
    thickness: 2,
    width: 0,
  };
}

/** The ends of an axis of numbers: around all values and their intervals, with some room. */
export function range(data, choice, key) {
  const columns = [choice[key], ...(data.whiskers[choice[key]] ?? [])].map((one) => data.columns.indexOf(one));
  const rows = kept(data.rows, data.columns.indexOf(choice.where), choice.value);
  const found = columns.flatMap((at) => values(rows, at));
  if (!found.length) return null;
  const [low, high] = [found.reduce((a, b) => Math.min(a, b)), found.reduce((a, b) => Math.max(a, b))];
  const room = 0.04 * (high - low) || 1;
  return [low - room, high + room];
}

/** Where a panel stands in a grid of so many: its ends on both axes, the first on top. */
export function place(n, of, wide = 3) {
  const columns = Math.min(wide, of);
  const lines = Math.ceil(of / columns);
  const [column, line] = [n % columns, Math.floor(n / columns)];
  const stretch = (at, all) => [at / all + (at ? GAP / 2 : 0), (at + 1) / all - (at + 1 < all ? GAP / 2 : 0)];
  const [low, high] = stretch(lines - 1 - line, lines);
  return { x: stretch(column, columns), y: [low, high - (lines > 1 ? GAP / 2 : 0)] };
}

function trace(data, choice, [name, rows], look) {
  const column = (key) => data.columns.indexOf(choice[key]);
  const [x, y] = [column("x"), column("y")];
  const isNumber = (key) => data.numbers.includes(choice[key]);
  const series = { name: plain(name || choice.y), legendgroup: name, marker: look, hoverlabel: { namelength: -1 } };
  const pick = (key) => rows.map((row) => plain(row[column(key)] ?? (isNumber(key) ? null : NONE)));
  if (choice.kind === "histogram") return { ...series, type: "histogram", x: pick("x"), bingroup: "all", opacity: 0.75 };
  if (choice.kind === "mean") {
    const across = isNumber("x") && !isNumber("y");
    const all = across ? means(rows, y, x) : means(rows, x, y);
    const found = !across && isNumber("x") ? all.filter(([name]) => name !== NONE) : all;
    const [names, numbers] = [found.map((one) => plain(one[0])), found.map((one) => one[1])];
    if (across) return { ...series, type: "bar", orientation: "h", x: numbers, y: names };
    return { ...series, type: "bar", x: names, y: numbers };
  }
  if (choice.kind === "box") {
    const across = isNumber("x") && !isNumber("y");
    return { ...series, type: "box", orientation: across ? "h" : "v", x: pick("x"), y: pick("y"), boxmean: true };
  }
  const said = rows.map((row) => data.columns.map((key, at) => plain(`${key}: ${row[at] ?? NONE}`)).join("<br>"));
  const made = { ...series, type: "scatter", mode: "markers", x: pick("x"), y: pick("y"), text: said };
  made.orientation = isNumber("x") && !isNumber("y") ? "h" : "v";
  made.hoverinfo = "text";
  for (const key of ["x", "y"]) {
    const ends = data.whiskers[choice[key]];
    if (ends) made[`error_${key}`] = whiskers(rows, column(key), ...ends.map((one) => data.columns.indexOf(one)));
  }
  return made;
}

/** Traces and panels of a choice; looks gives each colour group what it wears. */
export function drawn(data, choice, looks) {
  const at = (key) => data.columns.indexOf(choice[key]);
  const rows = kept(data.rows, at("where"), choice.value);
  const coloured = choice.colour ? groups(rows, at("colour")).map(([name]) => name) : [];
  const all = groups(rows, at("facet"));
  const panels = all.slice(0, MOST_PANELS);
  const traces = panels.flatMap(([, some], n) =>
    groups(some, at("colour")).map((group) => ({
      ...trace(data, choice, group, looks(group[0], coloured.indexOf(group[0]))),
      xaxis: n ? `x${n + 1}` : "x",
      yaxis: n ? `y${n + 1}` : "y",
      offsetgroup: group[0],
      alignmentgroup: "all",
      showlegend: n === 0 && Boolean(choice.colour),
    })),
  );
  return { traces, panels: panels.map(([name]) => name), nPanels: all.length, nRows: rows.length };
}

// ------------------------------------------------------------------ what follows needs a page

/** The colours of the page's theme, as the browser resolves them. */
function inks() {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.hidden = true;
  const ink = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const names = ["text", "muted", "line", "edge", "surface", "accent", ...Array.from({ length: 8 }, (_one, n) => `s${n + 1}`)];
  const found = Object.fromEntries(names.map((name) => [name, ink(name)]));
  found.font = getComputedStyle(document.body).fontFamily;
  probe.remove();
  return found;
}

/** Systems wear their own colour and sign; what is no system is an open sign in another colour. */
function looksOf(data, ink) {
  return (name, n) => {
    const own = data.looks[name];
    const size = 10;
    if (own) return { color: ink[`s${own.colour}`], symbol: own.symbol, size };
    if (n < 0) return { color: ink.accent, symbol: "circle-open", size };
    const signs = ["circle-open", "square-open", "diamond-open", "triangle-up-open", "cross-open", "x-open"];
    return { color: `hsl(${(185 + 67 * n) % 360} 45% 50%)`, symbol: signs[n % signs.length], size };
  };
}

function layoutOf(data, choice, panels, ink, width) {
  const onAxis = (key) => choice[key] === choice.colour;
  const words = (key) => !data.numbers.includes(choice[key]) && choice.kind !== "histogram";
  const wide = width < 600 || words("x") ? 1 : 3;
  const lines = Math.ceil(panels.length / Math.min(wide, panels.length || 1));
  const nColours = groups(data.rows, data.columns.indexOf(choice.colour)).length;
  const n = words("y") ? groups(data.rows, data.columns.indexOf(choice.y)).length : 0;
  const head = (choice.colour ? (width < 600 ? 24 * Math.min(nColours, 6) : 32) : 8) + (panels.length > 1 ? 28 : 0);
  const font = { family: ink.font, size: 12, color: ink.muted };
  const axis = { gridcolor: ink.line, zerolinecolor: ink.edge, automargin: true, tickfont: font };
  const made = {
    font,
    height: head + lines * Math.max(lines > 1 ? 260 : 420, 32 * n),
    margin: { l: 8, r: 8, t: head, b: 8 },
    paper_bgcolor: ink.surface,
    plot_bgcolor: ink.surface,
    barmode: choice.kind === "histogram" ? "overlay" : "group",
    boxmode: "group",
    scattermode: onAxis("x") || onAxis("y") ? "overlay" : "group",
    legend: { orientation: "h", x: 0, xref: "container", y: 1, yref: "container", yanchor: "top", font: { ...font, color: ink.text } },
    hoverlabel: { font, bgcolor: ink.surface, bordercolor: ink.edge, align: "left" },
    annotations: [],
  };
  panels.forEach((name, n) => {
    const { x, y } = place(n, panels.length, wide);
    const key = n ? n + 1 : "";
    const [isFirst, isLast] = [n % wide === 0, n + wide >= panels.length];
    const up = choice.kind === "histogram" || !isFirst ? "" : choice.y;
    made[`xaxis${key}`] = { ...axis, domain: x, anchor: `y${key}`, title: { text: isLast ? plain(choice.x) : "" }, ...(n && { matches: "x" }) };
    made[`yaxis${key}`] = { ...axis, domain: y, anchor: `x${key}`, title: { text: plain(up), standoff: 12 }, ...(n && { matches: "y" }) };
    made[`yaxis${key}`].showticklabels = isFirst;
    if (words("y")) made[`yaxis${key}`].autorange = "reversed";
    for (const one of choice.kind === "points" ? ["x", "y"] : []) {
      const ends = data.numbers.includes(choice[one]) && range(data, choice, one);
      if (ends) made[`${one}axis${key}`].range = ends;
    }
    if (name) {
      const at = { x: x[0], y: y[1], xref: "paper", yref: "paper", xanchor: "left", yanchor: "bottom" };
      made.annotations.push({ ...at, text: plain(name), showarrow: false, font: { ...font, color: ink.text } });
    }
  });
  return made;
}

/** The picture as a file; png is drawn on a canvas, as the policy loads no blobs. */
async function save(figure, form, name) {
  let url = await window.Plotly.toImage(figure, { format: "svg" });
  if (form === "png") {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    url = canvas.toDataURL("image/png");
  }
  const link = document.createElement("a");
  [link.href, link.download] = [url, `${name}.${form}`];
  link.click();
}

function start(figure, form) {
  const data = JSON.parse(document.getElementById("explored").textContent);
  const said = document.querySelector("[data-said]");
  const value = form.elements.value;
  let wanted = data.value;

  function fill() {
    const at = data.columns.indexOf(form.elements.where.value);
    value.replaceChildren(...(at < 0 ? [] : groups(data.rows, at).map(([name]) => new Option(name, name))));
    value.closest("label").hidden = at < 0;
    if (wanted) value.value = wanted;
    wanted = "";
  }

  function draw() {
    const choice = Object.fromEntries(new FormData(form));
    choice.value ??= "";
    const ink = inks();
    const { traces, panels, nPanels, nRows } = drawn(data, choice, looksOf(data, ink));
    const cut = nPanels > panels.length ? figure.dataset.panels : "";
    said.textContent = nRows ? cut.replace("{shown}", panels.length).replace("{n}", nPanels) : figure.dataset.none;
    const layout = layoutOf(data, choice, panels, ink, figure.clientWidth);
    window.Plotly.react(figure, traces, layout, { displayModeBar: false, responsive: true });
    const query = new URLSearchParams([...new FormData(form)].filter(([key, text]) => text || key !== "value"));
    history.replaceState(null, "", `?${query}`);
  }

  form.addEventListener("change", (event) => {
    if (event.target.name === "where") fill();
    draw();
  });
  document.querySelector("[data-zoom]").addEventListener("click", draw);
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => save(figure, button.dataset.save, form.elements.table.value));
  }
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  fill();
  draw();
}

if (typeof document !== "undefined") {
  const table = document.querySelector("#explore select");
  table?.addEventListener("change", () => table.form.requestSubmit());
  const figure = document.querySelector("[data-figure]");
  if (figure) start(figure, document.getElementById("axes"));
}
