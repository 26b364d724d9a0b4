//! Many clients that are silent or slow: an honest one is served all the same, and memory stays bounded.

use iobound_emulate::nbd::{HANDSHAKE, MOST_INPUT, MOST_LINKS, MOST_PAYLOAD, MOST_REPLIES, UNUSED};
use iobound_units::{Bytes, Span};

use crate::bench::{Bench, READ, Raw, WRITE, request, simple};

const MIB: usize = 1 << 20;

/// Reads and writes as an honest client does.
fn is_served(bench: &mut Bench) -> Raw {
    let mut raw = bench.inside(2 * MIB, false);
    let reply = bench.exchange(&mut raw, &request(0, READ, 9, 0, 4096));
    assert_eq!((&reply[..16], reply.len()), (&simple(0, 9)[..], 16 + 4096));
    raw
}

#[test]
fn an_honest_client_connects_while_as_many_as_can_be_are_silent() {
    let mut bench = Bench::quick();
    let mut before = is_served(&mut bench);
    let mut silent: Vec<Raw> = (1..MOST_LINKS).map(|_| bench.client(64)).collect();
    assert_eq!(bench.server.clients(), MOST_LINKS);
    assert!(!bench.has_room(), "a client that has just come is not closed");
    // An honest client has spoken within a quarter of a second.
    bench.wait(Span::from_ms(250));
    let _honest = is_served(&mut bench);
    assert!(bench.ended(&mut silent[0]), "the oldest silent one made room");
    assert!(!bench.ended(&mut silent[1]), "and no other one");
    assert_eq!(bench.exchange(&mut before, &request(0, READ, 1, 0, 512)).len(), 16 + 512);
    assert_eq!(bench.server.clients(), MOST_LINKS);
}

#[test]
fn a_handshake_that_takes_too_long_ends_and_an_idle_client_stays() {
    let mut bench = Bench::quick();
    let mut idle = is_served(&mut bench);
    let mut silent = bench.client(MIB);
    let mut slow = bench.client(MIB);
    bench.send(&mut slow, &3u32.to_be_bytes());
    bench.wait(HANDSHAKE - Span::from_ms(1));
    // Options that never end are no handshake either.
    bench.send(&mut slow, &crate::bench::option(3, &[]));
    assert_eq!(bench.server.clients(), 3);
    bench.wait(Span::from_ms(1));
    assert!(bench.ended(&mut silent));
    assert_eq!(bench.server.clients(), 1);
    bench.wait(Span::from_secs(86_400));
    assert_eq!(bench.exchange(&mut idle, &request(0, READ, 1, 0, 512)).len(), 16 + 512);
}

#[test]
fn a_client_that_never_asks_makes_room_and_one_that_has_asked_stays() {
    let mut bench = Bench::quick();
    let mut disk = is_served(&mut bench);
    let mut idle: Vec<Raw> = (1..MOST_LINKS).map(|_| bench.inside(1024, false)).collect();
    assert_eq!(bench.server.clients(), MOST_LINKS);
    bench.wait(UNUSED - Span::from_ms(1));
    assert!(!bench.has_room(), "a client may take its time before its first request");
    bench.wait(Span::from_ms(1));
    // The second of them has asked by now.
    assert_eq!(bench.exchange(&mut idle[1], &request(0, READ, 1, 0, 512)).len(), 16 + 512);
    let _first = is_served(&mut bench);
    let _second = is_served(&mut bench);
    assert!(
        bench.ended(&mut idle[0]) && bench.ended(&mut idle[2]),
        "the oldest that have not asked made room"
    );
    assert!(!bench.ended(&mut idle[1]) && !bench.ended(&mut idle[3]), "and no other one");
    bench.wait(Span::from_secs(86_400));
    assert_eq!(bench.exchange(&mut disk, &request(0, READ, 1, 0, 512)).len(), 16 + 512);
}

#[test]
fn announced_writes_hold_what_was_sent_and_no_more() {
    let mut bench = Bench::quick();
    let mut slow: Vec<Raw> = (0..500).map(|_| bench.inside(2 * MIB, false)).collect();
    for raw in &mut slow {
        bench.send(raw, &request(0, WRITE, 1, 0, MIB as u32));
    }
    assert_eq!(bench.server.held(), 0, "an announcement takes no memory");
    for raw in &mut slow {
        bench.send(raw, &[7; 10_000]);
    }
    assert!(bench.server.held() <= 500 * 4 * 10_028, "{} bytes held", bench.server.held());
    // All but the last byte: 500 MB, of which the server takes what it has memory for.
    for raw in &mut slow {
        bench.send(raw, &vec![7; MIB - 10_001]);
    }
    let most = MOST_INPUT;
    assert!(bench.server.held() <= most, "{} bytes held", bench.server.held());
    // An honest client writes as much, within the time that the others have to go on.
    let mut honest = bench.inside(2 * MIB, false);
    let written = [request(0, WRITE, 3, 0, MIB as u32), vec![9; MIB]].concat();
    bench.send(&mut honest, &written);
    let (mut reply, mut waited) = (bench.receive(&mut honest), 0);
    while reply.is_empty() {
        waited += 1;
        assert!(waited <= 4, "it is not served within four seconds");
        bench.wait(Span::from_secs(1));
        bench.ready(&honest);
        reply = bench.receive(&mut honest);
    }
    assert_eq!(reply, simple(0, 3));
    assert!(bench.server.held() <= most);
}

#[test]
fn writes_of_many_honest_clients_all_complete_where_memory_is_short() {
    let mut bench = Bench::new(Span::ZERO, 1024, Bytes::mib(128));
    let each = 4 * MIB;
    let mut clients: Vec<(Raw, Vec<u8>)> = (0..40u64)
        .map(|n| {
            let head = request(0, WRITE, n, n % 8 * each as u64, each as u32);
            (bench.inside(256 << 10, false), [head, vec![n as u8; each]].concat())
        })
        .collect();
    // Each sends a part at a time, so that all are in the middle of a write: 160 MiB in all.
    let (mut done, mut rounds) = (0, 0);
    while done < clients.len() {
        done = 0;
        for (raw, left) in &mut clients {
            let sent = bench.send(raw, left);
            left.drain(..sent);
            done += usize::from(left.is_empty());
        }
        rounds += 1;
        assert!(rounds < 10_000, "they wait for each other");
        assert!(bench.server.held() <= MOST_INPUT);
    }
    for (n, (raw, _)) in clients.iter_mut().enumerate() {
        bench.ready(raw);
        bench.settle();
        assert_eq!(bench.receive(raw), simple(0, n as u64), "client {n}");
    }
}

#[test]
fn replies_that_nobody_takes_are_bounded_and_their_clients_closed_when_others_wait() {
    let mut bench = Bench::quick();
    let mut greedy: Vec<Raw> = (0..64).map(|_| bench.inside(64 << 10, false)).collect();
    for raw in &mut greedy {
        for n in 0..32 {
            bench.send(raw, &request(0, READ, n, 0, MIB as u32));
        }
    }
    let most = MOST_REPLIES + 2 * MOST_PAYLOAD as usize;
    assert!(bench.server.held() <= most, "{} bytes held", bench.server.held());
    let mut honest = bench.inside(2 * MIB, false);
    bench.send(&mut honest, &request(0, READ, 5, 0, MIB as u32));
    let (mut got, mut waited) = (bench.receive(&mut honest).len(), 0);
    while got < 16 + MIB {
        waited += 1;
        assert!(waited <= 3, "it is not served within three seconds");
        bench.wait(Span::from_secs(1));
        got += bench.receive(&mut honest).len();
    }
    assert!(greedy.iter_mut().filter(|raw| bench.server.transport(raw.id).is_none()).count() > 0);
}
