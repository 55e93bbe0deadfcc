//! Logs: text or JSON on standard error, without secrets.

use std::{
    io::{self, Write},
    sync::Arc,
};

use anyhow::Context;
use clifford_vault::Masker;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::config::{Log, LogFormat, Secrets};

/// Begins to log, as the settings say.
///
/// # Errors
/// The level cannot be read.
pub fn init(log: &Log, secrets: &Secrets) -> anyhow::Result<()> {
    start(log, &log.level, secrets)
}

/// Begins to log only what is wrong: for commands that talk to a person.
///
/// # Errors
/// The level cannot be read.
pub fn init_quiet(log: &Log, secrets: &Secrets) -> anyhow::Result<()> {
    let default = Log::default();
    let level = if log.level == default.level {
        "error"
    } else {
        &log.level
    };
    start(log, level, secrets)
}

fn start(log: &Log, level: &str, secrets: &Secrets) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(level).with_context(|| format!("log.level: `{level}` cannot be read"))?;
    let writer = Masked(Arc::clone(&secrets.masker));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_target(false);
    // A second start in one process (a test) keeps the first.
    let _ = match log.format {
        LogFormat::Text => builder.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    Ok(())
}

/// Standard error, with configured secrets hidden.
struct Masked(Arc<Masker>);

impl<'a> MakeWriter<'a> for Masked {
    type Writer = MaskedLine<'a>;

    fn make_writer(&'a self) -> MaskedLine<'a> {
        MaskedLine {
            masker: &self.0,
            line: Vec::new(),
        }
    }
}

/// One event of the log, written when it is whole.
struct MaskedLine<'a> {
    masker: &'a Masker,
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
        io::stderr().lock().write_all(self.masker.mask(&text).as_bytes())
    }
}

impl Drop for MaskedLine<'_> {
    fn drop(&mut self) {
        // There is nobody to tell that the log cannot be written.
        let _ = self.flush();
    }
}
