//! Parts that are not tried any more. The files behind one are still sent: each is of use without the others. The chat is
//! told once, at the message's end, of all that is missing.

use clifford_chat::outbound::Part;
use clifford_core::messages::MessageStatus;
use clifford_store::messages::outbox::{self, Outgoing, OutgoingPart};
use clifford_text::Undelivered;

use super::{Gate, Held};
use crate::{notice::Notice, status_mark::Mark};

/// The parts of a message that its chat is to be told of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// In place of a text.
    told: Option<Undelivered>,
    /// The names of files.
    files: Vec<String>,
}

impl Missing {
    /// Adds parts; `told`: in place of a text. The text of an answer may be there when its files are not.
    fn add<'a>(&mut self, given_up: impl IntoIterator<Item = &'a Part>, told: &Undelivered) {
        for part in given_up {
            match name(part) {
                Some(name) => self.files.push(name.to_owned()),
                None => self.told = self.told.take().or_else(|| Some(told.clone())),
            }
        }
    }
}

impl Gate {
    /// The parts of a message that an earlier process gave up.
    pub(super) async fn missing_before(&self, message: &Outgoing) -> Missing {
        let parts = match self.inner.db.read().await {
            Ok(mut conn) => outbox::sent_parts(&mut conn, message.id).await,
            Err(error) => Err(error),
        };
        // They stand in the row, whether or not the chat can be told.
        let parts = parts.unwrap_or_default();
        let failed = parts.iter().filter(|part| part.status == MessageStatus::Failed);
        let mut missing = Missing::default();
        missing.add(failed.map(|part| &part.body.0), &Undelivered::Refused);
        missing
    }

    /// Gives the next part up, with the texts behind it; with no file behind them, the message.
    pub(super) async fn give_up_part(&self, held: &mut Held, reason: &str, told: Option<Undelivered>) {
        let behind = held
            .parts
            .iter()
            .skip(1)
            .find(|part| name(&part.body.0).is_some())
            .map(|part| part.seq);
        let (Some(part), Some(next)) = (held.parts.first(), behind) else {
            return self.give_up_all(held, reason, told).await;
        };
        let given_up: Vec<_> = held.parts.iter().take_while(|part| part.seq < next).collect();
        let mark = Mark::PartFailed {
            seq: part.seq,
            next,
            reason: self.log_given_up(held, &given_up, reason),
        };
        if let Some(told) = told {
            held.missing.add(given_up.iter().map(|part| &part.body.0), &told);
        }
        self.mark(&held.message, mark).await;
        held.parts.retain(|part| part.seq >= next);
        held.is_cut = true;
    }

    /// Gives up all that is left of a message, and tells its chat what is missing, unless the message is a notice.
    pub(super) async fn give_up_all(&self, held: &mut Held, reason: &str, told: Option<Undelivered>) {
        let given_up: Vec<_> = held.parts.iter().collect();
        let reason = self.log_given_up(held, &given_up, reason);
        if let Some(told) = told {
            held.missing.add(given_up.iter().map(|part| &part.body.0), &told);
        }
        let mark = Mark::Failed(reason, self.notice(held));
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

    /// The notice to the chat in place of what is missing at the end of a message.
    pub(super) fn notice(&self, held: &mut Held) -> Option<Box<Notice>> {
        let missing = std::mem::take(&mut held.missing);
        if held.message.is_notice() || missing == Missing::default() {
            return None;
        }
        Some(Box::new(Notice {
            channel: self.id,
            to: held.message.address.0.clone(),
            told: missing.told,
            files: missing.files,
            limits: self.channel.limits(),
        }))
    }
}

/// The name of a stored file.
fn name(part: &Part) -> Option<&str> {
    match part {
        Part::Stored { name, .. } => Some(name),
        Part::Text { .. } | Part::File { .. } => None,
    }
}

fn names<'a>(parts: &[&'a OutgoingPart]) -> Vec<&'a str> {
    parts.iter().filter_map(|part| name(&part.body.0)).collect()
}
