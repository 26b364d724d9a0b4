//! Served devices, stage by stage, and the commands that attach them.

use iobound_catalog::Assumption;
use iobound_model::{Blueprint, DiskSpec, LimiterId};
use iobound_units::Span;
use iobound_workload::shell_word;

use super::attach::attach;
use super::live::size_text;
use super::{Device, Serving};
use crate::limit::{limit_figure, limit_title};
use crate::number::time_text;
use crate::page::{Page, Style};
use crate::predict::disks::disks_text;
use crate::table::{Column, Table};

/// The page of the start. Its last line is `ready`.
pub fn emulate_start_text(serving: &Serving<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let resolved = serving.resolved;
    let striped = serving.blueprint.volumes.iter().any(|volume| volume.columns > 1);
    let built =
        if striped { format!(", striped at {}", serving.configuration.interleave) } else { String::new() };
    let (vm, era) = (resolved.vm.full_name(), resolved.era.name());
    page.paragraph(&format!("{vm} with {}{built}, era {era}", disks_text(&resolved.disks, true)));
    page.gap();
    page.list("devices", &devices(serving.devices));
    page.gap();
    limits(serving.blueprint, &mut page);
    page.gap();
    page.list("route", &ways(serving.blueprint));
    if let Some(cache) = &serving.cache {
        page.labelled("cache", cache);
    }
    if let Some(credits) = &serving.credits {
        page.labelled("credits", credits);
    }
    let limit = serving.memory.map(|most| {
        format!("; memory holds at most {}: writes beyond it fail with \"no space\"", size_text(most))
    });
    page.labelled("kept in", &format!("{}{}", serving.backing, limit.unwrap_or_default()));
    page.labelled("transport", &transport(serving));
    for (of, by) in serving.short {
        page.labelled("", &format!("clients see {of} {} longer than modelled", time_text(by.us_f64())));
    }
    if serving.crash {
        page.labelled("at the end", "unwritten data of ReadWrite caches is lost (--crash)");
    }
    for served in serving.fronts {
        page.labelled(served.at.front(), &served.at.place());
    }
    page.labelled("control", &format!("iobound emulate ctl --control {} state", shell_word(serving.control)));
    if let Some(metrics) = serving.metrics {
        page.labelled("metrics", metrics);
    }
    page.list("assumed", &Assumption::sentences(resolved.guesses()));
    page.list("notes", serving.notes);
    for attach in attach(serving.fronts, serving.devices) {
        page.gap();
        page.line(&format!("{}:", attach.title));
        // Lines are copied: they are never broken.
        attach.lines.iter().for_each(|line| page.line(&format!("  {line}")));
    }
    page.gap();
    page.line("ready");
    page.text()
}

/// Volumes each, single disks of a kind together.
fn devices(devices: &[Device]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for device in devices.iter().filter(|device| device.is_volume) {
        let disks = match device.disks {
            1 => "one disk".to_string(),
            n => format!("{n} disks"),
        };
        lines.push(format!("{}  {}, {disks}", device.name, size_text(device.size)));
    }
    let singles: Vec<&Device> = devices.iter().filter(|device| !device.is_volume).collect();
    match singles.as_slice() {
        [] => {}
        [one] => lines.push(format!("{}  {}, a single disk", one.name, size_text(one.size))),
        [first, .., last] => lines.push(format!("{} ... {}  each disk by itself", first.name, last.name)),
    }
    lines
}

fn limits(blueprint: &Blueprint, page: &mut Page) {
    let mut rows: Vec<(String, usize, iobound_model::Dimension, f64, f64)> = Vec::new();
    for limiter in &blueprint.limiters {
        for dimension in iobound_model::Dimension::ALL {
            let Some(limit) = limiter.limit(dimension) else { continue };
            let name = format!("{}.{}", limiter.name.group, dimension.name());
            let published = limit.published as f64;
            let enforced = limit.enforced_micro(limiter.factor) as f64 / 1e6;
            match rows.iter_mut().find(|row| row.0 == name) {
                Some(row) => (row.1, row.3, row.4) = (row.1 + 1, row.3 + published, row.4 + enforced),
                None => rows.push((name, 1, dimension, published, enforced)),
            }
        }
    }
    if rows.is_empty() {
        page.labelled("limits", "none: limits and latencies are off");
        return;
    }
    let mut table =
        Table::new(vec![Column::words("limit"), Column::figures("published"), Column::figures("enforced")]);
    for (name, count, dimension, published, enforced) in rows {
        table.row(vec![
            limit_title(&name, count),
            limit_figure(published, dimension),
            limit_figure(enforced, dimension),
        ]);
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
}

/// The way of each kind of I/O through the stack, of each kind of disk.
fn ways(blueprint: &Blueprint) -> Vec<String> {
    let mut kinds: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for disk in &blueprint.disks {
        let ways = ways_of(disk, blueprint);
        match kinds.iter_mut().find(|(other, _)| *other == ways) {
            Some((_, names)) => names.push(&disk.name),
            None => kinds.push((ways, vec![&disk.name])),
        }
    }
    let several = kinds.len() > 1;
    let mut lines = Vec::new();
    for (ways, names) in kinds {
        let of = match names.as_slice() {
            [first, .., last] => format!("{first} ... {last}: "),
            names => format!("{}: ", names.concat()),
        };
        for way in ways {
            lines.push(if several { format!("{of}{way}") } else { way });
        }
    }
    lines
}

fn ways_of(disk: &DiskSpec, blueprint: &Blueprint) -> Vec<String> {
    let way = |word: &str, limiters: &[LimiterId], end: &str, mean: Span| {
        let mut stages: Vec<String> = Vec::new();
        for limiter in limiters {
            let group = &blueprint.limiters[usize::from(limiter.0)].name.group;
            let title = limit_title(&format!("{group}.throughput"), 1);
            if stages.last() != Some(&title) {
                stages.push(title);
            }
        }
        stages.push(format!("{end} {}", time_text(mean.us_f64())));
        format!("{word}: {}", stages.join(", "))
    };
    let routes = &disk.routes;
    let mut ways = Vec::new();
    let cache = disk.cache.map(|used| (used.mode, &blueprint.caches[usize::from(used.cache.0)]));
    if let Some((_, cache)) = cache {
        ways.push(way("hit", &routes.read_hit, "host cache", cache.hit.mean));
    }
    ways.push(way("read", &routes.read, "media", disk.media.read.mean));
    match cache {
        Some((iobound_model::CacheMode::ReadWrite, cache)) => {
            ways.push(way("write", &routes.write_ack, "host cache", cache.ack.mean));
            ways.push(way("write-back, later", &routes.write_back, "media", disk.media.write.mean));
        }
        _ => ways.push(way("write", &routes.write, "media", disk.media.write.mean)),
    }
    ways
}

fn transport(serving: &Serving<'_>) -> String {
    let costs: Vec<String> = serving
        .fronts
        .iter()
        .filter_map(|served| Some(format!("{} {}", served.at.front(), time_text(served.cost?.us_f64()))))
        .collect();
    match serving.made_up.filter(|made_up| !made_up.is_zero()) {
        None => "nothing is subtracted from latencies".into(),
        Some(made_up) => {
            let measured = if costs.is_empty() { String::new() } else { format!("{}: ", costs.join(", ")) };
            format!("{measured}{} is subtracted from every latency", time_text(made_up.us_f64()))
        }
    }
}
