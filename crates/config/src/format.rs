//! Texts of a certain form: addresses, URLs, time zones, log filters, ids.

use std::net::SocketAddr;

use tracing_subscriber::{EnvFilter, filter::LevelFilter};
use url::Url;

/// A form that a text may have to have, by its name in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    SocketAddress,
    HttpUrl,
    DatabaseUrl,
    TimeZone,
    LogFilter,
    PlatformId,
    ShardCount,
}

impl Format {
    /// The form of this name; `None` for names that only editors care for.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "socket-address" => Some(Self::SocketAddress),
            "http-url" => Some(Self::HttpUrl),
            "database-url" => Some(Self::DatabaseUrl),
            "time-zone" => Some(Self::TimeZone),
            "log-filter" => Some(Self::LogFilter),
            "platform-id" => Some(Self::PlatformId),
            "shard-count" => Some(Self::ShardCount),
            _ => None,
        }
    }

    /// The form in words.
    pub fn expected(self) -> &'static str {
        match self {
            Self::SocketAddress => "an address with a port, such as \"127.0.0.1:8088\" or \"[::]:8088\"",
            Self::HttpUrl => "a URL that begins with http:// or https://",
            Self::DatabaseUrl => "sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
            Self::TimeZone => "an IANA time zone, such as \"UTC\" or \"Europe/Berlin\"",
            Self::LogFilter => "error, warn, info, debug or trace, or a filter such as \"info,clifford=debug\"",
            Self::PlatformId => "an id: a number, with or without quotes",
            Self::ShardCount => "\"auto\", a whole number from 1 to 1000, or a part such as \"0-3/16\"",
        }
    }

    /// Whether a text has this form.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::SocketAddress => text.parse::<SocketAddr>().is_ok(),
            Self::HttpUrl => {
                Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            }
            Self::DatabaseUrl => match text.split_once(':') {
                // SQLite would take these for something else than a file of that name.
                Some(("sqlite", path)) => {
                    let path = path.trim_start_matches("//");
                    !path.trim_start_matches('/').is_empty()
                        && !path.starts_with(":memory:")
                        && !path.starts_with("file:")
                }
                Some(("postgres" | "postgresql", _)) => Url::parse(text).is_ok_and(|url| !url.cannot_be_a_base()),
                _ => false,
            },
            Self::TimeZone => jiff::tz::TimeZone::get(text).is_ok(),
            Self::LogFilter => is_log_filter(text),
            Self::PlatformId => text.parse::<i64>().is_ok(),
            Self::ShardCount => text == "auto" || is_shard_count(text),
        }
    }
}

/// A filter whose words without `=` are levels. Any other word would name a module and leave all others out, so a level
/// that is mistyped would end the log.
fn is_log_filter(text: &str) -> bool {
    let mut words = text.split(',').map(str::trim).filter(|part| !part.contains('='));
    !text.trim().is_empty() && words.all(|word| word.parse::<LevelFilter>().is_ok()) && EnvFilter::try_new(text).is_ok()
}

/// A number of connections, or a part of one.
fn is_shard_count(text: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().ok();
    let (part, of) = match text.split_once('/') {
        Some((part, of)) => (Some(part), number(of)),
        None => (None, number(text)),
    };
    let Some(of) = of.filter(|of| (1..=1000).contains(of)) else {
        return false;
    };
    part.is_none_or(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        number(first)
            .zip(number(last))
            .is_some_and(|(first, last)| first <= last && last < of)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_takes_what_it_names_and_nothing_else() {
        let cases: [(Format, &[&str], &[&str]); 7] = [
            (
                Format::SocketAddress,
                &["127.0.0.1:0", "[::1]:8088"],
                &["localhost:8088", "127.0.0.1", "127.0.0.1:99999"],
            ),
            (
                Format::HttpUrl,
                &["http://127.0.0.1:1/v1", "https://x.example"],
                &["", "x.example", "ftp://x", "http://"],
            ),
            (
                Format::DatabaseUrl,
                &[
                    "sqlite:clifford.db",
                    "sqlite:///var/x.db",
                    "sqlite:./:memory:",
                    "postgres:///x?host=/run",
                    "postgresql://h/x",
                ],
                &[
                    "",
                    "clifford.db",
                    "sqlite:",
                    "sqlite://",
                    "sqlite::memory:",
                    "sqlite://:memory:",
                    "sqlite:file:x.db?mode=ro",
                    "mysql://h/x",
                    "postgres:x",
                ],
            ),
            (Format::TimeZone, &["UTC", "Europe/Berlin"], &["", "Berlin", "+02:00"]),
            (
                Format::LogFilter,
                &["info", "off", "warn,clifford::engine=trace", "DEBUG,rmcp=warn"],
                &["", "debgu", "info,loud", "clifford", "clifford=loud"],
            ),
            (
                Format::PlatformId,
                &["123", "-1001234567890"],
                &["", "ada", "@ada", "1.5"],
            ),
            (
                Format::ShardCount,
                &["auto", "1", "1000", "0-3/16", "15/16"],
                &["", "0", "1001", "0-3", "3-0/16", "0-16/16", "0-3/1001", "0-3/0", "/16"],
            ),
        ];
        for (format, good, bad) in cases {
            assert_eq!(
                good.iter().filter(|text| !format.fits(text)).collect::<Vec<_>>(),
                Vec::<&&str>::new()
            );
            assert_eq!(
                bad.iter().filter(|text| format.fits(text)).collect::<Vec<_>>(),
                Vec::<&&str>::new()
            );
        }
    }
}
