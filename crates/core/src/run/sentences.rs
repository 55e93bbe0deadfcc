//! The fixed sentences that a person may read of a run, in their language. Nothing else that the engine knows ever reaches
//! a chat.

use clifford_text::{Lang, Outcome, Sorry};
use jiff::civil::Date;

use crate::{
    budget::{Period, Scope},
    schedule::told,
};

/// For a reply that stayed unreadable.
pub const BAD_REPLY: Sentence = Sentence::sorry(Sorry::BadReply);
/// For a reply that was longer than one may be.
pub const REPLY_TOO_LONG: Sentence = Sentence::sorry(Sorry::ReplyTooLong);
/// For any other stall than one over a greeting, and where there is nothing better to say.
pub const STUCK: Sentence = Sentence::sorry(Sorry::Stuck);
/// For an error that nobody outside can mend.
pub const ERROR: Sentence = Sentence::sorry(Sorry::Error);
/// For a run that was set aside: processes that worked on it died.
pub const QUARANTINED: Sentence = Sentence::sorry(Sorry::Quarantined);
/// For a trigger that was set aside: processes that fired it died.
pub const TRIGGER_QUARANTINED: Sentence = Sentence::sorry(Sorry::TriggerQuarantined);
/// For an event that was set aside: processes that stored it died.
pub const EVENT_QUARANTINED: Sentence = Sentence::sorry(Sorry::EventQuarantined);
/// For an answer that was set aside: processes that sent it died.
pub const MESSAGE_QUARANTINED: Sentence = Sentence::sorry(Sorry::MessageQuarantined);
/// Where a run repeated itself and has nothing to say.
pub const REPEATED: Sentence = Sentence::sorry(Sorry::Repeated);
/// Where a run has called tools, and came to no answer.
pub const UNFINISHED: Sentence = Sentence::sorry(Sorry::Unfinished);
/// For a model that cannot be reached, or does not answer.
pub const MODEL_DOWN: Sentence = Sentence::sorry(Sorry::ModelDown);
/// For a model that will not answer.
pub const MODEL_REFUSED: Sentence = Sentence::sorry(Sorry::ModelRefused);
/// For a model whose provider asks for patience.
pub const MODEL_BUSY: Sentence = Sentence::sorry(Sorry::ModelBusy);
/// For a request that its model cannot take in, however much is left out.
pub(crate) const MODEL_TOO_LONG: Sentence = Sentence::sorry(Sorry::ModelTooLong);
/// For a model that has no room for a question alongside the instructions and the tools.
pub const MODEL_TOO_SMALL: Sentence = Sentence::sorry(Sorry::ModelTooSmall);
/// For a request that the provider refuses.
pub(crate) const MODEL_REFUSES_REQUEST: Sentence = Sentence::sorry(Sorry::ModelRefusesRequest);
/// For a key that the provider does not accept.
pub(crate) const MODEL_KEY: Sentence = Sentence::sorry(Sorry::ModelKey);
/// For a key that may not do this.
pub(crate) const MODEL_FORBIDDEN: Sentence = Sentence::sorry(Sorry::ModelForbidden);
/// The configured model does not exist.
pub(crate) const MODEL_UNKNOWN: Sentence = Sentence::sorry(Sorry::ModelUnknown);
/// For an account without money.
pub(crate) const MODEL_UNPAID: Sentence = Sentence::sorry(Sorry::ModelUnpaid);
/// For a run whose time is over.
pub const TIME: Sentence = Sentence::sorry(Sorry::Time);
/// For a spent budget of a run.
pub const BUDGET: Sentence = Sentence::sorry(Sorry::Budget);

/// For a reply that stayed unreadable; `is_cut`: because it was longer than one may be.
pub(super) fn of_bad_reply(is_cut: bool) -> Sentence {
    if is_cut { REPLY_TOO_LONG } else { BAD_REPLY }
}

/// An apology to the person of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    reason: Option<Reason>,
    /// Behind it, in brackets: what whoever can mend it reads.
    note: Option<String>,
}

/// The reason of an apology, with the tool by which it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Plain(Sorry),
    /// A tool failed for good.
    ToolFailed {
        tool: String,
        error: Option<String>,
    },
    /// A tool was called again and again.
    ToolRepeated {
        tool: String,
    },
    Spent(Spent),
}

/// A budget that is spent, and when it begins anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its owner.
    pub scope: Scope,
    /// Its purpose.
    pub period: Period,
    /// The date of its next period.
    pub date: Date,
    /// The time on that day, with its zone.
    pub time: String,
}

impl Sentence {
    /// Nothing is said.
    pub const SILENT: Self = Self {
        reason: None,
        note: None,
    };

    /// An apology for this reason.
    pub const fn sorry(reason: Sorry) -> Self {
        Self {
            reason: Some(Reason::Plain(reason)),
            note: None,
        }
    }

    /// An apology for a budget that is spent.
    pub const fn spent(spent: Spent) -> Self {
        Self {
            reason: Some(Reason::Spent(spent)),
            note: None,
        }
    }

    /// The same with a note for whoever can mend it.
    pub(crate) fn with_note(self, note: String) -> Self {
        Self {
            note: Some(note),
            ..self
        }
    }

    /// Its words.
    pub fn text(&self, lang: Lang) -> String {
        let Some(reason) = self.reason(lang) else {
            return String::new();
        };
        lang.say(Outcome::Apology { reason })
    }

    /// The same where something was said already: why the rest is missing, as far as that tells, and no apology for what
    /// was said.
    pub fn rest_text(&self, lang: Lang) -> String {
        match &self.reason {
            None | Some(Reason::Plain(Sorry::BadReply | Sorry::Error)) => lang.say(Outcome::Rest),
            Some(Reason::ToolFailed { tool, error }) => {
                let tool = tool_name(tool, lang);
                lang.say(match error.clone() {
                    Some(error) => Outcome::RestToolFailedBecause { tool, error },
                    None => Outcome::RestToolFailed { tool },
                })
            }
            Some(_) => {
                let reason = capitalised(&self.reason(lang).unwrap_or_default());
                lang.say(Outcome::RestBecause { reason })
            }
        }
    }

    fn reason(&self, lang: Lang) -> Option<String> {
        let reason = match self.reason.as_ref()? {
            Reason::Plain(reason) => lang.say(reason.clone()),
            Reason::ToolFailed { tool, error } => {
                let tool = tool_name(tool, lang);
                lang.say(match error.clone() {
                    Some(error) => Sorry::ToolFailedBecause { tool, error },
                    None => Sorry::ToolFailed { tool },
                })
            }
            Reason::ToolRepeated { tool } => lang.say(Sorry::ToolRepeated {
                tool: tool_name(tool, lang),
            }),
            Reason::Spent(spent) => spent_text(spent, lang),
        };
        Some(match &self.note {
            Some(note) => format!("{reason} ({note})"),
            None => reason,
        })
    }
}

fn spent_text(spent: &Spent, lang: Lang) -> String {
    let period = lang.say(match spent.period {
        Period::Day => Sorry::Today,
        Period::Month => Sorry::ThisMonth,
    });
    let (date, time) = (told::day(spent.date, lang), spent.time.clone());
    lang.say(match spent.scope {
        Scope::User => Sorry::SpentByPerson { period, date, time },
        Scope::Space => Sorry::SpentBySpace { period, date, time },
        Scope::Member => Sorry::SpentByMember { period, date, time },
        Scope::Bot => Sorry::SpentByBot { period, date, time },
    })
}

fn capitalised(text: &str) -> String {
    let (first, others) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    format!("{}{others}", first.to_uppercase())
}

/// A tool failed permanently.
pub(crate) fn tool_failed(tool: &str, error: Option<&str>) -> Sentence {
    Sentence {
        reason: Some(Reason::ToolFailed {
            tool: tool.to_owned(),
            error: error.map(str::to_owned),
        }),
        note: None,
    }
}

/// For the same call a third time.
pub fn tool_repeated(tool: &str) -> Sentence {
    Sentence {
        reason: Some(Reason::ToolRepeated { tool: tool.to_owned() }),
        note: None,
    }
}

/// A tool by its name; what a model made up (a path, a piece of JSON) is not repeated to a person.
fn tool_name(tool: &str, lang: Lang) -> String {
    let is_name = tool.len() <= 64
        && tool.starts_with(|c: char| c.is_ascii_alphabetic())
        && tool
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    lang.say(match is_name {
        true => Outcome::ToolNamed { tool: tool.to_owned() },
        false => Outcome::ToolUnnamed,
    })
}

/// For a call that a person denied, or did not answer in time.
pub fn denied(tool: &str, in_time: bool, lang: Lang) -> String {
    let tool = tool_name(tool, lang);
    lang.say(match in_time {
        true => Outcome::Denied { tool },
        false => Outcome::NotApprovedInTime { tool },
    })
}

/// The most tasks that a message names, and the most characters of each.
const TASKS: usize = 5;
const TASK: usize = 100;

/// Names what subagents could not do, behind another sentence: of each task its beginning, which tells a person what it was.
/// The rest is instructions for the subagent.
pub(crate) fn could_not(sentence: &str, tasks: &[String], lang: Lang) -> String {
    if tasks.is_empty() {
        return sentence.to_owned();
    }
    let named = tasks.iter().take(TASKS).map(|task| format!("- {}", beginning(task)));
    let beyond = tasks.len().saturating_sub(TASKS);
    let list: Vec<_> = named.chain((beyond > 0).then(|| format!("- … (+{beyond})"))).collect();
    format!("{sentence}\n\n{}\n{}", lang.say(Outcome::NotDone), list.join("\n"))
}

/// The first line of a task, up to a word.
fn beginning(task: &str) -> String {
    let task = task.trim();
    let line = task.lines().next().unwrap_or_default().trim_end();
    let Some((most, _)) = line.char_indices().nth(TASK) else {
        let goes_on = line.len() < task.len();
        return format!("{line}{}", if goes_on { " …" } else { "" });
    };
    let head = &line[..most];
    let words = head
        .rsplit_once(char::is_whitespace)
        .map_or(head, |(words, _)| words.trim_end());
    format!("{words} …")
}

/// Whether a text is nothing but a greeting.
pub(crate) fn is_greeting(text: &str) -> bool {
    const GREETINGS: [&str; 26] = [
        "hi",
        "hello",
        "hey",
        "hallo",
        "moin",
        "servus",
        "salut",
        "hola",
        "ciao",
        "yo",
        "hiya",
        "good morning",
        "good evening",
        "guten morgen",
        "guten tag",
        "guten abend",
        "bonjour",
        "bonsoir",
        "buenos días",
        "buenas",
        "olá",
        "oi",
        "bom dia",
        "привет",
        "你好",
        "こんにちは",
    ];
    let words = text
        .to_lowercase()
        .replace(|c: char| !c.is_alphanumeric() && c != ' ', " ");
    let mut words = words.split_whitespace().collect::<Vec<_>>();
    if words.len() > 1 && matches!(words.last(), Some(&("clifford" | "there" | "all" | "everyone"))) {
        words.pop();
    }
    GREETINGS.contains(&words.join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_greeting_is_one() {
        for text in [
            "hi",
            "Hello!",
            "hey Clifford",
            "  Guten Morgen ",
            "hi there :)",
            "Привет!",
            "你好",
        ] {
            assert!(is_greeting(text), "{text}");
        }
        for text in ["hi, what is 2+2?", "", "hide", "clifford"] {
            assert!(!is_greeting(text), "{text}");
        }
    }

    #[test]
    fn a_tool_is_named_unless_its_name_was_made_up() {
        assert_eq!(
            tool_failed("files.read", Some("no such file")).text(Lang::English),
            "Sorry, I could not finish this: the tool files.read failed (no such file)."
        );
        for made_up in ["/etc/passwd", r#"{"type":"x"}"#, "", "a b", &"x".repeat(65)] {
            assert_eq!(
                tool_failed(made_up, None).text(Lang::English),
                "Sorry, I could not finish this: a tool failed."
            );
        }
        assert_eq!(
            tool_failed("files.read", None).text(Lang::German),
            "Tut mir leid, ich konnte das nicht fertig machen: das Werkzeug files.read ist fehlgeschlagen."
        );
    }

    #[test]
    fn what_fails_after_something_was_said_is_told_without_an_apology() {
        let rest = "I could not finish the rest.";
        let cases = [
            (ERROR, rest),
            (BAD_REPLY, rest),
            (
                MODEL_DOWN,
                "I could not finish the rest. I can't reach my language model right now. Please try again in a few minutes.",
            ),
            (
                MODEL_REFUSED.with_note("by main".to_owned()),
                "I could not finish the rest. My language model declined to answer this. (by main)",
            ),
            (
                tool_failed("files.read", Some("no such file")),
                "I could not finish the rest: the tool files.read failed (no such file).",
            ),
        ];
        for (sentence, expected) in cases {
            assert_eq!(sentence.rest_text(Lang::English), expected);
        }
        assert_eq!(
            MODEL_REFUSED.rest_text(Lang::German),
            "Den Rest konnte ich nicht fertig machen. Mein Sprachmodell möchte das nicht beantworten."
        );
    }

    #[test]
    fn what_subagents_could_not_do_is_listed() {
        assert_eq!(could_not("No.", &[], Lang::English), "No.");
        assert_eq!(
            could_not("No.", &["a".into(), "b".into()], Lang::English),
            "No.\n\nNot done:\n- a\n- b"
        );
    }

    #[test]
    fn many_and_long_tasks_are_named_in_short() {
        let long = format!("Read {}", "every page ".repeat(700));
        let tasks: Vec<_> = (0..12).map(|_| long.clone()).collect();
        let told = could_not("No.", &tasks, Lang::English);
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(lines.len(), 3 + TASKS + 1, "{told}");
        assert!(
            lines[3].starts_with("- Read every page") && lines[3].ends_with(" …"),
            "{told}"
        );
        assert!(lines[3].chars().count() <= TASK + 4, "{told}");
        assert_eq!(lines.last(), Some(&"- … (+7)"));

        for (task, expected) in [
            ("Read it.\nThen count the words.", "Read it. …"),
            (" Read it.\n", "Read it."),
            (&"世".repeat(101), &format!("{} …", "世".repeat(100))),
            (&"世".repeat(100), &"世".repeat(100)),
            ("", ""),
        ] {
            assert_eq!(beginning(task), expected);
        }
    }
}
