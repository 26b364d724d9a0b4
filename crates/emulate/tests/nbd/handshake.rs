//! Negotiation. The numbers are of the protocol's specification: `NBD_OPT_*`, `NBD_REP_*`, `NBD_INFO_*`.

use crate::bench::{Bench, answer, option};

/// HAS_FLAGS, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES, CAN_MULTI_CONN: bits 0, 2, 3, 5, 6, 8.
const FLAGS: u16 = 0b1_0110_1101;
const SIZE: u64 = 128 << 20;

#[test]
fn every_export_is_listed() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    let entry = |name: &[u8]| answer(3, 2, &[&(name.len() as u32).to_be_bytes(), name].concat());
    let expected = [entry(b"data"), entry(b"data.0"), entry(b"data.1"), answer(3, 1, &[])].concat();
    assert_eq!(bench.exchange(&mut raw, &option(3, &[])), expected);
    // NBD_REP_ERR_INVALID is 2^31 + 3: a list has no data.
    let refused = bench.exchange(&mut raw, &option(3, &[0]));
    assert_eq!(&refused[8..16], &[0, 0, 0, 3, 0x80, 0, 0, 3]);
}

#[test]
fn the_oldest_way_in_has_zeroes_unless_the_client_wants_none() {
    let mut bench = Bench::quick();
    for (flags, zeroes) in [(1u32, 124), (3, 0), (0, 124)] {
        let mut raw = bench.client(1 << 20);
        bench.exchange(&mut raw, &flags.to_be_bytes());
        let expected = [&SIZE.to_be_bytes()[..], &FLAGS.to_be_bytes(), &vec![0; zeroes]].concat();
        assert_eq!(bench.exchange(&mut raw, &option(1, b"data")), expected);
    }
}

#[test]
fn a_name_that_is_not_there_ends_the_oldest_way_and_is_an_error_of_the_others() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    // NBD_REP_ERR_UNKNOWN is 2^31 + 6; name, and no information asked.
    let refused = bench.exchange(&mut raw, &option(7, b"\0\0\0\x04nope\0\0"));
    assert_eq!(&refused[8..16], &[0, 0, 0, 7, 0x80, 0, 0, 6]);
    assert!(String::from_utf8_lossy(&refused[20..]).contains("data, data.0, data.1"));
    bench.exchange(&mut raw, &option(1, b"nope"));
    assert!(bench.ended(&mut raw));
}

#[test]
fn going_in_tells_the_size_the_flags_and_the_blocks() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    let export = [&[0, 0][..], &SIZE.to_be_bytes(), &FLAGS.to_be_bytes()].concat();
    // NBD_INFO_BLOCK_SIZE is 3: 512 bytes, best 4 KiB, at most 32 MiB.
    let blocks = b"\0\x03\0\0\x02\0\0\0\x10\0\x02\0\0\0";
    let told =
        |number| [answer(number, 3, &export), answer(number, 3, blocks), answer(number, 1, &[])].concat();
    // The empty name is the default export; information alone does not go in.
    assert_eq!(bench.exchange(&mut raw, &option(6, b"\0\0\0\0\0\0")), told(6));
    assert_eq!(bench.exchange(&mut raw, &option(6, b"\0\0\0\x04data\0\x01\0\x03")), told(6));
    assert_eq!(bench.exchange(&mut raw, &option(7, b"\0\0\0\x04data\0\0")), told(7));
}

#[test]
fn with_structured_replies_a_read_may_ask_for_one_chunk() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    assert_eq!(bench.exchange(&mut raw, &option(8, &[])), answer(8, 1, &[]));
    let entered = bench.exchange(&mut raw, &option(1, b""));
    // NBD_FLAG_SEND_DF is bit 7.
    assert_eq!(&entered[8..10], &(FLAGS | 1 << 7).to_be_bytes());
}

#[test]
fn options_that_are_unknown_malformed_or_too_long_are_refused_and_the_next_is_answered() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    // STARTTLS (5) and one that does not exist: NBD_REP_ERR_UNSUP is 2^31 + 1. A name longer than the option's data, and a
    // count of information that is not there: NBD_REP_ERR_INVALID. A megabyte: NBD_REP_ERR_TOO_BIG, 2^31 + 9.
    let cases: [(u32, Vec<u8>, u8); 5] = [
        (5, vec![], 1),
        (999, vec![7; 100], 1),
        (7, b"\0\0\x10\0data\0\0".to_vec(), 3),
        (6, b"\0\0\0\x04data\0\x05".to_vec(), 3),
        (7, vec![0; 1 << 20], 9),
    ];
    for (number, data, error) in cases {
        let refused = bench.exchange(&mut raw, &option(number, &data));
        let expected = [&number.to_be_bytes()[..], &[0x80, 0, 0, error]].concat();
        assert_eq!(&refused[8..16], &expected, "option {number}");
    }
    // NBD_OPT_ABORT is acknowledged, and ends it.
    assert_eq!(bench.exchange(&mut raw, &option(2, &[])), answer(2, 1, &[]));
    assert!(bench.ended(&mut raw));
}

#[test]
fn flags_that_nobody_knows_and_options_without_their_magic_end_the_connection() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &4u32.to_be_bytes());
    assert!(bench.ended(&mut raw));
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, b"\0\0\0\x03IHAVENOT\0\0\0\x01\0\0\0\0");
    assert!(bench.ended(&mut raw));
    assert_eq!((bench.server.clients(), bench.server.places()), (0, 1));
}
