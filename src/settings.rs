//! Left here until its children go, too.

pub mod catalogue;
pub mod scope;
pub mod tool_options;
