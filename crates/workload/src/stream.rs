//! A sequential stream over a region: a queue's own, or one of all queues of a job on a target.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_units::Bytes;

use crate::Job;

/// Position of the next sequential I/O, in bytes from the region's start.
#[derive(Debug)]
pub(crate) enum Stream {
    /// The queue's own.
    Own(Own),
    /// Shared, all steps alike: the cursor counts I/Os, so that one addition takes a place.
    SharedSteps {
        /// I/Os that all queues have drawn.
        cursor: Arc<AtomicU64>,
        /// Bytes from one I/O to the next.
        step: u64,
        /// I/Os in one pass over the region.
        slots: u64,
        /// I/Os of the passes before the one this queue last saw: spares a division.
        passed: u64,
    },
    /// Shared, steps that differ: the cursor is an offset.
    SharedBytes {
        /// Start of the next I/O, before it is aligned.
        cursor: Arc<AtomicU64>,
        /// The region's length.
        len: u64,
        /// Bytes from one I/O to the next; `None`: the block size.
        stride: Option<u64>,
    },
}

/// A queue's own stream.
#[derive(Debug)]
pub(crate) struct Own {
    next: u64,
    /// Start after a wrap, as in DiskSpd: its start modulo its step.
    origin: u64,
    len: u64,
    stride: Option<u64>,
    /// Steps alone keep every offset aligned.
    keeps: bool,
    /// The stream goes backward by `stride`, from this far before the end.
    backward: Option<u64>,
}

impl Stream {
    /// The stream of the `number`-th thread on a region of `len` bytes.
    pub(crate) fn new(job: &Job, len: u64, number: u16, cursor: &dyn Fn() -> Arc<AtomicU64>) -> Stream {
        let blocks = || job.mix.iter().map(|share| u64::from(share.block)).filter(|block| *block > 0);
        let largest = blocks().max().unwrap_or(0);
        let stride = job.access.stride.map(Bytes::get);
        let aligns = || job.mix.iter().filter(|share| share.block > 0).map(|share| align_of(share.align));
        let align = aligns().max().unwrap_or(1);
        let one_align = aligns().all(|other| other == align);
        let one_size = blocks().all(|block| block == largest);
        let step = round_up(stride.unwrap_or(largest), align).max(1);
        if !job.access.shared {
            // A thread with a part of its own begins at the start of that part.
            let apart = job.access.thread_stride.filter(|_| job.access.thread_size.is_none());
            let apart = apart.map_or(0, |apart| apart.get() * u64::from(number));
            let backward = job.access.backward.map(Bytes::get);
            let start = backward.map_or(apart, |from_end| len - from_end);
            let steps_alike = one_align && (stride.is_some() || one_size);
            let keeps = steps_alike && stride.unwrap_or(largest).is_multiple_of(align);
            return Stream::Own(Own { next: start, origin: start % step, len, stride, keeps, backward });
        }
        if one_align && (one_size || stride.is_some()) {
            let slots = (len - largest) / step + 1;
            Stream::SharedSteps { cursor: cursor(), step, slots, passed: 0 }
        } else {
            Stream::SharedBytes { cursor: cursor(), len, stride }
        }
    }

    /// Start of the next sequential I/O of `block` bytes, a multiple of `align`.
    #[inline]
    pub(crate) fn draw(&mut self, block: u32, align: u64) -> u64 {
        let block = u64::from(block);
        match self {
            Stream::Own(own) => own.draw(block, align),
            Stream::SharedSteps { cursor, step, slots, passed } => {
                // Relaxed: the count alone is shared, nothing else is published with it.
                let number = cursor.fetch_add(1, Ordering::Relaxed);
                if number.wrapping_sub(*passed) >= *slots {
                    *passed = number - number % *slots;
                }
                (number - *passed) * *step
            }
            Stream::SharedBytes { cursor, len, stride } => {
                let place = |next: u64| {
                    let at = round_up(next, align);
                    if at + block > *len { 0 } else { at }
                };
                let advance = |next| Some(place(next).saturating_add(stride.unwrap_or(block)));
                let taken = cursor.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance);
                // `advance` never declines, and both arms hold the offset that was there.
                let (Ok(taken) | Err(taken)) = taken;
                place(taken)
            }
        }
    }

    /// A random I/O went to `offset`: a queue's own stream follows on from there.
    #[inline]
    pub(crate) fn jumped(&mut self, offset: u64, block: u32) {
        if let Stream::Own(own) = self {
            own.next = own.after(offset, u64::from(block));
        }
    }

    /// True if the next I/O of this size ends inside the region, so that the stream need not begin again.
    #[inline]
    pub(crate) fn fits(&self, block: u32, align: u64) -> bool {
        match self {
            Stream::Own(own) => own.place(align) + u64::from(block) <= own.len,
            Stream::SharedSteps { .. } | Stream::SharedBytes { .. } => true,
        }
    }

    /// A queue's own stream begins at the region's start again.
    pub(crate) fn restart(&mut self) {
        if let Stream::Own(own) = self {
            own.next = 0;
        }
    }
}

impl Own {
    #[inline]
    fn draw(&mut self, block: u64, align: u64) -> u64 {
        let mut at = self.place(align);
        if at + block > self.len {
            at = if self.keeps { self.origin } else { round_up(self.origin, align) };
            // A boundary so far from the start that the I/O would not end inside the region.
            at = if at + block > self.len { 0 } else { at };
        }
        self.next = self.after(at, block);
        at
    }

    /// Start of the next I/O if it fits.
    #[inline]
    fn place(&self, align: u64) -> u64 {
        if self.keeps { self.next } else { round_up(self.next, align) }
    }

    /// Start of the I/O after one at `at`.
    #[inline]
    fn after(&self, at: u64, block: u64) -> u64 {
        let step = self.stride.unwrap_or(block);
        match self.backward {
            None => at + step,
            // As in fio, a stream that arrives at the start begins at the end again.
            Some(from_end) => at.checked_sub(step).unwrap_or(self.len - from_end),
        }
    }
}

/// Divisor of offsets in a stream: without an alignment, steps say where I/Os begin.
pub(crate) fn align_of(align: Option<Bytes>) -> u64 {
    align.map_or(1, Bytes::get)
}

fn round_up(offset: u64, align: u64) -> u64 {
    if align == 1 { offset } else { offset.div_ceil(align) * align }
}
