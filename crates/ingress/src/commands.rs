//! Commands that people give in a chat. One file a family; this one holds the list, and the commands of no family.

mod approving;
mod complete;
mod confirming;
mod continuing;
mod conversations;
mod dashboard;
mod fitting;
mod help;
mod items;
mod keys;
mod linking;
mod model;
mod own_data;
mod pairs;
mod platform;
mod rating;
mod reminders;
mod search;
pub(crate) mod settings;
mod stopping;
mod undo;
mod usage;
mod why;

use clifford_chat::outbound::Button;
use clifford_core::{
    clock::Timestamp, commands::CommandName, id::RunId, people::User, places::Channel, run::question, runs::Run,
};
use clifford_store::{StoreError, Tx, places::place_settings::PlaceSettings, runs::RunClaim};
use clifford_text::{Chats, Help, Lang};

pub use self::complete::completes;
use self::items::Wish;
pub(crate) use self::{
    complete::{CompletionRequest, complete},
    keys::{Carrier, Ring, carries_key},
    own_data::{Gathered, hands_out},
    settings::Choices,
    usage::Purse,
};

/// The run that a command is about which only some may give: a question is answered, or one run stopped.
pub fn concerns(command: CommandName, argument: &str) -> Option<RunId> {
    match command {
        CommandName::Stop => stopping::named(argument),
        CommandName::Approve | CommandName::Deny => {
            let named = argument.split_whitespace().next()?;
            question::parse(named).map(|(run, _)| run)
        }
        _ => None,
    }
}

/// Whether a command links or parts accounts: only one does so at a time, and waits for its turn before it holds
/// anything.
pub(crate) fn links_accounts(name: &str) -> bool {
    matches!(CommandName::of(name), Some(CommandName::Link | CommandName::Unlink))
}

/// The result of a command.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The answer, Markdown.
    pub text: String,
    /// The buttons below it.
    pub buttons: Vec<Button>,
    /// A file that goes with it: its name and content.
    pub file: Option<(String, String)>,
    /// Runs that were cancelled, each with the claim that held it.
    pub cancelled: Vec<RunClaim>,
    /// Those of them whose commands wait for an answer.
    pub awaited: Vec<Run>,
    /// A run can go on.
    pub work_to_claim: bool,
    /// The refusal of a command that is not theirs to give: others in the place need not hear it, or not each time.
    pub refusal: Option<String>,
    /// Told to everybody in the place, where the text is seen by one person alone: what changed for all of them.
    pub told: Option<String>,
    /// Told to the person alone who pressed a button, in place of the text.
    pub aside: Option<String>,
    /// The run whose question the answer shows, and that question's id.
    pub shows: Option<(RunId, String)>,
}

impl Done {
    /// A refusal that everybody there may read.
    fn refuse(text: String) -> Self {
        Self {
            refusal: Some(text.clone()),
            ..Self::say(text)
        }
    }

    fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A command's person and place.
#[derive(Clone, Copy, Debug)]
pub struct CommandContext<'a> {
    /// Where.
    pub channel: &'a Channel,
    /// The person.
    pub user: &'a User,
    /// The language in which they read the answer.
    pub lang: Lang,
    /// The language of what everybody in the place reads.
    pub place_lang: Lang,
    /// Their language as their platform tells it.
    pub told_language: Option<&'a str>,
    /// The account that sent it.
    pub account: &'a str,
    /// The defaults for places without settings of their own.
    pub defaults: PlaceSettings,
    /// The budgets.
    pub purse: &'a Purse,
    /// The export for `/export`, if it was read before.
    pub export: Option<&'a Gathered>,
    /// The key ring for `/key`.
    pub ring: Option<&'a Ring>,
    /// They manage the group or server: asked for what takes that alone.
    pub manages: bool,
    /// The choices for `/settings` and `/model`.
    pub choices: &'a Choices,
    /// The address of the dashboard, where there is one.
    pub dashboard: Option<&'a str>,
}

/// Carries out a command that a person gave by an account of theirs.
pub async fn run(
    tx: &mut Tx,
    name: &str,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let CommandContext {
        channel,
        user,
        account,
        defaults,
        purse,
        export,
        ring,
        manages,
        lang,
        ..
    } = given;
    let Some(command) = CommandName::of(name) else {
        return Ok(Done::say(lang.say(Help::NoSuchCommand { name: name.to_owned() })));
    };
    match command {
        CommandName::New => conversations::new(tx, argument, channel, lang, now).await,
        CommandName::Contexts => conversations::list(tx, channel, lang, now).await,
        CommandName::Switch => conversations::switch(tx, argument, channel, lang, now).await,
        CommandName::Close => conversations::close(tx, channel, lang, now).await,
        CommandName::Continue => continuing::continue_with(tx, argument, channel, user, lang, now).await,
        CommandName::Search => search::search(tx, argument, channel, user, &purse.zone, lang, now).await,
        CommandName::Memory => items::list(tx, channel, user, defaults, lang).await,
        CommandName::Forget => items::forget(tx, argument, channel, user, lang).await,
        CommandName::Pin => items::change(tx, Wish::Pin, argument, channel, user, lang, now).await,
        CommandName::Share => items::change(tx, Wish::Share, argument, channel, user, lang, now).await,
        CommandName::Private => items::change(tx, Wish::Private, argument, channel, user, lang, now).await,
        CommandName::Reminders => reminders::run(tx, argument, channel, user, lang).await,
        CommandName::Link => linking::link(tx, argument, channel, user, account, lang, now).await,
        CommandName::Unlink => linking::unlink(tx, argument, channel, user, account, lang, now).await,
        CommandName::Dashboard => dashboard::dashboard(tx, channel, user, given.dashboard, lang, now).await,
        CommandName::Export => own_data::export(tx, channel, user, export, lang, now).await,
        CommandName::Erase => own_data::erase(tx, argument, channel, user, lang, now).await,
        CommandName::Key => keys::run(tx, argument, channel, user, ring, (&purse.zone, lang), now).await,
        CommandName::Usage => usage::own(tx, user, channel, purse, lang, now).await,
        CommandName::Why | CommandName::Trace => why::why(tx, channel, lang).await,
        CommandName::Undo => undo::run(tx, argument, channel, user, lang, now).await,
        CommandName::Approve => {
            approving::approve(tx, argument, channel, &approving::by(user, channel, manages), lang, now).await
        }
        CommandName::Deny => {
            approving::deny(tx, argument, channel, &approving::by(user, channel, manages), lang, now).await
        }
        CommandName::Settings => settings::run(tx, argument, given, now).await,
        CommandName::Model => model::run(tx, argument, given, now).await,
        CommandName::Pair => pairs::run(tx, argument, channel, user, lang, now).await,
        CommandName::Rate => rating::rate(tx, argument, channel, user, lang, now).await,
        CommandName::Stop => stopping::stop(tx, argument, given, now).await,
        CommandName::Whoami => linking::whoami(tx, channel, user, account, lang).await,
        CommandName::Help => Ok(help::help(argument, channel, user, lang)),
        CommandName::Start => Ok(help::help("", channel, user, lang)),
        CommandName::Ask => Ok(Done::say(lang.say(Help::HowToAsk))),
    }
}

fn age(then: Timestamp, now: Timestamp, lang: Lang) -> String {
    let seconds = now.since(then).as_secs();
    lang.say(match seconds {
        0..60 => Chats::JustNow,
        60..3600 => Chats::MinutesAgo {
            minutes: (seconds / 60).to_string(),
        },
        3600..86_400 => Chats::HoursAgo {
            hours: (seconds / 3600).to_string(),
        },
        _ => Chats::DaysAgo {
            days: (seconds / 86_400).to_string(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit_that_fits() {
        let now = Timestamp(1_000_000_000);
        for (seconds, text) in [
            (5, "just now"),
            (61, "1 min ago"),
            (7200, "2 h ago"),
            (200_000, "2 d ago"),
        ] {
            assert_eq!(age(Timestamp(now.0 - seconds * 1000), now, Lang::English), text);
        }
    }
}
