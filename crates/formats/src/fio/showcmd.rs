//! `--showcmd`: job files as a command line.

use iobound_workload::shell_word;

use super::jobfile::JobFile;
use super::setting::Setting;

/// The command line that means the same as these jobs. As fio's it has the options of all jobs before the first
/// `--name`; where later jobs inherit others than the first, each says all of its own. Values that a shell would
/// take apart are quoted, which fio leaves out. The `name` of a section that renames its job is not said: on a line it
/// would open another.
pub fn show_command(file: &JobFile) -> String {
    let jobs: Vec<Vec<&Setting>> = file.jobs.iter().map(|job| job.settings.in_order()).collect();
    let common = common(&jobs);
    let mut words = vec!["fio".to_string()];
    words.extend(common.iter().map(|setting| word(setting)));
    for (job, settings) in file.jobs.iter().zip(&jobs) {
        words.push(shell_word(&format!("--name={}", job.name)));
        let is_common =
            |setting: &&&Setting| setting.inherited && common.iter().any(|other| same(other, setting));
        let own = settings.iter().filter(|setting| !is_common(setting) && setting.option.name != "name");
        words.extend(own.map(|setting| word(setting)));
    }
    words.join(" ")
}

/// Settings that all jobs inherit.
fn common<'a>(jobs: &[Vec<&'a Setting>]) -> Vec<&'a Setting> {
    let Some((first, others)) = jobs.split_first() else { return Vec::new() };
    let alike = |setting: &&Setting| {
        others.iter().all(|job| job.iter().any(|other| other.inherited && same(other, setting)))
    };
    first.iter().copied().filter(|setting| setting.inherited).filter(alike).collect()
}

fn same(one: &Setting, other: &Setting) -> bool {
    one.option == other.option && one.value == other.value
}

fn word(setting: &Setting) -> String {
    match &setting.value {
        Some(value) => shell_word(&format!("--{}={value}", setting.option.name)),
        None => format!("--{}", setting.option.name),
    }
}
