//! `iobound plan --build`: the commands that make a candidate, and those that test it.
#![allow(clippy::disallowed_methods)]

mod planned;

use std::process::Command;

use planned::{json, text};
use serde_json::Value;

const NEED: &str = "--iops 50000 --block 8KiB --read 70% --capacity 4TiB --region westeurope --headroom 0%";

#[test]
fn a_build_has_the_columns_and_the_interleave_of_the_plan() {
    let commands = text(&format!("{NEED} --build 1"));
    for line in [
        "# candidate 1: F16als_v6 with 17 x premiumv2 241 GiB",
        "--size Standard_F16als_v6",
        "--sku PremiumV2_LRS --size-gb 241 --disk-iops-read-write 3000 --disk-mbps-read-write 125",
        "mdadm --create /dev/md/data --level=0 --chunk=64K --raid-devices=17",
        "lvcreate --type striped -i 17 -I 64k",
        "mkfs.xfs -d su=64k,sw=17",
        "fio --name=data",
    ] {
        assert!(commands.contains(line), "{line}: {commands}");
    }
    let commands = text(&format!("{NEED} --os windows --build 1"));
    for line in ["-NumberOfColumns", "-Interleave 65536", "diskspd.exe -b8K -r -w30"] {
        assert!(commands.contains(line), "{line}: {commands}");
    }
}

const WITH_LOG: &str = "--iops 20000 --block 8KiB --read 70% --capacity 4TiB --latency p99:10ms --vcpus 8-16 --memory 64GiB- \
    --log 'iops=2000 block=32KiB capacity=256GiB'";

#[test]
fn a_build_has_the_commands_of_its_operating_system() {
    let plan = json(&format!("{WITH_LOG} --os windows"));
    let ideas = plan["ideas"].as_array().unwrap().iter();
    let local = ideas.filter(|idea| idea["names"].to_string().contains("with_local_disks"));
    let local =
        local.map(|idea| idea["candidates"][0].as_u64().unwrap()).next().expect("there are local disks");
    for number in [1, local] {
        let commands = text(&format!("{WITH_LOG} --os windows --build {number}"));
        for of_linux in ["mdadm", "lvcreate", "mkfs", "/dev/", "fio --name", "io_uring", "cat >"] {
            assert!(!commands.contains(of_linux), "{of_linux}: {commands}");
        }
        for of_windows in ["New-VirtualDisk", "-DriveLetter X", "-DriveLetter Y", "diskspd.exe"] {
            assert!(commands.contains(of_windows), "{of_windows}: {commands}");
        }
    }
    let commands = text(&format!("{WITH_LOG} --build 1"));
    for of_windows in ["New-VirtualDisk", "diskspd", "Set-Content", "X:"] {
        assert!(!commands.contains(of_windows), "{of_windows}: {commands}");
    }
}

/// Rate and 99th percentile of a prediction on a plan's first candidate, in I/Os a second and µs.
fn predicted(plan: &Value, arguments: &[&str]) -> [f64; 2] {
    let configuration = &plan["candidates"][0]["configuration"];
    let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
    program.args(["predict", "--json", "--vm", configuration["vm"].as_str().unwrap()]);
    for disk in configuration["disks"].as_array().unwrap() {
        program.args(["--disk", disk.as_str().unwrap()]);
    }
    let output = program.args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    [&answer["expected"]["iops"], &answer["latency_us"]["p99"]].map(|figure| figure.as_f64().unwrap())
}

#[test]
fn the_test_of_a_build_asks_for_the_rate_of_the_need() {
    // Without a rate, as many I/Os as the depth allows are issued, and they wait.
    let need =
        "--iops 20000 --block 8KiB --read 70% --capacity 4TiB --latency p99:10ms --candidates 1 --build 1";
    for (os, tool) in [("linux", "fio"), ("windows", "diskspd")] {
        let plan = json(&format!("{need} --os {os}"));
        let parts = plan["build"].as_array().unwrap().iter();
        let line = parts.clone().find(|part| part["tool"] == tool).unwrap()["commands"].as_str().unwrap();
        let [iops, p99] = predicted(&plan, &[&format!("--{tool}"), line.trim()]);
        assert!((19_500.0..=20_500.0).contains(&iops) && p99 <= 10_000.0, "{line}: {iops} IOPS, {p99} us");
    }
}

#[test]
fn the_jobs_of_a_build_are_the_need_of_data_and_log_together() {
    for (os, from, to) in [("linux", "cat > need.toml <<'END'\n", "\nEND\n"), ("windows", "@'\n", "\n'@")] {
        let plan = json(&format!("{WITH_LOG} --os {os} --candidates 1 --build 1"));
        let parts = plan["build"].as_array().unwrap().iter();
        let commands =
            parts.clone().find(|part| part["tool"] == "iobound").unwrap()["commands"].as_str().unwrap();
        let (_, rest) = commands.split_once(from).unwrap_or_else(|| panic!("{commands}"));
        let (jobs, rest) = rest.split_once(to).unwrap();
        let file = format!("{}/need-{os}.toml", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&file, jobs).unwrap();
        let [iops, p99] = predicted(&plan, &["--workload", &file]);
        assert!((21_500.0..=22_500.0).contains(&iops) && p99 <= 10_000.0, "{jobs}: {iops} IOPS, {p99} us");
        for disk in plan["candidates"][0]["configuration"]["disks"].as_array().unwrap() {
            assert!(rest.contains(&format!("--disk '{}'", disk.as_str().unwrap())), "{rest}");
        }
    }
}

/// Plans of several kinds, each with how it is built: few disks and many, one volume and two, both clouds, both systems.
const BUILT: [&str; 7] = [
    NEED,
    "--iops 500 --capacity 100GiB --disk-types premium",
    "--iops 3000 --capacity 500GiB --log 'iops=500 capacity=64GiB' --disk-types ultra,premium --os windows",
    "--iops 30000 --block 8KiB --capacity 4TiB --cloud aws --log 'iops=4000 capacity=64GiB'",
    "--iops 60000 --capacity 2TiB --cloud aws --disk-types gp3 --per-disk 0",
    "--iops 3000 --capacity 200GiB --temp 'iops=3000 capacity=50GiB' --log 'iops=100 block=4608B'",
    "--iops 5000 --capacity 1TiB --redundancy zrs --region westeurope --preset mysql-innodb",
];

fn parts(need: &str) -> Vec<(String, String)> {
    let plan = json(&format!("{need} --candidates 1 --build 1"));
    let parts = plan["build"].as_array().unwrap().iter();
    parts
        .map(|part| (part["tool"].as_str().unwrap().into(), part["commands"].as_str().unwrap().into()))
        .collect()
}

#[test]
fn shell_commands_of_a_build_are_a_shells() {
    for need in BUILT {
        for (tool, commands) in parts(need) {
            let is_of_windows = need.contains("windows") && tool != "az";
            if is_of_windows || tool == "terraform" {
                continue;
            }
            let mut shell = Command::new("bash");
            let output = shell.args(["-n", "-c", &commands]).output().expect("there is a bash");
            assert!(
                output.status.success(),
                "{need}, {tool}: {}\n{commands}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

#[test]
fn terraform_of_a_build_has_its_form_and_names_what_it_has() {
    for need in BUILT {
        let text = parts(need).into_iter().find(|(tool, _)| tool == "terraform").unwrap().1;
        let mut open = false;
        let mut made: Vec<String> = Vec::new();
        let mut named: Vec<String> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.matches('"').count() % 2 == 0, "{line}");
            if let Some(of) = line.strip_prefix("resource \"") {
                assert!(!open && line.ends_with("\" {"), "{line}");
                let words: Vec<&str> = of.split('"').collect();
                made.push(format!("{}.{}", words[0], words[2]));
                open = true;
            } else if line == "}" {
                assert!(open, "a brace closes nothing: {text}");
                open = false;
            } else {
                let (key, value) = line.trim().split_once('=').unwrap_or_else(|| panic!("{line}"));
                assert!(open && key.trim().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{line}");
                let value = value.trim();
                if let Some((of, _)) = value.split_once("[count.index].id") {
                    named.push(of.to_string());
                }
                let is_plain = value.starts_with('"')
                    || value.starts_with('[')
                    || value.contains('.')
                    || value == "true";
                assert!(is_plain || value.split(" + ").next().unwrap().parse::<u64>().is_ok(), "{line}");
            }
        }
        assert!(!open && !named.is_empty());
        assert!(named.iter().all(|of| made.contains(of)), "{named:?} of {made:?}");
    }
}

#[test]
fn disks_of_a_build_have_places_of_their_own_that_the_vm_has() {
    for need in BUILT {
        let plan = json(&format!("{need} --candidates 1 --build 1"));
        let configuration = &plan["candidates"][0]["configuration"];
        let count = |disk: &Value| {
            let text = disk.as_str().unwrap().split_once('=').unwrap().1.to_string();
            text.split_once('x').and_then(|(count, _)| count.parse::<u64>().ok()).unwrap_or(1)
        };
        let disks = configuration["disks"].as_array().unwrap().iter();
        let attached: u64 =
            disks.filter(|disk| !disk.as_str().unwrap().starts_with("temp=")).map(count).sum();
        let script = plan["build"][0]["commands"].as_str().unwrap();
        let mut places: Vec<String> = Vec::new();
        for line in script.lines() {
            if let Some(range) =
                line.strip_prefix("for lun in $(seq ").and_then(|rest| rest.strip_suffix("); do"))
            {
                let (from, to) = range.split_once(' ').unwrap();
                let range = from.parse::<u64>().unwrap()..=to.parse::<u64>().unwrap();
                places.extend(range.map(|lun| lun.to_string()));
            } else if let Some(names) =
                line.strip_prefix("for device in ").and_then(|rest| rest.strip_suffix("; do"))
            {
                places.extend(names.split(' ').map(str::to_string));
            }
        }
        assert_eq!(places.len() as u64, attached, "{need}");
        let all = places.len();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), all, "{need}: a place is taken twice");
        let vm = configuration["vm"].as_str().unwrap().split(':').next().unwrap();
        let shown = Command::new(env!("CARGO_BIN_EXE_iobound"))
            .args(["catalog", "show", vm, "--json"])
            .output()
            .unwrap();
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let figures = shown["figures"].as_array().unwrap();
        let most = figures
            .iter()
            .find(|figure| figure["name"] == "max_data_disks" || figure["name"] == "max_ebs_attachments")
            .map(|figure| figure["value"].as_str().unwrap().parse::<u64>().unwrap())
            .unwrap();
        assert!(attached <= most, "{need}: {attached} disks on {vm} of {most}");
    }
}

#[test]
fn lines_that_prove_a_build_are_read_by_this_program_too() {
    for need in BUILT {
        for (tool, commands) in parts(need) {
            if !matches!(tool.as_str(), "fio" | "diskspd") {
                continue;
            }
            for line in commands.lines().filter(|line| !line.starts_with('#')) {
                let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
                program
                    .args(["predict", "--json", "--vm", "D16as_v6", "--disk", "4xP30"])
                    .arg(format!("--{tool}"))
                    .arg(line);
                let output = program.output().unwrap();
                assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
}
