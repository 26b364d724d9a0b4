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

/// What is made room for at first: a handshake, a few requests.
const LEAST: usize = 4 << 10;
/// What is made room for where more comes at once: a batch of requests with their data.
const USUAL: usize = 256 << 10;

impl Input {
    /// What is there.
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

    /// Room behind what is there, so that `whole` bytes fit in all; where they are many, for as much again as has come: what a
    /// client promises takes nothing, only what it sends.
    pub(super) fn room(&mut self, whole: usize) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.bytes.len() > USUAL && whole <= USUAL {
                // A single large write does not keep its room for ever.
                self.bytes.truncate(USUAL);
                self.bytes.shrink_to_fit();
            }
        }
        let promised = whole.min(USUAL.max(2 * (self.end - self.start)));
        let least = if self.was_full { USUAL } else { LEAST }.max(promised);
        if self.bytes.len() - self.start < least {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.bytes.len() < least {
            self.bytes.resize(least, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// So many bytes of the room were filled.
    #[inline]
    pub(super) fn filled(&mut self, len: usize) {
        self.end += len;
        assert!(self.end <= self.bytes.len(), "no more than the room there was");
        self.was_full = self.end == self.bytes.len();
    }

    /// How much memory it holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity()
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
            let room = input.room(large);
            let part = room.len().min(100_000).min(large - sent);
            room[..part].iter_mut().enumerate().for_each(|(n, byte)| *byte = ((sent + n) % 251) as u8);
            input.filled(part);
            sent += part;
        }
        assert!(input.bytes().iter().enumerate().all(|(n, byte)| *byte == (n % 251) as u8));
        assert_eq!(input.take(large).len(), large);
        assert!(input.held() >= large);
        input.room(28);
        assert!(input.held() <= USUAL);
    }

    #[test]
    fn what_is_promised_takes_no_memory_before_it_comes() {
        let mut input = Input::default();
        let (promised, mut come) = (32 << 20, 0);
        for part in [28, 1_000, 200_000, 3 << 20] {
            let mut left = part;
            while left > 0 {
                let len = input.room(promised).len().min(left);
                assert!(len > 0, "there is room as long as something is missing");
                input.filled(len);
                left -= len;
            }
            come += part;
            assert!(input.held() <= USUAL.max(3 * come), "{} for {come}", input.held());
        }
    }
}
