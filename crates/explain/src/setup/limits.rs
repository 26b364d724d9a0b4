use iobound_catalog::{Limits, Resolved, VmSize};
use iobound_model::Dimension;

/// A limit of a configuration, all limiters of one kind together.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupLimit {
    /// `disk.iops`, `vm.uncached.throughput`.
    pub name: String,
    /// The one of the VM's limits of that name it is, where there are two: `v2-ultra` for Premium SSD v2 and Ultra Disks.
    pub of: Option<String>,
    /// Its unit of count.
    pub dimension: Dimension,
    /// Number of limiters.
    pub count: usize,
    /// Published, a second, of all of them.
    pub published: f64,
    /// The enforced limit; `None`: which factor holds is not known without a disk.
    pub enforced: Option<f64>,
    /// Burst limit with credits.
    pub burst: Option<f64>,
}

/// Every limit of a configuration, in the order of its limiters.
pub fn limits(resolved: &Resolved) -> Vec<SetupLimit> {
    let mut found: Vec<SetupLimit> = Vec::new();
    for limiter in &resolved.blueprint.limiters {
        // Several limits of a VM hold for other disks each: their sum is nobody's.
        let of = limiter.name.instance.clone().filter(|_| limiter.name.group.starts_with("vm."));
        for dimension in Dimension::ALL {
            let Some(limit) = limiter.limit(dimension) else { continue };
            let name = format!("{}.{}", limiter.name.group, dimension.name());
            let published = limit.published as f64;
            let enforced = limit.enforced_micro(limiter.factor) as f64 / 1e6;
            let burst = limiter.credit(dimension).map(|credit| credit.burst as f64);
            match found.iter_mut().find(|limit| limit.name == name && limit.of == of) {
                Some(sum) => {
                    sum.count += 1;
                    // Of several of which one bursts, the others stay at what they have.
                    sum.burst = match (sum.burst, burst) {
                        (None, None) => None,
                        (before, burst) => Some(before.unwrap_or(sum.published) + burst.unwrap_or(published)),
                    };
                    sum.published += published;
                    sum.enforced = sum.enforced.map(|sum| sum + enforced);
                }
                None => found.push(SetupLimit {
                    name,
                    of: of.clone(),
                    dimension,
                    count: 1,
                    published,
                    enforced: Some(enforced),
                    burst,
                }),
            }
        }
    }
    found
}

/// Published figures of a VM alone, where nothing is known of its disks.
pub fn limits_of_vm(vm: &VmSize) -> Vec<SetupLimit> {
    let mut found = Vec::new();
    let mut add = |group: &str, limits: Limits, burst: Limits| {
        for (dimension, published, burst) in
            [(Dimension::Ios, limits.ios, burst.ios), (Dimension::Bytes, limits.bytes, burst.bytes)]
        {
            found.extend(published.map(|published| SetupLimit {
                name: format!("{group}.{}", dimension.name()),
                of: None,
                dimension,
                count: 1,
                published: published as f64,
                enforced: None,
                burst: burst.filter(|burst| *burst > published).map(|burst| burst as f64),
            }));
        }
    };
    add(vm.cloud.rules().remote_limiter, vm.uncached, vm.uncached_burst);
    add("vm.cached", vm.cached, vm.cached_burst);
    found
}
