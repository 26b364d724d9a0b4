//! Changes of the stack by a command, where the catalogue has no part in it.

use iobound_model::{
    BadHost, Blueprint, CacheId, Change, Dimension, DiskId, Fault, LimiterId, LimiterSpec, VolumeSpec,
};
use iobound_units::{Bytes, Instant, Ppm, Problem, Span, TargetId};

use super::command::{Command, Selection, Trouble, wrong};

/// As much as is warmed at once: a millisecond or two, between which others are served.
const WARMED_AT_ONCE: u64 = 1 << 30;

impl Command {
    /// The changes of a stack of `blueprint` that carry out the command, at `now`. They may be made one by one, with
    /// requests served between them. `None` for a command that does not change a stack, or that needs another
    /// configuration.
    ///
    /// # Errors
    /// Returns an error if a name is unknown or has no such property.
    pub fn changes(&self, blueprint: &Blueprint, now: Instant) -> Result<Option<Vec<Change>>, Problem> {
        Ok(Some(match self {
            Command::Credits { of, fill } => credits(blueprint, of, *fill)?,
            Command::Warm { volume } => warm(blueprint, volume.as_deref())?,
            Command::DropCache if blueprint.caches.is_empty() => return Err(no_cache("the VM's disks")),
            Command::DropCache => {
                (0..blueprint.caches.len()).map(|n| Change::DropCache(CacheId(n as u16))).collect()
            }
            Command::Fault { of, fault } => {
                let fault = fault.map_or(Ok(Fault::NONE), |trouble| trouble.at(now))?;
                disks(blueprint, of)?.into_iter().map(|disk| Change::Fault(disk, fault)).collect()
            }
            Command::BadHost { slower } => {
                let host = slower
                    .map_or(BadHost::NONE, |(latency, lasts)| BadHost { latency, until: end(now, lasts) });
                vec![Change::Host(host)]
            }
            Command::Cache { .. }
            | Command::Tier { .. }
            | Command::AddDisk { .. }
            | Command::Crash
            | Command::State
            | Command::Stop => return Ok(None),
        }))
    }
}

impl Trouble {
    /// The fault that begins at `now`.
    fn at(&self, now: Instant) -> Result<Fault, Problem> {
        if let (Some(stall), Some(lasts)) = (self.stall, self.lasts)
            && stall > lasts
        {
            return Err(wrong(
                &format!("a stall of {stall} in a fault of {lasts}"),
                "a stall must end with its fault: make for= at least as long as stall=",
            ));
        }
        Ok(Fault {
            latency: self.latency,
            errors: Ppm(self.errors.ppm()),
            stalled_until: self.stall.map_or(Instant::ZERO, |stall| end(now, Some(stall))),
            until: end(now, self.lasts),
        })
    }
}

/// End of a fault that begins at `now`; never, if none is given.
fn end(now: Instant, lasts: Option<Span>) -> Instant {
    lasts.map_or(Instant::MAX, |lasts| Instant::from_ns(now.ns().saturating_add(lasts.ns())))
}

/// The disks that are meant: a name is a disk's, or a volume's with all its disks.
fn disks(blueprint: &Blueprint, of: &Selection) -> Result<Vec<DiskId>, Problem> {
    let all = || (0..blueprint.disks.len()).map(|n| DiskId(n as u16));
    let Selection::Named(name) = of else { return Ok(all().collect()) };
    if let Some(disk) = all().find(|id| blueprint.disks[usize::from(id.0)].name == *name) {
        return Ok(vec![disk]);
    }
    if let Some(volume) = blueprint.volume(name) {
        return Ok(blueprint.volumes[volume].disks.clone());
    }
    let known: Vec<&str> = blueprint.volumes.iter().map(|volume| volume.name.as_str()).collect();
    Err(wrong(
        &format!("there is no disk and no volume `{name}`"),
        &format!("there are {}", known.join(", ")),
    ))
}

fn credits(blueprint: &Blueprint, of: &Selection, fill: bool) -> Result<Vec<Change>, Problem> {
    let limiters =
        || blueprint.limiters.iter().enumerate().map(|(n, limiter)| (LimiterId(n as u16), limiter));
    let bursts = |limiter: &LimiterSpec| Dimension::ALL.iter().any(|of| limiter.credit(*of).is_some());
    let named: Vec<_> = match of {
        Selection::All => limiters().collect(),
        Selection::Named(name) => match limiters().find(|(_, limiter)| limiter.name.to_string() == *name) {
            Some(limiter) => vec![limiter],
            None => {
                let disks = disks(blueprint, of).map_err(|refused| Problem {
                    what: format!("there is no disk, no volume and no limiter `{name}`"),
                    help: refused.help,
                })?;
                let names = disks.iter().map(|id| blueprint.disks[usize::from(id.0)].name.as_str());
                let names: Vec<&str> = names.collect();
                limiters().filter(|(_, limiter)| names.iter().any(|name| is_of_disk(limiter, name))).collect()
            }
        },
    };
    let mut changes = Vec::new();
    for (id, limiter) in named {
        for of in Dimension::ALL {
            if let Some(credit) = limiter.credit(of) {
                changes.push(Change::Credits(id, of, if fill { credit.capacity } else { 0 }));
            }
        }
    }
    if changes.is_empty() {
        let known: Vec<String> = limiters()
            .filter(|(_, limiter)| bursts(limiter))
            .map(|(_, limiter)| limiter.name.to_string())
            .collect();
        let help = match known.is_empty() {
            true => "no part of this configuration has burst credits; a VM size such as D8s_v3 or a disk such as P20 does"
                .to_string(),
            false => format!("these do: {}", known.join(", ")),
        };
        return Err(wrong("none of these limiters has credits", &help));
    }
    Ok(changes)
}

/// True if a limiter is a disk's own: `disk:data.0`, or one of `disk:temp.read` and `disk:temp.write`.
fn is_of_disk(limiter: &LimiterSpec, disk: &str) -> bool {
    let rest = limiter.name.instance.as_deref().and_then(|instance| instance.strip_prefix(disk));
    matches!(rest, Some("" | ".read" | ".write"))
}

fn warm(blueprint: &Blueprint, volume: Option<&str>) -> Result<Vec<Change>, Problem> {
    let volumes: Vec<usize> = match volume {
        Some(name) => vec![blueprint.volume(name).ok_or_else(|| {
            let known: Vec<&str> = blueprint.volumes.iter().map(|volume| volume.name.as_str()).collect();
            wrong(&format!("there is no volume `{name}`"), &format!("there are {}", known.join(", ")))
        })?],
        None => apart(blueprint),
    };
    // Volumes that share a cache have a part of it each, in proportion to their size.
    let sizes = volumes.iter().map(|n| cached(blueprint, &blueprint.volumes[*n]));
    let whole: u128 = sizes.map(|size| u128::from(size.get())).sum();
    let room: u128 = blueprint.caches.iter().map(|cache| u128::from(cache.capacity.get())).sum();
    if whole == 0 {
        return Err(no_cache(volume.unwrap_or("the VM's disks")));
    }
    let mut changes = Vec::new();
    for n in volumes {
        let spec = &blueprint.volumes[n];
        if cached(blueprint, spec) == Bytes::ZERO {
            continue;
        }
        let len = (u128::from(spec.size.get()) * room.min(whole) / whole) as u64;
        let parts = (0..len).step_by(WARMED_AT_ONCE as usize);
        changes.extend(parts.map(|at| Change::Warm(TargetId(n as u16), at, WARMED_AT_ONCE.min(len - at))));
    }
    Ok(changes)
}

/// Volumes that cover each disk once: not those of single disks that belong to another.
fn apart(blueprint: &Blueprint) -> Vec<usize> {
    let mut covered: Vec<DiskId> = Vec::new();
    let mut volumes = Vec::new();
    for (n, volume) in blueprint.volumes.iter().enumerate() {
        if volume.disks.iter().any(|disk| !covered.contains(disk)) {
            covered.extend(&volume.disks);
            volumes.push(n);
        }
    }
    volumes
}

/// The bytes of a volume's disks that have a host cache.
fn cached(blueprint: &Blueprint, volume: &VolumeSpec) -> Bytes {
    let disks = volume.disks.iter().map(|id| &blueprint.disks[usize::from(id.0)]);
    Bytes(disks.filter(|disk| disk.cache.is_some()).map(|disk| disk.size.get()).sum())
}

fn no_cache(what: &str) -> Problem {
    wrong(&format!("{what}: without a host cache"), "give them one: cache data readonly")
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_model::{
        Algorithm, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits, DiskSpec, Latency, Limit,
        LimiterName, Routes, Stack, Start, StartCredits,
    };

    const CREDIT: Credit = Credit { burst: 3_500, capacity: 5_400 };

    fn limiter(name: LimiterName, credits: bool) -> LimiterSpec {
        LimiterSpec {
            name,
            ios: Some(Limit::published(500)),
            bytes: None,
            charge: Charge::Each,
            algorithm: Algorithm::Slice { length: Span::from_ms(50) },
            factor: Ppm::ONE,
            credits: credits.then_some(Credits { ios: Some(CREDIT), bytes: None }),
        }
    }

    fn disk(name: &str, own: u16, is_cached: bool) -> DiskSpec {
        let latency = Latency::constant(Span::from_ms(2));
        let route = vec![LimiterId(0), LimiterId(own)];
        DiskSpec {
            routes: Routes { read: route.clone(), write: route, ..Routes::default() },
            cache: is_cached.then_some(CacheUse { cache: CacheId(0), mode: CacheMode::ReadOnly }),
            ..DiskSpec::plain(name, Bytes::gib(8), latency)
        }
    }

    fn volume(name: &str, disks: &[u16]) -> VolumeSpec {
        VolumeSpec::striped(name, disks.iter().copied(), Bytes::gib(8))
    }

    /// Two cached disks that burst, one that does neither, 4 GiB of cache, and every disk an export.
    fn vm() -> Blueprint {
        let hit = Latency::constant(Span::from_us(60));
        let own = |disk: &str, credits| limiter(LimiterName::of("disk", disk), credits);
        Blueprint {
            limiters: vec![
                limiter(LimiterName::only("vm.uncached"), true),
                own("data.0", true),
                own("data.1", true),
                own("log", false),
            ],
            caches: vec![CacheSpec {
                capacity: Bytes::gib(4),
                line: Bytes::kib(64),
                hit,
                ack: hit,
                dirty_high: Bytes::gib(1),
                dirty_low: Bytes::mib(512),
            }],
            disks: vec![disk("data.0", 1, true), disk("data.1", 2, true), disk("log", 3, false)],
            volumes: vec![
                volume("data", &[0, 1]),
                volume("log", &[2]),
                volume("data.0", &[0]),
                volume("data.1", &[1]),
            ],
        }
    }

    const NOW: Instant = Instant::from_ns(7_000_000_000);

    fn asked(line: &str, of: &Blueprint) -> Result<Vec<Change>, Problem> {
        let command = Command::parse(&line.split_whitespace().collect::<Vec<_>>()).expect("a command");
        Ok(command.changes(of, NOW)?.expect("a change of the stack"))
    }

    /// The changes, each of which a stack takes.
    fn taken(line: &str) -> Vec<Change> {
        let start = Start { seed: 1, credits: StartCredits::Full };
        let mut stack = Stack::new(&vm(), &start, 1).expect("sound");
        let changes = asked(line, &vm()).unwrap_or_else(|refused| panic!("{line}: {refused}"));
        for change in &changes {
            stack.change(NOW, change.clone()).unwrap_or_else(|why| panic!("{line}: {why}"));
        }
        changes
    }

    fn faults(line: &str) -> Vec<(u16, Fault)> {
        let fault = |change: Change| match change {
            Change::Fault(disk, fault) => (disk.0, fault),
            other => panic!("{other:?}"),
        };
        taken(line).into_iter().map(fault).collect()
    }

    #[test]
    fn a_fault_begins_now_and_lasts_for_its_time_on_the_disks_that_are_meant() {
        let in_30_s = NOW + Span::from_secs(30);
        let slow = Fault { latency: Ppm(5_000_000), until: in_30_s, ..Fault::NONE };
        assert_eq!(faults("fault data.1 latency=5x for=30s"), [(1, slow)]);
        assert_eq!(faults("fault data latency=5x for=30s"), [(0, slow), (1, slow)]);
        assert_eq!(faults("fault all latency=5x for=30s").len(), 3);
        let failing = Fault { errors: Ppm(10_000), ..Fault::NONE };
        assert_eq!(faults("fault log errors=1%"), [(2, failing)]);
        let stalled = Fault { stalled_until: NOW + Span::from_secs(10), until: in_30_s, ..Fault::NONE };
        assert_eq!(faults("fault log stall=10s for=30s"), [(2, stalled)]);
        assert_eq!(faults("fault log off"), [(2, Fault::NONE)]);
    }

    #[test]
    fn a_bad_host_is_so_for_the_whole_vm() {
        let host = |line: &str| match taken(line)[..] {
            [Change::Host(host)] => host,
            ref other => panic!("{other:?}"),
        };
        let latency = Ppm(5_000_000);
        assert_eq!(host("bad-host 5x"), BadHost { latency, until: Instant::MAX });
        assert_eq!(host("bad-host 5x for=30s"), BadHost { latency, until: NOW + Span::from_secs(30) });
        assert_eq!(host("bad-host off"), BadHost::NONE);
    }

    #[test]
    fn credits_are_those_of_a_disk_of_a_volume_of_a_limiter_or_all() {
        let given = |line: &str| -> Vec<(u16, u64)> {
            let credits = |change: Change| match change {
                Change::Credits(limiter, Dimension::Ios, credits) => (limiter.0, credits),
                other => panic!("{other:?}"),
            };
            taken(line).into_iter().map(credits).collect()
        };
        assert_eq!(given("credits data.1 fill"), [(2, 5_400)]);
        assert_eq!(given("credits data drain"), [(1, 0), (2, 0)]);
        assert_eq!(given("credits vm.uncached drain"), [(0, 0)]);
        assert_eq!(given("credits disk:data.0 fill"), [(1, 5_400)]);
        assert_eq!(given("credits all fill"), [(0, 5_400), (1, 5_400), (2, 5_400)]);
    }

    #[test]
    fn what_is_warmed_is_as_much_as_the_caches_hold_of_what_has_one() {
        let warmed = |line: &str| {
            let mut parts: Vec<(u16, u64, u64)> = Vec::new();
            for change in taken(line) {
                let Change::Warm(volume, at, len) = change else { panic!("{change:?}") };
                match parts.last_mut().filter(|(of, from, so_far)| *of == volume.0 && from + *so_far == at) {
                    Some((.., so_far)) => *so_far += len,
                    None => parts.push((volume.0, at, len)),
                }
            }
            parts
        };
        // 4 GiB of cache: of 16 GiB, of 8, and of all that is cached once.
        assert_eq!(warmed("warm data"), [(0, 0, 4 << 30)]);
        assert_eq!(warmed("warm data.1"), [(3, 0, 4 << 30)]);
        assert_eq!(warmed("warm"), [(0, 0, 4 << 30)]);
        assert!(matches!(taken("drop-cache")[..], [Change::DropCache(CacheId(0))]));
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let mut bare = vm();
        bare.caches.clear();
        for limiter in &mut bare.limiters {
            limiter.credits = None;
        }
        bare.disks.iter_mut().for_each(|disk| disk.cache = None);
        for (line, of, what, help) in [
            ("fault nosuch errors=1%", vm(), "no disk and no volume `nosuch`", "data, log, data.0, data.1"),
            ("fault log stall=10s for=5s", vm(), "a stall of 10 s in a fault of 5 s", "for="),
            ("credits nosuch fill", vm(), "no limiter `nosuch`", "data.0"),
            (
                "credits log fill",
                vm(),
                "none of these limiters has credits",
                "vm.uncached, disk:data.0, disk:data.1",
            ),
            ("credits all fill", bare.clone(), "none of these limiters has credits", "has burst credits"),
            ("warm nosuch", vm(), "no volume `nosuch`", "data, log"),
            ("warm log", vm(), "log: without a host cache", "cache data readonly"),
            ("warm", bare.clone(), "without a host cache", "cache data readonly"),
            ("drop-cache", bare, "without a host cache", "cache data readonly"),
        ] {
            let refused = asked(line, &of).expect_err(line);
            assert!(refused.what.contains(what) && refused.help.contains(help), "{line}: {refused:?}");
        }
    }

    #[test]
    fn what_needs_another_configuration_or_none_is_no_change_of_the_stack() {
        for line in ["cache data none", "tier data P40", "add-disk log=2xP20", "crash", "state", "stop"] {
            let command = Command::parse(&line.split_whitespace().collect::<Vec<_>>()).expect("a command");
            assert!(command.changes(&vm(), NOW).expect("no error").is_none(), "{line}");
        }
    }
}
