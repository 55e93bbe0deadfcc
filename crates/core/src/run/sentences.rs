//! The fixed sentences that a person may read. Nothing else that the engine knows ever reaches a chat.

/// For a reply that stayed unreadable.
pub const BAD_REPLY: &str = "Sorry, I had trouble understanding that request. Please try again.";
/// For a stall over a greeting.
pub const GREETING: &str = "Hey! How can I help?";
/// For any other stall, and where there is nothing better to say.
pub const STUCK: &str = "Sorry, I got stuck while planning. Could you rephrase or be more specific?";
/// Closes the output of a run that repeated itself.
pub const REPEATING: &str = "I stopped here because I was repeating myself.";
/// Where the model wants to ask how to go on, and says nothing.
pub const HOW_TO_GO_ON: &str = "I could not go on with this. How would you like me to proceed?";
/// For an error that nobody outside can mend.
pub const ERROR: &str = "Sorry, something went wrong on my side. Please try again in a moment.";
/// For a run that was set aside: processes that worked on it died.
pub const QUARANTINED: &str = "Sorry, I could not finish this: each time that I worked on it, it brought me down. I have set it \
                               aside, and my operator can see why.";
/// For a trigger that was set aside: processes that fired it died.
pub const TRIGGER_QUARANTINED: &str = "Sorry, something that was planned for now brought me down each time that I tried it. \
                                       I have set it aside, and my operator can see why.";
/// For an event that was set aside: processes that stored it died.
pub const EVENT_QUARANTINED: &str = "Sorry, I could not take in your last message: it brought me down each time that I tried \
                                     to. I have set it aside, and my operator can see why.";
/// For an answer that was set aside: processes that sent it died.
pub const MESSAGE_QUARANTINED: &str = "Sorry, I had an answer, but sending it brought me down each time that I tried to. I \
                                       have set it aside, and my operator can see why.";
/// Where a run repeated itself and has nothing to say.
pub const REPEATED: &str = "Sorry, I stopped because I was repeating myself. Could you rephrase or be more specific?";
/// Where a run has called tools, and came to no answer.
pub const UNFINISHED: &str = "Sorry, I worked on this, but came to no answer. Could you ask for a smaller part of it?";
/// For a model that cannot be reached, or does not answer.
pub const MODEL_DOWN: &str = "Sorry, I can't reach my language model right now. Please try again in a few minutes.";
/// For a model that will not answer.
pub const MODEL_REFUSED: &str = "Sorry, my language model declined to answer this.";
/// For a model whose provider asks for patience.
pub const MODEL_BUSY: &str =
    "Sorry, my language model has too much to do right now. Please try again in a few minutes.";
/// For a request that its model cannot take in, however much is left out.
pub const MODEL_TOO_LONG: &str = "Sorry, this is more than my language model can take in at once. Please send it in smaller \
                                  parts, or as a file.";
/// For a model that has no room for a question alongside the instructions and the tools.
pub const MODEL_TOO_SMALL: &str = "Sorry, my language model has too little room for your question alongside my instructions. \
                                   My owner has to choose one with more, or give me fewer tools.";
/// For a request that the provider refuses.
pub const MODEL_REFUSES_REQUEST: &str =
    "Sorry, my language model could not read what I asked it, and trying again won't help. My owner can look up why.";
/// For a key that the provider does not accept.
pub const MODEL_KEY: &str = "Sorry, my language model does not accept my key. My owner has to mend that.";
/// For a key that may not do this.
pub const MODEL_FORBIDDEN: &str = "Sorry, I am not allowed to use my language model. My owner has to mend that.";
/// The configured model does not exist.
pub const MODEL_UNKNOWN: &str =
    "Sorry, the language model that I am set to use does not exist. My owner has to mend that.";
/// For an account without money.
pub const MODEL_UNPAID: &str =
    "Sorry, the account that pays for my language model is out of money. My owner has to mend that.";
/// For a run whose time is over.
pub const TIME: &str =
    "Sorry, this took longer than I may work on one request. Could you ask for a smaller part of it?";
/// For a spent budget of a run.
pub const BUDGET: &str =
    "Sorry, this took more work than I may spend on one request. Could you ask for a smaller part of it?";
/// For a run that fails after it has told its person something, with more to do.
pub const REST: &str = "I could not finish the rest.";
/// For a run that somebody stopped from outside of the chat.
pub const CANCELLED: &str = "This request was cancelled.";
/// For a message that comes while a run waits for an answer of its person, and is kept for that run.
pub const ASKED_BEFORE: &str = "I am still waiting for your answer to what I asked: please press a button there, or write \
                                `/approve` or `/deny`. I will read this when I go on.";
/// In place of a command's placeholder: its answer is that of a later message of the same person.
pub const ANSWERED_WITH_LATER: &str = "↪️ I answer this together with your later message.";
/// In place of a command's placeholder: its answer is that of an earlier message of the same person.
pub const ANSWERED_WITH_EARLIER: &str = "↪️ I answer this together with your earlier message.";
/// In place of a command's placeholder: somebody stopped the bot before it came to it.
pub const STOPPED_BEFORE: &str = "⏹️ I was stopped before I came to this. Please ask again.";
/// On the button below an answer whose changes can be taken back.
pub const UNDO: &str = "Undo";
/// For a channel without an agent.
pub const NO_AGENT: &str = "No enabled agent is configured for this channel.";

/// For a failure that would be told in this sentence, where something was said already: why, as far as that tells, and no
/// apology for what was said.
pub fn rest(sentence: &str) -> String {
    let reason = sentence.strip_prefix("Sorry, ");
    let Some(reason) = reason.filter(|_| ![BAD_REPLY, ERROR].contains(&sentence)) else {
        return REST.to_owned();
    };
    if let Some(why) = reason.strip_prefix(UNDONE) {
        return format!("I could not finish the rest: {why}");
    }
    let (first, others) = reason.split_at(reason.chars().next().map_or(0, char::len_utf8));
    format!("{REST} {}{others}", first.to_uppercase())
}

/// The beginning of the sentence for a failed tool, before the tool's name.
const UNDONE: &str = "I could not finish this: ";

/// A tool failed permanently.
pub fn tool_failed(tool: &str, error: Option<&str>) -> String {
    let tool = named(tool);
    match error {
        Some(error) => format!("Sorry, {UNDONE}{tool} failed ({error})."),
        None => format!("Sorry, {UNDONE}{tool} failed."),
    }
}

/// For the same call a third time.
pub fn tool_repeated(tool: &str) -> String {
    let tool = named(tool);
    format!("Sorry, I stopped because I was calling {tool} with the same arguments again and again.")
}

/// A tool by its name; what a model made up (a path, a piece of JSON) is not repeated to a person.
fn named(tool: &str) -> String {
    let is_name = tool.len() <= 64
        && tool.starts_with(|c: char| c.is_ascii_alphabetic())
        && tool
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    if is_name {
        format!("the tool {tool}")
    } else {
        "a tool".to_owned()
    }
}

/// For a call that a person denied, or did not answer in time.
pub fn denied(tool: &str, in_time: bool) -> String {
    let tool = named(tool);
    if in_time {
        format!("I did not call {tool}, since that was denied.")
    } else {
        format!("I did not call {tool}, since nobody approved that in time.")
    }
}

/// Names what subagents could not do, behind another sentence.
pub fn could_not(sentence: &str, tasks: &[String]) -> String {
    if tasks.is_empty() {
        return sentence.to_owned();
    }
    let list: Vec<_> = tasks.iter().map(|task| format!("- {task}")).collect();
    format!("{sentence}\n\nNot done:\n{}", list.join("\n"))
}

/// Whether a text is nothing but a greeting.
pub fn is_greeting(text: &str) -> bool {
    const GREETINGS: [&str; 16] = [
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
        for text in ["hi", "Hello!", "hey Clifford", "  Guten Morgen ", "hi there :)"] {
            assert!(is_greeting(text), "{text}");
        }
        for text in ["hi, what is 2+2?", "", "hide", "clifford"] {
            assert!(!is_greeting(text), "{text}");
        }
    }

    #[test]
    fn a_tool_is_named_unless_its_name_was_made_up() {
        assert_eq!(
            tool_failed("files.read", Some("no such file")),
            "Sorry, I could not finish this: the tool files.read failed (no such file)."
        );
        for made_up in ["/etc/passwd", r#"{"type":"x"}"#, "", "a b", &"x".repeat(65)] {
            assert_eq!(
                tool_failed(made_up, None),
                "Sorry, I could not finish this: a tool failed."
            );
        }
    }

    #[test]
    fn what_fails_after_something_was_said_is_told_without_an_apology() {
        let cases = [
            (ERROR.to_owned(), REST),
            (BAD_REPLY.to_owned(), REST),
            (
                MODEL_DOWN.to_owned(),
                "I could not finish the rest. I can't reach my language model right now. Please try again in a few minutes.",
            ),
            (
                MODEL_REFUSED.to_owned(),
                "I could not finish the rest. My language model declined to answer this.",
            ),
            (
                tool_failed("files.read", Some("no such file")),
                "I could not finish the rest: the tool files.read failed (no such file).",
            ),
        ];
        for (sentence, expected) in cases {
            assert_eq!(rest(&sentence), expected);
        }
    }

    #[test]
    fn what_subagents_could_not_do_is_listed() {
        assert_eq!(could_not("No.", &[]), "No.");
        assert_eq!(
            could_not("No.", &["a".into(), "b".into()]),
            "No.\n\nNot done:\n- a\n- b"
        );
    }
}
