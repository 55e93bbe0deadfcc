//! What fits a prompt: how much room there is, what is shown of a text, how history is cut.

pub mod can;
pub mod excerpt;
pub mod fit;
pub mod history;
pub mod room;
pub mod weight;
