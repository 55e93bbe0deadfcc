//! Channels, their settings and those of the bot, spaces that were left, agents and rules.

pub mod agents;
pub mod channels;
pub mod left_spaces;
pub mod moving;
pub mod place_settings;
pub mod policies;
pub mod renaming;
pub mod setting_changes;
pub mod settings;
pub mod spaces;
pub mod threads;
