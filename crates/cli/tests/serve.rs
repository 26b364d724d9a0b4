//! `iobound serve`: the page's answers are the command line's.
#![allow(clippy::disallowed_methods)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use common::{json, line, program, run};
use serde_json::Value;

/// A server that runs until it is dropped.
struct Serving {
    child: Child,
    at: String,
}

fn serve() -> Serving {
    let mut child = program().args(["serve", "--at", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    let at = first.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    Serving { at: at.unwrap_or_else(|| panic!("an address is printed first: {first}")).to_string(), child }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    fn get(&self, path: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.at).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        let status = said.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let (head, body) = said.split_once("\r\n\r\n").expect("a body");
        assert!(!head.to_lowercase().contains("chunked"), "small answers have a length");
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}")))
    }
}

#[test]
fn an_answer_of_the_page_is_the_document_of_the_command_line() {
    let serving = serve();
    for (path, words) in [
        (
            "/api/predict?vm=DS14&disk=10xP30&random=true&block=8KiB&read=70%25&depth=64",
            "predict --vm DS14 --disk 10xP30 --random --block 8KiB --read 70% --depth 64",
        ),
        (
            "/api/predict?vm=D8s_v5&disk=data%3D2xP30&disk=log%3DP20&preset=sqlserver-oltp&region=westeurope",
            "predict --vm D8s_v5 --disk data=2xP30 --disk log=P20 --preset sqlserver-oltp --region westeurope",
        ),
        (
            "/api/knee?vm=D2s_v3&disk=P20&sequential",
            "predict --find-knee --vm D2s_v3 --disk P20 --sequential",
        ),
        (
            "/api/plan?iops=8000&block=8KiB&capacity=1TiB&candidates=2",
            "plan --iops 8000 --block 8KiB --capacity 1TiB --candidates 2",
        ),
        (
            "/api/explain?vm=DS14&disk=10xP30&observed=iops%3D15000+block%3D4KiB+depth%3D32",
            "explain --vm DS14 --disk 10xP30 --observed iops=15000;block=4KiB;depth=32",
        ),
        (
            "/api/predict?vm=DS14&disk=10xP30&random=true&depth=32&hosts=8&slow-host=50%25",
            "predict --vm DS14 --disk 10xP30 --random --depth 32 --hosts 8 --slow-host 50%",
        ),
        (
            "/api/plan?iops=8000&block=8KiB&capacity=1TiB&candidates=1&hosts=2..3",
            "plan --iops 8000 --block 8KiB --capacity 1TiB --candidates 1 --hosts 2..3",
        ),
        ("/api/presets", "catalog presets"),
    ] {
        let asked: Vec<String> = words.split(' ').map(|word| word.replace(';', " ")).collect();
        let asked: Vec<&str> = asked.iter().map(String::as_str).chain(["--json"]).collect();
        let (status, answer) = serving.get(path);
        assert_eq!((status, &answer), (200, &json(&run(&asked))), "{words}");
    }
}

#[test]
fn what_cannot_be_answered_is_said_as_on_the_command_line() {
    let serving = serve();
    for (path, words) in [
        ("/api/predict?vm=DS140&disk=P30", "predict --vm DS140 --disk P30"),
        ("/api/predict?vm=DS14", "predict --vm DS14"),
        ("/api/predict?vm=DS14&disk=P30&region=narnia", "predict --vm DS14 --disk P30 --region narnia"),
    ] {
        let (status, answer) = serving.get(path);
        let said = line(words).err;
        assert_eq!(status, 400, "{path}");
        let (error, help) = (answer["error"].as_str().unwrap(), answer["help"].as_str().unwrap());
        assert!(said.contains(error) && said.contains(help), "{answer} beside {said}");
    }
    let (status, answer) = serving.get("/api/predict?vm=DS14&disk=P30&workload=/etc/hostname");
    assert_eq!(status, 400);
    assert!(answer["error"].as_str().unwrap().contains("the page cannot read or write files"), "{answer}");
    assert_eq!(serving.get("/api/run?target=/dev/sda").0, 404, "nothing that does I/O is asked of a page");
}

#[test]
fn what_is_not_for_this_machine_alone_is_refused() {
    let refused = line("serve --at 0.0.0.0:80");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("ssh -L"), "{}", refused.err);
    assert_eq!(line("serve --at nowhere").code, 2);
    assert_eq!(line("serve --json").code, 2);
    // Somebody listens there already.
    let serving = serve();
    let taken = line(&format!("serve --at {}", serving.at));
    assert_eq!(taken.code, 2);
    assert!(taken.err.contains("another port"), "{}", taken.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_it_as_it_should_end() {
    let mut serving = serve();
    let process = rustix::process::Pid::from_child(&serving.child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
}
