//! The parts of a prompt: types, and the marks that stand in for omitted ones.

use clifford_content::memory::recall::Placed;
use clifford_core::prompt::can::Can;
use clifford_store::{memory::prompt_context::Elsewhere, messages::Turn};
use serde_json::{Map, Value, json};

/// The parts of a prompt, before the run's transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The agent's prompt.
    pub who: String,
    /// The contract and the rules; nothing for a direct chat.
    pub instructions: String,
    /// The heading of the tools, and each of them in a line.
    pub tools: (String, Vec<String>),
    /// The end of the instructions.
    pub examples: String,
    /// The run: what, where, for whom.
    pub facts: Map<String, Value>,
    /// The person's memories: independent of the question, the most important first; and the matches for the question,
    /// the best first.
    pub memories: Placed<Value>,
    /// Messages from elsewhere, the newest place first: before this conversation began, and since.
    pub elsewhere: Placed<Elsewhere>,
    /// The summary of the conversation's beginning.
    pub summary: Option<String>,
    /// The conversation.
    pub conversation: Talk,
    /// The data that a program passed along with the question.
    pub given: Option<InputData>,
    /// The files that came with it.
    pub files: Vec<Value>,
    /// The images among them that the model is not shown, and why.
    pub unseen: Vec<Unseen>,
    /// The other facts of the moment.
    pub ambient: Vec<Value>,
    /// When it was asked.
    pub now: String,
    /// The question.
    pub question: Question,
    /// Whether the run may call `files.read` and `memory.search`.
    pub can: Can,
    /// The most tokens of one message, of what was given, or of an entry of the transcript.
    pub entry_tokens: u64,
    /// The most tokens of the transcript, where that is set.
    pub transcript_tokens: Option<u64>,
}

/// The newest messages of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Talk {
    /// There is none.
    #[default]
    None,
    /// The messages, oldest first, and how many before them were not read.
    Said {
        /// The messages.
        turns: Vec<Turn>,
        /// How many are behind those.
        before: u64,
    },
    /// A parent's words to its subagent.
    Told(Vec<Value>),
}

/// The data that a program passed along with a question.
#[derive(Clone, Debug, PartialEq)]
pub struct InputData {
    /// The data.
    pub value: Value,
    /// Where it came from, as far as that was said.
    pub from: Option<Value>,
}

/// An image that the model is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Which of the files it is.
    pub place: usize,
    /// Its name.
    pub name: String,
    /// Why: the end of a sentence that begins with its name.
    pub why: String,
}

/// The question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The text.
    pub text: String,
    /// A subagent has a task, any other run a person's words.
    pub is_task: bool,
}

impl Parts {
    /// The files, each image that is not shown with the reason.
    pub(super) fn marked_files(&self) -> Vec<Value> {
        let mut files = self.files.clone();
        for unseen in &self.unseen {
            if let Some(file) = files.get_mut(unseen.place) {
                file["not_shown"] = json!(format!("this image {}", unseen.why));
            }
        }
        files
    }
}
