//! Clients that take no replies, that send half of something, that vanish: nobody else loses anything, and nothing grows.

use iobound_emulate::nbd::{MOST_HELD, MOST_REQUESTS};
use iobound_units::{Bytes, Span};

use crate::bench::{Bench, READ, WRITE, request, simple};

#[test]
fn no_more_requests_are_read_than_can_be_held() {
    let mut bench = Bench::new(Span::from_ms(1), 65_536, Bytes::mib(128));
    let mut raw = bench.inside(1 << 20, false);
    let requests: Vec<u8> =
        (0..2 * u64::from(MOST_REQUESTS)).flat_map(|cookie| request(0, READ, cookie, 0, 512)).collect();
    let mut sent = 0;
    while let more @ 1.. = bench.send(&mut raw, &requests[sent..]) {
        sent += more;
        if sent == requests.len() {
            break;
        }
    }
    // All are due at once, a millisecond later: as many as were held.
    assert!(bench.pass());
    let first = bench.receive(&mut raw).len();
    assert_eq!(first, MOST_REQUESTS as usize * (16 + 512));
    while bench.pass() {}
    let rest = bench.receive(&mut raw).len();
    assert_eq!(first + rest, 2 * MOST_REQUESTS as usize * (16 + 512), "none is lost");
}

#[test]
fn a_client_that_takes_no_replies_is_not_read_from_beyond_what_is_held() {
    let mut bench = Bench::quick();
    let mut raw = bench.inside(64 << 10, false);
    // Each asks for a megabyte, and nobody takes one.
    let len = 1u32 << 20;
    let mut asked = 0u64;
    while bench.send(&mut raw, &request(0, READ, asked, 0, len)) == 28 && asked < 10_000 {
        asked += 1;
    }
    // What the pipe holds is about 2,300 requests, what the server holds 64 of a megabyte, and one more may begin.
    let unread = (64 << 10) / 28;
    assert!(asked <= unread + MOST_HELD / u64::from(len) + 2, "{asked} were taken");
    // Another one is served all the while.
    let mut other = bench.inside(1 << 20, false);
    assert_eq!(bench.exchange(&mut other, &request(0, READ, 9, 0, 512)).len(), 16 + 512);
}

#[test]
fn a_thousand_clients_that_vanish_anywhere_leave_nothing() {
    let mut bench = Bench::new(Span::from_ms(1), 4096, Bytes::mib(128));
    let mut witness = bench.inside(1 << 20, false);
    let written = [request(0, WRITE, 1, 0, 4096), vec![0x77; 4096]].concat();
    let whole = [b"\0\0\0\x03".to_vec(), crate::bench::option(1, b"data"), written.clone()].concat();
    for n in 0..1_000usize {
        let mut raw = bench.client(1 << 20);
        // In the flags, in an option, in a request, in its data, behind it; with a reply under way.
        bench.send(&mut raw, &whole[..(n * 7) % (whole.len() + 1)]);
        let id = raw.id;
        drop(raw);
        bench.server.ready(id, true, true, true);
        bench.settle();
        if n % 10 == 0 {
            bench.pass();
        }
    }
    while bench.pass() {}
    assert_eq!(bench.server.clients(), 1);
    // Those whose requests were under way kept their places for a millisecond.
    assert!(bench.server.places() <= 1 + 11, "{} places", bench.server.places());
    bench.send(&mut witness, &request(0, READ, 2, 0, 4096));
    bench.pass();
    let reply = bench.receive(&mut witness);
    assert_eq!((&reply[..16], reply.len()), (&simple(0, 2)[..], 16 + 4096));
}

#[test]
fn where_places_are_scarce_every_client_has_its_share() {
    let mut bench = Bench::new(Span::from_ms(1), 8, Bytes::mib(128));
    let mut greedy = bench.inside(1 << 20, false);
    let mut modest = bench.inside(1 << 20, false);
    let many: Vec<u8> = (0..1_000).flat_map(|cookie| request(0, READ, cookie, 0, 512)).collect();
    bench.send(&mut greedy, &many);
    bench.send(&mut modest, &request(0, READ, 5, 0, 512));
    let mut waited = 0;
    let reply = loop {
        assert!(bench.pass(), "nothing is lost");
        waited += 1;
        let reply = bench.receive(&mut modest);
        if !reply.is_empty() {
            break reply;
        }
    };
    assert_eq!(reply[..16], simple(0, 5)[..]);
    // The eight places are taken once by the other; then they are shared.
    assert!(waited <= 3, "it waited for {waited} rounds");
    while bench.pass() {}
    assert_eq!(bench.receive(&mut greedy).len(), 1_000 * (16 + 512));
}
