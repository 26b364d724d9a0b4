use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const CSV: &str = "stage,start_s,end_s,phase,cut_short,iops,throughput_bytes_per_s\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("there is room"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it is there")
    }

    /// Refusal of a path, or the reason why it cannot be written.
    fn refusal(&self, name: &str) -> String {
        match OutPlace::of(&self.path(name), DocumentKind::SeriesCsv) {
            Err(Unfit::Taken(what)) => what,
            other => panic!("{name} is not refused: {other:?}"),
        }
    }
}

#[test]
fn a_new_file_is_made_and_an_own_one_is_replaced_with_its_mode() {
    let folder = Folder::new();
    let path = folder.path("a.csv");
    let place = OutPlace::of(&path, DocumentKind::SeriesCsv).unwrap();
    assert!(!Path::new(&path).exists(), "a look creates nothing");
    place.write(DocumentKind::SeriesCsv, CSV.as_bytes(), &Env::default()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    let place = OutPlace::of(&path, DocumentKind::SeriesCsv).unwrap();
    place.write(DocumentKind::SeriesCsv, format!("{CSV}1\n").as_bytes(), &Env::default()).unwrap();
    assert_eq!(folder.read("a.csv"), format!("{CSV}1\n"));
    let after = fs::metadata(&path).unwrap();
    assert_ne!(after.ino(), before, "replaced, and not written into");
    assert_eq!(after.mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_file_of_anything_else_is_refused_and_stays() {
    let folder = Folder::new();
    fs::write(folder.path("notes.csv"), "my own notes\n").unwrap();
    assert!(folder.refusal("notes.csv").contains("not a table of intervals"));
    // A document of this program of another kind is no table either.
    fs::write(folder.path("page.csv"), "<!DOCTYPE html><title>A - iobound</title>").unwrap();
    assert!(folder.refusal("page.csv").contains("not a table"));
    fs::write(folder.path("own.csv"), CSV).unwrap();
    fs::hard_link(folder.path("own.csv"), folder.path("second.csv")).unwrap();
    assert!(folder.refusal("own.csv").contains("hard links"));
    fs::create_dir(folder.path("folder")).unwrap();
    assert!(folder.refusal("folder").contains("folder"));
    let listener = std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap();
    assert!(folder.refusal("socket").contains("socket"));
    drop(listener);
    assert_eq!(folder.read("notes.csv"), "my own notes\n");
}

#[test]
fn an_entry_of_a_file_system_of_the_kernel_is_refused() {
    for path in
        ["/proc/self/comm", "/proc/self/oom_score_adj", "/sys/kernel/mm/ksm/run", "/proc/sys/kernel/new"]
    {
        for kind in [DocumentKind::SeriesCsv, DocumentKind::Settings { consented: true }] {
            let place = OutPlace::of(path, kind);
            assert!(
                matches!(&place, Err(Unfit::Taken(what)) if what.contains("kernel")),
                "{path}: {place:?}"
            );
        }
    }
}

#[test]
fn a_merged_catalogue_replaces_any_content_but_no_file_of_two_names() {
    let folder = Folder::new();
    fs::write(folder.path("mine.toml"), "# mine\n").unwrap();
    let place = OutPlace::of(&folder.path("mine.toml"), DocumentKind::MergedCatalogue).unwrap();
    fs::hard_link(folder.path("mine.toml"), folder.path("second.toml")).unwrap();
    let refused = place.write(DocumentKind::MergedCatalogue, b"merged", &Env::default());
    assert!(matches!(refused, Err(Unfit::Taken(what)) if what.contains("hard links")));
    fs::remove_file(folder.path("second.toml")).unwrap();
    place.write(DocumentKind::MergedCatalogue, b"merged", &Env::default()).unwrap();
    assert_eq!(folder.read("mine.toml"), "merged");
}

#[test]
fn what_comes_between_the_look_and_the_writing_is_not_written_over() {
    let folder = Folder::new();
    let place = OutPlace::of(&folder.path("a.csv"), DocumentKind::SeriesCsv).unwrap();
    fs::write(folder.path("victim"), "precious").unwrap();
    symlink(folder.path("victim"), folder.path("a.csv")).unwrap();
    assert!(matches!(place.write(DocumentKind::SeriesCsv, b"x", &Env::default()), Err(Unfit::Taken(_))));
    assert!(matches!(place.open(DocumentKind::SeriesCsv, &Env::default()), Err(Unfit::Taken(_))));
    fs::remove_file(folder.path("a.csv")).unwrap();
    fs::rename(folder.path("victim"), folder.path("a.csv")).unwrap();
    assert!(matches!(place.write(DocumentKind::SeriesCsv, b"x", &Env::default()), Err(Unfit::Taken(_))));
    assert_eq!(folder.read("a.csv"), "precious");
}

#[test]
fn an_empty_file_is_filled_in_its_place() {
    let folder = Folder::new();
    fs::write(folder.path("a.csv"), "").unwrap();
    let before = fs::metadata(folder.path("a.csv")).unwrap().ino();
    let place = OutPlace::of(&folder.path("a.csv"), DocumentKind::SeriesCsv).unwrap();
    place.open(DocumentKind::SeriesCsv, &Env::default()).unwrap().write_all(b"lines").unwrap();
    assert_eq!(
        (folder.read("a.csv").as_str(), fs::metadata(folder.path("a.csv")).unwrap().ino()),
        ("lines", before)
    );
}

#[test]
fn what_is_opened_is_there_under_its_name_at_once() {
    let folder = Folder::new();
    fs::write(folder.path("a.csv"), CSV).unwrap();
    let place = OutPlace::of(&folder.path("a.csv"), DocumentKind::SeriesCsv).unwrap();
    assert_eq!(folder.read("a.csv"), CSV, "until it is opened");
    let mut file = place.open(DocumentKind::SeriesCsv, &Env::default()).unwrap();
    file.write_all(b"first").unwrap();
    assert_eq!(folder.read("a.csv"), "first", "a killed program leaves this");
}

#[test]
fn null_and_descriptors_are_written_to_and_other_devices_are_not() {
    for path in ["/dev/null", "/dev/full", "-", "/dev/stdout", "/dev/stderr"] {
        assert!(OutPlace::of(path, DocumentKind::SeriesCsv).is_ok(), "{path}");
    }
    for path in ["/dev/mem", "/dev/kmsg", "/dev/urandom"].into_iter().filter(|path| Path::new(path).exists())
    {
        assert!(matches!(OutPlace::of(path, DocumentKind::SeriesCsv), Err(Unfit::Taken(_))), "{path}");
    }
    assert!(matches!(OutPlace::of("fd:x", DocumentKind::SeriesCsv), Err(Unfit::Nameless(_))));
    assert!(matches!(OutPlace::of("fd:987654", DocumentKind::SeriesCsv), Err(Unfit::Unwritable(_))));
}

#[test]
fn two_names_of_one_file_are_one_claim_also_before_it_is_there() {
    let folder = Folder::new();
    let claim = |name: &str| OutputClaim::of_path(Path::new(&folder.path(name))).unwrap();
    assert!(claim("a").is_same(&claim("./a")) && !claim("a").is_same(&claim("b")));
    fs::write(folder.path("a"), "").unwrap();
    symlink(folder.path("a"), folder.path("link")).unwrap();
    fs::hard_link(folder.path("a"), folder.path("b")).unwrap();
    assert!(claim("a").is_same(&claim("link")) && claim("a").is_same(&claim("b")));
}
