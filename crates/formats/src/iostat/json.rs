//! Reports as JSON (`-o JSON`).

use serde_json::Value;

use super::Report;
use super::columns::{self, Figures};
use crate::error::Trouble;
use crate::observation::{Clock, INTERVALS, json_place, whole};

/// The reports of a document.
pub(super) fn reports(text: &str, trouble: &mut Trouble) -> Option<Vec<Report>> {
    const HELP: &str = "give the complete output of `iostat -x -o JSON 10 3`";
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            trouble.add(json_place(text, &error), format!("the file is not JSON: {error}"), HELP);
            return None;
        }
    };
    let hosts = document.pointer("/sysstat/hosts").and_then(Value::as_array);
    let Some([host]) = hosts.map(Vec::as_slice) else {
        trouble.add(whole(0), "`sysstat.hosts` must have exactly one host", HELP);
        return None;
    };
    let statistics = host.get("statistics").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut reports = Vec::new();
    for (index, statistic) in statistics.iter().take(INTERVALS + 2).enumerate() {
        let mut report = Report { is_first: index == 0, ..Report::default() };
        report.clock = statistic.get("timestamp").and_then(Value::as_str).and_then(Clock::read);
        if let Some(cpu) = statistic.get("avg-cpu") {
            let share = |name: &str| cpu.get(name).and_then(Value::as_f64).unwrap_or(0.0) / 100.0;
            report.cpu = Some((share("user") + share("nice") + share("system"), share("iowait")));
        }
        for disk in statistic.get("disk").and_then(Value::as_array).into_iter().flatten() {
            let name = disk.get("disk_device").and_then(Value::as_str);
            let Some((name, fields)) = name.zip(disk.as_object()) else {
                let what =
                    format!("sysstat.hosts[0].statistics[{index}].disk: no `disk_device` with figures");
                trouble.add(whole(0), what, HELP);
                return None;
            };
            let mut figures = Figures::default();
            for (key, value) in fields {
                let Some((column, scale)) = columns::known(key) else { continue };
                match value.as_f64().filter(|figure| *figure >= 0.0) {
                    Some(read) => figures.set(column, read * scale),
                    None => {
                        let what = format!("{name}: `{key}` is {value}, not a number");
                        trouble.add(whole(0), what, HELP);
                    }
                }
            }
            let has_latency =
                [columns::Column::ReadLatency, columns::Column::Latency, columns::Column::Queue]
                    .into_iter()
                    .any(|column| figures.get(column).is_some());
            if !figures.has_rate() || !has_latency {
                let what = format!("{name}: these are not the extended figures: they contain no latency");
                trouble.add(whole(0), what, "run iostat with -x");
            }
            if trouble.is_full() {
                return None;
            }
            report.devices.push((name.to_string(), figures));
        }
        reports.push(report);
    }
    trouble.is_empty().then_some(reports)
}
