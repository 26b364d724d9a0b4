//! The look of pages: what stands on what can be read, in light, in dark and on paper.
#![allow(
    clippy::disallowed_methods,
    reason = "contrast is a formula with a power, and no result depends on it"
)]

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../assets/look.css");

/// The variables of each block `:root { ... }`: light, dark, paper.
fn palettes() -> Vec<BTreeMap<&'static str, [f64; 3]>> {
    let blocks = STYLE.split(":root {").skip(1).map(|rest| rest.split('}').next().unwrap());
    blocks
        .map(|block| {
            let lines = block.split(';').filter_map(|line| line.split_once(':'));
            lines
                .filter_map(|(name, value)| Some((name.trim().strip_prefix("--")?, color(value.trim())?)))
                .collect()
        })
        .collect()
}

fn color(text: &str) -> Option<[f64; 3]> {
    let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6)?;
    let part = |n: usize| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).map(|part| f64::from(part) / 255.0);
    Some([part(0).ok()?, part(1).ok()?, part(2).ok()?])
}

/// Relative luminance and contrast as WCAG 2.2 defines them.
fn luminance(color: [f64; 3]) -> f64 {
    let linear = color.map(|c| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055f64).powf(2.4) });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_and_lines_have_the_contrast_of_aa_in_light_in_dark_and_on_paper() {
    // Black on white is 21.
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    let palettes = palettes();
    assert_eq!(palettes.len(), 3);
    for palette in palettes {
        for name in ["text", "quiet", "link", "warn", "c1", "c2", "c3", "c4", "c5", "c6"] {
            for ground in ["ground", "raised"] {
                let of = contrast(palette[name], palette[ground]);
                assert!(of >= 4.5, "{name} on {ground} is {of:.2}:1");
            }
        }
    }
}

#[test]
fn markers_are_told_apart_on_the_bars_they_stand_on() {
    for palette in palettes() {
        // Graphics need 3:1 (WCAG 2.2, 1.4.11).
        for name in ["c1", "c2", "c3", "c4", "c6"] {
            let of = contrast(palette[name], palette["band"]);
            assert!(of >= 3.0, "{name} on a band is {of:.2}:1");
        }
    }
}
