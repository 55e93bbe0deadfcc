//! Parts that are not tried any more. The files behind one are still sent: each is of use without the others.

use clifford_chat::outbound::Part;
use clifford_store::messages::{NewOutbound, outbox::OutgoingPart};

use super::{Gate, Held};
use crate::{FILES_NOT_SENT, NOT_DELIVERED, REFUSED_BY_PLATFORM, outbound, status_mark::Mark};

/// The most characters of a file's name in a notice.
const NAME: usize = 100;

impl Gate {
    /// Gives the next part up, with the texts behind it; with no file behind them, the message. Its chat gets a notice,
    /// unless the part is one.
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
    pub(super) async fn give_up_all(&self, held: &mut Held, reason: &str, told: Option<&'static str>) {
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
    fn notice(&self, held: &Held, given_up: &[&OutgoingPart], told: Option<&'static str>) -> Option<Box<NewOutbound>> {
        let told = told?;
        if given_up.iter().any(|part| is_notice(part)) {
            return None;
        }
        let (to, files) = (&held.message.address.0, names(given_up));
        if files.is_empty() {
            return Some(Box::new(outbound::fixed_sentence(self.id, to, told)));
        }
        let sentence = match files.len() == given_up.len() {
            true => files_not_sent(&files),
            false => format!("{told}{}", nor_files(&files)),
        };
        let limits = self.channel.limits();
        Some(Box::new(outbound::naming_sentence(self.id, to, &sentence, &limits)))
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

fn is_notice(part: &OutgoingPart) -> bool {
    match &part.body.0 {
        Part::Text { plain, .. } | Part::File { content: plain, .. } => {
            let begins = [REFUSED_BY_PLATFORM, NOT_DELIVERED, FILES_NOT_SENT];
            begins.iter().any(|begin| plain.starts_with(begin))
        }
        Part::Stored { .. } => false,
    }
}

/// Says that files were not sent.
fn files_not_sent(names: &[&str]) -> String {
    let (s, it, belongs) = match names {
        [_] => ("", "it", "that belongs here"),
        _ => ("s", "them", "that belong here"),
    };
    let listed = listed(names);
    let named = if listed.is_empty() { belongs } else { &listed };
    format!("{FILES_NOT_SENT}{s} {named}. Please ask for {it} again, or in another form.")
}

/// Says of the files of a text that was not sent that they were not sent either.
fn nor_files(names: &[&str]) -> String {
    match (listed(names), names) {
        (named, _) if named.is_empty() => String::new(),
        (named, [_]) => format!(" Its file was not sent either: {named}."),
        (named, _) => format!(" Its files were not sent either: {named}."),
    }
}

/// Names of files, in Markdown, which they cannot leave.
fn listed(names: &[&str]) -> String {
    let plain = |name: &&str| -> String {
        let name = name.chars().filter(|c| *c != '`' && !c.is_control());
        name.take(NAME).collect::<String>().trim().to_owned()
    };
    let named = names.iter().map(plain).filter(|name| !name.is_empty());
    named.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
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
            let told = files_not_sent(&[name]);
            assert_eq!(
                told,
                format!("{FILES_NOT_SENT} {named}. Please ask for it again, or in another form.")
            );
        }
        let long = files_not_sent(&["x".repeat(1_000).as_str()]);
        assert!(long.contains(&format!("`{}`", "x".repeat(NAME))), "{long}");
    }

    #[test]
    fn several_files_are_named_in_one_sentence() {
        for (names, named) in [
            (&["a.md", "b.md", "c`.md"][..], "s `a.md`, `b.md`, `c.md`"),
            (&["a.md", "\n"], "s `a.md`"),
            (&["`", "\n"], "s that belong here"),
        ] {
            assert_eq!(
                files_not_sent(names),
                format!("{FILES_NOT_SENT}{named}. Please ask for them again, or in another form.")
            );
        }
        assert_eq!(nor_files(&["a.md"]), " Its file was not sent either: `a.md`.");
        assert_eq!(
            nor_files(&["a.md", "b.md"]),
            " Its files were not sent either: `a.md`, `b.md`."
        );
        assert_eq!(nor_files(&["\n"]), "");
    }
}
