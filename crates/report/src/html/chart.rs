//! A chart as data: drawn twice from the same figures, as a picture that needs no script, and by the script on a canvas
//! that tells the figures under the pointer.

use serde_json::{Value, json};

use super::table::HtmlTable;
use super::unit::Unit;
use crate::number::figure;

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) unit: Unit,
    pub(super) log: bool,
}

impl Axis {
    pub(super) fn linear(label: &str, unit: Unit) -> Axis {
        Axis { label: label.to_string(), unit, log: false }
    }

    pub(super) fn log(label: &str, unit: Unit) -> Axis {
        Axis { label: label.to_string(), unit, log: true }
    }

    fn json(&self) -> Value {
        json!({ "label": self.label, "unit": self.unit.word(), "log": self.log })
    }
}

/// Style of a line; with its colour it tells lines apart, so that colour alone never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    Dashed,
    Dotted,
    /// Steps: each point holds for all x from the one before. For groups between which nothing lies.
    Stepped,
    /// No line: a mark for each point.
    Points,
}

impl Stroke {
    pub(super) fn word(self) -> &'static str {
        match self {
            Stroke::Solid => "solid",
            Stroke::Dashed => "dashed",
            Stroke::Dotted => "dotted",
            Stroke::Stepped => "stepped",
            Stroke::Points => "points",
        }
    }
}

/// A line of a chart: points in order of x.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) label: String,
    /// A colour of the style sheet, from 1 to 6.
    pub(super) color: u8,
    pub(super) stroke: Stroke,
    pub(super) points: Vec<(f64, f64)>,
}

/// A limit: a level of y with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) label: String,
    pub(super) value: f64,
}

/// A stretch of x of which something holds: what is full then.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
    /// A colour from 1 to 6; 0 for no colour.
    pub(super) color: u8,
    pub(super) label: String,
}

/// A point with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) label: String,
}

/// Counts in the cells of a grid.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Heat {
    /// The edges of the columns: one more than there are.
    pub(super) x: Vec<f64>,
    /// The edges of the rows, from below.
    pub(super) y: Vec<f64>,
    /// Column by column, from below.
    pub(super) counts: Vec<Vec<u64>>,
}

impl Heat {
    pub(super) fn most(&self) -> u64 {
        self.counts.iter().flatten().copied().max().unwrap_or(0)
    }
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chart {
    pub(super) title: String,
    /// Description for readers, in a sentence or two.
    pub(super) about: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
    pub(super) limits: Vec<Limit>,
    pub(super) stretches: Vec<Stretch>,
    pub(super) marks: Vec<Mark>,
    pub(super) heat: Option<Heat>,
    pub(super) table: HtmlTable,
}

impl Chart {
    /// A chart with nothing on it.
    pub(super) fn new(title: &str, x: Axis, y: Axis, table: HtmlTable) -> Chart {
        Chart {
            title: title.to_string(),
            about: String::new(),
            x,
            y,
            lines: Vec::new(),
            limits: Vec::new(),
            stretches: Vec::new(),
            marks: Vec::new(),
            heat: None,
            table,
        }
    }

    /// Adds a line where there is a point to it.
    pub(super) fn line(&mut self, label: &str, color: u8, stroke: Stroke, points: Vec<(f64, f64)>) {
        if !points.is_empty() {
            self.lines.push(Line { label: label.to_string(), color, stroke, points });
        }
    }

    /// True if there is anything to see: two points that are not in one place, or two columns of a grid.
    pub(super) fn has_shape(&self) -> bool {
        let mut points = self.lines.iter().flat_map(|line| &line.points);
        let first = points.next();
        let of_lines = points.any(|point| Some(point.0) != first.map(|first| first.0));
        of_lines || self.heat.as_ref().is_some_and(|heat| heat.counts.len() > 1 && heat.most() > 0)
    }

    /// Data for the script.
    pub(super) fn json(&self, id: &str) -> Value {
        let number = |value: f64| figure(value, 6);
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "label": line.label,
                    "color": line.color,
                    "stroke": line.stroke.word(),
                    "x": line.points.iter().map(|point| number(point.0)).collect::<Vec<Value>>(),
                    "y": line.points.iter().map(|point| number(point.1)).collect::<Vec<Value>>(),
                })
            })
            .collect();
        let mut value =
            json!({ "id": id, "title": self.title, "x": self.x.json(), "y": self.y.json(), "lines": lines });
        let mut put = |key: &str, items: Vec<Value>| {
            if !items.is_empty() {
                value[key] = Value::Array(items);
            }
        };
        put(
            "limits",
            self.limits.iter().map(|of| json!({ "label": of.label, "value": number(of.value) })).collect(),
        );
        let stretch = |of: &Stretch| json!({ "from": number(of.from), "to": number(of.to), "color": of.color, "label": of.label });
        put("stretches", self.stretches.iter().map(stretch).collect());
        let mark = |of: &Mark| json!({ "x": number(of.x), "y": number(of.y), "label": of.label });
        put("marks", self.marks.iter().map(mark).collect());
        if let Some(heat) = &self.heat {
            let edges = |of: &[f64]| of.iter().map(|edge| number(*edge)).collect::<Vec<Value>>();
            value["heat"] = json!({ "x": edges(&heat.x), "y": edges(&heat.y), "counts": heat.counts });
        }
        value
    }
}
