//! Requests and replies. Errors are the specification's: EINVAL 22, ENOSPC 28.

use iobound_units::{Bytes, Span};

use crate::bench::{Bench, CACHE, DISCONNECT, FLUSH, READ, Raw, TRIM, WRITE, ZEROES, request, simple};

fn write(bench: &mut Bench, raw: &mut Raw, cookie: u64, offset: u64, data: &[u8]) -> Vec<u8> {
    let bytes = [&request(0, WRITE, cookie, offset, data.len() as u32)[..], data].concat();
    bench.exchange(raw, &bytes)
}

#[test]
fn data_written_is_data_read_in_both_forms() {
    let mut bench = Bench::quick();
    let (mut plain, mut chunks) = (bench.inside(1 << 20, false), bench.inside(1 << 20, true));
    let data: Vec<u8> = (0..131_072u32).map(|n| (n / 512) as u8).collect();
    assert_eq!(write(&mut bench, &mut plain, 5, 4096, &data), simple(0, 5));
    let read = |cookie| request(0, READ, cookie, 4096, data.len() as u32);
    // Through the one connection what was written through the other.
    assert_eq!(bench.exchange(&mut plain, &read(6)), [&simple(0, 6)[..], &data].concat());
    // A chunk: magic, DONE, OFFSET_DATA (1), cookie, length, offset, data.
    let head =
        [&[0x66, 0x8e, 0x33, 0xef, 0, 1, 0, 1][..], &7u64.to_be_bytes(), &(131_072u32 + 8).to_be_bytes()];
    let expected = [&head.concat()[..], &4096u64.to_be_bytes(), &data].concat();
    assert_eq!(bench.exchange(&mut chunks, &read(7)), expected);
}

#[test]
fn trimmed_and_zeroed_ranges_read_as_zeroes() {
    let mut bench = Bench::quick();
    let mut raw = bench.inside(1 << 20, false);
    // FUA is bit 0 and allowed everywhere, NO_HOLE bit 1.
    for (flags, kind) in [(0, TRIM), (1, TRIM), (0, ZEROES), (2, ZEROES), (3, ZEROES)] {
        write(&mut bench, &mut raw, 1, 8192, &[0xee; 8192]);
        assert_eq!(bench.exchange(&mut raw, &request(flags, kind, 2, 8704, 4096)), simple(0, 2));
        let read = bench.exchange(&mut raw, &request(0, READ, 3, 8192, 8192));
        let expected = [&simple(0, 3)[..], &[0xee; 512], &[0; 4096], &[0xee; 3584]].concat();
        assert_eq!(read, expected, "{flags} {kind}");
    }
    assert_eq!(bench.exchange(&mut raw, &request(0, FLUSH, 4, 0, 0)), simple(0, 4));
    // All of it at once: what has no data may be longer than what has.
    assert_eq!(bench.exchange(&mut raw, &request(0, TRIM, 5, 0, 128 << 20)), simple(0, 5));
    assert_eq!(bench.exchange(&mut raw, &request(0, ZEROES, 6, 0, 128 << 20)), simple(0, 6));
}

/// The media take 1 ms for an I/O, and an I/O is of 32 MiB at most.
#[test]
fn zeroes_that_keep_their_place_are_written_fragment_by_fragment_while_others_are_served() {
    let mut bench = Bench::new(Span::from_ms(1), 16, Bytes::mib(256));
    let mut raw = bench.inside(1 << 20, false);
    let last = (128 << 20) - 4096;
    for at in [0, 50 << 20, last] {
        assert_eq!(write(&mut bench, &mut raw, 1, at, &[0xee; 4096]), b"");
        assert!(bench.pass());
        assert_eq!(bench.receive(&mut raw), simple(0, 1));
    }
    assert_eq!(bench.exchange(&mut raw, &request(2, ZEROES, 2, 0, 128 << 20)), b"");
    for ms in 1..=4 {
        // Another one, of the same connection, in the middle of it.
        assert_eq!(bench.exchange(&mut raw, &request(0, READ, 3, 0, 512)), b"");
        assert!(bench.pass());
        let (read, zeroed) = (16 + 512, if ms == 4 { 16 } else { 0 });
        assert_eq!(bench.receive(&mut raw).len(), read + zeroed, "after {ms} ms");
    }
    for at in [0, 50 << 20, last] {
        bench.exchange(&mut raw, &request(0, READ, 4, at, 4096));
        assert!(bench.pass());
        assert_eq!(bench.receive(&mut raw), [simple(0, 4), vec![0; 4096]].concat(), "{at}");
    }
    assert!(!bench.pass(), "nothing is left");
}

#[test]
fn zeroes_that_find_no_place_fail_and_those_that_did_have_room_for_what_is_written_there() {
    // All but a MiB of the volume's 128 MiB, and the tables that find it.
    let mut bench = Bench::new(Span::ZERO, 16, Bytes::mib(128));
    let mut raw = bench.inside(1 << 20, false);
    assert_eq!(bench.exchange(&mut raw, &request(2, ZEROES, 1, 0, 127 << 20)), simple(0, 1));
    assert_eq!(bench.exchange(&mut raw, &request(2, ZEROES, 2, 127 << 20, 1 << 20)), simple(28, 2));
    let mut chunks = bench.inside(1 << 20, true);
    let refused = bench.exchange(&mut chunks, &request(2, ZEROES, 3, 0, 128 << 20));
    assert_eq!((&refused[4..8], &refused[20..24]), (&[0, 1, 0x80, 1][..], &28u32.to_be_bytes()[..]));
    // There is room for nothing else.
    for mib in 0..127u64 {
        let written = write(&mut bench, &mut raw, 3, mib << 20, &[mib as u8 + 1; 1 << 20]);
        assert_eq!(written, simple(0, 3), "MiB {mib}");
    }
    assert_eq!(write(&mut bench, &mut raw, 4, 127 << 20, &[1; 1 << 20]), simple(28, 4));
}

#[test]
fn what_makes_no_sense_is_an_error_and_the_connection_goes_on() {
    let mut bench = Bench::quick();
    let end = 128u64 << 20;
    // Not whole sectors, nothing at all, beyond the end, around the end of numbers, too much, unknown, unknown flags.
    let cases: [(u16, u16, u64, u32, u32); 18] = [
        (0, READ, 1, 512, 22),
        (0, READ, 512, 100, 22),
        (0, READ, 0, 0, 22),
        (0, READ, end, 512, 22),
        (0, READ, u64::MAX - 511, 1024, 22),
        (0, READ, 0, (32 << 20) + 512, 22),
        (0, WRITE, 100, 512, 22),
        (0, WRITE, 0, 700, 22),
        (0, WRITE, end - 512, 1024, 28),
        (0, WRITE, 0, (32 << 20) + 512, 22),
        (0, TRIM, end, 4096, 22),
        (0, ZEROES, end, 4096, 28),
        (0, FLUSH, 512, 0, 22),
        (0, CACHE, 0, 512, 22),
        (0, 77, 0, 512, 22),
        (2, WRITE, 0, 512, 22),
        (4, READ, 0, 512, 22),
        (0x100, READ, 0, 512, 22),
    ];
    for structured in [false, true] {
        let mut raw = bench.inside(1 << 20, structured);
        for (n, (flags, kind, offset, len, error)) in cases.into_iter().enumerate() {
            if structured && flags == 4 {
                continue;
            }
            let cookie = n as u64;
            let mut bytes = request(flags, kind, cookie, offset, len);
            if kind == WRITE {
                bytes.resize(bytes.len() + len as usize, 0x11);
            }
            let reply = bench.exchange(&mut raw, &bytes);
            if structured {
                // A chunk: magic, DONE, ERROR (2^15 + 1), cookie, length, error, message.
                assert_eq!(&reply[..8], &[0x66, 0x8e, 0x33, 0xef, 0, 1, 0x80, 1], "case {n}");
                assert_eq!(
                    (&reply[8..16], &reply[20..24]),
                    (&cookie.to_be_bytes()[..], &error.to_be_bytes()[..])
                );
                let message = usize::from(u16::from_be_bytes([reply[24], reply[25]]));
                assert_eq!(reply.len(), 26 + message, "case {n}");
            } else {
                assert_eq!(reply, simple(error, cookie), "case {n}");
            }
        }
        // Nothing of it was kept, and the next request is understood.
        let read = bench.exchange(&mut raw, &request(0, READ, 99, 0, 4096));
        assert_eq!(&read[read.len() - 4096..], &[0; 4096]);
    }
}

#[test]
fn one_chunk_is_what_a_client_may_ask_for_where_there_are_chunks() {
    let mut bench = Bench::quick();
    let mut raw = bench.inside(1 << 20, true);
    // DF is bit 2.
    assert_eq!(bench.exchange(&mut raw, &request(4, READ, 1, 0, 65_536)).len(), 20 + 8 + 65_536);
}

#[test]
fn without_room_for_the_data_a_write_fails_and_reads_go_on() {
    let mut bench = Bench::new(Span::ZERO, 16, Bytes::kib(64));
    let mut raw = bench.inside(1 << 20, false);
    assert_eq!(write(&mut bench, &mut raw, 1, 0, &[1; 8192]), simple(0, 1));
    // 64 KiB and what finds it are more than is left.
    assert_eq!(write(&mut bench, &mut raw, 2, 65_536, &[1; 65_536]), simple(28, 2));
    assert_eq!(bench.exchange(&mut raw, &request(0, READ, 3, 0, 512))[..16], simple(0, 3)[..]);
}

#[test]
fn who_says_that_it_is_done_gets_what_is_under_way_and_then_the_end() {
    let mut bench = Bench::new(Span::from_ms(1), 16, Bytes::mib(1));
    let mut raw = bench.inside(1 << 20, false);
    let bytes = [request(0, READ, 1, 0, 512), request(0, DISCONNECT, 0, 0, 0)].concat();
    assert_eq!(bench.exchange(&mut raw, &bytes), b"");
    assert!(bench.pass());
    let reply = bench.receive(&mut raw);
    assert_eq!(reply[..16], simple(0, 1)[..]);
    assert!(bench.ended(&mut raw));
}

#[test]
fn when_the_server_closes_what_is_under_way_is_replied_to_and_nothing_more_is_read() {
    let mut bench = Bench::new(Span::from_ms(1), 16, Bytes::mib(1));
    let (mut raw, mut idle) = (bench.inside(1 << 20, false), bench.client(1 << 20));
    assert_eq!(bench.exchange(&mut raw, &request(0, READ, 1, 0, 512)), b"");
    bench.server.close();
    assert!(bench.ended(&mut idle));
    bench.send(&mut raw, &request(0, READ, 2, 0, 512));
    assert!(bench.pass());
    let reply = bench.receive(&mut raw);
    assert_eq!((&reply[..16], reply.len()), (&simple(0, 1)[..], 16 + 512));
    assert!(bench.ended(&mut raw));
}

#[test]
fn bytes_that_are_no_request_end_the_connection() {
    let mut bench = Bench::quick();
    let mut raw = bench.inside(1 << 20, false);
    bench.exchange(&mut raw, &[0x42; 28]);
    assert!(bench.ended(&mut raw));
}
