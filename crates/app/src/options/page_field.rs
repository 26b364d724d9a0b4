//! Fields of the page's forms. An option that has one says so in its declaration; `crates/serve/assets/options.js` is written
//! from them.

/// Field of an option in a form of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageField {
    /// Name of the field on the page.
    pub label: &'static str,
    /// Value that an empty field stands for; empty if there is none.
    pub placeholder: &'static str,
    /// A few words below the field, such as an example.
    pub hint: &'static str,
    /// Width: `short`, `long`, or empty.
    pub width: &'static str,
    /// List of the catalogue that is offered: `vms`, `regions`, `disks` or `presets`; empty for none.
    pub offers: &'static str,
    /// The values of a choice with their words; none for a text.
    pub choices: &'static [(&'static str, &'static str)],
}

impl PageField {
    /// A text of this width, with the value that an empty field stands for.
    pub(crate) const fn text(
        width: &'static str,
        label: &'static str,
        placeholder: &'static str,
        hint: &'static str,
    ) -> PageField {
        PageField { label, placeholder, hint, width, offers: "", choices: &[] }
    }

    /// A text with a list of the catalogue.
    pub(crate) const fn offers(label: &'static str, offers: &'static str, hint: &'static str) -> PageField {
        PageField { offers, ..PageField::text("", label, "", hint) }
    }

    /// One of a few values; the first is that of an empty field.
    pub(crate) const fn choice(
        label: &'static str,
        choices: &'static [(&'static str, &'static str)],
        hint: &'static str,
    ) -> PageField {
        PageField { choices, ..PageField::text("", label, "", hint) }
    }
}
