// Fields that offer what may come next: the combobox pattern of ARIA. What is offered is text, and stays text.

let asking = 0;

document.addEventListener("input", (event) => {
  if (event.target.dataset?.completions && !event.target.completing) offer(event.target);
});
document.addEventListener("focusout", (event) => { if (event.target.dataset?.completions) close(event.target); });
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!field.dataset?.completions) return;
  const list = listOf(field), options = [...list.children];
  const at = options.findIndex((each) => each.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (list.hidden) { offer(field); return; }
    const step = event.key === "ArrowDown" ? 1 : -1;
    choose(field, options, (at + step + options.length + (at < 0 && step < 0 ? 1 : 0)) % options.length);
  } else if (event.key === "Enter" && !list.hidden && at >= 0) {
    event.preventDefault();
    take(field, options[at]);
  } else if (event.key === "Escape" && !list.hidden) {
    event.preventDefault();
    close(field);
  }
});
document.addEventListener("mousedown", (event) => {
  const option = event.target.closest?.("[role=option]");
  if (!option) return;
  event.preventDefault();  // the field keeps the focus
  take(document.querySelector(`[aria-controls="${CSS.escape(option.parentElement.id)}"]`), option);
});

const listOf = (field) => document.getElementById(field.getAttribute("aria-controls"));

async function offer(field) {
  close(field);  // what was offered belongs to another text: nobody takes it by a key that comes before the answer
  const number = ++asking, at = field.selectionStart;
  const query = new URLSearchParams([...new FormData(field.form)].filter(([name]) => name !== "know"));
  query.set("text", field.value);
  query.set("at", String(at));
  const response = await fetch(`${field.dataset.completions}?${query}`).catch(() => null);  // the page may be left
  if (!response?.ok || number !== asking || document.activeElement !== field) return;
  const offers = await response.json().catch(() => null);
  if (!offers || number !== asking) return;
  const list = listOf(field);
  list.replaceChildren(...offers.options.map(({ text, what }, place) => {
    const option = document.createElement("li"), words = document.createElement("span");
    option.id = `${list.id}-${place}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dataset.text = text;
    option.textContent = text;
    words.className = "quiet";
    words.textContent = ` ${what}`;
    option.append(words);
    return option;
  }));
  list.dataset.start = String(offers.start);
  list.dataset.end = String(at);
  list.hidden = offers.options.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  field.removeAttribute("aria-activedescendant");
}

function choose(field, options, at) {
  options.forEach((each, place) => each.setAttribute("aria-selected", String(place === at)));
  field.setAttribute("aria-activedescendant", options[at].id);
  options[at].scrollIntoView({ block: "nearest" });
}

function take(field, option) {
  const { start, end } = listOf(field).dataset;
  field.setRangeText(option.dataset.text, Number(start), Number(end), "end");
  offer(field);
}

function close(field) {
  asking += 1;
  const list = listOf(field);
  if (list) list.hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

// Somebody may write before this is read: what they wrote so far is looked up all the same.
if (document.activeElement?.dataset?.completions && document.activeElement.value) offer(document.activeElement);
