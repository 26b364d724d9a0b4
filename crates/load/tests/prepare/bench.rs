use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iobound_load::prepare::{
    Backing, Because, Filling, Guard, Handle, Leftover, Mark, Pace, Plan, Prepared, Refusal, Refused,
    Request, Unprepared, Wanted, carry_out, survey,
};
use iobound_units::{Bandwidth, Bytes, Problem};
use tempfile::TempDir;

pub(crate) const MIB: usize = 1 << 20;

/// A machine on which nothing stands against writing, unless it says so.
#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) denied: Option<Problem>,
    pub(crate) lost: Vec<String>,
    pub(crate) backing: Backing,
}

impl Guard for Machine {
    fn check(&self, _: &Path, _: Option<&File>) -> Result<Vec<String>, Problem> {
        self.denied.clone().map_or_else(|| Ok(self.lost.clone()), Err)
    }

    fn backing(&self, _: &Path) -> Backing {
        self.backing.clone()
    }
}

/// A folder, and what is asked of files in it.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) request: Request,
    pub(crate) machine: Machine,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        let request = Request {
            targets: Vec::new(),
            overwrite: Vec::new(),
            filling: Filling::incompressible(5),
            new_size: None,
            strict: false,
            pace: Pace::Assumed(Bandwidth::mb_per_s(200)),
            now: 1_800_000_000,
        };
        let folder = tempfile::tempdir().expect("a folder");
        Bench { folder, request, machine: Machine::default() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Asks for one target of this size, read and written as said.
    pub(crate) fn want(&mut self, path: PathBuf, size: Option<usize>, writes: bool) -> &mut Wanted {
        let size = size.map(|size| Bytes(size as u64));
        self.request.targets.push(Wanted { size, writes, ..Wanted::read(path) });
        self.request.targets.last_mut().expect("it was just added")
    }

    /// A file of somebody else.
    pub(crate) fn foreign(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        File::create(&path).and_then(|mut file| file.write_all(content)).expect("it can be written");
        path
    }

    pub(crate) fn survey(&self) -> Result<Plan, Refused> {
        survey(&self.request, &self.machine)
    }

    pub(crate) fn plan(&self) -> Plan {
        self.survey().unwrap_or_else(|refused| panic!("{refused}"))
    }

    /// The one refusal that there is.
    pub(crate) fn refused(&self, because: Because) -> Refusal {
        let refused = self.survey().expect_err("it is refused");
        assert_eq!(refused.0.len(), 1, "{refused}");
        assert_eq!(refused.0[0].because, because, "{refused}");
        refused.0[0].clone()
    }

    pub(crate) fn carry_out(&self, plan: &Plan) -> Result<Vec<Prepared>, Unprepared> {
        carry_out(plan, &self.machine, Leftover::Keep, &mut |_| (), &AtomicBool::new(false))
    }

    pub(crate) fn prepare(&self) -> Vec<Prepared> {
        self.carry_out(&self.plan()).unwrap_or_else(|ended| panic!("{ended}"))
    }

    /// Check that nothing is left to be done.
    pub(crate) fn assert_ready(&self) {
        let plan = self.plan();
        assert!(plan.is_ready(), "{plan}");
    }
}

/// The mark of a file, if it has one.
pub(crate) fn mark(path: &Path) -> Option<Mark> {
    Mark::read(&Handle::open(path).expect("it is there"))
}

/// What a filling puts into a file of this size.
pub(crate) fn content(filling: Filling, size: usize) -> Vec<u8> {
    let mut data = vec![0; size];
    filling.fill(0, &mut data);
    data
}

pub(crate) fn read(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut content)).expect("it can be read");
    content
}
