//! Calls that a run makes by itself before it asks its model: voice messages are written down, and images that its model
//! does not see are described.
//!
//! They are tool calls like any: recorded before they are made, paid for as any, and never made again once their result
//! is recorded. The words of a person's own voice become the text of their message, in the commit that records them;
//! the run is then taken up anew, as if they had been written. Words of anybody else stay a result from outside.

use clifford_core::{
    id::{FileId, MessageId},
    models::Role,
    people::UserRole,
    places::Mode,
    run::{
        decision::{Decision, Ending},
        step::{EndingKind, ToolCall, ToolOutcome},
    },
    runs::RunKind,
};
use clifford_store::{
    files::{self, File},
    messages,
    places::settings,
};
use clifford_text::Voice;
use clifford_tools::TRANSCRIBE;
use serde_json::{Map, Value};

use super::{Gone, Session, vision::is_image};
use crate::run::title::SPOKEN;

/// The most calls of this kind for one run.
const MOST: usize = 8;
/// The command that describes an image.
const DESCRIBE: &str = "image.describe";
/// The setting of a person that notes that they were told how voice messages are understood.
const TOLD: &str = "told_of_transcription";

/// The words of a voice message, for its row and its run's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The message.
    pub message: MessageId,
    /// Its text with them.
    pub content: String,
}

/// A person was told something that is said once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldOnce {
    /// The scope whose setting notes it.
    pub scope: String,
    /// The setting's name.
    pub name: &'static str,
}

impl Session<'_> {
    /// Makes the next call that the files of this run need, before its model is asked for the first time. `false`: there
    /// is none.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn take_note_of_files(&mut self) -> Result<bool, Gone> {
        if self.state.iterations > 0 || self.work.run.kind != RunKind::Coordinator {
            return Ok(false);
        }
        let files = self.files().await?;
        let hears = self.cx.tools.services.transcription.is_some();
        if !hears && self.tell_of_transcription(&files).await? {
            return Ok(true);
        }
        let looks = self.work.run.mode == Mode::Run && !self.sees() && self.models().has(Role::Vision);
        let calls = files.iter().filter_map(|file| match file {
            file if hears && file.is_recording() => Some(self.call_on(TRANSCRIBE, file.id)),
            file if looks && is_image(file) => Some(self.call_on(DESCRIBE, file.id)),
            _ => None,
        });
        let Some(call) = calls.take(MOST).find(|call| !self.state.has_called(call)) else {
            return Ok(false);
        };
        let before = Vec::new();
        self.carry_out(Decision::CallTool { before, call }).await?;
        Ok(true)
    }

    fn call_on(&self, name: &str, file: FileId) -> ToolCall {
        ToolCall {
            name: name.to_owned(),
            args: Map::from_iter([("file_id".to_owned(), Value::String(file.to_string()))]),
            idempotency_key: format!("{}:{file}", self.state.id),
        }
    }

    /// The person said something that nobody writes down, and nothing else: they learn how that is turned on, once.
    async fn tell_of_transcription(&mut self, files: &[File]) -> Result<bool, Gone> {
        let run = &self.work.run;
        let Some(user) = run.user_id.filter(|_| files.iter().any(File::is_own_voice)) else {
            return Ok(false);
        };
        if !run.input_text.lines().all(is_mark) {
            return Ok(false);
        }
        let scope = user.to_string();
        if settings::get(&mut self.cx.db.read_local().await?, &scope, TOLD)
            .await?
            .is_some()
        {
            return Ok(false);
        }
        let is_owner = self.work.user.as_ref().is_some_and(|user| user.role == UserRole::Owner);
        let ending = Ending {
            kind: EndingKind::Message,
            output: String::new(),
            message: Some(self.state.lang.say(match is_owner {
                true => Voice::CannotHearOwner,
                false => Voice::CannotHear,
            })),
        };
        self.told_once = Some(ToldOnce { scope, name: TOLD });
        let before = Vec::new();
        self.carry_out(Decision::Complete { before, ending }).await?;
        Ok(true)
    }

    /// The text that a message gets by the result of this call, if it wrote down what its sender said.
    pub(super) async fn heard(&self, call: &ToolCall, outcome: &ToolOutcome) -> Result<Option<Heard>, Gone> {
        let ToolOutcome::Success { result } = outcome else {
            return Ok(None);
        };
        let words = result["text"]
            .as_str()
            .filter(|_| call.name == TRANSCRIBE && self.state.iterations == 0);
        let id = call.args.get("file_id").and_then(Value::as_str);
        let (Some(words), Some(id)) = (words, id.and_then(|id| id.parse::<FileId>().ok())) else {
            return Ok(None);
        };
        let mut conn = self.cx.db.read().await?;
        let file = files::get(&mut conn, id).await?.filter(File::is_own_voice);
        let Some(message) = file.and_then(|file| file.message_id) else {
            return Ok(None);
        };
        let voices = files::of_message(&mut conn, message).await?;
        let place = voices
            .iter()
            .filter(|file| file.is_own_voice())
            .position(|file| file.id == id);
        let row = messages::get(&mut conn, message).await?;
        let content = row
            .zip(place)
            .and_then(|(row, place)| with_words(&row.content, place, words));
        Ok(content.map(|content| Heard { message, content }))
    }
}

/// Whether a line of a message's text stands for a voice message.
fn is_mark(line: &str) -> bool {
    let line = line.trim();
    // In a shared place, a name stands before it.
    let mark = line.find("[voice").and_then(|at| line.get(at..));
    mark.is_some_and(|mark| mark.ends_with(']') && (line.starts_with("[voice") || line.contains("] [voice")))
}

/// A message's text with the words of the voice message that stands at a place among its own. `None`: it has no mark
/// there, or has the words already.
fn with_words(content: &str, place: usize, words: &str) -> Option<String> {
    // On one line: the lines of a text tell who says what.
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = content.lines().collect();
    let marks = lines.iter().enumerate().filter(|(_, line)| is_mark(line));
    let (at, _) = marks.map(|(at, line)| (at, *line)).nth(place)?;
    if lines.get(at + 1).is_some_and(|line| line.starts_with(SPOKEN)) {
        return None;
    }
    let (before, behind) = lines.split_at(at + 1);
    let spoken = format!("{SPOKEN}{words}");
    let all: Vec<_> = before
        .iter()
        .copied()
        .chain([spoken.as_str()])
        .chain(behind.iter().copied())
        .collect();
    Some(all.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_stand_behind_the_mark_of_their_voice_message() {
        let cases = [
            ("[voice]", 0, "hello\nthere", Some("[voice]\nSpoken: hello there")),
            ("[Ada] [voice]", 0, "hi", Some("[Ada] [voice]\nSpoken: hi")),
            (
                "look\n[voice: a.ogg]",
                0,
                "hi",
                Some("look\n[voice: a.ogg]\nSpoken: hi"),
            ),
            (
                "[voice]\nSpoken: a\n[voice]",
                1,
                "b",
                Some("[voice]\nSpoken: a\n[voice]\nSpoken: b"),
            ),
            ("[voice]\nSpoken: a", 0, "b", None),
            ("[voice]", 1, "b", None),
            ("[photo]", 0, "b", None),
        ];
        for (content, place, words, expected) in cases {
            assert_eq!(with_words(content, place, words).as_deref(), expected, "{content}");
        }
    }

    #[test]
    fn no_line_of_what_was_said_can_be_taken_for_another_speaker_s() {
        let said = with_words("[Ada] [voice]", 0, "yes\n[Bob] I agree").unwrap();
        assert_eq!(said.lines().count(), 2);
    }
}
