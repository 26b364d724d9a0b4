use iobound_formats::observation::{DeviceKind, Observer};
use iobound_units::Span;

use crate::{device, near, says, seen, tried};

const BEFORE: &str = include_str!("fixtures/diskstats-20-before.txt");
const AFTER: &str = include_str!("fixtures/diskstats-20-after.txt");
const V14: &str = include_str!("fixtures/diskstats-14.txt");
const V18: &str = include_str!("fixtures/diskstats-18.txt");

const TEN: Option<Span> = Some(Span::from_secs(10));

#[test]
fn two_samples_tell_rates_latency_and_queue_of_each_disk() {
    for (texts, interval) in [(vec![BEFORE, AFTER], TEN), (vec![V14], None), (vec![V18], None)] {
        let observation = seen(&texts, interval);
        assert_eq!((observation.observer, observation.duration), (Observer::Diskstats, TEN));
        for name in ["sdc", "sdd", "sde", "sdf"] {
            let disk = device(&observation, name);
            near(disk.read.ios_per_s, 4_998.0);
            near(disk.bytes_per_s(), 4_998.0 * 8_192.0);
            // 49,980 reads took int(49,980 x 6.4) ms
            near(disk.latency_us(), 319_872.0 * 1e3 / 49_980.0);
            near(disk.queue, 31.9872);
            assert_eq!((disk.kind, disk.off_littles_law()), (DeviceKind::Disk, None));
        }
        near(device(&observation, "sda").write.ios_per_s, 10.0);
        assert_eq!(device(&observation, "sda1").kind, DeviceKind::Partition);
        assert_eq!(device(&observation, "loop0").kind, DeviceKind::Pseudo);
        assert!(!device(&observation, "sdb").is_active());
    }
}

#[test]
fn times_may_stand_after_each_sample() {
    let text = format!("{BEFORE}22:16:35\n{AFTER}22:16:45\n");
    assert_eq!(seen(&[&text], None).duration, TEN);
}

#[test]
fn a_counter_that_wraps_is_allowed_for() {
    // 32 bits of reads: 10 below the end before, 49,970 after.
    let line = |reads: u64| format!("8 32 sdc {reads} 0 800 300 0 0 0 0 0 900 300\n");
    let before = line((1 << 32) - 10);
    let observation = seen(&[&before, &line(49_970)], TEN);
    near(device(&observation, "sdc").read.ios_per_s, 4_998.0);
    says(&observation, "a counter wrapped around between two samples");
}

#[test]
fn samples_that_can_not_belong_together_are_refused() {
    let busy = AFTER.to_string();
    for (texts, interval, part) in [
        (vec![BEFORE], TEN, "there is only one sample"),
        (vec![AFTER, BEFORE], TEN, "smaller than in the previous sample"),
        (vec![BEFORE, AFTER], None, "--interval 60s"),
        (vec![BEFORE, &busy], Some(Span::from_secs(5)), "was busy for 10.0 s, but only 5.0 s"),
        (vec![V14], Some(Span::from_secs(60)), "10.0 s apart"),
        (vec![BEFORE, "8 32 sdc 1 2 3\n"], TEN, "instead of 14, 18 or 20"),
    ] {
        let error = tried(&texts, interval).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}
