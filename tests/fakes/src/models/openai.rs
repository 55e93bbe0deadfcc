//! OpenAI's protocol: its refusals, and the bytes of its replies.

mod audio;
mod check;
mod more;
mod render;

pub(crate) use audio::{Recording, speech};
pub(crate) use check::request as check;
pub(crate) use more::{PNG, embeddings, image};
pub(crate) use render::{body, event, events};
