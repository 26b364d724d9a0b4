//! The choice of an engine by its targets, and the files that a run opens.

use super::*;

#[test]
fn the_engine_is_chosen_and_named() {
    let Choice { kind, because } =
        choose(None, Needs { direct: true, discards: false, range_syncs: false, outstanding: 64 }, &[])
            .unwrap();
    // Where the fastest is refused, the reason is said.
    assert_eq!(kind == Kind::IoUring, because.is_none());
}

/// What the engine for a file past the page cache is to be, by the kernel's own word on a read of it: known where its file
/// system has direct I/O, and both engines are granted.
fn engine_by_the_kernels_word(path: &Path) -> Option<Kind> {
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECT, rustix::fs::Mode::empty()).ok()?;
    if engines(true).len() < Kind::ALL.len() {
        return None;
    }
    let mut page = memmap2::MmapMut::map_anon(4096).unwrap();
    let mut parts = [std::io::IoSliceMut::new(&mut page)];
    match rustix::io::preadv2(&file, &mut parts, 0, rustix::io::ReadWriteFlags::NOWAIT) {
        Ok(_) => Some(Kind::IoUring),
        Err(rustix::io::Errno::OPNOTSUPP) => Some(Kind::Libaio),
        Err(_) => None,
    }
}

#[test]
fn a_file_that_takes_nothing_without_waiting_is_given_to_libaio() {
    // A file system of memory takes nothing at once and puts nobody to sleep; one on a disk takes reads at once.
    for folder in [PathBuf::from("/dev/shm"), std::env::temp_dir()] {
        let Ok(folder) = tempfile::tempdir_in(folder) else { continue };
        let path = folder.path().join("file");
        let mut file = File::create(&path).unwrap();
        file.write_all(&vec![0xee; SIZE as usize]).unwrap();
        file.sync_all().unwrap();
        let Some(expected) = engine_by_the_kernels_word(&path) else { continue };
        let opened = Targets::open(&[vec![path.clone()]], Open { writes: false, direct: true }).unwrap();
        let needs = Needs { direct: true, discards: false, range_syncs: false, outstanding: 32 };
        let Choice { kind, because } = choose(None, needs, opened.files()).unwrap();
        assert_eq!(kind, expected, "{}", path.display());
        assert_eq!(because.is_some(), kind == Kind::Libaio);
        if let Some(because) = because {
            assert!(because.to_string().contains(path.to_str().unwrap()), "{because}");
        }
        // Whoever asks for one gets it.
        assert_eq!(choose(Some(Kind::IoUring), needs, opened.files()).unwrap().kind, Kind::IoUring);
        // Through the page cache, io_uring stays.
        let buffered = Needs { direct: false, ..needs };
        assert_eq!(choose(None, buffered, opened.files()).unwrap().kind, Kind::IoUring);
    }
}

#[test]
fn several_files_of_one_size_are_one_target_end_to_end() {
    for engine in engines(false) {
        let bench = Bench::new(3);
        let all = Arc::new(
            Targets::open(std::slice::from_ref(&bench.paths), Open { writes: true, direct: false }).unwrap(),
        );
        assert_eq!(all.size_of(TargetId(0)), Bytes(3 * SIZE));
        let names = [Target { name: "all".into(), id: TargetId(0), size: Bytes(3 * SIZE), members_of: None }];
        let mut write = job(Op::Write, 4);
        write.access = Access::sequential();
        write.stop_after = Some(Bytes(2 * SIZE));
        let stop = Arc::new(AtomicBool::new(false));
        run(&until_done(write), &names, &all, &options(engine), &stop, &mut |_| Flow::Continue).unwrap();
        let whole = |n: usize, byte: u8| bench.content(n).iter().all(|found| *found == byte);
        assert!(whole(0, 0) && whole(1, 0) && whole(2, 0xee), "{engine}");
    }
}

#[test]
fn files_of_one_target_that_differ_in_size_are_refused() {
    let bench = Bench::new(2);
    File::options().write(true).open(&bench.paths[1]).unwrap().set_len(SIZE / 2).unwrap();
    let error =
        Targets::open(std::slice::from_ref(&bench.paths), Open { writes: false, direct: false }).unwrap_err();
    assert!(error.to_string().contains("4 MiB"), "{error}");
}

fn to_open(path: &Path, writes: bool) -> ToOpen {
    ToOpen {
        files: vec![FileToOpen { path: path.into(), handle: None, size: None }],
        writes,
        buffered: false,
    }
}

#[test]
fn what_is_only_read_is_opened_for_reading_only() {
    let bench = Bench::new(2);
    let targets = [to_open(&bench.paths[0], false), to_open(&bench.paths[1], true)];
    let opened = Targets::open_each(&targets, false).unwrap();
    let writes = |n: usize| rustix::fs::fcntl_getfl(opened.files()[n].file()).unwrap() & OFlags::RWMODE;
    assert_eq!([writes(0), writes(1)], [OFlags::RDONLY, OFlags::RDWR]);
    assert!(opened.how().writes);
}

#[test]
fn a_file_that_takes_the_name_of_the_one_looked_at_is_not_opened() {
    let bench = Bench::new(2);
    let mut target = to_open(&bench.paths[0], true);
    let handle = Handle::open(&bench.paths[0]).unwrap();
    target.files[0].handle = Some(handle.clone());
    std::fs::rename(&bench.paths[1], &bench.paths[0]).unwrap();
    let opened = Targets::open_each(&[target], false).unwrap();
    assert_eq!(Identity::of_open(opened.files()[0].file()).unwrap(), handle.identity());
    assert_ne!(Identity::at(&bench.paths[0]), Some(handle.identity()));
}

#[test]
fn of_files_longer_than_what_is_used_only_that_is_laid_end_to_end() {
    let bench = Bench::new(2);
    let half = |path: &PathBuf| FileToOpen { path: path.clone(), handle: None, size: Some(Bytes(SIZE / 2)) };
    let target = ToOpen { files: bench.paths.iter().map(half).collect(), writes: false, buffered: false };
    let opened = Targets::open_each(&[target], false).unwrap();
    assert_eq!(opened.size_of(TargetId(0)), Bytes(SIZE));
    assert_eq!(opened.place(TargetId(0), SIZE / 2 + 4096), (1, 4096));
}
