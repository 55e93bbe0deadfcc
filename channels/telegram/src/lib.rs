//! Telegram, by teloxide.
