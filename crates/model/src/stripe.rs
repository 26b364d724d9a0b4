//! From a volume's address space to its disks': split at the interleave, merged where contiguous on one disk.

use crate::blueprint::{Blueprint, DiskId, VolumeSpec};

/// A part of an I/O on one disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The disk.
    pub disk: DiskId,
    /// Offset on it, in bytes.
    pub offset: u64,
    /// Number of bytes.
    pub len: u32,
}

/// Part of a disk that a column is allocated at a time, where the columns do not divide the disks: Storage Spaces allocates
/// slabs of 256 MiB on the disks that have most left, which are all disks in turn.
pub(crate) const SLAB: u64 = 256 << 20;

/// A volume's layout, ready to be asked.
#[derive(Clone, Debug)]
pub struct Stripe {
    disks: Vec<DiskId>,
    columns: u64,
    interleave: u64,
    /// `interleave` as a shift, where it is a power of two.
    shift: Option<u32>,
    partition_offset: u64,
    /// Groups of `columns` disks, and the bytes of each. Where the columns divide the disks, each disk is in one group; where
    /// they do not, a group takes a slab of each of its disks, and the groups go round the disks.
    groups: u64,
    group: u64,
    /// A group's share of each of its disks.
    slab: u64,
    /// By position, each disk and the most that it takes at once.
    stream_keys: Vec<(DiskId, u64)>,
    /// The smallest of them.
    least_transfer: u64,
}

impl Stripe {
    /// The layout of a volume of a blueprint that has been checked.
    pub fn new(volume: &VolumeSpec, blueprint: &Blueprint) -> Stripe {
        Stripe::over(volume, |id| {
            let disk = &blueprint.disks[usize::from(id.0)];
            (disk.size.get(), disk.max_transfer.get())
        })
    }

    /// The same, where the disks' sizes and largest transfers are known from elsewhere.
    pub(crate) fn over(volume: &VolumeSpec, disk: impl Fn(DiskId) -> (u64, u64)) -> Stripe {
        let interleave = volume.interleave.get();
        let smallest = volume.disks.iter().map(|id| disk(*id).0).min().unwrap_or(0);
        let (count, columns) = (volume.disks.len() as u64, u64::from(volume.columns));
        let whole = (smallest / interleave * interleave).max(interleave);
        let (groups, slab) = if count.is_multiple_of(columns) {
            (count / columns, whole)
        } else {
            let slab = slab_of(smallest, interleave);
            (smallest / slab * count / columns, slab)
        };
        let stream_keys: Vec<(DiskId, u64)> = volume.disks.iter().map(|id| (*id, disk(*id).1)).collect();
        Stripe {
            disks: volume.disks.clone(),
            columns: u64::from(volume.columns),
            interleave,
            shift: interleave.is_power_of_two().then(|| interleave.trailing_zeros()),
            partition_offset: volume.partition_offset.get(),
            groups,
            group: slab * columns,
            slab,
            least_transfer: stream_keys.iter().map(|(_, most)| *most).min().unwrap_or(0),
            stream_keys,
        }
    }

    /// Number of groups of columns in the volume, the bytes of each, and the number of groups after which the disks
    /// repeat; in a single group everything is in the first.
    pub fn groups(&self) -> (u64, u64, u64) {
        let disks = self.disks.len() as u64;
        let repeats = (1..=disks).find(|n| (n * self.columns).is_multiple_of(disks));
        (self.groups, self.group, repeats.unwrap_or(disks))
    }

    /// The stream_key of a group's column, and where on its disk the group begins.
    #[inline]
    fn stream_key(&self, group: u64, column: u64) -> (usize, u64) {
        let (place, disks) = (group * self.columns + column, self.disks.len() as u64);
        if place < disks {
            (place as usize, 0)
        } else {
            ((place % disks) as usize, place / disks * self.slab)
        }
    }

    /// The disks, in column order.
    pub fn disks(&self) -> &[DiskId] {
        &self.disks
    }

    #[inline]
    fn unit(&self, at: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (at >> shift, at & (self.interleave - 1)),
            None => (at / self.interleave, at % self.interleave),
        }
    }

    /// The row and the column of a stripe unit. Narrow divisions are several times faster than wide ones.
    #[inline]
    fn row(&self, unit: u64) -> (u64, usize) {
        match u32::try_from(unit) {
            Ok(unit) => {
                let columns = self.columns as u32;
                (u64::from(unit / columns), (unit % columns) as usize)
            }
            Err(_) => (unit / self.columns, (unit % self.columns) as usize),
        }
    }

    /// The single extent of an I/O that lies within one stripe unit and is at most one transfer, and of any I/O on a
    /// volume of one disk: only a volume splits I/Os, and a disk charges an I/O by its own length.
    #[inline]
    pub fn single(&self, offset: u64, len: u32) -> Option<Extent> {
        let at = offset + self.partition_offset;
        if self.disks.len() == 1 {
            return Some(Extent { disk: self.disks[0], offset: at, len });
        }
        let (unit, within) = self.unit(at);
        let is_whole = within + u64::from(len) <= self.interleave && u64::from(len) <= self.least_transfer;
        if !is_whole || self.groups != 1 {
            return None;
        }
        let (row, column) = self.row(unit);
        Some(Extent { disk: self.disks[column], offset: row * self.interleave + within, len })
    }

    /// All extents of an I/O, in column order from its start.
    ///
    /// On each column an I/O's units follow one another, so each column has one run, cut only at the device's
    /// largest transfer.
    #[inline]
    pub fn split(&self, offset: u64, len: u32, mut each: impl FnMut(Extent)) {
        if let Some(extent) = self.single(offset, len) {
            each(extent);
            return;
        }
        let (mut at, end) = (offset + self.partition_offset, offset + self.partition_offset + u64::from(len));
        if self.groups == 1 {
            self.split_in_group(0, at, end, &mut each);
            return;
        }
        while at < end {
            let group = (at / self.group).min(self.groups - 1);
            let group_start = group * self.group;
            let until = if group == self.groups - 1 { end } else { end.min(group_start + self.group) };
            self.split_in_group(group, at - group_start, until - group_start, &mut each);
            at = until;
        }
    }

    /// The disks' parts of a range in the order of the volume's bytes, unit by unit: where its data lies. A range may be longer
    /// than any I/O.
    pub fn walk(&self, offset: u64, len: u64, mut each: impl FnMut(Extent)) {
        let mut at = offset + self.partition_offset;
        let end = at + len;
        while at < end {
            let (disk, offset, most) = self.place(at);
            // One unit is at most what an extent can hold; a volume of one disk is one unit.
            let len = (end - at).min(most).min(1 << 30);
            each(Extent { disk, offset, len: len as u32 });
            at += len;
        }
    }

    /// The disk of a byte of the volume, where it is there, and how many of the volume follow it there, itself among them.
    pub fn locate(&self, offset: u64) -> (DiskId, u64, u64) {
        self.place(offset + self.partition_offset)
    }

    /// The same of a byte of the disks' address space.
    fn place(&self, at: u64) -> (DiskId, u64, u64) {
        if self.disks.len() == 1 {
            return (self.disks[0], at, u64::MAX);
        }
        let group = (at / self.group).min(self.groups - 1);
        let (unit, within) = self.unit(at - group * self.group);
        let (row, column) = self.row(unit);
        let (stream_key, base) = self.stream_key(group, column as u64);
        (self.disks[stream_key], base + row * self.interleave + within, self.interleave - within)
    }

    /// Position in the volume of a disk's bytes from `at` on, and the length of the contiguous range. `None` if the
    /// bytes are not in the volume's address space: before its partition, after its last whole stripe unit, or on a
    /// disk of another volume. The caller knows the volume's length.
    pub fn unplace(&self, disk: DiskId, at: u64) -> (Option<u64>, u64) {
        let Some(position) = self.disks.iter().position(|member| *member == disk) else {
            return (None, u64::MAX - at);
        };
        let (address, run) = if self.disks.len() == 1 {
            (at, u64::MAX - at)
        } else {
            // Each disk has one slab where the columns divide the disks; the last group's goes on as long as the volume does.
            let goes_round = !(self.disks.len() as u64).is_multiple_of(self.columns);
            let turn = if goes_round { at / self.slab } else { 0 };
            let place = turn * self.disks.len() as u64 + position as u64;
            let (group, column) = (place / self.columns, place % self.columns);
            let (row, within) = self.unit(at - turn * self.slab);
            let is_beyond = if goes_round {
                group >= self.groups
            } else {
                group + 1 < self.groups && row >= self.slab / self.interleave
            };
            if is_beyond {
                return (None, u64::MAX - at);
            }
            let unit = row * self.columns + column;
            (group * self.group + unit * self.interleave + within, self.interleave - within)
        };
        match address.checked_sub(self.partition_offset) {
            Some(offset) => (Some(offset), run),
            None => (None, run.min(self.partition_offset - address)),
        }
    }

    /// The first column that is touched has a run that may begin within a unit, the one with the last unit one that may
    /// end within it; those up to it have a unit more than those behind it.
    #[inline]
    fn split_in_group(&self, group: u64, start: u64, end: u64, each: &mut impl FnMut(Extent)) {
        let (first, within) = self.unit(start);
        let (last, _) = self.unit(end - 1);
        let beyond = last - first;
        let (rounds, over) =
            if beyond < self.columns { (0, beyond) } else { (beyond / self.columns, beyond % self.columns) };
        let (mut row, mut column) = self.row(first);
        let mut skipped = within;
        for step in 0..=beyond.min(self.columns - 1) {
            let mut run = (rounds + u64::from(step <= over)) * self.interleave - skipped;
            if step == over {
                run -= (last + 1) * self.interleave - end;
            }
            let (stream_key, base) = self.stream_key(group, column as u64);
            let (disk, most) = self.stream_keys[stream_key];
            let mut offset = base + row * self.interleave + skipped;
            while run > most {
                each(Extent { disk, offset, len: most as u32 });
                offset += most;
                run -= most;
            }
            each(Extent { disk, offset, len: run as u32 });
            skipped = 0;
            column += 1;
            if column as u64 == self.columns {
                (row, column) = (row + 1, 0);
            }
        }
    }
}

/// The slab of disks of a size: whole stripe units, and smaller where the disks are small.
fn slab_of(smallest: u64, interleave: u64) -> u64 {
    (SLAB.min(smallest / 16) / interleave * interleave).max(interleave)
}

/// Bytes of disks of this size that a volume with so many columns can use.
pub fn stripe_capacity(disks: u64, columns: u64, smallest: u64, interleave: u64) -> u64 {
    if disks == 1 {
        return smallest;
    }
    if disks.is_multiple_of(columns) {
        return (smallest / interleave * interleave).saturating_mul(disks);
    }
    let slab = slab_of(smallest, interleave);
    (smallest / slab).saturating_mul(disks) / columns * columns * slab
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blueprint::{DiskSpec, Latency};
    use iobound_units::{Bytes, Span};
    use proptest::prelude::*;

    fn blueprint(
        disks: u16,
        columns: u16,
        interleave: u64,
        disk_size: u64,
        partition_offset: u64,
    ) -> Blueprint {
        let latency = Latency::constant(Span::from_ms(1));
        Blueprint {
            volumes: vec![VolumeSpec {
                name: "data".into(),
                size: Bytes(disk_size * u64::from(disks) - partition_offset),
                disks: (0..disks).map(DiskId).collect(),
                columns,
                interleave: Bytes(interleave),
                partition_offset: Bytes(partition_offset),
            }],
            disks: (0..disks)
                .map(|n| DiskSpec::plain(format!("data.{n}"), Bytes(disk_size), latency))
                .collect(),
            ..Blueprint::default()
        }
    }

    fn split(blueprint: &Blueprint, offset: u64, len: u32) -> Vec<(u16, u64, u32)> {
        let mut extents = Vec::new();
        Stripe::new(&blueprint.volumes[0], blueprint)
            .split(offset, len, |e| extents.push((e.disk.0, e.offset, e.len)));
        extents
    }

    const K: u32 = 1024;

    #[test]
    fn a_mebibyte_on_four_disks_is_four_merged_fragments() {
        let b = blueprint(4, 4, 65536, 1 << 30, 0);
        let fragment = 256 * K;
        assert_eq!(
            split(&b, 0, 1 << 20),
            [(0, 0, fragment), (1, 0, fragment), (2, 0, fragment), (3, 0, fragment)]
        );
    }

    #[test]
    fn a_misaligned_io_touches_one_disk_more() {
        let b = blueprint(4, 4, 65536, 1 << 30, 32 * 1024);
        assert_eq!(split(&b, 0, 64 * K), [(0, 32 * 1024, 32 * K), (1, 0, 32 * K)]);
        assert_eq!(split(&blueprint(4, 4, 65536, 1 << 30, 0), 0, 64 * K), [(0, 0, 64 * K)]);
    }

    #[test]
    fn runs_longer_than_the_largest_transfer_are_cut() {
        let b = blueprint(2, 2, 65536, 1 << 30, 0);
        let extents = split(&b, 0, 2 << 20);
        assert_eq!(extents.iter().map(|e| e.2).collect::<Vec<_>>(), [256 * K; 8]);
    }

    #[test]
    fn what_is_on_a_disk_and_not_of_the_volume_is_nowhere_in_it() {
        // 1 KiB of the first disk is before the partition; the smallest disk's last half unit is in no stripe.
        let mut b = blueprint(4, 2, 65536, 1 << 20, 1024);
        b.disks[3].size = Bytes((1 << 20) - 32_768);
        let stripe = Stripe::new(&b.volumes[0], &b);
        assert_eq!(stripe.unplace(DiskId(0), 0), (None, 1024));
        assert_eq!(stripe.unplace(DiskId(0), 1024), (Some(0), 65536 - 1024));
        assert_eq!(stripe.unplace(DiskId(1), (1 << 20) - 65536).0, None);
        assert_eq!(stripe.unplace(DiskId(7), 0).0, None);
    }

    #[test]
    fn fewer_columns_than_disks_fill_one_group_after_the_other() {
        let b = blueprint(4, 2, 65536, 1 << 20, 0);
        assert_eq!(split(&b, (2 << 20) - 65536, 128 * K), [(1, (1 << 20) - 65536, 64 * K), (2, 0, 64 * K)]);
    }

    #[test]
    fn where_the_columns_do_not_divide_the_disks_slabs_go_round_all_of_them() {
        // Three disks of 1 MiB, two columns: slabs of 64 KiB, 24 groups of 128 KiB. The first lies on disks 0 and 1, the
        // second on 2 and, a slab further, 0, the third on 1 and 2.
        let b = blueprint(3, 2, 65536, 1 << 20, 0);
        let slab = 65536;
        let of = |group: u32| split(&b, u64::from(group) * 128 * 1024, 128 * K);
        assert_eq!(of(0), [(0, 0, 64 * K), (1, 0, 64 * K)]);
        assert_eq!(of(1), [(2, 0, 64 * K), (0, slab, 64 * K)]);
        assert_eq!(of(2), [(1, slab, 64 * K), (2, slab, 64 * K)]);
        assert_eq!(of(23), [(1, 15 * slab, 64 * K), (2, 15 * slab, 64 * K)]);
        assert_eq!(stripe_capacity(3, 2, 1 << 20, 65536), 3 << 20);
        let (groups, bytes, repeats) = Stripe::new(&b.volumes[0], &b).groups();
        assert_eq!((groups, bytes, repeats), (24, 128 << 10, 3));
    }

    proptest! {
        /// Every byte of a volume whose columns do not divide its disks has a place of its own, and is found from there.
        #[test]
        fn slabs_that_go_round_hold_every_byte_once(
            disks in 3u16..13, columns in 2u16..12, slabs in 16u64..40, offset in 0u64..200_000, len in 1u32..9_000,
        ) {
            prop_assume!(columns < disks && disks % columns != 0);
            let (interleave, disk_size) = (512, slabs * 1024);
            let mut b = blueprint(disks, columns, interleave, disk_size, 0);
            let whole = stripe_capacity(u64::from(disks), u64::from(columns), disk_size, interleave);
            b.volumes[0].size = Bytes(whole);
            prop_assert!(whole <= disk_size * u64::from(disks));
            prop_assume!(offset + u64::from(len) <= whole);
            let stripe = Stripe::new(&b.volumes[0], &b);
            let mut got = std::collections::BTreeSet::new();
            for (disk, start, len) in split(&b, offset, len) {
                for at in start..start + u64::from(len) {
                    prop_assert!(at < disk_size, "byte {at} of a disk of {disk_size}");
                    prop_assert!(got.insert((disk, at)), "two bytes at one place");
                    let (back, _) = stripe.unplace(DiskId(disk), at);
                    prop_assert!(back.is_some_and(|back| (offset..offset + u64::from(len)).contains(&back) || back >= offset));
                    let (there, place, _) = stripe.locate(back.unwrap_or(u64::MAX));
                    prop_assert_eq!((there.0, place), (disk, at));
                }
            }
            prop_assert_eq!(got.len() as u64, u64::from(len));
        }

        /// Byte by byte, the naive mapping: unit u of the group is on column u mod c at row u div c.
        #[test]
        fn every_byte_lands_where_the_naive_mapping_puts_it(
            columns in 1u16..7, groups in 1u16..3, interleave_units in 1u64..5, offset in 0u64..40_000,
            len in 1u32..9_000, partition_offset in 0u64..3_000,
        ) {
            let interleave = interleave_units * 512;
            let disk_size = interleave * 32;
            let b = blueprint(columns * groups, columns, interleave, disk_size, partition_offset);
            let size = b.volumes[0].size.get();
            prop_assume!(offset + u64::from(len) <= size);
            let naive = |at: u64| {
                let at = at + partition_offset;
                if columns * groups == 1 {
                    return (0, at);
                }
                let group_size = disk_size * u64::from(columns);
                let (group, within) = (at / group_size, at % group_size);
                let unit = within / interleave;
                let disk = group * u64::from(columns) + unit % u64::from(columns);
                (disk as u16, unit / u64::from(columns) * interleave + within % interleave)
            };
            let mut expected: Vec<(u16, u64)> = (offset..offset + u64::from(len)).map(naive).collect();
            let mut got = Vec::new();
            for (disk, start, len) in split(&b, offset, len) {
                prop_assert!(len <= 256 * K || columns * groups == 1);
                got.extend((start..start + u64::from(len)).map(|at| (disk, at)));
            }
            let stripe = Stripe::new(&b.volumes[0], &b);
            for (n, (disk, at)) in expected.iter().enumerate() {
                let (back, run) = stripe.unplace(DiskId(*disk), *at);
                prop_assert_eq!(back, Some(offset + n as u64), "byte {} of disk {}", at, disk);
                // Bytes that follow on the disk follow in the volume, within the returned length.
                let alike = expected[n..].iter().zip(0..run).take_while(|((d, a), n)| (*d, *a) == (*disk, at + n));
                prop_assert!(alike.count() as u64 == run.min((expected.len() - n) as u64));
            }
            let mut walked = Vec::new();
            Stripe::new(&b.volumes[0], &b).walk(offset, u64::from(len), |e| {
                walked.extend((e.offset..e.offset + u64::from(e.len)).map(|at| (e.disk.0, at)));
            });
            prop_assert_eq!(&expected, &walked, "in the order of the volume's bytes");
            expected.sort_unstable();
            got.sort_unstable();
            prop_assert_eq!(expected, got);
        }
    }
}
