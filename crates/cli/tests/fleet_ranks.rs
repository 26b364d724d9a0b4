//! Several processes of `iobound run` as ranks on this machine: they start together, are one result, and whoever dies, hangs,
//! is refused or can't go on is named.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run leaves")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use common::folder::Folder;
use common::{Ran, beside_others};
use serde_json::Value;

impl Folder {
    /// A secret of so many equal letters, in a file of this user.
    fn token(&self, name: &str, letter: &str) -> String {
        fs::write(self.path(name), letter.repeat(32)).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).unwrap();
        self.text(name)
    }
}

/// Small, through the page cache, with several intervals.
const SMALL: [&str; 6] = ["--size", "1MiB", "--buffered", "--duration", "1s", "--json"];
const LONG: [&str; 6] = ["--size", "1MiB", "--buffered", "--duration", "60s", "--json"];

/// A rank that runs, and what it says while it does.
struct Running {
    child: Child,
    out: std::thread::JoinHandle<String>,
    err: Option<BufReader<std::process::ChildStderr>>,
    said: String,
}

impl Running {
    fn new(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let out = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        let err = child.stderr.take().map(BufReader::new);
        Running { child, out, err, said: String::new() }
    }

    /// Waits until it says this on standard error.
    fn until(&mut self, part: &str) {
        let err = self.err.as_mut().unwrap();
        let from = self.said.len();
        while !self.said[from..].contains(part) {
            assert!(err.read_line(&mut self.said).unwrap() > 0, "it ended without '{part}': {}", self.said);
        }
    }

    fn signal(&self, signal: &str) {
        assert!(
            Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success()
        );
    }

    fn ended(mut self) -> Ran {
        let mut err = self.said;
        self.err.take().unwrap().read_to_string(&mut err).unwrap();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Ran { code, out: self.out.join().unwrap(), err }
    }
}

/// The ranks of one command, as Open MPI starts them on one machine.
fn mpirun(folder: &Folder, ranks: usize, words: &[&str]) -> Vec<Command> {
    let of = ranks.to_string();
    let rank = |rank: usize| {
        let mut command = beside_others(words);
        command
            .env("OMPI_COMM_WORLD_RANK", rank.to_string())
            .env("OMPI_COMM_WORLD_SIZE", &of)
            .env("OMPI_COMM_WORLD_LOCAL_RANK", rank.to_string())
            .env("OMPI_COMM_WORLD_LOCAL_SIZE", &of)
            .env("PMIX_NAMESPACE", format!("prterun-test-{}@1", std::process::id()))
            .env("XDG_RUNTIME_DIR", folder.here());
        command
    };
    (0..ranks).map(rank).collect()
}

fn all(commands: Vec<Command>) -> Vec<Ran> {
    let running: Vec<Running> = commands.into_iter().map(Running::new).collect();
    running.into_iter().map(Running::ended).collect()
}

/// One of several by its flags, at a socket of the test's own.
fn by_flags(folder: &Folder, rank: usize, of: usize, words: &[&str]) -> Command {
    let mut command = beside_others(words);
    command.args([
        "--rank",
        &rank.to_string(),
        "--of",
        &of.to_string(),
        "--meet",
        &folder.text("coordinator"),
    ]);
    command
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn number(document: &Value, pointer: &str) -> u64 {
    document.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer} in {document}"))
}

/// The bins of the reads of a document's first job.
fn bins(document: &Value) -> BTreeMap<u64, u64> {
    let bins = document.pointer("/jobs/0/histograms/read/bins").and_then(Value::as_array).unwrap();
    bins.iter().map(|bin| (bin[0].as_u64().unwrap(), bin[1].as_u64().unwrap())).collect()
}

#[test]
fn ranks_of_a_launcher_are_one_result_whose_histogram_is_the_sum_of_theirs() {
    let folder = Folder::new();
    let (data, own) = (folder.text("data"), folder.text("own-{rank}.json"));
    fs::create_dir(&data).unwrap();
    let page = folder.text("page.html");
    let words = [&["run", &data, "--own-result", &own, "--html", &page][..], &SMALL].concat();
    let ran = all(mpirun(&folder, 3, &words));
    for (rank, ran) in ran.iter().enumerate() {
        assert_eq!(ran.code, 0, "rank {rank}: {ran:?}");
    }
    for other in &ran[1..] {
        assert_eq!(other.out, "", "only the coordinator answers");
        assert_eq!(other.err.lines().count(), 1, "{}", other.err);
    }
    let together = document(&ran[0]);
    assert_eq!(together["schema"], "iobound.result/1");
    assert_eq!((number(&together, "/fleet/ranks"), number(&together, "/fleet/reported")), (3, 3));
    assert_eq!(together["fleet"]["launcher"], "open_mpi");
    assert_eq!(together["ended"], "complete");
    let each: Vec<Value> = (0..3)
        .map(|rank| {
            let text = fs::read_to_string(folder.path(&format!("own-{rank}.json"))).unwrap();
            serde_json::from_str(&text).unwrap()
        })
        .collect();
    // Counts are added, and so is each bin: nothing is averaged.
    let ios: u64 = each.iter().map(|own| number(own, "/ios")).sum();
    assert_eq!(number(&together, "/ios"), ios);
    let mut sum: BTreeMap<u64, u64> = BTreeMap::new();
    each.iter().flat_map(bins).for_each(|(bin, count)| *sum.entry(bin).or_default() += count);
    assert_eq!(bins(&together), sum);
    // Each made a file of its own, and drew its own numbers.
    for rank in 0..3 {
        assert!(folder.path(&format!("data/iobound.rank{rank}.0.data")).exists());
        assert_eq!(number(&together, &format!("/hosts/{rank}/rank")), rank);
        assert_eq!(number(&together, &format!("/hosts/{rank}/ios")), number(&each[rank as usize], "/ios"));
    }
    let seeds: Vec<&Value> = each.iter().map(|own| &own["start"]["seed"]).collect();
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2], "{seeds:?}");
    assert!(fs::read_to_string(page).unwrap().contains("Figures of each host"));
}

#[test]
fn ranks_meet_over_tcp_with_a_token_and_the_coordinator_keeps_the_run() {
    let folder = Folder::new();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (meet, token, store) =
        (format!("127.0.0.1:{port}"), folder.token("t", "a"), folder.text("results.db"));
    let here = folder.here();
    let words = [&["run", &here, "--of", "2", "--meet", &meet, "--token-file", &token][..], &SMALL].concat();
    let rank = |rank: &str| {
        let mut command = beside_others(&words);
        command.args(["--rank", rank]).env("IOBOUND_RESULTS", &store);
        command
    };
    let ran = all(vec![rank("0"), rank("1")]);
    assert!(ran.iter().all(|ran| ran.code == 0), "{ran:?}");
    let together = document(&ran[0]);
    assert_eq!(number(&together, "/fleet/reported"), 2);
    let mut shown = common::program();
    shown.args(["results", "show", "r-1"]).env("IOBOUND_RESULTS", &store);
    let shown = common::ran(shown.output().unwrap());
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("2 by given") && shown.out.contains("per host"), "{}", shown.out);
    let mut second = common::program();
    second.args(["results", "show", "r-2"]).env("IOBOUND_RESULTS", &store);
    assert_eq!(common::ran(second.output().unwrap()).code, 2, "only the coordinator keeps it");
}

#[test]
fn a_meeting_over_the_network_needs_a_token_and_the_same_one() {
    let folder = Folder::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (meet, here) = (format!("127.0.0.1:{port}"), folder.here());
    let none = [&["run", &here, "--rank", "0", "--of", "2", "--meet", &meet][..], &SMALL].concat();
    let refused = common::ran(beside_others(&none).output().unwrap());
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("--token-file"), "{}", refused.err);
    let rank = |rank: &str, token: &str| {
        let words = ["--rank", rank, "--of", "2", "--meet", &meet, "--join-within", "4s"];
        let mut command = beside_others(&[&["run", &here][..], &SMALL].concat());
        command.args(words).args(["--token-file", token]);
        command
    };
    let (right, wrong) = (folder.token("right", "a"), folder.token("wrong", "b"));
    let ran = all(vec![rank("0", &right), rank("1", &wrong)]);
    assert!(ran[1].code == 2 && ran[1].err.contains("token"), "{:?}", ran[1]);
    assert!(!ran[1].err.contains(&"a".repeat(32)) && !ran[0].err.contains(&"b".repeat(32)));
    assert_ne!(ran[0].code, 0, "rank 1 never came: {:?}", ran[0]);
    assert!(ran[0].err.contains("rank 1") && ran[0].err.contains("token"), "{}", ran[0].err);
}

#[test]
fn a_rank_that_dies_is_named_and_the_others_finish() {
    let folder = Folder::new();
    let here = folder.here();
    let words =
        ["run", &here, "--size", "1MiB", "--buffered", "--duration", "3s", "--interval", "200ms", "--json"];
    let mut ranks: Vec<Running> = mpirun(&folder, 3, &words).into_iter().map(Running::new).collect();
    ranks[0].until("counted");
    ranks[1].signal("-KILL");
    let ran: Vec<Ran> = ranks.into_iter().map(Running::ended).collect();
    assert_eq!((ran[0].code, ran[2].code), (4, 0), "{ran:?}");
    let together = document(&ran[0]);
    assert_eq!(number(&together, "/fleet/reported"), 2);
    assert_eq!(number(&together, "/fleet/missing/0/rank"), 1);
    assert_eq!(together["hosts"].as_array().unwrap().len(), 2);
    assert!(ran[0].err.contains("rank 1"), "{}", ran[0].err);
    let check = together["checks"].as_array().unwrap().iter().find(|check| check["name"] == "ranks").unwrap();
    assert_eq!(check["outcome"], "failed");
}

#[test]
fn ctrl_c_at_the_coordinator_ends_all_ranks_and_says_what_was_done() {
    let folder = Folder::new();
    let here = folder.here();
    let words = [&["run", &here][..], &LONG].concat();
    let mut ranks: Vec<Running> = mpirun(&folder, 2, &words).into_iter().map(Running::new).collect();
    ranks[0].until("counted");
    ranks[0].signal("-INT");
    let ran: Vec<Ran> = ranks.into_iter().map(Running::ended).collect();
    assert_eq!((ran[0].code, ran[1].code), (5, 0), "{ran:?}");
    let together = document(&ran[0]);
    assert_eq!(together["ended"], "interrupted");
    assert_eq!(number(&together, "/fleet/reported"), 2);
    assert!(number(&together, "/ios") > 0);
}

#[test]
fn a_rank_whose_coordinator_is_lost_ends_and_has_its_own_answer() {
    let folder = Folder::new();
    let store = folder.text("own.db");
    let here = folder.here();
    let words = [&["run", &here][..], &LONG].concat();
    let commands = mpirun(&folder, 2, &words).into_iter().map(|mut command| {
        command.env("IOBOUND_RESULTS", &store);
        command
    });
    let mut ranks: Vec<Running> = commands.map(Running::new).collect();
    ranks[0].until("counted");
    ranks[0].signal("-KILL");
    let ran: Vec<Ran> = ranks.into_iter().map(Running::ended).collect();
    assert_eq!(ran[1].code, 4, "{:?}", ran[1]);
    assert!(ran[1].err.contains("the coordinator is lost"), "{}", ran[1].err);
    let own = document(&ran[1]);
    assert!(number(&own, "/ios") > 0 && own.get("fleet").is_none());
    assert_eq!(own["id"], "r-1", "it is kept");
}

#[test]
fn what_one_rank_can_not_use_ends_all_of_them_with_its_name() {
    let folder = Folder::new();
    fs::create_dir(folder.path("part0")).unwrap();
    let target = folder.text("part{rank}");
    let words = ["run", &target, "--buffered", "--duration", "1s", "--json"];
    let ran = all(mpirun(&folder, 2, &words));
    assert_eq!((ran[0].code, ran[1].code), (2, 2), "{ran:?}");
    for ran in &ran {
        assert!(ran.err.contains("rank 1") && ran.err.contains(&folder.text("part1")), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
}

#[test]
fn one_file_that_several_ranks_would_write_to_is_refused() {
    let folder = Folder::new();
    let file = folder.text("one");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    let words =
        ["run", &file, "--overwrite", &file, "--read", "0%", "--buffered", "--duration", "1s", "--json"];
    let ran = all(mpirun(&folder, 2, &words));
    assert!(ran.iter().all(|ran| ran.code == 2), "{ran:?}");
    assert!(ran[0].err.contains("{rank}"), "{}", ran[0].err);
    assert_eq!(fs::read(&file).unwrap(), vec![1; 1 << 20]);
    // Reading it together is allowed.
    let read = all(mpirun(&folder, 2, &["run", &file, "--buffered", "--duration", "1s", "--json"]));
    assert!(read.iter().all(|ran| ran.code == 0), "{read:?}");
    assert!(read[0].err.contains("together"), "{}", read[0].err);
}

#[test]
fn ranks_by_hand_that_write_to_one_file_are_told_apart_by_its_lock() {
    let folder = Folder::new();
    let file = folder.text("one");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    let words =
        ["run", &file, "--overwrite", &file, "--read", "0%", "--buffered", "--duration", "1s", "--json"];
    let ran = all((0..2).map(|rank| by_flags(&folder, rank, 2, &words)).collect());
    assert!(ran.iter().all(|ran| ran.code == 3), "{ran:?}");
    assert!(ran[0].err.contains("another rank"), "{}", ran[0].err);
}

#[test]
fn a_size_of_one_and_alone_are_no_fleet() {
    let folder = Folder::new();
    let here = folder.here();
    let words = [&["run", &here][..], &SMALL].concat();
    let one = all(mpirun(&folder, 1, &words));
    assert_eq!(one[0].code, 0, "{one:?}");
    assert!(document(&one[0]).get("fleet").is_none());
    let mut commands = mpirun(&folder, 2, &[&words[..], &["--alone"]].concat());
    commands.truncate(1);
    let alone = all(commands);
    assert_eq!(alone[0].code, 0, "{alone:?}");
    assert!(document(&alone[0]).get("fleet").is_none());
}

#[test]
fn what_is_of_one_machine_is_refused_of_several() {
    let folder = Folder::new();
    let here = folder.here();
    for words in [&["--find-knee"][..], &["--until", "steady"], &["--vs", "--depth 2"]] {
        let words = [&["run", &here, "--buffered"][..], words].concat();
        let refused = common::ran(by_flags(&folder, 0, 2, &words).output().unwrap());
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains("--alone"), "{}", refused.err);
    }
    let rank = ["run", &folder.here(), "--rank", "1"].map(str::to_string);
    let half = common::ran(beside_others(&rank.each_ref().map(String::as_str)).output().unwrap());
    assert!(half.code == 2 && half.err.contains("--of"), "{half:?}");
    let idle = ["run", &folder.here(), "--meet", "db0:7711"].map(str::to_string);
    let idle = common::ran(beside_others(&idle.each_ref().map(String::as_str)).output().unwrap());
    assert!(idle.code == 2 && idle.err.contains("no rank"), "{idle:?}");
}

#[test]
fn ranks_with_other_words_are_no_fleet() {
    let folder = Folder::new();
    let here = folder.here();
    let words = |block: &'static str| [&["run", &here, "--block", block][..], &SMALL].concat();
    let mut one = by_flags(&folder, 0, 2, &words("4KiB"));
    let mut other = by_flags(&folder, 1, 2, &words("8KiB"));
    one.args(["--join-within", "4s"]);
    other.args(["--join-within", "4s"]);
    let ran = all(vec![one, other]);
    assert!(ran.iter().all(|ran| ran.code != 0), "{ran:?}");
    assert!(ran.iter().any(|ran| ran.err.contains("the same options")), "{ran:?}");
}

#[test]
fn two_that_think_they_are_alone_are_told_so() {
    let folder = Folder::new();
    let here = folder.here();
    let words = ["run", &here, "--buffered", "--duration", "2s", "--json", "--alone"];
    // Said to be alone, nothing is said of it.
    let said = common::ran(beside_others(&words).output().unwrap());
    assert_eq!(said.code, 0, "{said:?}");
    let words = &words[..words.len() - 1];
    let mut first = Running::new(beside_others(words));
    first.until("the run:");
    let second = Running::new(beside_others(words)).ended();
    assert_eq!(second.code, 0, "{second:?}");
    let checks = document(&second)["checks"].clone();
    let alone = checks.as_array().unwrap().iter().find(|check| check["name"] == "alone");
    assert!(alone.is_some_and(|check| check["outcome"] == "warning"), "{checks}");
    assert_eq!(first.ended().code, 0);
}

#[test]
fn diskspds_form_has_a_row_for_each_host_and_fios_a_job() {
    let folder = Folder::new();
    let (data, own) = (folder.text("io{rank}.dat"), folder.here());
    let words = ["diskspd", "-b4K", "-d1", "-W0", "-o4", "-t2", "-r", "-L", "-c1M", &data];
    let ran = all(mpirun(&folder, 2, &words));
    assert!(ran.iter().all(|ran| ran.code == 0), "{ran:?}");
    assert_eq!(ran[1].out, "");
    let text = &ran[0].out;
    let ios: Vec<u64> = text
        .lines()
        .skip_while(|line| !line.starts_with("Total IO"))
        .take_while(|line| !line.starts_with("total:"))
        .filter(|line| line.trim().starts_with(|c: char| c.is_ascii_digit()))
        .map(|line| line.split('|').nth(2).unwrap().trim().parse().unwrap())
        .collect();
    assert_eq!(ios.len(), 2, "a row for each host: {text}");
    let total = text.lines().find(|line| line.starts_with("total:")).unwrap();
    assert_eq!(total.split('|').nth(1).unwrap().trim().parse::<u64>().unwrap(), ios.iter().sum::<u64>());
    let directory = format!("--directory={own}");
    let words = [
        "fio",
        "--name=t-{rank}",
        &directory,
        "--rw=randread",
        "--bs=4k",
        "--size=1m",
        "--runtime=1",
        "--time_based",
        "--output-format=json",
    ];
    let ran = all(mpirun(&folder, 2, &words));
    assert!(ran.iter().all(|ran| ran.code == 0), "{ran:?}");
    let report: Value = serde_json::from_str(&ran[0].out).unwrap();
    assert_eq!(report["jobs"].as_array().unwrap().len(), 2, "{report}");
    assert!(report["jobs"].as_array().unwrap().iter().all(|job| job["read"]["total_ios"].as_u64() > Some(0)));
}
