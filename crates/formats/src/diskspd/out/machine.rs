//! The machine: its topology and the use of its processors.

use std::collections::BTreeSet;
use std::fmt::Display;

use iobound_measure::result::{Cpu, Processor};

use super::page::{Markup, Page};
use crate::RanMachine;
use crate::date;

/// Machine facts from the processors. A fact that one of them lacks is unknown.
///
/// Linux has no processor groups, which Windows has to number more than 64 processors: all are in group 0.
pub(super) struct Topology {
    /// Sockets, NUMA nodes and cores: how many.
    pub sockets: Option<usize>,
    pub nodes: Option<usize>,
    pub cores: Option<usize>,
    /// The fastest class of cores; `None` where a processor's class is not known.
    pub fastest: Option<u32>,
    /// True if a core has several processors.
    pub threaded: bool,
}

impl Topology {
    pub(super) fn of(processors: &[Processor]) -> Topology {
        let count = |known: Option<BTreeSet<(u32, u32)>>| known.map(|all| all.len()).filter(|n| *n > 0);
        let cores = count(processors.iter().map(core).collect());
        Topology {
            sockets: count(processors.iter().map(|p| p.socket.map(|socket| (socket, 0))).collect()),
            nodes: count(processors.iter().map(|p| p.node.map(|node| (node, 0))).collect()),
            cores,
            fastest: processors
                .iter()
                .map(|p| p.efficiency_class)
                .collect::<Option<Vec<u32>>>()
                .and_then(|classes| classes.into_iter().max()),
            threaded: cores.is_some_and(|cores| cores < processors.len()),
        }
    }
}

/// Socket and core: cores are numbered within their socket.
fn core(processor: &Processor) -> Option<(u32, u32)> {
    processor.core.map(|core| (processor.socket.unwrap_or(0), core))
}

/// The power scheme, in DiskSpd's words for one that it can't read: Linux has none.
const POWER_SCHEME: &str = "<unknown>";

/// `System information:`. Kinds of cores are left out where the kernel does not tell them.
pub(super) fn system(page: &mut Page, machine: &RanMachine) {
    let topology = Topology::of(&machine.cpu.processors);
    page.line(format_args!("System information:\n"));
    page.line(format_args!("\tcomputer name: {}", machine.host));
    page.line(format_args!("\tstart time: {}\n", date::diskspd(machine.began_unix_ms)));
    page.line(format_args!("\tcpu count:\t\t{}", machine.cpu.online));
    if let Some(cores) = topology.cores {
        page.line(format_args!("\tcore count:\t\t{cores}"));
    }
    page.line(format_args!("\tgroup count:\t\t1"));
    if let Some(nodes) = topology.nodes {
        page.line(format_args!("\tnode count:\t\t{nodes}"));
    }
    if let Some(sockets) = topology.sockets {
        page.line(format_args!("\tsocket count:\t\t{sockets}"));
    }
    if let Some(fastest) = topology.fastest {
        page.line(format_args!("\theterogeneous cores:\t{}", if fastest > 0 { 'y' } else { 'n' }));
    }
    page.line(format_args!("\n\tactive power scheme:\t{POWER_SCHEME}"));
}

/// The table of processors: columns for socket, node, core and class where there are several to tell apart. A `P` marks the
/// fastest class.
pub(super) fn cpu_table(page: &mut Page, cpu: &Cpu) {
    let topology = Topology::of(&cpu.processors);
    let several = |count: Option<usize>| count.is_some_and(|count| count > 1);
    type Number = fn(&Processor) -> Option<u32>;
    let columns: [(bool, &str, usize, Number); 4] = [
        (several(topology.sockets), "Socket", 7, |p| p.socket),
        (several(topology.nodes), "Node", 5, |p| p.node),
        (topology.threaded, "Core", 5, |p| p.core),
        (topology.fastest > Some(0), "Class", 6, |p| p.efficiency_class),
    ];
    let shown: Vec<_> = columns.iter().filter(|column| column.0).collect();
    let before: usize = shown.iter().map(|column| column.2 + 2).sum();
    let names: String = shown.iter().map(|column| format!("{} | ", column.1)).collect();
    let border = "-".repeat(before + 40);
    page.line(format_args!("\n{names}CPU |  Usage |  User  | Kernel |  Idle\n{border}"));
    for processor in &cpu.processors {
        for (_, name, width, number) in &shown {
            let number = number(processor).expect("a column is shown where every processor knows it");
            let cell = match *name {
                "Class" => format!("{number}{}", if Some(number) == topology.fastest { 'P' } else { ' ' }),
                _ => number.to_string(),
            };
            page.put(format_args!("{cell:>width$}| "));
        }
        page.line(format_args!("{:>4}| {}", processor.cpu, ProcessorTime::of(processor)));
    }
    page.line(format_args!("{border}"));
    if let Some(mean) = ProcessorTime::mean(&cpu.processors) {
        page.line(format_args!("{:before$}avg.| {mean}", ""));
    }
}

/// Percent of a processor's time. What the hypervisor took is in none of them.
#[derive(Clone, Copy)]
struct ProcessorTime {
    user: f64,
    kernel: f64,
    idle: f64,
}

impl ProcessorTime {
    fn of(processor: &Processor) -> ProcessorTime {
        ProcessorTime {
            user: processor.user * 1e2,
            kernel: processor.system * 1e2,
            idle: processor.idle * 1e2,
        }
    }

    fn mean(processors: &[Processor]) -> Option<ProcessorTime> {
        let n = processors.len() as f64;
        let mean = |part: fn(&ProcessorTime) -> f64| {
            processors.iter().map(|processor| part(&ProcessorTime::of(processor))).sum::<f64>() / n
        };
        (!processors.is_empty()).then(|| ProcessorTime {
            user: mean(|usage| usage.user),
            kernel: mean(|usage| usage.kernel),
            idle: mean(|usage| usage.idle),
        })
    }

    fn used(self) -> f64 {
        self.user + self.kernel
    }

    fn elements(self, markup: &mut Markup) {
        let percent = [
            ("UsagePercent", self.used()),
            ("UserPercent", self.user),
            ("KernelPercent", self.kernel),
            ("IdlePercent", self.idle),
        ];
        for (name, value) in percent {
            markup.leaf(name, format_args!("{value:.2}"));
        }
    }
}

impl Display for ProcessorTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ProcessorTime { user, kernel, idle } = *self;
        write!(f, "{:>6.2}%| {user:>6.2}%| {kernel:>6.2}%| {idle:>6.2}%", self.used())
    }
}

/// The `System` element.
pub(super) fn system_element(markup: &mut Markup, machine: &RanMachine) {
    markup.open("System", &[]);
    markup.leaf("ComputerName", &machine.host);
    markup.open("Tool", &[]);
    markup.leaf("Version", format_args!("{} (iobound {})", super::FORM, machine.version));
    markup.leaf("VersionDate", super::FORM_DATE);
    markup.close("Tool");
    markup.leaf("RunTime", date::diskspd(machine.began_unix_ms));
    markup.empty("PowerScheme", &[("Name", &POWER_SCHEME), ("Guid", &"")]);
    topology_element(markup, &machine.cpu);
    markup.close("System");
}

fn topology_element(markup: &mut Markup, cpu: &Cpu) {
    match Topology::of(&cpu.processors).fastest {
        Some(fastest) => markup.open("ProcessorTopology", &[("Heterogeneous", &(fastest > 0))]),
        None => markup.open("ProcessorTopology", &[]),
    }
    let all = mask(cpu.processors.iter());
    let active = cpu.processors.len();
    markup.empty(
        "Group",
        &[
            ("Group", &0),
            ("MaximumProcessors", &cpu.online),
            ("ActiveProcessors", &active),
            ("ActiveProcessorMask", &all),
        ],
    );
    type Number = fn(&Processor) -> Option<u32>;
    for (name, number) in [("Node", (|p| p.node) as Number), ("Socket", |p| p.socket)] {
        let numbers: BTreeSet<u32> = cpu.processors.iter().filter_map(number).collect();
        for wanted in numbers {
            let inside = mask(cpu.processors.iter().filter(|p| number(p) == Some(wanted)));
            markup.open(name, &[(name, &wanted)]);
            markup.empty("Group", &[("Group", &0), ("Mask", &inside)]);
            markup.close(name);
        }
    }
    let cores: BTreeSet<(u32, u32)> = cpu.processors.iter().filter_map(core).collect();
    for wanted in cores {
        let own = || cpu.processors.iter().filter(|p| core(p) == Some(wanted));
        let inside = mask(own());
        let place: [(&str, &dyn Display); 3] = [("Group", &0), ("Core", &wanted.1), ("Mask", &inside)];
        match own().find_map(|processor| processor.efficiency_class) {
            Some(class) => markup.empty("Core", &[&place[..], &[("EfficiencyClass", &class)]].concat()),
            None => markup.empty("Core", &place),
        }
    }
    markup.close("ProcessorTopology");
}

/// A bit for each processor, as a hexadecimal number of any length.
fn mask<'a>(processors: impl Iterator<Item = &'a Processor>) -> String {
    let mut digits: Vec<u32> = vec![0];
    for processor in processors {
        // No machine has more; a number beyond would only make a long text.
        let Some(digit) = usize::try_from(processor.cpu / 4).ok().filter(|digit| *digit < 4096) else {
            continue;
        };
        digits.resize(digits.len().max(digit + 1), 0);
        digits[digit] |= 1 << (processor.cpu % 4);
    }
    let text: String = digits.iter().rev().filter_map(|digit| char::from_digit(*digit, 16)).collect();
    format!("0x{text}")
}

/// The `CpuUtilization` element.
pub(super) fn cpu_element(markup: &mut Markup, cpu: &Cpu) {
    markup.open("CpuUtilization", &[]);
    for processor in &cpu.processors {
        markup.open("CPU", &[]);
        let known = [
            ("Socket", processor.socket),
            ("Node", processor.node),
            ("Group", Some(0)),
            ("Core", processor.core),
            ("EfficiencyClass", processor.efficiency_class),
            ("Id", Some(processor.cpu)),
        ];
        for (name, number) in known {
            if let Some(number) = number {
                markup.leaf(name, number);
            }
        }
        ProcessorTime::of(processor).elements(markup);
        markup.close("CPU");
    }
    if let Some(mean) = ProcessorTime::mean(&cpu.processors) {
        markup.open("Average", &[]);
        mean.elements(markup);
        markup.close("Average");
    }
    markup.close("CpuUtilization");
}
