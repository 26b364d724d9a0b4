//! Counts of outstanding I/Os at submission.

use iobound_units::{Bytes, Op};

use super::{Bench, SIZE, engines, job, options, until_done};

#[test]
fn a_closed_loop_is_at_its_depth_but_at_its_start_and_its_end() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 32);
        read.stop_after = Some(Bytes(SIZE));
        let outcome = bench.run(&until_done(read), &options(engine));
        let outstanding = outcome.batches().outstanding;
        // 32 to 63. Less is there while the depth builds up, and one at a time where an engine only can so.
        let (all, full): (u64, u64) = (outstanding.iter().sum(), outstanding[6]);
        assert!(full + 32 >= all, "{engine}: {outstanding:?}");
    }
}

#[test]
fn batches_count_every_io_once() {
    for engine in engines(false) {
        let bench = Bench::new(1);
        let mut read = job(Op::Read, 8);
        read.stop_after = Some(Bytes(SIZE));
        let outcome = bench.run(&until_done(read), &options(engine));
        let outstanding: u64 = outcome.batches().outstanding.iter().sum();
        assert_eq!(outstanding, SIZE / 4096, "{engine}");
    }
}
