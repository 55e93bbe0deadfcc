//! How the platforms are connected: a part of the page of channels, for owners.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    backend::{Asker, Page},
    failure::Failure,
    view::{
        format::{At, title, when},
        parts::{Tone, badge, empty, short},
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
    /// Its last error, unless that is why it is down now.
    fn past_error(&self) -> Option<&str> {
        self.last_error
            .as_deref()
            .filter(|error| self.detail.as_deref() != Some(*error))
    }

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

/// The connections; nothing: the reader may not see them.
pub(crate) async fn all(asker: &Asker) -> Result<Option<Vec<Connection>>, Failure> {
    let found: Option<Page<Connection>> = asker.find("/api/connections").await?;
    Ok(found.map(|page| page.items))
}

/// The connections as a part of a page.
pub(crate) fn draw(asker: &Asker, connections: Option<&[Connection]>) -> Markup {
    html! {
        @if let Some(connections) = connections {
            section.card id="connections" data-live aria-labelledby="connections-title" {
                header { h2 id="connections-title" { "Platforms" } a.small href="/outbox" { "Outbox" } }
                @if connections.is_empty() {
                    (empty("No platform is connected", &html! {
                        "People reach the bot by this dashboard and by the API alone. " code { "clifford init" }
                        " on its machine asks what it takes to connect a platform."
                    }))
                }
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
                @if let (Some(error), Some(at)) = (connection.past_error(), connection.last_error_at) {
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
