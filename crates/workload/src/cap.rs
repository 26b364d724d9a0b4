//! Caps of single operations of a mix.

use iobound_units::Op;

/// Operations of a mix that a cap holds apart from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapOf {
    /// One operation; the other I/Os of the mix go on without a cap.
    One(Op),
    /// Each operation, to its own part of the cap: the part that the mix gives it.
    Each,
}

/// Operations that may not be issued at this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldBack(u8);

impl HeldBack {
    /// True if no operation is held back.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if the operation is held back.
    #[inline]
    pub fn contains(self, op: Op) -> bool {
        self.0 & (1 << op as u8) != 0
    }

    /// With one more operation.
    #[must_use]
    pub fn and(self, op: Op) -> HeldBack {
        HeldBack(self.0 | 1 << op as u8)
    }
}
