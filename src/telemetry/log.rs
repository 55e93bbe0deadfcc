//! Logs: text or JSON on standard error, without secrets.

use std::{
    io::{self, Write},
    sync::Arc,
};

use anyhow::Context;
use clifford_vault::Masker;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{Log, LogFormat, Secrets};

/// Begins to log from this level on; `beside` sees what it wants of everything.
pub(super) fn start(
    log: &Log,
    level: &str,
    secrets: &Secrets,
    beside: Option<impl Layer<Registry> + Send + Sync>,
) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(level).with_context(|| format!("log.level: `{level}` cannot be read"))?;
    let is_coloured = log.format == LogFormat::Text && io::IsTerminal::is_terminal(&io::stderr());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Masked {
            masker: Arc::clone(&secrets.masker),
            is_coloured,
        })
        .with_target(false);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(is_coloured).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let subscriber = tracing_subscriber::registry()
        .with(beside)
        .with(lines.with_filter(filter));
    // A second start in one process (a test) keeps the first.
    let _ = subscriber.try_init();
    Ok(())
}

/// Standard error, with configured secrets hidden, and without what a terminal would obey.
struct Masked {
    masker: Arc<Masker>,
    /// The subscriber writes colours; it writes out the escape characters that stand in what it is told.
    is_coloured: bool,
}

impl<'a> MakeWriter<'a> for Masked {
    type Writer = MaskedLine<'a>;

    fn make_writer(&'a self) -> MaskedLine<'a> {
        MaskedLine {
            masker: &self.masker,
            is_coloured: self.is_coloured,
            line: Vec::new(),
        }
    }
}

/// One event of the log, written when it is whole.
struct MaskedLine<'a> {
    masker: &'a Masker,
    is_coloured: bool,
    line: Vec<u8>,
}

impl Write for MaskedLine<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let masked = self.masker.mask(&text);
        let is_shown = |c: &char| !clifford_markup::is_obeyed(*c) || (self.is_coloured && *c == '\u{1b}');
        let shown: String = masked.chars().filter(is_shown).collect();
        io::stderr().lock().write_all(shown.as_bytes())
    }
}

impl Drop for MaskedLine<'_> {
    fn drop(&mut self) {
        // There is nobody to tell that the log cannot be written.
        let _ = self.flush();
    }
}
