//! This machine, as the forms of other tools show it.

use iobound_formats::RanMachine;
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_workload::shell_line;

use crate::Env;

/// Machine facts of this process for the output formats.
pub(crate) fn this_machine(env: &Env) -> RanMachine {
    let kernel = Kernel::of(&World::real());
    let words = env.of_process().command();
    let host = kernel.host.or_else(|| env.variable("COMPUTERNAME")?.to_str().map(str::to_string));
    let system = kernel.name.unwrap_or_else(|| std::env::consts::OS.to_string());
    RanMachine {
        host: host.unwrap_or_default(),
        system: [Some(system), kernel.release].into_iter().flatten().collect::<Vec<_>>().join(" "),
        command: shell_line(words.iter().map(String::as_str)),
        version: env!("CARGO_PKG_VERSION").into(),
        ..RanMachine::default()
    }
}
