//! Commands that the reader gave in the chat, and their answers: they belong to no conversation, and stand where they were
//! given.

use maud::{Markup, html};

use crate::{
    address::with_query,
    backend::{Asker, Page},
    failure::Failure,
    pages::message::Message,
    view::parts::Button,
};

/// The newest of a channel, the newest first.
pub(super) async fn of(asker: &Asker, channel: &str) -> Result<Vec<Message>, Failure> {
    let path = with_query("/api/messages", &[("channelId", channel), ("limit", "50")]);
    let found: Page<Message> = asker.get(&path).await?;
    let mut asides = found.items;
    asides.retain(Message::is_aside);
    Ok(asides)
}

/// Puts them where they were given, among the messages of the conversation, both the newest first. Those from before
/// its first message stand there no more; where nothing was said yet, the last command with its answer does.
pub(super) fn among(said: &mut Vec<Message>, asides: Vec<Message>) {
    let first = said.last().map(|message| message.id.clone());
    let last = asides
        .iter()
        .find(|aside| aside.is_persons())
        .map(|aside| aside.id.clone());
    let Some(since) = first.or(last) else {
        return;
    };
    // Ids are in the order of time.
    said.extend(asides.into_iter().filter(|aside| aside.id >= since));
    said.sort_by(|one, other| other.id.cmp(&one.id));
}

/// The buttons below an answer.
pub(super) fn buttons(asker: &Asker, message: &Message) -> Markup {
    html! {
        @if !message.buttons().is_empty() {
            div.row {
                @for button in message.buttons() {
                    (Button::new("/chat", &button.label).with(&[("content", &button.command)]).draw(asker))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(id: &str, direction: &str, context: Option<&str>) -> Message {
        let message = json!({
            "id": id, "direction": direction, "content": id, "status": "received", "contextId": context,
            "createdAt": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(message).unwrap()
    }

    #[test]
    fn what_was_said_aside_stands_where_it_was_given() {
        let asides = || {
            ["6", "5", "2", "1"].map(|id| {
                let direction = if matches!(id, "5" | "1") { "inbound" } else { "outbound" };
                message(id, direction, None)
            })
        };
        let ids = |mut said: Vec<Message>| {
            among(&mut said, asides().into_iter().filter(Message::is_aside).collect());
            said.into_iter().map(|message| message.id).collect::<String>()
        };
        let said = |id: &str| message(id, "inbound", Some("c"));
        assert_eq!(ids(vec![said("7"), said("3")]), "7653");
        assert_eq!(ids(vec![said("4"), said("0")]), "654210");
        assert_eq!(ids(Vec::new()), "65");
        let mut none = Vec::new();
        among(&mut none, Vec::new());
        assert_eq!(none.len(), 0);
    }
}
