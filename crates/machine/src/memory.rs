//! Memory: what there is, and what of it may be locked, as registered buffers are.

use crate::{World, sys};

/// Memory that this process may lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lockable {
    /// As much as there is: no limit, or the privilege to exceed it.
    All,
    /// At most so many bytes (`ulimit -l`).
    Bytes(u64),
    /// The kernel does not say.
    Unknown,
}

/// The machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it that the kernel manages, in bytes.
    pub total_bytes: Option<u64>,
    /// Memory available without swapping, in bytes.
    pub available_bytes: Option<u64>,
    /// Memory that this process may lock.
    pub lockable: Lockable,
    /// The most mappings that a process may have (`vm.max_map_count`).
    pub mappings: Option<u64>,
}

/// `CAP_IPC_LOCK` of `linux/capability.h`, which lifts the limit on locked memory.
const IPC_LOCK: u32 = 14;

/// Bytes of a page of memory.
pub fn page_bytes() -> u64 {
    sys::process::page_bytes()
}

/// Reads `/proc/meminfo`, or what the system tells by a call, and the limits of this process.
pub fn memory(world: &World) -> Memory {
    let text = world.text("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        // `MemTotal:       24684096 kB`, where kB is 1,024 bytes.
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
    };
    let lockable = if crate::kernel::has(world, IPC_LOCK) { Lockable::All } else { limit(world) };
    let mappings = world.text("/proc/sys/vm/max_map_count");
    let told = if world.is_tree() { None } else { sys::memory() };
    Memory {
        total_bytes: field("MemTotal").or(told.map(|told| told.total_bytes)),
        available_bytes: field("MemAvailable").or(told.map(|told| told.available_bytes)),
        lockable,
        mappings: mappings.and_then(|text| text.trim().parse().ok()),
    }
}

/// `Max locked memory         8388608              8388608              bytes`: the soft limit counts.
fn limit(world: &World) -> Lockable {
    let text = world.text("/proc/self/limits").unwrap_or_default();
    let soft =
        text.lines().find_map(|line| line.strip_prefix("Max locked memory")?.split_whitespace().next());
    match soft {
        Some("unlimited") => Lockable::All,
        Some(bytes) => bytes.parse().map_or(Lockable::Unknown, Lockable::Bytes),
        None => Lockable::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn kilobytes_of_the_kernel_are_1024_bytes() {
        let tree = Tree::new();
        tree.file("/proc/meminfo", "MemTotal:       100 kB\nMemFree: 7 kB\nMemAvailable:   40 kB\n");
        let memory = memory(&tree.world());
        assert_eq!((memory.total_bytes, memory.available_bytes), (Some(102_400), Some(40_960)));
        assert_eq!((memory.lockable, memory.mappings), (Lockable::Unknown, None));
        tree.file("/proc/sys/vm/max_map_count", "65530\n");
        assert_eq!(super::memory(&tree.world()).mappings, Some(65_530));
    }

    #[test]
    fn the_soft_limit_counts_unless_there_is_none_or_a_privilege() {
        let tree = Tree::new();
        tree.file(
            "/proc/self/limits",
            "Limit  Soft Limit  Hard Limit  Units\nMax locked memory  65536  131072  bytes\n",
        );
        assert_eq!(memory(&tree.world()).lockable, Lockable::Bytes(65_536));
        tree.file("/proc/self/status", "CapEff:\t0000000000004000\n");
        assert_eq!(memory(&tree.world()).lockable, Lockable::All);
        tree.file("/proc/self/status", "CapEff:\t0000000000003fff\n");
        assert_eq!(memory(&tree.world()).lockable, Lockable::Bytes(65_536));
        tree.file("/proc/self/limits", "Max locked memory  unlimited  unlimited  bytes\n");
        assert_eq!(memory(&tree.world()).lockable, Lockable::All);
    }

    #[test]
    fn what_is_odd_is_unknown() {
        let tree = Tree::new();
        tree.file("/proc/meminfo", "MemTotal: much kB\nMemAvailable: 99999999999999999999 kB\n");
        tree.file("/proc/self/limits", "Max locked memory\n");
        let memory = memory(&tree.world());
        assert_eq!(
            (memory.total_bytes, memory.available_bytes, memory.lockable),
            (None, None, Lockable::Unknown)
        );
    }

    #[test]
    fn this_machine_has_memory_and_no_more_free_than_that() {
        let memory = memory(&World::real());
        assert!(memory.total_bytes.unwrap() >= memory.available_bytes.unwrap());
    }
}
