// An explanation: its findings, the changes that would move the limit with their prices, and the limits with room left.

import { named, readable } from "/names.js";
import { bar, el, iops, megabytes, money, percent, table, time } from "/show.js";

const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "");
const several = (value) => [value ?? []].flat();

/** A price difference with its sign. */
function difference(usd) {
  if (usd == null) return "";
  return usd === 0 ? "0 USD" : `${usd > 0 ? "+" : "−"}${money(Math.abs(usd))}`;
}

function finding(of) {
  const rows = (of.remedies ?? []).filter((remedy) => remedy.predicted_after);
  const after = (key, show) => (remedy) => (remedy.predicted_after[key] == null ? "" : show(remedy.predicted_after[key]));
  return el("article", { class: "finding" },
    el("h4", {}, `${sentence(named(of.claim))} `, el("small", {}, of.confidence)),
    el("ul", { class: "plain" }, ...several(of.evidence).map((evidence) => el("li", {}, named(evidence)))),
    rows.length > 0 ? table("Changes, and the prediction after each", [
      ["change", (remedy) => remedy.change], ["IOPS", after("iops", iops), true], ["throughput", after("throughput_bytes_per_s", megabytes), true],
      ["mean latency", after("latency_us", time), true], ["price a month", after("price_change_usd_per_month", difference), true],
    ], rows) : null,
    of.advice && el("p", {}, `Do: ${sentence(of.advice)}`),
    of.to_be_sure && el("p", {}, `To be sure, measure: ${sentence(of.to_be_sure)}`));
}

/** The parts of an explanation. */
export function explanation(document) {
  const { findings, watched } = document;
  const idle = watched?.idle ? el("p", {}, "There was almost no I/O while the counters were watched.") : null;
  const none = findings.length === 0 ? el("p", { class: "conclusion" }, "Nothing holds these I/Os back.") : null;
  const limits = document.ruled_out.length > 0 ? table("Limits with room left", [
    ["limit", (limit) => readable(limit.limit)], ["used", (limit) => percent(limit.used), true], ["use", (limit) => bar(limit.used, `${percent(limit.used)} used`)],
  ], document.ruled_out) : null;
  const notes = [...document.assumed, ...document.notes];
  const assumed = notes.length > 0 ? el("details", {}, el("summary", {}, "Assumptions and notes"), el("ul", { class: "plain" }, ...notes.map((note) => el("li", {}, note)))) : null;
  return [idle, none, ...findings.map(finding), limits, assumed].filter(Boolean);
}
