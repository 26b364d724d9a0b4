//! The screen of `run`, page by page, and what holds for every one of them.

mod common;

use common::{Ran, e7, everything, nothing, recorded, style, wide};
use iobound_measure::RunResult;
use iobound_measure::result::Source;
use iobound_report::{Ended, RunScreen, Style, run_text};
use proptest::prelude::*;

fn page(ran: &Ran, style: Style) -> String {
    ran.show(|screen| run_text(screen, style))
}

#[test]
fn a_run_on_one_screen() {
    let expected = "\
4 KiB shared-sequential read, 32 x 128 = 4,096 outstanding
md0 = 10 x P30, cache none   io_uring, O_DIRECT, closed loop, reads

  IOPS      45,500   186.4 MB/s (177.7 MiB/s)   43,800-47,200 (95 % confidence)   steady from 5 s
  seconds   42,000 ▁▄▂▅▃▆▂█▅▃▅▂ 51,000
  latency   mean 90.0 ms   p50 88.0 ms   p90 104.0 ms   p99 121.0 ms   p99.9 133.0 ms   max 151.2 ms
            closed loop
            = 4,095 outstanding / 45,500 IOPS: queueing; an I/O alone takes 2.1 ms

  predicted 51,000 IOPS   band 49,900-51,500   measured/predicted 0.89
            80 % of 61 published limit-bound runs on one disk are inside; 1 VM in 20 is slower
  BOUND BY  unexplained: no known limit is full (disks IOPS 89 %, VM uncached IOPS 87 %, VM uncached
            throughput 36 % of the enforced limit)

  depth     4,095 outstanding on average, 100 % of the 4,096 requested
  cpu       6.4 µs of processor time an I/O   user 0.61 s, system 2.9 s   16 processors
            steal 0.2 % of their time
  device    md0 (md, 10 TiB)   45,501 reads/s of 4 KiB in 90.0 ms   queue 4,093
            busy 100 % of the time

  checks    kernel counters ok · depth ok · file written ok · no other io ok

  prepared  /mnt/data/iobound.0.data 50 GiB, created; 50 GiB written in 4.5 min, incompressible
  next      iobound run /mnt/data --find-knee   iobound explain r-142
";
    assert_eq!(page(&e7(), style(100)), expected);
}

#[test]
fn a_run_at_eighty_columns() {
    let expected = "\
4 KiB shared-sequential read, 32 x 128 = 4,096 outstanding
md0 = 10 x P30, cache none   io_uring, O_DIRECT, closed loop, reads

  IOPS      45,500   186.4 MB/s (177.7 MiB/s)   43,800-47,200 (95 % confidence)
            steady from 5 s
  seconds   42,000 ▁▄▂▅▃▆▂█▅▃▅▂ 51,000
  latency   mean 90.0 ms   p50 88.0 ms   p90 104.0 ms   p99 121.0 ms
            p99.9 133.0 ms   max 151.2 ms   closed loop
            = 4,095 outstanding / 45,500 IOPS: queueing; an I/O alone takes 2.1
            ms

  predicted 51,000 IOPS   band 49,900-51,500   measured/predicted 0.89
            80 % of 61 published limit-bound runs on one disk are inside; 1 VM
            in 20 is slower
  BOUND BY  unexplained: no known limit is full (disks IOPS 89 %, VM uncached
            IOPS 87 %, VM uncached throughput 36 % of the enforced limit)

  depth     4,095 outstanding on average, 100 % of the 4,096 requested
  cpu       6.4 µs of processor time an I/O   user 0.61 s, system 2.9 s
            16 processors   steal 0.2 % of their time
  device    md0 (md, 10 TiB)   45,501 reads/s of 4 KiB in 90.0 ms   queue 4,093
            busy 100 % of the time

  checks    kernel counters ok · depth ok · file written ok · no other io ok

  prepared  /mnt/data/iobound.0.data 50 GiB, created; 50 GiB written in 4.5 min,
            incompressible
  next      iobound run /mnt/data --find-knee   iobound explain r-142
";
    assert_eq!(page(&e7(), style(80)), expected);
}

#[test]
fn a_run_at_sixty_columns() {
    let expected = "\
4 KiB shared-sequential read, 32 x 128 = 4,096 outstanding
md0 = 10 x P30, cache none   io_uring, O_DIRECT, closed
loop, reads

  IOPS      45,500   186.4 MB/s (177.7 MiB/s)
            43,800-47,200 (95 % confidence)
            steady from 5 s
  seconds   42,000 ▁▄▂▅▃▆▂█▅▃▅▂ 51,000
  latency   mean 90.0 ms   p50 88.0 ms   p90 104.0 ms
            p99 121.0 ms   p99.9 133.0 ms   max 151.2 ms
            closed loop
            = 4,095 outstanding / 45,500 IOPS: queueing; an
            I/O alone takes 2.1 ms

  predicted 51,000 IOPS   band 49,900-51,500
            measured/predicted 0.89
            80 % of 61 published limit-bound runs on one
            disk are inside; 1 VM in 20 is slower
  BOUND BY  unexplained: no known limit is full (disks IOPS
            89 %, VM uncached IOPS 87 %, VM uncached
            throughput 36 % of the enforced limit)

  depth     4,095 outstanding on average, 100 % of the 4,096
            requested
  cpu       6.4 µs of processor time an I/O
            user 0.61 s, system 2.9 s   16 processors
            steal 0.2 % of their time
  device    md0 (md, 10 TiB)
            45,501 reads/s of 4 KiB in 90.0 ms   queue 4,093
            busy 100 % of the time

  checks    kernel counters ok · depth ok · file written ok
            · no other io ok

  prepared  /mnt/data/iobound.0.data 50 GiB, created; 50 GiB
            written in 4.5 min, incompressible
  next      iobound run /mnt/data --find-knee
            iobound explain r-142
";
    assert_eq!(page(&e7(), style(60)), expected);
}

#[test]
fn several_jobs_with_failures_and_warnings() {
    let expected = "\
log: 64 KiB random write, 1 outstanding, a flush every 10 writes
data: 8 KiB random read, open loop of 2,000 IOPS (fixed arrivals), at most 16
outstanding
/mnt/a, /mnt/b   libaio, O_DIRECT and buffered, by job, mixed loop, reads,
writes and flushes
  STOPPED   interrupted: the measurement ended after 10 s; figures cover that
            time

  IOPS      2,500   49.1 MB/s (46.8 MiB/s)   2,499-2,500 (95 % confidence)
            steady
  seconds   2,499 ██████████ 2,500
  latency   mean 1.3 ms   p50 1.2 ms   p90 2.0 ms   p99 2.0 ms   p99.9 2.0 ms
            max 2.0 ms   mixed loop: response, from the intended time
  service   mean 1.2 ms   p50 1.1 ms   p90 2.0 ms   p99 2.0 ms   p99.9 2.0 ms
            max 2.0 ms   from issue

  operation   IOPS  failed  MB/s    mean     p50     p99   p99.9     max
  read       2,000       0  16.4  1.1 ms  1.1 ms  1.6 ms  1.6 ms  1.6 ms
  write        500       5  32.7  2.0 ms  2.0 ms  2.0 ms       -  2.0 ms
  flush         50       0     -  2.0 ms  2.0 ms       -       -  2.0 ms

  job    IOPS  failed  MB/s    mean     p50     p99   p99.9     max
  log     500       5  32.7  2.0 ms  2.0 ms  2.0 ms       -  2.0 ms
  data  2,000       0  16.4  1.1 ms  1.1 ms  1.6 ms  1.6 ms  1.6 ms
            data: 2,000 IOPS requested, 2,000 reached

  target   IOPS  failed  MB/s    mean     p50     p99   p99.9     max
  /mnt/a    500       5  32.7  2.0 ms  2.0 ms  2.0 ms       -  2.0 ms
  /mnt/b  2,000       0  16.4  1.1 ms  1.1 ms  1.6 ms  1.6 ms  1.6 ms
  threads   2, each 500-2,000 IOPS (--wide has all)

  predicted 51,000 IOPS of the page cache   band 49,900-51,500
            measured/predicted 0.24
            80 % of 61 published limit-bound runs on one disk are inside; 1 VM
            in 20 is slower
  BOUND BY  unexplained: no known limit is full (disks IOPS 24 %, VM uncached
            IOPS 23 %, VM uncached throughput 9 % of the enforced limit)

  depth     3.1 outstanding on average; 17 may be
  cpu       0.48 ms of processor time an I/O   user 0.1 s, system 12 s
            2 processors   steal 3 % of their time
  device    sda (scsi, Virtual Disk, 1 TiB, scheduler none)
            2,000 reads/s of 8 KiB (0.1 % of them merged) in 1.0 ms
            1,000 writes/s of 32 KiB in 1.9 ms   queue 3.2
            busy 97 % of the time
  FAILED    5 of 5,000 writes; no other figure includes them
  left over 1,234 due and never issued (the backlog), 1 issued and not
            completed, when the measurement ended

  checks    kernel counters warning · depth FAILED · steal not known · client
            cpu ok
  warning   kernel counters: the kernel counted 10,000 writes for 5,000: each
            was split
  FAILED    depth: 1.0 of 16 outstanding
  notes     the page cache answered nothing

  prepared  /mnt/data/iobound.0.data 50 GiB, created; 50 GiB written in 4.5 min,
            incompressible
  next      iobound run /mnt/data --find-knee   iobound explain r-142
";
    assert_eq!(page(&everything(), style(80)), expected);
}

#[test]
fn a_run_without_io_says_so() {
    let expected = "\
4 KiB random read, 1 outstanding
/mnt/a   O_DIRECT, reads
  FAILED    /mnt/a: Input/output error (EIO) at the first read; the measurement
            ended after 0 s

  IOPS      0: no read or write completed during the measurement
";
    assert_eq!(page(&nothing(), style(80)), expected);
}

#[test]
fn a_plain_screen_is_ascii_and_no_line_of_it_is_longer() {
    let plain = Style { ascii: true, ..style(80) };
    for ran in [e7(), everything(), nothing()] {
        let (text, same) = (page(&ran, plain), page(&ran, style(80)));
        assert!(text.is_ascii(), "{text}");
        let lengths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        assert_eq!(lengths(&text), lengths(&same));
    }
    assert!(page(&e7(), plain).contains("42,000 _=.+-*.#+-+. 51,000"));
}

#[test]
fn only_what_matters_most_is_bold_and_only_in_color() {
    let bold = page(&everything(), Style { color: true, ..style(100) });
    for stressed in ["  STOPPED ", "  BOUND BY ", "  FAILED "] {
        assert!(bold.contains(&format!("\x1b[1m{stressed}")), "{bold}");
    }
    assert!(!page(&everything(), style(100)).contains('\x1b'));
}

#[test]
fn a_wide_page_has_all_threads_facts_and_checks() {
    let text = page(&everything(), wide());
    for part in
        ["  thread ", "requests of at most 32 KiB", "steal: /proc/stat has no steal time here", "seed 7"]
    {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
}

#[test]
fn what_is_left_out_of_a_narrow_page_is_said() {
    let text = page(&everything(), style(60));
    assert!(text.contains("columns left out: 2 (--wide has all)"), "{text}");
    let mut many = everything();
    let thread = many.result.threads[0].clone();
    many.result.targets = vec![thread.clone(); 20];
    many.result.jobs = vec![many.result.jobs[0].clone(); 12];
    let text = page(&many, style(100));
    assert!(text.contains("targets   20, each 500-500 IOPS (--wide has all)"), "{text}");
    assert!(text.contains("4 more jobs: --wide"), "{text}");
}

#[test]
fn a_mean_is_called_queueing_only_where_depth_and_rate_make_it_so() {
    // 4,096 / 45,500 = 90.0 ms, and an I/O alone takes 2.1 ms.
    assert!(page(&e7(), style(100)).contains("= 4,095 outstanding / 45,500 IOPS: queueing"));
    // Nothing is known of an I/O alone: the shortest is the witness, 2.1 ms against a median of 88.
    let mut without = e7();
    without.prediction = None;
    let text = page(&without, style(100));
    assert!(text.contains("IOPS: queueing; the fastest I/O took 2.1 ms"), "{text}");
    // All alike: a depth that the disk serves at once.
    let mut alike = e7();
    alike.prediction = None;
    alike.result.total.latency_us.as_mut().unwrap().min = Some(80_000.0);
    let text = page(&alike, style(100));
    assert!(text.contains("outstanding / 45,500 IOPS\n"), "{text}");
    // The mean is not what N = X·R makes it: a check's business, and no explanation.
    let mut off = e7();
    off.result.total.latency_us.as_mut().unwrap().mean = Some(100_000.0);
    assert!(!page(&off, style(100)).contains("outstanding / "));
    // A cap holds the loop back: latency is the disk's again.
    let mut capped = e7();
    let rate = iobound_units::Rate::Ios { count: 1_500, per: iobound_units::Span::from_secs(1) };
    capped.workload.jobs[0].load = iobound_workload::Load::Closed { depth: 128, cap: Some(rate) };
    assert!(!page(&capped, style(100)).contains("outstanding / "));
}

#[test]
fn a_full_limit_is_named_with_its_share() {
    // 50,600 of 51,000: 99 % of the disks, 97 % of the VM.
    let mut full = e7();
    full.result.total.iops = Some(50_600.0);
    let text = page(&full, style(100));
    assert!(text.contains("BOUND BY  disks IOPS: 99 % of its enforced limit"), "{text}");
    // 61,200 is 1.2 × what is enforced: no such limit can be there.
    full.result.total.iops = Some(61_200.0);
    let text = page(&full, style(100));
    assert!(text.contains("unexplained: more than disks IOPS allows (120 % of its"), "{text}");
    // Credits allow more for a while.
    let burst = iobound_predict::Burst {
        iops: 90_000.0,
        throughput_bytes_per_s: 0.0,
        seconds: Some(120.0),
        first: None,
    };
    full.prediction.as_mut().unwrap().burst = Some(burst);
    let text = page(&full, style(200));
    let says =
        "burst credits of disks IOPS: 120 % of its enforced limit; full credits allow 90,000 IOPS for 2 min";
    assert!(text.contains(says), "{text}");
    // But not so much more.
    full.result.total.iops = Some(110_000.0);
    assert!(page(&full, style(100)).contains("unexplained: more than disks IOPS allows"));
}

#[test]
fn the_queue_depth_binds_where_no_limit_is_full_and_the_figure_is_in_the_band() {
    let mut shallow = e7();
    let prediction = shallow.prediction.as_mut().unwrap();
    prediction.binding = vec![iobound_predict::Binding::QueueDepth];
    prediction.outstanding = 32;
    (prediction.expected.low_iops, prediction.expected.high_iops) = (40_000.0, 60_000.0);
    let text = page(&shallow, style(100));
    assert!(text.contains("BOUND BY  queue depth: 32 / 90.0 ms (disks IOPS 89 %"), "{text}");
}

#[test]
fn a_direction_that_was_not_steady_is_shown_beside_the_rule() {
    let mut falling = e7();
    let steady = falling.result.steady.as_mut().unwrap();
    steady.steady = false;
    steady.from_s = None;
    let direction = steady.read.as_mut().unwrap();
    (direction.steady, direction.range, direction.excursion) = (false, 0.34, -0.15);
    let text = page(&falling, style(100));
    assert!(text.contains("   not steady\n"), "{text}");
    assert!(
        text.contains("reads range over 34 % of their mean and fall by 15 % of it; steady is at most 20 %"),
        "{text}"
    );
}

#[test]
fn each_stage_has_its_own_figures_and_is_numbered() {
    let (one, two) = (e7(), everything());
    let stages = [one.stage(), two.stage()];
    let text =
        run_text(&RunScreen { stages: &stages, prepared: &[], next: &[], conditions: &[] }, style(100));
    let places =
        ["stage 1 of 2\n", "45,500 IOPS", "stage 2 of 2\n", "2,500   49.1 MB/s"].map(|part| text.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
}

/// A result with figures and names of any size, and the parts that are there drawn.
fn any_result() -> impl Strategy<Value = RunResult> {
    let number = prop_oneof![Just(0.0), 0.0..1.0_f64, 1.0..1e6_f64, 1e6..1e15_f64];
    // Without an i: no name reads as the figure `inf`.
    let name = "[a-hj-z/é ]{0,90}";
    (prop::collection::vec(number, 24), prop::collection::vec(name, 4), any::<u32>(), 0..40_usize).prop_map(
        |(numbers, names, parts, copies)| {
            let mut result = everything().result;
            let mut values = numbers.iter().copied().cycle();
            let mut next = || values.next().unwrap();
            let has = |bit: u32| parts >> bit & 1 == 1;
            let mut latency = result.total.latency_us.unwrap();
            (latency.mean, latency.p50, latency.p99) = (Some(next()), Some(next()), has(0).then(&mut next));
            (latency.min, latency.max) = (has(1).then(&mut next), Some(next()));
            result.total.latency_us = has(2).then_some(latency);
            result.total.iops = has(3).then(&mut next);
            result.total.throughput_bytes_per_s = has(4).then(&mut next);
            for point in &mut result.series {
                point.iops = next();
            }
            if let Some(per_second) = &mut result.per_second {
                (per_second.min, per_second.max) = (next(), next());
            }
            result.device = has(5).then(|| names[0].clone());
            result.jobs[0].name = names[1].clone();
            result.targets = vec![result.targets[0].clone(); copies];
            result.targets.iter_mut().for_each(|target| target.name = names[2].clone());
            result.devices[0].name = names[3].clone();
            let counters = result.devices[0].counters.as_mut().unwrap();
            (counters.seconds, counters.queue, counters.busy) = (next(), next(), next());
            result.cpu.as_mut().unwrap().us_per_io = has(6).then(&mut next);
            result.depth = has(7).then_some(result.depth).flatten();
            result
        },
    )
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_page_and_every_figure_is_a_number(
        result in any_result(), width in 60..=100_usize, predicted in any::<bool>(),
    ) {
        let mut ran = everything();
        ran.result = result;
        ran.prediction = ran.prediction.filter(|_| predicted);
        let text = page(&ran, style(width));
        for line in text.lines() {
            prop_assert!(line.chars().count() <= width, "{} > {width}: {line}", line.chars().count());
        }
        for word in text.split_whitespace() {
            prop_assert!(!["NaN", "inf", "-inf"].contains(&word), "{text}");
        }
    }
}

#[test]
fn a_result_that_knows_nothing_at_all_has_a_page() {
    for source in [Source::Simulated, Source::Rehearsed, Source::Measured, Source::Foreign] {
        let mut ran = nothing();
        ran.result = RunResult::new(source);
        ran.ended = Ended::Complete;
        for style in [style(60), style(100), wide()] {
            assert!(page(&ran, style).contains("IOPS      unknown"));
        }
    }
    let measured = recorded(|_| {});
    assert_eq!(RunResult::from_measured(&measured, Source::Measured).total.errors, Some(5));
}
