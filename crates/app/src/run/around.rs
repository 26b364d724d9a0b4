//! The machine around a run: its devices, counters and processors, looked at when counting starts and when it ends.

use iobound_load::run::Outcome;
use iobound_machine::block::{Device, facts};
use iobound_machine::counters::{Counters, to_count};
use iobound_machine::cpu::{Processors, Topology};
use iobound_machine::pressure::{Resource, pressure};
use iobound_machine::{SystemClock, World};
use iobound_measure::result::{Cpu, DeviceCounters, DeviceFacts};
use iobound_units::Percent;

use super::how::MostPressure;

/// Looks at the machine before, at both ends of the counted time, and after.
pub(crate) struct Around<'a> {
    world: &'a World,
    devices: &'a [(Device, Vec<String>)],
    clock: SystemClock,
    start: Look,
    end: Option<Look>,
}

struct Look {
    counters: Option<Counters>,
    processors: Processors,
}

impl<'a> Around<'a> {
    /// The first look: counts from here unless there is a warm-up.
    pub(crate) fn new(world: &'a World, devices: &'a [(Device, Vec<String>)]) -> Around<'a> {
        let mut clock = SystemClock::default();
        let start = Look::now(world, &mut clock);
        Around { world, devices, clock, start, end: None }
    }

    /// Counting starts now.
    pub(crate) fn starts(&mut self) {
        self.start = Look::now(self.world, &mut self.clock);
    }

    /// Counting has ended, or the run has.
    pub(crate) fn ends(&mut self) {
        if self.end.is_none() {
            self.end = Some(Look::now(self.world, &mut self.clock));
        }
    }

    /// Known facts about the devices, with what the kernel counted on each, and of all together.
    pub(crate) fn devices(&self) -> (Vec<DeviceFacts>, Option<DeviceCounters>) {
        self.devices_until(self.end.as_ref())
    }

    /// The devices with what the kernel has counted on each up to now.
    pub(crate) fn devices_so_far(&mut self) -> Vec<DeviceFacts> {
        let now = Look::now(self.world, &mut self.clock);
        self.devices_until(Some(&now)).0
    }

    fn devices_until(&self, end: Option<&Look>) -> (Vec<DeviceFacts>, Option<DeviceCounters>) {
        let counters = |device: &Device| {
            let end = end?.counters.as_ref()?;
            end.since(self.start.counters.as_ref()?, device.number())
        };
        let known = self.devices.iter().map(|(device, targets)| DeviceFacts {
            targets: targets.clone(),
            counters: counters(device),
            ..facts(self.world, device)
        });
        let bare: Vec<Device> = self.devices.iter().map(|(device, _)| device.clone()).collect();
        let counted: Option<Vec<DeviceCounters>> = to_count(&bare).iter().map(counters).collect();
        let all = counted.filter(|counted| !counted.is_empty()).map(|counted| sum(&counted));
        (known.collect(), all)
    }

    /// Processor time: of the run's threads over all of it, of the machine over the counted time.
    pub(crate) fn cpu(&self, outcome: &Outcome) -> Cpu {
        let topology = Topology::of(self.world);
        let seen = self.end.as_ref().map(|end| end.processors.since(&self.start.processors, &topology));
        let (usage, ios) = (outcome.usage(), outcome.ios());
        let (user, system) = (usage.user.secs_f64(), usage.system.secs_f64());
        Cpu {
            user_s: Some(user),
            system_s: Some(system),
            us_per_io: (ios > 0).then(|| (user + system) * 1e6 / ios as f64),
            ..seen.unwrap_or_default()
        }
    }
}

impl Look {
    fn now(world: &World, clock: &mut SystemClock) -> Look {
        Look { counters: Counters::look(world, clock.now_of_run()), processors: Processors::look(world) }
    }
}

fn sum(all: &[DeviceCounters]) -> DeviceCounters {
    let mut total = DeviceCounters { seconds: all[0].seconds, ..DeviceCounters::default() };
    for one in all {
        total.reads += one.reads;
        total.reads_merged += one.reads_merged;
        total.read_bytes += one.read_bytes;
        total.writes += one.writes;
        total.writes_merged += one.writes_merged;
        total.written_bytes += one.written_bytes;
        total.flushes += one.flushes;
        total.discards += one.discards;
        total.queue += one.queue;
        total.busy = total.busy.max(one.busy);
    }
    total
}

/// Exceeded pressure limits, in words.
pub(crate) fn too_much_pressure(world: &World, most: &MostPressure) -> Option<String> {
    let bounds = [(Resource::Memory, most.memory), (Resource::Cpu, most.cpu), (Resource::Io, most.io)];
    bounds.into_iter().find_map(|(resource, bound): (Resource, Option<Percent>)| {
        let bound = bound?.fraction();
        let found = pressure(world, resource)?.some.of_ten_seconds;
        (found > bound).then(|| {
            format!(
                "tasks waited for {resource} for {:.0} % of the last ten seconds, and {:.0} % were allowed \
                 (--max-pressure)",
                found * 100.0,
                bound * 100.0
            )
        })
    })
}
