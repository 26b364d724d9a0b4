// What was measured: the results that are kept, and two of them beside each other.

import { query, wordsOf, write } from "/address.js";
import { ask, commandLine, copyable, el, failure, iops, megabytes, table, time } from "/show.js";

const answer = document.getElementById("results-answer");

async function list() {
  const told = await ask("results", "");
  if (!told.document) {
    answer.replaceChildren(failure(told));
    return;
  }
  const rows = told.document.results ?? [];
  if (rows.length === 0) {
    answer.replaceChildren(el("p", {}, "Nothing is kept yet. A run is kept when it ends:"), copyable("iobound run ."));
    return;
  }
  const chosen = new Set(wordsOf("results").filter(([name]) => name === "of").map(([, id]) => id));
  const beside = el("div", { "aria-live": "polite" });
  const pick = (row) => {
    const box = el("input", { type: "checkbox", "aria-label": `compare ${row.id}`, checked: chosen.has(row.id) });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(row.id);
      else chosen.delete(row.id);
      write("results", [...chosen].map((id) => ["of", id]));
      compare([...chosen], beside);
    });
    return box;
  };
  answer.replaceChildren(table("Newest first; choose two or more to compare with the first", [
    ["result", (row) => row.id], ["", pick], ["when", (row) => row.started], ["what", (row) => row.what ?? row.verb ?? ""], ["target", (row) => row.target ?? ""],
    ["IOPS", (row) => iops(row.iops), true], ["throughput", (row) => megabytes(row.throughput_bytes_per_s), true], ["mean", (row) => time(row.latency_us?.mean), true], ["p99", (row) => time(row.latency_us?.p99), true],
  ], rows), beside);
  compare([...chosen], beside);
}

async function compare(ids, place) {
  if (ids.length < 2) {
    place.replaceChildren();
    return;
  }
  const told = await ask("compare", query(ids.map((id) => ["of", id])));
  if (!told) return;
  if (!told.document) {
    place.replaceChildren(failure(told));
    return;
  }
  place.replaceChildren(el("h3", {}, ids.join(" and ")), comparison(told.document), copyable(`iobound compare ${ids.join(" ")}`));
}

function comparison(document) {
  const rows = document.comparisons.flatMap((it) => it.figures.map((figure) => ({ ...figure, of: it.b ?? it.of })));
  const change = (figure) => (figure.change == null ? "" : `${(figure.change * 100).toFixed(1)} %`);
  const between = (figure) => (figure.change_low == null ? "" : `${(figure.change_low * 100).toFixed(1)} to ${(figure.change_high * 100).toFixed(1)} %`);
  return table("Against the first", [["result", (f) => f.of], ["figure", (f) => f.name], ["change", change, true], ["95 % between", between, true], ["", (f) => f.verdict ?? ""]], rows);
}

/** Shows the tab, as its address has it. */
export function enter() {
  list();
}
