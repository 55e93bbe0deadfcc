//! Commands that come as messages: `/help`, `/new` and the others of every chat, answered at once and without a run.
//!
//! A text that begins with `/` and is no command of this bot is a text, as are those with files, a voice or a mode.

use clifford_chat::inbound::{Command, Place};
use clifford_core::{commands::CommandName, id::ContextId};
use clifford_ingress::{ApiCommand, commands::concerns};

use super::{
    Shared,
    accepted::Accepted,
    access::{Caller, Need, Object, Scope},
    problem::{Code, Problem},
    runs,
};

/// A command.
pub(super) struct Given {
    name: CommandName,
    argument: String,
}

/// How a command is sent.
pub(super) struct Sent {
    /// Where.
    pub(super) place: Place,
    /// The message as it was written.
    pub(super) text: String,
    /// The sender's own key.
    pub(super) key: Option<String>,
    /// The conversation that it is about.
    pub(super) context: Option<ContextId>,
}

/// The command that a text is.
pub(super) fn read(text: &str) -> Option<Given> {
    let (name, argument) = Command::split(text, None)?;
    let name = CommandName::of(&name)?;
    let is_question = name == CommandName::Ask && !argument.is_empty();
    (!is_question).then_some(Given { name, argument })
}

/// The question behind `/ask`, which is said to the bot; another text as it is.
pub(super) fn asked(text: String) -> String {
    match Command::split(&text, None) {
        Some((name, argument)) if CommandName::Ask.is(&name) && !argument.is_empty() => argument,
        _ => text,
    }
}

/// Carries out a command. What an older version took for a text, by the same key, has its run.
pub(super) async fn answer(api: &Shared, caller: &Caller, given: Given, sent: Sent) -> Result<Accepted, Problem> {
    permit(api, caller, &given).await?;
    let command = ApiCommand {
        place: sent.place,
        speaker: caller.speaker(),
        text: sent.text,
        name: given.name,
        argument: given.argument,
        key: sent.key,
        context: sent.context,
        is_limited: caller.only().is_some(),
    };
    let (accepted, answer) = api.ingress.api_command(command).await?;
    let run = match accepted.run {
        Some(run) => Some(runs::one(api, run).await?),
        None => None,
    };
    let told = Accepted::at_once(accepted.message, run);
    Ok(match answer {
        Some(answer) => {
            let buttons = answer.buttons.and_then(|buttons| serde_json::from_value(buttons).ok());
            told.answered(answer.text, buttons)
        }
        None => told,
    })
}

/// Holds a command to what its caller's token may do elsewhere.
async fn permit(api: &Shared, caller: &Caller, given: &Given) -> Result<(), Problem> {
    if let Some(run) = concerns(given.name, &given.argument) {
        return match runs::allowed(api, caller, Need::Change, run).await {
            Err(problem) if !problem.is(Code::NotFound) => Err(problem),
            // The command says that it knows no such question.
            _ => Ok(()),
        };
    }
    match given.name {
        CommandName::Pair => caller.allow_bot(Need::Administer),
        // A link lets in whoever opens it, with all that this person may.
        CommandName::Dashboard => caller.require(Scope::Admin),
        CommandName::Settings | CommandName::Model | CommandName::Key if given.argument.is_empty() => Ok(()),
        CommandName::Settings
        | CommandName::Model
        | CommandName::Key
        | CommandName::Link
        | CommandName::Unlink
        | CommandName::Erase => {
            let own = caller.own(api).await?;
            let object = own.map_or_else(Object::nobodys, Object::person);
            caller.allow(api, Need::Configure, &object, "person").await.map(|_| ())
        }
        CommandName::New
        | CommandName::Contexts
        | CommandName::Switch
        | CommandName::Close
        | CommandName::Continue
        | CommandName::Search
        | CommandName::Memory
        | CommandName::Forget
        | CommandName::Pin
        | CommandName::Share
        | CommandName::Private
        | CommandName::Reminders
        | CommandName::Export
        | CommandName::Usage
        | CommandName::Why
        | CommandName::Trace
        | CommandName::Undo
        | CommandName::Approve
        | CommandName::Deny
        | CommandName::Stop
        | CommandName::Whoami
        | CommandName::Help
        | CommandName::Ask
        | CommandName::Start
        | CommandName::Rate => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_this_bot_is_one_and_any_other_text_a_text() {
        let name = |text: &str| read(text).map(|given| (given.name.as_str(), given.argument));
        let given = |name: &'static str, argument: &str| Some((name, argument.to_owned()));
        for (text, expected) in [
            ("/help", given("help", "")),
            ("  /New  Trip to Rome ", given("new", "Trip to Rome")),
            ("/erase yes 12", given("erase", "yes 12")),
            ("/etc/hosts is broken", None),
            ("/deploy failed", None),
            ("/help@somebody_else", None),
            ("see /help", None),
            ("/ask what is this?", None),
            ("/ask", given("ask", "")),
            ("/", None),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
        for (text, expected) in [
            ("/ask what is this?", "what is this?"),
            ("/ask", "/ask"),
            ("/deploy failed", "/deploy failed"),
        ] {
            assert_eq!(asked(text.to_owned()), expected);
        }
    }
}
