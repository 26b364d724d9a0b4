//! fio's options that shape the I/O, each with the job that it makes. The meaning of an option is in fio's HOWTO.

#[path = "common/fio_jobs.rs"]
mod fio_jobs;

use fio_jobs::{bare, every_block_once, ios, job, one, sized};
use iobound_units::{Bytes, GIB, MIB, Op, Percent, Ppm, Rate, Span};
use iobound_workload::{
    Access, Arrivals, CapOf, Content, Distribution, HotZone, Job, Load, RangeSync, ReadBack, Region,
    Repeated, Share, StridedZones, Think, ZoneRange,
};

#[test]
fn every_option_that_shapes_the_io() {
    let shares = |list: &[(u32, Op, u32)]| -> Vec<Share> {
        list.iter()
            .map(|&(weight, op, block)| Share { weight, op, block, random: None, align: None })
            .collect()
    };
    let (r, w, d) = (Op::Read, Op::Write, Op::Discard);
    let random = |mix: Vec<Share>| Job { mix, access: every_block_once(), ..bare() };
    let percent = |n| Percent::whole(n).unwrap();
    let synced = |every, steps| Job {
        mix: one(w, 4096),
        flush_every: Some(every),
        flush_range: Some(steps),
        ..bare()
    };
    let aligned = |bytes| vec![Share { align: Some(Bytes(bytes)), ..one(r, 4096)[0] }];
    let table: Vec<(&str, Job)> = vec![
        ("--rw=write", Job { mix: one(w, 4096), ..bare() }),
        ("--rw=trim", Job { mix: one(d, 4096), ..bare() }),
        ("--rw=randread", random(one(r, 4096))),
        ("--rw=randwrite", random(one(w, 4096))),
        ("--rw=randtrim", random(one(d, 4096))),
        ("--rw=rw", Job { mix: shares(&[(1, r, 4096), (1, w, 4096)]), ..bare() }),
        (
            "--rw=trimwrite",
            Job {
                mix: shares(&[(1, d, 4096), (1, w, 4096)]),
                access: Access { trim_first: true, ..Access::sequential() },
                // Each block is trimmed and written.
                stop_after: Some(Bytes(2 * GIB)),
                ..bare()
            },
        ),
        (
            "--rw=read:-8k",
            Job {
                access: Access {
                    stride: Some(Bytes(4096)),
                    backward: Some(Bytes(8192)),
                    ..Access::sequential()
                },
                ..bare()
            },
        ),
        (
            // 466,832 blocks of 2,300 bytes fit.
            "--bs=2300 --direct=0",
            Job { mix: one(r, 2300), buffered: true, stop_after: Some(Bytes(GIB / 2300 * 2300)), ..bare() },
        ),
        (
            // 682 I/Os of 1 MiB every 1.5 MiB, and 1 MiB is left: the last ends at the end.
            "--rw=read:512k --bs=1m",
            Job {
                mix: one(r, 1 << 20),
                access: Access { stride: Some(Bytes(3 << 19)), ..Access::sequential() },
                stop_after: Some(Bytes(683 * MIB)),
                ..bare()
            },
        ),
        (
            "--zonemode=strided --zonesize=1m --zonerange=2m --zoneskip=4m",
            Job {
                access: Access {
                    strided: Some(StridedZones {
                        range: Bytes(2 * MIB),
                        size: Bytes(MIB),
                        skip: Bytes(4 * MIB),
                    }),
                    ..Access::sequential()
                },
                ..bare()
            },
        ),
        (
            "--zonesize=256m --rw=randread",
            Job {
                access: Access {
                    strided: Some(StridedZones {
                        range: Bytes(256 * MIB),
                        size: Bytes(256 * MIB),
                        skip: Bytes::ZERO,
                    }),
                    ..every_block_once()
                },
                ..bare()
            },
        ),
        ("--rw=randrw --rwmixread=70", random(shares(&[(7, r, 4096), (3, w, 4096)]))),
        ("--rw=randrw --rwmixwrite=70", random(shares(&[(3, r, 4096), (7, w, 4096)]))),
        ("--rw=randrw --rwmixread=60 --rwmixwrite=70", random(shares(&[(3, r, 4096), (7, w, 4096)]))),
        ("--rw=randrw --rwmixread=100", random(one(r, 4096))),
        ("--rw=randrw --bs=4k,16k", random(shares(&[(1, r, 4096), (1, w, 16384)]))),
        ("--rw=randrw --bs=,16k", random(shares(&[(1, r, 4096), (1, w, 16384)]))),
        ("--rw=randread --bssplit=4k/25:64k/75", random(shares(&[(1, r, 4096), (3, r, 65536)]))),
        (
            "--rw=randrw --bssplit=4k/50:8k/50,64k/100",
            random(shares(&[(1, r, 4096), (1, r, 8192), (2, w, 65536)])),
        ),
        ("--rw=randread --bsrange=4k-8k", random(shares(&[(1, r, 4096), (1, r, 8192)]))),
        ("--blocksize=8k", Job { mix: one(r, 8192), ..bare() }),
        ("--bs=8kib", Job { mix: one(r, 8000), stop_after: Some(Bytes(GIB / 8000 * 8000)), ..bare() }),
        (
            "--kb_base=1000 --bs=8kib",
            Job {
                mix: one(r, 8192),
                region: sized(1_000_000_000),
                stop_after: Some(Bytes(1_000_000_000 / 8192 * 8192)),
                ..bare()
            },
        ),
        (
            "--rw=write:60k",
            Job {
                mix: one(w, 4096),
                access: Access { stride: Some(Bytes(65536)), ..Access::sequential() },
                ..bare()
            },
        ),
        (
            "--rw=randread:8",
            Job {
                access: Access { random: Percent::from_ppm(125_000).unwrap(), ..every_block_once() },
                ..bare()
            },
        ),
        (
            "--rw=randread --percentage_random=30",
            Job { access: Access { random: percent(30), ..every_block_once() }, ..bare() },
        ),
        (
            "--rw=randrw --percentage_random=100,0",
            Job {
                mix: vec![
                    Share { weight: 1, op: r, block: 4096, random: None, align: None },
                    Share { weight: 1, op: w, block: 4096, random: Some(Percent::ZERO), align: None },
                ],
                access: every_block_once(),
                ..bare()
            },
        ),
        ("--rw=randread --norandommap", Job { access: Access::random(), ..bare() }),
        // fio 3.33: "Any use of blockalign= turns off randommap", but not of one that is the block size.
        ("--rw=randread --blockalign=64k", Job { access: Access::random(), mix: aligned(65536), ..bare() }),
        ("--rw=randread --blockalign=4k", Job { access: every_block_once(), ..bare() }),
        ("--rw=read --blockalign=64k", bare()),
        (
            "--rw=randrw --blockalign=64k,8k",
            Job {
                access: Access::random(),
                mix: vec![
                    Share { weight: 1, op: r, block: 4096, random: None, align: Some(Bytes(65536)) },
                    Share { weight: 1, op: w, block: 4096, random: None, align: Some(Bytes(8192)) },
                ],
                ..bare()
            },
        ),
        ("--rw=write --sync_file_range=write", synced(1, RangeSync { write: true, ..RangeSync::default() })),
        (
            "--rw=write --sync_file_range=wait_before,write,wait_after:8",
            synced(8, RangeSync { wait_before: true, write: true, wait_after: true }),
        ),
        (
            // fio 3.33 takes the number after the first colon.
            "--rw=write --sync_file_range=write:4,wait_after:16",
            synced(4, RangeSync { wait_before: false, write: true, wait_after: true }),
        ),
        ("--rw=write --sync_file_range=write:0", Job { mix: one(w, 4096), ..bare() }),
        ("--rw=read --sync_file_range=write:8", bare()),
        ("--offset=1m", Job { region: Region { offset: Bytes(MIB), size: Some(Bytes(GIB)) }, ..bare() }),
        (
            "--numjobs=4 --offset_increment=1g",
            Job {
                threads: 4,
                access: Access {
                    thread_stride: Some(Bytes(GIB)),
                    thread_size: Some(Bytes(GIB)),
                    ..Access::sequential()
                },
                region: sized(4 * GIB),
                ..bare()
            },
        ),
        ("--io_size=4g", Job { stop_after: Some(Bytes(4 * GIB)), ..bare() }),
        ("--number_ios=100", Job { stop_after: Some(Bytes(409_600)), ..bare() }),
        ("--loops=3", Job { stop_after: Some(Bytes(3 * GIB)), ..bare() }),
        ("--startdelay=5", Job { start_after: Span::from_secs(5), ..bare() }),
        ("--sync=1", Job { durable: true, ..bare() }),
        ("--sync=dsync", Job { durable: true, ..bare() }),
        ("--sync=none", bare()),
        ("--buffered=1", Job { buffered: true, ..bare() }),
        ("--rw=write --fsync=32", Job { mix: one(w, 4096), flush_every: Some(32), ..bare() }),
        (
            "--rw=write --verify=md5 --verify_backlog=8 --verify_backlog_batch=2",
            Job { mix: one(w, 4096), read_back_after: Some(ReadBack { every: 8, batch: 2 }), ..bare() },
        ),
        (
            "--rw=write --verify=crc32c --verify_backlog=8",
            Job { mix: one(w, 4096), read_back_after: Some(ReadBack { every: 8, batch: 8 }), ..bare() },
        ),
        ("--rw=write --verify_backlog=8", Job { mix: one(w, 4096), ..bare() }),
        ("--rw=write --fdatasync=1", Job { mix: one(w, 4096), flush_every: Some(1), ..bare() }),
        ("--rw=write --end_fsync=1", Job { mix: one(w, 4096), flush_at_end: true, ..bare() }),
        ("--rw=write --fsync_on_close=1", Job { mix: one(w, 4096), flush_at_end: true, ..bare() }),
        (
            "--buffer_pattern=0xdeadbeef",
            Job { content: Content::Repeated(Repeated::parse("0xdeadbeef").unwrap()), ..bare() },
        ),
        ("--zero_buffers", Job { content: Content::Zeros, ..bare() }),
        ("--buffer_compress_percentage=40", Job { content: Content::Compressible(percent(40)), ..bare() }),
        (
            "--thinktime=500",
            Job {
                think: Some(Think { burst: 1, time: Span::from_us(500), after_completion: true }),
                ..bare()
            },
        ),
        (
            "--thinktime=5ms --thinktime_blocks=16 --thinktime_blocks_type=issue",
            Job {
                think: Some(Think { burst: 16, time: Span::from_ms(5), after_completion: false }),
                ..bare()
            },
        ),
        ("--rate=10m", Job { load: Load::Closed { depth: 1, cap: Some(bytes(10 << 20, 1)) }, ..bare() }),
        ("--rate_iops=500", Job { load: Load::Closed { depth: 1, cap: Some(ios(500, 1)) }, ..bare() }),
        ("--rate_iops=10k", Job { load: Load::Closed { depth: 1, cap: Some(ios(10_240, 1)) }, ..bare() }),
        // Each clone has the rate, and an open loop's is the job's.
        (
            "--rate_iops=500 --numjobs=4 --rate_process=poisson --ioengine=libaio --iodepth=64",
            Job {
                threads: 4,
                load: Load::Open { rate: ios(2000, 1), arrivals: Arrivals::Poisson, depth: 64 },
                ..bare()
            },
        ),
        // fio 3.33: 1,000 reads and 1,000 writes a second, whatever rwmixread says.
        (
            "--rw=rw --rwmixread=70 --rate_iops=1000",
            Job {
                mix: shares(&[(1, r, 4096), (1, w, 4096)]),
                load: Load::Closed { depth: 1, cap: Some(ios(2_000, 1)) },
                cap_of: Some(CapOf::Each),
                ..bare()
            },
        ),
        (
            "--rw=rw --rwmixread=70 --rate_iops=1000,100",
            Job {
                mix: shares(&[(536_870_912, r, 4096), (53_687_091, w, 4096)]),
                load: Load::Closed { depth: 1, cap: Some(ios(1_100, 1)) },
                cap_of: Some(CapOf::Each),
                ..bare()
            },
        ),
    ];
    for (options, expected) in table {
        assert_eq!(job(options), expected, "{options}");
    }
}

fn bytes(count: u64, seconds: u64) -> Rate {
    Rate::Bytes { count, per: Span::from_secs(seconds) }
}

#[test]
fn distributions_keep_their_parameters() {
    let percent = |n| Percent::whole(n).unwrap();
    let zone = |ios: u32, range| HotZone { ios: percent(ios), range };
    let share = |n: u32| ZoneRange::Share(percent(n));
    for (text, expected) in [
        ("zipf:1.2", Distribution::Zipf { theta: Ppm(1_200_000) }),
        ("zipf", Distribution::Zipf { theta: Ppm(1_100_000) }),
        ("pareto:0.9", Distribution::Pareto { power: Ppm(900_000) }),
        ("normal:20", Distribution::Normal { deviation: Ppm(200_000) }),
        (
            "zoned:50/5:30/15:20/",
            Distribution::Zones(vec![zone(50, share(5)), zone(30, share(15)), zone(20, ZoneRange::Rest)]),
        ),
        ("zoned:60/10:40/90", Distribution::Zones(vec![zone(60, share(10)), zone(40, share(90))])),
        (
            "zoned_abs:95/10g:5/50g",
            Distribution::Zones(vec![
                zone(95, ZoneRange::Bytes(Bytes(10 * GIB))),
                zone(5, ZoneRange::Bytes(Bytes(50 * GIB))),
            ]),
        ),
        ("random", Distribution::Uniform),
    ] {
        let job = job(&format!("--rw=randread --random_distribution={text}"));
        assert_eq!(job.access.distribution, expected, "{text}");
        assert_eq!(job.access.once_each, expected == Distribution::Uniform, "{text}");
    }
}
