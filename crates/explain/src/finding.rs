use crate::remedy::Remedy;

/// Confidence in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// It fits, and so may others.
    Possible,
    /// It fits better than most.
    Likely,
    /// The figures are as they only are with this cause.
    Strong,
}

impl Confidence {
    /// The word of documents and screens.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Strong => "strong",
        }
    }
}

/// Findings of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's name: `vm-cached-throughput`.
    pub rule: &'static str,
    /// The title by the cloud's own name of the limit: `The instance's EBS IOPS limit`; `None`: the rule's.
    pub title: Option<&'static str>,
    /// The limit that the finding says is full, by its name in a prediction (`vm.ebs.iops`); `None`: it is about no limit alone.
    pub limit: Option<String>,
    /// The finding, in a sentence.
    pub claim: String,
    /// Reason why that is to be believed, in figures.
    pub evidence: Vec<String>,
    /// Changes that would move it, best first; each is predicted on the model.
    pub remedies: Vec<Remedy>,
    /// Advice, if no change of the configuration or the workload applies.
    pub advice: String,
    /// Confidence in it.
    pub confidence: Confidence,
    /// Measurement that confirms it.
    pub to_be_sure: Option<String>,
    /// Among findings of one confidence, the one with more goes first.
    pub weight: f64,
}

impl Finding {
    /// A finding without figures yet.
    pub fn new(rule: &'static str, confidence: Confidence, weight: f64, claim: impl Into<String>) -> Finding {
        Finding {
            rule,
            title: None,
            limit: None,
            claim: claim.into(),
            evidence: Vec::new(),
            remedies: Vec::new(),
            advice: String::new(),
            confidence,
            to_be_sure: None,
            weight,
        }
    }

    /// Names the limit that it says is full.
    #[must_use]
    pub fn at(mut self, limit: String) -> Finding {
        self.limit = Some(limit);
        self
    }

    /// Lowers its confidence to no more than `most`.
    pub(crate) fn cap(&mut self, most: Confidence) {
        self.confidence = self.confidence.min(most);
    }

    /// Adds a figure that speaks for it.
    #[must_use]
    pub fn because(mut self, evidence: impl Into<String>) -> Finding {
        self.evidence.push(evidence.into());
        self
    }

    /// The action.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Finding {
        self.advice = advice.into();
        self
    }

    /// Measurement that separates it from similar causes.
    #[must_use]
    pub fn to_be_sure(mut self, measure: impl Into<String>) -> Finding {
        self.to_be_sure = Some(measure.into());
        self
    }
}

/// By confidence, then weight, then name: the same case has the same order everywhere.
pub(crate) fn best_first(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        other
            .confidence
            .cmp(&one.confidence)
            .then_with(|| other.weight.total_cmp(&one.weight))
            .then_with(|| one.rule.cmp(other.rule))
    });
}

/// Says one cause once: of findings that name the same full limit, one stays, with the changes of the others and with what they say
/// of burst credits. Spent credits, where they are likely, say more than the limit that is left; else the first one stays. The
/// findings are best first.
pub(crate) fn merge_same_limit(mut findings: Vec<Finding>) -> Vec<Finding> {
    let is_spent =
        |one: &Finding| one.rule.starts_with("burst-spent") && one.confidence > Confidence::Possible;
    let spent: Vec<String> =
        findings.iter().filter(|one| is_spent(one)).filter_map(|one| one.limit.clone()).collect();
    // A stable sort: those that say more of the same limit come first among their own.
    let of_spent = |one: &Finding| one.limit.as_ref().is_some_and(|limit| spent.contains(limit));
    findings.sort_by_key(|one| of_spent(one) && !is_spent(one));
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let same = |one: &&mut Finding| one.limit.is_some() && one.limit == finding.limit;
        let Some(first) = merged.iter_mut().find(same) else {
            merged.push(finding);
            continue;
        };
        if finding.rule.starts_with("burst-spent") {
            first.evidence.push(finding.claim);
        }
        first.remedies.extend(finding.remedies);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_one_limit_are_one_finding() {
        let of = |rule, limit: &str| Finding::new(rule, Confidence::Strong, 1.0, rule).at(limit.to_string());
        let none = Finding::new("deep-queue", Confidence::Likely, 1.0, "deep");
        let findings = vec![
            of("vm-uncached-iops", "vm.ebs.iops"),
            of("burst-spent-vm", "vm.ebs.iops"),
            of("disk-iops", "disk.iops"),
            none.clone(),
            none,
        ];
        let merged = merge_same_limit(findings);
        let rules: Vec<&str> = merged.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["burst-spent-vm", "disk-iops", "deep-queue", "deep-queue"]);
        assert!(merged[0].evidence.is_empty());
        let mut possible = of("burst-spent-vm", "vm.ebs.iops");
        possible.confidence = Confidence::Possible;
        let merged = merge_same_limit(vec![of("vm-uncached-iops", "vm.ebs.iops"), possible]);
        assert_eq!((merged.len(), merged[0].rule), (1, "vm-uncached-iops"));
        assert_eq!(merged[0].evidence, ["burst-spent-vm"]);
    }
}
