// Saves round trips: every page works without it by buttons that submit.
"use strict";

const rowMark = "{row}";

// (1) Rows: a copy of the template, with its number in the place of the mark; a removed row leaves a gap, which the host's pages read over.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=do]");
  const list = button?.closest("[data-rows]");
  const [, verb, pointer] = /^(add|remove):(.*)/s.exec(button?.value) ?? [];
  if (!list || !verb || (verb === "add" && list.dataset.rows !== pointer)) return;
  event.preventDefault();
  if (verb === "remove") {
    button.closest("fieldset").remove();
    list.querySelector(":scope > button").focus();
    return;
  }
  const template = list.querySelector(":scope > template");
  const count = list.querySelector(`:scope > input[name="n${pointer}"]`);
  const number = Number(count.value);
  count.value = number + 1;
  template.insertAdjacentHTML("beforebegin", template.innerHTML.replaceAll(`${pointer}/${rowMark}`, `${pointer}/${number}`));
  const row = template.previousElementSibling;
  const legend = row.querySelector("legend");
  for (const part of [legend, row.querySelector(":scope > button")])
    part.ariaLabel = part.ariaLabel?.replace(rowMark, number + 1) ?? null;
  legend.textContent = legend.textContent.replace(rowMark, number + 1);
  row.querySelector("input:not([type=hidden]), select, textarea")?.focus();
});

// (2) Search while typing.
let waiting;
document.addEventListener("input", (event) => {
  const { find: list, bound, name, many } = event.target.dataset;
  if (!list) return;
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const { form } = event.target;
    const query = new URLSearchParams({ text: event.target.value, name, form: form.dataset.form, at: form.dataset.at });
    if (bound) query.set("bound", bound);
    if (many) query.set("many", many);
    // Other values of the form, of which a list may need one.
    for (const field of form.querySelectorAll("select")) if (/^v\/\w+$/.test(field.name) && field.value) query.set(field.name, field.value);
    const response = await fetch(`${form.dataset.base}/-/find/${list}?${query}`);
    if (!response.ok || response.redirected) return;
    const results = event.target.closest("fieldset").querySelector("[data-results]");
    const inputs = [...results.querySelectorAll("input")].filter((input) => input.checked || !input.value);
    const chosen = inputs.map((input) => input.closest("label"));
    results.innerHTML = await response.text();
    for (const input of results.querySelectorAll("input"))
      if (inputs.some(({ value }) => value === input.value)) input.closest("label").remove();
    results.prepend(...chosen);
  }, 300);
});

// Enter finds, it does not send the form.
document.addEventListener("keydown", (event) => event.key === "Enter" && event.target.dataset.find && event.preventDefault());

// (3) Change at the till, in whole millionths and for the eye only: the receipt has the host's.
const millionths = (text) => {
  const [, sign, whole, part = ""] = /^\s*(-?)(\d+)(?:\.(\d{1,6}))?\s*$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(`${sign}${whole}${part.padEnd(6, "0")}`);
};
for (const { dataset, parentElement } of document.querySelectorAll("[data-total]")) {
  const form = parentElement.closest("form");
  const { tendered } = form.elements;
  const show = () => {
    const [given, total] = [millionths(tendered.value), millionths(dataset.total)];
    const change = given === undefined || total === undefined || given < total ? "" : (given - total).toString().padStart(7, "0");
    form.querySelector("[data-change]").textContent = change && `${change.slice(0, -6)}.${change.slice(-6).replace(/0{1,4}$/, "")}`;
  };
  tendered.addEventListener("input", show);
}

// (4) A part of a page that has an address of its own.
for (const part of document.querySelectorAll("[data-part]"))
  fetch(part.querySelector("a").href).then(async (response) => {
    if (!response.ok || response.redirected) return;
    const main = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
    main.querySelector("h1").remove();
    part.replaceChildren(...main.childNodes);
  });

// (5) The field that a scanner types into; else the faults of a form.
(document.querySelector("[data-scan]") ?? document.querySelector("[role=alert][tabindex]"))?.focus();

// (6) A form is sent once.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  // After the browser has read the pressed button.
  setTimeout(() => { for (const button of event.target.querySelectorAll("button")) button.disabled = true; });
});
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const button of document.querySelectorAll("form button")) button.disabled = false;
});
