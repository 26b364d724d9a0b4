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
    /// Evidence of a container, if there is any: `/.dockerenv`.
    pub container: Option<String>,
    /// True if calls are filtered (seccomp), as in most containers.
    pub filtered: bool,
    /// `kernel.io_uring_disabled`, since 6.6: 0 all may use it, 1 one group, 2 nobody.
    pub io_uring_disabled: Option<u32>,
    /// True if this process is root's, in its own user namespace.
    pub root: bool,
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
        let status = world.text("/proc/self/status").unwrap_or_default();
        let effective =
            field(&status, "Uid").and_then(|ids| ids.split_whitespace().nth(1)?.parse::<u32>().ok());
        let missing = PRIVILEGES.iter().filter(|(bit, _)| !has(world, *bit)).map(|(_, missing)| *missing);
        Kernel {
            name: line("/proc/sys/kernel/ostype"),
            release: line("/proc/sys/kernel/osrelease"),
            host: line("/proc/sys/kernel/hostname"),
            container: container(world),
            filtered: field(&status, "Seccomp") == Some("2"),
            io_uring_disabled: line("/proc/sys/kernel/io_uring_disabled")
                .and_then(|value| value.parse().ok()),
            root: effective == Some(0),
            missing: missing.collect(),
        }
    }

    /// Why `io_uring_setup` may have been refused, as far as it shows: a sentence for the person.
    pub fn why_no_io_uring(&self) -> Option<String> {
        match self.io_uring_disabled {
            Some(2) => {
                return Some("kernel.io_uring_disabled is 2: io_uring is disabled (sysctl)".to_string());
            }
            Some(1) if !self.root => {
                let who = "only members of kernel.io_uring_group";
                return Some(format!("kernel.io_uring_disabled is 1: {who} can use it (sysctl)"));
            }
            _ => {}
        }
        let where_ = self.container.as_ref().map(|sign| format!(" of the container ({sign})"));
        self.filtered.then(|| {
            let profile = where_.unwrap_or_default();
            format!("the seccomp filter{profile} may block io_uring_setup")
        })
    }
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// True if this process has a privilege in effect; not, where the kernel does not say.
pub(crate) fn has(world: &World, bit: u32) -> bool {
    let status = world.text("/proc/self/status").unwrap_or_default();
    let effective = field(&status, "CapEff").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    effective.is_some_and(|mask| mask >> bit & 1 == 1)
}

/// Signs of container managers: Docker, Podman, systemd-nspawn and others (systemd's container interface).
fn container(world: &World) -> Option<String> {
    let signs = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"];
    signs.iter().find(|sign| world.path(sign).exists()).map(|sign| (*sign).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn status(tree: &Tree, uid: u32, capabilities: &str, seccomp: u32) {
        tree.file(
            "/proc/self/status",
            &format!(
                "Name:\tx\nUid:\t1000\t{uid}\t{uid}\t{uid}\nCapEff:\t{capabilities}\nSeccomp:\t{seccomp}\n"
            ),
        );
    }

    #[test]
    fn the_kernel_says_its_name_and_who_this_process_is() {
        let tree = Tree::new();
        tree.file("/proc/sys/kernel/ostype", "Linux\n");
        tree.file("/proc/sys/kernel/osrelease", "6.8.0-1018-azure\n");
        tree.file("/proc/sys/kernel/hostname", "\n");
        status(&tree, 0, "000001ffffffffff", 0);
        let kernel = Kernel::of(&tree.world());
        assert_eq!(kernel.name.as_deref(), Some("Linux"));
        assert_eq!(kernel.release.as_deref(), Some("6.8.0-1018-azure"));
        assert_eq!(kernel.host, None);
        assert!(kernel.root && kernel.missing.is_empty() && !kernel.filtered);
        assert_eq!(kernel.why_no_io_uring(), None);
    }

    #[test]
    fn without_root_it_says_what_is_lost() {
        let tree = Tree::new();
        // CAP_IPC_LOCK alone: bit 14.
        status(&tree, 1000, "0000000000004000", 0);
        let kernel = Kernel::of(&tree.world());
        assert!(!kernel.root);
        let missing: Vec<_> = kernel.missing.iter().map(|missing| missing.privilege).collect();
        assert_eq!(missing, ["CAP_DAC_OVERRIDE", "CAP_SYS_PTRACE", "CAP_SYS_ADMIN"]);
    }

    #[test]
    fn a_refused_ring_is_the_sysctls_or_the_filters_doing() {
        let tree = Tree::new();
        status(&tree, 1000, "0", 2);
        tree.file("/.dockerenv", "");
        let why = || Kernel::of(&tree.world()).why_no_io_uring().unwrap();
        assert_eq!(why(), "the seccomp filter of the container (/.dockerenv) may block io_uring_setup");
        tree.file("/proc/sys/kernel/io_uring_disabled", "1\n");
        assert!(why().contains("kernel.io_uring_group"));
        tree.file("/proc/sys/kernel/io_uring_disabled", "2\n");
        assert!(why().contains("io_uring is disabled"));
        tree.file("/proc/sys/kernel/io_uring_disabled", "0\n");
        assert!(why().contains("seccomp"));
    }

    #[test]
    fn a_kernel_that_says_nothing_leaves_everything_unknown() {
        let kernel = Kernel::of(&Tree::new().world());
        assert_eq!((kernel.name, kernel.container, kernel.io_uring_disabled), (None, None, None));
        assert_eq!((kernel.root, kernel.missing.len()), (false, 4));
    }

    #[test]
    fn this_machine_runs_linux() {
        assert_eq!(Kernel::of(&World::real()).name.as_deref(), Some("Linux"));
    }
}
