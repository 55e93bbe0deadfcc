//! Memory as a run reads it: the items and messages recalled for a message.

pub mod recall;
