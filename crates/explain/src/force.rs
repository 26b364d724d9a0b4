//! Figures of a limit with burst credits that are in force: by the load's age, by the cloud's metrics, and by what was
//! observed. A rate above the figure without credits proves that credits are left.

use crate::case::Case;
use crate::observed::CreditsUsed;
use crate::thresholds as of;
use crate::usage::Usage;

impl CreditsUsed {
    /// Share of the credits of a limit that was used; `None` if no source says it.
    pub(crate) fn of(self, group: &str) -> Option<f64> {
        if group == "disk" { self.disk } else { self.vm }
    }
}

impl Case<'_> {
    /// True if credits lift a limit, and by enough to matter.
    pub(crate) fn has_burst(usage: &Usage) -> bool {
        usage.burst.is_some_and(|(rate, _)| rate > of::BURST * usage.published)
    }

    /// True if the given balance says that credits of a limit are left.
    pub fn are_credits_left(&self, usage: &Usage) -> bool {
        Case::has_burst(usage)
            && self.observed.credits_used.of(&usage.group).is_some_and(|used| used < of::SPENT)
    }

    /// True if more passes a limit for certain than it lets through without credits, and credits explain it.
    pub fn is_lifted(&self, usage: &Usage) -> bool {
        Case::has_burst(usage)
            && !self.has_spent_credits(usage)
            && self.excess(usage).is_none()
            && usage.used_low > self.steady_most(usage)
    }

    /// True if credits are left at some limit, by a balance or by the observed rate.
    pub(crate) fn shows_credits(&self) -> bool {
        self.usages.iter().any(|usage| self.are_credits_left(usage) || self.is_lifted(usage))
    }

    /// The limit that is exceeded most while its credits last, as far as the figures show it.
    pub(crate) fn lifted(&self) -> Option<&Usage> {
        let lifted = self.usages.iter().filter(|usage| self.is_lifted(usage));
        lifted.max_by(|one, other| one.share().total_cmp(&other.share()))
    }

    /// True if what passes is the figure without credits, whether or not it is in force.
    pub(crate) fn is_at_base(&self, usage: &Usage) -> bool {
        self.is_certain(usage) && (of::FULL..=of::SHORT_RUN).contains(&self.share(usage))
    }

    /// Rate at a limit that the same load reaches while the limit's credits last: up to the burst figure, or to the next
    /// limit of the configuration.
    pub(crate) fn reach(&self, usage: &Usage) -> f64 {
        let burst = usage.burst.map_or(usage.enforced, |(rate, _)| rate);
        let others = self.usages.iter().filter(|other| other.name() != usage.name() && other.used_low > 0.0);
        let room = others.map(|other| {
            let most = other.burst.map_or(other.enforced, |(rate, _)| rate.max(other.enforced));
            most / other.used_low
        });
        room.fold(burst, |least, times| least.min(times * usage.used)).max(usage.enforced)
    }

    /// Seconds for which full credits of a limit last under this load; `None` if the limit has none, or the load does not
    /// use them.
    pub(crate) fn full_credits_last(&self, usage: &Usage) -> Option<f64> {
        let (rate, seconds) = usage.burst?;
        let capacity = seconds * (rate - usage.published).max(1.0);
        let spent = self.reach(usage) - usage.published;
        (spent > 0.0).then(|| capacity / spent)
    }
}
