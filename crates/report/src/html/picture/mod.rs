//! Pictures that need no script: SVG with classes of the style sheet, so that they follow its colours, light, dark and on
//! paper.

mod bars;
mod lines;
mod stack;

pub(super) use bars::{Bar, Marker, Row, put_marker, put_rows};
pub(super) use lines::picture;
pub(super) use stack::{Limiter, stack};

/// A coordinate: a tenth of a pixel is enough.
fn place(value: f64) -> String {
    crate::number::rounded(value, 1).to_string()
}
