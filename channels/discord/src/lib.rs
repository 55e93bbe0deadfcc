//! Discord, by serenity.
