// Draws the charts of a page on canvases, from the JSON that the page holds: what is under the pointer is told, a stretch
// can be drawn larger, arrow keys walk along the points. Without this file each chart is a picture, and the tables are the
// same. `iobound.draw(element, chart)` is all that another page needs; what it gives draws the chart anew after a change of it.
(function () {
  "use strict";

  var grouped = function (value, digits) {
    return value.toLocaleString("en-US", { maximumFractionDigits: digits });
  };
  var count = function (v) { return grouped(v, Math.abs(v) >= 100 || v === 0 ? 0 : Math.abs(v) >= 10 ? 1 : 2); };
  var time = function (us) {
    if (us === 0) return "0 µs";
    if (us < 9.95) return grouped(us, 1) + " µs";
    if (us < 99.5) return grouped(us, 0) + " µs";
    if (us < 995) return (us / 1e3).toFixed(2) + " ms";
    if (us < 999500) return (us / 1e3).toFixed(1) + " ms";
    return (us / 1e6).toFixed(2) + " s";
  };
  var nines = function (n) {
    return n < 0.0001 ? "0 %" : grouped(100 * (1 - Math.pow(10, -n)), Math.max(1, Math.ceil(n))) + " %";
  };
  // As the tables write them.
  var units = {
    count: count,
    throughput: function (v) { return grouped(v / 1e6, v < 1e6 ? 2 : v < 1e9 ? 1 : 0) + " MB/s"; },
    us: time,
    seconds: function (s) { return s < 120 ? grouped(s, 1) + " s" : s < 7200 ? grouped(s / 60, 1) + " min" : grouped(s / 3600, 1) + " h"; },
    share: function (v) { return grouped(v * 100, 1) + " %"; },
    usd: function (v) { return grouped(v, v < 100 ? 2 : 0); },
    nines: nines
  };
  var shown = function (unit, value) { return (units[unit] || count)(value); };

  var color = function (name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  };
  var dashes = { dashed: [6, 3], dotted: [2, 3] };
  var font = "11px system-ui, sans-serif";

  // All lines on one list of x, as uPlot wants them; marks, several of which may share an x, are drawn by us.
  function aligned(chart) {
    var tables = chart.lines.map(function (line) {
      var own = line.stroke === "points" ? line.x.filter(function (x, i) { return !i || x !== line.x[i - 1]; }) : line.x;
      return [own, line.stroke === "points" ? own.map(function () { return null; }) : line.y];
    });
    if (chart.heat) {
      var middles = chart.heat.x.slice(1).map(function (to, i) { return (chart.heat.x[i] + to) / 2; });
      tables.push([middles, middles.map(function () { return null; })]);
    }
    return tables.length === 1 ? [tables[0][0], tables[0][1]] : uPlot.join(tables);
  }

  function range(chart, axis, values) {
    return function (u, low, high) {
      if (chart.heat) return [chart.heat[axis][0], chart.heat[axis][chart.heat[axis].length - 1]];
      if (values.length && low === null) low = high = values[0];
      values.forEach(function (value) { low = Math.min(low, value); high = Math.max(high, value); });
      if (low === null || low > high) return [0, 1];
      if (chart[axis].log) return low === high ? [low / 2, high * 2] : [low / 1.15, high * 1.15];
      if (axis === "x") return low === high ? [low - 1, high + 1] : [low, high];
      if (low >= 0) low = 0;
      return [low, high + (high - low || 1) * 0.06];
    };
  }

  function put_heat(u, heat) {
    var most = 1;
    heat.counts.forEach(function (column) { column.forEach(function (n) { most = Math.max(most, n); }); });
    var shades = [0.1, 0.22, 0.4, 0.6, 0.8, 1];
    u.ctx.fillStyle = color("shade");
    heat.counts.forEach(function (column, i) {
      var left = u.valToPos(heat.x[i], "x", true), right = u.valToPos(heat.x[i + 1], "x", true);
      column.forEach(function (n, row) {
        if (!n) return;
        var shade = Math.max(0, Math.min(5, 5 - Math.floor(Math.log(most / n) / Math.log(4))));
        var bottom = u.valToPos(heat.y[row], "y", true), top = u.valToPos(heat.y[row + 1], "y", true);
        u.ctx.globalAlpha = shades[shade];
        u.ctx.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
      });
    });
    u.ctx.globalAlpha = 1;
  }

  // Limits, what was full, and the knee: drawn over the lines.
  function put_over(u, chart) {
    var c = u.ctx, box = u.bbox, px = devicePixelRatio;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top - 12 * px, box.width + name_room(chart, u.width) * px, box.height + 12 * px);
    c.clip();
    if (chart.heat) put_heat(u, chart.heat);
    (chart.stretches || []).forEach(function (of) {
      if (!of.color) return;
      var from = u.valToPos(of.from, "x", true), to = u.valToPos(of.to, "x", true);
      c.fillStyle = color("c" + of.color);
      c.fillRect(from, box.top + box.height - 7 * px, Math.max(1, to - from), 7 * px);
    });
    chart.lines.forEach(function (line) {
      if (line.stroke !== "points") return;
      c.fillStyle = color("c" + line.color);
      line.x.forEach(function (x, i) {
        c.beginPath();
        c.arc(u.valToPos(x, "x", true), u.valToPos(line.y[i], "y", true), 4 * px, 0, 7);
        c.fill();
      });
    });
    c.font = "600 " + 11 * px + "px system-ui, sans-serif";
    c.lineWidth = px;
    var note = function (text, x, y, align) {
      c.textAlign = align;
      c.lineWidth = 3 * px;
      c.strokeStyle = color("ground");
      c.strokeText(text, x, y);
      c.fillStyle = color("text");
      c.fillText(text, x, y);
    };
    var last = -1e9;
    (chart.limits || []).slice().sort(function (a, b) { return b.value - a.value; }).forEach(function (limit) {
      var y = u.valToPos(limit.value, "y", true);
      c.setLineDash([7 * px, 4 * px]);
      c.lineWidth = 1.2 * px;
      c.strokeStyle = color("text");
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
      c.setLineDash([]);
      last = Math.max(y - 4 * px, last + 12 * px);
      note(limit.label + " " + shown(chart.y.unit, limit.value), box.left + box.width - 4 * px, last, "right");
    });
    put_names(u, chart, note);
    (chart.marks || []).forEach(function (mark) {
      var x = u.valToPos(mark.x, "x", true), y = u.valToPos(mark.y, "y", true);
      c.strokeStyle = color("text");
      c.lineWidth = 2 * px;
      c.beginPath();
      c.arc(x, y, 5 * px, 0, 7);
      c.stroke();
      var is_right = x > box.left + box.width / 2;
      note(mark.label, x + (is_right ? -9 : 9) * px, Math.min(y + 14 * px, box.top + box.height - 4 * px), is_right ? "right" : "left");
    });
    c.restore();
  }

  // Room for the names of lines at their ends, in pixels: none for one line, on a telephone, or for long names.
  function name_room(chart, width) {
    var names = chart.lines.filter(function (line) { return line.stroke !== "points"; }).map(function (line) { return line.label; });
    var longest = names.reduce(function (most, name) { return Math.max(most, name.length); }, 0);
    return width < 480 || names.length < 2 || names.length > 6 || longest > 18 ? 0 : 12 + longest * 6.5;
  }

  // The names of lines beside their ends, those that are close one below the other.
  function put_names(u, chart, note) {
    if (!name_room(chart, u.width)) return;
    var px = devicePixelRatio, box = u.bbox, last = -1e9;
    chart.lines.filter(function (line) { return line.stroke !== "points" && line.x.length; }).map(function (line) {
      var at = line.y.length - 1;
      return { label: line.label, x: u.valToPos(line.x[at], "x", true), y: u.valToPos(line.y[at], "y", true) };
    }).sort(function (a, b) { return a.y - b.y; }).forEach(function (name) {
      last = Math.max(name.y + 4 * px, last + 13 * px);
      note(name.label, Math.min(name.x, box.left + box.width) + 7 * px, Math.min(last, box.top + box.height), "left");
    });
  }

  function options(element, chart) {
    var levels = (chart.limits || []).map(function (of) { return of.value; })
      .concat((chart.marks || []).map(function (of) { return of.y; }));
    chart.lines.forEach(function (line) { if (line.stroke === "points") levels = levels.concat(line.y); });
    var ends = [];
    (chart.stretches || []).forEach(function (of) { ends.push(of.from, of.to); });
    var axis = function (of, size) {
      return {
        label: of.label,
        labelFont: font,
        font: font,
        size: size,
        labelSize: 16,
        stroke: color("quiet"),
        grid: { stroke: color("rule"), width: 1 },
        ticks: { stroke: color("rule"), width: 1 },
        values: function (u, splits) {
          return splits.map(function (v) { return v === null || v === undefined ? "" : shown(of.unit, v); });
        }
      };
    };
    var scale = function (of, name, values) {
      var made = { time: false, range: range(chart, name, values) };
      if (of.log) { made.distr = 3; made.log = 10; }
      return made;
    };
    var x = axis(chart.x, 34), y = axis(chart.y, 74);
    // Whole and half seconds: what a label says is where its line stands.
    if (chart.x.unit === "seconds") x.incrs = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];
    if (chart.x.unit === "nines") x.splits = function (u, i, low, high) {
      return [0, 1, 2, 3, 4, 5, 6].filter(function (n) { return n >= low && n <= high; });
    };
    y.filter = x.filter = function (u, splits) { return splits; };
    if (chart.y.log) y.splits = function (u, i, low, high) { return round_figures(low, high); };
    if (chart.x.log) x.splits = function (u, i, low, high) { return round_figures(low, high); };
    return {
      width: Math.max(260, element.clientWidth),
      height: element.clientWidth < 480 ? 230 : 290,
      scales: { x: scale(chart.x, "x", ends), y: scale(chart.y, "y", levels) },
      axes: [x, y],
      padding: [null, name_room(chart, Math.max(260, element.clientWidth)) || null, null, null],
      cursor: { drag: { x: true, y: false }, points: { size: 7 } },
      // A sample of each line: two lines may have one colour.
      legend: { live: true, markers: { dash: function (u, i) {
        var line = i > 0 && chart.lines[i - 1];
        return line ? { dashed: "dashed", dotted: "dotted", points: "dotted" }[line.stroke] || "solid" : "solid";
      } } },
      series: [{ label: chart.x.label.split(",")[0], value: function (u, v) { return v === null || v === undefined ? "" : shown(chart.x.unit, v); } }].concat(
        chart.lines.map(function (line) {
          var of_points = line.stroke === "points";
          return {
            label: line.label,
            stroke: color("c" + line.color),
            width: 2,
            dash: dashes[line.stroke],
            // A stepped line holds each price back to the point before: no figure lies between two groups.
            paths: line.stroke === "stepped" ? uPlot.paths.stepped({ align: -1 }) : undefined,
            spanGaps: true,
            points: { show: !of_points && line.x.length < 40, size: 5, fill: color("c" + line.color) },
            value: function (u, v) { return of_points || v === null || v === undefined ? "" : shown(chart.y.unit, v); }
          };
        }),
        chart.heat ? [{ label: "I/Os", value: function (u, v, s, i) { return i === null || i === undefined ? "" : grouped(total(chart, i), 0); } }] : []
      ),
      hooks: { draw: [function (u) { put_over(u, chart); }] }
    };
  }

  // Of a logarithmic axis: powers of ten, and what lies between where there is room.
  function round_figures(low, high) {
    var decades = Math.log10(high / low);
    var steps = decades > 3.5 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    var figures = [];
    for (var n = Math.floor(Math.log10(low)); n <= Math.ceil(Math.log10(high)); n++) {
      steps.forEach(function (step) { figures.push(Number((step * Math.pow(10, n)).toPrecision(3))); });
    }
    return figures.filter(function (v) { return v >= low && v <= high; });
  }

  function total(chart, column) {
    return chart.heat.counts[column].reduce(function (sum, n) { return sum + n; }, 0);
  }

  // Arrow keys walk along the points, and a screen reader hears them.
  function make_walkable(element, u, chart, data_of) {
    var said = document.createElement("div");
    said.className = "said";
    said.setAttribute("aria-live", "polite");
    element.appendChild(said);
    var at = -1;
    element.onkeydown = function (event) {
      var by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      var data = data_of();
      at = Math.max(0, Math.min(data[0].length - 1, at + by));
      u.setCursor({ left: u.valToPos(data[0][at], "x"), top: 10 });
      said.textContent = [shown(chart.x.unit, data[0][at])].concat(chart.lines.map(function (line, n) {
        var value = data[n + 1][at];
        return value === null || value === undefined ? "" : line.label + " " + shown(chart.y.unit, value);
      })).filter(Boolean).join(", ");
    };
  }

  function draw(element, chart) {
    var data = aligned(chart);
    var drawn = null;
    var redraw = function () {
      if (drawn) drawn.destroy();
      drawn = new uPlot(options(element, chart), data, element);
    };
    var picture = element.querySelector("svg.picture");
    redraw();
    element.classList.add("live");
    element.tabIndex = 0;
    element.setAttribute("role", "application");
    element.setAttribute("aria-label", picture ? picture.getAttribute("aria-label") + " Arrow keys walk along the points." : chart.title);
    make_walkable(element, { setCursor: function (to) { drawn.setCursor(to); }, valToPos: function (v, s) { return drawn.valToPos(v, s); } }, chart, function () { return data; });
    var dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", function of() {
      // A chart that is in no page any more is nobody's.
      if (element.isConnected) redraw(); else dark.removeEventListener("change", of);
    });
    var width = element.clientWidth;
    new ResizeObserver(function () {
      if (Math.abs(element.clientWidth - width) < 2) return;
      width = element.clientWidth;
      redraw();
    }).observe(element);
    return {
      update: function () {
        data = aligned(chart);
        drawn.setData(data);
      }
    };
  }

  // The figures of a table as they are in the document, parted by tabs.
  function text_of(table) {
    return Array.from(table.rows).map(function (row) {
      return Array.from(row.cells).map(function (cell) {
        var data = cell.querySelector("data");
        return data ? data.value : cell.textContent.replace("–", "");
      }).join("\t");
    }).join("\n");
  }

  function copy(text) {
    if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
    var area = document.createElement("textarea");
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    return Promise.resolve();
  }

  function put_copies() {
    document.querySelectorAll(".scroll").forEach(function (region) {
      var button = document.createElement("button");
      button.className = "copy";
      button.type = "button";
      button.textContent = "Copy these figures";
      button.setAttribute("aria-label", "Copy these figures: " + region.getAttribute("aria-label"));
      button.onclick = function () {
        copy(text_of(region.querySelector("table"))).then(function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = "Copy these figures"; }, 1500);
        });
      };
      region.after(button);
    });
  }

  // A link to a row opens it.
  function open_target() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
    }
  }

  window.iobound = { draw: draw, shown: shown };
  var held = document.getElementById("charts");
  if (!held) return;
  var charts = JSON.parse(held.textContent);
  charts.forEach(function (chart) { draw(document.getElementById(chart.id), chart); });
  put_copies();
  addEventListener("hashchange", open_target);
  open_target();
  document.documentElement.dataset.drawn = charts.length;
})();
