//! `iobound emulate`: what is served is used by a client that speaks NBD by the specification's own bytes, changed while it
//! runs, and ends cleanly.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that an emulator leaves")]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use common::emulator::{Emulator, emulate, in_folder};
use common::ran;
use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
use serde_json::Value;

/// The protocol's number of an I/O error: EIO.
const EIO: u32 = 5;

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

/// timeout(1) signals its child, and then the group that both are in.
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let emulator = Emulator::start("--vm DS14 --disk P30");
    let (last, code, folder) = emulator.end_by(&[Signal::TERM, Signal::TERM]);
    assert_eq!((last["event"].as_str(), code), (Some("end"), 0));
    assert!(!folder.path().join("emulator.sock").exists());
}

#[test]
fn what_is_written_to_a_volume_is_on_its_disks_and_an_interrupt_ends_it_cleanly() {
    let emulator = Emulator::start("--vm DS14 --disk 2xP10");
    assert_eq!(
        (&emulator.ready["schema"], &emulator.ready["event"]),
        (&"iobound.emulate/1".into(), &"ready".into())
    );
    assert_eq!(names(&emulator.ready["devices"]), ["data", "data.0", "data.1"]);
    let mode = fs::metadata(emulator.path("emulator.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut data = emulator.attach("data");
    // Two P10 of 128 GiB.
    assert_eq!(data.size, 2 * (128 << 30));
    let block: Vec<u8> = (0..8192u32).map(|n| (n / 512) as u8 + 1).collect();
    // The second stripe unit is the first of the second disk.
    data.write(64 << 10, &block);
    assert_eq!(data.read(64 << 10, 8192), (0, block.clone()));
    assert_eq!(emulator.attach("data.1").read(0, 8192), (0, block));
    let state = emulator.state_when(|state| state["devices"][0]["write"]["ios"] == 1);
    assert_eq!(state["devices"][0]["write"]["bytes"], 8192);
    assert_eq!(state["devices"][2]["read"]["bytes"], 8192);
    let (last, code, folder) = emulator.interrupt();
    assert_eq!((code, &last["event"], &last["because"]), (0, &"end".into(), &"a signal".into()), "{last}");
    assert_eq!(last["devices"][0]["read"]["ios"], 1);
    assert!(!folder.path().join("emulator.sock").exists());
    let left: Vec<_> = fs::read_dir(folder.path().join("iobound")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn commands_change_what_runs() {
    let mut emulator = Emulator::start("--vm DS14 --disk P30");
    let mut data = emulator.attach("data");
    emulator.told("fault data errors=100%");
    assert_eq!(data.read(0, 4096).0, EIO);
    let state = emulator.state_when(|state| state["faults"] != Value::Array(Vec::new()));
    assert_eq!(state["faults"][0], "data: 100 % of I/Os fail");
    emulator.told("fault data off");
    assert_eq!(data.read(0, 4096).0, 0);
    emulator.told("cache data readwrite");
    data.write(0, &[7; 4096]);
    // A write to the cache is a hit when it is read.
    assert_eq!(data.read(0, 4096), (0, vec![7; 4096]));
    let state = emulator.state_when(|state| state["caches"][0]["hits"] == 1);
    assert_eq!(state["disks"][0]["cache"], "readwrite");
    // The size stays, as on Azure; the limits are a P40's: 7,500 IOPS.
    emulator.told("tier data P40");
    let state = emulator.state_when(|state| state["limits"].to_string().contains("7500"));
    assert!(names(&state["limits"]).contains(&"disk.iops"));
    assert_eq!(emulator.attach("data").size, 1 << 40);
    let said = emulator.told("add-disk log=2xP10");
    assert!(said["said"].to_string().contains("log, log.0, log.1"), "{said}");
    let mut log = emulator.attach("log");
    log.write(0, &[9; 512]);
    assert_eq!(emulator.attach("log.0").read(0, 512), (0, vec![9; 512]));
    emulator.told("warm");
    emulator.told("drop-cache");
    emulator.told("bad-host 2x for=1ms");
    emulator.told("stop");
    let (last, code) = emulator.last();
    assert_eq!((code, &last["because"]), (0, &"ctl stop".into()));
}

#[test]
fn a_command_that_makes_no_sense_is_told_how_to_be_mended() {
    let emulator = Emulator::start("--vm DS14 --disk 2xP30");
    for (words, parts) in [
        ("reboot", ["`reboot` is not a command", "drop-cache"]),
        ("cache log none", ["log", "data"]),
        ("cache data.2 readonly", ["data.2", "data.1"]),
        ("tier data.0 temp", ["local disk of the VM", "P40"]),
        ("tier data.0 2xP40", ["is not a tier", "P40"]),
        ("tier data P31", ["P31", "did you mean"]),
        ("add-disk data=P30", ["data", ""]),
        ("add-disk 63xP30", ["65 disks", "DS14"]),
        ("credits all drain", ["credits", "P20"]),
        ("warm", ["cache", ""]),
        ("fault data latency=0x", ["`0x` is not a factor", "5x"]),
    ] {
        let refused = emulator.ctl(words);
        assert_eq!(refused.code, 2, "{words}: {refused:?}");
        for part in parts {
            assert!(refused.err.contains(part), "{words}: `{part}` is not in {}", refused.err);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = ran(in_folder(folder.path()).args(["ctl", "state"]).output().unwrap());
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("you have no running emulator"), "{}", alone.err);
}

#[test]
fn what_a_cache_has_acknowledged_is_lost_with_its_host_and_what_was_flushed_is_not() {
    let emulator = Emulator::start("--vm DS14 --disk P30:readwrite --crash");
    let mut data = emulator.attach("data");
    data.write(0, &[1; 4096]);
    assert_eq!(data.ask(3, 0, 0, &[]).0, 0, "a flush");
    // Nothing is written back while the disk stalls; the cache acknowledges all the same.
    emulator.told("fault data stall=1000s");
    data.write(0, &[2; 4096]);
    data.write(1 << 20, &[3; 512]);
    let said = emulator.told("crash")["said"].to_string();
    assert!(said.contains("data: 4608 acknowledged bytes are lost"), "{said}");
    emulator.told("fault data off");
    assert_eq!(data.read(0, 4096), (0, vec![1; 4096]));
    assert_eq!(data.read(1 << 20, 512), (0, vec![0; 512]));
    emulator.told("fault data stall=1000s");
    data.write(0, &[4; 512]);
    let (last, code, _) = emulator.interrupt();
    assert_eq!((code, &last["lost"][0]["disk"], &last["lost"][0]["bytes"]), (0, &"data".into(), &512.into()));
}

#[test]
fn a_folder_keeps_what_was_written_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disks")).unwrap();
    let words = "--vm DS14 --disk P10:readwrite --backing disks";
    let emulator = Emulator::start_in(folder, words);
    emulator.attach("data").write(4096, &[5; 4096]);
    let (_, code, folder) = emulator.interrupt();
    assert_eq!(code, 0);
    let emulator = Emulator::start_in(folder, words);
    // A clean end has written back what its cache held.
    assert_eq!(emulator.attach("data").read(4096, 4096), (0, vec![5; 4096]));
}

#[test]
fn a_folder_for_the_files_is_made_and_one_that_stays_empty_goes() {
    let emulator = Emulator::start("--vm DS14 --disk P10 --backing disks");
    assert!(
        emulator.ready["backing"].as_str().unwrap().contains("disks, which was made"),
        "{}",
        emulator.ready
    );
    emulator.attach("data").write(0, &[5; 512]);
    let refused = ran(in_folder(emulator.folder.path())
        .args("--vm DS14 --disk P10 --backing more --nbd unix:emulator.sock --transport-cost 0us".split(' '))
        .output()
        .unwrap());
    assert_eq!(refused.code, 4, "{refused:?}");
    let (_, _, folder) = emulator.interrupt();
    assert!(folder.path().join("disks").is_dir());
    assert_eq!(fs::read_dir(folder.path().join("disks")).unwrap().count(), 1);
}

#[test]
fn a_volume_begins_with_its_image_which_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("db.raw"), [6; 8192]).unwrap();
    let emulator = Emulator::start_in(folder, "--vm DS14 --disk 2xP10 --image data=db.raw");
    let mut data = emulator.attach("data");
    assert_eq!(data.read(0, 8192), (0, vec![6; 8192]));
    data.write(0, &[7; 512]);
    assert_eq!(data.read(0, 1024), (0, [[7; 512], [6; 512]].concat()));
    assert_eq!(fs::read(emulator.path("db.raw")).unwrap(), [6; 8192]);
}

#[test]
fn files_are_the_same_data_and_go_with_the_emulator() {
    if fs::OpenOptions::new().read(true).write(true).open("/dev/fuse").is_err() {
        eprintln!("no FUSE here: the files of --fuse are not tried");
        return;
    }
    let emulator = Emulator::start("--vm DS14 --disk 2xP10 --fuse disks");
    let file = emulator.path("disks/data");
    assert_eq!(fs::metadata(&file).unwrap().len(), 2 * (128 << 30));
    let mut written = fs::OpenOptions::new().write(true).open(&file).unwrap();
    written.write_all(b"written as a file").unwrap();
    drop(written);
    assert_eq!(&emulator.attach("data").read(0, 512).1[..17], b"written as a file");
    emulator.told("add-disk log=P10");
    assert_eq!(fs::metadata(emulator.path("disks/log")).unwrap().len(), 128 << 30);
    let (last, code, folder) = emulator.interrupt();
    assert_eq!((code, &last["fronts"][1]["front"]), (0, &"fuse".into()));
    assert!(!folder.path().join("disks").exists());
}

#[test]
fn a_killed_emulator_leaves_no_dead_mount() {
    if fs::OpenOptions::new().read(true).write(true).open("/dev/fuse").is_err() {
        eprintln!("no FUSE here: the files of --fuse are not tried");
        return;
    }
    let mut emulator = Emulator::start("--vm DS14 --disk P10 --fuse disks");
    let disks = emulator.path("disks");
    assert!(disks.join("data").exists());
    emulator.child.kill().unwrap();
    emulator.child.wait().unwrap();
    let is_mounted = || fs::read_to_string("/proc/self/mountinfo").unwrap().contains(disks.to_str().unwrap());
    let began = std::time::Instant::now();
    while is_mounted() || disks.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "the mount stays");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Nothing has been written there, and reads take the disk's time all the same.
#[test]
fn the_run_that_is_printed_ends_without_a_failed_check() {
    if fs::OpenOptions::new().read(true).write(true).open("/dev/fuse").is_err() {
        eprintln!("no FUSE here: the lines of --fuse are not tried");
        return;
    }
    let emulator = Emulator::start("--vm DS14 --disk P30 --fuse disks");
    let attach = emulator.ready["attach"].as_array().unwrap().iter();
    let lines = attach.flat_map(|attach| attach["lines"].as_array().unwrap()).filter_map(Value::as_str);
    let line = lines.filter_map(|line| line.strip_prefix("iobound ")).next().expect("a run is printed");
    let words: Vec<&str> = line.split(' ').chain(["--duration", "2s", "--json", "--strict"]).collect();
    let answer = common::json(&ran(common::beside_others(&words).output().unwrap()));
    let checks = answer["checks"].as_array().unwrap();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["outcome"] == "failed").collect();
    assert!(failed.is_empty() && !checks.is_empty(), "{failed:?}");
    // A P30 without credits is 5,000 IOPS, enforced as 1.02 × that; in a window of 40 slices there are 42 quotas at the most.
    let iops = answer["iops"].as_f64().unwrap();
    assert!(iops <= 5_100.0 * 42.0 / 40.0 + 32.0, "{iops}");
}

#[test]
fn metrics_are_there_for_prometheus() {
    let emulator = Emulator::start("--vm DS14 --disk P30 --metrics 127.0.0.1:0");
    let at = emulator.ready["metrics"].as_str().unwrap().to_string();
    let address = at.strip_prefix("http://").and_then(|at| at.strip_suffix("/metrics")).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    for part in [
        "HTTP/1.1 200 OK",
        "iobound_device_ios_total{device=\"data\",op=\"read\"} 0",
        "azure_vm_uncached_iops_",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_page_of_the_start_has_lines_to_copy_and_ends_with_ready() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        "--vm DS14 --disk 10xP30:readonly --disk log=2xP20 --nbd unix:a.sock --memory 16MiB --duration 100ms";
    let shown = ran(in_folder(folder.path()).args(words.split_whitespace()).output().unwrap());
    assert_eq!(shown.code, 0, "{shown:?}");
    let (start, end) = shown.out.split_once("\nready\n").expect("it says that it is ready");
    let socket = folder.path().join("a.sock");
    for part in [
        &format!("nbd-client -unix {} /dev/nbd0 -name data", socket.display()),
        &format!("nbdinfo 'nbd+unix:///data?socket={}'", socket.display()),
        "disks IOPS",
        "hit: VM cached, host cache",
        "memory holds at most 16 MiB",
        "is subtracted from every latency",
    ] {
        assert!(start.contains(part), "`{part}` is not in {start}");
    }
    // What is to be copied is never broken; everything else fits.
    let page = start.split("\n\nnbd, as root:").next().unwrap();
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    assert!(end.contains("ended     by --duration"), "{end}");
    assert!(!shown.out.contains('\x1b') && !shown.err.contains('\x1b'));
    let narrow = words.to_string();
    let shown =
        ran(in_folder(folder.path()).env("COLUMNS", "60").args(narrow.split_whitespace()).output().unwrap());
    let page = shown.out.split("\n\nnbd, as root:").next().unwrap();
    assert!(page.lines().all(|line| line.chars().count() <= 60), "{page}");
}

#[test]
fn what_makes_no_sense_is_refused_with_the_mend() {
    let p30 = "--vm DS14 --disk P30";
    let nbd = "--nbd unix:a.sock";
    for (words, code, parts) in [
        (p30.to_string(), 2, ["--nbd unix:iobound.sock", "--fuse disks"]),
        (format!("{p30} --nbd a.sock"), 2, ["`a.sock`", "unix:PATH"]),
        (format!("{p30} --nbd tcp:0.0.0.0:10809"), 2, ["read and write the disks", "--allow 0.0.0.0"]),
        (
            format!("{p30} {nbd} --allow 192.168.0.5"),
            2,
            ["no --nbd address uses it", "--nbd tcp:192.168.0.5"],
        ),
        (format!("{p30} {nbd} --allow-other"), 2, ["--allow-other", "--fuse"]),
        (format!("{p30} {nbd} --metrics 0.0.0.0:9464"), 2, ["--metrics", "127.0.0.1:9464"]),
        (format!("{p30} {nbd} --limits maybe"), 2, ["--limits", "on or off"]),
        (format!("{p30} {nbd} --limits off --transport-cost 5us"), 2, ["--transport-cost", "--limits off"]),
        (
            format!("{p30} {nbd} --limits off --media read=1ms"),
            2,
            ["--media", "removes all limits and latencies"],
        ),
        (format!("{p30} {nbd} --memory 4KiB"), 2, ["--memory", "1MiB"]),
        (format!("{p30} {nbd} --memory 4000TiB"), 3, ["--memory", "lower --memory"]),
        (format!("{p30} {nbd} --image db=x.raw"), 2, ["no volume has this name", "data"]),
        (format!("{p30} {nbd} --image data=x.raw"), 3, ["x.raw", "No such file"]),
        (format!("{p30} {nbd} --backing nowhere/disks"), 3, ["nowhere", "name an existing folder"]),
        (format!("{p30} {nbd} --cache-state second-run"), 2, ["second-run", "P30:readonly"]),
        (format!("{p30} {nbd} --at 20min"), 2, ["--at", "burst credits"]),
        (format!("{p30} {nbd} --block 8KiB"), 2, ["--block", "--at 20min"]),
        (format!("{p30}:readonly {nbd} --cache-state cold --preset kafka"), 2, ["--preset", "leave it out"]),
        (format!("{p30}:readonly {nbd} --map e:=data"), 2, ["--map", "mapping"]),
        (format!("{p30} {nbd} --map e:=data"), 2, ["--map", "the previous workload"]),
        (format!("{p30}:readonly {nbd} --ran-for 1min"), 2, ["--ran-for", "second-run"]),
        (format!("{p30} {nbd} --cache-state cold"), 2, ["--cache-state", "P30:readonly"]),
        (format!("{p30} {nbd} --duration 0"), 2, ["--duration", "30s"]),
        (format!("{p30} {nbd} --spin=often"), 2, ["--spin", "always"]),
        (format!("--vm DS14 {nbd}"), 2, ["no disk is given", "--disk"]),
        ("ctl".to_string(), 2, ["WORDS", "ctl"]),
        ("ctl state --seed 1".to_string(), 2, ["--seed", "when you start the emulator"]),
    ] {
        let refused = emulate(&words);
        assert_eq!((refused.code, refused.out.as_str()), (code, ""), "{words}: {refused:?}");
        for part in parts {
            assert!(refused.err.contains(part), "{words}: `{part}` is not in {}", refused.err);
        }
    }
}

#[test]
fn the_help_has_lines_to_run_and_every_command() {
    let help = emulate("--help");
    assert_eq!(help.code, 0);
    assert!(help.out.matches("  iobound emulate --vm").count() >= 5, "{}", help.out);
    let help = emulate("ctl --help");
    for command in [
        "cache DISK",
        "tier DISK",
        "add-disk",
        "credits",
        "warm",
        "drop-cache",
        "fault",
        "bad-host",
        "crash",
        "stop",
    ] {
        assert!(help.out.contains(&format!("\n  {command}")), "{command}: {}", help.out);
    }
}

#[test]
fn a_socket_that_is_in_use_is_not_taken() {
    let emulator = Emulator::start("--vm DS14 --disk P30");
    let words = "--vm DS14 --disk P30 --nbd unix:emulator.sock --transport-cost 0us --memory 16MiB";
    let refused = ran(in_folder(emulator.folder.path()).args(words.split_whitespace()).output().unwrap());
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.err.contains("emulator.sock"), "{}", refused.err);
    assert_eq!(emulator.attach("data").read(0, 512).0, 0);
}

#[test]
fn clients_without_a_descriptor_for_them_are_let_in_when_there_is_one() {
    // Who waits for a command has reserved a number that nobody sees.
    const LEAST: usize = 6;
    let emulator = Emulator::start("--vm DS14 --disk data=P1 --limits off");
    let pid = Pid::from_child(&emulator.child);
    // By their numbers, which is what the limit is on.
    let open = || -> Vec<u64> {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse().unwrap()).collect()
    };
    let limit = |current| {
        let maximum = rustix::process::getrlimit(Resource::Nofile).maximum;
        prlimit(Some(pid), Resource::Nofile, Rlimit { current: Some(current), maximum }).unwrap();
    };
    let before = open();
    let most = (0..).filter(|number| !before.contains(number)).nth(8).unwrap();
    limit(most);
    let mut clients: Vec<UnixStream> =
        (0..20).map(|_| UnixStream::connect(emulator.path("emulator.sock")).unwrap()).collect();
    for _ in 0..600 {
        if open().len() >= before.len() + LEAST {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let let_in = open().len() - before.len();
    assert!((LEAST..=8).contains(&let_in), "{let_in} are let in with eight descriptors");
    // Who was let in is served all the while.
    let mut greeting = [0; 18];
    clients[0].read_exact(&mut greeting).unwrap();
    // Nothing tells it that there are more now.
    limit(most + 100);
    for client in &mut clients[1..] {
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        client.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting[..8], b"NBDMAGIC");
    }
    assert_eq!(emulator.interrupt().1, 0);
}
