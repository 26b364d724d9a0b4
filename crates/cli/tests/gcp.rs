//! Google Cloud in every verb: predicted, planned, built, explained, imported.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{file, json, line, run};
use serde_json::Value;

/// The ceiling of a line of `predict`: IOPS, and MiB/s.
fn ceiling(words: &str) -> (f64, f64) {
    let document = json(&line(&format!("predict {words} --json")));
    let of = |key: &str| document["ceiling"][key].as_f64().unwrap();
    (of("iops").round(), (of("throughput_bytes_per_s") / 1_048_576.0).round())
}

#[test]
fn ceilings_are_those_of_the_documentation() {
    let small = "--block 4KiB --read 100 --depth 512";
    let large = "--block 256KiB --read 100 --depth 512";
    for (vm, disk, iops, mib) in [
        ("n2-standard-8", "pd-balanced@100GiB", 3_600.0, 168.0),
        ("n2-standard-8", "pd-standard@100GiB", 75.0, 12.0),
        // 25,000 of 36,000 IOPS; 720 of 1,200 MiB/s.
        ("n2-standard-16", "pd-ssd@1000GiB", 25_000.0, 720.0),
        ("c4d-standard-384", "hyperdisk-balanced@320GiB+160000iops+2400MiB/s", 160_000.0, 2_400.0),
    ] {
        assert_eq!(ceiling(&format!("--vm {vm} --disk {disk} {small}")).0, iops, "{disk}");
        assert_eq!(ceiling(&format!("--vm {vm} --disk {disk} {large}")).1, mib, "{disk}");
    }
    // SSDs read and write at full throughput at once; the IOPS are shared.
    let both = "--block 256KiB --read 50 --depth 512";
    assert_eq!(ceiling(&format!("--vm n2-standard-16 --disk pd-ssd@1000GiB {both}")).1, 1_440.0);
    // With narrower interleaves each large I/O is several I/Os of 64 KiB, and the IOPS bind.
    let six = "--vm c4d-standard-384 --disk 6xhyperdisk-balanced@1TiB+9600iops+2400MiB/s --stripe 256KiB";
    assert_eq!(ceiling(&format!("{six} {large}")).1, 12_500.0);
    let two = "--vm c4d-standard-96 --disk 2xhyperdisk-balanced@1TiB+9600iops+2400MiB/s --stripe 256KiB";
    assert_eq!(ceiling(&format!("{two} {large}")).1, 3_125.0);
    assert_eq!(ceiling(&format!("{two} {large} --era 2026-07-01")).1, 2_800.0);
}

#[test]
fn googles_own_benchmark_reaches_the_limits_and_its_latency_test_none() {
    let ran = line("predict --vm n2-standard-32 --disk pd-ssd@2500GiB --preset google-pd --duration 2s");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let stages: Vec<&str> = ran.out.split("stage ").filter(|stage| stage.contains(" of 6\n")).collect();
    let told = ["1,200 IOPS", "60,000 IOPS", "queue depth"];
    assert_eq!(stages.len(), 6, "{}", ran.out);
    for (stage, told) in stages.iter().zip(told.iter().cycle()) {
        assert!(stage.contains(told), "{told}: {stage}");
    }
}

#[test]
fn unknown_limits_are_refused_with_the_reason() {
    let ran = line("predict --vm c3-standard-8 --disk hyperdisk-balanced@100GiB");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no page that can be read") && ran.err.contains("hyperdisk_balanced_iops"),
        "{ran:?}"
    );
}

fn plan(words: &str) -> Value {
    json(&line(&format!("plan {words} --json")))
}

#[test]
fn a_plan_of_google_is_built_with_its_own_tools() {
    let plan =
        plan("--iops 20000 --block 8KiB --read 70% --capacity 1TiB --cloud gcp --candidates 1 --build 1");
    let vm = plan["candidates"][0]["configuration"]["vm"].as_str().unwrap();
    assert!(vm.contains('-'), "{vm}");
    let build = plan["build"].to_string();
    for part in [
        "gcloud compute instances create",
        "gcloud compute disks create",
        "google_compute_disk",
        "google_compute_attached_disk",
        "/dev/disk/by-id/google-data-",
        "us-central1-a",
    ] {
        assert!(build.contains(part), "{part}: {build}");
    }
}

#[test]
fn a_plan_in_two_zones_takes_regional_disks() {
    let need = "--iops 5000 --block 8KiB --read 70% --capacity 500GiB --cloud gcp --redundancy zrs --candidates 2 --build 1";
    let plan = plan(need);
    for candidate in plan["candidates"].as_array().unwrap() {
        let disk = candidate["configuration"]["disks"][0].as_str().unwrap();
        assert!(disk.contains("-regional@") || disk.contains("hyperdisk-balanced-ha"), "{disk}");
    }
    let build = plan["build"].to_string();
    assert!(build.contains("--replica-zones") && build.contains("google_compute_region_disk"), "{build}");
}

#[test]
fn a_plan_of_three_clouds_takes_the_cheapest() {
    let need = "--iops 5000 --block 8KiB --read 70% --capacity 500GiB --candidates 1";
    let price = |clouds: &str| {
        let plan = plan(&format!("{need} --cloud {clouds}"));
        plan["candidates"][0]["price"]["month"].as_f64().unwrap()
    };
    let least = ["azure", "aws", "gcp"].map(price).into_iter().fold(f64::INFINITY, f64::min);
    assert!((price("azure,aws,gcp") - least).abs() < 0.01);
}

#[test]
fn cloud_monitoring_explains_a_full_pool() {
    let point = |minute: u32| {
        format!(
            r#"{{"interval": {{"startTime": "2026-11-25T10:{:02}:00Z", "endTime": "2026-11-25T10:{minute:02}:00Z"}}, "value": {{"int64Value": "216000"}}}}"#,
            minute - 1
        )
    };
    let points: Vec<String> = (1..11).map(point).collect();
    let series = |metric: &str, scale: &str| {
        format!(
            r#"{{"metric": {{"type": "compute.googleapis.com/instance/disk/{metric}", "labels": {{"device_name": "data"}}}},
                "metricKind": "DELTA", "points": [{}]}}"#,
            points.join(",").replace("216000", scale)
        )
    };
    // 3,600 reads a second of 8 KiB: all that 100 GiB of pd-balanced have.
    let text = format!(
        r#"{{"timeSeries": [{}, {}, {}]}}"#,
        series("read_ops_count", "216000"),
        series("write_ops_count", "0"),
        series("read_bytes_count", "1769472000")
    );
    let path = file("cloud-monitoring.json", &text);
    let words = [
        "explain",
        "--vm",
        "n2-standard-8",
        "--disk",
        "data=pd-balanced@100GiB",
        "--result",
        &path,
        "--json",
    ];
    let document = json(&run(&words));
    assert_eq!(document["findings"][0]["rule"], "disk-iops", "{}", document["findings"]);
}

/// A series of the API in counts of a minute: the metric, its reason for throttling, and the count of each minute.
fn counts(metric: &str, reason: &str, counts: [u32; 4]) -> String {
    let points: Vec<String> = (1..)
        .zip(counts)
        .map(|(minute, count)| {
            format!(
                r#"{{"interval": {{"startTime": "2026-11-25T10:0{}:00Z", "endTime": "2026-11-25T10:0{minute}:00Z"}}, "value": {{"int64Value": "{count}"}}}}"#,
                minute - 1
            )
        })
        .collect();
    format!(
        r#"{{"metric": {{"type": "compute.googleapis.com/instance/disk/{metric}", "labels": {{"device_name": "data",
            "throttle_reason": "{reason}"}}}}, "metricKind": "DELTA", "points": [{}]}}"#,
        points.join(", ")
    )
}

#[test]
fn throttled_ios_of_cloud_monitoring_are_evidence() {
    let explained = |name: &str, reason: &str, held: [u32; 4]| {
        // 500 reads a second: far below every limit.
        let series = [
            counts("read_ops_count", "", [30_000; 4]),
            counts("write_ops_count", "", [0; 4]),
            counts("read_bytes_count", "", [245_760_000; 4]),
            counts("throttled_read_ops_count", reason, held),
        ];
        let path = file(name, &format!(r#"{{"timeSeries": [{}]}}"#, series.join(", ")));
        let disk = ["--disk", "data=pd-balanced@100GiB", "--result", &path, "--json"];
        json(&run(&[&["explain", "--vm", "n2-standard-8"][..], &disk].concat()))
    };
    for (name, reason, rule, confidence) in [
        ("held-by-vm.json", "PER_VM", "vm-uncached-iops", "strong"),
        ("held-by-disk.json", "PER_GB", "disk-iops", "strong"),
        ("held.json", "", "throttled", "likely"),
    ] {
        let document = explained(name, reason, [600, 0, 1_200, 0]);
        let first = &document["findings"][0];
        assert_eq!((&first["rule"], &first["confidence"]), (&rule.into(), &confidence.into()), "{first}");
        assert!(first.to_string().contains("2 of 4 intervals"), "{first}");
        assert!(first.to_string().contains("up to 20 reads a second"), "{first}");
    }
    let none = explained("not-held.json", "PER_VM", [0; 4]);
    assert_ne!(none["findings"][0]["rule"], "vm-uncached-iops");
    assert!(none["notes"].to_string().contains("nothing was throttled in 4 intervals"), "{none}");
}

#[test]
fn throttled_ios_of_a_device_outside_of_the_configuration_are_a_note() {
    let label = r#""device_name": "data","#;
    let throttled = ["read", "write"].map(|of| {
        let metric = format!("throttled_{of}_ops_count");
        counts(&metric, "", [600; 4]).replace(label, r#""device_name": "nosuch","#)
    });
    // Beside the metrics of a disk, and beside those of the whole machine.
    for (name, own) in [("held-elsewhere.json", label), ("held-of-all.json", "")] {
        let rates = [("read_ops_count", 30_000), ("write_ops_count", 0), ("read_bytes_count", 245_760_000)];
        let rates = rates.map(|(metric, count)| counts(metric, "", [count; 4]).replace(label, own));
        let text = format!(r#"{{"timeSeries": [{}]}}"#, [&rates[..], &throttled].concat().join(", "));
        let disk = ["--disk", "data=pd-balanced@100GiB", "--result", &file(name, &text), "--json"];
        let document = json(&run(&[&["explain", "--vm", "n2-standard-8"][..], &disk].concat()));
        assert!(!document["findings"].to_string().contains("nosuch"), "{}", document["findings"]);
        let notes = document["notes"].to_string();
        assert!(notes.contains("2 throttle metrics of nosuch"), "{notes}");
    }
}

#[test]
fn an_error_of_cloud_monitoring_is_shown() {
    let text = r#"{"error": {"code": 403, "message": "Permission denied on project p", "status": "PERMISSION_DENIED"}}"#;
    let path = file("denied.json", text);
    let disk = ["--disk", "pd-balanced@100GiB", "--result", &path];
    let ran = run(&[&["explain", "--vm", "n2-standard-8"][..], &disk].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("403 PERMISSION_DENIED: Permission denied on project p"), "{}", ran.err);
}

#[test]
fn a_plan_states_what_it_guesses_once_and_names_regional_disks() {
    let need = "plan --iops 5000 --block 8KiB --read 70% --capacity 500GiB --candidates 3";
    let google = line(&format!("{need} --cloud gcp --redundancy zrs --wide"));
    for text in ["Google publishes nothing on how limits are enforced", "No page has a measured latency"] {
        assert_eq!(google.out.matches(text).count(), 1, "{text}: {}", google.out);
    }
    assert!(google.out.contains("limiters: a bucket of 1 s; enforcement of "), "{}", google.out);
    assert!(google.out.contains("1 x pd-balanced-regional 500 GiB"), "{}", google.out);
    let azure = line(&format!("{need} --cloud azure --wide"));
    let said = "algorithm of azure-vm limiters: slices of 50 ms (assumption: not published";
    assert_eq!(azure.out.matches(said).count(), 1, "{}", azure.out);
    let aws = line(&format!("{need} --cloud aws --wide"));
    assert!(!aws.out.contains("limiters: "), "{}", aws.out);
}

#[test]
fn a_goal_that_is_missed_only_by_an_assumed_latency_is_unknown() {
    // 2 ms are assumed, from 0.5 to 3.
    let need = "plan --cloud gcp --iops 3000 --capacity 500GiB --latency";
    let unknown = line(&format!("{need} p99:1ms"));
    assert_eq!(unknown.code, 1, "{unknown:?}");
    let words = unknown.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    for text in [
        "unknown if bought disks meet the goal: their latency is assumed",
        "ms with the assumed latency of its disks",
        "none of which is known to meet the goal",
        "No page has a measured latency",
    ] {
        assert_eq!(words.matches(text).count(), 1, "{text}: {words}");
    }
    assert!(!words.contains("nothing"), "{words}");
    let document = |goal: &str| -> Value {
        serde_json::from_str(&line(&format!("{need} {goal} --json")).out).expect("a document")
    };
    assert_eq!(document("p99:1ms")["miss"]["nearest"]["rule"], "latency_unknown");
    // No latency in the assumed range is as short, which the assumption says.
    let unmet = document("p99:0.1ms");
    assert_eq!(unmet["miss"]["nearest"]["rule"], "latency", "{}", unmet["miss"]);
    assert!(unmet["assumed"].to_string().contains("No page has a measured latency"), "{unmet}");
}

#[test]
fn a_guessed_latency_is_stated_with_its_effect_where_figures_follow_from_it() {
    let of = "predict --vm n2-standard-16 --disk pd-ssd-regional@500GiB";
    let bound_by_depth = line(&format!("{of} --depth 4"));
    let text = bound_by_depth.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    let said = "media SSD Persistent Disk read 2 ms (500 µs to 3 ms), which is not measured: the band shows its effect";
    assert_eq!(text.matches(said).count(), 1, "{text}");
    assert!(text.contains("1 x pd-ssd-regional@500GiB"), "{text}");
    let wide = line(&format!("{of} --depth 4 --wide"));
    assert_eq!(wide.out.matches("No page has a measured latency").count(), 1, "{}", wide.out);
    let path = file(
        "low-rate.json",
        &format!(r#"{{"timeSeries": [{}]}}"#, counts("read_ops_count", "", [30_000; 4])),
    );
    let disk = ["--disk", "data=pd-balanced@100GiB", "--result", &path];
    let explained = run(&[&["explain", "--vm", "n2-standard-8"][..], &disk, &["--json"]].concat());
    assert_eq!(explained.out.matches("No page has a measured latency").count(), 1, "{explained:?}");
}

#[test]
fn types_of_hyperdisk_are_counted_together_in_every_verb() {
    let disks = "--disk 16xhyperdisk-balanced@100GiB --disk log=17xhyperdisk-throughput@2TiB";
    for verb in ["predict", "emulate --nbd unix:nowhere.sock", "explain --observed iops=1000"] {
        let ran = line(&format!("{verb} --vm c3-standard-8 {disks}"));
        assert_eq!(ran.code, 2, "{verb}: {ran:?}");
        assert!(ran.err.contains("at most 32 of all its types together"), "{verb}: {}", ran.err);
    }
}

#[test]
fn a_lab_of_published_figures_of_google_is_explained() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/google-published.toml");
    let ran = run(&["lab", path, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document = json(&ran);
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for row in runs {
        assert_eq!(row["verdict"], "explained", "{}: {}", row["name"], row["expected"]);
    }
    let text = run(&["lab", path]).out.split_whitespace().collect::<Vec<&str>>().join(" ");
    // The VM's limit binds, in a column of its own width, and not the disk's.
    assert!(text.contains("25,000 25,000 VM yes"), "{text}");
    assert!(text.contains("n2-standard-8 pd-ssd-regional@100GiB"), "{text}");
    assert_eq!(text.matches("No page has a measured latency").count(), 1, "{text}");
    let page = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("google-published.html");
    let _ = std::fs::remove_file(&page);
    let ran = run(&["lab", path, "--html", page.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("pd-ssd-regional@100GiB") && html.contains("half duplex"));
}

#[test]
fn machine_types_are_imported() {
    let list = r#"[{"kind": "compute#machineType", "name": "n9-standard-4", "guestCpus": 4, "memoryMb": 16384,
        "maximumPersistentDisks": 128, "zone": "us-central1-b"}]"#;
    let document =
        json(&run(&["catalog", "import", &file("gcloud.json", list), "--as-of", "2026-11-20", "--json"]));
    assert_eq!((&document["sizes"], &document["added"][0]), (&1.into(), &"n9-standard-4".into()));
    assert_eq!(document["files"][0]["sizes"], 1);
}
