//! The stack as a picture: the limiters that an I/O meets, one below the other, how full each is and how long it held I/Os:
//! where the I/O waits.

use super::super::markup::Markup;
use super::super::unit::Unit;
use super::place;

const WIDTH: f64 = 340.0;
/// A limiter's height, and the way to the next one.
const LIMITER: f64 = 46.0;
const GAP: f64 = 18.0;
const LEFT: f64 = 8.0;

/// A limit of the stack.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Limiter {
    /// `disks IOPS`.
    pub(in super::super) title: String,
    /// In words: `50,000`.
    pub(in super::super) enforced: String,
    /// Used ÷ enforced of the fullest one.
    pub(in super::super) share: f64,
    /// Time that it held an I/O, on average.
    pub(in super::super) held_us: f64,
    /// Observed used ÷ enforced, if the rest is the model's.
    pub(in super::super) seen: Option<f64>,
    /// True if it is what binds.
    pub(in super::super) binds: bool,
}

/// The stack from where I/Os come, through its limiters, to the media.
pub(in super::super) fn stack(top: &str, limiters: &[Limiter], bottom: &str, label: &str) -> Markup {
    let height = 30.0 + GAP + limiters.len() as f64 * (LIMITER + GAP) + 32.0;
    let size = format!("0 0 {WIDTH} {}", place(height));
    let attributes = [("viewBox", size.as_str()), ("role", "img"), ("aria-label", label), ("class", "stack")];
    let longest = limiters.iter().map(|limiter| limiter.held_us).fold(0.0, f64::max);
    Markup::new().with("svg", &attributes, |out| {
        put_box(0.0, 30.0, "end-box", out);
        put_text(LEFT + 8.0, 19.0, "label", top, out);
        let mut y = 30.0;
        for limiter in limiters {
            put_arrow(y, out);
            y += GAP;
            put_limiter(limiter, y, longest, out);
            y += LIMITER;
        }
        put_arrow(y, out);
        y += GAP;
        put_box(y, 30.0, "end-box", out);
        put_text(LEFT + 8.0, y + 19.0, "label", bottom, out);
    })
}

fn put_limiter(limiter: &Limiter, y: f64, longest: f64, out: &mut Markup) {
    put_box(y, LIMITER, if limiter.binds { "limiter binds" } else { "limiter" }, out);
    let inside = WIDTH - 2.0 * LEFT - 16.0;
    let title = if limiter.binds { format!("{}, binds", limiter.title) } else { limiter.title.clone() };
    put_text(LEFT + 8.0, y + 16.0, "label", &title, out);
    put_text(WIDTH - LEFT - 8.0, y + 16.0, "figure end", &limiter.enforced, out);
    let bar = |width: f64, class: &str, out: &mut Markup| {
        let (x, at) = (place(LEFT + 8.0), place(y + 22.0));
        let wide = place(width);
        out.element(
            "rect",
            &[("x", &x), ("y", &at), ("width", &wide), ("height", "6"), ("class", class)],
            |_| {},
        );
    };
    bar(inside, "track", out);
    let full = limiter.share >= 0.98;
    bar(inside * limiter.share.clamp(0.0, 1.0), if full { "used full" } else { "used" }, out);
    let mut used = format!("{} used", Unit::Share.shown(limiter.share));
    if let Some(seen) = limiter.seen {
        let x = place(LEFT + 8.0 + inside * seen.clamp(0.0, 1.0));
        let (from, to) = (place(y + 19.0), place(y + 31.0));
        out.element("path", &[("d", &format!("M{x} {from}V{to}")), ("class", "seen")], |_| {});
        used.push_str(&format!(", {} seen", Unit::Share.shown(seen)));
    }
    put_text(LEFT + 8.0, y + 40.0, "small", &used, out);
    let held = match limiter.held_us {
        none if none < 0.05 => "holds nothing".to_string(),
        us => format!("holds an I/O {}", Unit::Us.shown(us)),
    };
    let waits = if longest > 0.0 && limiter.held_us >= longest / 2.0 && limiter.held_us >= 1.0 {
        "small end waits"
    } else {
        "small end"
    };
    put_text(WIDTH - LEFT - 8.0, y + 40.0, waits, &held, out);
}

fn put_box(y: f64, height: f64, class: &str, out: &mut Markup) {
    let (y, wide, high) = (place(y + 0.5), place(WIDTH - 2.0 * LEFT), place(height - 1.0));
    let attributes =
        [("x", "8"), ("y", y.as_str()), ("width", &wide), ("height", &high), ("rx", "5"), ("class", class)];
    out.element("rect", &attributes, |_| {});
}

fn put_arrow(y: f64, out: &mut Markup) {
    let x = WIDTH / 2.0;
    let (from, to) = (y + 2.0, y + GAP - 2.0);
    let path = format!("M{x} {from}V{to}M{} {}L{x} {to}L{} {}", x - 4.0, to - 4.0, x + 4.0, to - 4.0);
    out.element("path", &[("d", &path), ("class", "arrow")], |_| {});
}

fn put_text(x: f64, y: f64, class: &str, text: &str, out: &mut Markup) {
    out.line("text", &[("x", &place(x)), ("y", &place(y)), ("class", class)], text);
}
