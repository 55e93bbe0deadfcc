//! Messages that change one that was sent before: its last paragraph and its buttons give way to what is known now.

use clifford_chat::{
    error::SendError,
    outbound::{Address, Limits, Part, Receipt},
};
use clifford_core::{
    id::{ChannelId, MessageId},
    messages::MessageStatus,
};
use clifford_store::messages::{
    one_message::{self, DeliveredPart},
    outbox::{self, Outgoing, SentPart},
};

use super::Gate;

/// The separator of two paragraphs.
const BETWEEN: &str = "\n\n";

/// The target of a change.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// The part that is changed: the platform's id of it, and how it was sent.
    Sent(String, Part),
    /// It is still to be sent.
    OnItsWay,
    /// It never arrived, or is gone: there is nothing to change.
    Gone,
}

impl Gate {
    /// Changes the message that this one edits.
    pub(super) async fn edit(&self, message: &Outgoing, of: MessageId, by: &Part) -> Result<Receipt, SendError> {
        let parts = match self.inner.db.read().await {
            Ok(mut conn) => outbox::sent_parts(&mut conn, of).await,
            Err(error) => Err(error),
        };
        match target(parts.map_err(|error| SendError::NotSent(error.to_string()))?) {
            Target::Sent(id, sent) => {
                let limits = self.channel.limits();
                if limits.one_message.is_some() {
                    self.recall_around(message, of).await?;
                }
                let part = changed(&sent, by, &limits);
                self.channel.edit(&message.address.0, &id, &part).await
            }
            Target::OnItsWay => Err(SendError::NotSent(
                "the message to be changed was not sent yet".to_owned(),
            )),
            Target::Gone => Err(SendError::Rejected(
                "the message to be changed was not delivered".to_owned(),
            )),
        }
    }

    /// Tells the adapter what stands in the one message that this one is added to, where another process sent that.
    pub(super) async fn recall(&self, message: &Outgoing) -> Result<(), SendError> {
        self.recall_at(&message.address.0, message.channel_id).await
    }

    /// The same for a message that is changed: what stands next to it in the one message stays.
    async fn recall_around(&self, change: &Outgoing, of: MessageId) -> Result<(), SendError> {
        let to = match self.inner.db.read().await {
            Ok(mut conn) => one_message::address(&mut conn, of).await,
            Err(error) => Err(error),
        };
        match to.map_err(|error| SendError::NotSent(error.to_string()))? {
            Some(to) => self.recall_at(&to, change.channel_id).await,
            None => Ok(()),
        }
    }

    async fn recall_at(&self, to: &Address, channel: ChannelId) -> Result<(), SendError> {
        let Some(via) = to.via.as_deref().filter(|_| self.channel.has_forgotten(to)) else {
            return Ok(());
        };
        let said = match self.inner.db.read().await {
            Ok(mut conn) => one_message::delivered_parts(&mut conn, channel, via).await,
            Err(error) => Err(error),
        };
        let said = said.map_err(|error| SendError::NotSent(error.to_string()))?;
        let limits = self.channel.limits();
        let standing = said.into_iter().filter_map(|said| standing(said, &limits));
        self.channel.recall(to, standing.collect());
        Ok(())
    }
}

/// A part as it stands on the platform now.
fn standing(said: DeliveredPart, limits: &Limits) -> Option<(Receipt, Part)> {
    let id = said.platform_message_id?;
    let part = match said.changed {
        Some(by) => changed(&said.body.0, &by.0, limits),
        None => said.body.0,
    };
    Some((Receipt { id }, part))
}

/// The part of a message that is changed: the last of its texts.
fn target(parts: Vec<SentPart>) -> Target {
    let texts = parts
        .into_iter()
        .filter(|part| matches!(part.body.0, Part::Text { .. }));
    match texts.last() {
        Some(part) if matches!(part.status, MessageStatus::Pending | MessageStatus::Sending) => Target::OnItsWay,
        Some(SentPart {
            body,
            platform_message_id: Some(id),
            status: MessageStatus::Delivered,
        }) => Target::Sent(id, body.0),
        _ => Target::Gone,
    }
}

/// A text with its last paragraph replaced, and without buttons. A text that is too long then is replaced as a whole.
fn changed(sent: &Part, by: &Part, limits: &Limits) -> Part {
    let (Part::Text { text, plain, .. }, Part::Text { plain: new, .. }) = (sent, by) else {
        return by.clone();
    };
    let Some(new) = clifford_markup::render(new, limits.flavor, limits.text_units)
        .into_iter()
        .next()
    else {
        return by.clone();
    };
    let replaced = |whole: &str, new: &str| match whole.rfind(BETWEEN) {
        Some(at) => format!("{}{BETWEEN}{new}", &whole[..at]),
        None => new.to_owned(),
    };
    let part = |text: String, plain: String| Part::Text {
        text,
        plain,
        rich: None,
        buttons: Vec::new(),
    };
    let (whole, whole_plain) = (replaced(text, &new.text), replaced(plain, &new.plain));
    // The plain text is never longer than what the platform counts of the other, but for what is escaped there.
    match whole_plain.encode_utf16().count().max(whole.encode_utf16().count()) <= limits.text_units {
        true => part(whole, whole_plain),
        false => part(new.text, new.plain),
    }
}

#[cfg(test)]
mod tests {
    use clifford_chat::outbound::Button;
    use clifford_core::json_text::JsonText;
    use clifford_markup::Flavor;

    use super::*;

    fn text(text: &str, plain: &str) -> Part {
        Part::Text {
            text: text.to_owned(),
            plain: plain.to_owned(),
            rich: None,
            buttons: Vec::new(),
        }
    }

    fn limits(flavor: Flavor, text_units: usize) -> Limits {
        Limits {
            text_units,
            file_bytes: 0,
            flavor,
            drops_repeats: false,
            typing_every: None,
            delivered_when_stored: false,
            shows_progress: false,
            ..Limits::default()
        }
    }

    #[test]
    fn the_last_paragraph_and_the_buttons_give_way() {
        let by = text("\u{2705} **Approved** by A&B.", "\u{2705} **Approved** by A&B.");
        let asked = Part::Text {
            text: "<b>May I?</b>\n\n<pre>a\n\nb</pre>\n\n<code>/approve</code>".to_owned(),
            plain: "May I?\n\na\n\nb\n\n/approve".to_owned(),
            rich: None,
            buttons: vec![Button::new("Approve", "approve 1")],
        };
        let on_telegram = changed(&asked, &by, &limits(Flavor::TelegramHtml, 4_096));
        let expected = "<b>May I?</b>\n\n<pre>a\n\nb</pre>\n\n\u{2705} <b>Approved</b> by A&amp;B.";
        assert_eq!(
            on_telegram,
            text(expected, "May I?\n\na\n\nb\n\n\u{2705} Approved by A&B.")
        );
        // A text of one paragraph, and one that would be too long, are replaced as a whole.
        let whole = text("\u{2705} **Approved** by A&B.", "\u{2705} Approved by A&B.");
        let one = changed(&text("May I?", "May I?"), &by, &limits(Flavor::Discord, 2_000));
        assert_eq!(one, whole);
        assert_eq!(changed(&asked, &by, &limits(Flavor::Discord, 30)), whole);
    }

    #[test]
    fn what_was_sent_is_changed_and_what_is_on_its_way_is_waited_for() {
        let row = |body: Part, id: Option<&str>, status: MessageStatus| SentPart {
            body: JsonText(body),
            platform_message_id: id.map(str::to_owned),
            status,
        };
        let file = || Part::File {
            name: "arguments.json".to_owned(),
            content: String::new(),
            caption: String::new(),
            markup: None,
        };
        let (asked, delivered) = (text("May I?", "May I?"), MessageStatus::Delivered);
        let sent = |id: &str| Target::Sent(id.to_owned(), asked.clone());
        let cases = [
            (vec![row(asked.clone(), Some("7"), delivered)], sent("7")),
            (
                vec![
                    row(asked.clone(), Some("7"), delivered),
                    row(asked.clone(), Some("8"), delivered),
                ],
                sent("8"),
            ),
            (
                vec![
                    row(asked.clone(), Some("7"), delivered),
                    row(file(), None, MessageStatus::Pending),
                ],
                sent("7"),
            ),
            (vec![row(asked.clone(), None, MessageStatus::Sending)], Target::OnItsWay),
            (vec![row(asked.clone(), None, MessageStatus::Pending)], Target::OnItsWay),
            (vec![row(asked.clone(), None, MessageStatus::Failed)], Target::Gone),
            (vec![row(asked.clone(), None, delivered)], Target::Gone),
            (vec![row(file(), Some("7"), delivered)], Target::Gone),
            (Vec::new(), Target::Gone),
        ];
        for (parts, expected) in cases {
            let given = format!("{parts:?}");
            assert_eq!(target(parts), expected, "{given}");
        }
    }
}
