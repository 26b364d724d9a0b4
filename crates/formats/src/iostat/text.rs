//! Reports as text.

use super::Report;
use super::columns::{self, Figures};
use crate::error::{At, Trouble};
use crate::observation::{Clock, DEVICES, INTERVALS, figure, lines};

/// The table that is being read: the names of its columns, and which of them is the device's.
struct Header<'a> {
    names: Vec<&'a str>,
    device: usize,
}

impl<'a> Header<'a> {
    fn of(words: &[&'a str]) -> Option<Header<'a>> {
        let is_device = |word: &&str| matches!(*word, "Device" | "Device:");
        let device = words.iter().position(is_device)?;
        Some(Header { names: words.to_vec(), device })
    }
}

struct Reader<'a, 't> {
    reports: Vec<Report>,
    header: Option<Header<'a>>,
    /// A name that stands alone on its line, as long ones did.
    alone: Option<&'a str>,
    /// True if the next line has the processors' figures, and their names.
    cpu: Option<Vec<&'a str>>,
    /// True if the next report is the first after a banner.
    is_first: bool,
    trouble: &'t mut Trouble,
}

/// The reports of a text.
pub(super) fn reports(text: &str, notes: &mut Vec<String>, trouble: &mut Trouble) -> Option<Vec<Report>> {
    let mut reader =
        Reader { reports: Vec::new(), header: None, alone: None, cpu: None, is_first: true, trouble };
    let mut unknown: Vec<String> = Vec::new();
    for (at, line) in lines(text) {
        let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["Linux", ..] if line.contains('(') => {
                (reader.is_first, reader.header) = (true, None);
            }
            ["avg-cpu:", names @ ..] => {
                reader.header = None;
                if reader.reports.last().is_none_or(|last| last.cpu.is_some() || !last.devices.is_empty()) {
                    reader.begin(at);
                }
                reader.cpu = Some(names.to_vec());
            }
            words if Header::of(words).is_some() => {
                let header = Header::of(words).expect("it was one just now");
                let strange = header.names.iter().filter(|name| !columns::is_iostats(name));
                unknown.extend(strange.map(ToString::to_string));
                if !header.names.iter().any(|name| columns::known(name).is_some_and(|(c, _)| is_extended(c)))
                {
                    reader.trouble.add(
                        At { source: 0, at, len: line.len() },
                        "these are not the extended figures: they contain no latency",
                        "run iostat with -x",
                    );
                    return None;
                }
                // With -h a report has a table for each kind of I/O; another one of the same begins a report.
                let repeats = reader.reports.last().is_none_or(|last| {
                    let told = header.names.iter().filter_map(|name| columns::known(name));
                    let mut figures = Figures::default();
                    told.for_each(|(column, _)| figures.set(column, 0.0));
                    last.devices.iter().any(|(_, own)| own.overlaps(&figures))
                });
                if repeats {
                    reader.begin(at);
                }
                reader.header = Some(header);
            }
            words => {
                if reader.processors(words) {
                    continue;
                }
                reader.line(at, line, words);
            }
        }
        if reader.trouble.is_full() || reader.reports.len() > INTERVALS + 1 {
            break;
        }
    }
    unknown.sort();
    unknown.dedup();
    if !unknown.is_empty() {
        unknown.truncate(8);
        notes.push(format!("unknown columns are skipped: {}", unknown.join(", ")));
    }
    reader.trouble.is_empty().then_some(reader.reports)
}

/// True if a column is one that only `-x` prints.
fn is_extended(column: columns::Column) -> bool {
    !matches!(column, columns::Column::Both)
}

impl<'a> Reader<'a, '_> {
    fn begin(&mut self, at: usize) {
        let is_first = std::mem::take(&mut self.is_first);
        self.reports.push(Report { at, is_first, ..Report::default() });
    }

    /// The line below `avg-cpu`, where this is it.
    fn processors(&mut self, words: &[&'a str]) -> bool {
        let Some(names) = self.cpu.take() else { return false };
        let figures: Option<Vec<f64>> =
            words.iter().map(|word| figure(word.strip_suffix('%').unwrap_or(word))).collect();
        let Some(figures) = figures.filter(|figures| figures.len() == names.len()) else { return false };
        let share = |wanted: &str| {
            let found = names.iter().zip(&figures).find(|(name, _)| name.trim_start_matches('%') == wanted);
            found.map_or(0.0, |(_, figure)| figure / 100.0)
        };
        if let Some(report) = self.reports.last_mut() {
            report.cpu = Some((share("user") + share("nice") + share("system"), share("iowait")));
        }
        true
    }

    /// A line of a table, or a time.
    fn line(&mut self, at: usize, line: &str, words: &[&'a str]) {
        let columns = self.header.as_ref().map_or(0, |header| header.names.len());
        let is_row = columns > 0 && words.len() == columns;
        if !is_row && let Some(clock) = Clock::read(line) {
            self.header = None;
            self.begin(at);
            if let Some(report) = self.reports.last_mut() {
                report.clock = Some(clock);
            }
            return;
        }
        let Some(header) = &self.header else { return };
        let mut row = words.to_vec();
        if words.len() + 1 == columns
            && let Some(name) = self.alone.take()
        {
            row.insert(header.device, name);
        } else if let [name] = words {
            self.alone = Some(name);
            return;
        }
        let place = At { source: 0, at, len: line.len() };
        if row.len() != columns {
            let what = format!("the line has {} words, and its header {columns}", row.len());
            self.trouble.add(place, what, "give the complete output of iostat");
            return;
        }
        let mut figures = Figures::default();
        for (name, text) in header.names.iter().zip(&row) {
            let Some((column, scale)) = columns::known(name) else { continue };
            match columns::read(text, scale) {
                Some(read) => figures.set(column, read),
                None => {
                    let what = format!("{name}: `{text}` is not a figure");
                    self.trouble.add(place, what, "give the complete output of iostat");
                }
            }
        }
        let name = row[header.device];
        let Some(report) = self.reports.last_mut() else { return };
        let known = report.devices.iter().position(|(own, _)| own == name);
        match known {
            Some(index) => report.devices[index].1.merge(&figures),
            None if report.devices.len() == DEVICES => {
                let what = format!("a report has more than {DEVICES} devices");
                self.trouble.add(place, what, "name only the devices to explain: iostat -x sdc sdd");
            }
            None => report.devices.push((name.to_string(), figures)),
        }
    }
}
