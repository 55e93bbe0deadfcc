//! Parts that are not tried any more. The files behind one are still sent: each is of use without the others.

use clifford_chat::outbound::{Address, Limits, Part};
use clifford_core::id::ChannelId;
use clifford_store::messages::{
    NewOutbound,
    outbox::{self, OutgoingPart},
};
use clifford_text::{Lang, Undelivered};

use super::{Gate, Held};
use crate::{outbound, status_mark::Mark};

/// The most characters of a file's name in a notice.
const NAME: usize = 100;

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

/// What a chat is told in place of what was given up; its words are found when it is stored.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) channel: ChannelId,
    to: Address,
    /// In place of a text.
    told: Option<Undelivered>,
    files: Vec<String>,
    limits: Limits,
}

impl Notice {
    /// The message, in the language of those who read it.
    pub(crate) fn message(&self, lang: Lang) -> NewOutbound {
        let told = self.told.clone().map(|told| lang.say(told));
        let message = match (told, self.files.is_empty()) {
            (Some(told), true) => outbound::fixed_sentence(self.channel, &self.to, &told),
            (Some(told), false) => {
                let sentence = format!("{told}{}", nor_files(&self.files, lang));
                outbound::naming_sentence(self.channel, &self.to, &sentence, &self.limits)
            }
            (None, _) => {
                let sentence = files_not_sent(&self.files, lang);
                outbound::naming_sentence(self.channel, &self.to, &sentence, &self.limits)
            }
        };
        NewOutbound {
            metadata: Some(outbox::notice()),
            ..message
        }
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

/// Says that files were not sent.
fn files_not_sent(names: &[String], lang: Lang) -> String {
    let (count, named) = (names.len().into(), listed(names));
    lang.say(match named.is_empty() {
        true => Undelivered::FilesOfNoName { count },
        false => Undelivered::Files { count, names: named },
    })
}

/// Says of the files of a text that was not sent that they were not sent either.
fn nor_files(names: &[String], lang: Lang) -> String {
    let (count, named) = (names.len().into(), listed(names));
    match named.is_empty() {
        true => String::new(),
        false => format!(" {}", lang.say(Undelivered::NorFiles { count, names: named })),
    }
}

/// Names of files, in Markdown, which they cannot leave.
fn listed(names: &[String]) -> String {
    let plain = |name: &String| -> String {
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

    fn not_sent(names: &[&str]) -> String {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        files_not_sent(&names, Lang::English)
    }

    fn nor(names: &[&str]) -> String {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        nor_files(&names, Lang::English)
    }

    #[test]
    fn a_file_is_named_by_a_name_that_stays_one() {
        for (name, named) in [
            ("list.md", "`list.md`"),
            ("a`b` **c**\n@everyone.md", "`ab **c**@everyone.md`"),
            ("` \n", "that belongs here"),
        ] {
            assert_eq!(
                not_sent(&[name]),
                format!("Sorry, I could not send you the file {named}. Please ask for it again, or in another form.")
            );
        }
        let long = not_sent(&["x".repeat(1_000).as_str()]);
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
                not_sent(names),
                format!("Sorry, I could not send you the file{named}. Please ask for them again, or in another form.")
            );
        }
        assert_eq!(nor(&["a.md"]), " Its file was not sent either: `a.md`.");
        assert_eq!(
            nor(&["a.md", "b.md"]),
            " Its files were not sent either: `a.md`, `b.md`."
        );
        assert_eq!(nor(&["\n"]), "");
        let names = ["a.md".to_owned()];
        assert_eq!(
            nor_files(&names, Lang::German),
            " Auch die Datei dazu wurde nicht gesendet: `a.md`."
        );
    }
}
