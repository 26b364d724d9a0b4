//! Rows of the lab that belong together: each starts from another, and those can stand on one axis.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::value::{at, list, number, text};

/// Rows that start from one another, in the order of the experiment. A row of a sweep starts from the one before it.
pub(super) fn families(runs: &[Value]) -> Vec<Vec<&Value>> {
    let mut families: Vec<Vec<&Value>> = Vec::new();
    let mut of_row: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        let is_of_sweep = text(run, "from").is_empty() && !text(run, "changed").is_empty();
        let before = families.len().checked_sub(1).filter(|_| is_of_sweep);
        let family = of_row.get(text(run, "from")).copied().or(before).unwrap_or(families.len());
        if family == families.len() {
            families.push(Vec::new());
        }
        of_row.insert(text(run, "name"), family);
        families[family].push(run);
    }
    families
}

/// `E6 to E9-second`.
pub(super) fn title(family: &[&Value]) -> String {
    let name = |run: Option<&&Value>| run.map_or("", |run| text(run, "name")).to_string();
    match family {
        [_] => name(family.first()),
        _ => format!("{} to {}", name(family.first()), name(family.last())),
    }
}

/// True if the rows' published figures are throughput, and not IOPS.
pub(super) fn is_of_throughput(family: &[&Value]) -> bool {
    let only = |run: &&&Value| {
        number(run, "published.iops").is_none() && number(run, "published.throughput_bytes_per_s").is_some()
    };
    let published = family.iter().filter(|run| !at(run, "published").is_null()).count();
    published > 0 && family.iter().filter(only).count() * 2 > published
}

/// Rows that differ in what is outstanding and in nothing else, three of them or more, in order of it.
pub(super) fn by_depth(runs: &[Value]) -> Vec<Vec<&Value>> {
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for run in runs.iter().filter(|run| number(run, "outstanding").is_some()) {
        groups.entry(without_depth(run)).or_default().push(run);
    }
    let outstanding = |run: &Value| number(run, "outstanding").unwrap_or(0.0);
    let mut curves: Vec<Vec<&Value>> = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by(|one, other| outstanding(one).total_cmp(&outstanding(other)));
        group.dedup_by(|one, other| outstanding(one) == outstanding(other));
        if group.len() > 2 {
            curves.push(group);
        }
    }
    let place = |group: &Vec<&Value>| runs.iter().position(|run| text(run, "name") == text(group[0], "name"));
    curves.sort_by_key(place);
    curves
}

/// All that a row is but what is outstanding.
fn without_depth(run: &Value) -> String {
    let of_workload = text(run, "workload.toml");
    let kept = of_workload.lines().filter(|line| {
        let key = line.split('=').next().unwrap_or_default().trim();
        !["depth", "threads"].contains(&key)
    });
    // A sweep over disks leaves the configuration's words unchanged.
    let disks: Vec<&str> = list(run, "disks").iter().map(|disk| text(disk, "name")).collect();
    format!("{}\n{}\n{}", at(run, "configuration"), disks.join(" "), kept.collect::<Vec<&str>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_that_start_from_one_another_are_a_family() {
        let runs =
            [("E1", "", ""), ("E2", "E1", "disks 1 -> 2"), ("E6", "", ""), ("E3", "E2", "disks 2 -> 3")]
                .map(|(name, from, changed)| json!({ "name": name, "from": from, "changed": changed }));
        let families = families(&runs);
        let names: Vec<Vec<&str>> =
            families.iter().map(|family| family.iter().map(|run| text(run, "name")).collect()).collect();
        assert_eq!(names, [vec!["E1", "E2", "E3"], vec!["E6"]]);
        assert_eq!(title(&families[0]), "E1 to E3");
        let sweep = [("a-1", ""), ("a-2", "disks 1 -> 2"), ("b-1", "")]
            .map(|(name, changed)| json!({ "name": name, "from": null, "changed": changed }));
        assert_eq!(super::families(&sweep).iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_curve_of_depth_is_of_rows_that_differ_in_nothing_else() {
        let run = |name: &str, vm: &str, depth: u64| {
            let toml = format!("[[job]]\nblock = \"4KiB\"\ndepth = {depth}\n");
            json!({ "name": name, "configuration": { "vm": vm }, "outstanding": depth, "workload": { "toml": toml } })
        };
        let runs =
            [run("c", "A", 64), run("a", "A", 1), run("b", "A", 8), run("x", "B", 2), run("y", "B", 4)];
        let curves = by_depth(&runs);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].iter().map(|run| text(run, "name")).collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
