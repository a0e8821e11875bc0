// What a page does besides following links: sliders beside number fields, copying, the theme, and charts.

const dark = () => document.documentElement.dataset.theme
  ? document.documentElement.dataset.theme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;

document.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy]");
  if (copied) copy(copied);
  if (event.target.closest("[data-theme-switch]")) {
    const theme = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("sidelight-theme", theme); } catch (_) { /* kept nowhere, then */ }
    drawCharts(document, true);
  }
});

async function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch (_) {
    getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    button.textContent = "Selected: press Ctrl-C";
  }
  setTimeout(() => { button.textContent = words; }, 1500);
}

// A slider moves its number field, and the field its slider; only the field has a name, and is sent.
document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.dataset.for) {
    document.getElementById(field.dataset.for).value = field.value;
  } else if (field.type === "number") {
    const slider = document.querySelector(`[data-for="${CSS.escape(field.id)}"]`);
    if (slider) slider.value = field.value;
  }
}, true);

// Forms that follow every change are not sent besides, by Enter: the page would be left while it is being changed.
document.addEventListener("submit", (event) => {
  if (event.target.hasAttribute("hx-get") && event.submitter?.matches(".no-script")) event.preventDefault();
});

// How long it took from a change to its effect on the screen, charts included, for who measures it.
let changed = 0;
document.addEventListener("input", () => { changed = performance.now(); }, true);
document.addEventListener("htmx:afterSettle", async () => {
  await drawCharts(document);
  if (changed) requestAnimationFrame(() => {
    document.documentElement.dataset.redrawn = String(performance.now() - changed);
  });
});

// Charts: the specification stands in `data-vega`; expressions are interpreted, as the page may not evaluate code.
// Numbers of a chart that is live stand apart (`data-numbers`), and are put into the picture that stands.
// What draws them is large and comes last: until all scripts of the page have run, fields work already, charts wait.
const drawn = new WeakMap();
const scriptsHaveRun = new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));

export async function drawCharts(within, again = false) {
  await Promise.all([...within.querySelectorAll("[data-vega]")].map((place) => drawChart(place, again)));
}

async function drawChart(place, again) {
  const before = again ? undefined : drawn.get(place);
  const source = document.getElementById(place.dataset.numbersIn);
  const numbers = source ? source.dataset.numbers : "";
  if (before && before.numbers === numbers) return before.done;
  const done = before ? before.done.then((view) => renumbered(view, JSON.parse(numbers))) : embedded(place, numbers);
  drawn.set(place, { numbers, done });
  return done;
}

async function renumbered(view, { datasets, words }) {
  for (const [name, rows] of Object.entries(datasets)) view.data(name, rows);
  for (const [name, value] of Object.entries(words)) view.signal(name, value);
  return view.runAsync();
}

async function embedded(place, numbers) {
  await scriptsHaveRun;
  let text = place.dataset.vega;
  if (dark()) {
    const colours = JSON.parse(document.querySelector("meta[name=chart-colours]").content);
    for (const [light, darker] of Object.entries(colours)) text = text.replaceAll(`"${light}"`, `"${darker}"`);
  }
  const specification = JSON.parse(text);
  specification.config = { ...specification.config, background: null, padding: 4 };
  const embedding = await window.vegaEmbed(place, specification, {
    ast: true, actions: false, defaultStyle: false, renderer: "svg", mode: "vega-lite",
    tooltip: { disableDefaultStyle: true },
  });
  place.querySelector("svg")?.setAttribute("aria-hidden", "true");  // what stands around it says it in words
  return numbers ? renumbered(embedding.view, JSON.parse(numbers)) : embedding.view;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawCharts(document, true));
drawCharts(document);

// Files: dropped anywhere on a page that takes one, and read at once; one that is too large is not sent at all.
const takesFile = (target) => (target.closest && target.closest(".drop") || document).querySelector("input[type=file]");

for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    const field = takesFile(event.target);
    if (!field || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    field.form.classList.toggle("over", name === "dragover");
    if (name === "drop") {
      field.files = event.dataTransfer.files;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.type !== "file" || !field.files.length) return;
  const most = Number(field.dataset.mostBytes);
  const bytes = [...field.files].reduce((sum, file) => sum + file.size, 0);
  const problem = document.getElementById(`${field.id}-problem`);
  problem.hidden = bytes <= most;
  problem.textContent = bytes <= most ? "" :
    `That is more than ${Math.floor(most / 1048576)} MB; give a smaller file, or start the page with it.`;
  if (bytes <= most) field.form.requestSubmit();
});
