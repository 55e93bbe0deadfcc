//! The settings of a terminal.

use std::{fmt, path::PathBuf, sync::Arc};

use clifford_text::Lang;
use jiff::Timestamp;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The person at the terminal, and what the terminal shows.
#[derive(Clone)]
pub struct TerminalConfig {
    /// The name of the one who types; also the id of the account.
    pub speaker: String,
    /// The language of the one who types, as a tag: `de`.
    pub language: Option<String>,
    /// Hides notes, tool calls and cost.
    pub quiet: bool,
    /// The file that keeps what was typed, for the next conversation; it is readable for nobody else.
    pub history: Option<PathBuf>,
    /// Dates messages, and names the session: two that start in the same millisecond would share ids.
    pub clock: Clock,
}

/// The reader of the output, which decides about prompts and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A person at a terminal: a line editor, colours unless `NO_COLOR` is set, a sign of work. Input that is typed
    /// during an answer is handed in at once.
    Interactive,
    /// A file or program: answers and progress as bare lines. The next line of input is read when the one
    /// before has been answered, so that a script is a conversation.
    Piped,
}

impl TerminalConfig {
    /// The language in which the one who types reads.
    pub(crate) fn lang(&self) -> Lang {
        Lang::for_reader(self.language.as_deref(), None)
    }
}

impl fmt::Debug for TerminalConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalConfig")
            .field("speaker", &self.speaker)
            .field("quiet", &self.quiet)
            .finish_non_exhaustive()
    }
}
