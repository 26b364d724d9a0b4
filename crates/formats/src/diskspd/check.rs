//! DiskSpd's own errors and warnings about a complete profile (`Profile::Validate` in `Common.cpp`).

use super::options::{Affinity, CacheMode, RangeUnit, ReadProfile, Target, TimeSpan, WriteBuffers};
use super::switch::Knob;
use crate::error::Trouble;
use crate::notes::Notes;

/// Adds DiskSpd's own errors as problems and its warnings as notes.
pub(super) fn check(read: &ReadProfile, trouble: &mut Trouble, notes: &mut Notes) {
    for (index, span) in read.profile.time_spans.iter().enumerate() {
        check_span(read, index, span, trouble);
        // On a command line all targets are alike: what is said of one is said of all.
        let targets = if read.switches { 1 } else { usize::MAX };
        for (number, target) in span.targets.iter().enumerate().take(targets) {
            let mut checked = Checked { read, span: index, target: number, trouble, notes };
            checked.exclusive(span, target);
            checked.dealt(span, target);
            checked.pattern(span, target);
            checked.zones(target);
            checked.memory(span, target);
        }
    }
}

fn check_span(read: &ReadProfile, index: usize, span: &TimeSpan, trouble: &mut Trouble) {
    if matches!(span.affinity, Affinity::Processors(_)) && read.said(index, usize::MAX, Knob::NoAffinity) {
        trouble.add(
            read.place(index, usize::MAX, Knob::NoAffinity),
            format!("{} and {} exclude each other", read.name(Knob::NoAffinity), read.name(Knob::Affinity)),
            "keep one of them",
        );
    }
    if span.request_count > 0 && span.thread_count == 0 {
        trouble.add(
            read.place(index, usize::MAX, Knob::ThreadRequests),
            format!(
                "{} counts the I/Os of a thread over all targets and needs {}",
                read.name(Knob::ThreadRequests),
                read.name(Knob::ThreadCount)
            ),
            "give the number of threads with it, or -o for each target",
        );
    }
}

/// One target in its time span.
struct Checked<'a> {
    read: &'a ReadProfile,
    span: usize,
    target: usize,
    trouble: &'a mut Trouble,
    notes: &'a mut Notes,
}

impl Checked<'_> {
    fn said(&self, knob: Knob) -> bool {
        self.read.said(self.span, self.target, knob)
    }

    fn refuse(&mut self, knob: Knob, what: impl Into<String>, help: &str) {
        self.trouble.add(self.read.place(self.span, self.target, knob), what, help);
    }

    fn conflict(&mut self, knob: Knob, with: Knob) {
        let what = format!("{} conflicts with {}", self.read.name(knob), self.read.name(with));
        self.refuse(knob, what, "keep one of them");
    }

    fn exclusive(&mut self, span: &TimeSpan, target: &Target) {
        if span.thread_count > 0 && target.threads() > 1 {
            self.refuse(
                Knob::ThreadCount,
                format!(
                    "{} (threads in all) and {} (threads per target) exclude each other",
                    self.read.name(Knob::ThreadCount),
                    self.read.name(Knob::Threads)
                ),
                "keep one of them",
            );
        }
        if target.throttle.is_some() && span.completion_routines {
            self.conflict(Knob::Throttle, Knob::Completion);
        }
        if (target.burst > 0) != (target.think_ms > 0) {
            let knob = if target.burst > 0 { Knob::Burst } else { Knob::Think };
            self.refuse(
                knob,
                format!(
                    "{} (I/Os in a burst) and {} (pause in milliseconds) need each other",
                    self.read.name(Knob::Burst),
                    self.read.name(Knob::Think)
                ),
                "give both: -i10 -j5",
            );
        }
    }

    fn dealt(&mut self, span: &TimeSpan, target: &Target) {
        let dealt = span.thread_count > 0 && span.request_count > 0;
        if dealt {
            if target.throttle.is_some() {
                self.conflict(Knob::Throttle, Knob::ThreadRequests);
            }
            if target.think_ms > 0 {
                self.conflict(Knob::Think, Knob::ThreadRequests);
            }
            if target.parallel {
                self.conflict(Knob::Parallel, Knob::ThreadRequests);
            }
            if target.weight == 0 {
                self.refuse(Knob::Weight, "the weight of a target is zero", "give 1 or more");
            }
            if let Some(other) = target.thread_targets.iter().find(|t| t.thread >= span.thread_count) {
                let what = format!("thread {} is not among {} threads", other.thread, span.thread_count);
                self.refuse(Knob::ThreadTargets, what, "threads count from 0");
            }
            if self.said(Knob::Requests) && self.read.switches {
                self.notes.add("-o", "has no effect beside -O, which counts over all targets");
            }
        } else if !target.thread_targets.is_empty() {
            let what = "ThreadTargets needs ThreadCount and RequestCount of its time span";
            self.refuse(Knob::ThreadTargets, what, "add both to the TimeSpan");
        }
    }

    fn pattern(&mut self, span: &TimeSpan, target: &Target) {
        let many = span.thread_count > 1 || target.threads() > 1;
        if target.random_percent > 0 {
            let random = if target.random_percent < 100 { Knob::RandomRatio } else { Knob::Random };
            for (set, knob) in [
                (target.thread_stride_bytes > 0, Knob::ThreadStride),
                (target.interlocked, Knob::Interlocked),
                (target.parallel, Knob::Parallel),
            ] {
                if set {
                    self.conflict(knob, random);
                }
            }
            return;
        }
        if target.zones.is_some() {
            let what = format!("{} shapes random I/O, but this is sequential", self.read.name(Knob::Zones));
            self.refuse(Knob::Zones, what, "add -r");
        }
        if target.parallel && target.requests == 1 {
            self.notes.add(self.read.name(Knob::Parallel), "has no effect with one outstanding I/O");
        }
        if self.said(Knob::Seed) && span.seed != Some(0) {
            self.notes.add(self.read.name(Knob::Seed), "has no effect on sequential I/O");
        }
        if target.interlocked {
            if target.thread_stride_bytes > 0 {
                self.conflict(Knob::Interlocked, Knob::ThreadStride);
            }
            if target.parallel {
                self.conflict(Knob::Interlocked, Knob::Parallel);
            }
            if !many {
                let says = "a single thread: ignored, as DiskSpd does";
                self.notes.add(self.read.name(Knob::Interlocked), says);
            }
        } else if many && target.thread_stride_bytes == 0 {
            self.notes.add(
                self.read.name(Knob::Threads),
                "every thread reads or writes the same blocks in the same order, each from the start of the \
                 target: the pattern will not be sequential, consider -si",
            );
        } else if !many && target.thread_stride_bytes > 0 {
            let what = format!("{} needs several threads on a target", self.read.name(Knob::ThreadStride));
            self.refuse(Knob::ThreadStride, what, "add -t or -F, or leave it out");
        }
    }

    fn zones(&mut self, target: &Target) {
        let Some(zones) = &target.zones else { return };
        let help = "IO% may total 100 at most, and target% must total 100 once the rest is added";
        let (mut ios, mut size) = (0u64, 0u64);
        for (index, range) in zones.ranges.iter().enumerate() {
            let last = index + 1 == zones.ranges.len();
            if zones.unit == RangeUnit::Bytes
                && range.size < u64::from(target.block_bytes)
                && !(range.size == 0 && last)
            {
                let what = format!(
                    "a zone of {} bytes is smaller than a block of {}",
                    range.size, target.block_bytes
                );
                self.refuse(Knob::Zones, what, "make it a block or more");
                return;
            }
            ios += u64::from(range.io_percent);
            size = size.saturating_add(range.size);
            if ios > 100 {
                self.refuse(Knob::Zones, format!("the zones have {ios} percent of the I/Os"), help);
                return;
            }
            if zones.unit == RangeUnit::Percent && (size > 100 || size == 100 && ios < 100 && last) {
                let what = if size > 100 {
                    format!("the zones cover {size} percent of the target")
                } else {
                    format!("the zones cover the target, and {} percent of the I/Os are left", 100 - ios)
                };
                self.refuse(Knob::Zones, what, help);
                return;
            }
        }
        if zones.unit == RangeUnit::Percent && ios == 100 && size != 100 {
            let what = format!("the zones have all I/Os, but cover only {size} percent of the target");
            self.refuse(Knob::Zones, what, help);
        }
    }

    fn memory(&mut self, span: &TimeSpan, target: &Target) {
        if let WriteBuffers::Source(fill) = &target.buffers
            && fill.bytes < u64::from(target.block_bytes)
        {
            let what = format!(
                "the write buffer of {} bytes is smaller than a block of {}",
                fill.bytes, target.block_bytes
            );
            self.refuse(Knob::WriteBuffers, what, "make it a block or more");
        }
        if target.memory_mapped && span.completion_routines {
            self.conflict(Knob::Completion, Knob::Mapped);
        }
        if target.memory_mapped && target.cache == CacheMode::Unbuffered {
            self.conflict(Knob::Cache, Knob::Mapped);
        }
        if !target.memory_mapped && target.flush.is_some() {
            let what = format!("{} needs {}", self.read.name(Knob::Flush), self.read.name(Knob::Mapped));
            self.refuse(Knob::Flush, what, "add it, or leave the flush mode out");
        }
        if target.path.starts_with('*') && !self.read.profile.profile_only {
            let what = format!("the template target {} was not replaced", target.path);
            self.refuse(
                Knob::Path,
                what,
                "name a target for it after the switches: -Xprofile.xml testfile.dat",
            );
        }
    }
}
