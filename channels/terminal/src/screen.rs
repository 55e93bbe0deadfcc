//! The output: bare lines for a program, a living screen for a person.

use std::{io, time::Duration};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::{
    live::Live,
    paint::{Dress, harmless},
};

/// Where lines go.
pub(crate) enum Screen {
    /// To a program.
    Piped(Box<dyn AsyncWrite + Send + Unpin>),
    /// To a person.
    Live(Live),
}

impl Screen {
    /// Shows a text from outside, without anything in it that a terminal would obey.
    pub(crate) async fn print(&mut self, text: &str, dress: Dress) -> io::Result<()> {
        match self {
            Self::Live(live) => live.print(text, dress),
            Self::Piped(out) => {
                out.write_all(format!("{}\n", harmless(text, false)).as_bytes()).await?;
                out.flush().await
            }
        }
    }

    /// Asks for a line where no editor does.
    pub(crate) async fn ask(&mut self, prompt: &str) -> io::Result<()> {
        match self {
            Self::Live(_) => Ok(()),
            Self::Piped(out) => {
                out.write_all(prompt.as_bytes()).await?;
                out.flush().await
            }
        }
    }

    /// Shows a line for a person when the answer stands there; a program reads it at once.
    pub(crate) async fn print_after(&mut self, text: &str) -> io::Result<()> {
        match self {
            Self::Live(live) => {
                live.print_after(text);
                Ok(())
            }
            Self::Piped(_) => self.print(text, Dress::Dim).await,
        }
    }

    /// Shows an answer as far as it has come.
    pub(crate) fn draft(&mut self, text: &str) -> io::Result<()> {
        self.live(|live| live.draft(text))
    }

    /// Nothing comes of the draft.
    pub(crate) fn end_draft(&mut self) -> io::Result<()> {
        self.live(Live::end_draft)
    }

    /// Shows that something is at work, for so long.
    pub(crate) fn at_work(&mut self, since: Duration) -> io::Result<()> {
        self.live(|live| live.at_work(since))
    }

    /// Nothing is at work any more.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.live(Live::idle)
    }

    /// A message was typed.
    pub(crate) fn entered(&mut self, typed: &str) -> io::Result<()> {
        self.live(|live| live.entered(typed))
    }

    /// A program needs none of this.
    pub(crate) fn live(&mut self, act: impl FnOnce(&mut Live) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Live(live) => act(live),
            Self::Piped(_) => Ok(()),
        }
    }
}
