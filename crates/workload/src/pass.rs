//! Every place of a region once, then again in another order.

use crate::permutation::Permutation;
use crate::random::key_of;
use crate::slots::Slots;

/// One pass over every place in an order of its own, then another in another order.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    slots: Slots,
    key: u64,
    number: u64,
    next: u64,
    order: Permutation,
}

impl Pass {
    pub(crate) fn new(slots: Slots, key: u64) -> Pass {
        Pass { slots, key, number: 0, next: 0, order: Permutation::new(slots.count, key_of(&[key, 0])) }
    }

    /// Begins the next pass.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
        self.number += 1;
        self.order = Permutation::new(self.slots.count, key_of(&[self.key, self.number]));
    }

    pub(crate) fn draw(&mut self) -> u64 {
        if self.next == self.slots.count {
            self.restart();
        }
        let slot = self.order.apply(self.next);
        self.next += 1;
        slot * self.slots.unit
    }
}
