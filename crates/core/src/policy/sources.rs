//! The names of the sources of words, as runs keep them: in English, once each. A reader gets them in their language. Pure.

use clifford_text::{Lang, SourceName};

/// A message of the run's person.
pub const MESSAGE: &str = "your message";
/// The task of a subagent.
pub const TASK: &str = "its task";
/// The conversation, where the run answers.
pub const CONVERSATION: &str = "this conversation";
/// Memory items.
pub const REMEMBERED: &str = "what I remember of you";
/// The person's messages in other places.
pub const ELSEWHERE: &str = "your messages elsewhere";
/// Text that came with a forwarded message.
pub const FORWARDED: &str = "a forwarded message";
/// Text that came with a quote.
pub const QUOTED: &str = "what somebody else wrote and was quoted";
/// The long name of a file.
pub const NAMED: &str = "the name of a file";
/// Messages of others in the conversation.
pub const OTHERS: &str = "what others wrote here";
/// Answers of the conversation whose runs had read words of others.
pub const READ: &str = "what was read before in this conversation";
/// The same in the conversation's summary.
pub const READ_SUMMARY: &str = "a summary of what was read in this conversation";
/// Messages of others in the conversation's summary.
pub const OTHERS_SUMMARY: &str = "a summary of what others wrote here";
/// A memory item that words of others led to.
pub const LEARNED: &str = "what was remembered from where I read it";
/// Another conversation, where words of others were read.
pub const READ_ELSEWHERE: &str = "what was read in another conversation";
/// Answers of other runs while this one slept.
pub(crate) const MEANWHILE: &str = "what was answered here meanwhile";
/// A reminder that words of others led to.
pub const REMINDER: &str = "a reminder that was set from where I read it";
/// Earlier messages, as a search finds them.
pub const SAID: &str = "what was said before";
/// Messages of people in the place that do not address the bot.
pub const AMBIENT: &str = "what people said here among themselves";
/// Stands before the name of a file.
const FILE: &str = "file ";
/// Stands before the title of a document.
const DOCUMENT: &str = "document ";
/// Stands before the name of a tool.
const DESCRIPTION: &str = "the description of ";

/// A file.
pub fn file(name: &str) -> String {
    format!("{FILE}{name}")
}

/// A document of the index.
pub fn document(title: &str) -> String {
    format!("{DOCUMENT}{title}")
}

/// The description of a tool.
pub fn description(tool: &str) -> String {
    format!("{DESCRIPTION}{tool}")
}

/// A source as its reader names it; an address is the same in every language.
pub fn said(from: &str, lang: Lang) -> String {
    known_source(from).map_or_else(|| from.to_owned(), |name| lang.say(name))
}

/// The same in English for somebody else than the person whose words they are.
#[must_use]
pub fn told_to_others(said: String) -> String {
    let told = match said.as_str() {
        MESSAGE => "their message",
        ELSEWHERE => "their messages elsewhere",
        REMEMBERED => "what I remember of them",
        _ => return said,
    };
    told.to_owned()
}

fn known_source(from: &str) -> Option<SourceName> {
    Some(match from {
        MESSAGE => SourceName::YourMessage,
        TASK => SourceName::ItsTask,
        CONVERSATION => SourceName::ThisConversation,
        REMEMBERED => SourceName::Remembered,
        ELSEWHERE => SourceName::YourMessagesElsewhere,
        FORWARDED => SourceName::Forwarded,
        QUOTED => SourceName::Quoted,
        NAMED => SourceName::FileName,
        OTHERS => SourceName::OthersWroteHere,
        READ => SourceName::ReadBefore,
        READ_SUMMARY => SourceName::ReadSummary,
        OTHERS_SUMMARY => SourceName::OthersSummary,
        LEARNED => SourceName::RememberedFromThere,
        READ_ELSEWHERE => SourceName::ReadElsewhere,
        MEANWHILE => SourceName::AnsweredMeanwhile,
        REMINDER => SourceName::ReminderFromThere,
        SAID => SourceName::SaidBefore,
        AMBIENT => SourceName::SaidAround,
        other => return of_name(other),
    })
}

fn of_name(from: &str) -> Option<SourceName> {
    let behind = |mark| from.strip_prefix(mark).map(str::to_owned);
    (behind(FILE).map(|name| SourceName::File { name }))
        .or_else(|| behind(DOCUMENT).map(|name| SourceName::Document { name }))
        .or_else(|| behind(DESCRIPTION).map(|name| SourceName::Description { name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_named_in_the_language_of_its_reader() {
        let all = [
            MESSAGE,
            TASK,
            CONVERSATION,
            REMEMBERED,
            ELSEWHERE,
            FORWARDED,
            QUOTED,
            NAMED,
            OTHERS,
            READ,
            READ_SUMMARY,
            OTHERS_SUMMARY,
            LEARNED,
            READ_ELSEWHERE,
            MEANWHILE,
            REMINDER,
            SAID,
            AMBIENT,
        ];
        for from in all
            .map(str::to_owned)
            .into_iter()
            .chain([file("bill.pdf"), document("Bill"), description("bank")])
        {
            assert_eq!(said(&from, Lang::English), from);
            assert_ne!(said(&from, Lang::Japanese), from);
        }
        assert_eq!(said(&file("bill.pdf"), Lang::German), "Datei bill.pdf");
        let yours = all.map(str::to_owned).into_iter().filter(|from| from.contains("you"));
        for from in yours {
            assert!(!told_to_others(from.clone()).contains("you"), "{from}");
        }
        assert_eq!(told_to_others(file("your message")), "file your message");
        for address in ["https://example.org", "news.example"] {
            assert_eq!(said(address, Lang::German), address);
        }
    }
}
