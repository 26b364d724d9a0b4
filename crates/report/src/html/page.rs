//! A page: one file that loads nothing, and says so to the browser.

use serde_json::Value;

use super::chart::{Chart, Stroke};
use super::digest::source_of;
use super::markup::Markup;
use super::picture::{picture, put_marker};
use super::table::{HtmlTable, put_folded_terms};
use super::unit::{Cell, Unit};

const STYLE: &str = concat!(
    include_str!("../../vendor/uplot/uPlot.min.css"),
    "\n",
    include_str!("../../assets/look.css"),
    include_str!("../../assets/page.css")
);
const SCRIPT: &str = concat!(
    "/* uPlot, of which a copy follows:\n",
    include_str!("../../vendor/uplot/LICENSE"),
    "*/\n",
    include_str!("../../vendor/uplot/uPlot.iife.min.js"),
    "\n",
    include_str!("../../assets/charts.js")
);

/// Above this the document itself is not in its page, which is to open at once: only what its charts are drawn from, and
/// the exact figures of the tables.
const MOST_DATA: usize = 256 << 10;

/// More rows than this are shown where they are asked for.
const LONG: usize = 14;

/// Place of a word that depends on the ground: `darker` on a light one, `brighter` on a dark one.
pub(super) const DEEPER: &str = "{deeper}";

/// A page that is being written.
pub(super) struct HtmlPage {
    pub(super) schema: &'static str,
    title: String,
    subtitle: String,
    conclusion: Markup,
    contents: Vec<(String, String)>,
    body: Markup,
    /// Reasons for parts that are not shown, of the section that is being written.
    absent: Vec<String>,
    /// Sections without content, with the reasons.
    omitted: Vec<String>,
    charts: Vec<Value>,
    drawn: usize,
}

impl HtmlPage {
    pub(super) fn new(schema: &'static str, title: &str, subtitle: &str) -> HtmlPage {
        HtmlPage {
            schema,
            title: title.to_string(),
            subtitle: subtitle.to_string(),
            conclusion: Markup::new(),
            contents: Vec::new(),
            body: Markup::new(),
            absent: Vec::new(),
            omitted: Vec::new(),
            charts: Vec::new(),
            drawn: 0,
        }
    }

    /// The answer in a sentence, and a picture of it: both stand before everything else. A page of several stages has
    /// one for each stage.
    pub(super) fn conclude(&mut self, sentence: &str, picture: &Markup) {
        self.conclusion.line("p", &[("class", "conclusion")], sentence);
        self.conclusion.add(picture);
    }

    /// A part of the page with a heading. One with nothing in it is left out, and its reasons stand at the end of the page.
    pub(super) fn section(&mut self, id: &str, title: &str, fill: impl FnOnce(&mut HtmlPage)) {
        let before = std::mem::take(&mut self.body);
        fill(self);
        let mut inside = std::mem::replace(&mut self.body, before);
        let absent = std::mem::take(&mut self.absent);
        if inside.is_empty() {
            self.omitted.extend(absent.iter().map(|why| format!("{title}: {why}")));
            return;
        }
        for why in absent {
            inside.line("p", &[("class", "absent")], &why);
        }
        self.contents.push((id.to_string(), title.to_string()));
        let heading = format!("{id}-heading");
        self.body.element("section", &[("id", id), ("aria-labelledby", &heading)], |out| {
            out.line("h2", &[("id", &heading)], title);
            out.add(&inside);
        });
    }

    /// Anything else.
    pub(super) fn put(&mut self, fill: impl FnOnce(&mut Markup)) {
        fill(&mut self.body);
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.body.line("p", &[], text);
        }
    }

    /// Figures that stand beside one another where there is room.
    pub(super) fn side_by_side(&mut self, class: &str, fill: impl FnOnce(&mut HtmlPage)) {
        let before = std::mem::take(&mut self.body);
        fill(self);
        let inside = std::mem::replace(&mut self.body, before);
        self.body.element("div", &[("class", class)], |out| out.add(&inside));
    }

    /// Reason for a part that is not shown: at the end of its section.
    pub(super) fn absent(&mut self, text: &str) {
        self.absent.push(text.to_string());
    }

    /// A list of sentences.
    pub(super) fn list(&mut self, items: &[&str]) {
        if items.is_empty() {
            return;
        }
        self.body.element("ul", &[], |out| items.iter().for_each(|item| out.line("li", &[], item)));
    }

    /// The figures that a person looks for first: label, key, figure, and what to know beside it.
    pub(super) fn tiles(&mut self, tiles: &[(&str, &'static str, Cell, String)]) {
        let schema = self.schema;
        self.body.element("div", &[("class", "tiles")], |out| {
            for (label, _, cell, beside) in tiles.iter().filter(|tile| tile.2 != Cell::Unknown) {
                out.element("div", &[("class", "tile")], |out| {
                    out.line("div", &[("class", "label")], label);
                    out.element("div", &[("class", "value")], |out| cell.put(out));
                    if !beside.is_empty() {
                        out.line("div", &[("class", "beside")], beside);
                    }
                });
            }
        });
        let known = tiles.iter().filter(|tile| tile.2 != Cell::Unknown);
        let terms: Vec<(&str, &str, &str)> =
            known.map(|(label, key, ..)| (*label, schema, *key)).filter(|term| !term.2.is_empty()).collect();
        put_folded_terms(&terms, &mut self.body);
    }

    /// A table in the open; a long one to be opened.
    pub(super) fn table(&mut self, table: HtmlTable) {
        if table.len() > LONG {
            let says = format!("{}: {} rows", table.caption(), table.len());
            self.body.element("details", &[("class", "behind")], |out| {
                out.line("summary", &[], &says);
                table.without_empty_columns().put(out);
            });
        } else if !table.is_empty() {
            table.without_empty_columns().put_folded(&mut self.body);
        }
    }

    /// A table to be opened, without a picture before it.
    pub(super) fn table_behind(&mut self, table: HtmlTable) {
        put_details(Some(table), &mut self.body);
    }

    /// A figure with its heading, its sentence, its picture and the table behind it.
    pub(super) fn figure(&mut self, title: &str, about: &str, picture: &Markup, table: Option<HtmlTable>) {
        self.drawn += 1;
        let id = format!("figure-{}", self.drawn);
        self.body.element("figure", &[("id", &id)], |out| {
            put_caption(title, about, out);
            out.add(picture);
            put_details(table, out);
        });
    }

    /// A chart, or `without`, a sentence, where it has no shape.
    pub(super) fn chart(&mut self, chart: Chart, without: &str) {
        self.drawn += 1;
        let id = format!("chart-{}", self.drawn);
        let about = chart.about.replace(DEEPER, "deeper the colour");
        let label = format!("{}. {about} The table below has the figures.", chart.title);
        let Some(drawing) = Some(&chart).filter(|chart| chart.has_shape()).and_then(|c| picture(c, &label))
        else {
            self.absent(without);
            return;
        };
        self.charts.push(chart.json(&id));
        self.body.element("figure", &[], |out| {
            put_caption(&chart.title, &chart.about, out);
            out.element("div", &[("class", "plot"), ("id", &id)], |out| out.add(&drawing));
            put_legend(&chart, out);
            put_details(Some(chart.table), out);
        });
    }

    /// The bytes of the page.
    pub(super) fn finish(mut self, document: &Value) -> String {
        let omitted = std::mem::take(&mut self.omitted);
        self.section("omitted", "Not shown", |page| {
            page.list(&omitted.iter().map(String::as_str).collect::<Vec<&str>>());
        });
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
            source_of(SCRIPT),
            source_of(STYLE)
        );
        let mut charts = Markup::new();
        charts.json(&Value::Array(self.charts));
        let mut data = Markup::new();
        data.json(document);
        let is_whole = data.clone().into_text().len() <= MOST_DATA;
        let html = Markup::new().with("html", &[("lang", "en")], |out| {
            out.element("head", &[], |out| {
                out.element("meta", &[("charset", "utf-8")], |_| {});
                let csp = [("http-equiv", "Content-Security-Policy"), ("content", policy.as_str())];
                out.element("meta", &csp, |_| {});
                let viewport = [("name", "viewport"), ("content", "width=device-width, initial-scale=1")];
                out.element("meta", &viewport, |_| {});
                out.element("meta", &[("name", "color-scheme"), ("content", "light dark")], |_| {});
                out.element("meta", &[("name", "referrer"), ("content", "no-referrer")], |_| {});
                out.line("title", &[], &format!("{} - iobound", self.title));
                out.element("style", &[], |out| out.asset(STYLE));
            });
            out.element("body", &[], |out| {
                out.line("a", &[("class", "skip"), ("href", "#main")], "To the figures");
                out.element("header", &[], |out| {
                    out.line("h1", &[], &self.title);
                    if !self.subtitle.is_empty() {
                        out.line("p", &[("class", "subtitle")], &self.subtitle);
                    }
                    out.add(&self.conclusion);
                    if self.contents.len() > 2 {
                        put_contents(&self.contents, out);
                    }
                });
                out.element("main", &[("id", "main")], |out| out.add(&self.body));
                out.element("footer", &[], |out| put_footer(self.schema, is_whole, out));
                let json = |id: &'static str| [("type", "application/json"), ("id", id)];
                if is_whole {
                    out.element("script", &json("document"), |out| out.add(&data));
                }
                out.element("script", &json("charts"), |out| out.add(&charts));
                out.element("script", &[], |out| out.asset(SCRIPT));
            });
        });
        format!("<!DOCTYPE html>\n{}\n", html.into_text())
    }
}

fn put_caption(title: &str, about: &str, out: &mut Markup) {
    out.element("figcaption", &[], |out| {
        out.line("h3", &[], title);
        if !about.is_empty() {
            out.element("p", &[], |out| {
                for (n, part) in about.split(DEEPER).enumerate() {
                    if n > 0 {
                        out.line("span", &[("class", "on-light")], "darker");
                        out.line("span", &[("class", "on-dark")], "brighter");
                    }
                    out.text(part);
                }
            });
        }
    });
}

fn put_details(table: Option<HtmlTable>, out: &mut Markup) {
    if let Some(table) = table.filter(|table| !table.is_empty()) {
        out.element("details", &[("class", "behind")], |out| {
            out.line("summary", &[], "Figures and definitions");
            table.without_empty_columns().put(out);
        });
    }
}

/// Legend of a picture's lines; the script's charts have a legend of their own.
fn put_legend(chart: &Chart, out: &mut Markup) {
    out.element("ul", &[("class", "legend"), ("aria-hidden", "true")], |out| {
        for line in &chart.lines {
            out.element("li", &[], |out| {
                let class = format!("line c{} {}", line.color, line.stroke.word());
                out.element("svg", &[("viewBox", "0 0 24 10"), ("class", "swatch")], |out| {
                    if line.stroke == Stroke::Points {
                        let class = format!("c{} points", line.color);
                        let circle = [("cx", "12"), ("cy", "5"), ("r", "4"), ("class", class.as_str())];
                        out.element("circle", &circle, |_| {});
                    } else {
                        out.element("path", &[("d", "M0 5H24"), ("class", &class)], |_| {});
                    }
                });
                out.text(&line.label);
            });
        }
    });
    let mut told: Vec<&str> = Vec::new();
    for stretch in chart.stretches.iter().filter(|stretch| stretch.color > 0) {
        if !told.contains(&stretch.label.as_str()) {
            told.push(&stretch.label);
        }
    }
    if told.is_empty() {
        return;
    }
    out.element("ul", &[("class", "legend strips")], |out| {
        for label in told {
            let color =
                chart.stretches.iter().find(|stretch| stretch.label == label).map_or(0, |of| of.color);
            out.element("li", &[], |out| put_swatch(&format!("fill{color}"), label, out));
        }
    });
}

/// A coloured square and what it stands for.
pub(super) fn put_swatch(class: &str, label: &str, out: &mut Markup) {
    out.element("svg", &[("viewBox", "0 0 24 10"), ("class", "swatch"), ("aria-hidden", "true")], |out| {
        out.element(
            "rect",
            &[("x", "4"), ("y", "0"), ("width", "16"), ("height", "10"), ("class", class)],
            |_| {},
        );
    });
    out.text(label);
}

/// A marker and what it stands for.
pub(super) fn put_key(kind: &str, label: &str, out: &mut Markup) {
    out.element("svg", &[("viewBox", "-12 0 24 20"), ("class", "swatch"), ("aria-hidden", "true")], |out| {
        put_marker(kind, out);
    });
    out.text(label);
}

fn put_contents(contents: &[(String, String)], out: &mut Markup) {
    out.element("nav", &[("aria-label", "Contents")], |out| {
        out.element("ul", &[], |out| {
            for (id, title) in contents {
                out.element("li", &[], |out| out.line("a", &[("href", &format!("#{id}"))], title));
            }
        });
    });
}

fn put_footer(schema: &str, is_whole: bool, out: &mut Markup) {
    out.element("p", &[], |out| {
        out.text("By iobound, from a document ");
        out.line("code", &[], schema);
        out.text(if is_whole {
            ", which is part of this page. The page loads and sends nothing. "
        } else {
            ", which is too long to include in this page. The page loads and sends nothing. "
        });
        out.text("MB/s is 10^6 bytes a second, MiB/s is 2^20. Shares refer to enforced limits. A dash means unknown.");
    });
}

/// A figure in words, or a dash.
pub(super) fn words_of(value: Option<f64>, unit: Unit) -> String {
    value.map_or_else(|| "–".to_string(), |value| unit.shown(value))
}
