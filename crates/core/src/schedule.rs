//! Times that come again: cron expressions, intervals, phrases such as "every Monday at 9", and what is due.

pub mod cron;
pub mod due;
pub(crate) mod interval;
pub mod phrase;
pub mod told;
pub mod trigger;
