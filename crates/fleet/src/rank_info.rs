//! The rank this process that is.

use std::fmt;

use iobound_units::Problem;

/// The rank this process that is, and of how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankInfo {
    /// From 0.
    pub rank: u32,
    /// Their number; at least 1.
    pub of: u32,
    /// Launcher that the rank comes from.
    pub launcher: Launcher,
    /// Its place among the ranks of this machine, where the launcher says it.
    pub local: Option<Local>,
    /// The launcher's name of this start, different for every start on a machine. `None` without a name.
    pub job: Option<String>,
}

/// A place among the ranks of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// From 0.
    pub rank: u32,
    /// Number that are on this machine.
    pub of: u32,
}

/// Launcher that started the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// A person or a script, with `--rank` and `--of`.
    Given,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// A process manager that speaks PMI: MPICH, Intel MPI, others.
    Pmi,
    /// Slurm's `srun`.
    Slurm,
    /// A Kubernetes Indexed Job.
    Kubernetes,
}

impl RankInfo {
    /// A rank_info that a person gives.
    ///
    /// # Errors
    /// Returns an error if the rank is not below the number of ranks.
    pub fn given(rank: u32, of: u32) -> Result<RankInfo, Problem> {
        if rank >= of {
            return Err(Problem {
                what: format!("rank {rank} of {of} does not exist: ranks are counted from 0"),
                help: format!("--rank must be 0 to {}", of.saturating_sub(1)),
            });
        }
        Ok(RankInfo { rank, of, launcher: Launcher::Given, local: None, job: None })
    }
}

type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The rank by the launcher's environment; `None` if it states none. A single rank is not a fleet.
///
/// `IOBOUND_RANK` and `IOBOUND_OF` are not read here, but for the size that an Indexed Job does not tell: they are settings,
/// and stand above the launcher's.
///
/// # Errors
/// Returns an error if the variables contradict each other: a rank without a size or a size without a rank, a rank
/// beyond the size, a text that is not a number, or two launchers that disagree on whether this process is alone.
pub fn rank_info(env: Env) -> Result<Option<RankInfo>, Problem> {
    // From the inside out: the launcher that started this process itself comes first.
    let said = [open_mpi(env)?, pmi(env)?, slurm(env)?, kubernetes(env)?];
    let mut said = said.into_iter().flatten();
    let Some(own) = said.next() else { return Ok(None) };
    for other in said {
        // Open MPI and Hydra start one process of theirs on each host by Slurm, and the ranks by that: then Slurm counts
        // hosts. One alone inside many was started by the wrong one of both.
        let alone = own.of == 1 && other.of > 1;
        let two = own.launcher == Launcher::OpenMpi && other.launcher == Launcher::Pmi && own.of != other.of;
        if alone || two {
            return Err(Problem {
                what: format!(
                    "{} says rank {} of {}, and {} says rank {} of {}: one launcher was started inside another",
                    own.launcher, own.rank, own.of, other.launcher, other.rank, other.of
                ),
                help: "start the ranks with one launcher (srun -n 4 iobound ..., or mpirun -n 4 iobound ...), or \
                       give the rank: --rank R --of N; --of 1 runs it alone"
                    .into(),
            });
        }
    }
    Ok(Some(own))
}

fn open_mpi(env: Env) -> Result<Option<RankInfo>, Problem> {
    let names = ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"];
    let Some((rank, of)) = rank_of(env, names)? else { return Ok(None) };
    let local = rank_of(env, ["OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"])?;
    let job = named(env, "PMIX_NAMESPACE").or_else(|| named(env, "OMPI_MCA_ess_base_jobid"));
    Ok(Some(RankInfo { rank, of, launcher: Launcher::OpenMpi, local: local.map(Local::from), job }))
}

/// PMI is spoken by MPICH's and Intel MPI's Hydra, and by Slurm itself where it is asked to.
fn pmi(env: Env) -> Result<Option<RankInfo>, Problem> {
    let Some((rank, of)) = rank_of(env, ["PMI_RANK", "PMI_SIZE"])? else { return Ok(None) };
    let local = rank_of(env, ["MPI_LOCALRANKID", "MPI_LOCALNRANKS"])?;
    // Started by Slurm, it is Slurm that knows the hosts.
    if let Some(slurm) = slurm(env)?.filter(|slurm| (slurm.rank, slurm.of) == (rank, of)) {
        return Ok(Some(slurm));
    }
    let job = named(env, "PMI_JOBID");
    Ok(Some(RankInfo { rank, of, launcher: Launcher::Pmi, local: local.map(Local::from), job }))
}

/// Steps that Slurm numbers from the top do not come from `srun`: the batch script and its companions.
const FIRST_STEP_OF_SLURMS_OWN: u32 = 0xffff_fff0;

fn slurm(env: Env) -> Result<Option<RankInfo>, Problem> {
    // The shell of a batch script has a SLURM_PROCID too, and is not a rank.
    let step = named(env, "SLURM_STEP_ID").and_then(|step| step.parse::<u32>().ok());
    let Some(step) = step.filter(|step| *step < FIRST_STEP_OF_SLURMS_OWN) else { return Ok(None) };
    let size =
        if named(env, "SLURM_STEP_NUM_TASKS").is_some() { "SLURM_STEP_NUM_TASKS" } else { "SLURM_NTASKS" };
    let Some((rank, of)) = rank_of(env, ["SLURM_PROCID", size])? else { return Ok(None) };
    let local = match (number(env, "SLURM_LOCALID")?, slurms_local_size(env, of)) {
        (Some(rank), Some(of)) if rank < of => Some(Local { rank, of }),
        _ => None,
    };
    // A job that was put back and started again has the same number.
    let again = named(env, "SLURM_RESTART_COUNT").map(|count| format!("r{count}")).unwrap_or_default();
    let job = named(env, "SLURM_JOB_ID").map(|job| format!("{job}.{step}{again}"));
    Ok(Some(RankInfo { rank, of, launcher: Launcher::Slurm, local, job }))
}

/// Number of tasks of the step on this node: `SLURM_STEP_TASKS_PER_NODE` is like "2(x3),1".
fn slurms_local_size(env: Env, of: u32) -> Option<u32> {
    let nodes = named(env, "SLURM_STEP_NUM_NODES").or_else(|| named(env, "SLURM_NNODES"));
    if nodes.as_deref() == Some("1") {
        return Some(of);
    }
    let node: u32 = named(env, "SLURM_NODEID")?.parse().ok()?;
    let mut first = 0_u32;
    for part in named(env, "SLURM_STEP_TASKS_PER_NODE")?.split(',') {
        let (tasks, times) = match part.split_once("(x") {
            Some((tasks, times)) => (tasks, times.strip_suffix(')')?.parse().ok()?),
            None => (part, 1_u32),
        };
        first = first.checked_add(times)?;
        if node < first {
            return tasks.parse().ok();
        }
    }
    None
}

fn kubernetes(env: Env) -> Result<Option<RankInfo>, Problem> {
    let Some(rank) = number(env, "JOB_COMPLETION_INDEX")? else { return Ok(None) };
    let Some(of) = number(env, "IOBOUND_OF")? else {
        return Err(Problem {
            what: format!("JOB_COMPLETION_INDEX={rank} gives the index of the Job, but not the number of pods"),
            help: "set IOBOUND_OF to the Job's completions in its containers' env (iobound fleet script --kubernetes \
                   does); --of 1 runs it alone"
                .into(),
        });
    };
    if rank >= of {
        return Err(beyond(["JOB_COMPLETION_INDEX", "IOBOUND_OF"], rank, of));
    }
    Ok(Some(RankInfo { rank, of, launcher: Launcher::Kubernetes, local: None, job: None }))
}

impl From<(u32, u32)> for Local {
    fn from((rank, of): (u32, u32)) -> Local {
        Local { rank, of }
    }
}

/// A variable that says something.
fn named(env: Env, name: &str) -> Option<String> {
    env(name).filter(|value| !value.trim().is_empty())
}

fn number(env: Env, name: &str) -> Result<Option<u32>, Problem> {
    let Some(value) = named(env, name) else { return Ok(None) };
    value.trim().parse().map(Some).map_err(|_| Problem {
        what: format!("{name}='{value}' is not a number"),
        help: format!("the launcher should set {name}: unset it, or give the rank: --rank R --of N"),
    })
}

/// A rank and a size, of two variables that come together.
fn rank_of(env: Env, [rank, size]: [&str; 2]) -> Result<Option<(u32, u32)>, Problem> {
    match (number(env, rank)?, number(env, size)?) {
        (None, None) => Ok(None),
        (Some(own), Some(of)) if own < of => Ok(Some((own, of))),
        (Some(own), Some(of)) => Err(beyond([rank, size], own, of)),
        (Some(own), None) => Err(one_of_two(&format!("{rank}={own}"), size)),
        (None, Some(of)) => Err(one_of_two(&format!("{size}={of}"), rank)),
    }
}

fn beyond([rank, size]: [&str; 2], own: u32, of: u32) -> Problem {
    Problem {
        what: format!(
            "{rank}={own} and {size}={of}: ranks are counted from 0, and this one is beyond the last"
        ),
        help: "the launcher should set these: unset them, or give the rank: --rank R --of N".into(),
    }
}

fn one_of_two(there: &str, missing: &str) -> Problem {
    Problem {
        what: format!("{there} is set and {missing} is not: both are needed"),
        help: "let the launcher pass its whole environment, or give the rank: --rank R --of N; --of 1 runs it alone"
            .into(),
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Launcher::Given => "--rank and --of",
            Launcher::OpenMpi => "Open MPI",
            Launcher::Pmi => "PMI",
            Launcher::Slurm => "Slurm",
            Launcher::Kubernetes => "Kubernetes",
        })
    }
}
