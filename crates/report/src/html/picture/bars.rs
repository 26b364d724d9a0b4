//! Rows of bars on one axis. The words are HTML, beside or above each bar, and only the bar stretches: so the words are
//! as large on a telephone as on a coordinator.

use super::super::markup::Markup;
use super::super::scale::Scale;
use super::super::unit::Unit;
use super::place;

/// The width of a bar's coordinates; what it is on a screen is the style sheet's.
const WIDTH: f64 = 1000.0;

/// A bar from one figure to another.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Bar {
    pub(in super::super) from: f64,
    pub(in super::super) to: f64,
    /// A class of the style sheet: `band`, `fill1`; `zero` is the line that others are measured from.
    pub(in super::super) class: &'static str,
}

/// A figure on the axis, with a shape that tells it from others without its colour.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Marker {
    pub(in super::super) at: f64,
    /// `published`, `predicted`, `simulated`, `rehearsed`, `measured`.
    pub(in super::super) kind: &'static str,
}

/// A row: its name, its text, and its bars.
#[derive(Clone, Debug, PartialEq, Default)]
pub(in super::super) struct Row {
    pub(in super::super) name: String,
    pub(in super::super) says: String,
    /// The figures in words, at the end.
    pub(in super::super) figures: String,
    /// Link of the name: an element of the page.
    pub(in super::super) link: Option<String>,
    pub(in super::super) bars: Vec<Bar>,
    pub(in super::super) markers: Vec<Marker>,
}

/// The rows with their axis. `Err` gives the rows back where there is nothing to draw.
pub(in super::super) fn put_rows(rows: &[Row], unit: Unit, log: bool, out: &mut Markup) {
    let bars = rows.iter().flat_map(|row| &row.bars).flat_map(|bar| [bar.from, bar.to]);
    let markers = rows.iter().flat_map(|row| &row.markers).map(|marker| marker.at);
    let Some(scale) = Scale::over(bars.chain(markers), log, (0.0, WIDTH)) else { return };
    let scale = scale.with_room(0.04);
    let ticks = ticks(&scale);
    out.element("div", &[("class", "rows")], |out| {
        for row in rows {
            out.element("div", &[("class", "row")], |out| put_row(row, &scale, &ticks, out));
        }
        out.element("div", &[("class", "row scale"), ("aria-hidden", "true")], |out| {
            put_scale(&scale, &ticks, unit, out)
        });
    });
}

/// The round figures that have a line and a label, so far apart that the labels do not touch.
fn ticks(scale: &Scale) -> Vec<f64> {
    let mut last = f64::MIN;
    let mut ticks = scale.ticks(3);
    ticks.retain(|tick| {
        let at = scale.place(*tick) / WIDTH * 100.0;
        let has_room = at - last >= 16.0;
        if has_room {
            last = at;
        }
        has_room
    });
    ticks
}

fn put_row(row: &Row, scale: &Scale, ticks: &[f64], out: &mut Markup) {
    out.element("div", &[("class", "name")], |out| {
        match &row.link {
            Some(link) => out.line("a", &[("href", &format!("#{link}"))], &row.name),
            None => out.line("span", &[], &row.name),
        }
        if !row.says.is_empty() {
            out.text(" ");
            out.line("small", &[], &row.says);
        }
    });
    let label = format!("{}: {}", row.name, row.figures);
    let view = format!("0 0 {WIDTH} 20");
    let attributes = [
        ("viewBox", view.as_str()),
        ("preserveAspectRatio", "none"),
        ("class", "bar"),
        ("role", "img"),
        ("aria-label", &label),
    ];
    out.element("svg", &attributes, |out| {
        for tick in ticks {
            let at = place(scale.place(*tick));
            let ends = [("x1", at.as_str()), ("y1", "0"), ("x2", &at), ("y2", "20"), ("class", "grid")];
            out.element("line", &ends, |_| {});
        }
        for bar in &row.bars {
            let (from, to) = (scale.place(bar.from), scale.place(bar.to));
            let (x, wide) = (place(from.min(to)), place((to - from).abs().max(2.0)));
            let (y, high) = match bar.class {
                "band" => ("2", "16"),
                "zero" => ("0", "20"),
                _ => ("6", "8"),
            };
            let of = [("x", x.as_str()), ("y", y), ("width", &wide), ("height", high), ("class", bar.class)];
            out.element("rect", &of, |_| {});
        }
    });
    // Markers keep their shape while bars stretch: each is a picture of its own on the same axis.
    if !row.markers.is_empty() {
        out.element("svg", &[("class", "markers"), ("aria-hidden", "true")], |out| {
            for marker in &row.markers {
                let at = format!("{}%", crate::number::rounded(scale.place(marker.at) / WIDTH * 100.0, 2));
                out.element("svg", &[("x", &at), ("y", "0"), ("class", "marker")], |out| {
                    put_marker(marker.kind, out);
                });
            }
        });
    }
    out.line("div", &[("class", "says")], &row.figures);
}

/// A shape around the middle of a picture's left edge, 20 high.
pub(in super::super) fn put_marker(kind: &str, out: &mut Markup) {
    let path = match kind {
        "published" => "M0 3L7 10L0 17L-7 10Z",
        "predicted" => "M-1.5 1H1.5V19H-1.5Z",
        "rehearsed" => "M-5 5H5V15H-5Z",
        "measured" => "M0 3L6.5 15H-6.5Z",
        _ => "M-5 10A5 5 0 1 0 5 10A5 5 0 1 0 -5 10Z",
    };
    out.element("path", &[("d", path), ("class", kind)], |_| {});
}

fn put_scale(scale: &Scale, ticks: &[f64], unit: Unit, out: &mut Markup) {
    out.element("div", &[("class", "name")], |_| {});
    out.element("svg", &[("class", "ticks")], |out| {
        for tick in ticks {
            let at = scale.place(*tick) / WIDTH * 100.0;
            let class = if at < 4.0 {
                "tick"
            } else if at > 92.0 {
                "tick end"
            } else {
                "tick middle"
            };
            let x = format!("{}%", crate::number::rounded(at, 2));
            out.line("text", &[("x", &x), ("y", "12"), ("class", class)], &unit.shown(*tick));
        }
    });
    out.element("div", &[("class", "says")], |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Separator of two texts.
    fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
        text.split(before).skip(1).filter_map(|part| part.split(after).next()).collect()
    }

    #[test]
    fn every_label_of_the_axis_stands_at_a_line_of_the_bars_and_every_line_has_one() {
        for (to, log) in
            [(51_000.0, false), (45_000.0, false), (15_236.0, false), (0.37, false), (9_000.0, true)]
        {
            let bar = Bar { from: 2.0, to, class: "fill1" };
            let rows = [Row { name: "one".into(), bars: vec![bar], ..Row::default() }];
            let mut out = Markup::new();
            put_rows(&rows, Unit::Count, log, &mut out);
            let text = out.into_text();
            let text = text.as_str();
            // Lines are in thousandths of the width, labels in percent of it.
            let lines: Vec<f64> = between(text, "<line x1=\"", "\"")
                .iter()
                .map(|at| at.parse::<f64>().unwrap() / 10.0)
                .collect();
            let labels: Vec<f64> =
                between(text, "<text x=\"", "%\"").iter().map(|at| at.parse().unwrap()).collect();
            assert!(labels.len() >= 2, "{text}");
            let apart = lines.iter().zip(&labels).map(|(line, label)| (line - label).abs());
            assert!(lines.len() == labels.len() && apart.fold(0.0, f64::max) < 0.02, "{lines:?} {labels:?}");
        }
    }
}
