//! Directories in which another user swaps files: no byte of anybody else's is written.
#![allow(clippy::disallowed_methods, reason = "forged marks and victims are files of these tests")]

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_load::engine::{FileToOpen, Targets, ToOpen};
use iobound_load::prepare::{
    Backing, Because, Filling, Guard, Identity, Leftover, Prepared, Progress, carry_out, survey,
};

use crate::bench::{Bench, MIB, read};
use iobound_units::Problem;

const PRECIOUS: &[u8] = &[0xdb; 128 << 10];

/// A file with precious content, and a directory that every user can write to.
fn victim() -> (Bench, PathBuf, PathBuf) {
    let bench = Bench::new();
    let victim = bench.foreign("victim", PRECIOUS);
    let open = bench.path("open");
    std::fs::create_dir(&open).expect("a directory");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    (bench, victim, open)
}

/// A mark as anybody can write it: inode, birth time and file system of a file are public.
fn forged(victim: &Path) -> String {
    let file = File::open(victim).expect("it is there");
    let facts = file.metadata().expect("it is open");
    let birth = iobound_machine::open::Birth::of(&file).expect("it is open");
    let modified = i128::from(facts.mtime()) * 1_000_000_000 + i128::from(facts.mtime_nsec());
    let born = birth.born_ns.expect("this file system keeps birth times");
    format!(
        "{{\"version\":2,\"size_bytes\":{size},\"filled_bytes\":{size},\"filling\":{{\"content\":\"incompressible\",\
         \"compressible_ppm\":0,\"repeats_ppm\":0,\"seed\":5}},\"created\":1,\"filesystem\":{},\"inode\":{},\
         \"born_ns\":{born},\"modified_ns\":{modified},\"samples\":1}}",
        birth.filesystem,
        birth.inode,
        size = facts.len()
    )
}

#[test]
fn a_link_and_a_forged_mark_in_a_directory_of_others_lead_nowhere() {
    for writes in [false, true] {
        let (mut bench, victim, open) = victim();
        symlink(&victim, open.join("iobound.0.data")).expect("a link");
        std::fs::write(open.join("iobound.0.data.iobound"), forged(&victim)).expect("a forged mark");
        std::fs::write(bench.path("victim.iobound"), forged(&victim)).expect("a forged mark");
        bench.want(open, Some(MIB), writes);
        let refusal = bench.refused(Because::Guarded);
        assert!(refusal.found.contains("symbolic link that another user can redirect"), "{refusal}");
        assert_eq!(read(&victim), PRECIOUS);
    }
}

#[test]
fn a_forged_mark_alone_does_not_make_a_file_ours() {
    let (mut bench, victim, open) = victim();
    // By a second name in the open directory, and by its own name in ours.
    std::fs::hard_link(&victim, open.join("iobound.0.data")).expect("a second name");
    std::fs::write(open.join("iobound.0.data.iobound"), forged(&victim)).expect("a forged mark");
    bench.want(open.clone(), None, true);
    bench.refused(Because::NoConsent);
    bench.request.overwrite = vec![open.join("iobound.0.data")];
    let refused = bench.survey().expect_err("the name may be somebody else's choice");
    assert!(refused.to_string().contains("2 names (hard links)"), "{refused}");
    std::fs::remove_file(open.join("iobound.0.data")).expect("it is there");
    bench.request.overwrite.clear();
    std::fs::write(bench.path("victim.iobound"), forged(&victim)).expect("a forged mark");
    bench.request.targets[0].path = victim.clone();
    for forgery in [forged(&victim), forged(&victim).replace("\"modified_ns\"", "\"another\"")] {
        std::fs::write(bench.path("victim.iobound"), forgery).expect("a forged mark");
        bench.refused(Because::NoConsent);
    }
    assert_eq!(read(&victim), PRECIOUS);
}

#[test]
fn nobody_else_chooses_what_is_consented_to() {
    let (mut bench, victim, open) = victim();
    symlink(&victim, open.join("mine")).expect("a link");
    bench.want(victim.clone(), None, true);
    bench.request.overwrite = vec![open.join("mine")];
    let refused = bench.survey().expect_err("the link may lead anywhere");
    let because: Vec<Because> = refused.0.iter().map(|refusal| refusal.because).collect();
    assert_eq!(because, [Because::Guarded, Because::NoConsent], "{refused}");
}

/// A machine on which somebody acts at the moment of the last check.
struct Moment<F: FnMut()>(RefCell<F>);

impl<F: FnMut()> Guard for Moment<F> {
    fn check(&self, _: &Path, _: Option<&File>) -> Result<Vec<String>, Problem> {
        (self.0.borrow_mut())();
        Ok(Vec::new())
    }

    fn backing(&self, _: &Path) -> Backing {
        Backing::default()
    }
}

#[test]
fn a_link_that_appears_at_the_moment_of_creation_is_not_followed() {
    let (mut bench, victim, open) = victim();
    bench.want(open.clone(), Some(MIB), true);
    let plan = bench.plan();
    let link = open.join("iobound.0.data");
    let machine = Moment(RefCell::new(|| symlink(&victim, &link).expect("a link")));
    let ended = carry_out(&plan, &machine, Leftover::Remove, &mut |_: &Progress| (), &AtomicBool::new(false))
        .expect_err("the name is taken");
    assert!(ended.to_string().contains("another process created a file with that name"), "{ended}");
    assert_eq!(read(&victim), PRECIOUS);
    assert!(link.is_symlink(), "what somebody made is not removed");
}

fn opened(prepared: &[Prepared]) -> Targets {
    let file = |file: &Prepared| FileToOpen {
        path: file.path.clone(),
        handle: Some(file.handle.clone()),
        size: Some(file.size),
    };
    let target = ToOpen { files: prepared.iter().map(file).collect(), writes: true, buffered: false };
    Targets::open_each(&[target], false).expect("it opens")
}

#[test]
fn a_swap_after_creation_leads_neither_preparation_nor_the_run_elsewhere() {
    let (mut bench, victim, open) = victim();
    bench.want(open.clone(), Some(8 * MIB), true);
    let (plan, path) = (bench.plan(), open.join("iobound.0.data"));
    let mut made = None;
    let mut swap = |_: &Progress| {
        if made.is_none() {
            made = Identity::at(&path);
            std::fs::rename(&path, open.join("moved")).expect("it is there");
            symlink(&victim, &path).expect("a link");
        }
    };
    let prepared = carry_out(&plan, &bench.machine, Leftover::Keep, &mut swap, &AtomicBool::new(false))
        .expect("it is made");
    assert_eq!(Some(prepared[0].identity), made);
    let targets = opened(&prepared);
    assert_eq!(Identity::of_open(targets.files()[0].file()).ok(), made);
    assert!(targets.files()[0].writes());
    drop((targets, prepared));
    assert_eq!(read(&victim), PRECIOUS);
    let expected = crate::bench::content(Filling::incompressible(5), 8 * MIB);
    assert!(read(&open.join("moved")) == expected);
    let mut attribute = [0; 16];
    let marked = rustix::fs::getxattr(&victim, "user.iobound", &mut attribute[..]);
    assert_eq!(marked, Err(rustix::io::Errno::NODATA), "the victim got no mark");
    assert!(!open.join("iobound.0.data.iobound").exists() && !bench.path("victim.iobound").exists());
}

/// The same against the clock: somebody swaps the name as fast as possible, through 100 preparations.
#[test]
fn no_race_writes_to_somebody_elses_file() {
    let (mut bench, victim, open) = victim();
    let name = open.join("iobound.0.data");
    bench.want(open.clone(), Some(64 << 10), true);
    let (over, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut made = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = symlink(&victim, open.join("link"));
                let _ = std::fs::rename(open.join("link"), &name);
                let _ = std::fs::remove_file(&name);
                let _ = std::fs::hard_link(&victim, &name);
                let _ = std::fs::remove_file(&name);
                std::thread::yield_now();
            }
        });
        for _ in 0..100 {
            // Most are refused: something of that name is there.
            let Ok(plan) = survey(&bench.request, &bench.machine) else { continue };
            let prepared = carry_out(&plan, &bench.machine, Leftover::Remove, &mut |_: &Progress| (), &stop);
            if let Ok(prepared) = prepared {
                made += 1;
                drop(opened(&prepared));
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(read(&victim), PRECIOUS, "after {made} of 100 preparations that got their file");
}
