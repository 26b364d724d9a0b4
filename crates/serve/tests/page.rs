//! The page from the outside: what a browser and a program get.
#![allow(clippy::disallowed_methods, reason = "a test speaks to a server over a socket")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use iobound_serve::{Answer, Backend, Server, Stop, Word};

/// Questions that are being worked on.
static LONG: AtomicU32 = AtomicU32::new(0);

/// A backend that says what it was asked, and counts down to the end of what runs.
struct Echo(AtomicU32);

impl Backend for Echo {
    fn ask(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer {
        match question {
            "long" => {
                // Work that goes on until nobody wants its answer.
                LONG.fetch_add(1, Ordering::SeqCst);
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                LONG.fetch_sub(1, Ordering::SeqCst);
                Answer::Unknown
            }
            "echo" => {
                let words: Vec<String> =
                    words.iter().map(|word| format!("{}={}", word.name, word.value)).collect();
                Answer::Document(format!("{{\"words\":\"{}\"}}", words.join(" ")))
            }
            "refused" => Answer::refused("no disk is given", "add --disk P30"),
            "wrong" => panic!("a question that ends in an error of the program"),
            _ => Answer::Unknown,
        }
    }

    fn page(&self, question: &str, words: &[Word], _stop: &Arc<AtomicBool>) -> Answer {
        match question {
            "echo" => Answer::Document(format!("<!DOCTYPE html><title>{}</title>", words.len())),
            _ => Answer::Unknown,
        }
    }

    fn running(&self) -> Answer {
        Answer::Document("{\"running\":[]}".into())
    }

    fn state(&self, of: &str) -> Answer {
        if of != "it" {
            return Answer::Unknown;
        }
        let left = self.0.fetch_sub(1, Ordering::Relaxed);
        if left > 1 { Answer::Document(format!("{{\"left\":{left}}}")) } else { Answer::Unknown }
    }
}

struct Running {
    at: SocketAddr,
    stop: Stop,
    thread: Option<std::thread::JoinHandle<std::io::Result<()>>>,
}

fn start() -> Running {
    start_counting_down_from(3)
}

/// Of which something runs on.
fn start_long() -> Running {
    start_counting_down_from(u32::MAX)
}

fn start_counting_down_from(left: u32) -> Running {
    let server = Server::listen("127.0.0.1:0".parse().unwrap()).expect("a free port");
    let (at, stop) = (server.address().expect("an address"), server.stop());
    let thread = std::thread::spawn(move || server.serve(Arc::new(Echo(AtomicU32::new(left)))));
    Running { at, stop, thread: Some(thread) }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().expect("it runs").join().expect("it ends").expect("without an error");
    }
}

/// The status and everything after it, of a request with these header lines.
fn get(at: SocketAddr, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").expect("it reads");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("text");
    let status = said.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, said)
}

fn ask(at: SocketAddr, path: &str) -> (u16, String) {
    get(at, path, &format!("Host: {at}\r\n"))
}

#[test]
fn the_page_and_all_that_it_names_is_there_and_comes_from_nowhere_else() {
    let server = start();
    let (status, page) = ask(server.at, "/?tab=plan");
    assert_eq!(status, 200);
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(!page.contains("https://") && !page.contains("http://"), "nothing is loaded from elsewhere");
    let mut left: Vec<String> = named(&page);
    let mut seen = Vec::new();
    while let Some(path) = left.pop() {
        if seen.contains(&path) {
            continue;
        }
        let (status, file) = ask(server.at, &path);
        assert_eq!(status, 200, "{path}");
        left.extend(named(&file));
        seen.push(path);
    }
    assert!(seen.len() >= 10, "scripts and styles were followed: {seen:?}");
    assert_eq!(ask(server.at, "/nothing.js").0, 404);
}

#[test]
fn an_answer_is_a_page_with_a_policy_of_its_own() {
    let server = start();
    let (status, page) = ask(server.at, "/pages/echo?a=1&a=2");
    assert_eq!(status, 200);
    let head = page.to_lowercase();
    assert!(head.contains("content-type: text/html"), "{page}");
    assert_eq!(head.matches("content-security-policy:").count(), 1, "{page}");
    assert!(head.contains("frame-ancestors 'none'") && !head.contains("default-src"), "{page}");
    assert!(head.contains("x-content-type-options: nosniff") && page.contains("<title>2</title>"), "{page}");
    assert_eq!(ask(server.at, "/pages/nothing").0, 404);
    assert_eq!(get(server.at, "/pages/echo", "Host: elsewhere.example\r\n").0, 403);
}

/// Paths of this server that a file loads.
fn named(file: &str) -> Vec<String> {
    let quoted = file.split('"').skip(1).step_by(2);
    quoted
        .filter(|text| text.starts_with('/') && (text.ends_with(".js") || text.ends_with(".css")))
        .map(Into::into)
        .collect()
}

#[test]
fn words_reach_who_answers_as_they_were_typed() {
    let server = start();
    let (status, said) = ask(server.at, "/api/echo?disk=log%3D2xP20&read=70%25&fio=a+b&separate");
    assert_eq!(status, 200);
    assert!(said.contains("disk=log=2xP20 read=70% fio=a b separate="), "{said}");
}

#[test]
fn what_cannot_be_taken_says_why_and_how_to_mend_it() {
    let server = start();
    let (status, said) = ask(server.at, "/api/refused");
    assert_eq!(status, 400);
    assert!(said.contains("no disk is given") && said.contains("add --disk P30"), "{said}");
    assert_eq!(ask(server.at, "/api/nothing").0, 404);
    // An error of the program is its own, and the next question is answered.
    assert_eq!(ask(server.at, "/api/wrong").0, 400);
    assert_eq!(ask(server.at, "/api/running").0, 200);
}

#[test]
fn pages_of_other_sites_and_other_names_of_this_machine_are_turned_away() {
    let server = start();
    assert_eq!(get(server.at, "/api/running", "Host: rebound.example.com\r\n").0, 403);
    let cross = format!("Host: {}\r\nSec-Fetch-Site: cross-site\r\n", server.at);
    assert_eq!(get(server.at, "/api/running", &cross).0, 403);
    assert_eq!(ask(server.at, &format!("/api/echo?a={}", "x".repeat(20_000))).0, 414);
}

#[test]
fn what_runs_is_told_until_it_ends_and_what_does_not_run_is_an_error() {
    let server = start();
    assert_eq!(ask(server.at, "/api/live/other").0, 404);
    let mut stream = TcpStream::connect(server.at).expect("it listens");
    write!(stream, "GET /api/live/it HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.at)
        .expect("it reads");
    let lines: Vec<String> = BufReader::new(stream).lines().map_while(Result::ok).collect();
    let told = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(told("text/event-stream") && told("data: {\"left\":2}") && told("event: end"), "{lines:?}");
}

#[test]
fn only_the_loopback_is_listened_at() {
    let refused = Server::listen("0.0.0.0:0".parse().unwrap()).expect_err("not of the loopback").to_string();
    assert!(refused.contains("only this machine"), "{refused}");
}

#[test]
fn who_watches_does_not_keep_the_server_from_its_end() {
    let server = start();
    let mut stream = TcpStream::connect(server.at).expect("it listens");
    write!(stream, "GET /api/live/it HTTP/1.1\r\nHost: {}\r\n\r\n", server.at).expect("it reads");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer begins");
    // It ends here, with the stream still open.
    drop(server);
}

#[test]
fn silent_connections_delay_nobody_and_are_closed() {
    let server = start();
    // More than the server keeps: nothing, half of the headers, and one request that is answered.
    let mut silent = Vec::new();
    for n in 0..400 {
        let mut stream = TcpStream::connect(server.at).expect("it listens");
        let said: &[u8] = match n % 3 {
            0 => b"",
            1 => b"GET / HTTP/1.1\r\nHost: localhost\r\n",
            _ => b"GET /api/running HTTP/1.1\r\nHost: localhost\r\n\r\n",
        };
        stream.write_all(said).expect("it reads");
        silent.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(ask(server.at, "/api/running").0, 200);
    }
    // The first ones have made room for the others: their connections end.
    for stream in &mut silent[..100] {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // The rest ends when its time is over, without anybody who needs the room.
    let mut rest = Vec::new();
    let _ = silent.last_mut().expect("there are many").read_to_end(&mut rest);
    assert_eq!(ask(server.at, "/api/running").0, 200);
}

#[test]
fn connections_that_only_watch_keep_nobody_out() {
    let server = start_long();
    let watching: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(server.at).expect("it listens");
            write!(stream, "GET /api/live/it HTTP/1.1\r\nHost: {}\r\n\r\n", server.at).expect("it reads");
            stream
        })
        .collect();
    assert_eq!(ask(server.at, "/api/running").0, 200);
    drop(watching);
}

#[test]
fn a_question_ends_when_its_client_leaves_and_when_the_server_ends() {
    let server = start();
    let request = |at: SocketAddr| {
        let mut stream = TcpStream::connect(at).expect("it listens");
        write!(stream, "GET /api/long HTTP/1.1\r\nHost: {at}\r\n\r\n").expect("it reads");
        stream
    };
    let until = |count: u32| {
        while LONG.load(Ordering::SeqCst) != count {
            std::thread::yield_now();
        }
    };
    let streams: Vec<TcpStream> = (0..3).map(|_| request(server.at)).collect();
    until(3);
    drop(streams);
    until(0);
    // Another question is answered after that, and a long one does not hold the server's end up.
    assert_eq!(ask(server.at, "/api/echo").0, 200);
    let held = request(server.at);
    until(1);
    drop(server);
    until(0);
    drop(held);
}
