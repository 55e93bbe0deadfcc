//! Markdown in; Telegram, Discord and plain text out, split to each platform's limits.
//!
//! A message is parsed into a flat list of leaves (`tree`), cut where it hurts least (`split`), and each
//! piece is drawn for its platform on its own, so that whatever a cut goes through is closed before it and
//! opened again behind it.

mod boundary;
mod clean;
mod discord;
mod escape;
mod frames;
#[doc(hidden)]
pub mod fuzzing;
mod hidden;
mod html;
pub mod inline;
mod links;
mod mentions;
mod parse;
mod plain;
mod rich;
mod runs;
mod short;
mod split;
mod style;
mod table;
mod telegram;
mod terminal;
mod tree;

pub use clean::{Fate, Judge, cleaned};
pub use hidden::{for_terminal, is_deceiving, is_left_out, is_obeyed, is_turning, json_for_terminal};
pub use html::html;
pub use mentions::without_mentions;
pub use rich::{Rich, rich};
pub use short::{headline, shortened, within_sentence};
use split::Parts;
pub use telegram::TAPPED;
pub use terminal::DRESSES;

/// How a platform marks up text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// Telegram's HTML parse mode.
    TelegramHtml,
    /// Discord's Markdown.
    Discord,
    /// No markup.
    Plain,
    /// Plain text with a terminal's control sequences for emphasis and code: those of [`DRESSES`] and no others.
    Terminal,
}

/// One part of a message, ready to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// In the platform's markup.
    pub text: String,
    /// The same without markup, within the same limit.
    pub plain: String,
}

/// Renders Markdown for a platform, in as many parts as `limit` asks for.
///
/// `limit` counts UTF-16 units: for [`Flavor::TelegramHtml`] of what is left when the tags are parsed, as
/// Telegram does, for the others of the text itself. A limit under 2, the size of one character, counts
/// as 2. There is no part in which nothing can be seen, so blank input gives none.
pub fn render(markdown: &str, flavor: Flavor, limit: usize) -> Vec<Rendered> {
    Parts::new(markdown, flavor, limit).collect()
}

/// Whether nothing of a message can be seen once it is rendered, so that [`render`] gives no part: it is blank, holds
/// characters that show nothing, or markup without words.
pub fn is_blank(markdown: &str) -> bool {
    Parts::new(markdown, Flavor::Plain, ONE_PART).next().is_none()
}

/// A limit for one part, where what matters is whether there is any.
const ONE_PART: usize = 4_096;

/// The beginning of a message within a limit as in [`render`], ending in `…` if it is not the whole: where one part is
/// taken, and what goes with a message that is sent as a file.
pub fn head(markdown: &str, flavor: Flavor, limit: usize) -> Rendered {
    let fits = |part: &Rendered, limit| units(&part.plain) <= limit;
    let mut parts = Parts::new(markdown, flavor, limit);
    let first = parts.next().unwrap_or_default();
    if parts.next().is_none() && fits(&first, limit) {
        return first;
    }
    let Some(room) = limit.checked_sub(1) else {
        return Rendered::default();
    };
    let begin = Parts::new(markdown, flavor, room).next();
    let begin = begin.filter(|begin| fits(begin, room)).unwrap_or_default();
    Rendered {
        text: format!("{}…", begin.text),
        plain: format!("{}…", begin.plain),
    }
}

/// The length of a text in UTF-16 units.
fn units(text: &str) -> usize {
    text.bytes()
        .map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0))
        .sum()
}
