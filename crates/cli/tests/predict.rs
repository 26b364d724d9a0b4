//! `iobound predict`: the answer, in text and in JSON.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{file, json, line, program, ran, run};
use serde_json::Value;

/// The experiment of Petri's "50,000 IOPS with an Azure VM: Is It Possible?", as the contract shows it.
const EXAMPLE: [&str; 7] =
    ["predict", "--vm", "DS14", "--disk", "10xP30", "--diskspd", "-b4K -d60 -h -o8 -t4 -si -c50000M"];

fn example(more: &[&str]) -> Vec<&'static str> {
    let more: Vec<&'static str> =
        more.iter().map(|word| &*Box::leak(word.to_string().into_boxed_str())).collect();
    EXAMPLE.iter().copied().chain(more).collect()
}

fn number(document: &Value, path: &str) -> f64 {
    document.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {document:#}"))
}

fn near(found: f64, oracle: f64, within: f64) {
    assert!((found / oracle - 1.0).abs() <= within, "{found}, not {oracle} within {within}");
}

#[test]
fn ten_p30_at_32_outstanding_are_bound_by_queue_depth() {
    let document = json(&run(&example(&["--json"])));
    // 32 outstanding / 2.1 ms (typical media of Premium SSD) = 15,238; the model's own band is 32 / 3.0 ms and 32 / 1.5 ms.
    near(number(&document, "/expected/iops"), 32.0 / 0.002_1, 0.01);
    near(number(&document, "/expected/band/mechanism_low_iops"), 32.0 / 0.003, 0.01);
    near(number(&document, "/expected/band/mechanism_high_iops"), 32.0 / 0.001_5, 0.01);
    assert_eq!(document["expected"]["band"]["regime"], "depth");
    assert_eq!(document["expected"]["band"]["coverage"]["claimed"], 0.8);
    assert!(number(&document, "/expected/band/coverage/runs") >= 10.0);
    // 10 x 5,000 x 1.02.
    assert_eq!(document["ceiling"]["iops"], 51_000);
    assert_eq!(document["ceiling"]["throughput_bytes_per_s"], 51_000 * 4_096);
    assert_eq!(document["binding"], "queue_depth");
    assert_eq!(document["burst"], Value::Null);
    // 51,000 x 2.1 ms = 107.1 outstanding: 27 on each of four threads.
    assert_eq!((&document["knee"]["depth"], &document["knee"]["threads"]), (&27.into(), &4.into()));
    near(number(&document, "/latency_us/mean"), 2_100.0, 0.01);
    let all: f64 = document["disks"].as_array().unwrap().iter().map(|disk| number(disk, "/iops")).sum();
    near(all, number(&document, "/expected/iops"), 0.01);
}

#[test]
fn the_screen_says_what_is_expected_and_what_binds() {
    let ran = run(&EXAMPLE);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let has = |part: &str| assert!(ran.out.contains(part), "{part} is not in\n{}", ran.out);
    has("4 KiB shared-sequential read, 4 x 8 = 32 outstanding");
    has("10 x P30 (cache none)");
    has("ceiling   51,000 IOPS   208.9 MB/s");
    has("BOUND BY  queue depth: the application keeps 32 I/Os in flight at 2.1 ms each; 108 would reach");
    has("51,000 IOPS; every limit is below 31 %");
    has("VM uncached IOPS     51,200      52,224  29 %  ######");
    has("knee      108 outstanding (-o27 -t4): 51,000");
    has("media Premium SSD read 2.10 ms (1.50 ms to 3 ms)");
    has("closed loop");
}

#[test]
fn the_line_of_what_binds_adds_up_all_that_bind() {
    let data_and_log = "predict --vm E8bs_v5:SCSI --disk data=8xpremiumv2@512GiB --disk log=premiumv2@256GiB --block 8KiB --read 70% --depth 64";
    let ran = line(data_and_log);
    assert!(ran.out.contains("27,540 enforced") && !ran.out.contains("24,480 enforced"), "{}", ran.out);
    let ran =
        line("predict --vm E8bs_v5:SCSI --disk 10xpremiumv2@512GiB --block 8KiB --read 70% --depth 100");
    assert!(
        ran.out.contains("BOUND BY  VM uncached IOPS: Standard_E8bs_v5:SCSI, 30,070 enforced"),
        "{}",
        ran.out
    );
}

#[test]
fn a_rate_that_is_divided_is_noted() {
    let both = "predict --vm D8s_v5 --disk data=2xP30 --disk log=P20 --rate 2000iops";
    let words: Vec<String> = line(both).out.split_whitespace().map(str::to_string).collect();
    let said = words.join(" ");
    assert!(said.contains("divided equally among 2 volumes: data, log"), "{said}");
    let one = line("predict --vm D8s_v5 --disk data=2xP30 --rate 2000iops");
    assert!(!one.out.contains("divided equally"), "{}", one.out);
}

#[test]
fn a_preset_is_changed_in_a_file_of_its_jobs() {
    let ran = line("predict --vm D8s_v5 --disk 2xP30 --preset sqlserver-oltp --cap 5000iops");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("iobound catalog show sqlserver-oltp") && !ran.err.contains("--cooldown"),
        "{}",
        ran.err
    );
}

#[test]
fn a_document_has_the_keys_that_scripts_rely_on() {
    let document = json(&run(&example(&["--json"])));
    for path in [
        "/schema",
        "/ceiling/iops",
        "/ceiling/throughput_bytes_per_s",
        "/expected/iops",
        "/expected/low_iops",
        "/expected/high_iops",
        "/expected/throughput_bytes_per_s",
        "/latency_us/mean",
        "/latency_us/p50",
        "/latency_us/p90",
        "/latency_us/p95",
        "/latency_us/p99",
        "/latency_us/max",
        "/binding",
        "/limits/0/name",
        "/limits/0/limit",
        "/limits/0/enforced",
        "/limits/0/used",
        "/limits/0/held_us",
        "/burst",
        "/knee/depth",
        "/knee/threads",
        "/knee/iops",
        "/volumes/0/iops",
        "/volumes/0/throughput_bytes_per_s",
        "/disks/9/iops",
        "/disks/9/throughput_bytes_per_s",
        "/assumed/0",
        "/configuration/vm",
        "/workload/jobs/0/description",
    ] {
        assert!(document.pointer(path).is_some(), "{path}");
    }
    assert_eq!(document["schema"], "iobound.predict/2");
    assert!(document["notes"].is_array() && document["binding"].is_string());
    assert!(document["assumed"].as_array().unwrap().iter().all(Value::is_string));
}

#[test]
fn figures_are_whole_where_they_are_whole() {
    // 51,000 at a full disk limit is a sum of tenths of slices in floating point.
    let out = line("predict --vm DS14 --disk 10xP30 --depth 1024 --json").out;
    assert!(out.contains("\"enforced\": 51000,") && out.contains("\"iops\": 51000,"), "{out}");
    assert!(!out.contains(".0,") && !out.contains("99999"), "{out}");
}

#[test]
fn the_same_question_and_seed_give_the_same_bytes() {
    for more in [vec!["--json"], vec![], vec!["--seed", "7", "--json", "--wide"]] {
        assert_eq!(run(&example(&more)).out, run(&example(&more)).out);
    }
    assert_ne!(run(&example(&["--json"])).out, run(&example(&["--json", "--seed", "7"])).out);
}

#[test]
fn no_line_is_wider_than_a_screen_of_100_or_60_columns() {
    let questions = [
        "predict --vm DS14 --disk 10xP30 --depth 400 --find-knee",
        "predict --vm DS14_v2 --disk data=3xP30:readonly --disk log=3xP30 --separate --block 32KiB --size 1GiB",
        "predict --vm D2s_v3 --disk P20 --preset hana-kpi",
        "predict --vm D2s_v3 --disk 2xP20 --block 64KiB --hosts 100000 --region westeurope",
        "predict --vm DS14 --disk 10xP30 --depth 8 --hosts 12 --slow-host 33.3%",
        "predict --vm D2s_v3 --disk P20 --block 64KiB --depth 32 --hosts 12 --at 0",
        "catalog",
        "catalog vms --min-iops 50000",
        "catalog disks --era all",
        "catalog show Standard_F4s_v2",
        "catalog show premiumv2",
        "catalog presets",
        "catalog prices --region eastus --disks",
        "predict --vm DS14 --disk P30 --show-config",
    ];
    for question in questions {
        for width in [60, 100] {
            let output =
                program().args(question.split(' ')).env("COLUMNS", width.to_string()).output().unwrap();
            let ran = ran(output);
            assert_eq!(ran.code, 0, "{ran:?}");
            for text in ran.out.lines() {
                assert!(text.chars().count() <= width, "{question}, {width}: {text}");
            }
        }
        // Without a terminal a screen has 100 columns.
        assert!(line(question).out.lines().all(|text| text.chars().count() <= 100), "{question}");
    }
}

#[test]
fn a_wide_page_has_every_limit_and_every_reason() {
    let narrow = run(&EXAMPLE).out;
    let wide = run(&example(&["--wide"])).out;
    assert!(!narrow.contains("tkubica12") && wide.contains("tkubica12"), "{wide}");
    assert!(!narrow.contains("2,040 MB/s") && wide.contains("2,040 MB/s"), "{wide}");
    assert!(wide.contains("data.9"), "{wide}");
}

#[test]
fn at_a_full_limit_latency_is_said_to_be_arithmetic() {
    let ran = line("predict --vm DS14 --disk P30 --depth 1024");
    assert!(ran.out.contains("BOUND BY  disk IOPS: 1 x P30, 5,100 enforced"), "{}", ran.out);
    assert!(ran.out.contains("= 1,024 outstanding / 5,100: queueing, not the disks"), "{}", ran.out);
}

#[test]
fn an_open_loop_that_is_satisfied_is_bound_by_its_rate() {
    let words = "predict --vm DS14 --disk P30 --rate 1000iops --arrivals poisson";
    let document = json(&line(&format!("{words} --json")));
    assert_eq!(document["binding"], "rate");
    near(number(&document, "/expected/iops"), 1_000.0, 0.01);
    assert_eq!(document["latency_us"]["loop"], "open");
    assert!(line(words).out.contains("open loop of 1,000 IOPS (Poisson arrivals)"));
}

#[test]
fn credits_are_spent_unless_a_time_is_asked_about() {
    // A P20 on a D8s_v3: 2,300 IOPS for long, 3,500 while credits last; both x 1.02.
    let at = |more: &str| json(&line(&format!("predict --vm D8s_v3 --disk P20 --depth 64 --json {more}")));
    let sustained = at("");
    assert_eq!(sustained["ceiling"]["iops"], 2_346);
    assert_eq!(sustained["burst"]["iops"], 3_570);
    // (3,500 - 2,300) x 1,800 s, spent at 3,570 - 2,300 a second.
    near(number(&sustained, "/burst/seconds"), 1_200.0 * 1_800.0 / 1_270.0, 0.001);
    assert_eq!(at("--at 0")["ceiling"]["iops"], 3_570);
    assert_eq!(at("--at 20min")["ceiling"]["iops"], 3_570);
    assert_eq!(at("--at 1h")["ceiling"]["iops"], 2_346);
}

#[test]
fn a_burst_of_seconds_binds_also_where_the_simulation_takes_longer() {
    let saved = r#"
[machine]
vm = "probed"
[[disk]]
name = "one"
disk = "one"
[[probed]]
name = "one"
size = 8589934592
read = { mean_us = 936, floor = 0.8, per_kib_us = 2.1 }
[[probed.limit]]
counts = "ios"
of = "all"
per_second = 595
low = 595
high = 595
unit = 16384
slice_ms = 10.4
burst_per_second = 1347
burst_size = 14700
"#;
    let saved = file("short-burst.toml", saved);
    // 1,347 units a second, four of them an I/O, for 20 s.
    let at =
        |more: &str| json(&line(&format!("predict --config {saved} --block 64KiB --depth 8 --json {more}")));
    near(number(&at("--at 0"), "/expected/iops"), 336.75, 0.02);
    near(number(&at(""), "/expected/iops"), 148.75, 0.02);
}

#[test]
fn published_limits_are_exact_where_the_documentation_calculates_with_them() {
    // A5: a P30 on a D2s_v3 is bound by the VM: 3,200 uncached.
    let document = json(&line("predict --vm D2s_v3 --disk P30 --depth 64 --published --json"));
    assert_eq!(document["ceiling"]["iops"], 3_200);
    assert_eq!(document["binding"], "vm.uncached.iops");
}

#[test]
fn a_cache_is_warm_cold_or_left_by_a_first_run() {
    let at = |state: &str| {
        let words = "predict --vm DS14 --disk P30:readonly --size 10GiB --depth 64 --json --cache-state";
        let document = json(&line(&format!("{words} {state}")));
        (number(&document, "/hit_rate"), number(&document, "/expected/iops"))
    };
    let ((warm, fast), (cold, slow), (second, _)) = (at("warm"), at("cold"), at("second-run"));
    assert_eq!(warm, 1.0);
    assert!(cold < 0.1 && second > cold, "{cold} {second}");
    // 64,000 cached and 5,000 of the disk, x 1.02.
    assert!(fast > 50_000.0 && slow < 8_000.0, "{fast} {slow}");
}

#[test]
fn an_era_has_the_figures_of_its_time() {
    // A Standard disk of 2016: 500 IOPS, enforced as published.
    let document =
        json(&line("predict --vm DS3 --era 2016 --disk standard@100GiB --block 512B --depth 100 --json"));
    near(number(&document, "/expected/iops"), 500.0, 0.01);
    assert_eq!(document["configuration"]["era"], "2016");
}

#[test]
fn stages_are_predicted_one_by_one() {
    let jobs = "[global]\nrw=randread\nsize=1g\niodepth=4\ndirect=1\nioengine=libaio\n[first]\nbs=4k\n[second]\nstonewall\nbs=64k\n";
    let path = file("stages.fio", jobs);
    let arguments = ["predict", "--vm", "DS14", "--disk", "P30", "--fio", &path];
    let ran = run(&arguments);
    assert!(ran.out.contains("stage 1 of 2") && ran.out.contains("stage 2 of 2"), "{}", ran.out);
    let document = json(&run(&[&arguments[..], &["--json"]].concat()));
    let stages = document["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 2);
    assert_eq!(stages[0]["expected"], document["expected"]);
    assert!(stages[1]["workload"]["jobs"][0]["description"].as_str().unwrap().starts_with("64 KiB"));
    // More latency for 60 KiB more, so fewer.
    assert!(number(&stages[1], "/expected/iops") < number(&stages[0], "/expected/iops"));
}

#[test]
fn every_way_to_write_one_workload_is_the_same_workload() {
    let toml = file("same.toml", "[[job]]\nblock = \"8KiB\"\nread = 70\ndepth = 8\n");
    let ways = [
        vec!["--block", "8KiB", "--read", "70%", "--depth", "8"],
        vec!["--diskspd", "-b8K -w30 -r -o8 -t1 -d30 -Sh testfile.dat"],
        vec![
            "--fio",
            "fio --name=a --rw=randrw --rwmixread=70 --bs=8k --iodepth=8 --size=100g --direct=1 --ioengine=libaio --norandommap",
        ],
        vec!["--workload", &toml],
        vec!["--config", &toml],
    ];
    for way in ways {
        let arguments = [&["predict", "--vm", "DS14", "--disk", "P30", "--json"], &way[..]].concat();
        let document = json(&run(&arguments));
        // 8 / (0.7 x 2.1 ms + 0.3 x 1.75 ms), a little more for the 4 KiB beyond the first.
        near(number(&document, "/expected/iops"), 8.0 / 0.001_995, 0.06);
        assert_eq!(document["outstanding"], 8, "{way:?}");
    }
}

#[test]
fn pasted_lines_are_taken_as_people_paste_them() {
    let pasted = "Diskspd.exe \u{2013}b4K \u{2013}d60 \u{2013}h \u{2013}o8 \u{2013}t4 \u{2013}si \u{2013}c50000M e:\\io.dat";
    let arguments = ["predict", "--vm", "DS14", "--disk", "10xP30", "--diskspd", pasted, "--json"];
    let document = json(&run(&arguments));
    near(number(&document, "/expected/iops"), 32.0 / 0.002_1, 0.01);
    let notes = document["notes"].to_string();
    assert!(notes.contains("io.dat") && notes.contains("volume data"), "{notes}");
}

#[test]
fn a_windows_drive_can_be_a_volume() {
    let arguments = [
        "predict",
        "--vm",
        "DS14",
        "--disk",
        "data=4xP30",
        "--disk",
        "log=P20",
        "--diskspd",
        "-b8K -o8 -t1 -w100 -Sh -d60 f:\\log.ldf",
        "--map",
        "F:=log",
        "--json",
    ];
    let document = json(&run(&arguments));
    let of = |index: usize| number(&document["volumes"][index], "/iops");
    assert!(of(0) == 0.0 && of(1) > 1_000.0, "{document:#}");
}

#[test]
fn a_preset_goes_to_the_volumes_of_its_jobs() {
    let document =
        json(&line("predict --vm DS14 --disk data=8xP30 --disk log=2xP20 --preset sqlserver-oltp --json"));
    // Four threads capped at 1,500 IOPS, and a log at 300.
    near(number(&document, "/volumes/0/iops"), 6_000.0, 0.01);
    near(number(&document, "/volumes/1/iops"), 300.0, 0.01);
}

#[test]
fn the_knee_can_be_searched_for() {
    let words = "predict --vm DS14 --disk 10xP30 --threads 4 --find-knee";
    let document = json(&line(&format!("{words} --json")));
    let curve = document["knee"]["curve"].as_array().unwrap();
    assert!(curve.len() >= 5, "{curve:?}");
    // 51,000 x 2.1 ms is 107 outstanding; queues that meet by chance need some more.
    let outstanding = number(&document, "/knee/outstanding");
    assert!((107.0..=512.0).contains(&outstanding), "{outstanding}");
    assert!(line(words).out.contains("knee\n"), "the point is marked");
}

#[test]
fn of_several_disks_the_one_that_is_full_is_named() {
    // Eight outstanding: a P20 alone is full at 2,300 x 1.02, three P30 are far from 15,300.
    let ran = line("predict --vm DS14 --disk data=3xP30 --disk log=P20 --depth 8");
    assert!(ran.out.contains("BOUND BY  disk IOPS: 1 x P20, 2,346 enforced"), "{}", ran.out);
    assert!(ran.out.contains("16 outstanding in all"), "{}", ran.out);
}

#[test]
fn separate_disks_have_figures_of_their_own() {
    let document = json(&line("predict --vm DS14_v2 --disk 3xP30 --separate --depth 64 --json"));
    assert_eq!(document["volumes"].as_array().unwrap().len(), 3);
    for volume in document["volumes"].as_array().unwrap() {
        near(number(volume, "/iops"), 5_100.0, 0.01);
    }
}

#[test]
fn a_disk_of_another_era_says_so_on_the_screen_and_in_the_document() {
    let words = "predict --vm DS14 --disk data=2xP30@2016 --disk log=P30";
    let screen = line(&format!("{words} --wide")).out;
    assert!(screen.contains("2 x P30@2016 (cache none) and 1 x P30 (cache none), striped"), "{screen}");
    let document = json(&line(&format!("{words} --json")));
    let eras: Vec<(&str, &str)> = document["disks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|disk| (disk["disk"].as_str().unwrap(), disk["era"].as_str().unwrap()))
        .collect();
    assert_eq!(eras, [("P30@2016", "2016"), ("P30@2016", "2016"), ("P30", "current")]);
    // One of the era's own needs no word of it.
    let document = json(&line("predict --vm DS14 --disk P30 --era 2016 --json"));
    assert_eq!(
        (&document["disks"][0]["disk"], &document["disks"][0]["era"]),
        (&"P30".into(), &"2016".into())
    );
}

#[test]
fn each_disk_has_its_own_figures_whatever_its_volume() {
    let words = "predict --vm DS14 --disk data=2xP30 --disk log=2xP10 --block 64KiB --depth 128 --json";
    let document = json(&line(words));
    let disks = document["disks"].as_array().unwrap();
    assert_eq!(disks.len(), 4);
    for disk in disks {
        // 200 MB/s x 1.02 are 3,112 I/Os of 64 KiB; 100 MB/s would be 1,556, and 500 IOPS x 1.02 are 510.
        let oracle =
            if disk["name"].as_str().unwrap().starts_with("data.") { 204e6 / 65_536.0 } else { 510.0 };
        near(number(disk, "/iops"), oracle, 0.02);
        near(number(disk, "/throughput_bytes_per_s"), oracle * 65_536.0, 0.02);
    }
    // What a volume does is what its disks do: no I/O of 64 KiB spans two at an interleave of 64 KiB.
    for (volume, disks) in [(0, &disks[..2]), (1, &disks[2..])] {
        let sum: f64 = disks.iter().map(|disk| number(disk, "/iops")).sum();
        near(number(&document, &format!("/volumes/{volume}/iops")), sum, 0.01);
    }
}

#[test]
fn a_published_figure_lies_inside_above_or_below_the_band() {
    // The model's own band is 32 / 3.0 ms to 32 / 1.5 ms, 10,667 to 21,333, in blocks of 4 KiB; the calibrated one is narrower.
    for (figure, verdict) in [
        ("iops=19000", "inside"),
        ("iops=9000", "below"),
        ("throughput=100MB/s", "above"),
        ("iops=19000 throughput=77.8MB/s", "inside"),
        ("iops=25000", "above"),
    ] {
        let document = json(&run(&example(&["--json", "--observed", figure])));
        assert_eq!(document["published"]["verdict"], verdict, "{figure}");
    }
    let shown = run(&example(&["--observed", "iops=19000"]));
    assert!(shown.out.contains("observed  19,000 IOPS: inside the band"), "{}", shown.out);
    assert!(json(&run(&example(&["--json"]))).get("published").is_none());
    let refused = run(&example(&["--observed", "19882"]));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("iops=19882"), "{}", refused.err);
}
