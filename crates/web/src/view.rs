//! The components of pages. Words of people, models and platforms go through [`words`], Markdown through [`prose`].

pub(crate) mod chart;
pub(crate) mod csv;
pub(crate) mod difference;
pub(crate) mod document;
pub(crate) mod format;
pub(crate) mod layout;
pub(crate) mod parts;
pub(crate) mod review;

use maud::{Markup, PreEscaped, html};

/// The characters that stand in for one that would deceive: text runs in the other direction, or is there unseen.
const HIDDEN: char = '\u{fffd}';

/// Words from outside: escaped, without characters that deceive, and set apart from the direction of what stands around
/// them.
pub(crate) fn words(text: &str) -> Markup {
    html! { bdi { (clean(text)) } }
}

/// Words of ours that name something between backticks: as code.
pub(crate) fn with_code(text: &str) -> Markup {
    html! {
        @for (place, piece) in text.split('`').enumerate() {
            @if place % 2 == 1 { code { (clean(piece)) } } @else { (clean(piece)) }
        }
    }
}

/// The same where no element may stand: in a title, in a field.
pub(crate) fn clean(text: &str) -> String {
    let safe = |c: char| if clifford_markup::is_obeyed(c) { HIDDEN } else { c };
    text.chars().map(safe).collect()
}

/// Markdown from outside, as a safe subset of HTML.
pub(crate) fn prose(markdown: &str) -> Markup {
    html! { div.prose dir="auto" { (PreEscaped(clifford_markup::html(&clean(markdown)))) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_neither_leave_their_element_nor_turn_around_what_follows() {
        let shown = words("</bdi><script>alert(1)</script>\" onload='x\u{202e}").into_string();
        let expected = "<bdi>&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload='x\u{fffd}</bdi>";
        assert_eq!(shown, expected);
    }
}
