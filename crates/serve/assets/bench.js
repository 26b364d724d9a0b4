// What if: a configuration and a workload, and the prediction, which follows each change.

import { query, steps, tab, wordsOf, write } from "/address.js";
import { catalogue } from "/catalogue.js";
import { chart, line } from "/chart.js";
import { choice, fill, group, option, optionGroup, optionsOf, volume, words as named } from "/fields.js";
import { readable } from "/names.js";
import { answerWith, ask, bar, commandLine, copyable, el, iops, megabytes, money, percent, refuse, settled, table, time } from "/show.js";

const FIRST = [["vm", "D16ds_v5"], ["disk", "premiumv2@1TiB+20000iops+600MB/s"], ["access", "random"], ["block", "8KiB"], ["read", "70%"], ["depth", "32"], ["region", "westeurope"]];
const WORKLOAD = optionsOf("predict", "Workload");
/** Ways to write a workload; each has its own fields. */
const WAYS = WORKLOAD.reduce((ways, { way, name }) => ({ ...ways, [way]: [...(ways[way] ?? []), name] }), { flags: ["access"] });

const form = document.getElementById("bench-form");
const answer = document.getElementById("bench-answer");
let volumes;
let pinned = null;
let last = null;
let asking = null;
let step;

function build() {
  volumes = el("div", {});
  const add = el("button", { type: "button" }, "Add a volume");
  add.addEventListener("click", () => {
    const made = volume("P30", typed);
    volumes.append(made);
    made.querySelector("input").focus();
    typed();
  });
  const way = choice("bench", "way", "Given", [["flags", "as figures"], ["preset", "as a real system"], ["diskspd", "as DiskSpd has it"], ["fio", "as fio has it"], ["iometer", "as Iometer has it"]], "figures or another tool's line");
  const of = (name, made) => { made.dataset.way = name; return made; };
  form.replaceChildren(
    optionGroup("bench", "predict", "Machine"),
    el("fieldset", {}, el("legend", {}, "Disks"), volumes, el("div", { class: "fields" }, add,
      ...optionsOf("predict", "Disks").filter(({ name }) => name !== "disk").map((it) => option("bench", it)))),
    group("Workload", way,
      of("flags", choice("bench", "access", "Access", [["random"], ["sequential"], ["shared", "sequential, one stream"]], "order of the offsets")),
      ...WORKLOAD.map((it) => of(it.way, option("bench", it)))),
  );
  step = steps(form);
  form.addEventListener("input", typed);
  form.addEventListener("submit", (event) => { event.preventDefault(); typed(); });
}

function show() {
  const way = form.elements.way.value;
  form.querySelectorAll("[data-way]").forEach((it) => { it.hidden = it.dataset.way !== way; });
}

/** What stands in the fields, as the address has it. */
function inFields() {
  const fields = named(form);
  const way = fields.find(([name]) => name === "way")?.[1] ?? "flags";
  const others = Object.entries(WAYS).filter(([name]) => name !== way).flatMap(([, names]) => names);
  const kept = fields.filter(([name]) => name !== "way" && !others.includes(name));
  const disks = [...volumes.children].map((it) => ["disk", it.spec()]);
  const vm = kept.filter(([name]) => name === "vm");
  return [...vm, ...disks, ...kept.filter(([name]) => name !== "vm")];
}

/** The same as the program's flags. */
function asFlags(words) {
  return words.flatMap(([name, value]) => {
    if (name !== "access") return [[name, value]];
    return value === "random" ? [["random", "true"]] : [["sequential", value === "shared" ? "shared" : "true"]];
  }).map(([name, value]) => (name === "sequential" && value === "true" ? [name, ""] : [name, value]));
}

function typed() {
  show();
  const words = inFields();
  step("bench", withPin(words));
  settle(words);
}

/** The words with the pinned question, so that the address has the comparison too. */
function withPin(words) {
  return pinned ? [...words, ["pin", query(pinned.words)]] : words;
}

const settle = settled(40, (words) => update(words));
const settleKnee = settled(350, (words, signal) => knee(words, signal));

async function update(words) {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  answer.setAttribute("aria-busy", "true");
  const flags = asFlags(words);
  const told = await ask("predict", flagQuery(flags), signal);
  if (!told) return;
  answer.setAttribute("aria-busy", "false");
  if (!told.document) {
    refuse(answer, told);
    return;
  }
  last = { document: told.document, words };
  render(flags);
  settleKnee(flags, signal);
}

/** A query that keeps switches, whose values are empty. */
function flagQuery(flags) {
  const params = new URLSearchParams();
  flags.forEach(([name, value]) => params.append(name, value));
  return params.toString();
}

/** The knee of a prediction that keeps too few I/Os in flight; null otherwise. */
function reachable(it) {
  const isShallow = it.binding === "queue_depth" && it.knee && it.knee.outstanding > it.outstanding;
  return isShallow ? it.knee : null;
}

/** What would give more. */
function advice(it) {
  const knee = reachable(it);
  if (knee) return `The application keeps ${iops(it.outstanding)} I/Os in flight; ${iops(knee.outstanding)} would reach ${iops(knee.iops)} IOPS.`;
  if (it.binding === "rate") return "Every requested I/O is done.";
  if (it.binding?.startsWith("disk.")) return "More disks, or disks with a higher limit, give more.";
  if (it.binding?.startsWith("vm.cached")) return "A larger VM gives more; without host cache, the uncached limit holds.";
  if (it.binding?.startsWith("vm.")) return "A VM size with a higher limit gives more; more disks do not.";
  return "";
}

/** A link that does what the advice says: more I/Os in flight, or a plan for half as many IOPS again. */
function more(it) {
  const knee = reachable(it);
  const words = inFields();
  if (knee) {
    if (form.elements.way.value !== "flags") return null;
    const deeper = [...words.filter(([name]) => !["depth", "threads"].includes(name)), ["depth", String(knee.depth)], ["threads", String(knee.threads)]];
    return el("a", { href: `?${query([["tab", "bench"], ...deeper])}` }, `Try ${iops(knee.outstanding)}`);
  }
  if (!/^(disk|vm)[.]/.test(it.binding ?? "")) return null;
  const kept = words.filter(([name]) => ["block", "read", "region", "os", "preset"].includes(name));
  const need = Math.ceil((it.expected.iops * 1.5) / 1000) * 1000;
  return el("a", { href: `?${query([["tab", "plan"], ["iops", String(need)], ...kept])}` }, `What to buy for ${iops(need)} IOPS`);
}

function difference(now, before, isGood = 1) {
  if (before == null || now == null || before === 0) return null;
  const share = now / before - 1;
  if (Math.abs(share) < 0.0005) return el("small", {}, "as pinned");
  const sign = share > 0 ? "+" : "−";
  const better = share * isGood > 0;
  return el("small", { class: better ? "up" : "down" }, `${sign}${(Math.abs(share) * 100).toFixed(1)} % against the pinned`);
}

function figure(title, value, change, id) {
  return el("div", {}, el("dt", {}, title), el("dd", { id }, value, change));
}

/** What a band claims, and of which published runs. */
function coverage(band) {
  const of = band.coverage;
  return el("small", {}, of == null ? " the model's own" : ` ${percent(of.claimed)} of ${of.runs} published ${band.regime}-bound runs`);
}

function render(flags) {
  const it = last.document;
  const was = pinned?.document;
  const pin = el("button", { type: "button" }, pinned ? "Pin this instead" : "Pin, to compare the next one with it");
  const pinIt = (what) => {
    pinned = what;
    write("bench", withPin(last.words), true);
    render(flags);
  };
  pin.addEventListener("click", () => pinIt(last));
  const unpin = pinned && el("button", { type: "button", class: "quiet" }, "Unpin");
  unpin?.addEventListener("click", () => pinIt(null));
  const figures = el("dl", { class: "figures" },
    figure("expected IOPS", iops(it.expected.iops), difference(it.expected.iops, was?.expected.iops), "expected-iops"),
    figure("expected throughput", megabytes(it.expected.throughput_bytes_per_s), difference(it.expected.throughput_bytes_per_s, was?.expected.throughput_bytes_per_s), "expected-throughput"),
    figure("band", `${iops(it.expected.low_iops)} to ${iops(it.expected.high_iops)}`, coverage(it.expected.band), "band"),
    figure("ceiling", it.ceiling.iops == null ? "none" : iops(it.ceiling.iops), difference(it.ceiling.iops, was?.ceiling.iops), "ceiling-iops"),
    figure("mean latency", time(it.latency_us?.mean), difference(it.latency_us?.mean, was?.latency_us?.mean, -1), "latency-mean"),
    figure("p99 latency", time(it.latency_us?.p99), difference(it.latency_us?.p99, was?.latency_us?.p99, -1), "latency-p99"),
    it.price && figure("price a month", it.price.month == null ? `${money(it.price.known_month)} and what is not known` : money(it.price.month), difference(it.price.month, was?.price?.month, -1), "price-month"),
  );
  const bound = el("p", { class: "bound", id: "binding" }, `Bound by ${it.bindings.map(readable).join(", ") || "nothing known"}. ${advice(it)} `, more(it));
  const limiters = table("Limits", [
    ["limit", (limiter) => readable(limiter.name)], ["published", (limiter) => quantity(limiter, limiter.limit), true], ["enforced", (limiter) => quantity(limiter, limiter.enforced), true],
    ["used", (limiter) => percent(limiter.share), true], ["use", (limiter) => bar(limiter.share, `${percent(limiter.share)} used`)], ["held an I/O", (limiter) => (limiter.held_us ? time(limiter.held_us) : ""), true],
  ], it.limits);
  const volumesTable = it.volumes.length > 1 && table("Volumes", [["volume", (v) => v.name], ["IOPS", (v) => iops(v.iops), true], ["throughput", (v) => megabytes(v.throughput_bytes_per_s), true]], it.volumes);
  const burst = it.burst && el("p", {}, `With credits: ${iops(it.burst.iops)} IOPS, ${megabytes(it.burst.throughput_bytes_per_s)} for ${Math.round(it.burst.seconds)} s.`);
  const list = (title, items) => items?.length > 0 && el("details", {}, el("summary", {}, title), el("ul", { class: "plain" }, ...items.map((item) => el("li", {}, item))));
  const all = it.cluster && cluster(it.cluster);
  const costs = it.price && [...it.price.unknown.map((part) => `not known: ${part}`), ...it.price.by_use, it.price.as_of && `prices of ${it.price.as_of}, list, on demand`].filter(Boolean);
  answerWith(answer, ...[
    figures, bound, burst, el("p", {}, pin, " ", unpin), limiters, volumesTable, ...(all ?? []),
    el("div", { id: "knee" }), list("Assumed", it.assumed), list("Notes", it.notes), list("About the price", costs),
    el("h3", {}, "On the command line"), copyable(commandLine("predict", flags.map(([n, v]) => [n, n === "sequential" && v === "" ? "true" : v]))),
  ].filter(Boolean));
}

/** Several hosts: what adds up, and what waits for the last. */
function cluster(all) {
  const rows = [
    ["all, each for itself (a sum)", all.expected.iops, all.expected.throughput_bytes_per_s],
    ...(all.burst ? [["the same at first, from full credits", all.burst.iops, all.burst.throughput_bytes_per_s]] : []),
    ["the slowest of them", all.slowest.iops, all.slowest.throughput_bytes_per_s],
    ["a scan of equal hosts", null, all.scan.equal.throughput_bytes_per_s],
    ["a scan that waits for the slowest", null, all.scan.waiting.throughput_bytes_per_s],
    [`a scan with one host at ${percent(all.scan.slow_host.share)}`, null, all.scan.slow_host.throughput_bytes_per_s],
  ];
  return [
    table(`${iops(all.hosts)} hosts`, [["of", ([of]) => of], ["IOPS", ([, rate]) => (rate == null ? "" : iops(rate)), true], ["throughput", ([, , bytes]) => megabytes(bytes), true]], rows),
    el("p", { id: "cluster" }, `One slow host costs a scan ${percent(all.scan.slow_host.lost)}, ${all.scan.slow_host.lost_hosts.toFixed(1)} hosts' worth; queries that wait for no other host lose ${percent(all.scan.slow_host.lost_independent)}.`,
      all.price && ` All hosts cost ${money(all.price.month ?? all.price.known_month)} a month${all.price.month == null ? ", and what is not known" : ""}.`),
  ];
}

/** The axis of I/Os outstanding. */
const OUTSTANDING = ["I/Os outstanding", "count", true];

async function knee(flags, signal) {
  const told = await ask("knee", flagQuery(flags), signal);
  const place = document.getElementById("knee");
  if (!told?.document || !place) return;
  const found = told.document.knee;
  if (!found?.curve?.length) return;
  const points = (key) => found.curve.map((point) => [point.outstanding, point[key]]);
  const ceiling = told.document.ceiling?.iops;
  // The knee is searched without the asked rate, so a curve may pass that; it is no ceiling of the disks.
  const label = told.document.ceiling?.bindings?.includes("rate") ? "requested rate" : "ceiling";
  const limits = ceiling == null || ceiling > found.iops * 1.6 ? [] : [{ label, value: ceiling }];
  place.replaceChildren(
    el("h3", {}, `IOPS and mean latency by outstanding I/Os: the knee is at ${iops(found.outstanding)}`),
    el("div", { class: "charts" },
      chart("IOPS against queue depth", OUTSTANDING, ["IOPS", "count"], [line("IOPS", 1, "solid", points("iops"))], { limits, marks: [{ x: found.outstanding, y: found.iops, label: `knee: ${iops(found.outstanding)}` }] }),
      chart("Latency against queue depth", OUTSTANDING, ["latency", "us", true], [line("mean", 1, "solid", points("latency_us"))]),
    ),
    el("details", {}, el("summary", {}, "The figures"), table("By outstanding I/Os", [["outstanding", (p) => iops(p.outstanding)], ["IOPS", (p) => iops(p.iops), true], ["mean latency", (p) => time(p.latency_us), true]], found.curve)),
  );
}

function quantity(limiter, value) {
  return limiter.unit === "iops" ? `${iops(value)} IOPS` : megabytes(value);
}

/** The pinned question of the address, asked again where it is not there any more. */
async function restorePin(asked) {
  if (asked === (pinned ? query(pinned.words) : undefined)) return;
  pinned = null;
  if (asked === undefined) return;
  const words = [...new URLSearchParams(asked)];
  const told = await ask("predict", flagQuery(asFlags(words)));
  if (told?.document) pinned = { document: told.document, words };
}

/** Shows the tab, as its address has it. */
export async function enter() {
  if (!volumes) build();
  let given = wordsOf("bench");
  if (given.length === 0) given = FIRST;
  const way = Object.entries(WAYS).find(([name, names]) => name !== "flags" && given.some(([word]) => names.includes(word)))?.[0] ?? "flags";
  fill(form, [["way", way], ...given]);
  const disks = given.filter(([name]) => name === "disk").map(([, spec]) => spec);
  volumes.replaceChildren(...(disks.length ? disks : ["P30"]).map((spec) => volume(spec, typed)));
  show();
  await restorePin(given.find(([name]) => name === "pin")?.[1]);
  if (tab() !== "bench") return;
  write("bench", withPin(inFields()));
  update(inFields());
  catalogue();
}

/** Leaves the tab. */
export function leave() {
  asking?.abort();
}
