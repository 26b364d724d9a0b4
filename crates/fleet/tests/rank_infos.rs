//! Rank of a process, by the variables that its launcher has set.
//!
//! The environments are those of the launchers themselves: Open MPI 4.1, MPICH's Hydra 4, Slurm 22.05, Kubernetes.

use std::collections::BTreeMap;

use iobound_fleet::{Here, Launcher, Local, Meet, RankInfo, alone, meet, rank_info};
use iobound_units::Problem;

const HERE: Here = Here { uid: 1000, parent: 4711 };

struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Words as `env` prints them.
    fn of(words: &str) -> Environment {
        let pair =
            |word: &str| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
        Environment(words.split_whitespace().filter_map(pair).collect())
    }

    fn rank_info(&self) -> Result<Option<RankInfo>, Problem> {
        rank_info(&|name| self.0.get(name).cloned())
    }

    fn meet(&self) -> Result<Meet, Problem> {
        let rank_info = self.rank_info().unwrap().unwrap();
        meet(&rank_info, HERE, &|name| self.0.get(name).cloned())
    }

    fn alone(&self, siblings: &[u32]) -> Option<Problem> {
        let rank_info = self.rank_info().unwrap();
        alone(rank_info.as_ref(), &|name| self.0.get(name).cloned(), siblings)
    }
}

fn socket(path: &str) -> Meet {
    Meet::Socket(path.into())
}

#[test]
fn mpirun_of_open_mpi_says_rank_size_and_place() {
    let env = Environment::of(
        "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=4
         PMIX_NAMESPACE=1765801985 PMIX_RANK=2 OMPI_MCA_ess_base_jobid=1765801985 XDG_RUNTIME_DIR=/run/user/1000",
    );
    let own = env.rank_info().unwrap().unwrap();
    let local = Some(Local { rank: 2, of: 4 });
    let job = Some("1765801985".to_string());
    assert_eq!(own, RankInfo { rank: 2, of: 4, launcher: Launcher::OpenMpi, local, job });
    assert_eq!(env.meet(), Ok(socket("/run/user/1000/iobound/meet-ompi-1765801985.sock")));
    assert_eq!(env.alone(&[1, 2, 3]), None);
}

#[test]
fn open_mpi_on_several_hosts_needs_a_place_to_meet() {
    let env = Environment::of(
        "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2",
    );
    let refused = env.meet().unwrap_err();
    assert_eq!(refused.what, "the 4 ranks of Open MPI are on several machines, and have no meeting point");
    assert!(refused.help.starts_with("add --meet HOST:PORT"));
}

#[test]
fn open_mpi_that_starts_its_daemons_by_slurm_counts_ranks_where_slurm_counts_hosts() {
    let env = Environment::of(
        "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_JOB_ID=7",
    );
    let own = env.rank_info().unwrap().unwrap();
    assert_eq!((own.rank, own.of, own.launcher), (5, 8, Launcher::OpenMpi));
}

#[test]
fn hydra_says_it_by_pmi_and_its_ranks_have_their_parent_in_common() {
    let env = Environment::of("PMI_RANK=1 PMI_SIZE=2 PMI_FD=9 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2");
    let own = env.rank_info().unwrap().unwrap();
    assert_eq!((own.rank, own.of, own.launcher), (1, 2, Launcher::Pmi));
    assert_eq!(env.meet(), Ok(socket("/tmp/iobound-1000/meet-pmi-parent-4711.sock")));
}

const STEP: &str = "SLURM_JOB_ID=1234 SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4";

#[test]
fn srun_on_one_node_meets_at_a_socket() {
    let env = Environment::of(&format!("{STEP} SLURM_LOCALID=3 SLURM_NNODES=1 SLURM_STEP_NODELIST=db1"));
    let own = env.rank_info().unwrap().unwrap();
    let local = Some(Local { rank: 3, of: 4 });
    let job = Some("1234.0".to_string());
    assert_eq!(own, RankInfo { rank: 3, of: 4, launcher: Launcher::Slurm, local, job });
    assert_eq!(env.meet(), Ok(socket("/tmp/iobound-1000/meet-slurm-1234.0.sock")));
}

#[test]
fn srun_on_several_nodes_meets_at_the_first_and_a_port_of_the_step() {
    let nodes = "SLURM_NNODES=2 SLURM_STEP_NODELIST=db[07-08] SLURM_STEP_TASKS_PER_NODE=2(x2) SLURM_NODEID=1";
    let env = Environment::of(&format!("{STEP} SLURM_LOCALID=1 {nodes}"));
    assert_eq!(env.rank_info().unwrap().unwrap().local, Some(Local { rank: 1, of: 2 }));
    let Meet::Tcp { host, port } = env.meet().unwrap() else {
        panic!("several nodes have no socket in common")
    };
    assert!(host == "db07" && (20_000..30_000).contains(&port), "{host}:{port}");
    // The same for every rank of the step, another for the next.
    let other = Environment::of(&format!("{STEP} SLURM_LOCALID=0 {nodes}").replace("PROCID=3", "PROCID=0"));
    assert_eq!(other.meet(), env.meet());
    let next = Environment::of(&format!("{STEP} {nodes}").replace("STEP_ID=0", "STEP_ID=1"));
    assert_ne!(next.meet(), env.meet());
}

#[test]
fn tasks_that_are_dealt_unevenly_are_counted_on_their_own_node() {
    for (node, tasks) in [(0, 3), (1, 3), (2, 2)] {
        let env = Environment::of(&format!(
            "{STEP} SLURM_LOCALID=1 SLURM_NNODES=3 SLURM_NODEID={node} SLURM_STEP_TASKS_PER_NODE=3(x2),2"
        ));
        assert_eq!(
            env.rank_info().unwrap().unwrap().local,
            Some(Local { rank: 1, of: tasks }),
            "node {node}"
        );
    }
}

#[test]
fn the_shell_of_a_batch_script_is_no_rank() {
    for step in ["", "SLURM_STEP_ID=batch", "SLURM_STEP_ID=4294967291"] {
        let env = Environment::of(&format!("SLURM_JOB_ID=1234 SLURM_PROCID=0 SLURM_NTASKS=4 {step}"));
        assert_eq!(env.rank_info(), Ok(None), "{step}");
    }
}

#[test]
fn a_step_that_speaks_pmi_is_slurms() {
    let env =
        Environment::of(&format!("{STEP} SLURM_LOCALID=3 SLURM_NNODES=1 PMI_RANK=3 PMI_SIZE=4 PMI_FD=5"));
    assert_eq!(env.rank_info().unwrap().unwrap().launcher, Launcher::Slurm);
}

#[test]
fn a_pod_of_an_indexed_job_has_its_index_and_its_size_from_the_manifest() {
    let env = Environment::of("JOB_COMPLETION_INDEX=2 IOBOUND_OF=3");
    let own = env.rank_info().unwrap().unwrap();
    assert_eq!((own.rank, own.of, own.launcher), (2, 3, Launcher::Kubernetes));
    assert!(env.meet().unwrap_err().help.contains("IOBOUND_MEET"));
    let without = Environment::of("JOB_COMPLETION_INDEX=2").rank_info().unwrap_err();
    assert!(
        without.what.contains("not the number of pods") && without.help.contains("IOBOUND_OF"),
        "{without:?}"
    );
}

#[test]
fn without_a_launcher_there_is_no_rank_info() {
    assert_eq!(Environment::of("HOME=/root OMPI_COMM_WORLD_RANK=").rank_info(), Ok(None));
}

#[test]
fn what_contradicts_itself_is_refused_with_what_was_read_and_how_to_mend_it() {
    for (words, says) in [
        (
            "OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_SIZE=4",
            "OMPI_COMM_WORLD_RANK=4 and OMPI_COMM_WORLD_SIZE=4",
        ),
        ("OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_SIZE=4 is set and OMPI_COMM_WORLD_RANK is not"),
        ("PMI_RANK=1", "PMI_RANK=1 is set and PMI_SIZE is not"),
        ("PMI_RANK=one PMI_SIZE=2", "PMI_RANK='one' is not a number"),
        ("SLURM_STEP_ID=0 SLURM_PROCID=1", "SLURM_PROCID=1 is set and SLURM_NTASKS is not"),
        ("JOB_COMPLETION_INDEX=5 IOBOUND_OF=3", "JOB_COMPLETION_INDEX=5 and IOBOUND_OF=3"),
        (
            "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_NTASKS=4",
            "Open MPI says rank 0 of 1, and Slurm says rank 2 of 4",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=1 SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_NTASKS=4",
            "PMI says rank 0 of 1, and Slurm",
        ),
        (
            "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMI_RANK=0 PMI_SIZE=4",
            "Open MPI says rank 0 of 2, and PMI says rank 0 of 4",
        ),
    ] {
        let refused = Environment::of(words).rank_info().unwrap_err();
        assert!(refused.what.contains(says), "{words}: {}", refused.what);
        assert!(refused.help.contains("--rank R --of N"), "{words}: {}", refused.help);
    }
    assert!(RankInfo::given(3, 3).unwrap_err().help.contains("0 to 2"));
    assert_eq!(RankInfo::given(2, 3).unwrap().of, 3);
}

#[test]
fn a_rank_under_a_launcher_that_is_not_read_is_noticed() {
    let env = Environment::of("MV2_COMM_WORLD_RANK=3 MV2_COMM_WORLD_SIZE=8");
    let seen = env.alone(&[]).unwrap();
    assert!(seen.what.contains("MV2_COMM_WORLD_RANK=3 of MV2_COMM_WORLD_SIZE=8"), "{}", seen.what);
    assert!(seen.help.contains("--rank $MV2_COMM_WORLD_RANK"));
    assert_eq!(Environment::of("MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=1").alone(&[]), None);
    assert!(Environment::of("PMI_FD=5").alone(&[]).unwrap().what.contains("PMI_RANK is not"));
}

#[test]
fn siblings_that_each_run_the_same_alone_are_noticed() {
    let seen = Environment::of("HOME=/root").alone(&[12, 13, 14]).unwrap();
    assert!(seen.what.starts_with("3 other processes with the same options were started"), "{}", seen.what);
    // Each of them was told by its own launcher that there is one.
    let one = Environment::of("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1");
    assert!(one.alone(&[12]).unwrap().what.starts_with("another process with the same options was"));
    assert_eq!(Environment::of("HOME=/root").alone(&[]), None);
    // A person who says so is believed.
    let given = RankInfo::given(0, 1).unwrap();
    assert_eq!(alone(Some(&given), &|_| None, &[12]), None);
}
