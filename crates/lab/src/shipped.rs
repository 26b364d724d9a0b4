//! The experiments that ship with the program.

/// An experiment file of the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(Shipped { name: $name, text: include_str!(concat!("../experiments/", $name, ".toml")) }),*]
    };
}

const SHIPPED: [Shipped; 8] = shipped![
    "published",
    "queue-depth",
    "disks",
    "cache",
    "block-size",
    "stripe",
    "google-defaults",
    "real-depth",
];

/// All of them; the published experiments first.
pub fn shipped() -> impl Iterator<Item = Shipped> {
    SHIPPED.into_iter()
}

/// The one of that name.
pub fn shipped_named(name: &str) -> Option<Shipped> {
    shipped().find(|shipped| shipped.name == name)
}
