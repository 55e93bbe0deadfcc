//! The keyboard of a person: a line editor with history, search and paste, in a thread of its own.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

use clifford_text::{Lang, Terminal};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use rustyline::{
    Cmd, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler, ExternalPrinter, Helper, KeyCode,
    KeyEvent, Modifiers, Movement, RepeatCount, completion::Completer, error::ReadlineError, highlight::Highlighter,
    hint::Hinter, history::DefaultHistory, validate::Validator,
};
use tokio::sync::{mpsc::UnboundedSender, watch};

use crate::{
    answers::Answers,
    live::{PROMPT, Surface},
};

const DRESSED_PROMPT: &str = "\u{1b}[1myou>\u{1b}[0m ";
/// The most messages that are kept in the history.
const KEPT: usize = 1_000;
const PASTE_OFF: &str = "\u{1b}[?2004l";
/// Words that end the conversation, besides commands of the same names.
const LEAVING: [&str; 2] = ["exit", "quit"];

/// An action at the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A message, of one or several lines.
    Message(String),
    /// Ctrl-C while something is at work.
    Cancel,
    /// Ctrl-C, Ctrl-D or a word that ends the conversation.
    End,
    /// The keyboard is gone, and why.
    Failed(String),
}

/// Whether a message ends the conversation.
pub(crate) fn leaves(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    LEAVING.contains(&text.strip_prefix('/').unwrap_or(&text))
}

/// Opens the keyboard; what it has to say itself is said in `lang`.
///
/// # Errors
/// This is no terminal that can be edited in.
pub(crate) fn open(
    history: Option<PathBuf>,
    answers: watch::Receiver<Answers>,
    lang: Lang,
    typed: UnboundedSender<Typed>,
) -> io::Result<(Box<dyn Surface>, Restore)> {
    let restore = Restore(tcgetattr(io::stdin())?);
    let (ready, opened) = sync_channel(1);
    thread::Builder::new()
        .name("keyboard".to_owned())
        .spawn(move || read(history.as_deref(), answers, lang, &typed, &ready))?;
    let printer = opened
        .recv()
        .map_err(|_| io::Error::other("the keyboard was not opened"))?
        .map_err(io::Error::other)?;
    Ok((Box::new(Printer(printer)), restore))
}

/// The terminal as it was found.
pub(crate) struct Restore(Termios);

impl Restore {
    /// Puts it back, in case the editor is still at work; `at_prompt`: its line is left.
    pub(crate) fn restore(&self, at_prompt: bool) {
        let _left = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        let mut out = io::stdout();
        let end = if at_prompt { "\n" } else { "" };
        let _left = out
            .write_all(format!("{PASTE_OFF}{end}").as_bytes())
            .and_then(|()| out.flush());
    }
}

type Line = Editor<Plain, DefaultHistory>;
type AnyPrinter = Box<dyn ExternalPrinter + Send>;

struct Printer(AnyPrinter);

impl Surface for Printer {
    fn print(&mut self, text: String) -> io::Result<()> {
        self.0.print(text).map_err(io::Error::other)
    }

    fn size(&self) -> (usize, usize) {
        let size = tcgetwinsize(io::stdout()).ok();
        let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
        size.map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
    }
}

/// Reads until the conversation ends.
fn read(
    history: Option<&Path>,
    answers: watch::Receiver<Answers>,
    lang: Lang,
    typed: &UnboundedSender<Typed>,
    ready: &SyncSender<Result<AnyPrinter, String>>,
) {
    let opened = editor(history, answers, typed.clone()).and_then(|mut editor| {
        let printer = editor.create_external_printer()?;
        Ok((editor, printer))
    });
    let mut editor = match opened {
        Ok((editor, printer)) => {
            if ready.send(Ok(Box::new(printer))).is_err() {
                return;
            }
            editor
        }
        Err(error) => {
            let _nobody_waits = ready.send(Err(error.to_string()));
            return;
        }
    };
    let mut is_written = history.is_some_and(Path::exists);
    loop {
        let (event, is_last) = match editor.readline(&(PROMPT, DRESSED_PROMPT)) {
            Ok(text) if leaves(&text) => (Typed::End, true),
            Ok(text) => {
                let text = text.replace("\\\n", "\n");
                remember(&mut editor, &text, history, &mut is_written);
                (Typed::Message(text), false)
            }
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => (Typed::End, true),
            Err(ReadlineError::Signal(_)) => continue,
            // A terminal of another encoding sends bytes that are no characters; the next line may have none.
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let _unseen = writeln!(io::stdout(), "\n{}", lang.say(Terminal::NotText));
                continue;
            }
            Err(error) => (Typed::Failed(error.to_string()), true),
        };
        if typed.send(event).is_err() || is_last {
            return;
        }
    }
}

fn editor(
    history: Option<&Path>,
    answers: watch::Receiver<Answers>,
    typed: UnboundedSender<Typed>,
) -> rustyline::Result<Line> {
    let config = Config::builder()
        .max_history_size(KEPT)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .build();
    let mut editor = Line::with_config(config)?;
    editor.set_helper(Some(Plain));
    let enter = EventHandler::Conditional(Box::new(OnEnter));
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::NONE), enter);
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    let interrupt = EventHandler::Conditional(Box::new(OnInterrupt { answers, typed }));
    editor.bind_sequence(KeyEvent(KeyCode::Char('C'), Modifiers::CTRL), interrupt);
    if let Some(path) = history {
        // There is none before the first conversation.
        let _none = editor.load_history(path);
    }
    Ok(editor)
}

/// Keeps a message for later, but for a command that may hold a secret. Without a place for it, it is kept until the
/// end.
fn remember(editor: &mut Line, text: &str, history: Option<&Path>, is_written: &mut bool) {
    // Deleting the history means the lines that this process remembers, too.
    if *is_written && history.is_some_and(|path| !path.exists()) {
        let _kept = editor.clear_history();
    }
    let is_secret = text.trim_start().starts_with("/key");
    let added = !is_secret && !text.trim().is_empty() && editor.add_history_entry(text).unwrap_or(false);
    if let Some(path) = history.filter(|_| added) {
        // A history that cannot be written is no reason to stop talking.
        *is_written = editor.append_history(path).is_ok();
    }
}

/// A message goes on in the next line behind a backslash.
struct OnEnter;

impl ConditionalEventHandler for OnEnter {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, cx: &EventContext<'_>) -> Option<Cmd> {
        let goes_on = cx.line().ends_with('\\') && cx.pos() == cx.line().len();
        Some(if goes_on { Cmd::Newline } else { Cmd::AcceptLine })
    }
}

/// Ctrl-C stops an answer, else takes back what was typed, else ends the conversation.
struct OnInterrupt {
    answers: watch::Receiver<Answers>,
    typed: UnboundedSender<Typed>,
}

impl ConditionalEventHandler for OnInterrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, cx: &EventContext<'_>) -> Option<Cmd> {
        if !self.answers.borrow().are_all_given() {
            let _ended = self.typed.send(Typed::Cancel);
            return Some(Cmd::Noop);
        }
        Some(if cx.line().is_empty() {
            Cmd::Interrupt
        } else {
            Cmd::Kill(Movement::WholeBuffer)
        })
    }
}

/// Nothing is completed, hinted or checked; only the prompt has its dress.
struct Plain;

impl Completer for Plain {
    type Candidate = String;
}

impl Hinter for Plain {
    type Hint = String;
}

impl Highlighter for Plain {}

impl Validator for Plain {}

impl Helper for Plain {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_leave_are_told_from_messages() {
        for text in ["exit", "/quit", " Quit ", "/exit"] {
            assert!(leaves(text), "{text}");
        }
        for text in ["exit the room", "/quitter", "", "q"] {
            assert!(!leaves(text), "{text}");
        }
    }
}
