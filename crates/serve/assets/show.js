// How figures and tables look. Figures have the units of the documents: bytes a second, microseconds.

const count = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2, minimumFractionDigits: 0 });

export const iops = (value) => (value == null ? "not known" : count.format(value));
export const megabytes = (value) => (value == null ? "not known" : `${fine.format(value / 1e6)} MB/s`);
export const percent = (share) => (share == null ? "" : `${count.format(share * 100)} %`);
export const money = (value) => (value == null ? "not known" : `${count.format(value)} USD`);

/** A time of microseconds, as a person says it. */
export function time(us) {
  if (us == null) return "not known";
  const three = (value) => Number(value.toPrecision(3)).toString();
  if (us < 1000) return `${three(us)} µs`;
  if (us < 1e6) return `${three(us / 1000)} ms`;
  return `${three(us / 1e6)} s`;
}

/** An element: its attributes, and what is in it; text is text, never markup. */
export function el(name, attributes = {}, ...within) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...within.filter((part) => part != null));
  return made;
}

/** A table with a caption. Columns are [title, the cell of a row, true for figures]; a wide one scrolls, also by keys. */
export function table(caption, columns, rows) {
  const head = el("tr", {}, ...columns.map(([title, , figure]) => el("th", { scope: "col", class: figure ? "figure" : null }, title)));
  const body = rows.map((row) => el("tr", {}, ...columns.map(([, show, figure], n) => {
    const cell = show(row);
    return el(n === 0 ? "th" : "td", { scope: n === 0 ? "row" : null, class: figure ? "figure" : null }, cell ?? "");
  })));
  return el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body)));
}

/** A bar of a share of a limit, with its text; more than all of it is all of it. */
export function bar(share, label) {
  const width = Math.max(0, Math.min(1, share ?? 0)) * 100;
  const fill = el("span", { class: share >= 0.98 ? "fill full" : "fill" });
  fill.style.setProperty("inline-size", `${width}%`);
  return el("span", { class: "bar", role: "img", "aria-label": label }, fill);
}

/** The error, and how to fix it. */
export function failure(error) {
  return el("div", { class: "error" }, el("p", {}, error.error ?? "No answer."), error.help ? el("p", {}, error.help) : null);
}

/** Shows an error above the last answer, which stays: typing never takes an answer away. */
export function refuse(place, error) {
  for (const old of place.querySelectorAll(":scope > .error")) old.remove();
  place.classList.toggle("stale", place.childElementCount > 0);
  place.prepend(failure(error));
}

/** Shows an answer in the place of the last one. */
export function answerWith(place, ...parts) {
  place.classList.remove("stale");
  place.replaceChildren(...parts.filter(Boolean));
}

/** Asks the program. Gives {document} or {error, help}; a question that was overtaken gives null. */
export async function ask(question, query, signal) {
  try {
    const response = await fetch(`/api/${question}?${query}`, { signal });
    const answer = await response.json();
    return response.ok ? { document: answer } : answer;
  } catch (error) {
    if (error.name === "AbortError") return null;
    return { error: "The program does not answer.", help: "Is `iobound serve` still running?" };
  }
}

/** Disks of a configuration for people: `data=8xpremiumv2@128GiB+3000iops:none` is "8 x premiumv2 128GiB 3000iops". */
export function disksOf(configuration) {
  const specs = (configuration?.disks ?? []).map((disk) => (typeof disk === "string" ? disk : disk.spec));
  return specs.map((spec) => {
    const [, name, disks] = /^(?:([^=]+)=)?(.*)$/.exec(spec);
    const shown = disks.replace(/:none$/, "").replace(/^(\d+)x/, "$1 x ").replace(/[@+]/g, " ").replace(":", ", cache ");
    return specs.length > 1 && name ? `${name} ${shown}` : shown;
  }).join(" and ");
}

/** A field with its label. */
export function field(label, input, hint) {
  const id = input.id;
  return el("div", { class: "field" }, el("label", { for: id }, label), input, hint ? el("small", { id: `${id}-hint` }, hint) : null);
}

/** A line of text with a button that copies it. */
export function copyable(text) {
  const button = el("button", { type: "button", class: "quiet", "aria-label": `Copy: ${text}` }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  return el("p", { class: "line" }, el("code", {}, text), button);
}

/** Calls after a pause in which it was not called again. */
export function settled(ms, call) {
  let timer;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...words), ms);
  };
}

/** A word for a shell: quoted where it needs it. */
export function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command line that asks the same. */
export function commandLine(verb, words) {
  const parts = words.filter(([, value]) => value !== "").map(([name, value]) => (value === "true" ? `--${name}` : `--${name} ${shellWord(value)}`));
  return ["iobound", verb, ...parts].join(" ");
}
