//! Fits a prompt: how much room it has, how a text is shortened, how history is cut.

pub mod can;
pub mod excerpt;
pub mod fit;
pub mod history;
pub mod room;
pub mod weight;
