//! Steps of two runs, or of a run and its rerun, side by side.

use maud::{Markup, html};
use serde::Deserialize;

use super::{step::Step, steps::brief};
use crate::view::parts::{Tone, badge};

/// A row of the API.
#[derive(Deserialize)]
pub(crate) struct Pair {
    same: bool,
    left: Option<Step>,
    right: Option<Step>,
    effect: Option<Effect>,
}

/// The fate of an effect of a rerun.
#[derive(Deserialize)]
struct Effect {
    is: String,
    seq: Option<u32>,
}

impl Effect {
    fn draw(&self) -> Markup {
        html! {
            @match self.seq {
                Some(seq) => span.small.quiet { "As recorded in step " (seq) ": it was answered from there." },
                None if self.is == "would_have" => (badge(Tone::Warn, "would have; not carried out")),
                None => {}
            }
        }
    }
}

/// How many rows differ.
pub(crate) fn differences(pairs: &[Pair]) -> usize {
    pairs.iter().filter(|pair| !pair.same).count()
}

/// The rows, under these two names.
pub(crate) fn table(pairs: &[Pair], names: [&str; 2]) -> Markup {
    html! {
        table.table.cards.sides {
            caption.hidden { (names[0]) " and " (names[1]) ", step by step" }
            thead { tr { th scope="col" { "Step" } th scope="col" { (names[0]) } th scope="col" { (names[1]) } } }
            tbody {
                @for pair in pairs {
                    tr {
                        td.lead {
                            @if pair.same { (badge(Tone::Plain, "same")) } @else { (badge(Tone::Warn, "different")) }
                        }
                        td data-label=(names[0]) { (side(pair.left.as_ref())) }
                        td data-label=(names[1]) {
                            (side(pair.right.as_ref()))
                            @if let Some(effect) = &pair.effect { (effect.draw()) }
                        }
                    }
                }
            }
        }
    }
}

fn side(step: Option<&Step>) -> Markup {
    html! {
        div {
            @match step {
                Some(step) => (brief(step)),
                None => span.quiet { "Nothing like it" },
            }
        }
    }
}
