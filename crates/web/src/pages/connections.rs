//! How the platforms are connected: a part of the page of channels, for owners.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    backend::{Asker, Page},
    failure::Failure,
    view::{
        format::{At, title, when},
        parts::{Tone, badge, short},
        words,
    },
};

/// A platform's connection.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Connection {
    platform: String,
    state: String,
    name: Option<String>,
    detail: Option<String>,
    last_event_at: Option<At>,
    last_message_at: Option<At>,
    last_error: Option<String>,
    last_error_at: Option<At>,
    late: Vec<Late>,
}

#[derive(Deserialize)]
struct Late {
    since: At,
    reason: String,
}

impl Connection {
    fn state(&self) -> Markup {
        let (tone, word) = match self.state.as_str() {
            "connected" => (Tone::Good, "connected"),
            "limited" => (Tone::Warn, "withholds something"),
            "elsewhere" => (Tone::Calm, "by another process"),
            _ => (Tone::Bad, "not connected"),
        };
        badge(tone, word)
    }
}

/// The connections, if the reader may see them.
pub(crate) async fn all(asker: &Asker) -> Result<Vec<Connection>, Failure> {
    let found: Option<Page<Connection>> = asker.find("/api/connections").await?;
    Ok(found.unwrap_or_default().items)
}

/// The connections as a part of a page.
pub(crate) fn draw(asker: &Asker, connections: &[Connection]) -> Markup {
    html! {
        @if !connections.is_empty() {
            section.card id="connections" data-live aria-labelledby="connections-title" {
                header { h2 id="connections-title" { "Platforms" } a.small href="/outbox" { "Outbox" } }
                ul.list { @for connection in connections { (line(asker, connection)) } }
            }
        }
    }
}

fn line(asker: &Asker, connection: &Connection) -> Markup {
    let told = [
        ("last event", connection.last_event_at),
        ("last message", connection.last_message_at),
    ];
    html! {
        li {
            div.about {
                strong { (words(&title(&connection.platform))) }
                @if let Some(name) = &connection.name { span.quiet { " as " (words(name)) } }
                @if let Some(detail) = &connection.detail { div { (words(&short(detail, 200))) } }
                div.small.quiet.row {
                    @for (name, at) in told { @if let Some(at) = at { span { (name) " " (when(at, asker.now())) } } }
                }
                @if let (Some(error), Some(at)) = (&connection.last_error, connection.last_error_at) {
                    div.small.quiet { "last error " (when(at, asker.now())) ": " (words(&short(error, 200))) }
                }
                @if let Some(late) = connection.late.first() {
                    div.small {
                        (connection.late.len()) @if connection.late.len() == 1 { " message is late" } @else { " messages are late" }
                        ", the first since " (when(late.since, asker.now())) ": " (words(&short(&late.reason, 200)))
                    }
                }
            }
            (connection.state())
        }
    }
}
