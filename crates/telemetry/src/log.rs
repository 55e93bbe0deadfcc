//! Logs: text or JSON on standard error, without secrets.

use std::{
    fmt,
    io::{self, Write},
    sync::Arc,
};

use anyhow::Context;
use clifford_vault::Masker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::field::Field;
use tracing_subscriber::{
    EnvFilter, Layer as _,
    field::MakeExt,
    fmt::{FormatFields, MakeWriter, format},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::TraceLayer;

/// The log of the process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` for people, `json` for machines.
    pub format: LogFormat,
    /// `error`, `warn`, `info`, `debug` or `trace`; or a filter by module, such as `info,clifford_delivery=debug`.
    #[schemars(extend("format" = "log-filter"))]
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            level: "info".to_owned(),
        }
    }
}

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Begins to log from this level on; `beside` sees what it wants of everything.
pub(super) fn start(
    format: LogFormat,
    level: &str,
    masker: &Arc<Masker>,
    beside: Option<TraceLayer>,
) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(level).with_context(|| format!("log.level: `{level}` cannot be read"))?;
    let filter = match told_twice(level) {
        Some(directive) => filter.add_directive(directive.parse().context("a directive of the log")?),
        None => filter,
    };
    let is_coloured = format == LogFormat::Text && io::IsTerminal::is_terminal(&io::stderr());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Masked {
            masker: Arc::clone(masker),
            is_coloured,
        })
        .with_target(false);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(is_coloured).fmt_fields(fields()).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let subscriber = tracing_subscriber::registry()
        .with(beside)
        .with(lines.with_filter(filter));
    // A second start in one process (a test) keeps the first.
    let _ = subscriber.try_init();
    Ok(())
}

/// The directive against what a library says of errors that this program logs in its own words; none where somebody looks
/// for details, or asks for that library's.
fn told_twice(level: &str) -> Option<&'static str> {
    let wants_all = ["debug", "trace", "rmcp"].iter().any(|word| level.contains(word));
    (!wants_all).then_some("rmcp=off")
}

/// Fields as text, without what a terminal would obey: what is left of that in a line are the subscriber's own colours.
/// The value of a field stays on its line.
fn fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    format::debug_fn(
        |writer: &mut format::Writer<'_>, field: &Field, value: &dyn fmt::Debug| {
            let text = format!("{value:?}");
            let text = clifford_markup::for_terminal(&text);
            match field.name() {
                "message" => write!(writer, "{text}"),
                name => write!(writer, "{name}={}", text.replace('\n', "\\n")),
            }
        },
    )
    .delimited(" ")
}

/// Standard error, with configured secrets hidden, and without what a terminal would obey.
struct Masked {
    masker: Arc<Masker>,
    /// The subscriber writes colours; [`fields`] lets no other escape characters through.
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

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// Lines as they are written.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lines.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_library_speaks_where_it_is_asked_or_details_are() {
        for (level, expected) in [
            ("info", Some("rmcp=off")),
            ("warn,clifford_delivery=info", Some("rmcp=off")),
            ("debug", None),
            ("info,rmcp=warn", None),
        ] {
            assert_eq!(told_twice(level), expected, "{level}");
        }
    }

    #[test]
    fn a_coloured_line_holds_no_escape_of_others() {
        let lines = Lines::default();
        let writer = lines.clone();
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(true)
            .without_time()
            .with_target(false)
            .fmt_fields(fields())
            .with_writer(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let hostile = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}1m\nERROR";
            tracing::info_span!("s", name = %hostile).in_scope(|| {
                tracing::warn!(name = %hostile, debug = ?hostile, number = 1, "of {hostile}");
            });
        });
        let written = lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&written).into_owned();
        let escapes: Vec<_> = text.split('\u{1b}').skip(1).collect();
        let is_colour = |rest: &&str| {
            rest.strip_prefix('[')
                .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'))
                .is_some_and(|rest| rest.starts_with('m'))
        };
        assert!(!escapes.is_empty() && escapes.iter().all(is_colour), "{text:?}");
        assert!(
            text.contains("name=]0;x[2J1m\\nERROR") && text.contains("number=1"),
            "{text:?}"
        );
        assert!(!text.contains(['\u{7}', '\u{9b}']), "{text:?}");
    }
}
