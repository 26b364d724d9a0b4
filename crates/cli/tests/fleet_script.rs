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

/// True if bash reads it; and what it would run, where the launchers only show their words.
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
        let advice = ["help:", "write ", "use "].iter().any(|help| refused.err.contains(help));
        assert!(refused.err.contains(why) && advice, "{words:?}: {}", refused.err);
    }
}

/// Storage of a cluster as `kubectl get storageclass,pvc -o json` prints it.
const STORAGE: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "disk.csi.azure.com",
     "parameters": {"skuName": "PremiumV2_LRS", "DiskIOPSReadWrite": "20000", "DiskMBpsReadWrite": "600", "cachingMode": "None"}},
    {"kind": "StorageClass", "metadata": {"name": "managed-csi", "annotations":
        {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "disk.csi.azure.com",
     "parameters": {"skuName": "Premium_LRS"}},
    {"kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {"storageClassName": "fast",
        "volumeMode": "Block"}, "status": {"capacity": {"storage": "1Ti"}}}]}"#;

#[test]
fn the_storage_class_of_a_claim_becomes_the_disk_of_the_prediction() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("storage.json");
    std::fs::write(&file, STORAGE).unwrap();
    let file = file.to_str().unwrap();
    let base = ["--kubernetes", "--hosts", "1", "--image", "r/iobound:1", "--storage", file];
    let of = |more: &[&str]| script(&[&base[..], more].concat());
    let raw = of(&["--pvc", "data", "--block", "--", "run", "/dev/data", "--vm", "D8s_v5"]);
    assert_eq!((raw.code, raw.err.as_str()), (0, ""));
    for part in
        ["claimName: data", "devicePath: /dev/data", "premiumv2@1024GiB+20000iops+600MB/s", "runAsUser: 0"]
    {
        assert!(raw.out.contains(part), "{part}: {}", raw.out);
    }
    // The driver's own default is a ReadOnly cache, on the default class.
    let new = of(&["--volume", "1TiB", "--", "run", "/data", "--vm=D8s_v3"]);
    assert_eq!(new.code, 0, "{}", new.err);
    assert!(
        new.out.contains("premium@1024GiB:readonly") && new.out.contains("mountPath: /data"),
        "{}",
        new.out
    );
    // An Lsv3 has no host cache for disks: it is left out, which a note says.
    let later = of(&["--volume", "1TiB", "--", "run", "/data", "--vm=L8s_v3"]);
    assert_eq!(later.code, 0, "{}", later.err);
    assert!(later.out.contains("premium@1024GiB") && !later.out.contains(":readonly"), "{}", later.out);
    assert!(later.err.contains("host cache readonly is left out"), "{}", later.err);
    for (more, why) in [
        (&["--pvc", "data", "--", "run", "/data", "--vm", "D8s_v5"][..], "is a raw device"),
        (&["--pvc", "other", "--", "run", "/data", "--vm", "D8s_v5"], "it has no claim other"),
        (&["--pvc", "data", "--block", "--", "run", "/dev/data"], "needs the size of the nodes"),
        (
            &["--volume", "1TiB", "--", "run", "/data", "--vm", "D8s_v5", "--disk", "P30"],
            "a --disk of its own",
        ),
        (
            &["--volume", "1TiB", "--storage-class", "slow", "--", "run", "/x", "--vm", "D8s_v5"],
            "no StorageClass slow",
        ),
        (&["--", "run", "/data", "--vm", "D8s_v5"], "no disk is asked for"),
        (&["--pvc", "data", "--volume", "1TiB", "--", "run", "/data"], "--volume asks for a new disk"),
        (&["--pvc", "data", "--storage-class", "fast", "--", "run", "/data"], "has its class already"),
        (&["--block", "--", "run", "/data"], "no disk is asked for"),
    ] {
        let refused = of(more);
        assert_eq!(refused.code, 2, "{more:?}");
        assert!(refused.err.contains(why) && refused.err.contains("help:"), "{more:?}: {}", refused.err);
    }
    let two = ["--kubernetes", "--hosts", "2", "--image", "x", "--pvc", "data", "--", "run", "/data"];
    assert!(script(&two).err.contains("one claim is a disk on one node"));
}
