//! Parts that are not tried any more. The files behind one are still sent: each is of use without the others.

use clifford_chat::outbound::Part;

use super::{Gate, Held};
use crate::{
    delivery::{FILE_NOT_SENT, NOT_DELIVERED, REFUSED_BY_PLATFORM, mark::Mark},
    outbound,
    store::{messages::NewOutbound, outbox::OutgoingPart},
};

/// The most characters of a file's name that a chat is told.
const NAME: usize = 100;

impl Gate {
    /// Gives the next part up, with the texts behind it; with no file behind them, the message. Its chat is told, unless
    /// that is what was to be told.
    pub(super) async fn give_up_part(&self, held: &mut Held, reason: &str, told: Option<&'static str>) {
        let behind = held
            .parts
            .iter()
            .skip(1)
            .find(|part| is_stored(part))
            .map(|part| part.seq);
        let (Some(part), Some(next)) = (held.parts.first(), behind) else {
            return self.give_up_all(held, reason, told).await;
        };
        let mark = Mark::PartFailed {
            seq: part.seq,
            next,
            reason: self.log_given_up(held, reason),
            notice: self.notice(held, told),
        };
        self.mark(&held.message, mark).await;
        held.parts.retain(|part| part.seq >= next);
        held.is_cut = true;
    }

    /// Gives up all that is left of a message, and tells its chat.
    pub(super) async fn give_up_all(&self, held: &mut Held, reason: &str, told: Option<&'static str>) {
        let mark = Mark::Failed(self.log_given_up(held, reason), self.notice(held, told));
        self.mark(&held.message, mark).await;
        held.parts.clear();
        held.is_cut = true;
    }

    /// Logs it; returns the reason as the row holds it.
    fn log_given_up(&self, held: &Held, reason: &str) -> String {
        let message = &held.message;
        tracing::warn!(message = %message.id, channel = %self.id, platform = message.platform, "gave up sending a message, its row holds the reason");
        tracing::debug!(message = %message.id, reason, "why a message was given up");
        match held.parts.first().map(|part| &part.body.0) {
            Some(Part::Stored { name, .. }) => format!("the file {name}: {reason}"),
            _ => reason.to_owned(),
        }
    }

    /// What the chat is told in place of the next part; `told`: in place of a text. The text of an answer may be there when
    /// its file is not.
    fn notice(&self, held: &Held, told: Option<&'static str>) -> Option<Box<NewOutbound>> {
        let (told, part) = (told?, held.parts.first()?);
        if held.parts.iter().any(is_notice) {
            return None;
        }
        let to = &held.message.address.0;
        Some(Box::new(match &part.body.0 {
            Part::Stored { name, .. } => {
                outbound::naming_sentence(self.id, to, &file_not_sent(name), &self.channel.limits())
            }
            Part::Text { .. } | Part::File { .. } => outbound::fixed_sentence(self.id, to, told),
        }))
    }
}

const fn is_stored(part: &OutgoingPart) -> bool {
    matches!(part.body.0, Part::Stored { .. })
}

fn is_notice(part: &OutgoingPart) -> bool {
    match &part.body.0 {
        Part::Text { plain, .. } | Part::File { content: plain, .. } => {
            [REFUSED_BY_PLATFORM, NOT_DELIVERED].contains(&plain.as_str()) || plain.starts_with(FILE_NOT_SENT)
        }
        Part::Stored { .. } => false,
    }
}

/// Names a file that was not sent, in Markdown, which its name cannot leave.
fn file_not_sent(name: &str) -> String {
    let name: String = (name.chars().filter(|c| *c != '`' && !c.is_control()).take(NAME)).collect();
    match name.trim() {
        "" => format!("{FILE_NOT_SENT}that belongs here. Please ask for it again, or in another form."),
        name => format!("{FILE_NOT_SENT}`{name}`. Please ask for it again, or in another form."),
    }
}

/// A text as a file, for a platform that refuses it as a message.
pub(super) fn as_file(part: &Part) -> Option<Part> {
    match part {
        Part::Text { plain, .. } if !plain.is_empty() => Some(Part::File {
            name: "answer.md".to_owned(),
            content: plain.clone(),
            caption: String::new(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_a_name_that_stays_one() {
        for (name, named) in [
            ("list.md", "`list.md`"),
            ("a`b` **c**\n@everyone.md", "`ab **c**@everyone.md`"),
            ("` \n", "that belongs here"),
        ] {
            let told = file_not_sent(name);
            assert_eq!(
                told,
                format!("{FILE_NOT_SENT}{named}. Please ask for it again, or in another form.")
            );
        }
        let long = file_not_sent(&"x".repeat(1_000));
        assert!(long.contains(&format!("`{}`", "x".repeat(NAME))), "{long}");
    }
}
