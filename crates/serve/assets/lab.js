// The lab: experiments that ship with the program, each row one change away from another, on the model.

import { query, steps, wordsOf, write } from "/address.js";
import { choice, fill, group } from "/fields.js";
import { readable } from "/names.js";
import { answerWith, ask, copyable, el, iops, refuse, table, time } from "/show.js";

const form = document.getElementById("lab-form");
const answer = document.getElementById("lab-answer");
let asking = null;

async function build() {
  const told = await ask("experiments", "");
  const options = (told?.document?.experiments ?? []).map((of) => [of.name, `${of.name} (${of.runs} rows)`]);
  form.replaceChildren(group("Experiment", choice("lab", "experiment", "Name", options, "runs on the model, in seconds")));
  form.about = Object.fromEntries((told?.document?.experiments ?? []).map((of) => [of.name, of.about]));
  const step = steps(form);
  form.addEventListener("input", () => {
    step("lab", [["experiment", form.elements.experiment.value]]);
    run(form.elements.experiment.value);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}

async function run(experiment) {
  asking?.abort();
  asking = new AbortController();
  answer.setAttribute("aria-busy", "true");
  if (answer.childElementCount === 0) answer.replaceChildren(el("p", { role: "status" }, "The rows are simulated."));
  const words = query([["experiment", experiment]]);
  const told = await ask("lab", words, asking.signal);
  if (!told) return;
  answer.setAttribute("aria-busy", "false");
  if (!told.document) {
    refuse(answer, told);
    return;
  }
  const { runs } = told.document;
  const band = (row) => (row.expected ? `${iops(row.expected.low_iops)} to ${iops(row.expected.high_iops)}` : "");
  answerWith(answer,
    el("p", { class: "conclusion" }, form.about[experiment] ?? experiment),
    el("p", {}, el("a", { href: `/pages/lab?${words}` }, "Open as a page, with its pictures")),
    table("Each row is one change away from another", [
      ["row", (row) => row.name], ["change", (row) => row.changed ?? ""], ["published IOPS", (row) => (row.published?.iops == null ? "" : iops(row.published.iops)), true],
      ["expected IOPS", (row) => (row.expected ? iops(row.expected.iops) : ""), true], ["band", band, true], ["mean latency", (row) => (row.latency_us ? time(row.latency_us.mean) : ""), true],
      ["bound by", (row) => (row.binding ? readable(row.binding) : "")], ["verdict", (row) => (row.verdict ?? "").replaceAll("_", " ")],
    ], runs),
    copyable(`iobound lab ${experiment}`));
}

/** Shows the tab, as its address has it. */
export async function enter() {
  if (form.children.length === 0) await build();
  const given = wordsOf("lab");
  fill(form, given);
  if (form.elements.experiment?.options.length === 0) return;
  // The largest one takes longest, so it is not the first.
  if (given.length === 0) form.elements.experiment.value = "queue-depth";
  const experiment = form.elements.experiment.value;
  if (given.length === 0) write("lab", [["experiment", experiment]]);
  run(experiment);
}

/** Leaves the tab. */
export function leave() {
  asking?.abort();
}
