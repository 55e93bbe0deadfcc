//! Parts and signals that are carried to a platform.

use std::{fmt, path::PathBuf, time::Duration};

use bytes::Bytes;
use clifford_markup::Flavor;
use serde::{Deserialize, Serialize};

/// The abilities of a platform, and their limits.
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
    /// How long to wait from one look of a status message to the next; `None`: the platform has none.
    pub status_every: Option<Duration>,
    /// Marks the messages of people ([`Signal::Mark`]).
    pub marks: bool,
    /// Buttons stand below answers, by which people say whether these are good.
    pub asks_feedback: bool,
    /// Takes rich messages of Telegram's kind, with tables.
    pub rich: bool,
    /// An address whose [`Address::via`] begins so takes one message as an answer: what does not fit is left out.
    pub one_message: Option<&'static str>,
}

impl Limits {
    /// Whether an address takes one message as an answer.
    pub fn takes_one(&self, to: &Address) -> bool {
        let via = to.via.as_deref();
        (self.one_message).is_some_and(|begin| via.is_some_and(|via| via.starts_with(begin)))
    }
}

impl Default for Limits {
    /// A platform that takes texts of any length without markup, and can do nothing else.
    fn default() -> Self {
        Self {
            text_units: usize::MAX,
            file_bytes: u64::MAX,
            flavor: Flavor::Plain,
            drops_repeats: false,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            draft_every: None,
            status_every: None,
            marks: false,
            asks_feedback: false,
            rich: false,
            one_message: None,
        }
    }
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
    /// The `via` of the command that is answered ([`crate::inbound::Command::via`]).
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
        /// The same as a rich message, where the platform takes such ([`Limits::rich`]) and it shows more so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rich: Option<String>,
        /// Buttons below the text, where the platform has buttons. A reader without buttons finds the same in the
        /// text.
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
        /// The same in the platform's markup, where it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        markup: Option<String>,
    },
    /// A file that is kept elsewhere.
    Stored {
        /// Its id there.
        id: String,
        /// Its name.
        name: String,
        /// The media type.
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
    /// The label, at most 40 characters.
    pub label: String,
    /// The command without its slash, such as `switch 0192…`; at most 60 bytes.
    pub command: String,
    /// How it looks, where the platform has colours.
    #[serde(default, skip_serializing_if = "ButtonStyle::is_plain")]
    pub style: ButtonStyle,
    /// The effect of a press.
    #[serde(default, skip_serializing_if = "Press::is_answered")]
    pub press: Press,
    /// In place of a form, a platform that has such lets people choose of its roles; their names are the words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub picks_roles: bool,
}

/// The effect of pressing a button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Press {
    /// Its command is answered by a message.
    #[default]
    Answered,
    /// The answer to its command takes the place of the message that the button is below.
    InPlace,
    /// A form asks for words, which are added to its command; the answer takes the message's place. A platform without
    /// forms shows no such button: the text says what to type.
    Form,
}

impl Press {
    fn is_answered(&self) -> bool {
        *self == Self::Answered
    }
}

/// How a button looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonStyle {
    /// As any other.
    #[default]
    Plain,
    /// Green: it lets something happen.
    Positive,
    /// Red: it keeps something from happening, or destroys.
    Negative,
}

impl ButtonStyle {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// A thread that is to be opened for a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewThread {
    /// The platform's id of the question.
    pub message: String,
    /// The `via` of the command that put it ([`crate::inbound::Command::via`]).
    pub via: Option<String>,
    /// Its title, of at most 80 characters.
    pub title: String,
}

/// Names one part for good: at most 25 ASCII characters (the length of a Discord nonce).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryKey(pub String);

impl fmt::Display for DeliveryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The state of a message that stands only while a run is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// It goes away: nobody needs to be called to it.
    Status,
    /// It becomes the answer.
    Draft,
}

/// The platform's receipt for a part that it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The platform's id of the message; empty, if it did not tell.
    pub id: String,
}

/// Signals, which may be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The bot is at work; shown for [`Limits::typing_every`].
    Typing,
    /// A step of the run, for channels that show them.
    Progress {
        /// The kind of step.
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
        /// The command, without its slash, that ends the run: for a button of the platform's own below a draft.
        stop: String,
    },
    /// Nothing comes of this draft: it goes away.
    DraftDropped {
        /// Its key.
        key: DeliveryKey,
    },
    /// How far the bot is with the message that [`Address::reply_to`] names, for channels that mark messages
    /// ([`Limits::marks`]).
    Mark(Mark),
    /// The run ended or sleeps: nothing more comes for it now.
    Done,
}

/// How far the bot is with a person's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It waits for something else.
    Seen,
    /// It is worked on.
    Working,
    /// It was answered.
    Done,
    /// It was not.
    Failed,
}

/// The kinds of steps that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressKind {
    /// A note: requirements, plan, artifact, validation.
    Note,
    /// A tool is called.
    ToolCall,
    /// The tool's result.
    ToolResult,
    /// The cost of the run so far.
    Cost,
}
