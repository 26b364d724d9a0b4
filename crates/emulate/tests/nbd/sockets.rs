//! The same on sockets of the machine.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_drive::Engine;
use iobound_emulate::nbd::client::{Client, connect};
use iobound_emulate::nbd::{Door, Listen, Listener};
use iobound_emulate::{Batch, Completed, Front, FrontId, Lateness, Pacer, Shared, Spin};
use iobound_units::{Bytes, Instant, Io, Span, Tag, TargetId};

use crate::bench::emulator;

/// The emulator on sockets, and what else may use it.
fn serve(places: &[Listen], spin: Spin) -> (Pacer, Vec<Listen>, Arc<Lateness>) {
    let shared = Shared::new(emulator(Span::from_us(100), 4096, Bytes::mib(128))).expect("a descriptor");
    let door = Door::listen(FrontId(0), places).expect("free places");
    let (addresses, lateness) = (door.addresses().expect("addresses"), door.lateness());
    (Pacer::serve(&shared, door, spin).expect("a thread"), addresses, lateness)
}

fn any_port() -> Listen {
    Listen::Tcp("127.0.0.1:0".parse().expect("an address"))
}

#[test]
fn every_request_is_replied_to_not_before_its_time_over_both_kinds_of_sockets() {
    let directory = tempfile::tempdir().expect("a directory");
    for spin in [Spin::Never, Spin::Last(Span::from_us(60)), Spin::Always, Spin::AsNeeded] {
        let path = Listen::Unix(directory.path().join("socket"));
        let (pacer, addresses, lateness) = serve(&[path, any_port()], spin);
        for address in &addresses {
            let mut client = Client::new(address, &["data", "data.1"], 2, true).expect("it is let in");
            let began = client.now();
            for n in 0..512u32 {
                let target = TargetId((n % 2) as u16);
                let offset = u64::from(n) * 65_536;
                let io = if n % 3 == 0 {
                    Io::write(target, offset, 65_536)
                } else {
                    Io::read(target, offset, 4096)
                };
                client.submit(Tag(n), io);
            }
            let mut seen = vec![false; 512];
            let mut left = seen.len();
            while left > 0 {
                let mut done = Vec::new();
                client.wait(Instant::MAX, &mut done).expect("the server is there");
                for one in done {
                    assert!(one.ok && !std::mem::replace(&mut seen[one.tag.0 as usize], true));
                    assert!(one.at.since(began) >= Span::from_us(100), "the media take 100 µs");
                    left -= 1;
                }
            }
        }
        // A reply is counted after it went out: the thread has to be done.
        drop(pacer);
        assert_eq!(lateness.total().count(), 2 * 512, "every reply is counted");
    }
}

#[test]
fn who_comes_is_heard_though_replies_are_always_due_soon() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = Listen::Unix(directory.path().join("socket"));
    // Media take 100 µs: with 64 outstanding something is always due within a second, and the pacer never sleeps.
    let (_pacer, addresses, _) = serve(&[path], Spin::Last(Span::from_secs(1)));
    let (data, mut done) = (TargetId(0), Vec::new());
    let mut busy = Client::new(&addresses[0], &["data"], 1, true).expect("it is let in");
    (0..64).for_each(|tag| busy.submit(Tag(tag), Io::read(data, u64::from(tag) * 4096, 4096)));
    for _ in 0..10 {
        let mut other = Client::new(&addresses[0], &["data.1"], 1, true).expect("it is let in");
        other.submit(Tag(0), Io::read(data, 0, 4096));
        let mut heard = Vec::new();
        while heard.is_empty() {
            busy.wait(Instant::MAX, &mut done).expect("the server is there");
            done.drain(..).for_each(|one| busy.submit(one.tag, Io::read(data, 0, 4096)));
            let now = other.now();
            other.wait(now, &mut heard).expect("the server is there");
        }
        assert!(heard.iter().all(|one| one.ok));
    }
}

#[test]
fn a_socket_is_its_users_alone_and_gone_at_the_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let (pacer, ..) = serve(&[Listen::Unix(path.clone())], Spin::Never);
    let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Who comes while it is served is refused, and takes nothing away.
    let refused = Listener::bind(&Listen::Unix(path.clone())).expect_err("it is taken").to_string();
    assert!(refused.contains("a running program uses it"), "{refused}");
    drop(pacer);
    assert!(!path.exists());
}

#[test]
fn what_a_dead_server_left_is_replaced_and_what_is_no_socket_is_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    drop(UnixListener::bind(&path).expect("a free path"));
    assert!(path.exists());
    let (_pacer, addresses, _) = serve(&[Listen::Unix(path)], Spin::Never);
    connect(&addresses[0], "data", true).expect("it is let in");
    let file = directory.path().join("file");
    std::fs::write(&file, "precious").expect("a file");
    let refused = Listener::bind(&Listen::Unix(file.clone())).expect_err("it is no socket").to_string();
    assert!(refused.contains("not a socket"), "{refused}");
    assert_eq!(std::fs::read(&file).expect("it is there"), b"precious");
}

#[test]
fn clients_that_come_and_go_leave_the_others_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let (_pacer, addresses, _) = serve(&[Listen::Unix(path.clone())], Spin::Never);
    let mut witness = Client::new(&addresses[0], &["data"], 1, false).expect("it is let in");
    for n in 0..1_000u32 {
        let stream = UnixStream::connect(&path).expect("it listens");
        if n % 2 == 0 {
            let mut channel = connect(&addresses[0], "data", false).expect("it is let in");
            channel.submit(0, &Io::read(TargetId(0), 0, 1 << 20), &[]);
            channel.send().expect("it fits");
        }
        drop(stream);
        if n % 100 == 0 {
            witness.submit(Tag(n), Io::read(TargetId(0), 0, 4096));
            let mut done = Vec::new();
            witness.wait(Instant::MAX, &mut done).expect("the server is there");
            assert_eq!(done.len(), 1);
        }
    }
}

#[test]
fn a_name_that_is_not_there_is_refused_with_those_that_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let (_pacer, addresses, _) = serve(&[Listen::Unix(directory.path().join("socket"))], Spin::Never);
    let refused = connect(&addresses[0], "dta", true).expect_err("there is none").to_string();
    assert!(refused.contains("the exports are data, data.0, data.1"), "{refused}");
}

/// A front that asks for nothing that lasts, and has nobody to tell.
struct Other;

impl Front for Other {
    fn deliver(&self, _batch: &Batch, _completed: &[&Completed]) {}
}

#[test]
fn what_another_front_sees_complete_first_is_replied_to_all_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let shared = Shared::new(emulator(Span::from_us(100), 4096, Bytes::mib(128))).expect("a descriptor");
    let place = Listen::Unix(directory.path().join("socket"));
    let door = Door::listen(FrontId(0), std::slice::from_ref(&place)).expect("a free place");
    let _pacer = Pacer::serve(&shared, door, Spin::Never).expect("a thread");
    shared.set_front(FrontId(1), Arc::new(Other));
    let over = Arc::new(AtomicBool::new(false));
    let (of_other, is_over) = (Arc::clone(&shared), Arc::clone(&over));
    // It looks all the time: hardly anything completes when the pacer looks.
    let other = std::thread::spawn(move || {
        let (mut refused, mut batch) = (Vec::new(), Batch::default());
        while !is_over.load(Ordering::Relaxed) {
            of_other.enter(FrontId(1), [], &mut refused, &mut batch);
        }
    });
    let mut client = Client::new(&place, &["data"], 2, true).expect("it is let in");
    let (data, mut done, mut left) = (TargetId(0), Vec::new(), 2_000u32);
    (0..32).for_each(|tag| client.submit(Tag(tag), Io::read(data, u64::from(tag) * 4096, 4096)));
    while left > 0 {
        client.wait(Instant::MAX, &mut done).expect("the server is there");
        for one in done.drain(..) {
            assert!(one.ok);
            left = left.saturating_sub(1);
            client.submit(one.tag, Io::write(data, u64::from(one.tag.0) * 4096, 4096));
        }
    }
    over.store(true, Ordering::Relaxed);
    other.join().expect("it ends");
}
