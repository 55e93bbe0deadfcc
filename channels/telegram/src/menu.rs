//! Telegram's menus of commands: one in private chats, one in groups, one for those who manage a group. Each is set only
//! where Telegram shows another.

use clifford_channel::{MenuCommand, ShownTo};
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
    /// What everybody can give where others read along.
    Group,
    /// What managers can give there, too.
    Managers,
}

/// Sets the menus that differ. The bot works without them too.
pub(crate) async fn set(telegram: &Telegram, stop: &CancellationToken) {
    if telegram.menu.is_empty() {
        return;
    }
    for (scope, menu) in MENUS {
        let wanted = commands(&telegram.menu, menu);
        match stop.run_until_cancelled(set_one(telegram, scope, wanted)).await {
            None => return,
            Some(Ok(())) => {}
            Some(Err(error)) => tracing::warn!(?error, ?menu, "failed to set a command menu"),
        }
    }
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
struct SetMenu {
    commands: Vec<Entry>,
    scope: BotCommandScope,
}

impl Payload for SetMenu {
    type Output = True;

    const NAME: &'static str = SetMyCommands::NAME;
}

async fn set_one(telegram: &Telegram, scope: BotCommandScope, wanted: Vec<Entry>) -> Result<(), ApiError> {
    let mut asked = GetMyCommands::new();
    asked.scope = Some(scope.clone());
    let shown: Vec<Entry> = telegram.api.call(&asked, CALL_TIMEOUT).await?;
    if shown == wanted {
        return Ok(());
    }
    let request = SetMenu {
        commands: wanted,
        scope,
    };
    telegram
        .api
        .call::<_, IgnoredAny>(&request, CALL_TIMEOUT)
        .await
        .map(drop)
}

fn commands(all: &[MenuCommand], menu: Menu) -> Vec<Entry> {
    let is_in = |command: &&MenuCommand| match (menu, command.shared) {
        (Menu::Private, _) | (_, ShownTo::Everybody) => true,
        (Menu::Managers, ShownTo::Managers) => true,
        (Menu::Group, ShownTo::Managers) | (_, ShownTo::Nobody) => false,
    };
    // Where others read along, a question begins with it if the bot does not read all messages.
    let ask = (menu != Menu::Private).then(|| Entry {
        command: "ask".to_owned(),
        description: "Ask me something".to_owned(),
        is_ephemeral: false,
    });
    let listed = all.iter().filter(is_in).map(|command| Entry {
        command: command.name.clone(),
        // Menus show text as it is.
        description: command.description.replace('`', ""),
        // The menus of managers are changed in place, which what one person alone sees cannot be.
        is_ephemeral: menu != Menu::Private && command.personal && command.shared == ShownTo::Everybody,
    });
    ask.into_iter().chain(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_menu_has_what_can_be_given_there() {
        let command = |name: &str, shared| MenuCommand {
            name: name.to_owned(),
            description: "Forget it, or `all`".to_owned(),
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
            let listed = commands(&all, menu);
            listed.into_iter().map(|listed| listed.command).collect::<Vec<_>>()
        };
        assert_eq!(names(Menu::Private), ["forget", "settings", "erase"]);
        assert_eq!(names(Menu::Group), ["ask", "forget"]);
        assert_eq!(names(Menu::Managers), ["ask", "forget", "settings"]);
        assert_eq!(commands(&all, Menu::Private)[0].description, "Forget it, or all");
        let alone = |menu| {
            let listed = commands(&all, menu).into_iter().filter(|listed| listed.is_ephemeral);
            listed.map(|listed| listed.command).collect::<Vec<_>>()
        };
        assert!(alone(Menu::Private).is_empty());
        assert_eq!(alone(Menu::Managers), ["forget"]);
    }
}
