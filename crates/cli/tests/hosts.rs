//! `--hosts N` of `predict` and `plan`: what the person sees, and what is refused.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{file, json, line, program, ran};
use serde_json::Value;

const PREDICT: &str = "predict --vm DS14 --disk 10xP30 --depth 32 --size 100GiB";
const PLAN: &str = "plan --iops 40000 --block 8KiB --read 70% --capacity 1TiB --candidates 2";

fn number(document: &Value, path: &str) -> f64 {
    document.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {document:#}"))
}

#[test]
fn one_host_is_no_cluster() {
    for question in [PREDICT, PLAN] {
        for more in ["", " --json"] {
            assert_eq!(
                line(&format!("{question}{more} --hosts 1")).out,
                line(&format!("{question}{more}")).out,
                "{question}{more}"
            );
        }
    }
}

#[test]
fn the_figures_beside_a_cluster_are_those_of_one_host() {
    let (one, mut all) = (
        json(&line(&format!("{PREDICT} --region westeurope --json"))),
        json(&line(&format!("{PREDICT} --region westeurope --hosts 12 --slow-host 50% --json"))),
    );
    let cluster = all.as_object_mut().unwrap().remove("cluster").expect("twelve hosts are one");
    for (key, value) in all.as_object().unwrap() {
        if key != "assumed" {
            assert_eq!(value, &one[key], "{key}");
        }
    }
    // Figures are rounded to two decimals, after they are added up.
    for path in ["/expected/iops", "/expected/low_iops", "/expected/high_iops", "/ceiling/iops"] {
        assert!((number(&cluster, path) - 12.0 * number(&one, path)).abs() <= 12.0 * 0.005 + 0.005, "{path}");
    }
    assert!((number(&cluster, "/price/month") - 12.0 * number(&one, "/price/month")).abs() < 0.1);
    // 12 x 100 GiB; half a host costs a scan six of twelve.
    assert_eq!(cluster["scan"]["data_bytes"], (12u64 * 100) << 30);
    assert_eq!(cluster["scan"]["slow_host"]["from"], "asked");
    assert_eq!(cluster["scan"]["slow_host"]["lost_hosts"], 6);
    assert!(number(&cluster, "/slowest/iops") < number(&one, "/expected/iops"));
}

#[test]
fn the_screen_says_what_adds_up_and_what_waits() {
    let out = line(&format!("{PREDICT} --hosts 12 --slow-host 50%")).out;
    for part in [
        "cluster   12 hosts",
        "sums, for queries that wait for no other host",
        "slowest ",
        "1200 GiB: ",
        "when it waits for the slowest",
        "a host at 50 %",
        "worth 6 of 12 hosts; independent queries lose 4 %",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&out).contains(&words(part)), "{part} is not in\n{out}");
    }
    let bound = line("predict --vm DS14 --disk P30 --depth 256 --hosts 4").out;
    assert!(bound.contains("a scan loses nothing; --slow-host 50%"), "{bound}");
}

#[test]
fn stages_have_a_cluster_each() {
    let document =
        json(&line("predict --vm E32bds_v5 --disk 8xP40 --preset greenplum-scan --hosts 4 --json"));
    let stages = document["stages"].as_array().expect("it writes, and reads");
    assert!(stages.iter().all(|stage| stage["cluster"]["hosts"] == 4));
    assert_eq!(stages[0]["cluster"], document["cluster"]);
    // A buffered scan reads two widths of the stripe ahead, 2 x 8 x 64 KiB, and has two of these windows in flight.
    let scan = "predict --vm E32bds_v5 --disk 8xP40 --sequential --read 100% --block 1MiB --depth 2 --json";
    let oracle = json(&line(scan))["expected"]["throughput_bytes_per_s"].as_f64().unwrap();
    let reads = stages[1]["expected"]["throughput_bytes_per_s"].as_f64().unwrap();
    assert!((reads / oracle - 1.0).abs() < 0.01, "{reads} {oracle}");
}

#[test]
fn flag_environment_and_file_say_how_many() {
    let config = file(
        "hosts.toml",
        "[machine]\nvm = \"DS14\"\nhosts = 8\nslow-host = \"50%\"\n\n[[disk]]\ndisk = \"10xP30\"\n",
    );
    let with = |environment: &[(&str, &str)], more: &[&str]| {
        let mut program = program();
        program.args(["predict", "--config", &config, "--json", "--depth", "32"]).args(more);
        program.envs(environment.iter().copied());
        json(&ran(program.output().unwrap()))
    };
    assert_eq!(with(&[], &[])["cluster"]["hosts"], 8);
    assert_eq!(with(&[], &[])["cluster"]["scan"]["slow_host"]["share"], 0.5);
    assert_eq!(with(&[("IOBOUND_HOSTS", "4")], &[])["cluster"]["hosts"], 4);
    assert_eq!(with(&[("IOBOUND_HOSTS", "4")], &["--hosts", "2"])["cluster"]["hosts"], 2);
    // One host alone: a slow one, which a file says for other questions too, changes nothing.
    let alone = with(&[], &["--hosts", "1"]);
    assert!(alone.get("cluster").is_none());
    let notes = alone["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("waits for no other")), "{notes:?}");
    let shown = with(&[], &["--show-config", "--hosts", "3"]);
    assert!(shown.to_string().contains("\"hosts\""), "{shown}");
}

#[test]
fn what_is_no_number_of_hosts_is_refused_with_what_is() {
    for (question, words, says, help) in [
        (PREDICT, "--hosts 0", "--hosts", "1 to 100,000"),
        (PREDICT, "--hosts=-1", "--hosts", ""),
        (PREDICT, "--hosts x", "--hosts", ""),
        (PREDICT, "--hosts 1000000000", "--hosts", "1 to 100,000"),
        (PREDICT, "--hosts 99999999999999999999999", "--hosts", ""),
        (PREDICT, "--hosts 4..16", "is a range", "write one"),
        (PREDICT, "--hosts 8 --slow-host 0", "--slow-host", "50%"),
        (PREDICT, "--hosts 8 --slow-host 150%", "--slow-host", "between 0 and 100"),
        (PREDICT, "--slow-host 50%", "one host", "--hosts 8"),
        (PLAN, "--hosts 0", "--hosts", "1 to 100,000"),
        (PLAN, "--hosts 16..4", "is an empty range", "lower bound first"),
        (PLAN, "--hosts 1..65", "65 numbers", "64"),
        (PLAN, "--hosts 1..18446744073709551615", "--hosts", "1 to 100,000"),
        (PLAN, "--slow-host 50%", "one host", "--hosts 8"),
        (
            "plan --iops 1000..2000 --capacity 1TiB",
            "--hosts 2..4",
            "are both ranges: only one may be",
            "--hosts 4",
        ),
    ] {
        let ran = line(&format!("{question} {words}"));
        assert_eq!(ran.code, 2, "{words}: {}", ran.err);
        assert!(
            ran.err.contains(says) && ran.err.contains(help) && ran.out.is_empty(),
            "{words}: {}",
            ran.err
        );
    }
}

#[test]
fn as_many_hosts_as_can_be_are_computed_and_not_overrun() {
    let predicted =
        json(&line("predict --vm DS14 --disk 32xP80 --depth 64 --hosts 100000 --region westeurope --json"));
    assert!(number(&predicted, "/cluster/expected/iops") > 100_000.0);
    let planned = json(&line(&format!("{PLAN} --hosts 100000 --json")));
    // One I/O a second each.
    assert_eq!(planned["cluster"]["need"]["data"]["iops"], 1);
    let one = number(&planned, "/candidates/0/cluster/host/month");
    assert!((number(&planned, "/candidates/0/price/month") / (one * 1e5) - 1.0).abs() < 1e-3);
}

#[test]
fn a_plan_for_several_hosts_is_of_all_of_them() {
    let (all, part) = (
        json(&line(&format!("{PLAN} --hosts 4 --json"))),
        json(&line("plan --iops 10000 --block 8KiB --read 70% --capacity 256GiB --candidates 2 --json")),
    );
    assert_eq!(
        (&all["need"]["data"]["iops"], &all["cluster"]["need"]["data"]["iops"]),
        (&40_000.into(), &10_000.into())
    );
    for (all, part) in
        all["candidates"].as_array().unwrap().iter().zip(part["candidates"].as_array().unwrap())
    {
        assert_eq!(all["configuration"], part["configuration"]);
        for path in
            ["/price/month", "/predicted/delivers/iops", "/predicted/ceiling/iops", "/predicted/at_rate/iops"]
        {
            assert!((number(all, path) - 4.0 * number(part, path)).abs() <= 0.03, "{path}");
        }
        for path in ["/price/per_1000_iops", "/price/per_mb_per_s", "/predicted/at_rate/latency_us/p99"] {
            assert_eq!(all.pointer(path), part.pointer(path), "{path}");
        }
        assert_eq!(all["cluster"]["host"]["iops"], part["predicted"]["delivers"]["iops"]);
    }
    let frontier = |document: &Value, key: &str| -> Vec<f64> {
        document["frontier"].as_array().unwrap().iter().map(|point| number(point, key)).collect()
    };
    for key in ["/iops", "/month"] {
        for (all, part) in frontier(&all, key).iter().zip(frontier(&part, key)) {
            assert!((all - 4.0 * part).abs() <= 0.03, "{key}");
        }
    }
}

#[test]
fn a_plan_says_how_many_hosts_of_what_and_what_each_number_costs() {
    let out = line(&format!("{PLAN} --hosts 2..5 --slow-host 50%")).out;
    for part in
        ["equal hosts, each", "a host with 50 % of its limits", " x ", "USD a host", "  hosts     2: "]
    {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let document = json(&line(&format!("{PLAN} --hosts 2..5 --slow-host 50% --json")));
    let months: Vec<f64> =
        document["cluster"]["by_hosts"].as_array().unwrap().iter().map(|on| number(on, "/month")).collect();
    let least = months.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!((months.len(), least), (4, number(&document, "/candidates/0/price/month")));
    assert!(number(&document, "/candidates/0/cluster/scan/iops") >= 40_000.0);
}

#[test]
fn a_range_of_needs_is_of_all_hosts_too() {
    let document = json(&line("plan --iops 20000..40000 --capacity 1TiB --candidates 1 --hosts 4 --json"));
    let regret = document["regret"].as_array().unwrap();
    for design in regret {
        assert!((20_000.0..=40_000.0 + 4.0).contains(&number(design, "/iops")), "{design}");
    }
    assert_eq!(document["need"]["data"]["iops"], regret[0]["iops"]);
}

#[test]
fn what_builds_a_candidate_builds_one_host() {
    let out = line(&format!("{PLAN} --hosts 4 --build 1")).out;
    assert!(out.contains("rate = \"10000iops\"") && out.contains(" --hosts 4\n"), "{out}");
}
