//! Left here until its children go, too.

pub mod trial;
