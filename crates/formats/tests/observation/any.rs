//! No text is a panic, whatever it holds: random text, and mutations of texts that are right. What is read is finite
//! and not negative, and what is not says why.

use iobound_formats::observation::{ObservedFile, Observer, read, recognise};
use iobound_units::Span;
use proptest::prelude::*;

const RIGHT: [&str; 12] = [
    include_str!("fixtures/iostat-10.txt"),
    include_str!("fixtures/iostat-11.txt"),
    include_str!("fixtures/iostat-12-comma.txt"),
    include_str!("fixtures/iostat-12-h.txt"),
    include_str!("fixtures/iostat-12.json"),
    include_str!("fixtures/diskstats-14.txt"),
    include_str!("fixtures/diskstats-one-busy.txt"),
    include_str!("fixtures/typeperf.csv"),
    include_str!("fixtures/file-stats-sqlcmd.txt"),
    include_str!("fixtures/file-stats-after.csv"),
    include_str!("fixtures/pg-stat-io-16.txt"),
    include_str!("fixtures/pg-stat-io-18-after.csv"),
];

/// Reads texts as everything that they could be.
fn everywhere(texts: &[&str], interval: Option<Span>) {
    let _ = recognise(texts[0], &[]);
    let files: Vec<ObservedFile<'_>> = texts.iter().map(|text| ObservedFile { name: "any", text }).collect();
    for observer in Observer::ALL {
        match read(observer, &files, interval) {
            Ok(observation) => {
                for device in &observation.devices {
                    let sides = [device.read, device.write, device.both];
                    let figures =
                        sides.iter().flat_map(|side| [side.ios_per_s, side.bytes_per_s, side.latency_us]);
                    let derived =
                        [device.ios_per_s(), device.bytes_per_s(), device.latency_us(), device.outstanding()];
                    let all = figures.chain(derived).chain([device.queue]).flatten();
                    for figure in all.chain(device.series.iter().copied()) {
                        assert!(figure.is_finite() && figure >= 0.0, "{observer}: {device:?}");
                    }
                    assert_eq!(device.series.len(), observation.starts_s.len());
                    let _ = device.off_littles_law();
                }
                assert!(!observation.devices.is_empty() || !observation.consumed.is_empty());
            }
            Err(error) => {
                for problem in &error.problems {
                    assert!(problem.place.caret as usize <= problem.place.text.chars().count(), "{error}");
                }
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

/// A text that is right, with pieces taken out, doubled, or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(String::new()),
        Just("-1".to_string()),
        Just("99999999999999999999".to_string()),
        Just("1e300".to_string()),
        Just("é\u{feff}".to_string()),
        Just("\"".to_string()),
        Just("\n".to_string()),
        Just("10:16:45 PM\n".to_string()),
        "[0-9.,:;|\t\"{}a-z -]{0,12}",
    ];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, piece), 1..6);
    (0..RIGHT.len(), edits).prop_map(|(which, edits)| {
        let mut text: Vec<char> = RIGHT[which].chars().collect();
        for (index, length, piece) in edits {
            let from = index.index(text.len().max(1));
            let to = (from + length).min(text.len());
            text.splice(from.min(to)..to, piece.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_text_that_was_right_is_never_a_panic(text in mutated(), other in 0..RIGHT.len(), seconds in 0u64..100) {
        let interval = (seconds > 0).then(|| Span::from_secs(seconds));
        everywhere(&[&text], interval);
        everywhere(&[RIGHT[other], &text], interval);
    }

    #[test]
    fn random_text_is_never_a_panic(text in "\\PC{0,300}") {
        everywhere(&[&text], None);
    }

    /// Two samples of a disk tell what was counted between them, whatever the counters were before.
    #[test]
    fn what_diskstats_counted_is_what_is_told(
        base in prop::collection::vec(0u64..1 << 40, 17),
        reads in 1u64..1 << 20,
        sectors in 1u64..1 << 24,
        ms in 1u64..1 << 20,
        seconds in 1u64..1_000,
    ) {
        let line = |counters: &[u64]| {
            let words: Vec<String> = counters.iter().map(u64::to_string).collect();
            format!("8 32 sdc {}\n", words.join(" "))
        };
        let mut after = base.clone();
        after[0] += reads;
        after[2] += sectors;
        after[3] += ms;
        let (before, after) = (line(&base), line(&after));
        let files = [&before, &after].map(|text| ObservedFile { name: "sample", text });
        let observation = read(Observer::Diskstats, &files, Some(Span::from_secs(seconds))).unwrap();
        let disk = &observation.devices[0];
        let near = |told: Option<f64>, value: f64| (told.unwrap() - value).abs() <= 1e-9 * value;
        prop_assert!(near(disk.ios_per_s(), reads as f64 / seconds as f64));
        prop_assert!(near(disk.bytes_per_s(), sectors as f64 * 512.0 / seconds as f64));
        prop_assert!(near(disk.latency_us(), ms as f64 * 1e3 / reads as f64));
    }

    /// A report of iostat tells what it was printed from, within its two decimals, in either locale.
    #[test]
    fn what_iostat_printed_is_what_is_told(reads in 0.0f64..1e5, kib in 1.0f64..1e3, await_ms in 0.01f64..500.0, comma: bool) {
        let row = format!("sdc {reads:.2} 0.00 {:.2} 0.00 {await_ms:.2} 0.00 {:.2}\n", reads * kib, reads * await_ms / 1e3);
        let row = if comma { row.replace('.', ",") } else { row };
        let text = format!("Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz\n{row}");
        let files = [ObservedFile { name: "iostat", text: &text }];
        let observation = read(Observer::Iostat, &files, Some(Span::from_secs(10))).unwrap();
        let disk = &observation.devices[0];
        prop_assert!((disk.ios_per_s().unwrap() - reads).abs() <= 0.005 + 1e-9);
        prop_assert!((disk.bytes_per_s().unwrap() - reads * kib * 1024.0).abs() <= 0.005 * 1024.0 + 1e-3);
        prop_assert_eq!(disk.off_littles_law(), None);
    }
}
