//! A terminal as a chat platform: one private place, in which one person types.

mod answers;
mod buttons;
mod config;
mod input;
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
pub use config::{Clock, Look, TerminalConfig};
use tokio::{
    io::{AsyncBufRead, AsyncWrite, BufReader},
    sync::{Mutex, watch},
};
use tokio_util::sync::CancellationToken;

use crate::{
    answers::Answers,
    input::Input,
    receipts::Receipts,
    screen::{Dress, Screen},
};

/// [`clifford_channel::Place::external_id`] of the terminal's only place.
pub const PLACE: &str = "local";
/// Longer texts go as several parts.
const TEXT_UNITS: usize = 100_000;
/// The most characters that are shown of one step.
const LONGEST_PROGRESS: usize = 1_000;

/// The terminal.
pub struct Terminal {
    config: TerminalConfig,
    look: Look,
    /// Begins every id of this session: when it started.
    session: i64,
    /// Numbers what is typed.
    typed: AtomicU64,
    input: Mutex<Input>,
    output: Mutex<Output>,
    answers: watch::Sender<Answers>,
    /// Nothing more can be typed, so nothing is asked for.
    ended: AtomicBool,
}

struct Output {
    screen: Screen,
    receipts: Receipts,
}

impl Terminal {
    /// The terminal, or its stand-in, in which the process was started.
    ///
    /// # Errors
    /// The system has no room for the thread that reads.
    pub fn stdio(config: TerminalConfig) -> io::Result<Self> {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let look = if is_terminal { Look::Interactive } else { Look::Piped };
        let input = BufReader::new(stdin::Stdin::open()?);
        Ok(Self::new(config, look, input, tokio::io::stdout()))
    }

    /// A terminal with this input and output.
    pub fn new<I, O>(config: TerminalConfig, look: Look, input: I, output: O) -> Self
    where
        I: AsyncBufRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let screen = Screen::new(Box::new(output), look);
        Self {
            session: (config.clock)().as_millisecond(),
            config,
            look,
            typed: AtomicU64::new(0),
            input: Mutex::new(Input(Box::new(input))),
            output: Mutex::new(Output {
                screen,
                receipts: Receipts::default(),
            }),
            answers: watch::Sender::default(),
            ended: AtomicBool::new(false),
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
        let shown: String = text.chars().take(LONGEST_PROGRESS).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let line = format!("{sign} {}{more}", shown.trim().replace('\n', "\n  "));
        self.output.lock().await.screen.print(&line, Dress::Dim).await
    }

    /// Takes back the sign of work and asks for the next message.
    async fn finish(&self, answered: Option<&str>) -> io::Result<()> {
        let shown = self.show_finish().await;
        // The wait for the answer ends, even if nobody can see it.
        self.answers.send_modify(|answers| answers.settle(answered));
        shown
    }

    async fn show_finish(&self) -> io::Result<()> {
        let mut output = self.output.lock().await;
        output.screen.rest().await?;
        if self.ended.load(Ordering::Relaxed) {
            Ok(())
        } else {
            output.screen.prompt().await
        }
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
            flavor: Flavor::Plain,
            drops_repeats: true,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: !self.config.quiet,
            draft_every: (self.look == Look::Interactive).then_some(Duration::ZERO),
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
                output.screen.print(&text, Dress::Normal).await.map_err(gone)?;
            }
            Part::File { name, content, caption } => {
                output.screen.print(caption, Dress::Normal).await.map_err(gone)?;
                output
                    .screen
                    .print(&format!("--- {name} ---"), Dress::Bold)
                    .await
                    .map_err(gone)?;
                output.screen.print(content, Dress::Normal).await.map_err(gone)?;
            }
            Part::Stored { id, name, payload, .. } => {
                let place = match &payload.path {
                    Some(path) => path.display().to_string(),
                    None => format!("file {id}"),
                };
                let line = format!("--- {name}: {place} ---");
                output.screen.print(&line, Dress::Bold).await.map_err(gone)?;
            }
        }
        Ok(output.receipts.give(self.session, key))
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        match signal {
            Signal::Typing => self.output.lock().await.screen.at_work().await,
            Signal::Progress { kind, text } => self.show_progress(*kind, text).await,
            Signal::Draft { plain, .. } => self.output.lock().await.screen.draft(plain).await,
            Signal::DraftDropped { .. } => self.output.lock().await.screen.end_draft().await,
            Signal::Done => self.finish(to.reply_to.as_deref()).await,
        }
        .map_err(gone)
    }
}

/// Output that cannot be written to will not come back.
fn gone(error: io::Error) -> SendError {
    SendError::Gone(format!("the terminal could not be written to: {error}"))
}
