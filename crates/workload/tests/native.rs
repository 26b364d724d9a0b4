//! The native language: flags and TOML mean the same, say where they are wrong, and are written back whole.

use iobound_units::{Bytes, Op, Percent, Ppm, Rate, Span};
use iobound_workload::{
    Access, Arrivals, CapOf, Content, DEFAULT_DEPTH, Distribution, Flow, HotZone, Job, Load, RangeSync,
    ReadBack, Region, Repeated, Share, Spread, StridedZones, Targets, Think, Workload, ZoneRange,
};
use proptest::prelude::*;

fn percent(n: u32) -> Percent {
    Percent::whole(n).unwrap()
}

fn from_toml(text: &str) -> Workload {
    Workload::from_toml("jobs.toml", text).unwrap_or_else(|error| panic!("{error}")).expect("it has jobs")
}

fn toml_error(text: &str) -> String {
    Workload::from_toml("jobs.toml", text).unwrap_err().to_string()
}

/// Flags by name, each with its value.
type Flags = &'static [(&'static str, &'static str)];

fn flags_error(flags: &[(&str, &str)]) -> String {
    Workload::from_flags(flags).unwrap_err().to_string()
}

#[test]
fn nothing_said_is_random_4_kib_reads_at_depth_32_for_30_seconds() {
    let workload = Workload::from_flags(&[]).unwrap();
    let mut job = Job::new("job");
    job.load = Load::Closed { depth: DEFAULT_DEPTH, cap: None };
    job.set_mix(4_096, Percent::HUNDRED);
    assert_eq!(workload, Workload::new(vec![job], Span::from_secs(30)));
}

#[test]
fn each_part_of_a_mix_may_have_its_own_alignment() {
    let job = |lines: &str| from_toml(&format!("[[job]]\n{lines}")).jobs.remove(0);
    let aligns = |lines: &str| job(lines).mix.iter().map(|share| share.align).collect::<Vec<_>>();
    let (small, large) = (Some(Bytes(512)), Some(Bytes(8_192)));
    let mix = r#"mix = ["50 read 4KiB align 512B", "50 write 4KiB random 0% align 8KiB", "10 read 64KiB", "1 flush"]"#;
    assert_eq!(aligns(mix), [small, large, None, None]);
    // The job's own is for the parts without one. A flush has no place.
    assert_eq!(aligns(&format!("{mix}\nalign = \"8KiB\"")), [small, large, large, None]);
    assert_eq!(aligns("align = \"8KiB\"\nread = \"50%\""), [large, large]);
    for wrong in ["1 flush align 512B", "1 read 4KiB align", "1 read 4KiB align 512B align 512B"] {
        let error = toml_error(&format!("[[job]]\nmix = [\"{wrong}\"]"));
        assert!(error.contains("random 50% align 4KiB"), "{error}");
    }
}

#[test]
fn flags_and_toml_say_the_same() {
    let flags = &[
        ("sequential", "shared"),
        ("block", "8KiB"),
        ("read", "70%"),
        ("depth", "8"),
        ("threads", "4"),
        ("size", "50000M"),
        ("duration", "60s"),
        ("warmup", "5s"),
        ("seed", "7"),
    ];
    let text = r#"
        duration = "60s"
        warmup = "5s"
        seed = 7
        [[job]]
        name = "job"
        sequential = "shared"
        block = "8KiB"
        read = "70%"
        depth = 8
        threads = 4
        size = "50000M"
    "#;
    let workload = Workload::from_flags(flags).unwrap();
    assert_eq!(workload, from_toml(text));
    let job = &workload.jobs[0];
    assert_eq!(job.load, Load::Closed { depth: 8, cap: None });
    assert!(job.access.shared && job.access.random == Percent::ZERO);
    assert_eq!(
        job.mix.iter().map(|s| (s.op, s.weight, s.block)).collect::<Vec<_>>(),
        [(Op::Read, 700_000, 8_192), (Op::Write, 300_000, 8_192)]
    );
}

#[test]
fn a_rate_makes_an_open_loop_and_a_cap_bounds_a_closed_one() {
    let load = |text: &str| from_toml(&format!("[[job]]\n{text}")).jobs[0].load;
    let rate = Rate::Ios { count: 5_000, per: Span::from_secs(1) };
    assert_eq!(load("rate = \"5000iops\""), Load::Open { rate, arrivals: Arrivals::Fixed, depth: 32 });
    assert_eq!(
        load("rate = \"5000iops\"\narrivals = \"poisson\"\ndepth = 64"),
        Load::Open { rate, arrivals: Arrivals::Poisson, depth: 64 }
    );
    assert_eq!(load("cap = \"5000iops\""), Load::Closed { depth: 32, cap: Some(rate) });
}

#[test]
fn a_split_is_read_and_written_in_the_same_proportion() {
    let flags = &[("block", "4KiB:60,64KiB:40"), ("read", "75%")];
    let mix = &Workload::from_flags(flags).unwrap().jobs[0].mix;
    let plain: Vec<_> = mix.iter().map(|s| (s.op, s.block, s.weight)).collect();
    assert_eq!(
        plain,
        [(Op::Read, 4_096, 9), (Op::Read, 65_536, 6), (Op::Write, 4_096, 3), (Op::Write, 65_536, 2)]
    );
}

#[test]
fn hot_zones_are_shares_sizes_or_the_rest() {
    let text = "[[job]]\nhot = \"90/10GiB,5/20,5/rest\"";
    let zone = |ios, range| HotZone { ios: percent(ios), range };
    assert_eq!(
        from_toml(text).jobs[0].access.distribution,
        Distribution::Zones(vec![
            zone(90, ZoneRange::Bytes(Bytes::gib(10))),
            zone(5, ZoneRange::Share(percent(20))),
            zone(5, ZoneRange::Rest)
        ])
    );
}

#[test]
fn flags_that_exclude_each_other_are_both_named() {
    let cases: &[(Flags, [&str; 2])] = &[
        (&[("random", "true"), ("sequential", "true")], ["--random", "--sequential"]),
        (&[("zipf", "1.2"), ("hot", "90/10")], ["--zipf", "--hot"]),
        (&[("zipf", "1.2"), ("sequential", "true")], ["--zipf", "--sequential"]),
        (&[("arrivals", "poisson")], ["--arrivals", "--rate"]),
        (&[("burst", "4")], ["--burst", "--think"]),
        (&[("stride", "64KiB")], ["--stride", "--sequential"]),
        (&[("stride", "64KiB"), ("random", "true")], ["--stride", "--random"]),
        (&[("cap", "5iops"), ("rate", "5iops")], ["--cap", "--rate"]),
        (&[("think", "5ms"), ("rate", "5iops")], ["--think", "--rate"]),
        (&[("random", "true"), ("random-share", "5%")], ["--random-share", "--random"]),
        (&[("flush-every", "1")], ["--flush-every", "writes"]),
    ];
    for (flags, names) in cases {
        let text = flags_error(flags);
        assert!(names.iter().all(|name| text.contains(name)), "{text}");
    }
}

#[test]
fn a_flag_that_cannot_be_read_says_which_and_how() {
    let cases: &[(Flags, &str)] = &[
        (&[("block", "64KX")], "--block: `64KX` is not a size"),
        (&[("block", "4KiB:60,64KiB")], "has no weight"),
        (&[("block", "4KiB:60%,64KiB:50%")], "adds up to 110 %"),
        (&[("block", "0")], "it is zero"),
        (&[("sequential", "share")], "write true or shared"),
        (&[("rate", "5000")], "5000iops"),
        (&[("depth", "4k")], "a count has no unit"),
        (&[("depth", "5000000000")], "too large"),
        (&[("hot", "90")], "as in 90/10"),
        (&[("duration", "0")], "it is zero"),
    ];
    for (flags, part) in cases {
        let text = flags_error(flags);
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_wrong_line_is_shown_with_a_caret_and_the_mend() {
    assert_eq!(
        toml_error("[[job]]\nname = \"log\"\nblock = \"64KX\"\n"),
        "jobs.toml:3:9: `block`: `64KX` is not a size: `KX` is not a unit of size: use B, KiB, MiB, GiB, TiB (or K, M, G, T)
 3 | block = \"64KX\"
   |         ^^^^^^"
    );
    assert_eq!(
        toml_error("[[job]]\n\tblok = \"4KiB\"\n"),
        "jobs.toml:2:2: unknown key `blok`: did you mean block?\n 2 | \tblok = \"4KiB\"\n   | \t^^^^"
    );
}

#[test]
fn what_is_no_workload_is_one_error_and_never_a_panic() {
    for (text, part) in [
        ("[[job]\n", "this is not TOML"),
        ("[[job]]\ndepth = \n", "this is not TOML"),
        ("job = 5", "write [[job]]"),
        ("[job]\ndepth = 5", "write [[job]]"),
        ("block = \"4KiB\"\n[[job]]\n", "move it below [[job]]"),
        ("[[job]]\nduration = \"5s\"\n", "move it above the first [[job]]"),
        ("duration = \"5s\"\n", "has no effect without a job"),
        ("[[job]]\ndepth = 1979-05-27\n", "`depth` is a date"),
        ("[[job]]\ndepth = { a = 1 }\n", "`depth` is a table"),
        ("[[job]]\ndepth = [1, 2]\n", "not a list"),
        ("[[job]]\ndepth = 0x20\n", "another base"),
        ("[[job]]\ndepth = -1\n", "negative"),
        ("[[job]]\nrandom = false\n", "is not true"),
        ("[[job]]\nmix = [\"60 reed 4KiB\"]\n", "not an operation"),
        ("[[job]]\nmix = [\"read 4KiB\"]\n", "not part of a mix"),
        ("[[job]]\nmix = [\"1 read 4KiB\"]\nblock = \"4KiB\"\n", "does not go with"),
        ("[[job]]\ntargets = []\n", "the list is empty"),
        ("[[job]]\nspread = \"each\"\n", "per-target or every or dealt"),
        ("[[jobs]]\n", "did you mean job?"),
        ("\u{feff}é = 1", ""),
    ] {
        let error = toml_error(text);
        assert!(error.contains(part), "{text:?}: {error}");
        assert!(error.starts_with("jobs.toml:"), "{error}");
    }
}

#[test]
fn a_configuration_without_jobs_is_no_workload() {
    let text = "[machine]\nvm = \"Standard_DS14\"\n[[disk]]\nspec = \"10xP30\"\n";
    assert_eq!(Workload::from_toml("vm.toml", text), Ok(None));
}

#[test]
fn flags_of_the_run_apply_to_a_workload_from_elsewhere() {
    let flags = &[("duration", "5s"), ("seed", "3")];
    let mut workload = Workload::new(vec![Job::new("elsewhere")], Span::from_secs(60));
    workload.set_times(flags).unwrap();
    assert_eq!((workload.duration, workload.seed, workload.jobs.len()), (Span::from_secs(5), 3, 1));
}

/// The longest time that is read, in nanoseconds.
const TEN_YEARS: u64 = 315_360_000_000_000_000;

fn spans() -> impl Strategy<Value = Span> {
    prop_oneof![(0u64..4_000).prop_map(Span::from_ms), (0..=TEN_YEARS).prop_map(Span::from_ns)]
}

fn sizes() -> impl Strategy<Value = Bytes> {
    prop_oneof![(0u64..4_000).prop_map(Bytes::kib), (0u64..=1 << 60).prop_map(Bytes)]
}

fn percents() -> impl Strategy<Value = Percent> {
    prop_oneof![
        (0u32..=100).prop_map(percent),
        (0u32..=1_000_000).prop_map(|n| Percent::from_ppm(n).unwrap())
    ]
}

fn rates() -> impl Strategy<Value = Rate> {
    (any::<bool>(), 1u64..1 << 39, 1u64..1 << 40, any::<bool>()).prop_map(|(ios, count, per, second)| {
        let per = if second { Span::from_secs(1) } else { Span::from_ns(per) };
        if ios { Rate::Ios { count, per } } else { Rate::Bytes { count, per } }
    })
}

fn loads() -> impl Strategy<Value = Load> {
    prop_oneof![
        (any::<u32>(), proptest::option::of(rates())).prop_map(|(depth, cap)| Load::Closed { depth, cap }),
        (any::<u32>(), rates(), any::<bool>()).prop_map(|(depth, rate, poisson)| Load::Open {
            rate,
            arrivals: if poisson { Arrivals::Poisson } else { Arrivals::Fixed },
            depth,
        }),
    ]
}

fn shares() -> impl Strategy<Value = Share> {
    let own = (proptest::option::of(percents()), proptest::option::of(sizes()));
    (1u32.., 0usize..4, 1u32.., own).prop_map(|(weight, op, block, (random, align))| match Op::ALL[op] {
        Op::Flush => Share { weight, op: Op::Flush, block: 0, random, align: None },
        op => Share { weight, op, block, random, align },
    })
}

fn distributions() -> impl Strategy<Value = Distribution> {
    let range = prop_oneof![
        percents().prop_map(ZoneRange::Share),
        sizes().prop_map(ZoneRange::Bytes),
        Just(ZoneRange::Rest)
    ];
    let zone = (percents(), range).prop_map(|(ios, range)| HotZone { ios, range });
    prop_oneof![
        Just(Distribution::Uniform),
        any::<u32>().prop_map(|theta| Distribution::Zipf { theta: Ppm(theta) }),
        any::<u32>().prop_map(|power| Distribution::Pareto { power: Ppm(power) }),
        (0u32..=1_000_000).prop_map(|deviation| Distribution::Normal { deviation: Ppm(deviation) }),
        proptest::collection::vec(zone, 1..4).prop_map(Distribution::Zones),
    ]
}

fn accesses() -> impl Strategy<Value = Access> {
    let steps =
        (proptest::option::of(sizes()), proptest::option::of((sizes(), proptest::option::of(sizes()))));
    (percents(), distributions(), any::<bool>(), any::<bool>(), steps).prop_map(
        |(random, distribution, once, shared, (stride, parts))| Access {
            random,
            once_each: once && distribution == Distribution::Uniform,
            distribution,
            stride,
            shared,
            thread_stride: parts.map(|(apart, _)| apart),
            thread_size: parts.and_then(|(_, size)| size),
            backward: stride,
            strided: parts.map(|(range, _)| StridedZones { range, size: range, skip: Bytes(4_096) }),
            trim_first: once,
        },
    )
}

/// What `to_toml` leaves away because it has no effect.
fn without_idle_fields(mut job: Job) -> Job {
    if !job.any_random() {
        (job.access.distribution, job.access.once_each) = (Distribution::Uniform, false);
    }
    if !job.any_sequential() {
        (job.access.stride, job.access.shared) = (None, false);
        job.access.thread_stride = job.access.thread_stride.filter(|_| job.access.thread_size.is_some());
        job.access.backward = None;
    }
    if matches!(job.load, Load::Open { .. }) {
        job.think = None;
    }
    if !job.mix.iter().any(|share| share.op == Op::Write) {
        (job.flush_every, job.flush_at_end, job.read_back_after) = (None, false, None);
        job.flush_range = None;
    }
    job
}

fn jobs() -> impl Strategy<Value = Job> {
    let what = (proptest::collection::vec(shares(), 1..4), loads(), accesses(), any::<bool>(), percents());
    let where_ = (
        ".{0,12}",
        proptest::option::of(proptest::collection::vec("[ -~é]{1,8}", 1..3)),
        any::<u32>(),
        prop_oneof![Just(Spread::PerTarget), Just(Spread::Every), Just(Spread::Dealt)],
        sizes(),
        proptest::option::of(sizes()),
        (any::<bool>(), proptest::option::of(sizes())),
    );
    let think = (any::<u64>(), spans(), any::<bool>()).prop_map(|(burst, time, after_completion)| Think {
        burst,
        time,
        after_completion,
    });
    let content = prop_oneof![
        Just(Content::Incompressible),
        Just(Content::Zeros),
        Just(Content::Counting),
        proptest::collection::vec(any::<u8>(), 1..=Repeated::MOST)
            .prop_map(|bytes| Content::Repeated(Repeated::new(&bytes).unwrap())),
        percents().prop_map(Content::Compressible)
    ];
    let when = (
        proptest::option::of(think),
        proptest::option::of(any::<u64>()),
        any::<(bool, bool, bool, u16)>(),
        spans(),
        proptest::option::of(spans()),
        (proptest::option::of(sizes()), proptest::option::of(1..=u32::MAX)),
        content,
    );
    (what, where_, when).prop_map(|(what, where_, when)| {
        let (mix, load, access, simple, read) = what;
        let (name, names, threads, spread, offset, size, (uniform, align)) = where_;
        let (
            think,
            flush_every,
            (flush_at_end, durable, buffered, stage),
            start_after,
            runtime,
            (stop_after, times_memory),
            content,
        ) = when;
        let is_capped = matches!(load, Load::Closed { cap: Some(_), .. });
        let mut job = Job {
            reads_back: None,
            read_back_after: durable.then_some(ReadBack { every: threads.max(1), batch: threads }),
            cap_of: is_capped.then_some(if durable { CapOf::One(Op::Discard) } else { CapOf::Each }),
            flow: buffered.then_some(Flow { group: stage.into(), weight: threads, pause: start_after }),
            name,
            targets: names.map_or(Targets::All, Targets::Named),
            threads,
            spread,
            load,
            mix,
            access,
            region: Region { offset, size },
            think,
            flush_range: flush_every.is_some().then_some(RangeSync {
                write: true,
                wait_before: durable,
                wait_after: buffered,
            }),
            flush_every,
            flush_at_end,
            durable,
            buffered,
            stage,
            start_after,
            runtime,
            stop_after,
            times_memory,
            content,
        };
        if uniform {
            job.set_align(align);
        }
        if simple {
            job.set_mix(job.mix[0].block.max(512), read);
        }
        without_idle_fields(job)
    })
}

proptest! {
    #[test]
    fn a_workload_written_as_toml_is_read_back_whole(
        jobs in proptest::collection::vec(jobs(), 1..3),
        duration in 1u64..=TEN_YEARS,
        warmup in spans(),
        cooldown in spans(),
        seed: u64,
    ) {
        let workload = Workload { jobs, duration: Span::from_ns(duration), warmup, cooldown, seed };
        let text = workload.to_toml();
        let read = Workload::from_toml("written.toml", &text);
        prop_assert_eq!(read, Ok(Some(workload)), "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(\\[\\[job\\]\\]\n)?([a-z-]{0,8} = [\"0-9A-Za-z%/,:é\\[\\]]{0,12}\n){0,4}") {
        let _ = Workload::from_toml("any.toml", &text);
    }
}

#[test]
fn of_a_long_line_only_what_is_around_the_fault_is_shown() {
    let text = format!("[[job]]\nname = \"{}\"\ndepht = 1\n", "x".repeat(100));
    let short = Workload::from_toml("a.toml", &text).unwrap_err().to_string();
    assert!(short.contains(" 3 | depht = 1\n   | ^^^^^"), "{short}");
    let text = format!("[[job]]\nblock = \"4KiB\", {}\n", "y".repeat(1_000_000));
    let long = Workload::from_toml("a.toml", &text).unwrap_err().to_string();
    assert!(long.len() < 1_000, "{}", long.len());
}

#[test]
fn a_job_of_so_many_times_the_memory_is_settled_by_who_knows_the_machine() {
    let scan = iobound_workload::preset("greenplum-scan").unwrap().workload;
    assert!(
        scan.jobs.iter().all(|job| job.region.size.is_none() && job.stop_after.is_none()),
        "nobody knows it yet"
    );
    let mut settled = scan.clone();
    // 2 x 3 GiB on 4 directories: 1.5 GiB each, gone through once.
    settled.settle_memory(Bytes::gib(3), 4);
    for job in &settled.jobs {
        assert_eq!((job.region.size, job.stop_after), (Some(Bytes::mib(1_536)), Some(Bytes::mib(1_536))));
    }
    // What somebody says stands, and whole blocks of 32 KiB otherwise.
    let mut said = scan.clone();
    said.jobs[0].region.size = Some(Bytes::mib(64));
    said.settle_memory(Bytes(100_000), 3);
    assert_eq!(
        (said.jobs[0].region.size, said.jobs[0].stop_after),
        (Some(Bytes::mib(64)), Some(Bytes::mib(64)))
    );
    assert_eq!(said.jobs[1].stop_after, Some(Bytes(65_536)), "200,000 / 3 are 66,666 bytes: two blocks");
    assert!(Workload::from_toml("x", "[[job]]\ntimes-memory = 0\n").is_err());
}
