//! Knowledge of builds that were simulated, and conclusions for builds that were not.

use iobound_catalog::{DiskType, VmLimit};

use crate::build::Build;
use crate::build::Volume;
use crate::local::LocalFit;
use crate::market::{HostCache, Vm};
use crate::offer::Fit;
use crate::pair::Pair;

/// Builds of one kind have the same latency where nothing queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    /// `None`: data and log are on local disks.
    data: Option<DiskType>,
    cached: bool,
    log: Option<DiskType>,
    /// True if reads and writes share the cached throughput; only where there is a cache.
    shared: Option<bool>,
    /// The VM size, where its local disks are used for temporary data beside bought ones.
    local_of: Option<usize>,
}

/// The limits that a build's I/Os pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strength {
    kind: Kind,
    vm: [u64; 7],
    volumes: [Option<Fit>; 2],
    local: [LocalFigures; 3],
}

/// Limits of local disks of a volume, of one and of all: IOPS and bytes of reads, then of writes.
type LocalFigures = [u64; 8];

/// Limits of so many local disks; without a limit of their own, no I/O waits for them.
fn local_figures(vm: &Vm, fit: LocalFit) -> LocalFigures {
    let local = &vm.local[fit.kind];
    let of =
        |count: u64| local.limits(count).map(|[read, write]| [read.ios, read.bytes, write.ios, write.bytes]);
    let [one, all] = [of(1), of(fit.count)].map(|of| of.unwrap_or([u64::MAX; 4]));
    [one[0], one[1], one[2], one[3], all[0], all[1], all[2], all[3]]
}

impl Strength {
    pub(crate) fn of(vm: &Vm, build: &Build) -> Strength {
        let bought = build.bought();
        let volumes = [bought.map(|bought| bought.data), bought.and_then(|bought| bought.log)];
        let has = |v2: bool| {
            let of = |disk: DiskType| (disk.kind().limit == VmLimit::UncachedV2 && vm.v2_apart) == v2;
            volumes.iter().flatten().any(|volume| of(volume.disk))
        };
        let figures = |limit: Option<Pair>| limit.map_or([0; 2], |limit| [limit.ios, limit.bytes]);
        let plain = if has(false) { figures(vm.plain) } else { [0; 2] };
        let v2 = if has(true) { figures(vm.v2) } else { [0; 2] };
        let own = |volume: Volume| vm.limit(volume.disk).filter(|_| !vm.kinds.is_empty());
        let [plain, v2] = match volumes[0].and_then(own) {
            None => [plain, v2],
            data => [figures(data), figures(volumes[1].and_then(own))],
        };
        // Disks of one kind pass the same limit on every VM, whichever of the two it is called.
        let [plain, v2] = if !vm.kinds.is_empty() || has(false) && has(true) {
            [plain, v2]
        } else {
            [plain.max(v2), [0; 2]]
        };
        let is_cached = bought.is_some_and(|bought| bought.data.cached);
        let mut passes = build.local().map(|(_, fit)| vm.local[fit.kind].shares_cache);
        let uses_cache = is_cached || passes.any(|shares| shares);
        let cache = vm.cache.filter(|_| uses_cache);
        let figures_of = |cache: HostCache| [cache.ios, cache.bytes[0], cache.bytes[1]];
        let cache = cache.map_or([0; 3], figures_of);
        let kind = Kind {
            data: bought.map(|bought| bought.data.disk),
            cached: is_cached,
            log: volumes[1].map(|log| log.disk),
            shared: vm.cache.filter(|_| uses_cache).map(|cache| cache.shared),
            local_of: build.temp.filter(|_| bought.is_some()).map(|_| build.vm),
        };
        let mut local = [[0; 8]; 3];
        for (place, (_, fit)) in build.local().enumerate() {
            local[place] = local_figures(vm, fit);
        }
        Strength {
            kind,
            vm: [plain[0], plain[1], v2[0], v2[1], cache[0], cache[1], cache[2]],
            volumes: volumes.map(|volume| volume.map(|volume| volume.fit)),
            local,
        }
    }

    /// True if every I/O waits at least as long as in another build: no limit is higher, and no disk is faster.
    fn is_at_most(&self, other: &Strength) -> bool {
        let volume = |[one, other]: [Option<Fit>; 2]| match (one, other) {
            (Some(one), Some(other)) => {
                let all = |fit: Fit| [fit.ios, fit.bytes, fit.ios * fit.count, fit.bytes * fit.count];
                all(one).iter().zip(all(other)).all(|(one, other)| *one <= other)
            }
            (None, None) => true,
            _ => false,
        };
        self.kind == other.kind
            && self.vm.iter().zip(other.vm).all(|(one, other)| *one <= other)
            && self
                .local
                .as_flattened()
                .iter()
                .zip(other.local.as_flattened())
                .all(|(one, other)| one <= other)
            && volume([self.volumes[0], other.volumes[0]])
            && volume([self.volumes[1], other.volumes[1]])
    }
}

/// Results of simulations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdicts {
    slow: Vec<Strength>,
    fast: Vec<Strength>,
    hopeless: Vec<Kind>,
    hopeful: Vec<Kind>,
    /// Kinds of which a build has failed.
    failing: Vec<Kind>,
}

impl Verdicts {
    /// Adds what was seen of a need that differs in its rate alone: at a lower rate what was too slow, at a higher rate what was fast
    /// enough.
    pub(crate) fn learn(&mut self, other: &Verdicts, is_lower: bool) {
        if is_lower {
            self.hopeless.extend(other.hopeless.iter().copied());
            self.failing.extend(other.failing.iter().copied());
            other.slow.iter().for_each(|build| self.slow(*build));
        } else {
            self.hopeful.extend(other.hopeful.iter().copied());
            other.fast.iter().for_each(|build| self.fast(*build));
        }
    }

    /// True if a build is known to be too slow: it is no stronger than one that was clearly too slow.
    pub(crate) fn is_slow(&self, build: &Strength) -> bool {
        self.is_of_a_slow_kind(build) || self.slow.iter().any(|slow| build.is_at_most(slow))
    }

    /// True if a build is of a kind that is too slow where nothing queues.
    pub(crate) fn is_of_a_slow_kind(&self, build: &Strength) -> bool {
        self.hopeless.contains(&build.kind)
    }

    /// True if a build is at least as strong as one that was fast enough.
    pub(crate) fn is_fast(&self, build: &Strength) -> bool {
        self.fast.iter().any(|fast| fast.is_at_most(build))
    }

    /// True if the kind of a build was looked at where nothing queues.
    pub(crate) fn knows_kind(&self, build: &Strength) -> bool {
        self.hopeless.contains(&build.kind) || self.hopeful.contains(&build.kind)
    }

    /// True if a build of the same kind has failed.
    pub(crate) fn has_failed(&self, build: &Strength) -> bool {
        self.failing.contains(&build.kind)
    }

    /// Notes that a build of a kind has failed.
    pub(crate) fn fails(&mut self, build: &Strength) {
        if !self.has_failed(build) {
            self.failing.push(build.kind);
        }
    }

    pub(crate) fn kind(&mut self, build: &Strength, is_hopeless: bool) {
        if is_hopeless { &mut self.hopeless } else { &mut self.hopeful }.push(build.kind);
    }

    pub(crate) fn slow(&mut self, build: Strength) {
        self.slow.retain(|slow| !slow.is_at_most(&build));
        self.slow.push(build);
    }

    pub(crate) fn fast(&mut self, build: Strength) {
        self.fast.retain(|fast| !build.is_at_most(fast));
        self.fast.push(build);
    }
}
