//! Bad input is refused: exit code 2, what was read and how to fix it on standard error, nothing on standard output.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{Ran, file, line, run};

fn refused(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.out, "", "{ran:?}");
    assert!(ran.err.starts_with("error: "), "{ran:?}");
    for part in parts {
        assert!(ran.err.contains(part), "`{part}` is not in {}", ran.err);
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_its_mend() {
    let table: [(&str, &[&str]); 31] = [
        ("--vm DS41 --disk P30", &["VM size `DS41`", "help: did you mean Standard_DS14"]),
        ("--vm DS14 --disk P31", &["`P31`", "P30"]),
        ("--vm DS14 --disk 65xP30", &["65 disks on Standard_DS14", "its maximum is 64"]),
        ("--vm DS2 --disk 5xP30 --era 2016", &["5 disks", "its maximum was 4 in era 2016", "larger VM size"]),
        ("--vm D14_v2 --disk P30", &["no premium storage", "Standard_DS14_v2"]),
        (
            "--vm DS14 --disk premium@4TiB:readonly",
            &["4 TiB", "no host cache", "leave the cache setting out"],
        ),
        ("--vm D8s_v3 --disk premiumv2@1TiB:readonly", &["Premium SSD v2 has no host cache"]),
        ("--vm DS14 --disk P30 --size 2TiB", &["working set 2 TiB", "volume data (1 TiB)", "--size smaller"]),
        ("--vm DS14 --disk gp3@500GiB", &["sold by aws", "take P30"]),
        ("--vm Standard_E192ids_v6 --disk P30", &["uncached_mbps is not known", "catalogue file"]),
        ("--vm a2-highgpu-1g --disk P30", &["sold by azure", "pd-ssd@500GiB"]),
        ("--vm DS14", &["no disk is given", "--disk 10xP30"]),
        ("--disk P30", &["no VM size is given", "--vm DS14"]),
        ("--vm DS14 --disk P30 --era 2019", &["era `2019`", "2018-06"]),
        ("--vm DS14 --disk P30 --accounts shared", &["--era 2016 only"]),
        ("--vm DS14 --disk P30 --accounts none", &["--accounts", "one-each or shared"]),
        ("--vm DS14 --disk P30 --cache-state hot", &["--cache-state", "warm, cold or second-run"]),
        ("--vm DS14 --disk P30 --at 20m", &["--at", "minutes", "milliseconds"]),
        ("--vm DS14 --disk P30 --media fast", &["--media", "read=2.6ms"]),
        ("--vm DS14 --disk P30 --separate=maybe", &["--separate", "true or false"]),
        ("--vm DS14 --disk P30 --stripe 64KX", &["--stripe", "64KX", "KiB"]),
        ("--vm DS14 --disk 10xP30 --columns 11", &["--columns 11", "take 1 to 10"]),
        ("--vm DS14 --disk P30 --block 64KX", &["--block", "64KX", "KiB"]),
        ("--vm DS14 --disk P30 --random --sequential", &["--random", "--sequential"]),
        ("--vm DS14 --disk P30 --depth many", &["--depth", "count"]),
        ("--vm DS14 --disk P30 --preset sqlserver", &["sqlserver-oltp", "iobound catalog presets"]),
        ("--vm DS14 --disk P30 --preset kafka --depth 4", &["--depth cannot change --preset", "--duration"]),
        (
            "--vm DS14 --disk P30 --preset kafka --iometer 4096,100,100,100,0,1,0,0",
            &["--preset", "--iometer"],
        ),
        ("--vm DS14 --disk P30 --fio none.fio", &["cannot read none.fio", "help: name an existing"]),
        ("--vm DS14 --disk P30 --depth 1.5", &["--depth", "write a whole number"]),
        ("--vm DS14 --disk P30 --workload none.toml", &["cannot read none.toml"]),
    ];
    for (words, parts) in table {
        refused(&line(&format!("predict {words}")), parts);
        // A script that reads documents gets none, and the reason where a person gets it.
        refused(&line(&format!("predict {words} --json")), parts);
    }
}

#[test]
fn a_disk_type_of_a_cloud_that_the_plan_is_not_for_is_refused() {
    let plan = |terms: &str| line(&format!("plan --iops 1000 --capacity 100GiB {terms}"));
    refused(
        &plan("--cloud azure --disk-types gp3"),
        &["--disk-types gp3", "is AWS's", "the plan is for Azure", "--cloud azure,aws"],
    );
    refused(&plan("--region us-east-1 --disk-types gp3,premium"), &["--disk-types premium", "is Azure's"]);
}

#[test]
fn a_foreign_line_that_contradicts_itself_shows_where() {
    let predict = |tool: &str, text: &str| run(&["predict", "--vm", "DS14", "--disk", "P30", tool, text]);
    refused(&predict("--diskspd", "-b4K -o8 -O32 -F4 -t2 -d60 x"), &["-F", "-t", "^^^", "keep one of them"]);
    refused(&predict("--diskspd", "-b4K -r -si -d60 x"), &["-si", "conflicts with -r", "^"]);
    refused(&predict("--fio", "--name=a --rw=sideways"), &["rw=sideways", "randread", "^"]);
    refused(&predict("--iometer", "4096,100"), &["Iometer"]);
}

#[test]
fn a_broken_file_shows_its_line() {
    for (name, text, parts) in [
        ("unclosed.toml", "[machine\nvm = \"DS14\"\n", &[":1:", "[machine", "^"] as &[&str]),
        (
            "unknown.toml",
            "[machine]\nvm = \"DS14\"\nstrip = \"64KiB\"\n",
            &[":3:1:", "`strip`", "stripe", "strip = \"64KiB\"", "^^^^^"],
        ),
        (
            "value.toml",
            "[machine]\nvm = \"DS14\"\nstripe = \"64KX\"\n[[disk]]\ndisk = \"P30\"\n",
            &[":3:10:", "64KX", "KiB"],
        ),
        ("table.toml", "[machines]\nvm = \"DS14\"\n", &[":1:", "machines"]),
        (
            "job.toml",
            "[machine]\nvm = \"DS14\"\n[[disk]]\ndisk = \"P30\"\n[[job]]\nblock = \"x\"\n",
            &[":6:9:", "block = \"x\""],
        ),
        ("nodisk.toml", "[machine]\nvm = \"DS14\"\n[[disk]]\nname = \"data\"\n", &["has a `disk`", "10xP30"]),
        ("twice.toml", "[[disk]]\nname = \"a\"\ndisk = \"b=P30\"\n", &[":2:", "once"]),
    ] {
        let path = file(name, text);
        let ran = run(&["predict", "--config", &path]);
        refused(&ran, parts);
        assert!(ran.err.contains(name), "{ran:?}");
    }
    refused(&line("predict --config none.toml"), &["cannot read none.toml"]);
}

#[test]
fn a_catalogue_file_that_cannot_be_read_is_refused() {
    let path = file("mine.csv", "name,uncached_ipos\nX,1\n");
    refused(&run(&["catalog", "--catalog", &path]), &["mine.csv", "uncached_iops"]);
    refused(&line("catalog --catalog none.csv"), &["--catalog", "none.csv"]);
}

#[test]
fn a_workload_file_says_nothing_of_a_machine() {
    let path = file("both.toml", "[machine]\nvm = \"DS14\"\n[[job]]\ndepth = 1\n");
    let ran = run(&["predict", "--vm", "DS14", "--disk", "P30", "--workload", &path]);
    refused(&ran, &["--config", "both.toml"]);
}

#[test]
fn what_the_catalogue_does_not_have_is_refused() {
    refused(&line("catalog show P31"), &["`P31`", "P30"]);
    refused(&line("catalog prices --region mars"), &["mars", "`iobound catalog prices` lists"]);
    refused(&line("catalog vms --vcpus x"), &["--vcpus"]);
    refused(&line("catalog vms --min-iops 50q"), &["--min-iops", "50000iops"]);
    refused(&line("catalog disks --type tape"), &["tape", "premium"]);
}

#[test]
fn words_that_the_program_does_not_know_are_bad_input() {
    for words in
        ["predict --nope", "nope", "predict --vm", "catalog show", "catalog vms --json --csv", "--json"]
    {
        refused(&line(words), &["--help"]);
    }
}

#[test]
fn a_verb_that_is_misspelt_finds_the_one_that_was_meant() {
    refused(&line("predct"), &["predct", "predict"]);
}

#[test]
fn a_number_below_zero_or_beyond_all_bounds_is_told_by_its_flag() {
    let flags = [
        ("--at", "-1"),
        ("--at", "99999999999999d"),
        ("--depth", "-1"),
        ("--depth", "99999999999999"),
        ("--depth", "NaN"),
        ("--threads", "-3"),
        ("--block", "-4KiB"),
        ("--block", "0"),
        ("--read", "-5"),
        ("--read", "NaN"),
        ("--read", "101"),
        ("--rate", "-5iops"),
        ("--size", "99999999999999TiB"),
        ("--stripe", "-64KiB"),
        ("--stripe", "0"),
        ("--columns", "-1"),
        ("--columns", "0"),
        ("--columns", "70000"),
        ("--media", "read=-1ms"),
        ("--media", "read=NaN"),
        ("--media", "read=0"),
        ("--duration", "-1s"),
        ("--duration", "0"),
        ("--zipf", "-1"),
        ("--zipf", "NaN"),
        ("--seed", "-1"),
        ("--seed", "99999999999999999999"),
    ];
    for (flag, value) in flags {
        let ran = run(&["predict", "--vm", "DS14", "--disk", "4xP30", flag, value]);
        refused(&ran, &[flag]);
        assert!(!ran.err.contains("Usage:"), "{flag} {value}: {}", ran.err);
    }
}

#[test]
fn a_dash_of_a_word_processor_is_a_dash_and_noted() {
    let ran = run(&["predict", "\u{2014}vm", "DS14", "\u{2013}disk", "P30"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("is read as --vm") && ran.err.contains("is read as --disk"), "{ran:?}");
}

#[test]
fn what_is_wrong_in_a_file_is_shown_at_its_line() {
    let disk = |name: &str, disk: &str| {
        let text = format!("[machine]\nvm = \"DS14\"\n\n[[disk]]\nname = \"log\"\ndisk = \"{disk}\"\n");
        run(&["predict", "--config", &file(name, &text)])
    };
    for (name, spec, part) in [
        ("disk_spec.toml", "0xP30", "1 disk or more"),
        ("disk_tier.toml", "P31", "did you mean"),
        ("disk_cache.toml", "P50:readonly", "no host cache"),
        ("disk_era.toml", "P30@2019", "2018-06"),
    ] {
        refused(&disk(name, spec), &[&format!("{name}:6:8:"), spec, "^^^", part]);
    }
    let path = file("vm_line.toml", "[machine]\nvm = \"DS41\"\n[[disk]]\ndisk = \"P30\"\n");
    refused(&run(&["predict", "--config", &path]), &["vm_line.toml:2:6:", "Standard_DS4"]);
    let path =
        file("columns_line.toml", "[machine]\nvm = \"DS14\"\ncolumns = 11\n[[disk]]\ndisk = \"10xP30\"\n");
    refused(
        &run(&["predict", "--config", &path]),
        &["columns_line.toml:3:11:", "at most as many columns as disks"],
    );
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_first() {
    let path = file("key.toml", "[machine]\nvn = \"DS14\"\n");
    refused(&run(&["predict", "--config", &path]), &["key.toml:2:1:", "`vn`", "help: did you mean vm?"]);
    let path = file("far_key.toml", "[machine]\nqqqqqqqqqq = \"DS14\"\n");
    refused(&run(&["predict", "--config", &path]), &["help: the keys are accounts, at"]);
}

#[test]
fn a_calibration_says_what_it_wanted_instead() {
    let answer = run(&["predict", "--vm", "DS14", "--disk", "P30", "--json"]).out;
    for (path, part) in [
        (file("wanted_prediction.json", &answer), "the document is a prediction (iobound.predict/2)"),
        (file("wanted_schemaless.json", "{}"), "the document has no schema"),
        (file("wanted_other.json", "{\"schema\": \"fio+\"}"), "the document's schema is fio+"),
        (
            file("wanted_later.json", "{\"schema\": \"iobound.result/9\"}"),
            "the document has another schema version",
        ),
        (file("wanted_no.json", "iops,latency"), "the file is not JSON"),
        (file("wanted_nothing.json", ""), "the file is empty"),
    ] {
        let ran = run(&["predict", "--vm", "DS14", "--disk", "P30", "--calibrate", &path]);
        refused(&ran, &["--calibrate", part, "schema iobound.result/1", "help: "]);
    }
}
