//! A terminal as a chat platform.
