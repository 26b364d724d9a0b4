//! `iobound fleet` over an ssh that runs the words on this machine: what is reached, started, told and left behind. The
//! real one is `.ci/interop`'s.
#![allow(clippy::disallowed_methods, reason = "it makes files and runs programs")]
#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::process::Command;

use common::fake_ssh::{fleet, on_hosts, place};
use common::{Ran, ran};
use serde_json::Value;

fn done(mut command: Command) -> Ran {
    ran(command.output().unwrap())
}

/// What is left in a folder, but for what a test made itself.
fn left(at: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("iobound-")).collect()
}

#[test]
fn hosts_that_can_not_be_reached_are_named_with_sshs_words_and_nothing_starts() {
    let at = place();
    let data = at.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(at.path().join("hosts"), "# two of them\nchatty\ndown1\nhere\ndown2\n").unwrap();
    let refused = done(on_hosts(&at, &["--hosts", "hosts", "--", "run", data.to_str().unwrap()]));
    assert_eq!(refused.code, 4, "{}", refused.err);
    for host in ["down1", "down2"] {
        let words = format!("cannot reach {host}: ssh: connect to host {host} port 22: Connection refused");
        assert!(refused.err.contains(&words), "{}", refused.err);
    }
    assert!(refused.err.contains("nothing was started") && refused.err.contains("help:"), "{}", refused.err);
    assert!(
        !refused.err.contains("cannot reach chatty"),
        "a login that says something is no failure: {}",
        refused.err
    );
    assert!(std::fs::read_dir(&data).unwrap().next().is_none(), "nothing was written");
}

#[test]
fn a_host_without_the_program_or_with_another_version_is_refused_with_the_mend() {
    let at = place();
    let mut command = fleet(&at, &["--host", "here", "--", "run", "/x"]);
    command.env("IOBOUND_REMOTE_PROGRAM", "/no/such/iobound");
    let refused = done(command);
    assert_eq!(refused.code, 4);
    assert!(
        refused.err.contains("there is no `/no/such/iobound`") && refused.err.contains("--copy"),
        "{}",
        refused.err
    );
    let refused = done(on_hosts(&at, &["--host", "old", "--", "run", "/x"]));
    assert!(refused.err.contains("version 0.0.1") && refused.err.contains("--copy"), "{}", refused.err);
    let refused = done(on_hosts(&at, &["--host", "silent", "--connect-timeout", "1s", "--", "run", "/x"]));
    assert!(refused.err.contains("cannot reach silent: no answer in 1 s"), "{}", refused.err);
    let mut command = on_hosts(&at, &["--host", "here", "--", "run", "/x"]);
    command.env("IOBOUND_SSH", "/no/such/ssh");
    let refused = done(command);
    assert!(refused.err.contains("cannot start `/no/such/ssh`"), "{}", refused.err);
}

#[test]
fn a_copy_for_another_machine_is_refused_and_no_copy_is_left() {
    let at = place();
    // The header of a program for a machine that this is not (ELF: e_machine 2 is SPARC), without a segment.
    let mut header = vec![0_u8; 64];
    header[..6].copy_from_slice(b"\x7fELF\x02\x01");
    header[18] = 2;
    std::fs::write(at.path().join("other"), header).unwrap();
    let refused = done(fleet(&at, &["--host", "here", "--copy", "other", "--", "run", "/x"]));
    assert_eq!(refused.code, 4);
    assert!(
        refused.err.contains("other is for machine 2") && refused.err.contains("--copy PATH"),
        "{}",
        refused.err
    );
    // What starts there and is no iobound is removed as well.
    let no_iobound = done(fleet(&at, &["--host", "here", "--copy", "/bin/true", "--", "run", "/x"]));
    assert_eq!(no_iobound.code, 4);
    assert!(no_iobound.err.contains("before it greeted"), "{}", no_iobound.err);
    assert_eq!(left(at.path()), Vec::<String>::new());
    std::fs::write(at.path().join("text"), "#!/bin/sh\n").unwrap();
    let refused = done(fleet(&at, &["--host", "here", "--copy", "text", "--", "run", "/x"]));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("not a program for 32-bit or 64-bit Linux"), "{}", refused.err);
}

#[test]
fn a_dry_run_says_what_would_be_started_where_and_reaches_nobody() {
    let at = place();
    let inventory =
        "[db]\ndb[1:2] ansible_user=dba ansible_port=2222\n[web]\nweb1\n[db:vars]\nansible_host=10.0.0.4\n";
    std::fs::write(at.path().join("hosts.ini"), inventory).unwrap();
    let words =
        ["--hosts", "hosts.ini", "--group", "db", "--dry-run", "--", "run", "/data {rank}", "--depth", "8"];
    let shown = done(on_hosts(&at, &words));
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(
        shown.out.contains("-p 2222 -l dba -- 10.0.0.4 ") && !shown.out.contains("web1"),
        "{}",
        shown.out
    );
    assert!(shown.out.contains("iobound run '/data {rank}' --depth 8"), "{}", shown.out);
    assert!(!at.path().join("asked").exists(), "ssh was not started");
    let mut with_json = words.to_vec();
    with_json.push("--json");
    let document: Value = serde_json::from_str(&done(on_hosts(&at, &with_json)).out).unwrap();
    assert_eq!(document["schema"], "iobound.fleet/1");
    assert_eq!((&document["hosts"][1]["rank"], &document["hosts"][1]["host"]), (&1.into(), &"db2".into()));
}

#[test]
fn words_and_hosts_that_are_wrong_are_refused_before_anybody_is_reached() {
    let at = place();
    std::fs::write(at.path().join("bad"), "db1\ndb2 db3\n").unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["--host", "a"], "no command is given"),
        (&["--", "run", "/x"], "no host is named"),
        (&["--host", "a", "--", "plan"], "`plan` cannot run on several hosts"),
        (&["--host", "a", "--", "run", "/x", "--dept", "3"], "--dept"),
        (&["--host", "a", "--", "run", "/x", "--dry-run"], "write it before --"),
        (&["--host=-oProxyCommand=x", "--", "run", "/x"], "is not a host"),
        (&["--hosts", "bad", "--", "run", "/x"], "bad:2:5"),
        (&["--hosts", "none", "--", "run", "/x"], "cannot read none"),
        (&["--host", "a", "--group", "db", "--", "run", "/x"], "--group selects hosts of a file"),
        (&["--host", "a", "--tls-ca", "x", "--", "run", "/x"], "ssh already authenticates the ranks"),
        (&["--host", "a", "--meet", "nonsense", "--", "run", "/x"], "has no port"),
    ];
    for (words, why) in cases {
        let refused = done(on_hosts(&at, words));
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.err);
        assert!(refused.err.contains(why), "{words:?}: {}", refused.err);
    }
    assert!(!at.path().join("asked").exists(), "ssh was not started");
}
