//! Content of the built program.

use crate::workspace::{files, root};

/// Length of the piece that is searched for.
const PIECE: usize = 64;

/// Each copy of a table adds megabytes to the program and to every test program.
#[test]
fn the_largest_table_is_in_the_program_once() {
    let tables = files(&root().join("crates/catalog/data"), &["csv"]);
    let tables = tables.iter().map(|path| std::fs::read(path).expect("a table can be read"));
    let largest = tables.max_by_key(Vec::len).expect("the catalogue has tables");
    let piece = &largest[largest.len() / 2..][..PIECE];
    let program = std::fs::read(env!("CARGO_BIN_EXE_iobound")).expect("the program is built");
    assert_eq!(program.windows(PIECE).filter(|window| *window == piece).count(), 1);
}
