//! The page of an explanation.

use serde_json::Value;

use super::super::limiters::{OF_EXPLAIN, binding_words, bindings_words, stack_of, table_of, with_names};
use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::{HtmlTable, TableOf};
use super::super::unit::{Cell, Unit};
use super::super::value::{at, list, number, text};
use super::knee::sentence;
use super::predict::coverage_words;

const SCHEMA: &str = "iobound.explain/2";

pub(in super::super) fn explain(document: &Value) -> HtmlPage {
    let title = match text(document, "vm") {
        "" => "This machine".to_string(),
        vm => format!("{vm} with {}", text(document, "disks")),
    };
    let mut page = HtmlPage::new(SCHEMA, &title, "The limit that binds, and the changes that help");
    let findings = list(document, "findings");
    page.conclude(&conclusion(document, findings), &picture(document, findings));
    page.section("findings", "Findings", |page| {
        for (n, of) in findings.iter().enumerate() {
            finding(page, n, of);
        }
    });
    page.section("stack", "Where the I/O waits", |page| stacks(page, document));
    page.section("watched", "Counters of the machine", |page| watched(page, at(document, "watched")));
    page.section("remedies", "Changes", |page| page.table(remedies(findings)));
    page.section("limits", "Limits not reached", |page| ruled_out(page, document));
    page.section("assumed", "Assumptions", |page| {
        for key in ["assumed", "notes"] {
            let items: Vec<&str> = list(document, key).iter().filter_map(Value::as_str).collect();
            page.list(&items);
        }
    });
    page
}

/// The answer in a sentence or two: the cause, and the change that gains most for its price.
fn conclusion(document: &Value, findings: &[Value]) -> String {
    let Some(first) = findings.first() else { return "Nothing was found that holds these I/Os back.".into() };
    let claim = with_names(text(first, "claim"));
    if text(first, "confidence") == "possible" {
        let next = [at(document, "tell_apart"), at(first, "to_be_sure")];
        let next = next.into_iter().find_map(Value::as_str);
        let next = next.map_or(String::new(), |measure| format!(" Measure next: {measure}."));
        return format!("Too little is known to name the cause; possible: {claim}.{next}");
    }
    let said = sentence(&claim);
    // The document has the best change first.
    let helps = |remedy: &&Value| text(remedy, "predicted_after.effect") == "better";
    let Some(best) = list(first, "remedies").iter().find(helps) else { return said };
    let after =
        |key: &str, unit: Unit| number(best, &format!("predicted_after.{key}")).map(|of| unit.shown(of));
    let (Some(iops), Some(throughput)) =
        (after("iops", Unit::Count), after("throughput_bytes_per_s", Unit::Throughput))
    else {
        return said;
    };
    let price = price_words(best).map_or(String::new(), |price| format!(", {price}"));
    format!("{said} With {}: {iops} IOPS, {throughput}{price}.", text(best, "change"))
}

/// The price of a change: `for 136.26 USD a month more`.
fn price_words(remedy: &Value) -> Option<String> {
    let usd = number(remedy, "predicted_after.price_change_usd_per_month")?;
    Some(match usd {
        usd if usd >= 0.005 => format!("for {} USD a month more", Unit::Usd.shown(usd)),
        usd if usd <= -0.005 => format!("for {} USD a month less", Unit::Usd.shown(-usd)),
        _ => "at the same price".into(),
    })
}

/// Measured IOPS as a bar, and below it those after each change; where nothing changes, the use of each limit.
fn picture(document: &Value, findings: &[Value]) -> Markup {
    let mut rows = Vec::new();
    if let Some(seen) = number(document, "observed.iops") {
        rows.push(Row {
            name: "measured".into(),
            figures: format!("{} IOPS", Unit::Count.shown(seen)),
            bars: vec![Bar { from: 0.0, to: seen, class: "fill2" }],
            ..Row::default()
        });
    }
    let measured = rows.len();
    for remedy in findings.iter().flat_map(|finding| list(finding, "remedies")) {
        // Several findings may have the same remedy.
        let row = row_of(remedy).filter(|row| rows.iter().all(|other: &Row| other.name != row.name));
        rows.extend(row);
    }
    let mut picture = Markup::new();
    if rows.len() > measured {
        put_rows(&rows, Unit::Count, false, &mut picture);
        return picture;
    }
    let uses = uses(document);
    if !uses.is_empty() {
        put_rows(&uses, Unit::Share, false, &mut picture);
    }
    picture
}

/// IOPS after a change, with the band of real runs.
fn row_of(remedy: &Value) -> Option<Row> {
    let after = at(remedy, "predicted_after");
    let iops = number(after, "iops")?;
    let mut row = Row { name: text(remedy, "change").to_string(), ..Row::default() };
    if let (Some(low), Some(high)) = (number(after, "low_iops"), number(after, "high_iops")) {
        row.bars.push(Bar { from: low, to: high, class: "band" });
    }
    row.bars.push(Bar { from: 0.0, to: iops, class: "fill1" });
    let mean =
        number(after, "latency_us").map_or(String::new(), |us| format!(", mean {}", Unit::Us.shown(us)));
    let price = price_words(remedy).map_or(String::new(), |price| format!(", {price}"));
    row.figures = format!("{} IOPS{mean}{price}", Unit::Count.shown(iops));
    row.says = match after.get("meets_want").and_then(Value::as_bool) {
        Some(true) => "meets the goal".into(),
        Some(false) => "does not meet the goal".into(),
        None => String::new(),
    };
    Some(row)
}

fn finding(page: &mut HtmlPage, n: usize, of: &Value) {
    page.put(|out| {
        out.element("article", &[("class", "finding")], |out| {
            out.element("h3", &[], |out| {
                out.text(&format!("{}. {} ", n + 1, sentence(&with_names(text(of, "claim")))));
                out.line("span", &[("class", "badge")], text(of, "confidence"));
            });
            for (label, key) in [
                ("why", "evidence"),
                ("change", "remedy"),
                ("do", "advice"),
                ("to be sure, measure", "to_be_sure"),
            ] {
                let says = with_names(&words(at(of, key)));
                let is_repeated = key == "advice" && says == text(of, "remedy");
                if !says.is_empty() && !is_repeated {
                    out.element("p", &[], |out| {
                        out.line("strong", &[], &format!("{label}: "));
                        out.text(&says);
                    });
                }
            }
            out.element("p", &[("class", "rule")], |out| out.line("code", &[], text(of, "rule")));
        });
    });
}

/// The present stack, and beside it the stack after a change.
fn stacks(page: &mut HtmlPage, document: &Value) {
    let stacks = list(document, "stacks");
    let mut drawn = Vec::new();
    for of in stacks {
        let outstanding = number(of, "outstanding").map_or("I/Os".into(), |of| Unit::Count.shown(of));
        let bottom = match list(of, "disks").len() {
            1 => "the disk's media".to_string(),
            disks => format!("the media of {disks} disks"),
        };
        let Some(stack) = stack_of(of, &format!("{outstanding} outstanding"), &bottom) else { continue };
        let (title, about) = match text(of, "change") {
            "" => ("As it is".to_string(), as_it_is(document, of)),
            change => (format!("After the change: {change}"), expects(of)),
        };
        drawn.push((title, about, stack, table_of(of, SCHEMA, &OF_EXPLAIN)));
    }
    if drawn.is_empty() {
        page.absent("The model cannot reproduce the measured figures, so no stack is drawn.");
        return;
    }
    page.side_by_side("stacks", |page| {
        for (title, about, stack, table) in drawn {
            page.figure(&title, &about, &stack, Some(table));
        }
    });
}

/// The model's view of a stack, in a sentence.
fn expects(of: &Value) -> String {
    let shown = |path: &str, unit: Unit| number(of, path).map(|value| unit.shown(value));
    let mean =
        shown("latency_us.mean", Unit::Us).map_or(String::new(), |mean| format!(" at a mean of {mean}"));
    format!(
        "The model expects {} IOPS{mean}, bound by {}.",
        shown("expected.iops", Unit::Count).unwrap_or_else(|| "no".into()),
        bindings_words(of, "bindings")
    )
}

/// The limits of the present configuration, beside the observed use.
fn as_it_is(document: &Value, of: &Value) -> String {
    let Some(seen) = number(document, "observed.iops") else { return expects(of) };
    let band = number(of, "expected.low_iops").zip(number(of, "expected.high_iops"));
    let far = match band {
        Some((low, _)) if seen < low => "below its band, so I/Os waited longer than this, or elsewhere",
        Some((_, high)) if seen > high => "above its band, so I/Os waited less than this",
        Some(_) => "within its band",
        None => "which has no band",
    };
    format!(
        "{} Measured were {}, {far}. {} The mark on a bar is the measured figure.",
        expects(of),
        Unit::Count.shown(seen),
        coverage_words(of)
    )
}

/// A machine that was watched, disk by disk.
fn watched(page: &mut HtmlPage, of: &Value) {
    if of.is_null() {
        return;
    }
    let figure = |key: &str, unit: Unit| Cell::figure(at(of, key), unit);
    page.tiles(&[
        ("watched for", "watched.seconds", figure("seconds", Unit::Seconds), String::new()),
        (
            "of the time a task waited for I/O",
            "watched.io_pressure",
            figure("io_pressure", Unit::Share),
            String::new(),
        ),
        ("busiest processor", "watched.busiest_cpu", figure("busiest_cpu", Unit::Share), String::new()),
    ]);
    if of.get("idle").and_then(Value::as_bool) == Some(true) {
        page.absent("There was almost no I/O.");
    }
    let table = TableOf::new(SCHEMA, "Disk by disk, as the kernel counts", list(of, "disks"))
        .words("device", "watched.disks[].device")
        .words("disk", "watched.disks[].disk")
        .figure("IOPS", "watched.disks[].iops", Unit::Count)
        .figure("throughput", "watched.disks[].throughput_bytes_per_s", Unit::Throughput)
        .figure("reads", "watched.disks[].read", Unit::Share)
        .figure("latency", "watched.disks[].latency_us", Unit::Us)
        .figure("outstanding", "watched.disks[].queue", Unit::Count)
        .done();
    page.table(table);
}

fn remedies(findings: &[Value]) -> HtmlTable {
    let remedies = findings.iter().flat_map(|finding| list(finding, "remedies"));
    TableOf::new(SCHEMA, "Each change, and the expected figures after it", remedies)
        .words("change", "findings[].remedies[].change")
        .figure("IOPS", "findings[].remedies[].predicted_after.iops", Unit::Count)
        .figure("low", "findings[].remedies[].predicted_after.low_iops", Unit::Count)
        .figure("high", "findings[].remedies[].predicted_after.high_iops", Unit::Count)
        .figure(
            "throughput",
            "findings[].remedies[].predicted_after.throughput_bytes_per_s",
            Unit::Throughput,
        )
        .figure("mean", "findings[].remedies[].predicted_after.latency_us", Unit::Us)
        .cell("bound by", "findings[].remedies[].predicted_after.binding", |remedy| {
            Cell::words(&bindings_words(remedy, "predicted_after.binding"))
        })
        .figure("outstanding", "findings[].remedies[].predicted_after.outstanding", Unit::Count)
        .done()
}

/// The highest use of each limit that does not bind.
fn uses(document: &Value) -> Vec<Row> {
    let rows = list(document, "ruled_out").iter().filter_map(|limit| {
        let used = number(limit, "used")?;
        Some(Row {
            name: binding_words(text(limit, "limit")),
            says: text(limit, "because").to_string(),
            figures: format!("{} used", Unit::Share.shown(used)),
            bars: vec![
                Bar { from: 0.0, to: 1.0, class: "track" },
                Bar { from: 0.0, to: used, class: "fill1" },
            ],
            ..Row::default()
        })
    });
    rows.collect()
}

fn ruled_out(page: &mut HtmlPage, document: &Value) {
    let limits = list(document, "ruled_out");
    let table = TableOf::new(SCHEMA, "Excluded limits", limits)
        .cell("limit", "ruled_out[].limit", |limit| Cell::words(&binding_words(text(limit, "limit"))))
        .figure("used", "ruled_out[].used", Unit::Share)
        .done();
    let rows = uses(document);
    if rows.is_empty() {
        page.absent("No limit could be ruled out.");
        return;
    }
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Share, false, &mut picture);
    page.figure("What it is not", "The highest use of each limit.", &picture, Some(table));
}

/// A text, or several as one.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join("; "),
        _ => String::new(),
    }
}
