//! Lines, limits, stretches and grids on two axes.

use super::super::chart::{Chart, Heat, Stroke};
use super::super::markup::Markup;
use super::super::scale::Scale;
use super::super::unit::Unit;
use super::place;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 470.0;
const TOP: f64 = 24.0;
/// Height at which the plot ends and the axis begins.
const BOTTOM: f64 = 196.0;

/// The most columns of a grid in a picture, and its shades.
const MOST_COLUMNS: usize = 80;
const SHADES: u64 = 6;

/// The picture, or nothing where there is nothing to draw.
pub(in super::super) fn picture(chart: &Chart, label: &str) -> Option<Markup> {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let heat = chart.heat.as_ref();
    let ends = || chart.stretches.iter().flat_map(|stretch| [stretch.from, stretch.to]);
    let xs = || {
        points()
            .map(|point| point.0)
            .chain(heat.into_iter().flat_map(|heat| heat.x.iter().copied()))
            .chain(ends())
    };
    let marks = chart.marks.iter().map(|mark| mark.y);
    let levels = chart.limits.iter().map(|limit| limit.value).chain(marks);
    let ys = points()
        .map(|point| point.1)
        .chain(heat.into_iter().flat_map(|heat| heat.y.iter().copied()))
        .chain(levels);
    let mut x = Scale::over(xs(), chart.x.log, (LEFT, RIGHT))?;
    if chart.x.unit == Unit::Seconds
        && let Some(first) = xs().reduce(f64::min)
    {
        // Time begins where it begins, not at zero.
        x.low = first.min(x.high - 1e-9);
    }
    let y = Scale::over(ys, chart.y.log, (BOTTOM, TOP))?.with_room(if chart.y.log { 0.2 } else { 0.06 });
    let size = format!("0 0 {WIDTH} {HEIGHT}");
    let attributes =
        [("viewBox", size.as_str()), ("role", "img"), ("aria-label", label), ("class", "picture")];
    Some(Markup::new().with("svg", &attributes, |out| {
        put_axes(chart, &x, &y, out);
        if let Some(heat) = heat {
            put_heat(heat, &x, &y, out);
        }
        put_limits(chart, &y, out);
        put_lines(chart, &x, &y, out);
        put_marks(chart, &x, &y, out);
        put_stretches(chart, &x, out);
    }))
}

fn put_axes(chart: &Chart, x: &Scale, y: &Scale, out: &mut Markup) {
    for tick in y.ticks(5) {
        let at = place(y.place(tick));
        put_segment([&place(LEFT), &at, &place(RIGHT), &at], "grid", out);
        let label = chart.y.unit.shown(tick);
        let below = place(y.place(tick) + 4.0);
        out.line("text", &[("x", &place(LEFT - 5.0)), ("y", &below), ("class", "tick end")], &label);
    }
    let mut last = f64::MIN;
    for tick in x.ticks(if chart.x.unit == Unit::Usd { 4 } else { 6 }) {
        let at = x.place(tick);
        // Labels that would touch are left out.
        if at - last < 44.0 {
            continue;
        }
        last = at;
        put_segment([&place(at), &place(BOTTOM), &place(at), &place(BOTTOM + 4.0)], "axis", out);
        let label = chart.x.unit.shown(tick);
        out.line(
            "text",
            &[("x", &place(at)), ("y", &place(BOTTOM + 16.0)), ("class", "tick middle")],
            &label,
        );
    }
    put_segment([&place(LEFT), &place(BOTTOM), &place(RIGHT), &place(BOTTOM)], "axis", out);
    let middle = place(f64::midpoint(LEFT, RIGHT));
    out.line(
        "text",
        &[("x", &middle), ("y", &place(HEIGHT - 4.0)), ("class", "tick middle")],
        &chart.x.label,
    );
    out.line("text", &[("x", "2"), ("y", &place(TOP - 14.0)), ("class", "tick")], &chart.y.label);
}

fn put_segment(ends: [&str; 4], class: &str, out: &mut Markup) {
    let [x1, y1, x2, y2] = ends;
    out.element("line", &[("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2), ("class", class)], |_| {});
}

fn put_limits(chart: &Chart, y: &Scale, out: &mut Markup) {
    let mut limits: Vec<_> = chart.limits.iter().collect();
    limits.sort_by(|one, other| other.value.total_cmp(&one.value));
    let mut last = f64::MIN;
    for limit in limits {
        let at = y.place(limit.value);
        put_segment([&place(LEFT), &place(at), &place(RIGHT), &place(at)], "limit", out);
        // Names of limits that are close stand one below the other.
        let text = (at - 3.0).max(last + 11.0);
        last = text;
        let says = format!("{} {}", limit.label, chart.y.unit.shown(limit.value));
        out.line("text", &[("x", &place(RIGHT)), ("y", &place(text)), ("class", "note end")], &says);
    }
}

fn put_lines(chart: &Chart, x: &Scale, y: &Scale, out: &mut Markup) {
    for line in &chart.lines {
        let class = format!("c{} {}", line.color, line.stroke.word());
        if line.stroke == Stroke::Points || line.points.len() == 1 {
            for (at_x, at_y) in &line.points {
                let (cx, cy) = (place(x.place(*at_x)), place(y.place(*at_y)));
                out.element("circle", &[("cx", &cx), ("cy", &cy), ("r", "3"), ("class", &class)], |_| {});
            }
            continue;
        }
        let mut path = String::new();
        for (n, (at_x, at_y)) in line.points.iter().enumerate() {
            let (at_x, at_y) = (place(x.place(*at_x)), place(y.place(*at_y)));
            path.push_str(&match (n, line.stroke) {
                (0, _) => format!("M{at_x} {at_y}"),
                (_, Stroke::Stepped) => format!("V{at_y}H{at_x}"),
                _ => format!("L{at_x} {at_y}"),
            });
        }
        out.element("path", &[("d", &path), ("class", &format!("line {class}"))], |_| {});
    }
}

fn put_marks(chart: &Chart, x: &Scale, y: &Scale, out: &mut Markup) {
    for mark in &chart.marks {
        let (at_x, at_y) = (x.place(mark.x), y.place(mark.y));
        out.element(
            "circle",
            &[("cx", &place(at_x)), ("cy", &place(at_y)), ("r", "5"), ("class", "mark")],
            |_| {},
        );
        let is_right = at_x > f64::midpoint(LEFT, RIGHT);
        let (text, class) = if is_right { (at_x - 8.0, "note end") } else { (at_x + 8.0, "note") };
        let attributes = [("x", &place(text)), ("y", &place((at_y + 14.0).min(BOTTOM - 3.0)))];
        out.line(
            "text",
            &[(attributes[0].0, attributes[0].1), (attributes[1].0, attributes[1].1), ("class", class)],
            &mark.label,
        );
    }
}

/// A strip at the foot of the plot: what is full, and when.
fn put_stretches(chart: &Chart, x: &Scale, out: &mut Markup) {
    for stretch in chart.stretches.iter().filter(|stretch| stretch.color > 0) {
        let (from, to) = (x.place(stretch.from), x.place(stretch.to));
        let attributes = [
            ("x", place(from)),
            ("y", place(BOTTOM - 7.0)),
            ("width", place((to - from).max(0.5))),
            ("height", "7".to_string()),
            ("class", format!("fill{}", stretch.color)),
        ];
        let attributes: Vec<(&'static str, &str)> =
            attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        out.element("rect", &attributes, |out| out.line("title", &[], &stretch.label));
    }
}

/// A path for each shade: thousands of cells are few elements.
fn put_heat(heat: &Heat, x: &Scale, y: &Scale, out: &mut Markup) {
    let most = heat.most().max(1);
    let together = heat.counts.len().div_ceil(MOST_COLUMNS).max(1);
    let mut shades = vec![String::new(); SHADES as usize];
    for (n, columns) in heat.counts.chunks(together).enumerate() {
        let (from, to) = (n * together, (n * together + columns.len()).min(heat.x.len() - 1));
        let (left, right) = (x.place(heat.x[from]), x.place(heat.x[to]));
        for row in 0..heat.y.len().saturating_sub(1) {
            let count = columns
                .iter()
                .filter_map(|column| column.get(row))
                .fold(0u64, |sum, n| sum.saturating_add(*n))
                / columns.len() as u64;
            if let Some(shade) = shade_of(count, most) {
                let (bottom, top) = (y.place(heat.y[row]), y.place(heat.y[row + 1]));
                let (x, y) = (place(left), place(top));
                let (wide, high) = (place(right - left + 0.2), place(bottom - top + 0.2));
                shades[shade].push_str(&format!("M{x} {y}h{wide}v{high}h-{wide}z"));
            }
        }
    }
    for (shade, path) in shades.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        out.element("path", &[("d", path), ("class", &format!("heat{}", shade + 1))], |_| {});
    }
}

/// Shade of a count: each is four times the one before, so that rare latencies are seen beside frequent ones.
fn shade_of(count: u64, most: u64) -> Option<usize> {
    if count == 0 {
        return None;
    }
    let mut shade = SHADES - 1;
    let mut least = most;
    while count < least / 4 + 1 && shade > 0 {
        least /= 4;
        shade -= 1;
    }
    Some(shade as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::chart::{Axis, Limit};
    use crate::html::table::HtmlTable;

    #[test]
    fn shades_are_a_factor_of_four_apart() {
        let shades = [0, 1, 4, 64, 250, 260, 1_024].map(|count| shade_of(count, 1_024));
        assert_eq!(shades, [None, Some(0), Some(1), Some(3), Some(4), Some(5), Some(5)]);
    }

    #[test]
    fn a_picture_has_its_lines_and_limits_where_they_are() {
        let table = HtmlTable::new("iobound.result/1", "t").column("from", "series[].start_s");
        let (x, y) = (Axis::linear("time", Unit::Seconds), Axis::linear("IOPS", Unit::Count));
        let mut chart = Chart::new("IOPS", x, y, table);
        assert!(picture(&chart, "nothing").is_none());
        chart.line("IOPS", 1, Stroke::Solid, vec![(0.0, 0.0), (10.0, 100.0)]);
        chart.limits.push(Limit { label: "<disk>".into(), value: 100.0 });
        let text = picture(&chart, "IOPS").unwrap().into_text();
        // 100 of 106, from below: 196 - 172 × 100/106.
        assert!(text.contains("M62 196L470 33.7"), "{text}");
        assert!(text.contains("&lt;disk&gt; 100<"), "{text}");
    }
}
