// What to buy: a need, and the cheapest that meets it.

import { query, steps, wordsOf, write } from "/address.js";
import { catalogue } from "/catalogue.js";
import { chart, line } from "/chart.js";
import { fill, optionGroup, words as named } from "/fields.js";
import { readable } from "/names.js";
import { answerWith, ask, commandLine, copyable, disksOf, el, iops, megabytes, money, percent, refuse, settled, table } from "/show.js";

const FIRST = [["iops", "50000"], ["block", "8KiB"], ["read", "70%"], ["capacity", "4TiB"], ["region", "westeurope"]];
const form = document.getElementById("plan-form");
const answer = document.getElementById("plan-answer");
let asking = null;
let step;

function build() {
  form.replaceChildren(optionGroup("plan", "plan", "Need"), optionGroup("plan", "plan", "Terms"));
  step = steps(form);
  form.addEventListener("input", typed);
  form.addEventListener("submit", (event) => { event.preventDefault(); typed(); });
}

const settle = settled(150, (words) => update(words));

function typed() {
  const words = named(form);
  step("plan", words);
  settle(words);
}

async function update(words) {
  asking?.abort();
  asking = new AbortController();
  answer.setAttribute("aria-busy", "true");
  const told = await ask("plan", query(words), asking.signal);
  if (!told) return;
  answer.setAttribute("aria-busy", "false");
  if (told.document) answerWith(answer, ...shown(told.document, words));
  else refuse(answer, told);
}

/** A candidate's configuration, where the other tab shows what it delivers. */
function bench(candidate, words) {
  const disks = candidate.configuration.disks.map((disk) => ["disk", typeof disk === "string" ? disk : disk.spec]);
  const of = words.filter(([name]) => ["block", "read", "region", "os"].includes(name));
  const hosts = candidate.cluster ? [["hosts", String(candidate.cluster.hosts)]] : [];
  return `?${query([["tab", "bench"], ["vm", candidate.configuration.vm], ...disks, ...of, ...hosts, ["access", "random"], ["depth", "64"]])}`;
}

function shown(plan, words) {
  const hosts = plan.cluster ? `${iops(plan.cluster.hosts)} x ` : "";
  const named = (candidate) => el("a", { href: bench(candidate, words) }, `${hosts}${candidate.configuration.vm}`);
  const disks = disksOf;
  const parts = [];
  if (plan.candidates.length > 0) {
    const [first] = plan.candidates;
    parts.push(el("p", { class: "conclusion" }, `Cheapest: ${hosts}${first.configuration.vm} with ${disks(first.configuration)}, for ${money(first.price.month)} a month. It delivers ${iops(first.predicted.delivers.iops)} IOPS, bound by ${readable(first.binding)}.`));
    parts.push(table("Candidates by idea, the cheapest first in each; a size leads to what it delivers", [
      ["VM size", named], ["disks", (c) => disks(c.configuration)], ["price a month", (c) => money(c.price.month), true],
      ["ceiling", (c) => `${iops(c.predicted.ceiling.iops)} IOPS`, true], ["throughput", (c) => megabytes(c.predicted.ceiling.throughput_bytes_per_s), true],
      ["bound by", (c) => readable(c.binding)], ["per 1,000 IOPS", (c) => (c.price.per_1000_iops == null ? "" : c.price.per_1000_iops.toFixed(1)), true],
    ], plan.candidates));
    if (plan.cluster?.by_hosts.length > 0) {
      parts.push(table("The lowest price for each number of hosts", [["hosts", (on) => iops(on.hosts), true], ["price a month", (on) => (on.configuration ? money(on.month) : "nothing is enough"), true], ["each", (on) => on.configuration?.vm ?? ""], ["disks", (on) => disks(on.configuration)]], plan.cluster.by_hosts));
    }
  } else {
    parts.push(el("p", { class: "bound" }, "No configuration of the catalogue meets this need."), ...missed(plan, disks));
  }
  parts.push(frontier(plan, disks));
  if (plan.refused?.length > 0) {
    parts.push(table("Cheaper, and refused", [["VM size", (r) => r.vm ?? r.configuration?.vm ?? ""], ["price a month", (r) => money(r.price?.month), true], ["because", (r) => r.because]], plan.refused.slice(0, 12)));
  }
  const list = (title, items) => items?.length > 0 && el("details", {}, el("summary", {}, title), el("ul", { class: "plain" }, ...items.map((item) => el("li", {}, item))));
  parts.push(list("Assumed", plan.assumed), list("Notes", plan.notes), el("h3", {}, "On the command line"), copyable(commandLine("plan", words)));
  return parts.filter(Boolean);
}

/** What comes nearest to a need that nothing meets, as the command line names it. */
function missed(plan, disks) {
  const { nearest, several, reached: share } = plan.miss ?? {};
  const named = (it) => [it.configuration?.vm ?? it.vm, disks(it.configuration)].filter(Boolean).join(" with ");
  const reached = share == null ? "" : `${percent(share)} of it, `;
  return [
    nearest && el("p", { id: "nearest" }, `Nearest: ${named(nearest)}: ${reached}${nearest.because}.`),
    several && el("p", {}, `Several: ${several.vms} x ${named(several)} each share it for ${money(several.month)} a month.`),
  ].filter(Boolean);
}

/** Price against IOPS: the least that so many cost, and what was found; nothing where there is one price only. */
function frontier(plan, disks) {
  const priced = (points) => points.filter(([x, y]) => x != null && y != null).sort(([one], [other]) => one - other);
  const least = priced((plan.frontier ?? []).map((point) => [point.iops, point.month]));
  const found = priced(plan.candidates.map((c) => [c.predicted.delivers?.iops, c.price.month]));
  if (new Set([...least, ...found].map(([x]) => x)).size < 2) return null;
  return el("div", { id: "frontier" },
    chart("Price against IOPS", ["IOPS", "count"], ["USD a month", "usd"], [line("the lowest price", 1, "stepped", least), line("candidates", 2, "points", found)]),
    el("p", {}, "The line is the lowest price for each number of IOPS, from a quarter of the need to four times the need."),
    el("details", {}, el("summary", {}, "The figures"), table("The lowest price for each number of IOPS", [["IOPS", (p) => iops(p.iops), true], ["price a month", (p) => money(p.month), true], ["VM size", (p) => p.configuration?.vm ?? ""], ["disks", (p) => disks(p.configuration)]], plan.frontier ?? [])),
  );
}

/** Shows the tab, as its address has it. */
export function enter() {
  if (form.children.length === 0) build();
  const given = wordsOf("plan");
  fill(form, given.length ? given : FIRST);
  const words = named(form);
  write("plan", words);
  update(words);
  catalogue();
}

/** Leaves the tab. */
export function leave() {
  asking?.abort();
}
