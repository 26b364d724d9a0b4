//! What every engine on real targets promises, with one body for all of them, on files of the temporary directory.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a start that was agreed is a moment of the clock")]

mod depth;
mod opening;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use iobound_drive::{EndReason, Flow};
use iobound_load::engine::{
    Choice, Failure, FileToOpen, Kind, Needs, OnError, Open, Targets, ToOpen, choose,
};
use iobound_load::prepare::{Filling, Handle, Identity, Payload};
use iobound_load::run::{
    Blocks, Options, Outcome, Placement, Start, StartError, check_depth, check_threads, run, run_reporting,
};
use iobound_load::verify::{Layout, Ledger, Stamper};
use iobound_measure::{Batches, Keep};
use iobound_units::{Bytes, Op, Percent, Rate, Span, TargetId};
use iobound_workload::{Access, Arrivals, Content, Job, Load, ReadBack, Share, Target, Workload, Written};
use rustix::fs::OFlags;

const SIZE: u64 = 4 << 20;

/// The engines that this kernel lets us have: a container may refuse all but the last.
fn engines(direct: bool) -> Vec<Kind> {
    let needs = Needs { direct, discards: false, range_syncs: false, outstanding: 64 };
    Kind::ALL.into_iter().filter(|kind| choose(Some(*kind), needs, &[]).is_ok()).collect()
}

fn options(engine: Kind) -> Options {
    Options {
        engine,
        interval: Span::from_ms(100),
        placement: Placement::Anywhere,
        on_error: OnError::Stop,
        apart: None,
        nops: false,
        traces: Vec::new(),
        thread_series: Keep::Nothing,
        report_every: None,
        log_ios: false,
        keep_warmup: false,
        blocks: Blocks::Refreshed(Payload::new(Filling {
            content: Content::Zeros,
            ..Filling::incompressible(1)
        })),
        start: Start::AtOnce,
    }
}

struct Bench {
    _folder: tempfile::TempDir,
    paths: Vec<PathBuf>,
}

impl Bench {
    fn new(files: usize) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..files).map(|n| folder.path().join(format!("file{n}"))).collect();
        for path in &paths {
            File::create(path).unwrap().write_all(&vec![0xee; SIZE as usize]).unwrap();
        }
        Bench { _folder: folder, paths }
    }

    fn targets(&self) -> Vec<Target> {
        let target = |n: usize| Target {
            name: format!("file{n}"),
            id: TargetId(n as u16),
            size: Bytes(SIZE),
            members_of: None,
        };
        (0..self.paths.len()).map(target).collect()
    }

    /// Each file is a target.
    fn each(&self) -> Vec<Vec<PathBuf>> {
        self.paths.iter().map(|path| vec![path.clone()]).collect()
    }

    fn open(&self, writes: bool) -> Arc<Targets> {
        // Not every file system of a temporary directory has direct I/O.
        Arc::new(Targets::open(&self.each(), Open { writes, direct: false }).unwrap())
    }

    fn run(&self, workload: &Workload, options: &Options) -> Outcome {
        let writes = workload.jobs.iter().flat_map(|job| &job.mix).any(|share| share.op != Op::Read);
        let stop = Arc::new(AtomicBool::new(false));
        run(workload, &self.targets(), &self.open(writes), options, &stop, &mut |_| Flow::Continue).unwrap()
    }

    fn content(&self, n: usize) -> Vec<u8> {
        let mut content = Vec::new();
        File::open(&self.paths[n]).unwrap().read_to_end(&mut content).unwrap();
        content
    }
}

fn job(op: Op, depth: u32) -> Job {
    let mut job = Job::new("job");
    job.mix = vec![Share { weight: 1, op, block: 4096, random: None, align: None }];
    job.load = Load::Closed { depth, cap: None };
    job
}

/// Until the work is done, or a minute has passed.
fn until_done(job: Job) -> Workload {
    Workload::new(vec![job], Span::from_secs(60))
}

fn count(outcome: &Outcome, op: Op) -> u64 {
    outcome.total.jobs.iter().map(|job| job.op(op).count()).sum()
}

/// Each report holds what all threads have counted by then, in every engine, and no more than the end.
#[test]
fn a_run_is_reported_while_it_goes_on() {
    for engine in engines(true) {
        let bench = Bench::new(1);
        let mut job = job(Op::Read, 2);
        job.threads = 2;
        let workload = Workload::new(vec![job], Span::from_ms(500));
        let options = Options {
            report_every: Some(Span::from_ms(100)),
            apart: matches!(engine, Kind::IoUring | Kind::Libaio).then_some(Keep::Nothing),
            ..options(engine)
        };
        let opened = bench.open(false);
        let mut reports = Vec::new();
        let outcome = run_reporting(
            &workload,
            &bench.targets(),
            &opened,
            &options,
            &Arc::new(AtomicBool::new(false)),
            &mut |_| Flow::Continue,
            &mut |so_far| {
                let ios: u64 =
                    so_far.threads.iter().map(|thread| thread.own_job().op(Op::Read).count()).sum();
                let apart = so_far.threads.iter().filter_map(|thread| thread.apart.as_ref());
                let parted: u64 = apart.map(|apart| apart.completion(Op::Read).count()).sum();
                assert!(options.apart.is_none() || parted == ios, "{parted} of {ios}");
                reports.push((so_far.total.jobs[0].op(Op::Read).count(), ios));
            },
        )
        .unwrap();
        assert!(reports.len() >= 3, "{engine}: {reports:?}");
        assert!(reports.is_sorted() && reports[0].0 > 0, "{engine}: {reports:?}");
        assert!(reports.iter().all(|(total, threads)| total == threads), "{engine}: {reports:?}");
        assert!(reports.last().unwrap().0 <= outcome.total.jobs[0].op(Op::Read).count(), "{engine}");
    }
}

#[test]
fn a_sequential_write_of_the_whole_file_leaves_every_byte_written() {
    for engine in engines(false) {
        for depth in [1, 8] {
            let bench = Bench::new(1);
            let mut write = job(Op::Write, depth);
            write.access = Access::sequential();
            write.stop_after = Some(Bytes(SIZE));
            let outcome = bench.run(&until_done(write), &options(engine));
            assert_eq!(
                (outcome.reason, count(&outcome, Op::Write)),
                (EndReason::WorkDone, SIZE / 4096),
                "{engine}"
            );
            assert!(bench.content(0).iter().all(|byte| *byte == 0), "{engine} at depth {depth}");
        }
    }
}

#[test]
fn two_threads_on_one_shared_stream_write_every_block_once() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut write = job(Op::Write, 4);
        write.access = Access { shared: true, ..Access::sequential() };
        write.threads = 2;
        write.stop_after = Some(Bytes(SIZE / 2));
        let outcome = bench.run(&until_done(write), &options(engine));
        assert_eq!(count(&outcome, Op::Write), SIZE / 4096);
        assert!(bench.content(0).iter().all(|byte| *byte == 0), "{engine}: a block was missed");
        assert_eq!(outcome.threads.len(), 2);
        let each: Vec<u64> =
            outcome.threads.iter().map(|t| t.measured.jobs[0].op(Op::Write).count()).collect();
        assert_eq!(each, [SIZE / 8192, SIZE / 8192]);
    }
}

#[test]
fn several_targets_are_counted_apart_and_together() {
    for engine in engines(false) {
        let bench = Bench::new(3);
        let mut read = job(Op::Read, 4);
        read.stop_after = Some(Bytes(SIZE));
        let outcome = bench.run(&until_done(read), &options(engine));
        assert_eq!(outcome.total.cells.len(), 3);
        for cell in &outcome.total.cells {
            assert_eq!(cell.by_op[Op::Read as usize].response.count(), SIZE / 4096);
        }
        assert_eq!(outcome.ios(), 3 * SIZE / 4096);
    }
}

#[test]
fn flushes_follow_writes_and_durable_writes_are_taken() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut write = job(Op::Write, 1);
        write.stop_after = Some(Bytes(64 * 4096));
        write.flush_every = Some(8);
        write.durable = true;
        let outcome = bench.run(&until_done(write), &options(engine));
        assert!(outcome.error.is_none(), "{engine}: {:?}", outcome.error);
        // The last flush may be due when the work is done.
        assert_eq!(count(&outcome, Op::Write), 64);
        assert!((7..=8).contains(&count(&outcome, Op::Flush)), "{engine}: {}", count(&outcome, Op::Flush));
    }
}

#[test]
fn a_flush_at_the_end_is_a_part_of_work_that_is_done_and_not_of_a_time_that_is_up() {
    for engine in engines(false) {
        let bench = Bench::new(2);
        let mut write = job(Op::Write, 4);
        write.flush_at_end = true;
        let timed = bench.run(&Workload::new(vec![write.clone()], Span::from_ms(50)), &options(engine));
        assert_eq!((timed.reason, count(&timed, Op::Flush)), (EndReason::Time, 0), "{engine}");
        assert!(timed.flushed.is_some());
        write.stop_after = Some(Bytes(64 * 4096));
        let done = bench.run(&until_done(write), &options(engine));
        // A thread for each of the two targets, and a flush of each.
        assert_eq!((done.reason, count(&done, Op::Flush)), (EndReason::WorkDone, 2), "{engine}");
        let flushes = done.total.jobs[0].op(Op::Flush).response.moments();
        assert_eq!(flushes.max_ns(), done.flushed.map(Span::ns), "{engine}");
        let last = done.total.series.last().unwrap().end;
        assert!(done.total.end >= last, "{engine}: the time is that of the flush too");
    }
}

#[test]
fn more_outstanding_than_an_engine_has_room_for_is_refused_before_the_start() {
    let bench = Bench::new(1);
    let workload = |depth| Workload::new(vec![job(Op::Read, depth)], Span::from_secs(1));
    // 2 x 32,768 completions of a ring; a thread for each plain call.
    for (engine, most) in [(Kind::IoUring, 65_536), (Kind::Sync, 1_024)] {
        assert!(check_depth(&workload(most), &bench.targets(), engine).is_ok());
        let why = check_depth(&workload(most + 1), &bench.targets(), engine).unwrap_err().to_string();
        assert!(why.contains(&most.to_string()) && why.contains("--threads 2"), "{why}");
    }
    assert!(check_depth(&workload(1_000_000), &bench.targets(), Kind::Libaio).is_ok());
}

#[test]
fn more_threads_than_the_system_has_mappings_for_are_refused() {
    let bench = Bench::new(1);
    let workload = |threads, depth| {
        let mut read = job(Op::Read, depth);
        read.threads = threads;
        Workload::new(vec![read], Span::from_secs(1))
    };
    // The default of Linux. A thread whose signal stack has no place ends the process.
    let check = |threads, depth, engine| {
        check_threads(&workload(threads, depth), &bench.targets(), engine, Some(65_530))
            .map_err(|why| why.to_string())
    };
    assert_eq!(check(8_000, 32, Kind::IoUring), Ok(()));
    let why = check(12_000, 1, Kind::IoUring).unwrap_err();
    assert!(
        why.contains("12000 threads") && why.contains("lower --threads, or raise vm.max_map_count"),
        "{why}"
    );
    assert_eq!(check(1_000, 8, Kind::Sync), Ok(()));
    let why = check(1_000, 16, Kind::Sync).unwrap_err();
    assert!(why.contains("17000 threads") && why.contains("lower --threads or --depth"), "{why}");
    assert!(check_threads(&workload(65_535, 1), &bench.targets(), Kind::IoUring, None).is_ok());
}

#[test]
fn an_open_loop_keeps_its_rate_and_times_from_the_intended_start() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 1);
        let rate = Rate::Ios { count: 500, per: Span::from_secs(1) };
        read.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 16 };
        let outcome = bench.run(&Workload::new(vec![read], Span::from_secs(1)), &options(engine));
        let read = outcome.total.jobs[0].op(Op::Read);
        let (done, never) = (read.count(), outcome.total.jobs[0].never_issued);
        // A machine that stalls issues fewer, and says so.
        let intended = done + never + outcome.total.jobs[0].unfinished;
        assert!(intended.abs_diff(500) <= 2, "{engine}: {done} done, {never} never issued");
        let service = read.service.as_ref().unwrap();
        assert!(read.response.moments().sum_ns() >= service.moments().sum_ns());
        // How late each went out is known, of those that did.
        let late = outcome.lateness.as_ref().unwrap();
        assert_eq!(late.count(), done + outcome.total.jobs[0].unfinished, "{engine}");
    }
}

#[test]
fn a_file_that_becomes_smaller_ends_the_run_with_what_was_done() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 4);
        read.access = Access::sequential();
        let stop = Arc::new(AtomicBool::new(false));
        let opened = bench.open(false);
        let mut seen = 0;
        let workload = Workload::new(vec![read], Span::from_secs(60));
        let outcome = run(&workload, &bench.targets(), &opened, &options(engine), &stop, &mut |interval| {
            seen += interval.interval().count();
            File::options().write(true).open(&bench.paths[0]).unwrap().set_len(SIZE / 2).unwrap();
            Flow::Continue
        })
        .unwrap();
        assert_eq!(outcome.reason, EndReason::Failed, "{engine}");
        let fault = outcome.fault.as_ref().unwrap();
        assert!(matches!(fault.failure, Failure::Short { moved: 0 }), "{engine}: {fault}");
        assert!(outcome.error.as_ref().unwrap().contains("smaller"), "{engine}: {:?}", outcome.error);
        assert!(seen > 0 && outcome.ios() >= seen);
    }
}

#[test]
fn a_thread_that_fails_ends_the_others() {
    for engine in engines(false) {
        let bench = Bench::new(2);
        let on = |n: usize| {
            let mut read = job(Op::Read, 4);
            read.targets = iobound_workload::Targets::Named(vec![format!("file{n}")]);
            read
        };
        let opened = bench.open(false);
        File::options().write(true).open(&bench.paths[1]).unwrap().set_len(0).unwrap();
        let workload = Workload::new(vec![on(0), on(1)], Span::from_secs(20));
        let stop = Arc::new(AtomicBool::new(false));
        let outcome =
            run(&workload, &bench.targets(), &opened, &options(engine), &stop, &mut |_| Flow::Continue)
                .unwrap();
        assert_eq!(outcome.reason, EndReason::Failed, "{engine}");
        assert!(outcome.error.as_ref().unwrap().contains("file1"), "{engine}: {:?}", outcome.error);
        // The other had 20 s.
        let ends: Vec<Span> = outcome.threads.iter().map(|thread| thread.measured.window()).collect();
        assert!(ends.len() == 2 && ends.iter().all(|end| *end < Span::from_secs(20)), "{engine}: {ends:?}");
    }
}

#[test]
fn errors_may_be_counted_and_gone_over() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        File::options().write(true).open(&bench.paths[0]).unwrap().set_len(SIZE / 2).unwrap();
        let mut read = job(Op::Read, 4);
        read.stop_after = Some(Bytes(SIZE));
        read.access = Access::sequential();
        let counted = Options { on_error: OnError::Continue, ..options(engine) };
        let outcome = bench.run(&until_done(read), &counted);
        let op = outcome.total.jobs[0].op(Op::Read);
        assert_eq!((op.count(), op.errors), (SIZE / 8192, SIZE / 8192), "{engine}");
    }
}

#[test]
fn a_stop_from_outside_ends_the_run_at_once_and_keeps_it() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let stop = Arc::new(AtomicBool::new(false));
        let workload = Workload::new(vec![job(Op::Read, 4)], Span::from_secs(600));
        let outcome =
            run(&workload, &bench.targets(), &bench.open(false), &options(engine), &stop, &mut |_| {
                stop.store(true, Ordering::Relaxed);
                Flow::Continue
            })
            .unwrap();
        assert_eq!(outcome.reason, EndReason::Stopped, "{engine}");
        assert!(outcome.ios() > 0);
    }
}

#[test]
fn submission_and_completion_apart_add_up_to_the_latency() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 8);
        read.stop_after = Some(Bytes(SIZE));
        let apart = Options { apart: Some(Keep::Intervals), ..options(engine) };
        let outcome = bench.run(&until_done(read), &apart);
        let op = outcome.total.jobs[0].op(Op::Read);
        let apart = outcome.threads[0].apart.as_ref().unwrap();
        let (submission, completion) = (apart.submission(Op::Read), apart.completion(Op::Read));
        assert_eq!(submission.count(), SIZE / 4096, "{engine}");
        let whole = op.response.moments().sum_ns();
        let sum = submission.moments().sum_ns() + completion.moments().sum_ns();
        assert_eq!(sum, whole, "{engine}");
    }
}

#[test]
fn each_io_is_submitted_and_timed_by_a_call_of_its_own_where_parts_are_timed() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 16);
        read.stop_after = Some(Bytes(SIZE));
        let outcome =
            bench.run(&until_done(read), &Options { apart: Some(Keep::Intervals), ..options(engine) });
        let ios = SIZE / 4096;
        let batches = outcome.batches();
        assert_eq!(batches.submitted[Batches::bucket(1)], ios, "{engine}: {:?}", batches.submitted);
        assert_eq!(batches.timed, ios, "{engine}");
        let apart = outcome.threads[0].apart.as_ref().unwrap();
        let sum = apart.submission(Op::Read).moments().sum_ns();
        // A thread of plain calls may complete an I/O before this one has read the clock for its acceptance.
        let early = u128::from(batches.timed_ns) - sum;
        assert!(early == 0 || engine == Kind::Sync, "{engine}: {early} ns");
        // The series of both parts hold every I/O, at its completion.
        for part in [&apart.submission, &apart.completion] {
            assert_eq!(part.series.iter().map(|interval| interval.count()).sum::<u64>(), ios, "{engine}");
        }
    }
}

#[test]
fn parts_are_of_the_ios_that_count() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut workload = Workload::new(vec![job(Op::Read, 8)], Span::from_ms(100));
        (workload.warmup, workload.cooldown) = (Span::from_ms(100), Span::from_ms(50));
        let outcome = bench.run(&workload, &Options { apart: Some(Keep::Intervals), ..options(engine) });
        let counted = outcome.total.jobs[0].op(Op::Read).count();
        let apart = outcome.threads[0].apart.as_ref().unwrap();
        let (submission, completion) = (apart.submission(Op::Read), apart.completion(Op::Read));
        assert!(counted > 0, "{engine}");
        // Neither those of the warm-up nor those of the cool-down.
        assert_eq!((submission.count(), completion.count()), (counted, counted), "{engine}");
    }
}

#[test]
fn a_mix_of_reads_and_writes_is_as_asked() {
    for engine in engines(false) {
        let bench = Bench::new(2);
        let mut mixed = job(Op::Read, 8);
        mixed.set_mix(4096, Percent::from_ppm(700_000).unwrap());
        mixed.stop_after = Some(Bytes(SIZE));
        let outcome = bench.run(&until_done(mixed), &options(engine));
        let (reads, writes) = (count(&outcome, Op::Read), count(&outcome, Op::Write));
        assert_eq!(reads + writes, 2 * SIZE / 4096);
        // Binomial of 2,048 at 0.7: a deviation is 21.
        assert!(reads.abs_diff(1_434) < 105, "{engine}: {reads} reads, {writes} writes");
    }
}

#[test]
fn a_thread_that_can_not_be_set_up_is_said_before_anything_is_issued() {
    let bench = Bench::new(1);
    let workload = Workload::new(vec![job(Op::Read, 2_000)], Span::from_secs(1));
    let stop = Arc::new(AtomicBool::new(false));
    let error =
        run(&workload, &bench.targets(), &bench.open(false), &options(Kind::Sync), &stop, &mut |_| {
            Flow::Continue
        })
        .unwrap_err();
    assert!(error.to_string().contains("lower the queue depth"), "{error}");
}

#[test]
fn what_can_not_be_opened_says_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| {
        Targets::open(&[vec![path.to_path_buf()]], Open { writes: false, direct: false })
            .unwrap_err()
            .to_string()
    };
    assert!(open(&folder.path().join("none")).contains("check the path"));
    assert!(open(folder.path()).contains("a directory"));
    assert!(open(Path::new("/dev/null")).contains("a character device"));
}

/// 100 blocks are read back after each 100 writes, but not after the last one: that is left to the pass at the end.
#[test]
fn what_is_written_is_read_back_while_the_writing_goes_on() {
    for (engine, depth) in engines(false).into_iter().flat_map(|engine| [(engine, 1), (engine, 8)]) {
        let bench = Bench::new(1);
        let mut write = job(Op::Write, depth);
        write.access = Access::sequential();
        write.stop_after = Some(Bytes(SIZE));
        write.read_back_after = Some(ReadBack { every: 100, batch: 100 });
        let mut workload = until_done(write);
        let options = Options { blocks: verified(), ..options(engine) };
        let done = bench.run(&workload, &options);
        assert_eq!((done.reason, &done.error), (EndReason::WorkDone, &None), "{engine}");
        assert_eq!((count(&done, Op::Write), count(&done, Op::Read)), (1024, 1000), "{engine}");
        let rest = workload.written(&done.queues, &[Bytes(SIZE)]);
        assert_eq!(rest, [Written { read_back: Bytes(1000 * 4096), left: Bytes(24 * 4096) }]);
        workload.jobs[0] = workload.jobs[0].read_back(rest);
        let done = bench.run(&workload, &options);
        assert_eq!((done.reason, &done.error), (EndReason::WorkDone, &None), "{engine}");
        assert_eq!((count(&done, Op::Write), count(&done, Op::Read)), (0, 24), "{engine}");
    }
}

fn verified() -> Blocks {
    let ledger = Ledger::new(&[Layout { size: Bytes(SIZE), unit: 4096 }], Bytes::mib(64)).unwrap();
    Blocks::Verified {
        ledger: Arc::new(ledger),
        stamper: Stamper::drawn().unwrap(),
        payload: Payload::new(Filling::incompressible(1)),
    }
}

#[test]
fn verified_blocks_are_no_easier_to_compress_than_others() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut write = job(Op::Write, 4);
        write.access = Access::sequential();
        write.stop_after = Some(Bytes(SIZE));
        bench.run(&until_done(write), &Options { blocks: verified(), ..options(engine) });
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        // One write at a time: the four slots write the same under their stamps each time.
        packed.write_all(&bench.content(0)[..4096]).unwrap();
        let packed = packed.finish().unwrap().len();
        // Stamps of 32 B in 512 have a little to give; zeros under them would leave a tenth.
        assert!(packed > 4096 * 9 / 10, "{engine}: 4096 B become {packed}");
    }
}

#[test]
fn a_run_begins_at_the_moment_that_somebody_else_names_once_it_is_set_up_and_not_before() {
    let bench = Bench::new(1);
    for engine in engines(false) {
        let named = Arc::new(Mutex::new(None));
        let start = Start::Agreed(Arc::new({
            let named = Arc::clone(&named);
            move || {
                let moment = Instant::now() + Duration::from_millis(50);
                *named.lock().unwrap() = Some(moment);
                Some(moment)
            }
        }));
        let seen = Mutex::new(None);
        let workload = Workload::new(vec![job(Op::Read, 4)], Span::from_ms(200));
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options { start, ..options(engine) };
        let outcome = run(&workload, &bench.targets(), &bench.open(false), &options, &stop, &mut |_| {
            seen.lock().unwrap().get_or_insert_with(Instant::now);
            Flow::Continue
        })
        .unwrap();
        // The first interval of 100 ms is handed out after its end: no earlier than the moment that was named, and 100 ms.
        let named = named.lock().unwrap().unwrap();
        assert!(seen.lock().unwrap().unwrap() >= named + Duration::from_millis(100), "{engine}");
        assert!(outcome.behind.is_some() && outcome.ios() > 0, "{engine}");
    }
}

#[test]
fn a_run_that_is_called_off_before_its_start_issues_nothing() {
    let bench = Bench::new(1);
    for engine in engines(false) {
        let options = Options { start: Start::Agreed(Arc::new(|| None)), ..options(engine) };
        let stop = Arc::new(AtomicBool::new(false));
        let write = until_done(job(Op::Write, 4));
        let ended =
            run(&write, &bench.targets(), &bench.open(true), &options, &stop, &mut |_| Flow::Continue);
        assert!(matches!(ended, Err(StartError::CalledOff)), "{engine}");
        assert!(bench.content(0).iter().all(|byte| *byte == 0xee), "{engine}");
    }
}
