//! The fragments of outstanding I/Os: one slot inline for each tag, more from a free list for striped I/Os.

use std::ops::{Index, IndexMut};

use iobound_units::Tag;

use crate::blueprint::{DiskId, LimiterId, MAX_ROUTE};
use crate::stack::Outcome;
use crate::stripe::Extent;

/// No fragment.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Origin of an I/O: the workload, or the flusher, which takes what others leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    Foreground = 0,
    Background = 1,
}

/// Kind of a fragment, which decides its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Read,
    Write,
    Hit,
    Acknowledge,
    WriteBack,
    Flush,
    Discard,
}

impl Kind {
    pub(crate) const COUNT: usize = 7;
    pub(crate) const ALL: [Kind; Kind::COUNT] =
        [Kind::Read, Kind::Write, Kind::Hit, Kind::Acknowledge, Kind::WriteBack, Kind::Flush, Kind::Discard];
}

/// The limiters that a fragment passes, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) limiters: [u16; MAX_ROUTE],
    pub(crate) len: u8,
}

impl Route {
    pub(crate) fn new(limiters: &[LimiterId]) -> Route {
        let mut route = Route { limiters: [0; MAX_ROUTE], len: limiters.len() as u8 };
        for (slot, limiter) in route.limiters.iter_mut().zip(limiters) {
            *slot = limiter.0;
        }
        route
    }
}

/// One part of an I/O on one disk, on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) tag: Tag,
    pub(crate) next: u32,
    pub(crate) len: u32,
    pub(crate) disk: u16,
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    pub(crate) step: u8,
    /// Failed by a fault of its disk.
    pub(crate) failed: bool,
    /// The way it set out on.
    pub(crate) route: Route,
    /// The cache of a hit or an acknowledgement.
    pub(crate) cache: u16,
    pub(crate) offset: u64,
    /// Time of its arrival where it waits.
    pub(crate) arrived: u64,
    pub(crate) held_ns: [u64; MAX_ROUTE],
    pub(crate) dirty_ns: u64,
    pub(crate) media_ns: u64,
    /// Of dirty data being written back.
    pub(crate) epoch: u64,
}

impl Fragment {
    #[inline]
    pub(crate) fn set(&mut self, tag: Tag, extent: Extent) {
        self.tag = tag;
        self.disk = extent.disk.0;
        self.offset = extent.offset;
        self.len = extent.len;
    }

    #[inline]
    pub(crate) fn start(&mut self, kind: Kind, class: Class, route: Route, now: u64) {
        self.kind = kind;
        self.class = class;
        self.step = 0;
        self.failed = false;
        self.route = route;
        self.arrived = now;
        self.held_ns = [0; MAX_ROUTE];
        self.dirty_ns = 0;
    }

    pub(crate) fn extent(&self) -> Extent {
        Extent { disk: DiskId(self.disk), offset: self.offset, len: self.len }
    }
}

/// Rest of an I/O.
#[derive(Clone, Copy, Debug, Default)]
struct Remaining {
    fragments: u32,
    failed: bool,
    /// Nothing but the end of the I/O follows its fragments' media time: the last one's event is enough.
    booked: bool,
    latest_ns: u64,
    latest_fragment: u32,
}

#[derive(Debug)]
pub(crate) struct Fragments {
    slots: Vec<Fragment>,
    ios: Vec<Remaining>,
    free: Vec<u32>,
}

const EMPTY: Fragment = Fragment {
    tag: Tag(NOBODY),
    next: NOBODY,
    len: 0,
    disk: 0,
    kind: Kind::Read,
    class: Class::Foreground,
    step: 0,
    failed: false,
    route: Route { limiters: [0; MAX_ROUTE], len: 0 },
    cache: 0,
    offset: 0,
    arrived: 0,
    held_ns: [0; MAX_ROUTE],
    dirty_ns: 0,
    media_ns: 0,
    epoch: 0,
};

impl Fragments {
    pub(crate) fn new(tags: usize, more: usize) -> Fragments {
        let mut slots = Vec::with_capacity(tags + more);
        slots.resize(tags, EMPTY);
        Fragments { slots, ios: vec![Remaining::default(); tags], free: Vec::with_capacity(more) }
    }

    /// Forgets all outstanding I/Os.
    pub(crate) fn clear(&mut self) {
        self.ios.fill(Remaining::default());
        self.free.clear();
        self.free.extend((self.ios.len() as u32..self.slots.len() as u32).rev());
    }

    /// Makes room for so many more fragments than there is one for each tag, ahead of time. Nothing is written to it: a replay of few
    /// I/Os would spend most of its time on that.
    pub(crate) fn make(&mut self, more: usize) {
        let wanted = (self.tags() + more).max(self.slots.len());
        self.slots.reserve(wanted - self.slots.len());
        self.free.reserve((wanted - self.tags()).saturating_sub(self.free.len()));
    }

    /// Number of tags: fragments below belong to the tag of that number.
    #[inline]
    pub(crate) fn tags(&self) -> usize {
        self.ios.len()
    }

    #[inline]
    pub(crate) fn begin(&mut self, tag: Tag, fragments: u32, booked: bool) {
        let io = &mut self.ios[tag.0 as usize];
        assert!(io.fragments == 0, "tag {} is still outstanding", tag.0);
        *io = Remaining { fragments, failed: false, booked, latest_ns: 0, latest_fragment: NOBODY };
    }

    /// A fragment takes `media_ns` and will be done at `at_ns`. Says which event is due when: this one, or, of an I/O that
    /// needs only its last fragment's, that one once all are booked.
    #[inline]
    pub(crate) fn book(&mut self, fragment: u32, media_ns: u64, at_ns: u64) -> Option<(u64, u32)> {
        let tags = self.ios.len() as u32;
        let slot = &mut self.slots[fragment as usize];
        slot.media_ns = media_ns;
        let Some(io) = self.ios.get_mut(slot.tag.0 as usize).filter(|io| io.booked) else {
            return Some((at_ns, fragment));
        };
        let mut early = fragment;
        if at_ns >= io.latest_ns {
            early = io.latest_fragment;
            (io.latest_ns, io.latest_fragment) = (at_ns, fragment);
        }
        if early >= tags && early != NOBODY {
            self.free.push(early);
        }
        if io.fragments > 1 {
            io.fragments -= 1;
            return None;
        }
        Some((io.latest_ns, io.latest_fragment))
    }

    pub(crate) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(EMPTY);
            self.slots.len() as u32 - 1
        })
    }

    pub(crate) fn release(&mut self, fragment: u32) {
        self.free.push(fragment);
    }

    pub(crate) fn fail(&mut self, tag: Tag) {
        self.ios[tag.0 as usize].failed = true;
    }

    /// A fragment is done; says how its I/O ended if it was the last.
    #[inline]
    pub(crate) fn finish(&mut self, fragment: u32) -> Option<Outcome> {
        let io = &mut self.ios[self.slots[fragment as usize].tag.0 as usize];
        io.fragments -= 1;
        (io.fragments == 0).then_some(if io.failed { Outcome::Error } else { Outcome::Ok })
    }

    /// Keeps the last fragment's path where the I/O's owner looks for it.
    pub(crate) fn copy_path(&mut self, from: u32, tag: Tag) {
        self.slots[tag.0 as usize] = self.slots[from as usize];
    }
}

impl Index<u32> for Fragments {
    type Output = Fragment;
    #[inline]
    fn index(&self, fragment: u32) -> &Fragment {
        &self.slots[fragment as usize]
    }
}

impl IndexMut<u32> for Fragments {
    #[inline]
    fn index_mut(&mut self, fragment: u32) -> &mut Fragment {
        &mut self.slots[fragment as usize]
    }
}
