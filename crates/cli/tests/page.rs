//! `--html FILE`: every verb that has it writes a page that is whole, beside the answer that it prints anyway.
#![allow(clippy::disallowed_methods, reason = "it reads the pages that the program writes")]

mod common;
#[path = "../../report/tests/common/page.rs"]
mod page;

use common::{file, json, line, run};
use page::{Read, read};
use serde_json::Value;

/// Path of a page of this name; a file of an earlier test is removed.
fn place(name: &str) -> String {
    let path = file(name, "");
    std::fs::remove_file(&path).unwrap();
    path
}

/// The page of a command, and its document.
fn both(name: &str, words: &str) -> (Read, Value) {
    let path = place(name);
    let mut arguments: Vec<&str> = words.split_whitespace().collect();
    arguments.extend(["--html", &path, "--json"]);
    let document = json(&run(&arguments));
    (read(&std::fs::read_to_string(&path).unwrap()), document)
}

#[track_caller]
fn assert_shown(page: &Read, figures: &[&Value]) {
    let shown = page.figures();
    for figure in figures {
        assert!(figure.is_number(), "the document has no such figure");
        assert!(shown.contains(&figure.to_string().as_str()), "{figure} is in no table");
    }
}

#[test]
fn a_prediction_has_its_stack_its_knee_and_its_disks() {
    let (page, document) = both("predict.html", "predict --vm DS14 --disk 10xP30 --depth 32 --find-knee");
    let charts = page.charts.as_array().unwrap();
    let titles: Vec<&str> = charts.iter().map(|chart| chart["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["IOPS against queue depth", "Latency against queue depth"]);
    let knee = &document["knee"];
    assert_eq!(charts[0]["marks"][0]["x"], knee["outstanding"]);
    assert_eq!(charts[0]["limits"][0]["value"], document["ceiling"]["iops"]);
    assert_eq!(charts[0]["lines"][0]["x"].as_array().unwrap().len(), knee["curve"].as_array().unwrap().len());
    for limiter in document["limits"].as_array().unwrap() {
        assert_shown(
            &page,
            &[&limiter["limit"], &limiter["enforced"], &limiter["share"], &limiter["held_us"]],
        );
    }
    for disk in document["disks"].as_array().unwrap() {
        assert_shown(&page, &[&disk["iops"]]);
    }
    assert_shown(&page, &[&document["expected"]["iops"], &document["latency_us"]["p99"]]);
    assert_eq!(page.document, Some(document));
}

#[test]
fn without_a_search_the_page_says_how_the_curve_is_had() {
    let (page, _) = both("predict-plain.html", "predict --vm DS14 --disk P30");
    assert!(page.text.contains("--find-knee"), "{}", page.text);
    assert!(page.text.contains("There is one disk"), "{}", page.text);
}

#[test]
fn several_hosts_have_their_sums_their_slowest_and_their_scan() {
    let (page, document) = both(
        "cluster.html",
        "predict --vm D2s_v3 --disk P20 --block 64KiB --depth 32 --hosts 8 --slow-host 50% --region westeurope",
    );
    let cluster = &document["cluster"];
    let (scan, slow) = (&cluster["scan"], &cluster["scan"]["slow_host"]);
    assert_shown(
        &page,
        &[&cluster["expected"]["iops"], &cluster["burst"]["iops"], &cluster["price"]["month"]],
    );
    assert_shown(&page, &[&cluster["slowest"]["iops"], &scan["data_bytes"], &scan["waiting"]["seconds"]]);
    assert_shown(&page, &[&slow["throughput_bytes_per_s"], &slow["lost_hosts"], &slow["lost_independent"]]);
    let (page, document) =
        both("cluster-plan.html", "plan --iops 20000 --capacity 1TiB --candidates 2 --hosts 2..5");
    let hosts = document["cluster"]["hosts"].as_u64().unwrap();
    for on in document["cluster"]["by_hosts"].as_array().unwrap() {
        assert_shown(&page, &[&on["month"]]);
    }
    assert!(page.text.contains(&format!("{hosts} x ")), "{}", page.text);
    let (page, _) = both("no-cluster.html", "predict --vm DS14 --disk P30 --hosts 1");
    assert!(!page.text.contains("A scan of all data"), "{}", page.text);
}

#[test]
fn the_lab_has_every_row_on_an_axis_and_by_itself() {
    let (page, document) = both("lab.html", "lab --only E1,E2,E6,E7,E10-*");
    let runs = document["runs"].as_array().unwrap();
    for run in runs {
        assert_shown(&page, &[&run["expected"]["iops"], &run["simulated"]["iops"], &run["band"]["low_iops"]]);
        let name = run["name"].as_str().unwrap();
        let id = format!("row-{name}");
        assert!(page.elements.iter().any(|element| element.get("id") == Some(&id)), "{name}");
    }
    assert_shown(&page, &[&runs[0]["published"]["iops"]]);
    // E10-o1 to E10-o64 differ in depth alone.
    let titles: Vec<&Value> = page.charts.as_array().unwrap().iter().map(|chart| &chart["title"]).collect();
    assert!(titles.iter().any(|title| *title == "IOPS against queue depth"), "{titles:?}");
}

#[test]
fn an_explanation_has_its_findings_and_what_would_move_it() {
    let words = "explain --vm D8s_v3 --disk P30:readonly --observed iops=1000;throughput=140MB/s;read=30%";
    let (page, document) = both("explain.html", words);
    let finding = &document["findings"][0];
    assert!(page.text.contains(finding["rule"].as_str().unwrap()));
    for limit in document["ruled_out"].as_array().unwrap() {
        assert_shown(&page, &[&limit["used"]]);
    }
}

#[test]
fn an_explanation_has_its_stack_as_it_is_and_after_what_helps_first() {
    // 32 outstanding at the media's 2.09 ms: 15,300 IOPS, and twice as many of 64.
    let words = "explain --vm DS14 --disk 10xP30 --observed iops=15300;block=4KiB;read=100%;depth=32";
    let (page, document) = both("explain-stack.html", words);
    let stacks = document["stacks"].as_array().unwrap();
    assert_eq!((stacks[0]["change"].as_str(), stacks[1]["change"].as_str()), (None, Some("64 outstanding")));
    let drawn = page.elements.iter().filter(|element| element.get("class") == Some("stack")).count();
    assert_eq!(drawn, 2);
    let after = &document["findings"][0]["predicted_after"];
    assert_eq!(stacks[1]["expected"]["iops"], after["iops"], "the remedy's own prediction");
    let limiter = stacks[0]["limits"]
        .as_array()
        .unwrap()
        .iter()
        .find(|limiter| limiter["name"] == "disk.iops")
        .unwrap();
    // 15,300 of the 51,000 that ten P30 let through.
    assert_eq!(limiter["seen"].as_f64(), Some(0.3));
    assert!(stacks[1]["limits"][0]["seen"].is_null());
    assert_shown(
        &page,
        &[&limiter["share"], &limiter["seen"], &limiter["held_us"], &stacks[1]["limits"][0]["share"]],
    );
    assert!(page.text.contains("Measured were 15,300, within its band."), "{}", page.text);
}

#[test]
fn a_plan_has_its_frontier_and_what_is_cheaper() {
    let (page, document) = both("plan.html", "plan --iops 20000 --block 8KiB --capacity 1TiB --candidates 3");
    let chart = &page.charts[0];
    assert_eq!(chart["title"], "Price against IOPS");
    assert_eq!(chart["lines"][1]["y"].as_array().unwrap().len(), 3);
    for point in document["frontier"].as_array().unwrap() {
        assert_shown(&page, &[&point["iops"], &point["month"]]);
    }
    for candidate in document["candidates"].as_array().unwrap() {
        assert_shown(&page, &[&candidate["price"]["month"], &candidate["predicted"]["delivers"]["iops"]]);
    }
}

#[test]
fn a_disk_with_a_hostile_name_is_no_element() {
    let path = place("hostile.html");
    let words = ["predict", "--vm", "DS14", "--disk", "<img/onerror=alert(1)>=2xP30", "--html", &path];
    let ran = run(&words);
    if ran.code == 0 {
        let page = read(&std::fs::read_to_string(&path).unwrap());
        assert!(page.text.contains("<img/onerror=alert(1)>"));
    } else {
        assert_eq!(ran.code, 2, "{ran:?}");
    }
}

#[test]
fn a_page_is_written_over_and_nothing_else_is() {
    let path = place("again.html");
    let words = format!("predict --vm DS14 --disk P30 --html {path}");
    assert_eq!(line(&words).code, 0);
    assert_eq!(line(&words).code, 0);
    std::fs::write(&path, "what somebody wrote").unwrap();
    let refused = line(&words);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""));
    assert!(refused.err.contains("is not a page"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "what somebody wrote");
}

#[test]
fn a_page_that_can_not_be_is_refused_before_anything_is_done() {
    for (words, code, says) in [
        (
            "predict --vm DS14 --disk P30 --html /no/such/folder/a.html",
            2,
            "cannot write /no/such/folder/a.html",
        ),
        ("predict --vm DS14 --disk P30 --html /", 3, "is not a file"),
        ("predict --vm DS14 --disk P30 --html-with-names", 2, "add --html FILE"),
        ("lab --list --html a.html", 2, "--list runs nothing"),
    ] {
        let refused = line(words);
        assert_eq!((refused.code, refused.out.as_str()), (code, ""), "{words}");
        assert!(refused.err.contains(says), "{words}: {}", refused.err);
    }
}

#[cfg(all(feature = "load", target_os = "linux"))]
mod real {
    use super::*;
    use common::{beside_others, ran};

    #[test]
    fn a_real_run_has_every_latency_and_tells_nobodys_name() {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("home/anna");
        std::fs::create_dir_all(&users).unwrap();
        let (path, target) = (place("run.html"), users.to_str().unwrap().to_string());
        let words = [
            "run",
            &target,
            "--size",
            "4MiB",
            "--duration",
            "3s",
            "--depth",
            "4",
            "--json",
            "--buffered",
            "--html",
            &path,
        ];
        let document = json(&ran(beside_others(&words).output().unwrap()));
        let text = std::fs::read_to_string(&path).unwrap();
        let page = read(&text);
        let titles: Vec<&str> =
            page.charts.as_array().unwrap().iter().map(|chart| chart["title"].as_str().unwrap()).collect();
        assert!(titles.contains(&"Percentile curve") && titles.contains(&"Latency heat map"), "{titles:?}");
        assert_shown(&page, &[&document["iops"], &document["series"][0]["iops"]]);
        assert!(!text.contains("home/anna"));
        let host = document["start"]["host"].as_str().unwrap_or_default();
        assert!(host.len() < 3 || !page.text.split_whitespace().any(|word| word == host));
        // A result all the same.
        assert!(document["jobs"][0]["histograms"]["read"]["count"].is_number());
    }

    #[test]
    fn a_machine_that_is_watched_has_a_page_too() {
        let (page, document) = both("watched.html", "explain --duration 1s --metadata off");
        assert_shown(&page, &[&document["watched"]["seconds"]]);
        for disk in document["watched"]["disks"].as_array().unwrap() {
            assert!(page.text.contains(disk["device"].as_str().unwrap()));
        }
    }

    #[test]
    fn a_page_of_a_run_that_is_not_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let words = ["run", folder.path().to_str().unwrap(), "--dry-run", "--html", "a.html"];
        let refused = ran(beside_others(&words).output().unwrap());
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains("nothing is run"), "{}", refused.err);
    }
}
