// Emulators and runs of this machine, second by second, and the command that starts an emulator.

import { steps, wordsOf } from "/address.js";
import { catalogue } from "/catalogue.js";
import { seconds } from "/chart.js";
import { fill, group, option, optionsOf, words as given } from "/fields.js";
import { readable } from "/names.js";
import { ask, bar, commandLine, copyable, el, failure, iops, megabytes, percent, table, time } from "/show.js";

const answer = document.getElementById("live-answer");
let source = null;
let looking = null;

async function list() {
  const told = await ask("running", "");
  if (!told) return;
  if (!told.document) {
    answer.replaceChildren(failure(told));
    return;
  }
  const rows = told.document.running;
  if (rows.length === 0) {
    answer.replaceChildren(el("p", {}, "No emulator and no run is active. One that you start is listed here within seconds."));
    return;
  }
  const open = (row) => el("a", { href: `?tab=live&of=${encodeURIComponent(row.id)}` }, row.id);
  answer.replaceChildren(table("Active now", [["name", open], ["what", (row) => row.what], ["for", (row) => (row.for_s == null ? "" : time(row.for_s * 1e6)), true]], rows));
}

function follow(of) {
  const title = el("h3", {}, of);
  const back = el("p", {}, el("a", { href: "?tab=live" }, "All emulators and runs"));
  const now = el("div", {});
  const rate = seconds("IOPS", "count");
  const moved = seconds("throughput", "throughput");
  answer.replaceChildren(back, title, now, rate.place, moved.place);
  source = new EventSource(`/api/live/${encodeURIComponent(of)}`);
  let began = null;
  source.onmessage = (event) => {
    const state = JSON.parse(event.data);
    began ??= state.at_s;
    const second = state.at_s - began;
    rate.add(second + 1, sum(state.devices, "iops"));
    moved.add(second + 1, sum(state.devices, "throughput_bytes_per_s"));
    now.replaceChildren(...parts(state));
  };
  source.addEventListener("end", (event) => {
    source.close();
    now.prepend(el("p", { class: "bound" }, `${event.data[0].toUpperCase()}${event.data.slice(1)}.`));
  });
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    now.replaceChildren(failure({ error: `${of} does not run, or the program does not answer.` }));
  };
}

function sum(devices, key) {
  return (devices ?? []).filter((device) => device.kind !== "disk").reduce((all, device) => all + (device[key] ?? 0), 0);
}

function parts(state) {
  // The program answers in between its own looks, so that this is not always one second.
  const devices = table(`Devices, over the last ${time(state.interval_s * 1e6)}`, [
    ["device", (d) => d.name], ["IOPS", (d) => iops(d.iops), true], ["throughput", (d) => megabytes(d.throughput_bytes_per_s), true],
    ["mean", (d) => (d.latency_us ? time(d.latency_us.mean) : ""), true], ["p99", (d) => (d.latency_us ? time(d.latency_us.p99) : ""), true],
  ], state.devices ?? []);
  const limits = (state.limits ?? []).length > 0 && table("Limits", [
    ["limit", (l) => (l.instance ? `${readable(l.name)}: ${l.instance}` : readable(l.name))], ["used", (l) => percent(l.share), true], ["use", (l) => bar(l.share, `${percent(l.share)} used`)],
  ], state.limits);
  return [devices, limits].filter(Boolean);
}

const form = document.getElementById("live-form");
const command = el("div", { "aria-live": "polite" });
/** The emulator that the command starts, until the fields say otherwise. */
const FIRST = [["vm", "D16ds_v5"], ["disk", "premiumv2@1TiB+20000iops+600MB/s"], ["nbd", "unix:iobound.sock"]];

/** The command that starts an emulator. The page itself starts no process. */
function build() {
  form.replaceChildren(group("Start an emulator in a terminal",
    ...[...optionsOf("emulate", "Machine"), ...optionsOf("emulate", "Disks")].filter(({ name }) => ["vm", "disk"].includes(name)).map((it) => option("live", it)),
    ...optionsOf("emulate", "Emulator").map((it) => option("live", it))), command);
  const step = steps(form);
  form.addEventListener("input", () => {
    step("live", given(form));
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}

function show() {
  command.replaceChildren(copyable(commandLine("emulate", given(form))));
}

/** Shows the tab, as its address has it. */
export function enter() {
  leave();
  if (form.children.length === 0) build();
  const words = wordsOf("live").filter(([name]) => name !== "of");
  fill(form, words.length > 0 ? words : FIRST);
  show();
  catalogue();
  const of = wordsOf("live").find(([name]) => name === "of")?.[1];
  if (of) {
    follow(of);
    return;
  }
  list();
  looking = setInterval(list, 3000);
}

/** Leaves the tab. */
export function leave() {
  source?.close();
  clearInterval(looking);
}
