//! Parts that are not tried any more. The files behind one are still sent: each is of use without the others.

use clifford_chat::outbound::Part;
use clifford_store::messages::outbox::OutgoingPart;
use clifford_text::Undelivered;

use super::{Gate, Held};
use crate::{notice::Notice, status_mark::Mark};

impl Gate {
    /// Gives the next part up, with the texts behind it; with no file behind them, the message. Its chat gets a notice,
    /// unless the part is one.
    pub(super) async fn give_up_part(&self, held: &mut Held, reason: &str, told: Option<Undelivered>) {
        let behind = held
            .parts
            .iter()
            .skip(1)
            .find(|part| is_stored(part))
            .map(|part| part.seq);
        let (Some(part), Some(next)) = (held.parts.first(), behind) else {
            return self.give_up_all(held, reason, told).await;
        };
        let given_up: Vec<_> = held.parts.iter().take_while(|part| part.seq < next).collect();
        let mark = Mark::PartFailed {
            seq: part.seq,
            next,
            reason: self.log_given_up(held, &given_up, reason),
            notice: self.notice(held, &given_up, told),
        };
        self.mark(&held.message, mark).await;
        held.parts.retain(|part| part.seq >= next);
        held.is_cut = true;
    }

    /// Gives up all that is left of a message, and tells its chat once.
    pub(super) async fn give_up_all(&self, held: &mut Held, reason: &str, told: Option<Undelivered>) {
        let given_up: Vec<_> = held.parts.iter().collect();
        let mark = Mark::Failed(
            self.log_given_up(held, &given_up, reason),
            self.notice(held, &given_up, told),
        );
        self.mark(&held.message, mark).await;
        held.parts.clear();
        held.is_cut = true;
    }

    /// Logs it; returns the reason as the row holds it.
    fn log_given_up(&self, held: &Held, given_up: &[&OutgoingPart], reason: &str) -> String {
        let message = &held.message;
        tracing::warn!(message_id = %message.id, channel_id = %self.id, platform = message.platform, "gave up sending a message, its row holds the reason");
        tracing::debug!(message_id = %message.id, reason, "gave up sending a message (details)");
        let files = names(given_up);
        match files.len() {
            1 if given_up.len() == 1 => format!("the file {}: {reason}", files[0]),
            2.. if given_up.len() == files.len() => format!("the files {}: {reason}", files.join(", ")),
            _ => reason.to_owned(),
        }
    }

    /// The notice to the chat in place of the parts given up; `told`: in place of a text. The text of an answer may be
    /// there when its files are not.
    fn notice(&self, held: &Held, given_up: &[&OutgoingPart], told: Option<Undelivered>) -> Option<Box<Notice>> {
        let told = told.filter(|_| !held.message.is_notice())?;
        let files = names(given_up);
        Some(Box::new(Notice {
            channel: self.id,
            to: held.message.address.0.clone(),
            told: (files.len() < given_up.len()).then_some(told),
            files: files.into_iter().map(str::to_owned).collect(),
            limits: self.channel.limits(),
        }))
    }
}

fn is_stored(part: &OutgoingPart) -> bool {
    name(part).is_some()
}

/// The name of a stored file.
fn name(part: &OutgoingPart) -> Option<&str> {
    match &part.body.0 {
        Part::Stored { name, .. } => Some(name),
        Part::Text { .. } | Part::File { .. } => None,
    }
}

fn names<'a>(parts: &[&'a OutgoingPart]) -> Vec<&'a str> {
    parts.iter().filter_map(|part| name(part)).collect()
}
