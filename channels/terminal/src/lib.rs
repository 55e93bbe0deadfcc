//! A terminal as a chat platform: one private place, in which one person types.
//!
//! A program at the other end of a pipe gets bare lines (`input`, `receive`). A person gets a line editor (`editor`,
//! `person`) and a screen above its prompt (`live`, `paint`). Messages leave by [`Ingress::accept`] either way, and what
//! comes back is printed by [`Channel::send`] and [`Channel::signal`]. Only the history of what was typed is stored.

mod answers;
mod buttons;
mod config;
mod editor;
mod hand_in;
mod input;
mod live;
mod paint;
mod person;
mod receipts;
mod receive;
mod screen;
mod stdin;

use std::{
    io::{self, IsTerminal as _},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Address, Channel, ChannelError, DeliveryKey, Ingress, Limits, Part, Platform, ProgressKind, Receipt, SendError,
    Signal,
};
use clifford_markup::Flavor;
use config::Look;
pub use config::{Clock, TerminalConfig};
use tokio::{
    io::{AsyncBufRead, AsyncWrite, BufReader},
    sync::{Mutex, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{answers::Answers, input::Input, live::Live, paint::Dress, receipts::Receipts, screen::Screen};

/// [`clifford_channel::Place::external_id`] of the terminal's only place.
pub const PLACE: &str = "local";
/// Longer texts go as several parts.
const TEXT_UNITS: usize = 100_000;
/// The most characters that are shown of one step.
const LONGEST_PROGRESS: usize = 1_000;
/// The most of what a tool returned: the answer tells what matters of it.
const LONGEST_RESULT: usize = 240;
/// How often a growing answer is drawn.
const DRAFTS: Duration = Duration::from_millis(60);
/// How often the bot says again that it is at work.
const TYPING: Duration = Duration::from_secs(2);
/// Terminals without the abilities that a line editor needs.
const SIMPLE: [&str; 3] = ["dumb", "cons25", "emacs"];

/// The terminal.
pub struct Terminal {
    config: TerminalConfig,
    /// Begins every id of this session: when it started.
    session: i64,
    /// Numbers what is typed.
    typed: AtomicU64,
    /// `None`: a person types, in an editor.
    input: Option<Mutex<Input>>,
    output: Mutex<Output>,
    answers: watch::Sender<Answers>,
    /// The answer in the making is being stopped.
    stops: AtomicBool,
    /// Something came by the input of a program.
    heard: AtomicBool,
    /// A person types at a terminal that no editor works in: they are asked for each line.
    asks: bool,
}

struct Output {
    screen: Screen,
    receipts: Receipts,
    /// Since when the bot has been at work.
    works_since: Option<Instant>,
}

impl Terminal {
    /// The terminal, or its stand-in, in which the process was started.
    ///
    /// # Errors
    /// The system has no room for the thread that reads.
    pub fn stdio(config: TerminalConfig) -> io::Result<Self> {
        let term = std::env::var("TERM").unwrap_or_default();
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if is_terminal && !SIMPLE.contains(&term.as_str()) {
            let coloured = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let live = Live::new(coloured, config.lang());
            return Ok(Self::with(config, None, Screen::Live(live)));
        }
        let input = BufReader::new(stdin::Stdin::open()?);
        let terminal = Self::piped(config, input, tokio::io::stdout());
        Ok(Self {
            asks: is_terminal,
            ..terminal
        })
    }

    /// A terminal with this input and output, at which a program stands.
    pub fn piped<I, O>(config: TerminalConfig, input: I, output: O) -> Self
    where
        I: AsyncBufRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        Self::with(config, Some(Input(Box::new(input))), Screen::Piped(Box::new(output)))
    }

    fn with(config: TerminalConfig, input: Option<Input>, screen: Screen) -> Self {
        Self {
            session: (config.clock)().as_millisecond(),
            config,
            typed: AtomicU64::new(0),
            input: input.map(Mutex::new),
            output: Mutex::new(Output {
                screen,
                receipts: Receipts::default(),
                works_since: None,
            }),
            answers: watch::Sender::default(),
            stops: AtomicBool::new(false),
            heard: AtomicBool::new(false),
            asks: false,
        }
    }

    /// Whether anything came by the input of a program.
    pub fn has_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }

    /// Begins the id of each message that is typed here, before a `-`.
    pub const fn session(&self) -> i64 {
        self.session
    }

    /// Whether a person types here, and not a program.
    pub const fn is_interactive(&self) -> bool {
        matches!(self.look(), Look::Interactive)
    }

    const fn look(&self) -> Look {
        match self.input {
            Some(_) => Look::Piped,
            None => Look::Interactive,
        }
    }

    /// Shows one step of a run.
    async fn show_progress(&self, kind: ProgressKind, text: &str) -> io::Result<()> {
        if self.config.quiet {
            return Ok(());
        }
        let sign = match kind {
            ProgressKind::Note | ProgressKind::Cost => "·",
            ProgressKind::ToolCall => "→",
            ProgressKind::ToolResult => "←",
        };
        let longest = match kind {
            ProgressKind::ToolResult => LONGEST_RESULT,
            ProgressKind::Note | ProgressKind::Cost | ProgressKind::ToolCall => LONGEST_PROGRESS,
        };
        let shown: String = text.chars().take(longest).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let line = format!("{sign} {}{more}", shown.trim().replace('\n', "\n  "));
        let screen = &mut self.output.lock().await.screen;
        match kind {
            ProgressKind::Cost => screen.print_after(&line).await,
            ProgressKind::Note | ProgressKind::ToolCall | ProgressKind::ToolResult => {
                screen.print(&line, Dress::Dim).await
            }
        }
    }

    /// Shows for how long the bot has been at work.
    async fn show_work(&self) -> io::Result<()> {
        let output = &mut *self.output.lock().await;
        let since = *output.works_since.get_or_insert_with(Instant::now);
        output.screen.at_work(since.elapsed())
    }

    /// Takes back the sign of work: the run ended.
    async fn finish(&self, answered: Option<&str>) -> io::Result<()> {
        let shown = {
            let output = &mut *self.output.lock().await;
            output.works_since = None;
            output.screen.idle()
        };
        // The wait for the answer ends, even if nobody can see it.
        self.answers.send_modify(|answers| answers.settle(answered));
        shown
    }
}

#[async_trait]
impl Channel for Terminal {
    fn platform(&self) -> Platform {
        Platform::TERMINAL
    }

    fn limits(&self) -> Limits {
        Limits {
            text_units: TEXT_UNITS,
            file_bytes: u64::MAX,
            flavor: match self.look() {
                Look::Interactive => Flavor::Terminal,
                Look::Piped => Flavor::Plain,
            },
            drops_repeats: true,
            typing_every: (self.look() == Look::Interactive).then_some(TYPING),
            delivered_when_stored: false,
            shows_progress: !self.config.quiet,
            draft_every: (self.look() == Look::Interactive).then_some(DRAFTS),
            ..Limits::default()
        }
    }

    /// Ends with `Ok` when the input ended or `/quit` was typed, and all that was typed has been answered.
    async fn receive(&self, ingress: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        receive::receive(self, &*ingress, &stop).await
    }

    async fn send(&self, _to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        let mut output = self.output.lock().await;
        if let Some(receipt) = output.receipts.find(key) {
            return Ok(receipt);
        }
        match part {
            Part::Text { text, buttons, .. } => {
                let text = buttons::below(text, buttons);
                output.screen.print(&text, Dress::Normal).await.map_err(terminal_gone)?;
            }
            Part::File {
                name, content, caption, ..
            } => {
                output
                    .screen
                    .print(caption, Dress::Normal)
                    .await
                    .map_err(terminal_gone)?;
                output
                    .screen
                    .print(&format!("--- {name} ---"), Dress::Bold)
                    .await
                    .map_err(terminal_gone)?;
                output
                    .screen
                    .print(content, Dress::Normal)
                    .await
                    .map_err(terminal_gone)?;
            }
            Part::Stored { id, name, payload, .. } => {
                let place = match &payload.path {
                    Some(path) => path.display().to_string(),
                    None => format!("file {id}"),
                };
                let line = format!("--- {name}: {place} ---");
                output.screen.print(&line, Dress::Bold).await.map_err(terminal_gone)?;
            }
        }
        Ok(output.receipts.give(self.session, key))
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => self.show_work().await,
            Signal::Progress { kind, text } => self.show_progress(*kind, text).await,
            Signal::Draft { text, .. } => self.output.lock().await.screen.draft(text),
            Signal::DraftDropped { .. } => self.output.lock().await.screen.end_draft(),
            Signal::Mark(_) => Ok(()),
            Signal::Done => self.finish(to.reply_to.as_deref()).await,
        }
        .map_err(terminal_gone)
    }
}

/// Output that cannot be written to will not come back.
fn terminal_gone(error: io::Error) -> SendError {
    SendError::Gone(format!("the terminal could not be written to: {error}"))
}
