//! What `iobound fleet script` prints is what the launchers take.
#![allow(clippy::disallowed_methods, reason = "it makes files and runs programs")]
#![cfg(target_os = "linux")]

mod common;

use std::process::Command;

use common::{Ran, run};

fn script(words: &[&str]) -> Ran {
    let all: Vec<&str> = ["fleet", "script"].into_iter().chain(words.iter().copied()).collect();
    run(&all)
}

fn printed(words: &[&str]) -> String {
    let done = script(words);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{words:?}");
    done.out
}

/// Whether bash reads it; and what it would run, where the launchers only show their words.
fn in_bash(text: &str) -> Vec<String> {
    let syntax = Command::new("bash").args(["-n", "-c", text]).output().unwrap();
    assert!(syntax.status.success(), "{text}\n{}", String::from_utf8_lossy(&syntax.stderr));
    let shows = "show() { printf '%s\\0' \"$@\" \"token=$IOBOUND_TOKEN\" \"meet=${IOBOUND_MEET-}\"; }\n\
                 srun() { show srun \"$@\"; }; mpirun() { show mpirun \"$@\"; }; mpiexec() { show mpiexec \"$@\"; }\n";
    let ran = Command::new("bash").args(["-c", &format!("{shows}{text}")]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().split_terminator('\0').map(String::from).collect()
}

/// Words that a shell would take apart, were they not quoted.
const ODD: [&str; 5] = ["run", "/mnt/a b", "--fail-if", "p99 > 5ms", "it's"];

#[test]
fn a_batch_script_is_read_by_bash_and_has_only_options_of_sbatch() {
    let mut words = vec!["--slurm", "--hosts", "8", "--tasks-per-host", "2", "--time", "90min", "--"];
    words.extend(ODD);
    let text = printed(&words);
    // sbatch(1), version 22.05.
    let known = ["job-name", "nodes", "ntasks", "ntasks-per-node", "nodelist", "time", "exclusive", "output"];
    let options: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#SBATCH --")).collect();
    for option in &options {
        assert!(known.contains(&option.split('=').next().unwrap()), "{option}");
    }
    for option in ["nodes=8", "ntasks=16", "ntasks-per-node=2", "time=01:30:00", "exclusive"] {
        assert!(options.contains(&option), "{option}: {text}");
    }
    assert!(text.starts_with("#!/bin/bash\n"));
    let ran = in_bash(&text);
    let started: Vec<&str> = ran.iter().map(String::as_str).take(3 + ODD.len()).collect();
    assert_eq!(started, [&["srun", "--kill-on-bad-exit=0", "iobound"], &ODD[..]].concat());
    let token = ran.iter().find_map(|word| word.strip_prefix("token=")).unwrap();
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
}

#[test]
fn a_command_line_of_mpi_hands_the_token_on_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hosts");
    std::fs::write(&file, "db1\ndb2\n").unwrap();
    let file = file.to_str().unwrap();
    let mut words = vec!["--mpi", "--hosts", file, "--"];
    words.extend(ODD);
    let ran = in_bash(&printed(&words));
    let expected = [
        "mpirun",
        "--enable-recovery",
        "--hostfile",
        file,
        "-np",
        "2",
        "--map-by",
        "ppr:1:node",
        "-x",
        "IOBOUND_TOKEN",
        "-x",
        "IOBOUND_MEET",
        "iobound",
    ];
    assert_eq!(&ran[..expected.len()], expected);
    assert!(ran.contains(&"meet=db1:7711".to_string()), "{ran:?}");
    assert!(!printed(&words).contains("token="), "no secret is in the words");
    // What is no plain list is written out.
    std::fs::write(file, "[db]\ndb[1:3] ansible_user=x\n").unwrap();
    let text = printed(&["--mpi=mpich", "--hosts", file, "--tasks-per-host", "2", "--", "run", "/x"]);
    assert!(
        text.contains(
            "mpiexec -hosts db1,db2,db3 -n 6 -ppn 2 -genvlist IOBOUND_TOKEN,IOBOUND_MEET iobound run /x"
        ),
        "{text}"
    );
    let text = printed(&["--mpi", "--hosts", "4", "--", "run", "/x"]);
    assert!(in_bash(&text).iter().any(|word| word.starts_with("meet=") && word.ends_with(":7711")), "{text}");
}

#[test]
fn open_mpi_lets_the_others_go_on_and_the_exit_code_still_says_that_a_rank_failed() {
    let text = printed(&["--mpi", "--hosts", "4", "--", "run", "/x"]);
    // What mpirun and the ranks below it say, how mpirun ends, and how the line has to.
    for (says, ends, code) in
        [(":", 0, 0), ("echo 'error: rank 2 (db3): gone' >&2", 0, 4), ("echo no such host >&2", 3, 3)]
    {
        let launcher = format!("mpirun() {{ echo '{{}}'; {says}; return {ends}; }}\n");
        let ran = Command::new("bash").args(["-c", &format!("{launcher}{text}")]).output().unwrap();
        assert_eq!(ran.status.code(), Some(code), "{says}");
        assert_eq!(ran.stdout, b"{}\n", "the answer is alone on standard output");
        assert_eq!(ran.stderr.is_empty(), says == ":", "what was said is still said");
    }
}

#[test]
fn manifests_are_three_documents_with_a_token_that_is_new_each_time() {
    // That each is one of Kubernetes' own types, to the last key, is seen to beside the code that writes them.
    let words = [
        "--kubernetes",
        "--hosts",
        "4",
        "--image",
        "r/iobound:1",
        "--volume",
        "100GiB",
        "--",
        "run",
        "/data",
    ];
    let (one, other) = (printed(&words), printed(&words));
    let kinds: Vec<&str> = one.lines().filter_map(|line| line.strip_prefix("kind: ")).collect();
    assert_eq!(kinds, ["Secret", "Service", "Job"]);
    let token =
        |text: &str| text.lines().find_map(|line| line.strip_prefix("  token: ")).unwrap().to_string();
    assert_ne!(token(&one), token(&other));
    assert_eq!(one.replace(&token(&one), ""), other.replace(&token(&other), ""), "all else is the same");
}

#[test]
fn what_a_launcher_has_no_use_for_is_refused() {
    let cases: [(&[&str], &str); 9] = [
        (&["--hosts", "4"], "no launcher is given"),
        (&["--slurm", "--mpi", "--hosts", "4"], "one launcher"),
        (&["--slurm", "--hosts", "4", "--image", "x"], "it is for Kubernetes"),
        (&["--kubernetes", "--hosts", "4"], "needs a container image"),
        (&["--kubernetes", "--image", "x", "--host", "a"], "chooses the nodes itself"),
        (&["--slurm", "--hosts", "0"], "1 to 100000"),
        (&["--slurm", "--hosts", "4", "--name", "My Job"], "is not a valid name"),
        (&["--mpi=lam", "--hosts", "4"], "`lam` is not known"),
        (&["--slurm"], "no host is named"),
    ];
    for (words, why) in cases {
        let mut all = words.to_vec();
        all.extend(["--", "run", "/x"]);
        let refused = script(&all);
        assert_eq!(refused.code, 2, "{words:?}");
        let mends = ["help:", "write ", "use "].iter().any(|mend| refused.err.contains(mend));
        assert!(refused.err.contains(why) && mends, "{words:?}: {}", refused.err);
    }
}
