//! Notices to a chat in place of parts that are not tried any more.

use clifford_chat::outbound::{Address, Limits};
use clifford_core::id::ChannelId;
use clifford_store::messages::{NewOutbound, outbox};
use clifford_text::{Lang, Undelivered};

use crate::outbound;

/// The most characters of a file's name in a notice.
const NAME: usize = 100;

/// A notice to a chat in place of parts that were given up; its words are found when it is stored.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) channel: ChannelId,
    pub(crate) to: Address,
    /// In place of a text.
    pub(crate) told: Option<Undelivered>,
    /// The names of files.
    pub(crate) files: Vec<String>,
    pub(crate) limits: Limits,
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

/// Says that files were not sent.
fn files_not_sent(names: &[String], lang: Lang) -> String {
    let (count, named) = (names.len().into(), quoted_list(names));
    lang.say(match named.is_empty() {
        true => Undelivered::FilesOfNoName { count },
        false => Undelivered::Files { count, names: named },
    })
}

/// Says of the files of a text that was not sent that they were not sent either.
fn nor_files(names: &[String], lang: Lang) -> String {
    let (count, named) = (names.len().into(), quoted_list(names));
    match named.is_empty() {
        true => String::new(),
        false => format!(" {}", lang.say(Undelivered::NorFiles { count, names: named })),
    }
}

/// Names of files, in Markdown, which they cannot leave.
fn quoted_list(names: &[String]) -> String {
    let plain = |name: &String| -> String {
        let name = name.chars().filter(|c| *c != '`' && !c.is_control());
        name.take(NAME).collect::<String>().trim().to_owned()
    };
    let named = names.iter().map(plain).filter(|name| !name.is_empty());
    named.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
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
