//! `base:allocation`: which parts of an export have data. The numbers are of the protocol's specification.

use iobound_units::{Bytes, Span};

use crate::bench::{Bench, Raw, STATUS, TRIM, WRITE, ZEROES, answer, contexts, option, request, simple};

/// NBD_REP_META_CONTEXT.
const CONTEXT: u32 = 4;
/// NBD_STATE_HOLE and NBD_STATE_ZERO: no place, and zeroes.
const NOTHING: u32 = 0b11;
const DATA: u32 = 0;
const ONE: u16 = 1 << 3;

fn allocation(id: u32) -> Vec<u8> {
    [&id.to_be_bytes()[..], b"base:allocation"].concat()
}

/// The extents of an answer, which is one chunk: magic, DONE, BLOCK_STATUS (5), cookie, length, the context's number, extents.
fn extents(reply: &[u8], cookie: u64) -> Vec<(u32, u32)> {
    assert_eq!(reply[..8], [0x66, 0x8e, 0x33, 0xef, 0, 1, 0, 5], "{reply:?}");
    assert_eq!(reply[8..16], cookie.to_be_bytes());
    assert_eq!(reply[16..20], (reply.len() as u32 - 20).to_be_bytes());
    let number = |at: usize| u32::from_be_bytes(reply[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(number(20), 1, "the number that was given to the context");
    (24..reply.len()).step_by(8).map(|at| (number(at), number(at + 4))).collect()
}

fn ask(bench: &mut Bench, raw: &mut Raw, flags: u16, offset: u64, len: u32) -> Vec<(u32, u32)> {
    let reply = bench.exchange(raw, &request(flags, STATUS, 9, offset, len));
    extents(&reply, 9)
}

fn write(bench: &mut Bench, raw: &mut Raw, offset: u64, len: usize) {
    let bytes = [request(0, WRITE, 1, offset, len as u32), vec![0xab; len]].concat();
    assert_eq!(bench.exchange(raw, &bytes), simple(0, 1));
}

#[test]
fn the_context_is_listed_and_set_once_there_are_structured_replies() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    // Before that it is NBD_REP_ERR_INVALID, 2^31 + 3.
    for number in [9, 10] {
        let refused = bench.exchange(&mut raw, &option(number, &contexts(b"data", &[b"base:allocation"])));
        assert_eq!(refused[8..16], [&number.to_be_bytes()[..], &[0x80, 0, 0, 3]].concat());
    }
    bench.exchange(&mut raw, &option(8, &[]));
    // Listed: all, by the namespace, by the name, the name among others; not what there is not.
    let asked: [&[&[u8]]; 4] =
        [&[], &[b"base:"], &[b"base:allocation"], &[b"qemu:dirty-bitmap:x", b"base:allocation"]];
    for queries in asked {
        let listed = bench.exchange(&mut raw, &option(9, &contexts(b"data", queries)));
        assert_eq!(listed, [answer(9, CONTEXT, &allocation(0)), answer(9, 1, &[])].concat(), "{queries:?}");
    }
    for queries in [&[b"qemu:allocation-depth" as &[u8]][..], &[b"base", b"base:allocatio"]] {
        let listed = bench.exchange(&mut raw, &option(9, &contexts(b"data", queries)));
        assert_eq!(listed, answer(9, 1, &[]), "{queries:?}");
    }
    // Set: by its name only.
    for (queries, is_set) in [(&[b"base:allocation" as &[u8]][..], true), (&[], false), (&[b"base:"], false)]
    {
        let set = bench.exchange(&mut raw, &option(10, &contexts(b"", queries)));
        let told = if is_set { answer(10, CONTEXT, &allocation(1)) } else { Vec::new() };
        assert_eq!(set, [told, answer(10, 1, &[])].concat(), "{queries:?}");
    }
}

#[test]
fn what_makes_no_sense_of_it_is_refused_and_the_next_option_is_answered() {
    let mut bench = Bench::quick();
    let mut raw = bench.client(1 << 20);
    bench.exchange(&mut raw, &3u32.to_be_bytes());
    bench.exchange(&mut raw, &option(8, &[]));
    let good = contexts(b"data", &[b"base:allocation"]);
    let (mut long_name, mut many) = (good.clone(), good.clone());
    long_name[..4].copy_from_slice(&99u32.to_be_bytes());
    many[8..12].copy_from_slice(&u32::MAX.to_be_bytes());
    let cases = [
        vec![],
        vec![0; 3],
        good[..6].to_vec(),
        good[..20].to_vec(),
        [&good[..], &[0]].concat(),
        long_name,
        many,
    ];
    for data in cases {
        let refused = bench.exchange(&mut raw, &option(10, &data));
        assert_eq!(refused[8..16], [0, 0, 0, 10, 0x80, 0, 0, 3], "{data:?}");
    }
    // NBD_REP_ERR_UNKNOWN is 2^31 + 6.
    let refused = bench.exchange(&mut raw, &option(9, &contexts(b"dta", &[])));
    assert_eq!(refused[8..16], [0, 0, 0, 9, 0x80, 0, 0, 6]);
    let listed = bench.exchange(&mut raw, &option(9, &contexts(b"data.1", &[])));
    assert_eq!(listed[12..16], CONTEXT.to_be_bytes());
}

#[test]
fn who_has_not_set_it_last_and_for_this_export_may_not_ask() {
    let mut bench = Bench::quick();
    let other = [contexts(b"data.1", &[b"base:allocation"])];
    let taken_back = [contexts(b"data", &[b"base:allocation"]), contexts(b"data", &[])];
    let failed = [contexts(b"data", &[b"base:allocation"]), contexts(b"dta", &[b"base:allocation"])];
    for sets in [&[][..], &other, &taken_back, &failed] {
        let mut raw = bench.client(1 << 20);
        bench.exchange(&mut raw, &3u32.to_be_bytes());
        bench.exchange(&mut raw, &option(8, &[]));
        for data in sets {
            bench.exchange(&mut raw, &option(10, data));
        }
        bench.exchange(&mut raw, &option(1, b"data"));
        let reply = bench.exchange(&mut raw, &request(0, STATUS, 3, 0, 4096));
        // A chunk of an error: EINVAL.
        assert_eq!((&reply[4..8], &reply[20..24]), (&[0, 1, 0x80, 1][..], &22u32.to_be_bytes()[..]));
    }
}

#[test]
fn a_volume_says_of_its_disks_what_has_data() {
    let mut bench = Bench::quick();
    let mut raw = bench.asking(b"data");
    let end = 128 << 20;
    assert_eq!(ask(&mut bench, &mut raw, 0, 0, end), [(end, NOTHING)]);
    // From the second disk's first unit into the first one's second.
    write(&mut bench, &mut raw, 100 << 10, 64 << 10);
    let expected = [(100 << 10, NOTHING), (64 << 10, DATA), (end - (164 << 10), NOTHING)];
    assert_eq!(ask(&mut bench, &mut raw, 0, 0, end), expected);
    // The first of them alone, from the middle of one, and no further than what is asked.
    assert_eq!(ask(&mut bench, &mut raw, ONE, 0, end), expected[..1]);
    assert_eq!(ask(&mut bench, &mut raw, ONE, 120 << 10, end / 2), [(44 << 10, DATA)]);
    assert_eq!(ask(&mut bench, &mut raw, 0, 120 << 10, 4096), [(4096, DATA)]);
    // On the disks: 28 KiB at the end of the second one's first unit, 36 KiB at the beginning of the first one's second.
    let disk = 64 << 20;
    let mut second = bench.asking(b"data.1");
    let expected = [(36 << 10, NOTHING), (28 << 10, DATA), (disk - (64 << 10), NOTHING)];
    assert_eq!(ask(&mut bench, &mut second, 0, 0, disk), expected);
    let mut first = bench.asking(b"data.0");
    let expected = [(64 << 10, NOTHING), (36 << 10, DATA), (disk - (100 << 10), NOTHING)];
    assert_eq!(ask(&mut bench, &mut first, 0, 0, disk), expected);
    // What is trimmed, or zeroed without keeping its place, is none any more; what keeps it is.
    bench.exchange(&mut raw, &request(0, TRIM, 2, 100 << 10, 8 << 10));
    bench.exchange(&mut raw, &request(0, ZEROES, 3, 156 << 10, 8 << 10));
    bench.exchange(&mut raw, &request(2, ZEROES, 4, 1 << 20, 64 << 10));
    let expected = [
        (108 << 10, NOTHING),
        (48 << 10, DATA),
        ((1 << 20) - (156 << 10), NOTHING),
        (64 << 10, DATA),
        (end - (1 << 20) - (64 << 10), NOTHING),
    ];
    assert_eq!(ask(&mut bench, &mut raw, 0, 0, end), expected);
}

#[test]
fn an_answer_is_as_long_as_it_may_be_and_the_next_goes_on() {
    let mut bench = Bench::new(Span::ZERO, 1024, Bytes::mib(128));
    let mut raw = bench.asking(b"data");
    // Every second page of 64 MiB: 8,192 that have data, and 8,192 that have none.
    for page in 0..8_192u64 {
        write(&mut bench, &mut raw, page * 8192, 4096);
    }
    let (mut at, mut seen, mut answers) = (0u64, Vec::new(), 0);
    while at < 64 << 20 {
        let part = ask(&mut bench, &mut raw, 0, at, (64 << 20) - at as u32);
        assert!(!part.is_empty() && part.len() <= 4096, "{} extents", part.len());
        at += part.iter().map(|(len, _)| u64::from(*len)).sum::<u64>();
        answers += 1;
        seen.extend(part);
    }
    assert_eq!(answers, 4);
    let expected = [(4096, DATA), (4096, NOTHING)].into_iter().cycle();
    assert!(seen.iter().copied().eq(expected.take(16_384)));
}

#[test]
fn what_is_asked_beyond_the_end_or_of_half_a_sector_is_an_error() {
    let mut bench = Bench::quick();
    let mut raw = bench.asking(b"data");
    let end = 128 << 20;
    for (flags, offset, len) in
        [(0, end, 512), (0, end - 512, 1024), (0, 0, 0), (0, 100, 512), (0, 0, 700), (4, 0, 512)]
    {
        let reply = bench.exchange(&mut raw, &request(flags, STATUS, 3, offset, len));
        assert_eq!((&reply[4..8], &reply[20..24]), (&[0, 1, 0x80, 1][..], &22u32.to_be_bytes()[..]));
    }
}
