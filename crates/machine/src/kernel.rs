//! The kernel, and what it lets this process do.

use crate::World;

/// Name of the kernel, and what bounds this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// `Linux`.
    pub name: Option<String>,
    /// `6.8.0-1018-azure`.
    pub release: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
    /// Privileges that it lacks, and what that costs.
    pub missing: Vec<Missing>,
}

/// A privilege that this process lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name: `CAP_IPC_LOCK`.
    pub privilege: &'static str,
    /// The part that cannot be done without it.
    pub lost: &'static str,
}

/// Bits of `linux/capability.h`, and what they give here.
const PRIVILEGES: [(u32, Missing); 4] = [
    (
        1,
        Missing {
            privilege: "CAP_DAC_OVERRIDE",
            lost: "block devices can be opened by members of their group only (usually disk)",
        },
    ),
    (
        14,
        Missing {
            privilege: "CAP_IPC_LOCK",
            lost: "registered buffers count towards the limit of locked memory (ulimit -l)",
        },
    ),
    (
        19,
        Missing {
            privilege: "CAP_SYS_PTRACE",
            lost: "the I/O and open files of other users' processes are not visible",
        },
    ),
    (
        21,
        Missing {
            privilege: "CAP_SYS_ADMIN",
            lost: "NVMe log pages, such as the volume's own statistics, cannot be read",
        },
    ),
];

impl Kernel {
    /// Asks the kernel.
    pub fn of(world: &World) -> Kernel {
        let line = |path: &str| {
            let text = world.text(path)?.trim().to_string();
            (!text.is_empty()).then_some(text)
        };
        // Another kernel has other privileges.
        let lacks = |bit: u32| world.is_of_linux() && !has(world, bit);
        let missing = PRIVILEGES.iter().filter(|(bit, _)| lacks(*bit)).map(|(_, missing)| *missing);
        Kernel {
            name: line("/proc/sys/kernel/ostype"),
            release: line("/proc/sys/kernel/osrelease"),
            host: line("/proc/sys/kernel/hostname"),
            missing: missing.collect(),
        }
    }
}

/// True if this process has a privilege in effect; not, where the kernel does not say.
pub(crate) fn has(world: &World, bit: u32) -> bool {
    let status = world.text("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    effective.is_some_and(|mask| mask >> bit & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn status(tree: &Tree, uid: u32, capabilities: &str) {
        tree.file(
            "/proc/self/status",
            &format!("Name:\tx\nUid:\t1000\t{uid}\t{uid}\t{uid}\nCapEff:\t{capabilities}\n"),
        );
    }

    #[test]
    fn the_kernel_says_its_name_and_who_this_process_is() {
        let tree = Tree::new();
        tree.file("/proc/sys/kernel/ostype", "Linux\n");
        tree.file("/proc/sys/kernel/osrelease", "6.8.0-1018-azure\n");
        tree.file("/proc/sys/kernel/hostname", "\n");
        status(&tree, 0, "000001ffffffffff");
        let kernel = Kernel::of(&tree.world());
        assert_eq!(kernel.name.as_deref(), Some("Linux"));
        assert_eq!(kernel.release.as_deref(), Some("6.8.0-1018-azure"));
        assert_eq!(kernel.host, None);
        assert!(kernel.missing.is_empty());
    }

    #[test]
    fn without_root_it_says_what_is_lost() {
        let tree = Tree::new();
        // CAP_IPC_LOCK alone: bit 14.
        status(&tree, 1000, "0000000000004000");
        let kernel = Kernel::of(&tree.world());
        let missing: Vec<_> = kernel.missing.iter().map(|missing| missing.privilege).collect();
        assert_eq!(missing, ["CAP_DAC_OVERRIDE", "CAP_SYS_PTRACE", "CAP_SYS_ADMIN"]);
    }

    #[test]
    fn a_kernel_that_says_nothing_leaves_everything_unknown() {
        let kernel = Kernel::of(&Tree::new().world());
        assert_eq!((kernel.name, kernel.missing.len()), (None, 4));
    }

    #[test]
    fn this_machine_runs_linux() {
        assert_eq!(Kernel::of(&World::real()).name.as_deref(), Some("Linux"));
    }
}
