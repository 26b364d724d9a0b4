//! A row of bars of eight heights.

/// Upper bound of the lowest bar, as a share of the highest.
const LEAST_SPAN: f64 = 0.95;

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The values as bars between `low` and `high`, at most `width` of them: where there are more values, a bar is the
/// mean of its neighbours. The heights span at least a twentieth of `high`, so that a level row looks level.
pub(crate) fn sparkline(values: &[f64], low: f64, high: f64, width: usize) -> String {
    let low = low.min(high * LEAST_SPAN);
    let bars = values.len().min(width.max(1));
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    (0..bars)
        .map(|bar| mean(&values[bar * values.len() / bars..(bar + 1) * values.len() / bars]))
        .map(|value| {
            let height = if high > low { ((value - low) / (high - low) * 7.0).round() } else { 0.0 };
            LEVELS[height.clamp(0.0, 7.0) as usize]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_value_is_the_lowest_bar_and_the_highest_the_highest() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 0.0, 7.0, 40), "▁▂▃▄▅▆▇█");
    }

    #[test]
    fn more_values_than_bars_are_averaged() {
        assert_eq!(sparkline(&[0.0, 0.0, 7.0, 7.0, 0.0, 7.0], 0.0, 7.0, 3), "▁█▅");
    }

    #[test]
    fn a_level_row_is_level_and_none_is_none() {
        assert_eq!(sparkline(&[5.0; 4], 5.0, 5.0, 40), "████");
        // 1 % apart: a fifth of the heights that 5 % would have.
        assert_eq!(sparkline(&[99.0, 100.0], 99.0, 100.0, 40), "▇█");
        assert_eq!(sparkline(&[0.0; 3], 0.0, 0.0, 40), "▁▁▁");
        assert_eq!(sparkline(&[], 0.0, 1.0, 40), "");
    }
}
