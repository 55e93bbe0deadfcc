//! Markdown in; Telegram, Discord and plain text out, split to each platform's limits.

/// How a platform marks up text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// Telegram's HTML parse mode.
    TelegramHtml,
    /// Discord's Markdown.
    Discord,
    /// No markup.
    Plain,
}
