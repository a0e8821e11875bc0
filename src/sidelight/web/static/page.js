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

// How long it took from a change to its effect on the screen, for who measures it.
let changed = 0;
document.addEventListener("input", () => { changed = performance.now(); }, true);
document.addEventListener("htmx:afterSettle", () => {
  if (changed) requestAnimationFrame(() => {
    document.documentElement.dataset.redrawn = String(performance.now() - changed);
  });
});

// Charts: the specification stands in `data-vega`; expressions are interpreted, as the page may not evaluate code.
export async function drawCharts(within, again = false) {
  for (const place of within.querySelectorAll("[data-vega]")) {
    if (place.dataset.drawn && !again) continue;
    place.dataset.drawn = "yes";
    const specification = JSON.parse(place.dataset.vega);
    await window.vegaEmbed(place, specification, {
      ast: true, actions: false, defaultStyle: false, renderer: "svg", mode: "vega-lite",
      theme: dark() ? "dark" : undefined, tooltip: { disableDefaultStyle: true }, config: { background: "transparent" },
    });
  }
}
drawCharts(document);
document.addEventListener("htmx:afterSettle", () => drawCharts(document));
