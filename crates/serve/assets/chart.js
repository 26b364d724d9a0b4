// Charts, by uPlot. Each has a table beside it: a chart is never the only way to a figure.

import { el, iops, time } from "/show.js";

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function width() {
  return Math.max(280, Math.min(900, document.getElementById("main").clientWidth - 32));
}

const axis = (label, shown, more = {}) => ({ label, labelSize: 18, size: 64, stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, values: (_, values) => values.map((v) => (v == null ? "" : shown(v))), ...more });

function draw(label, options, data) {
  const place = el("div", { class: "chart", role: "img", "aria-label": label });
  // Drawn when it is in the page, whose width it takes.
  requestAnimationFrame(() => new uPlot({ width: width(), height: 280, ...options }, data, place));
  return place;
}

/** IOPS and latency against outstanding I/Os: points are [outstanding, IOPS, latency in µs]. */
export function curve(points, knee) {
  const data = [0, 1, 2].map((n) => points.map((point) => point[n]));
  return draw(`IOPS rise with outstanding I/Os until ${knee}, then only latency does`, {
    scales: { x: { time: false, distr: 3, log: 2 }, iops: { range: (_, __, most) => [0, most * 1.08] }, latency: { range: (_, __, most) => [0, most * 1.08] } },
    axes: [axis("outstanding I/Os", iops, { size: 46 }), axis("IOPS", iops, { scale: "iops" }), axis("mean latency", time, { scale: "latency", side: 1, grid: { show: false } })],
    series: [
      { label: "outstanding", value: (_, v) => (v == null ? "" : iops(v)) },
      { label: "IOPS", scale: "iops", stroke: colour("--mark"), width: 2, value: (_, v) => (v == null ? "" : iops(v)) },
      { label: "mean latency", scale: "latency", stroke: colour("--full"), width: 2, dash: [6, 4], value: (_, v) => (v == null ? "" : time(v)) },
    ],
  }, data);
}

/** Figures by second, with a limit as a line: seconds and values alike in number. Gives its element and a way to add. */
export function seconds(label, shown, limit) {
  const data = [[], [], []];
  const place = el("div", { class: "chart", role: "img", "aria-label": label });
  let plot;
  const options = () => ({
    width: width(), height: 220, scales: { x: { time: false }, y: { range: (_, __, most) => [0, (most || 1) * 1.1] } },
    axes: [axis("seconds", iops, { size: 46 }), axis(label, shown, { size: 84 })],
    series: [{ label: "second" }, { label, stroke: colour("--mark"), width: 2, value: (_, v) => (v == null ? "" : shown(v)) }, { label: "limit", show: limit != null, stroke: colour("--full"), dash: [6, 4], width: 1, value: (_, v) => (v == null ? "" : shown(v)) }],
  });
  requestAnimationFrame(() => { plot = new uPlot(options(), data, place); });
  return {
    place,
    add(second, value) {
      [second, value, limit ?? null].forEach((v, n) => data[n].push(v));
      if (data[0].length > 300) data.forEach((values) => values.shift());
      plot?.setData(data);
    },
  };
}
