//! Processes that were started beside one, by the same parent, with the same words: a launcher that this program does not
//! know starts several, and each thinks that it is alone.

use crate::World;

/// Processes with the parent and the command line of this one, without itself, in order. Hidden processes are not
/// included.
pub fn siblings(world: &World, process: u32) -> Vec<u32> {
    let Some((parent, words)) = of(world, process) else { return Vec::new() };
    // Whatever the first process of a machine or a container adopted was started apart.
    if parent <= 1 || words.is_empty() {
        return Vec::new();
    }
    let same = |number: &u32| {
        // The parent first: it is the cheaper look, and most are another's.
        *number != process && parent_of(world, *number) == Some(parent) && words_of(world, *number) == words
    };
    world.processes().into_iter().filter(same).collect()
}

fn of(world: &World, process: u32) -> Option<(u32, Vec<u8>)> {
    Some((parent_of(world, process)?, words_of(world, process)))
}

/// `/proc/N/stat` has the name in brackets, which may hold anything; the parent is the second field behind it.
fn parent_of(world: &World, process: u32) -> Option<u32> {
    let stat = world.text(&format!("/proc/{process}/stat"))?;
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

/// The words, each with a zero byte at its end; none of a kernel's thread.
fn words_of(world: &World, process: u32) -> Vec<u8> {
    world.bytes(&format!("/proc/{process}/cmdline")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn process(tree: &Tree, number: u32, name: &str, parent: u32, words: &str) {
        tree.file(&format!("/proc/{number}/stat"), &format!("{number} ({name}) S {parent} {number} 1 0\n"));
        tree.file(&format!("/proc/{number}/cmdline"), words);
    }

    #[test]
    fn siblings_have_the_same_parent_and_the_same_words() {
        let tree = Tree::new();
        process(&tree, 10, "iobound", 5, "iobound\0run\0/mnt\0");
        process(&tree, 11, "iobound", 5, "iobound\0run\0/mnt\0");
        // A name with brackets and blanks in it takes nothing of the fields.
        process(&tree, 12, "io) R 5 (x", 5, "iobound\0run\0/mnt\0");
        process(&tree, 13, "iobound", 6, "iobound\0run\0/mnt\0");
        process(&tree, 14, "iobound", 5, "iobound\0run\0/other\0");
        assert_eq!(siblings(&tree.world(), 10), [11, 12]);
        assert_eq!(siblings(&tree.world(), 13), [0; 0]);
    }

    #[test]
    fn what_the_first_process_adopted_was_started_apart() {
        let tree = Tree::new();
        process(&tree, 10, "iobound", 1, "iobound\0");
        process(&tree, 11, "iobound", 1, "iobound\0");
        assert_eq!(siblings(&tree.world(), 10), [0; 0]);
        assert_eq!(siblings(&tree.world(), 99), [0; 0], "one that is not there has none");
    }
}
