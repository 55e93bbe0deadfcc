//! Memory as a run reads it: what is recalled for a message.

pub mod recall;
