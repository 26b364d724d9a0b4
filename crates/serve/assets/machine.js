// This machine: its setup and limits, its disks second by second, and the cause that limits them.

import { wordsOf } from "/address.js";
import { seconds } from "/chart.js";
import { explanation } from "/explanation.js";
import { readable } from "/names.js";
import { ask, bar, copyable, el, failure, iops, megabytes, percent, table, time } from "/show.js";

const answer = document.getElementById("machine-answer");
/** Time that an explanation watches, in seconds. */
const WATCHED = 10;
let source = null;
let asking = null;
let ticking = null;

/** A fact as the setup has it; empty if unknown. */
const fact = (machine, name) => machine?.[name]?.value ?? "";

function sentence(doctor) {
  const vm = doctor.vm ?? fact(doctor.machine, "vm");
  const disks = doctor.disks.length;
  const what = vm ? `This machine is ${vm}` : "This machine's VM size is not known";
  const findings = doctor.findings.length === 0 ? "nothing looks wrong in its setup" : `${doctor.findings.length} finding${doctor.findings.length > 1 ? "s" : ""} below`;
  return `${what}. It has ${disks} disk${disks === 1 ? "" : "s"}; ${findings}.`;
}

function quantity(limit, value) {
  if (value == null) return "";
  return limit.unit === "iops" ? `${iops(value)} IOPS` : megabytes(value);
}

/** The setup: findings first, then disks and limits. */
function setup(doctor) {
  const gib = (bytes) => (bytes == null ? "" : `${Math.round(bytes / 2 ** 30)} GiB`);
  const findings = doctor.findings.map((finding) => el("article", { class: "finding" },
    el("h4", {}, `${finding.claim[0].toUpperCase()}${finding.claim.slice(1)}.`),
    finding.remedy && el("p", {}, `Do: ${[finding.remedy].flat().join("; ")}`)));
  const disks = table("Disks", [
    ["device", (d) => d.device], ["disk", (d) => d.configured_as ?? d.disk ?? d.model ?? d.kind ?? ""], ["size", (d) => gib(d.size_bytes), true],
    ["cache", (d) => d.cache ?? ""], ["IOPS limit", (d) => (d.iops == null ? "not known" : iops(d.iops)), true], ["throughput limit", (d) => megabytes(d.throughput_bytes_per_s), true],
    ["read-ahead", (d) => (d.queue?.read_ahead_kib == null ? "" : `${d.queue.read_ahead_kib} KiB`), true], ["scheduler", (d) => d.queue?.scheduler ?? ""],
  ], doctor.disks);
  const limits = doctor.limits.length > 0 && table("Limits", [["limit", (l) => readable(l.name)], ["published", (l) => quantity(l, l.published), true], ["enforced", (l) => quantity(l, l.enforced), true]], doctor.limits);
  const notes = doctor.notes.length > 0 && el("details", {}, el("summary", {}, "Notes"), el("ul", { class: "plain" }, ...doctor.notes.map((note) => el("li", {}, note))));
  return [el("h3", {}, "Setup"), ...findings, disks, limits, notes, copyable("iobound doctor")].filter(Boolean);
}

/** Levels of this machine's limits that a chart of IOPS or of throughput has. */
function levels(doctor, unit) {
  return (doctor?.limits ?? []).filter((limit) => limit.unit === unit).map((limit) => ({ label: readable(limit.name), value: limit.enforced ?? limit.published }));
}

function watch(doctor, place) {
  const rate = seconds("IOPS of all disks", "count", levels(doctor, "iops"));
  const moved = seconds("Throughput of all disks", "throughput", levels(doctor, "bytes_per_s"));
  const now = el("div", {});
  place.replaceChildren(el("h3", {}, "Now, second by second"), el("div", { class: "charts" }, rate.place, moved.place), now);
  source = new EventSource("/api/live/machine");
  let first = null;
  let last = null;
  source.onmessage = (event) => {
    const second = JSON.parse(event.data);
    if (second.event !== "second" || second.at_s === last) return;
    last = second.at_s;
    first ??= second.at_s - 1;
    const sum = (key) => second.disks.reduce((all, disk) => all + (disk[key] ?? 0), 0);
    rate.add(second.at_s - first, sum("iops"));
    moved.add(second.at_s - first, sum("throughput_bytes_per_s"));
    const limits = second.limits.length > 0 && table("Use of the limits", [["limit", (l) => readable(l.name ?? l.limit)], ["used", (l) => percent(l.share), true], ["use", (l) => bar(l.share, `${percent(l.share)} used`)]], second.limits);
    now.replaceChildren(...[table("Disks, over the last second", [
      ["device", (d) => d.device], ["disk", (d) => d.disk ?? ""], ["IOPS", (d) => iops(d.iops), true], ["throughput", (d) => megabytes(d.throughput_bytes_per_s), true],
      ["reads", (d) => percent(d.read), true], ["latency", (d) => (d.latency_us == null ? "" : time(d.latency_us)), true], ["outstanding", (d) => d.queue?.toFixed(1) ?? "", true],
    ], second.disks), limits].filter(Boolean));
  };
  source.addEventListener("end", (event) => {
    source.close();
    now.replaceChildren(failure({ error: `The counters cannot be read: ${event.data}.` }));
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) now.replaceChildren(failure({ error: "The counters of this machine cannot be read here.", help: "On Linux, /proc/diskstats has them." }));
  };
}

/** Watches for some seconds, with progress, and shows what limits the disks. */
async function explain(place) {
  asking = new AbortController();
  const progress = el("progress", { max: WATCHED, value: 0, "aria-label": "Time watched" });
  const line = el("p", { role: "status" }, `Watching the counters for ${WATCHED} seconds, without any load. `, progress);
  place.replaceChildren(line);
  ticking = setInterval(() => { progress.value = Math.min(WATCHED, progress.value + 1); }, 1000);
  const told = await ask("explain", `duration=${WATCHED}s`, asking.signal);
  clearInterval(ticking);
  if (!told) return;
  place.replaceChildren(...(told.document ? explanation(told.document) : [failure(told)]), copyable("iobound explain"));
}

/** Shows the tab, as its address has it. */
export async function enter() {
  leave();
  const live = el("div", {});
  const why = el("div", { id: "why", "aria-live": "polite" });
  const told = await ask("doctor", "");
  if (!told) return;
  const doctor = told.document;
  const start = el("p", {}, el("a", { class: "button", href: "?tab=machine&explain=now" }, `Explain the next ${WATCHED} seconds`));
  const head = doctor ? el("p", { class: "conclusion" }, sentence(doctor)) : failure(told);
  answer.replaceChildren(head, live, el("h3", {}, "What limits the disks?"), start, why, ...(doctor ? setup(doctor) : []));
  watch(doctor, live);
  if (wordsOf("machine").some(([name]) => name === "explain")) explain(why);
}

/** Leaves the tab. */
export function leave() {
  source?.close();
  asking?.abort();
  clearInterval(ticking);
}
