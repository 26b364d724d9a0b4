//! Other processes, and what is neither file nor disk.

use super::*;

#[test]
fn what_somebody_holds_for_himself_is_barred() {
    let mut machine = Machine::new();
    machine.answers.held.insert(number("8:32"));
    assert_eq!(machine.because("/dev/sdc"), Because::Held);
    machine.allowed("/dev/sdb");
}

#[test]
fn what_a_process_has_open_for_writing_is_barred() {
    let machine = Machine::new();
    machine.tree.file("/image", "");
    machine.tree.file("/other", "");
    machine.process(812, "qemu-system-x86", "0100002", "/image");
    machine.process(813, "oracle", "02", "/dev/sdb1");
    let refusal = machine.refused("/image");
    assert_eq!(refusal.because, Because::Process);
    assert_eq!(refusal.found, "process 812 (qemu-system-x86) has it open for writing");
    assert_eq!(machine.because("/dev/sdb"), Because::Process);
    assert_eq!(machine.because("/dev/sdb1"), Because::Process);
    machine.allowed("/dev/sdb2");
    machine.allowed("/other");
}

#[test]
fn a_file_is_barred_where_the_system_says_only_that_somebody_can_write_to_it() {
    let mut machine = Machine::new();
    machine.tree.file("/image", "");
    machine.allowed("/image");
    machine.answers.written_by_others = true;
    let refusal = machine.refused("/image");
    assert_eq!(refusal.because, Because::Process);
    assert_eq!(refusal.found, "another program has it open for writing");
}

#[test]
fn readers_and_this_program_itself_bar_nothing() {
    let machine = Machine::new();
    machine.tree.file("/image", "");
    machine.process(812, "backup", "0100000", "/image");
    machine.process(813, "udev", "012000002", "/image");
    machine.process(4_000, "iobound", "02", "/image");
    // What can't be understood is not held against anybody.
    machine.process(814, "odd", "rw", "/image");
    machine.process(815, "gone", "02", "/not there");
    machine.allowed("/image");
}

#[test]
fn what_can_not_be_read_may_be_anything() {
    let mut machine = Machine::new();
    machine.answers.unreadable.insert(number("8:17"));
    let refusal = machine.refused("/dev/sdb");
    assert_eq!(refusal.because, Because::Unexamined);
    assert_eq!(refusal.help, "run as root, or as a user who can read it");
    machine.allowed("/dev/sdc");
    // A device that /sys does not show has users that can't be told.
    machine.node("/dev/sdx", "65:0");
    assert_eq!(machine.because("/dev/sdx"), Because::Unexamined);
    machine.tree.value(&machine.sdc, "size", "0");
    assert!(machine.refused("/dev/sdc").found.contains("has no size"));
}

#[test]
fn what_is_no_file_and_no_disk_is_named() {
    let mut machine = Machine::new();
    machine.other_kind("/dev/sg0", NodeKind::Character(number("21:0")));
    machine.other_kind("/run/pipe", NodeKind::Fifo);
    machine.other_kind("/run/socket", NodeKind::Socket);
    for (path, what) in [
        ("/dev/sg0", "a character device (21:0)"),
        ("/run/pipe", "a named pipe"),
        ("/run/socket", "a socket"),
    ] {
        let refusal = machine.refused(path);
        assert_eq!((refusal.because, refusal.found), (Because::NotAFile, format!("it is {what}")));
    }
    assert_eq!(machine.because("/dev"), Because::Directory);
}

#[test]
fn what_is_not_there_is_allowed_where_it_could_be_made() {
    let machine = Machine::new();
    assert_eq!(machine.because("/no/folder/file"), Because::Missing);
    machine.tree.link("/dangling", "/not/there/at/all");
    assert_eq!(machine.because("/dangling"), Because::Missing);
    machine.allowed("/dev/new");
}

#[test]
fn what_is_read_only_is_barred() {
    let mut machine = Machine::new();
    let path = machine.tree.file("/cd/file", "");
    let folder = machine.tree.path("/cd");
    for path in [path, folder] {
        let node = Node { read_only: true, ..Node::of(&path).unwrap() };
        machine.answers.nodes.insert(std::fs::canonicalize(path).unwrap(), node);
    }
    assert_eq!(machine.because("/cd/file"), Because::ReadOnly);
    assert_eq!(machine.because("/cd/new"), Because::ReadOnly);
    machine.tree.value(&machine.sdb2, "ro", "1");
    assert_eq!(machine.because("/dev/sdb2"), Because::ReadOnly);
    machine.allowed("/dev/sdb1");
}

#[test]
fn the_kernels_own_files_are_barred() {
    let mut machine = Machine::new();
    let path = machine.tree.file("/sys/kernel/switch", "");
    let node = Node { mount: Some(77), ..Node::of(&path).unwrap() };
    machine.answers.nodes.insert(std::fs::canonicalize(path).unwrap(), node);
    machine.mount("0:22", "/sys", "sysfs", "sysfs");
    let refusal = machine.refused("/sys/kernel/switch");
    assert_eq!(refusal.because, Because::Kernel);
    machine.mount("0:22", "/sys", "ext4", "ext4");
    machine.allowed("/sys/kernel/switch");
}

#[test]
fn a_refusal_says_what_was_found_and_how_to_mend_it() {
    let refusal = Refusal {
        path: PathBuf::from("/dev/sdb"),
        because: Because::Mounted,
        found: "sdb1 is mounted at /data".to_string(),
        help: "unmount it first".to_string(),
    };
    assert_eq!(
        refusal.to_string(),
        "/dev/sdb must not be overwritten: sdb1 is mounted at /data; unmount it first"
    );
}

#[test]
fn a_clearance_knows_the_file_that_was_checked_from_one_that_took_its_place() {
    let machine = Machine::new();
    let path = machine.tree.file("/file", "");
    let clearance = machine.allowed("/file");
    let open = std::fs::File::open(&path).unwrap();
    assert!(clearance.is(&open).unwrap());
    let other = machine.tree.file("/other", "");
    assert!(!clearance.is(&std::fs::File::open(other).unwrap()).unwrap());
    assert!(!machine.allowed("/new").is(&open).unwrap());
}

#[test]
fn processes_that_show_nothing_are_counted_but_for_the_kernels_own_threads() {
    let mut machine = Machine::new();
    machine.tree.file("/image", "");
    machine.process(812, "qemu-system-x86", "02", "/image");
    machine.tree.file("/proc/812/cmdline", "qemu-system-x86\0-m\0");
    machine.process(2, "kthreadd", "0", "/dev/sdc");
    machine.tree.file("/proc/2/cmdline", "");
    machine.answers.hidden = BTreeSet::from([812, 2]);
    assert_eq!(machine.allowed("/image").hidden_processes, 1);
    assert_eq!(machine.allowed("/dev/sdb").hidden_processes, 1);
    machine.answers.hidden.clear();
    assert_eq!(machine.because("/image"), Because::Process);
    assert_eq!(machine.allowed("/dev/sdb").hidden_processes, 0);
}
