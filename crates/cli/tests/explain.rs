//! `explain`: from words and from other tools' files, on the screen and as a document.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{file, json, line, run};

#[test]
fn the_first_finding_names_the_limit_and_the_change_that_moves_it() {
    // openshift/installer#4326: cache none brought 192 MB/s, here x 1.02.
    let words = "iops=1000 throughput=140MB/s read=30%";
    let document =
        json(&run(&["explain", "--vm", "D8s_v3", "--disk", "1xP30:readonly", "--observed", words, "--json"]));
    let first = &document["findings"][0];
    assert_eq!((&first["rule"], &first["confidence"]), (&"vm-cached-throughput".into(), &"strong".into()));
    assert_eq!(first["remedy"], "host cache none");
    let after = first["predicted_after"]["throughput_bytes_per_s"].as_f64().unwrap();
    assert!((after / 195.84e6 - 1.0).abs() < 0.02, "{after}");
}

#[test]
fn the_same_case_has_the_same_bytes() {
    let words = "explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed throughput=555MB/s;block=32KiB;depth=16 --json";
    assert_eq!(line(words).out, line(words).out);
}

#[test]
fn a_result_of_a_run_is_read() {
    let figures = "\"iops\": 5100, \"throughput_bytes_per_s\": 20889600, \"latency_us\": { \"loop\": \"closed\", \"mean\": 12549 }";
    let text = format!(
        "{{ \"schema\": \"iobound.result/1\", \"source\": \"measured\", {figures}, \"read\": {{ {figures} }} }}"
    );
    let path = file("explained.json", &text);
    let document = json(&run(&["explain", "--vm", "DS14", "--disk", "P30", "--result", &path, "--json"]));
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
}

#[test]
fn what_says_nothing_is_refused_with_what_would() {
    for (words, help) in [
        ("explain --vm DS14 --disk P30", "--observed"),
        ("explain --vm DS14 --disk P30", "--duration 10s"),
        ("explain --vm DS14 --disk P30 --observed iops=5 --duration 10s", "leave out --observed"),
        ("explain /dev/null", "leave it out to watch this machine"),
        ("explain --vm DS14 --disk gp33@500GiB --observed iops=5", "did you mean gp3@500GiB?"),
        ("explain --vm DS14 --disk P30 --observed raw=yes;iops=5", "write raw=12000"),
        ("explain --vm DS14 --disk P30 --observed block=4KiB", "iops=1000"),
        ("explain --vm DS14 --disk P30 --observed data.9:;iops=5", "the disks are data"),
        ("explain --vm DS14 --disk P30 --observed iops=5 --result x.json", "leave one"),
        ("explain --vm DS14 --disk P30 --result nothing.json", "no such file"),
        ("explain --vm DS14 --disk P30 --observed iops=5 --want block=4KiB", "iops=5000"),
    ] {
        let ran = line(words);
        assert_eq!(ran.code, 2, "{words}: {ran:?}");
        assert!(ran.err.contains(help), "{words}: {}", ran.err);
    }
    let path = file("poem.txt", "roses are red\n");
    let ran = run(&["explain", "--vm", "DS14", "--disk", "P30", "--result", &path]);
    assert!(ran.code == 2 && ran.err.contains("unrecognised file format"), "{}", ran.err);
}

#[test]
fn the_worked_example_has_its_form() {
    // E15: 512 MB/s x 1.02 = 522, 550 with megabytes of 2^20; 768 x 1.02 = 783 uncached, which takes 64 outstanding;
    // half of them without cache: 522 and 3 x 5,000 x 1.02 I/Os of 32 KiB.
    let words = "throughput=555MB/s block=32KiB read=100% depth=16";
    let ran =
        run(&["explain", "--vm", "DS14_v2", "--disk", "6xP30:readonly", "--separate", "--observed", words]);
    let lines: Vec<&str> = ran.out.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("The VM's cached throughput limit: your 555 MB/s"), "{}", ran.out);
    assert!(
        ran.out.contains("your 555 MB/s are all that the cached limit allows: 1.08 x 512 MB/s"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("one disk alone gives 200 MB/s: the disks share a limit"), "{}", ran.out);
    let row = |start: &str| {
        lines.iter().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {}", ran.out))
    };
    assert!(row("host cache none, 64 outstanding").contains("783.4 MB/s"), "{}", ran.out);
    assert!(row("host cache none  ").contains("196.8 MB/s"), "{}", ran.out);
    // The last column is narrow: what it says goes on in the next lines.
    let joined = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("196.8 MB/s 0 worse; queue depth binds"), "{}", ran.out);
    for label in ["ruled out", "measure", "assumed"] {
        assert!(row(label).len() > label.len(), "{label}");
    }
}

#[test]
fn a_wish_is_answered_and_an_age_is_not_ignored() {
    let ask = |more: &[&str]| {
        let mut words =
            vec!["explain", "--vm", "D8s_v5", "--disk", "P10", "--observed", "iops=508 block=8KiB", "--json"];
        words.extend(more);
        json(&run(&words))
    };
    let document = ask(&["--want", "iops=5000"]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    let met = document["want"]["met_by"].as_array().unwrap();
    assert!(met.iter().any(|change| change == "P30 disks"), "{met:?}");
    // 40 minutes after full credits, which last 30: they are spent.
    assert_eq!(ask(&["--at", "40min"])["findings"][0]["rule"], "burst-spent-disk");
}

#[test]
fn prices_name_their_region_and_date_and_are_not_left_out_in_silence() {
    let ask = |more: &[&str]| {
        let words = [
            "explain",
            "--vm",
            "m5.large",
            "--disk",
            "gp3@500GiB+12000iops",
            "--observed",
            "iops=3600 block=16KiB depth=12",
        ];
        run(&[&words[..], more].concat())
    };
    let ran = ask(&[]);
    assert!(ran.out.contains("prices    on demand in us-east-1, list of 20"), "{}", ran.out);
    // Prices of disks alone are no price of the whole.
    let ran = ask(&["--region", "eu-central-1", "--wide"]);
    let says = ran.out.contains("on demand in eu-central-1")
        || ran.out.contains("no prices of changes: the price of m5.large");
    assert!(says, "{}{}", ran.out, ran.err);
}
