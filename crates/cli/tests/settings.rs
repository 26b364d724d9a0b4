//! Precedence of settings: flag, environment, file, default; and the words of `--show-config`.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{Ran, file, json, program, ran, run};
use serde_json::Value;

const FILE: &str = "[machine]\nvm = \"DS13\"\nstripe = \"128KiB\"\n\n[[disk]]\nname = \"big\"\ndisk = \"4xP30\"\n\n[[job]]\nblock = \"16KiB\"\n";

fn with(environment: &[(&str, &str)], arguments: &[&str]) -> Ran {
    ran(program().args(arguments).envs(environment.iter().copied()).output().unwrap())
}

/// The value and origin of a setting.
fn won(document: &Value, name: &str) -> (String, String) {
    let all = document["settings"].as_array().unwrap();
    let setting = all.iter().find(|setting| setting["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let text = |key: &str| setting[key].as_str().unwrap_or("-").to_string();
    (text("value"), text("from"))
}

#[test]
fn a_flag_wins_over_the_environment_that_over_the_file_and_that_over_the_default() {
    let path = file("precedence.toml", FILE);
    let show = ["predict", "--config", &path, "--show-config", "--json"];
    let pair = |value: &str, from: &str| (value.to_string(), from.to_string());
    let document = json(&run(&show));
    assert_eq!(won(&document, "vm"), pair("DS13", "file"));
    assert_eq!(won(&document, "disk"), pair("big=4xP30", "file"));
    assert_eq!(won(&document, "workload"), pair("[[job]]", "file"));
    assert_eq!(won(&document, "cache-state"), pair("warm", "default"));
    let environment = [("IOBOUND_VM", "DS14"), ("IOBOUND_DISK", "P30 log=P20"), ("IOBOUND_DEPTH", "4")];
    let document = json(&with(&environment, &show));
    assert_eq!(won(&document, "vm"), pair("DS14", "environment"));
    assert_eq!(won(&document, "disk"), pair("P30", "environment"));
    assert_eq!(won(&document, "depth"), pair("4", "environment"));
    assert_eq!(won(&document, "stripe"), pair("128KiB", "file"));
    let flags = [&show[..], &["--vm", "DS14_v2", "--depth", "8"]].concat();
    let document = json(&with(&environment, &flags));
    assert_eq!(won(&document, "vm"), pair("DS14_v2", "flag"));
    assert_eq!(won(&document, "depth"), pair("8", "flag"));
}

#[test]
fn the_place_of_a_value_is_shown() {
    let path = file("place.toml", FILE);
    let ran = with(&[("IOBOUND_ERA", "2018-06")], &["predict", "--config", &path, "--show-config", "--wide"]);
    assert!(ran.out.contains("place.toml:2") && ran.out.contains("environment IOBOUND_ERA"), "{}", ran.out);
}

#[test]
fn a_misspelt_variable_is_named_and_the_python_modules_is_not() {
    let noted = |name: &str| {
        let ran = with(&[(name, "5")], &["predict", "--vm", "DS14", "--disk", "P30"]);
        ran.err.contains(&format!("{name} is set, and no option has that name"))
    };
    assert!(noted("IOBOUND_DEPHT"));
    assert!(!noted("IOBOUND_PROGRAM"));
}

#[test]
fn a_file_is_a_whole_question() {
    let path = file("whole.toml", FILE);
    let document = json(&run(&["predict", "--config", &path, "--json"]));
    assert_eq!(document["configuration"]["vm"], "Standard_DS13");
    assert_eq!(document["configuration"]["stripe_bytes"], 131_072);
    assert_eq!(document["volumes"][0]["name"], "big");
    assert_eq!(document["workload"]["jobs"][0]["description"], "16 KiB random read, 32 outstanding");
    // Times, seed and size can be laid over jobs from elsewhere.
    let document = json(&run(&["predict", "--config", &path, "--json", "--size", "10GiB", "--seed", "3"]));
    assert!(document["workload"]["toml"].as_str().unwrap().contains("size = \"10GiB\""));
    assert_eq!(document["workload"]["seed"], 3);
}

#[test]
fn a_job_in_flags_replaces_the_jobs_of_the_file() {
    let path = file("replaced.toml", FILE);
    let document = json(&run(&["predict", "--config", &path, "--json", "--depth", "2"]));
    assert_eq!(document["workload"]["jobs"][0]["description"], "4 KiB random read, 2 outstanding");
}

#[test]
fn a_switch_of_the_file_can_be_turned_off() {
    let path = file("switch.toml", "[machine]\nvm = \"DS14\"\nseparate = true\n[[disk]]\ndisk = \"2xP30\"\n");
    let volumes = |more: &[&str]| {
        let arguments = [&["predict", "--config", &path, "--json"], more].concat();
        json(&run(&arguments))["volumes"].as_array().unwrap().len()
    };
    assert_eq!((volumes(&[]), volumes(&["--separate=false"])), (2, 1));
}

#[test]
fn a_variable_that_means_nothing_is_named_on_standard_error() {
    let ran = with(&[("IOBOUND_VMM", "DS14")], &["predict", "--vm", "DS14", "--disk", "P30", "--json"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("IOBOUND_VMM"), "{ran:?}");
    assert!(serde_json::from_str::<Value>(&ran.out).is_ok());
}

#[test]
fn a_bad_value_is_told_where_it_was_written() {
    let ran = with(&[("IOBOUND_STRIPE", "64KX")], &["predict", "--vm", "DS14", "--disk", "P30"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("IOBOUND_STRIPE (environment)"), "{ran:?}");
}

#[test]
fn the_users_own_catalogue_wins_and_is_named() {
    let path = file("own.toml", "[[vm]]\nname = \"Standard_DS14\"\nuncached_iops = 20000\n");
    for (arguments, environment) in
        [(vec!["--catalog", path.as_str()], vec![]), (vec![], vec![("IOBOUND_CATALOG", path.as_str())])]
    {
        let words =
            [&["predict", "--vm", "DS14", "--disk", "10xP30", "--depth", "256", "--json"], &arguments[..]];
        let document = json(&with(&environment, &words.concat()));
        assert_eq!(document["ceiling"]["iops"], 20_400);
        assert!(document["notes"].to_string().contains("own.toml"), "{}", document["notes"]);
    }
}
