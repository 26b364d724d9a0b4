/// Bytes that came in and are not used yet. Room is made for what is expected and no more, and given back.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// All of it initialised; what is used lies in `start..end`.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The last that came in filled all the room there was: more room next time.
    was_full: bool,
}

/// Initial capacity: a handshake, a few requests.
const LEAST: usize = 4 << 10;
/// Bytes for a connection besides the limit of all connections: a write of 16 KiB.
pub(super) const OWN: usize = 20 << 10;
/// Capacity for larger input: a batch of requests with their data.
const USUAL: usize = 256 << 10;

impl Input {
    /// The present state.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Forgets the first `len` bytes, and shows them for the last time.
    #[inline]
    pub(super) fn take(&mut self, len: usize) -> &[u8] {
        let from = self.start;
        self.start += len;
        assert!(self.start <= self.end, "only what is there is taken");
        &self.bytes[from..self.start]
    }

    /// Free room after the received data, towards `whole` bytes in all. It grows with the received data and never with
    /// what a client announces. At most `most` bytes are held, or [`OWN`] if that is more: the room is empty once they
    /// are full.
    pub(super) fn room(&mut self, whole: usize, most: usize) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.bytes.len() > USUAL && whole <= USUAL {
                // A single large write does not keep its room for ever.
                self.bytes.truncate(USUAL);
                self.bytes.shrink_to_fit();
            }
        }
        let usual = if self.was_full { (4 * self.bytes.len()).clamp(LEAST, USUAL) } else { LEAST };
        let least = usual.max(whole.min(2 * (self.end - self.start)));
        if self.bytes.len() - self.start < least {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let least = least.min(most.max(OWN));
        if self.bytes.len() < least {
            self.bytes.reserve_exact(least - self.bytes.len());
            self.bytes.resize(least, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Gives memory back that nothing is in.
    pub(super) fn release(&mut self) {
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        self.bytes.truncate(self.end);
        self.bytes.shrink_to_fit();
    }

    /// Memory that counts against the bound of all connections: without the first 20 KiB, which each may have.
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity().saturating_sub(OWN)
    }

    /// Number of bytes of the room were filled.
    #[inline]
    pub(super) fn filled(&mut self, len: usize) {
        self.end += len;
        assert!(self.end <= self.bytes.len(), "no more than the room there was");
        self.was_full = self.end == self.bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_parts_is_whole_and_the_room_is_given_back() {
        let mut input = Input::default();
        let large = 3 << 20;
        let mut sent = 0;
        while sent < large {
            let room = input.room(large, usize::MAX);
            let part = room.len().min(100_000).min(large - sent);
            room[..part].iter_mut().enumerate().for_each(|(n, byte)| *byte = ((sent + n) % 251) as u8);
            input.filled(part);
            sent += part;
        }
        assert!(input.bytes().iter().enumerate().all(|(n, byte)| *byte == (n % 251) as u8));
        assert_eq!(input.take(large).len(), large);
        assert!(input.held() + OWN >= large);
        input.room(28, usize::MAX);
        assert!(input.held() <= USUAL);
    }

    #[test]
    fn room_does_not_grow_beyond_what_may_be_held() {
        let mut input = Input::default();
        let mut there = 0;
        while there < OWN {
            let room = input.room(1 << 20, 0).len();
            assert!(room > 0, "every connection may have {OWN} bytes");
            input.filled(room);
            there += room;
        }
        assert!(input.room(1 << 20, 0).is_empty());
        assert_eq!(input.room(1 << 20, OWN + 1_000).len(), 1_000);
        input.filled(10);
        input.release();
        assert_eq!((input.bytes().len(), input.held()), (OWN + 10, 10), "what has come stays");
        input.take(OWN + 10);
        input.release();
        assert_eq!(input.held(), 0);
    }

    #[test]
    fn what_is_promised_takes_no_memory_before_it_comes() {
        let mut input = Input::default();
        let (promised, mut come) = (32 << 20, 0);
        for part in [28, 1_000, 200_000, 3 << 20] {
            let mut left = part;
            while left > 0 {
                let len = input.room(promised, usize::MAX).len().min(left);
                assert!(len > 0, "there is room as long as something is missing");
                input.filled(len);
                left -= len;
            }
            come += part;
            // Fourfold at most, while little has come: one read may have filled what there was.
            assert!(input.held() <= 4 * come, "{} for {come}", input.held());
        }
    }
}
