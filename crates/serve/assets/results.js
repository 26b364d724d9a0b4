// My results: each opens as a page, and two or more stand beside each other.

import { query, wordsOf, write } from "/address.js";
import { chart, line } from "/chart.js";
import { ask, copyable, el, failure, iops, megabytes, table, time } from "/show.js";

const answer = document.getElementById("results-answer");

async function list() {
  const told = await ask("results", "");
  if (!told.document) {
    answer.replaceChildren(failure(told));
    return;
  }
  const rows = told.document.runs ?? [];
  if (rows.length === 0) {
    answer.replaceChildren(el("p", {}, "No run is kept yet. A run is kept when it ends:"), copyable("iobound run ."));
    return;
  }
  const chosen = new Set(wordsOf("results").filter(([name]) => name === "of").map(([, id]) => id));
  const beside = el("div", { "aria-live": "polite" });
  const pick = (row) => {
    const box = el("input", { type: "checkbox", "aria-label": `compare ${row.id}`, checked: chosen.has(row.id) });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(row.id);
      else chosen.delete(row.id);
      write("results", [...chosen].map((id) => ["of", id]), true);
      compare([...chosen], beside);
    });
    return box;
  };
  answer.replaceChildren(table("Newest first. Open one, or choose two or more to compare with the first", [
    ["result", (row) => el("a", { href: `/pages/result?${query([["result", row.id]])}` }, row.id)], ["compare", pick], ["when", (row) => new Date(row.at).toLocaleString()], ["what", (row) => row.workload ?? row.verb], ["target", (row) => row.target ?? ""],
    ["IOPS", (row) => iops(row.iops), true], ["throughput", (row) => megabytes(row.throughput_bytes_per_s), true], ["mean", (row) => time(row.mean_us), true], ["p99", (row) => time(row.p99_us), true],
  ], rows), beside);
  compare([...chosen], beside);
}

async function compare(ids, place) {
  if (ids.length < 2) {
    place.replaceChildren();
    return;
  }
  const told = await ask("compare", query(ids.map((id) => ["sides", id])));
  if (!told) return;
  if (!told.document) {
    place.replaceChildren(failure(told));
    return;
  }
  place.replaceChildren(el("h3", {}, ids.join(" and ")), comparison(told.document),
    el("p", {}, el("a", { href: `/pages/compare?${query(ids.map((id) => ["sides", id]))}` }, "Open the comparison as a page, with its percentiles and differences")),
    overTime(told.document), copyable(`iobound compare ${ids.join(" ")}`));
}

/** IOPS and latency of each side by second, each from its own start. */
function overTime(document) {
  const strokes = ["solid", "dashed", "dotted"];
  const lines = (of) => document.sides.map((side, n) => {
    const points = (side.result?.series ?? []).map((it) => [(it.start_s + it.end_s) / 2, of(it)]).filter(([, y]) => y != null);
    return line(side.id ?? side.name, (n % 6) + 1, strokes[n % 3], points);
  });
  const time = ["time", "seconds"];
  const rates = lines((it) => it.iops);
  const latencies = lines((it) => it.read?.mean_us ?? it.write?.mean_us);
  // A result of another tool may have no seconds.
  const drawn = (title, y, of) => (of.some((one) => one.x.length > 1) ? chart(title, time, y, of) : null);
  return el("div", { class: "charts" }, drawn("IOPS over time", ["IOPS", "count"], rates), drawn("Mean latency over time", ["latency", "us", true], latencies));
}

function comparison(document) {
  const from = Object.fromEntries(document.sides.map((side) => [side.name, side.id ?? side.from]));
  const rows = document.comparisons.flatMap((it) => it.figures.map((figure) => ({ ...figure, of: from[it.of] ?? it.of })));
  const shown = (figure, value) => (value == null ? "" : figure.figure.endsWith("_us") ? time(value) : figure.figure.includes("bytes") ? megabytes(value) : iops(value));
  const change = (figure) => (figure.relative == null ? "" : `${signed(figure.relative)} %`);
  const between = (figure) => (figure.relative_low == null ? "not known" : `${signed(figure.relative_low)} to ${signed(figure.relative_high)} %`);
  const says = el("ul", { class: "plain" }, ...document.comparisons.map((it) => el("li", {}, `${from[it.of] ?? it.of}: ${it.says}`)));
  return el("div", {}, says, table(`Against ${from[document.comparisons[0]?.against] ?? "the first"}`, [
    ["result", (f) => f.of], ["operation", (f) => (f.operation === "all" ? "" : f.operation)], ["figure", (f) => f.figure.replace(/_us$|_bytes_per_s$/, "").replace("_", ".")],
    ["first", (f) => shown(f, f.a), true], ["this", (f) => shown(f, f.b), true], ["change", change, true], ["95 % between", between, true],
  ], rows));
}

function signed(share) {
  const value = (share * 100).toFixed(1);
  return share > 0 ? `+${value}` : value.replace("-", "−");
}

/** Shows the tab, as its address has it. */
export function enter() {
  list();
}
