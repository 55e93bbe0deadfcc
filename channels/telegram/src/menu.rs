//! Telegram's menus of commands: one in private chats, one in groups, one for those who manage a group, each in every
//! language. Each is set only where Telegram shows another.

use std::time::Duration;

use clifford_channel::{MenuCommand, ShownTo};
use clifford_text::{Lang, Menu as Words};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use teloxide::{
    payloads::{GetMyCommands, SetMyCommands},
    requests::Payload,
    types::{BotCommandScope, True},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Telegram,
    api::{ApiError, CALL_TIMEOUT},
};

/// The menus, and where Telegram shows each.
const MENUS: [(BotCommandScope, Menu); 3] = [
    (BotCommandScope::AllPrivateChats, Menu::Private),
    (BotCommandScope::AllGroupChats, Menu::Group),
    (BotCommandScope::AllChatAdministrators, Menu::Managers),
];

/// Which commands a menu has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Menu {
    /// All of them.
    Private,
    /// The commands of everybody where others read along.
    Group,
    /// The further commands of managers there.
    Managers,
}

/// How long after a failure a menu is set again, where Telegram does not say.
const AGAIN: Duration = Duration::from_secs(30);

/// Sets the menus that differ, as soon as Telegram answers. The bot works without them too.
pub(crate) async fn set(telegram: &Telegram, stop: &CancellationToken) {
    if telegram.menu.is_empty() {
        return;
    }
    let mut is_told = false;
    // English is for everybody whose language has no menu.
    for lang in Lang::ALL
        .iter()
        .copied()
        .filter(|lang| is_translated(&telegram.menu, *lang))
    {
        for (scope, menu) in MENUS {
            let wanted = commands(&telegram.menu, menu, lang);
            loop {
                let setting = set_one(telegram, scope.clone(), lang, &wanted);
                let wait = match stop.run_until_cancelled(setting).await {
                    None => return,
                    Some(Ok(())) => break,
                    Some(Err(ApiError::Refused { code, description })) => {
                        tracing::warn!(code, why = description, ?menu, ?lang, "Telegram refused a command menu");
                        break;
                    }
                    Some(Err(ApiError::RetryAfter(wait))) => wait,
                    Some(Err(error)) => {
                        if !is_told {
                            tracing::info!(?error, "failed to set the command menus, trying until Telegram answers");
                            is_told = true;
                        }
                        AGAIN
                    }
                };
                if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                    return;
                }
            }
        }
    }
}

/// Whether a language has words of its own for a menu. English has.
fn is_translated(all: &[MenuCommand], lang: Lang) -> bool {
    let differs = |command: &MenuCommand| command.description.get(lang) != command.description.english();
    lang == Lang::English || all.iter().any(differs)
}

/// The language as Telegram takes it: "A two-letter ISO 639-1 language code", or none for everybody else.
fn code(lang: Lang) -> Option<String> {
    (lang != Lang::English).then(|| lang.code().to_owned())
}

/// An entry of a menu: teloxide's knows no answers for one person alone.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    command: String,
    description: String,
    /// Telegram sends the command, and takes its answer, for one person alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_ephemeral: bool,
}

/// <https://core.telegram.org/bots/api#setmycommands>
#[derive(Debug, Serialize)]
struct SetMenu<'a> {
    commands: &'a [Entry],
    scope: BotCommandScope,
    #[serde(skip_serializing_if = "Option::is_none")]
    language_code: Option<String>,
}

impl Payload for SetMenu<'_> {
    type Output = True;

    const NAME: &'static str = SetMyCommands::NAME;
}

async fn set_one(telegram: &Telegram, scope: BotCommandScope, lang: Lang, wanted: &[Entry]) -> Result<(), ApiError> {
    let mut asked = GetMyCommands::new();
    asked.scope = Some(scope.clone());
    asked.language_code = code(lang);
    let shown: Vec<Entry> = telegram.api.call(&asked, CALL_TIMEOUT).await?;
    if shown == wanted {
        return Ok(());
    }
    let request = SetMenu {
        commands: wanted,
        scope,
        language_code: code(lang),
    };
    telegram
        .api
        .call::<_, IgnoredAny>(&request, CALL_TIMEOUT)
        .await
        .map(drop)
}

fn commands(all: &[MenuCommand], menu: Menu, lang: Lang) -> Vec<Entry> {
    let is_in = |command: &&MenuCommand| match (menu, command.shared) {
        (Menu::Private, _) | (_, ShownTo::Everybody) => true,
        (Menu::Managers, ShownTo::Managers) => true,
        (Menu::Group, ShownTo::Managers) | (_, ShownTo::Nobody) => false,
    };
    // Where others read along, a question begins with it if the bot does not read all messages.
    let ask = (menu != Menu::Private).then(|| Entry {
        command: "ask".to_owned(),
        description: lang.say(Words::Ask),
        is_ephemeral: false,
    });
    let listed = all.iter().filter(is_in).map(|command| Entry {
        command: command.name.clone(),
        // Menus show text as it is.
        description: command.description.get(lang).replace('`', ""),
        // The menus of managers are changed in place, which what one person alone sees cannot be.
        is_ephemeral: menu != Menu::Private && command.personal && command.shared == ShownTo::Everybody,
    });
    ask.into_iter().chain(listed).collect()
}

#[cfg(test)]
mod tests {
    use clifford_text::Localized;

    use super::*;

    #[test]
    fn each_menu_has_what_can_be_given_there() {
        let command = |name: &str, shared| MenuCommand {
            name: name.to_owned(),
            description: Localized::of(&Words::Forget),
            arguments: Vec::new(),
            private: false,
            personal: true,
            shared,
        };
        let all = [
            command("forget", ShownTo::Everybody),
            command("settings", ShownTo::Managers),
            command("erase", ShownTo::Nobody),
        ];
        let names = |menu| {
            let listed = commands(&all, menu, Lang::English);
            listed.into_iter().map(|listed| listed.command).collect::<Vec<_>>()
        };
        assert_eq!(names(Menu::Private), ["forget", "settings", "erase"]);
        assert_eq!(names(Menu::Group), ["ask", "forget"]);
        assert_eq!(names(Menu::Managers), ["ask", "forget", "settings"]);
        let described = |lang| commands(&all, Menu::Private, lang)[0].description.clone();
        assert_eq!(described(Lang::English), "Forget a fact about you, or all");
        assert_eq!(described(Lang::German), "Etwas über dich vergessen, oder mit all alles");
        assert!(Lang::ALL.iter().all(|lang| is_translated(&all, *lang)));
        let untranslated = [MenuCommand {
            description: Localized::same("x"),
            ..command("x", ShownTo::Everybody)
        }];
        assert!(!is_translated(&untranslated, Lang::German));
        let alone = |menu| {
            let listed = commands(&all, menu, Lang::English)
                .into_iter()
                .filter(|listed| listed.is_ephemeral);
            listed.map(|listed| listed.command).collect::<Vec<_>>()
        };
        assert!(alone(Menu::Private).is_empty());
        assert_eq!(alone(Menu::Managers), ["forget"]);
    }
}
