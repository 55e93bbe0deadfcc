//! OpenAI's protocol: what it refuses, and the bytes of its replies.

mod check;
mod more;
mod render;

pub(crate) use check::request as check;
pub(crate) use more::{embeddings, image};
pub(crate) use render::{body, event, events};
