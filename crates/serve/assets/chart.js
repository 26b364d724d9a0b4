// Charts of the served page, drawn by charts.js as those of pages that are files. Each has a table beside it: a chart is never
// the only way to a figure.

import { el } from "/show.js";

/** A line of points [x, y]; stroke is solid, dashed, dotted or points. */
export const line = (label, color, stroke, points) => ({ label, color, stroke, x: points.map(([x]) => x), y: points.map(([, y]) => y) });

/** A chart with its title: axes are [label, unit] or [label, unit, true], which is logarithmic. */
export function chart(title, x, y, lines, more = {}) {
  const axis = ([label, unit, log = false]) => ({ label, unit, log });
  const made = { title, x: axis(x), y: axis(y), lines: lines.filter((of) => of.x.length > 0), ...more };
  const plot = el("div", { class: "plot" });
  // Drawn when it is in the page, whose width it takes.
  requestAnimationFrame(() => plot.isConnected && globalThis.iobound.draw(plot, made));
  return el("figure", { class: "chart" }, el("figcaption", {}, title), plot);
}

/** Seconds of a live chart that are shown. */
const SHOWN = 300;

/** Figures in bins of one second, from zero, with limits as [{label, value}]. Gives its element and a way to add. */
export function seconds(label, unit, limits = []) {
  const values = { label, color: 1, stroke: "stepped", x: [], y: [] };
  const made = { title: label, x: { label: "time", unit: "seconds", log: false }, y: { label, unit, log: false }, lines: [values], limits };
  const plot = el("div", { class: "plot" });
  let drawn;
  requestAnimationFrame(() => { drawn = globalThis.iobound.draw(plot, made); });
  return {
    place: el("figure", { class: "chart" }, el("figcaption", {}, label), plot),
    add(at, value) {
      const second = Math.max(1, Math.round(at));
      // The first bin begins at its own start.
      if (values.x.length === 0) values.x.push(second - 1), values.y.push(value);
      if (values.x.at(-1) === second) values.y[values.y.length - 1] = value;
      else values.x.push(second), values.y.push(value);
      if (values.x.length > SHOWN) [values.x, values.y].forEach((of) => of.shift());
      drawn?.update();
    },
  };
}
