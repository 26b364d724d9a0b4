// Fields of a form whose names are the program's own flags.

import { FIELDS } from "/options.js";
import { el, field } from "/show.js";

/** A text field; `list` is what is offered while one types. */
export function text(prefix, name, label, { list, hint, size = "", placeholder } = {}) {
  const id = `${prefix}-${name}`;
  const input = el("input", { id, name, class: size, list: list && `list-${list}`, placeholder, "aria-describedby": hint ? `${id}-hint` : null, spellcheck: "false" });
  return field(label, input, hint);
}

/** A choice of a few. */
export function choice(prefix, name, label, options, hint) {
  const id = `${prefix}-${name}`;
  const input = el("select", { id, name, "aria-describedby": hint ? `${id}-hint` : null }, ...options.map(([value, shown]) => el("option", { value }, shown ?? value)));
  return field(label, input, hint);
}

/** The field of an option, as its declaration has it. */
export function option(prefix, { name, label, hint, size, placeholder, list, choices }) {
  if (choices.length > 0) return choice(prefix, name, label, choices, hint);
  return text(prefix, name, label, { list: list || undefined, hint, size, placeholder: placeholder || undefined });
}

/** The options of a group of a form that have a field. */
export function optionsOf(form, title) {
  return FIELDS[form].filter((of) => of.group === title);
}

/** A group of a form, with the fields of its options. */
export function optionGroup(prefix, form, title) {
  return group(title, ...optionsOf(form, title).map((of) => option(prefix, of)));
}

/** A group of fields. */
export function group(title, ...fields) {
  return el("fieldset", {}, el("legend", {}, title), el("div", { class: "fields" }, ...fields));
}

const DISK = /^(?:([^=@:]+)=)?(?:(\d+)x)?([^:]+)(?::(\w+))?$/;
let made = 0;

/** One volume: its name, how many disks of which kind, its host cache. */
export function volume(spec, changed) {
  const [, name = "", count = "1", what = spec, cache = "none"] = DISK.exec(spec) ?? [];
  const prefix = `volume${made++}`;
  const row = el("div", { class: "volume", role: "group", "aria-label": "Volume" });
  const remove = el("button", { type: "button", class: "quiet" }, "Remove");
  row.append(
    text(prefix, "count", "Disks", { size: "short", hint: "in one stripe" }),
    text(prefix, "what", "of", { list: "disks", hint: "P30, gp3@1TiB+6000iops" }),
    choice(prefix, "cache", "Host cache", [["none"], ["readonly", "ReadOnly"], ["readwrite", "ReadWrite"]], "Azure only"),
    text(prefix, "name", "Volume", { size: "short", placeholder: "data", hint: "its name" }), remove,
  );
  const input = (part) => row.querySelector(`[name=${part}]`);
  Object.entries({ count, what, cache, name }).forEach(([part, value]) => { input(part).value = value; });
  remove.addEventListener("click", () => {
    const next = row.nextElementSibling?.querySelector("input") ?? row.previousElementSibling?.querySelector("input");
    row.remove();
    next?.focus();
    changed();
  });
  row.spec = () => {
    const [many, kind, how, called] = ["count", "what", "cache", "name"].map((part) => input(part).value.trim());
    if (!kind) return "";
    return `${called ? `${called}=` : ""}${many && many !== "1" ? `${many}x` : ""}${kind}${how === "none" ? "" : `:${how}`}`;
  };
  return row;
}

/** The words of a form's named fields, without those of volumes. */
export function words(form) {
  return [...form.elements].filter((input) => input.name && !input.closest(".volume") && input.value.trim() !== "").map((input) => [input.name, input.value.trim()]);
}

/** Puts words into a form's named fields; what the words leave out is empty, or the first choice. */
export function fill(form, given) {
  for (const input of form.elements) {
    if (!input.name || input.closest(".volume")) continue;
    const value = given.find(([name]) => name === input.name)?.[1];
    input.value = value ?? (input.tagName === "SELECT" ? input.options[0].value : "");
  }
}
