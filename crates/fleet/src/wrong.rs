//! Ranks that each think they are alone.

use crate::rank_info::{Launcher, RankInfo};

/// A process that seems to be one of several and does not know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The measurements, as a sentence.
    pub what: String,
    /// Advice: how to start ranks that know each other.
    pub help: String,
}

/// Launchers that give their ranks a number under a name that is not read here: what they call it, and the size.
const OTHERS: [(&str, &str, &str); 8] = [
    ("MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMIx", "PMIX_RANK", "PMIX_SIZE"),
    ("PALS", "PALS_RANKID", "PALS_SIZE"),
    ("Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    ("JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"),
    ("ALPS", "ALPS_APP_PE", "ALPS_APP_SIZE"),
    ("MPT", "MPT_MPIRUN_RANK", "MPT_MPIRUN_SIZE"),
    ("a PBS task", "PBS_TASKNUM", "PBS_NP"),
];

/// Notices that this process is one of several that run the same alone: a launcher's trace in the environment without a
/// rank that can be read, or siblings with the same words. A size of 1 from one launcher where another says more is an
/// error of [`rank_info`](crate::rank_info()) already.
///
/// `siblings` are processes other than this one with the same parent and the same words.
pub fn alone(
    rank_info: Option<&RankInfo>,
    env: &dyn Fn(&str) -> Option<String>,
    siblings: &[u32],
) -> Option<Alone> {
    // A rank that its launcher counted knows that there are others; a process that its user declared alone knows that
    // there are none.
    if rank_info.is_some_and(|rank_info| rank_info.of > 1 || rank_info.launcher == Launcher::Given) {
        return None;
    }
    let said = |name: &str| env(name).filter(|value| !value.trim().is_empty());
    let foreign = OTHERS.iter().find_map(|(launcher, rank, size)| {
        let (rank_said, size_said) = (said(rank)?, said(size));
        // A first task of unknown many is as likely the only one.
        let many = match &size_said {
            Some(size) => size.trim() != "1",
            None => !matches!(rank_said.trim(), "0" | "1"),
        };
        many.then_some((*launcher, *rank, rank_said, *size, size_said))
    });
    if let Some((launcher, rank, rank_said, size, size_said)) = foreign {
        let of = size_said.map(|said| format!(" of {size}={said}")).unwrap_or_default();
        return Some(Alone {
            what: format!(
                "{launcher} started this process as {rank}={rank_said}{of}, but iobound does not read these variables: \
                 each rank measures alone, and the results are not combined"
            ),
            help: format!("add --rank ${rank} --of N --meet HOST:PORT on every rank; --of 1 runs it alone"),
        });
    }
    let hydra = ["PMI_FD", "PMI_PORT"].into_iter().find(|name| said(name).is_some());
    if let Some(name) = hydra.filter(|_| rank_info.is_none()) {
        return Some(Alone {
            what: format!("{name} is set, as by a launcher, but PMI_RANK is not"),
            help: "add --rank R --of N --meet HOST:PORT on every rank; --of 1 runs it alone".into(),
        });
    }
    let others = siblings.len();
    (others > 0).then(|| Alone {
        what: format!(
            "{} with the same options {} started by the same process without ranks: each measures alone, and they \
             share the disks",
            if others == 1 { "another process".to_string() } else { format!("{others} other processes") },
            if others == 1 { "was" } else { "were" },
        ),
        help: "start them as ranks: use srun or mpirun with their environment, or --rank R --of N --meet HOST:PORT; --of \
               1 runs it alone"
            .into(),
    })
}
