//! What is carried to a platform.

use std::{fmt, path::PathBuf, time::Duration};

use bytes::Bytes;
use clifford_markup::Flavor;
use serde::{Deserialize, Serialize};

/// What a platform can do, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most that one part's visible text may have, in UTF-16 code units.
    pub text_units: usize,
    /// The most bytes of a file.
    pub file_bytes: u64,
    /// How text is marked up.
    pub flavor: Flavor,
    /// The platform drops a part whose key it has seen, so sending again is safe.
    pub drops_repeats: bool,
    /// How often a typing indicator must be shown again to stay; `None` if there is none.
    pub typing_every: Option<Duration>,
    /// A part is delivered when it is stored: nothing needs to be sent (the API's own channel).
    pub delivered_when_stored: bool,
    /// Shows notes and tool calls as they happen ([`Signal::Progress`]).
    pub shows_progress: bool,
    /// How long to wait from one look of a growing answer to the next ([`Signal::Draft`]); `None`: it is not shown.
    pub draft_every: Option<Duration>,
}

/// Where a part goes: fixed when its run is created, never "the last channel".
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// [`crate::inbound::Place::external_id`].
    pub place: String,
    /// One person and the bot: rate limits differ.
    pub private: bool,
    /// The platform's id of the message to answer, where the answer should point at it.
    pub reply_to: Option<String>,
    /// What the command that is answered gave ([`crate::inbound::Command::via`]).
    pub via: Option<String>,
}

/// One message, rendered for its platform and within its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// In the platform's markup.
        text: String,
        /// The same without markup, for when the platform cannot read it.
        plain: String,
        /// What stands below it to be pressed, where the platform has buttons. Whoever has none finds the same in
        /// the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        buttons: Vec<Button>,
    },
    /// A text file, for what is too long for messages.
    File {
        /// Its name.
        name: String,
        /// Its content.
        content: String,
        /// A short plain text that goes with it.
        caption: String,
    },
    /// A file that is kept elsewhere.
    Stored {
        /// Its id there.
        id: String,
        /// Its name.
        name: String,
        /// What it is.
        media_type: String,
        /// Its content, read when it is sent: it stands in no outbox.
        #[serde(skip)]
        payload: Payload,
    },
}

/// The content of a stored file on its way out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// The content.
    pub content: Bytes,
    /// Where it is on this machine, if it is.
    pub path: Option<PathBuf>,
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({} bytes)", self.content.len())
    }
}

/// A button. Pressing it is giving its command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What stands on it, at most 40 characters.
    pub label: String,
    /// The command without its slash, such as `switch 0192…`; at most 60 bytes.
    pub command: String,
}

/// Names one part for good: at most 25 ASCII characters (the length of a Discord nonce).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryKey(pub String);

impl fmt::Display for DeliveryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the platform said of a part that it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The platform's id of the message; empty, if it did not tell.
    pub id: String,
}

/// What may be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The bot is at work; shown for [`Limits::typing_every`].
    Typing,
    /// A step of the run, for channels that show them.
    Progress {
        /// What kind of step.
        kind: ProgressKind,
        /// A line to show.
        text: String,
    },
    /// An answer as far as it has come. The next one takes its place, and at last the part of that key.
    Draft {
        /// The key of the first part of what it will be.
        key: DeliveryKey,
        /// In the platform's markup, two UTF-16 units within the limit of one part.
        text: String,
        /// The same without markup.
        plain: String,
    },
    /// Nothing comes of this draft: it goes away.
    DraftDropped {
        /// Its key.
        key: DeliveryKey,
    },
    /// The run ended or sleeps: nothing more comes for it now.
    Done,
}

/// The kinds of steps that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressKind {
    /// A note: requirements, plan, artifact, validation.
    Note,
    /// A tool is called.
    ToolCall,
    /// What the tool said.
    ToolResult,
    /// What the run cost so far.
    Cost,
}
