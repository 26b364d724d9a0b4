//! Caps of single operations of a mix.

use iobound_units::{Op, Rate};

use crate::Job;

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

impl Job {
    /// The operations of the mix but flushes, each with its part of a rate: the numerator and the denominator. Parts of
    /// a rate of bytes are parts of the bytes.
    pub(crate) fn parts_of(&self, rate: Rate) -> Vec<(Op, u32, u32)> {
        let amount = |op: Op| -> u128 {
            let own = self.mix.iter().filter(|share| share.op == op);
            own.map(|share| match rate {
                Rate::Ios { .. } => u128::from(share.weight),
                Rate::Bytes { .. } => u128::from(share.weight) * u128::from(share.block),
            })
            .sum()
        };
        let moves_data = Op::ALL.into_iter().filter(|op| *op != Op::Flush);
        let amounts: Vec<(Op, u128)> =
            moves_data.map(|op| (op, amount(op))).filter(|(_, amount)| *amount > 0).collect();
        let sum: u128 = amounts.iter().map(|(_, amount)| amount).sum();
        // 32 bits keep a rate to a thousand-millionth.
        let dropped = (128 - sum.leading_zeros()).saturating_sub(32);
        let part = |amount: u128| ((amount >> dropped) as u32).max(1);
        amounts.iter().map(|(op, amount)| (*op, part(*amount), part(sum))).collect()
    }
}
