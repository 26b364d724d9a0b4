//! The processors: where each is, and what it did between two looks.

use std::collections::BTreeMap;

use iobound_measure::result::{Cpu, Processor};

use crate::World;
use crate::performance::{self, ProcessorSums};
use crate::world::{number, numbers_in};

/// One look at what each processor spent its time on: `/proc/stat` (proc_stat(5)), or the performance object `Processor
/// Information` of Windows, which counts no stolen time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processors(BTreeMap<u32, Times>);

/// In ticks of the kernel, or in units of 100 ns, whose length cancels out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    user: u64,
    system: u64,
    idle: u64,
    /// `None` where the system does not count it.
    steal: Option<u64>,
}

/// Number of processors that are online, and in how many NUMA nodes; `None` where the kernel does not say.
pub fn count(world: &World) -> (Option<usize>, Option<usize>) {
    let processors = Processors::look(world).0.len();
    let nodes = world.names("/sys/devices/system/node");
    let nodes = nodes
        .iter()
        .filter(|name| name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok()));
    let known = |count: usize| (count > 0).then_some(count);
    (known(processors), known(nodes.count()))
}

/// Place of each processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology(BTreeMap<u32, Place>);

/// Place of a processor, as far as the kernel knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its core's number within the socket: processors of one core share its units.
    pub core: Option<u32>,
    /// Its socket.
    pub socket: Option<u32>,
    /// Its NUMA node.
    pub node: Option<u32>,
    /// Its kind of core: from 0, a faster kind has a higher number.
    pub efficiency_class: Option<u32>,
}

impl Topology {
    /// Reads `/sys/devices/system`.
    pub fn of(world: &World) -> Topology {
        let mut nodes = BTreeMap::new();
        for name in world.names("/sys/devices/system/node") {
            let Some(node) = name.strip_prefix("node").and_then(|number| number.parse().ok()) else {
                continue;
            };
            let list = world.text(&format!("/sys/devices/system/node/{name}/cpulist")).unwrap_or_default();
            nodes.extend(numbers_in(&list).into_iter().map(|cpu| (cpu, node)));
        }
        let classes = efficiency_classes(world);
        let mut places = BTreeMap::new();
        for name in world.names("/sys/devices/system/cpu") {
            let Some(cpu) = name.strip_prefix("cpu").and_then(|number| number.parse().ok()) else { continue };
            let folder = world.path(format!("/sys/devices/system/cpu/{name}/topology"));
            // The kernel has -1 if the firmware does not state it. That is not a processor number.
            let (core, socket) = (number(&folder, "core_id"), number(&folder, "physical_package_id"));
            places.insert(
                cpu,
                Place {
                    core,
                    socket,
                    node: nodes.get(&cpu).copied(),
                    efficiency_class: classes.get(&cpu).copied(),
                },
            );
        }
        Topology(places)
    }

    /// Place of a processor.
    pub fn place(&self, cpu: u32) -> Place {
        self.0.get(&cpu).copied().unwrap_or_default()
    }
}

/// The class of each processor: by its capacity relative to the fastest (`cpu_capacity`), or by the event sources
/// `cpu_atom` and `cpu_core` that Linux has on Intel's hybrid processors. Empty if the kernel has neither: then it does not
/// tell kinds of cores apart, and there may be several.
fn efficiency_classes(world: &World) -> BTreeMap<u32, u32> {
    let capacity = |name: &String| {
        let cpu = name.strip_prefix("cpu")?.parse::<u32>().ok()?;
        let folder = world.path(format!("/sys/devices/system/cpu/{name}"));
        Some((cpu, number::<u32>(&folder, "cpu_capacity")?))
    };
    let capacities: BTreeMap<u32, u32> =
        world.names("/sys/devices/system/cpu").iter().filter_map(capacity).collect();
    let mut kinds: Vec<u32> = capacities.values().copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    let class =
        |capacity: u32| (0..).zip(&kinds).find(|(_, kind)| **kind == capacity).map(|(class, _)| class);
    if !capacities.is_empty() {
        return capacities.into_iter().filter_map(|(cpu, capacity)| Some((cpu, class(capacity)?))).collect();
    }
    let mut classes = BTreeMap::new();
    for (class, kind) in (0..).zip(["cpu_atom", "cpu_core"]) {
        let list = world.text(&format!("/sys/devices/{kind}/cpus")).unwrap_or_default();
        classes.extend(numbers_in(&list).into_iter().map(|cpu| (cpu, class)));
    }
    classes
}

impl Processors {
    /// Looks; empty where the system has no such counters. Processors of Windows are numbered in the order of their nodes.
    pub fn look(world: &World) -> Processors {
        if performance::is_of_windows(world) {
            let sums = performance::processors(world).unwrap_or_default();
            return Processors((0..).zip(sums.iter().map(Times::of_windows)).collect());
        }
        let text = world.text("/proc/stat").unwrap_or_default();
        Processors(text.lines().filter_map(Times::parse).collect())
    }

    /// Times of each since an earlier look. A run's own times are not filled; shares are 0 where no time has passed.
    pub fn since(&self, earlier: &Processors, topology: &Topology) -> Cpu {
        let mut all = Times { steal: Some(0), ..Times::default() };
        let mut processors = Vec::new();
        for (cpu, new) in &self.0 {
            // One that came online in between has no beginning.
            let Some(old) = earlier.0.get(cpu) else { continue };
            let times = new.since(old);
            all = all.and(&times);
            let total = times.total().max(1) as f64;
            let place = topology.place(*cpu);
            processors.push(Processor {
                cpu: *cpu,
                core: place.core,
                socket: place.socket,
                node: place.node,
                efficiency_class: place.efficiency_class,
                user: times.user as f64 / total,
                system: times.system as f64 / total,
                idle: times.idle as f64 / total,
                steal: times.steal.unwrap_or(0) as f64 / total,
            });
        }
        let total = all.total();
        Cpu {
            online: u32::try_from(self.0.len()).unwrap_or(u32::MAX),
            steal: all.steal.filter(|_| total > 0).map(|steal| steal as f64 / total as f64),
            processors,
            ..Cpu::default()
        }
    }
}

impl Times {
    fn of_windows(sums: &ProcessorSums) -> Times {
        Times { user: sums.user, system: sums.system, idle: sums.idle, steal: None }
    }

    /// `cpu0 user nice system idle iowait irq softirq steal guest guest_nice`. Guests are in `user` already; kernels
    /// before 2.6.11 have fewer columns, which count as none.
    fn parse(line: &str) -> Option<(u32, Times)> {
        let (name, columns) = line.split_once(' ')?;
        let cpu = name.strip_prefix("cpu")?.parse().ok()?;
        let columns: Vec<u64> = columns.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let sum = |which: &[usize]| {
            which.iter().filter_map(|at| columns.get(*at)).fold(0, |a: u64, b| a.saturating_add(*b))
        };
        (columns.len() >= 4).then(|| {
            (
                cpu,
                Times {
                    user: sum(&[0, 1]),
                    system: sum(&[2, 5, 6]),
                    idle: sum(&[3, 4]),
                    steal: Some(sum(&[7])),
                },
            )
        })
    }

    /// The time of I/O waits may decrease slightly (proc_stat(5)). That counts as zero.
    fn since(&self, earlier: &Times) -> Times {
        Times {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            idle: self.idle.saturating_sub(earlier.idle),
            steal: self.steal.zip(earlier.steal).map(|(new, old)| new.saturating_sub(old)),
        }
    }

    fn and(&self, other: &Times) -> Times {
        Times {
            user: self.user.saturating_add(other.user),
            system: self.system.saturating_add(other.system),
            idle: self.idle.saturating_add(other.idle),
            steal: self.steal.zip(other.steal).map(|(one, other)| one.saturating_add(other)),
        }
    }

    fn total(&self) -> u64 {
        let steal = self.steal.unwrap_or(0);
        self.user.saturating_add(self.system).saturating_add(self.idle).saturating_add(steal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn look(tree: &Tree, text: &str) -> Processors {
        tree.file("/proc/stat", text);
        Processors::look(&tree.world())
    }

    #[test]
    fn shares_are_those_of_the_time_between_the_looks() {
        let tree = Tree::new();
        let before =
            look(&tree, "cpu  9 9 9 9\ncpu0 100 0 100 1000 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 5\n");
        // cpu0: user 20 + nice 5, system 10 + irq 2 + softirq 3, idle 50 + iowait 0, steal 10: 100 in all.
        let after = look(&tree, "cpu0 120 5 110 1050 0 2 3 10 7 7\ncpu1 0 0 0 70 30 0 0 0 0 0\n");
        let cpu = after.since(&before, &Topology::default());
        let first = &cpu.processors[0];
        assert_eq!((first.user, first.system, first.idle, first.steal), (0.25, 0.15, 0.5, 0.1));
        assert_eq!(cpu.processors[1].idle, 1.0);
        assert_eq!((cpu.online, cpu.steal), (2, Some(0.05)));
        assert_eq!((cpu.user_s, cpu.us_per_io), (None, None));
    }

    #[test]
    fn no_time_no_shares_and_nothing_for_a_processor_that_just_came() {
        let tree = Tree::new();
        let before = look(&tree, "cpu0 1 0 1 1\n");
        let after = look(&tree, "cpu0 1 0 1 1\ncpu1 5 5 5 5\n");
        let cpu = after.since(&before, &Topology::default());
        assert_eq!((cpu.online, cpu.steal, cpu.processors.len()), (2, None, 1));
        assert_eq!(cpu.processors[0].user, 0.0);
    }

    #[test]
    fn odd_lines_are_left_out() {
        let tree = Tree::new();
        for odd in ["", "cpu0", "cpu0 x", "cpux 1 2 3 4", "cpu0 1 2 3", "cpu 1 2 3 4"] {
            assert_eq!(look(&tree, odd), Processors::default(), "{odd}");
        }
        let full = u64::MAX;
        let huge = look(&tree, &format!("cpu0 {full} {full} {full} {full}\n"));
        assert_eq!(huge.since(&Processors::default(), &Topology::default()).processors.len(), 0);
    }

    #[test]
    fn a_processor_is_found_in_its_core_socket_and_node() {
        let tree = Tree::new();
        for (cpu, core, socket) in [(0, "0", "0"), (1, "1", "0"), (2, "0", "1"), (3, "-1", "-1")] {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            tree.file(&format!("{folder}/core_id"), core);
            tree.file(&format!("{folder}/physical_package_id"), socket);
        }
        tree.file("/sys/devices/system/cpu/cpufreq/boost", "1");
        tree.file("/sys/devices/system/node/node0/cpulist", "0-1\n");
        tree.file("/sys/devices/system/node/node1/cpulist", "2\n");
        tree.file("/sys/devices/system/node/online", "0-1\n");
        let topology = Topology::of(&tree.world());
        assert_eq!(
            topology.place(2),
            Place { core: Some(0), socket: Some(1), node: Some(1), ..Place::default() }
        );
        assert_eq!(
            topology.place(1),
            Place { core: Some(1), socket: Some(0), node: Some(0), ..Place::default() }
        );
        assert_eq!(topology.place(3), Place::default());
        assert_eq!(topology.place(64), Place::default());
    }

    #[test]
    fn kinds_of_cores_are_numbered_from_the_slowest() {
        let arm = Tree::new();
        for (cpu, capacity) in [(0, "1024\n"), (1, "446\n"), (2, "871\n"), (3, "446\n")] {
            arm.file(&format!("/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), capacity);
        }
        let class = |tree: &Tree, cpu| Topology::of(&tree.world()).place(cpu).efficiency_class;
        assert_eq!([0, 1, 2, 3].map(|cpu| class(&arm, cpu)), [Some(2), Some(0), Some(1), Some(0)]);
        let hybrid = Tree::new();
        for cpu in 0..4 {
            hybrid.file(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/core_id"), "0");
        }
        hybrid.file("/sys/devices/cpu_core/cpus", "0-1\n");
        hybrid.file("/sys/devices/cpu_atom/cpus", "2\n");
        assert_eq!([0, 2, 3].map(|cpu| class(&hybrid, cpu)), [Some(1), Some(0), None]);
    }

    #[test]
    fn this_machine_has_a_processor_whose_shares_sum_to_one() {
        let world = World::real();
        let cpu = Processors::look(&world).since(
            &Processors(BTreeMap::from([(0, Times { steal: Some(0), ..Times::default() })])),
            &Topology::of(&world),
        );
        assert!(cpu.online >= 1);
        for processor in cpu.processors {
            let sum = processor.user + processor.system + processor.idle + processor.steal;
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }
}
