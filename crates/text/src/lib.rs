//! The sentences that the bot itself says to people in a chat, in eight languages.
//!
//! A sentence is a variant of an area's enum, with its arguments as named fields: a missing one does not compile. Its
//! words stand in `catalogues/LANGUAGE/AREA.ftl` under the variant's name ([Fluent](https://projectfluent.org)). What only
//! the model, a log, the shell or the API reads stays English, and stays where it is made.
//!
//! To move sentences of another area here:
//!
//! 1. Name them in `areas/AREA.rs` by `messages!` (texts are `String`, numbers that are counted are [`Count`]), and add the
//!    area to the list in `areas.rs`.
//! 2. Write `AREA.ftl` for each language, with the same names and arguments; the English words stay as they were in the
//!    code. The tests of this crate name all that is missing or too much.
//! 3. Where the sentence was made, say `lang.say(Area::Sentence { name })`. The reader's language comes from
//!    [`Lang::for_reader`] (a person), or [`Lang::for_place`] (everybody in a shared place).
//!
//! Numbers and costs are written by [`Lang::number`] and [`Lang::decimal`], days and times by
//! `clifford_core::schedule::told`. `tests/it/sentences.rs` finds sentences that stand in the code instead.
//!
//! To add a language: a directory in `catalogues`, a variant in `lang.rs`.

mod areas;
mod lang;
mod localized;
mod message;
mod numbers;

pub use areas::*;
pub use lang::Lang;
pub use localized::Localized;
pub use message::{Count, Message};

#[cfg(test)]
mod tests;
