//! `/link`, `/unlink`, `/whoami`: the accounts of one person.

use clifford_chat::{outbound::Button, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
    places::Channel,
};
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    people::{
        links::{self, Account, Remembered},
        users,
    },
    places::settings,
};
use clifford_text::{Accounts, Chats, Lang};

use super::{Done, confirming, platform};
use crate::identity::{self, Refusal, rules};

/// The subject of a confirmation code that is no link: to part this account.
const PART: &str = "part";

pub(super) async fn link(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    account: &str,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        if !argument.is_empty() {
            identity::void_code(tx, argument).await?;
        }
        return Ok(Done::say(lang.say(Accounts::OnlyInPrivate)));
    }
    let account = here(channel, account)?;
    if argument.is_empty() {
        let made = identity::make_code(tx, &account, now).await?;
        return Ok(Done::say(offer(made.code, lang)));
    }
    if let Some(code) = confirming::yes(argument) {
        return joined(tx, code, user, &account, lang, now).await;
    }
    match identity::look_at_code(tx, &account, argument, now).await? {
        Ok(offer) => asked(tx, &offer, user, &account, lang, now).await,
        Err(refusal) => Ok(Done::say(refusal_text(&refusal, lang, now))),
    }
}

/// Tells whose code it is and what follows, and asks.
async fn asked(
    tx: &mut Tx,
    offer: &identity::Offer,
    user: &User,
    account: &Account,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let about = format!("link {} {} {}", offer.hash, account.platform, account.id);
    let code = confirming::ask(tx, user.id, settings::ACCOUNTS_CODE, &about, now).await?;
    let person = quoted(&offer.maker.name);
    let made_on = offer.account.as_ref().map(|made| {
        let told = lang.say(Accounts::WasMadeOn {
            platform: platform::called(made.platform.as_str(), lang),
            name: quoted(&made.name),
            account: made.platform_user_id.clone(),
        });
        format!(" {told}")
    });
    let known = links::remembered(tx, user.id).await?;
    let known = match known.in_private + known.elsewhere {
        0 => String::new(),
        count => lang.say(Accounts::ThingsKnown { count: count.into() }),
    };
    let belongs = lang.say(Accounts::CodeBelongs { person: person.clone() });
    let parts = [
        format!("{belongs}{}", made_on.unwrap_or_default()),
        lang.say(Accounts::YouBecome { person, known }),
        lang.say(Accounts::OnlyIfYours),
        lang.say(Accounts::ToLink {
            command: format!("/link yes {code}"),
        }),
    ];
    Ok(Done {
        text: parts.join("\n\n"),
        buttons: vec![Button::new(&lang.say(Accounts::BothAreMine), format!("link yes {code}")).in_place()],
        ..Done::default()
    })
}

/// A stranger's name among sentences that ask for trust: short, and between marks that it cannot close.
fn quoted(name: &str) -> String {
    const MOST: usize = 32;
    let plain: String = name.chars().filter(|c| !"\"“”„«»".contains(*c)).collect();
    format!("“{}”", inline(&clifford_markup::shortened(&plain, MOST)))
}

/// Links what somebody was asked about, on the account on which they were asked.
async fn joined(
    tx: &mut Tx,
    code: &str,
    user: &User,
    account: &Account,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let about = confirming::taken(tx, user.id, settings::ACCOUNTS_CODE, code, now).await?;
    let words: Vec<_> = about.iter().flat_map(|about| about.splitn(4, ' ')).collect();
    let ["link", hash, platform, id] = words[..] else {
        return Ok(Done::say(lang.say(Accounts::BadLinkCode)));
    };
    if platform != account.platform.as_str() || id != account.id {
        return Ok(Done::say(lang.say(Accounts::OtherAccount)));
    }
    Ok(Done::say(match identity::join(tx, account, hash, now).await? {
        Ok(user) => {
            let linked = lang.say(Accounts::Linked {
                person: titled(&user.name, &user, lang),
                accounts: accounts(tx, &user, account, lang).await?,
            });
            format!("{linked}\n\n{}", lang.say(Accounts::PartsAgain))
        }
        Err(refusal) => refusal_text(&refusal, lang, now),
    }))
}

fn offer(code: String, lang: Lang) -> String {
    let minutes = (rules::GOOD_FOR.as_secs() / 60).to_string();
    lang.say(Accounts::YourCode { code, minutes })
}

fn refusal_text(refusal: &Refusal, lang: Lang, now: Timestamp) -> String {
    lang.say(match refusal {
        Refusal::NoSuchCode => Accounts::NoSuchCode,
        Refusal::AlreadyLinked => Accounts::AlreadyLinked,
        Refusal::TooManyTries(again) => {
            let minutes = again.since(now).as_millis().div_ceil(60_000).max(1).to_string();
            Accounts::TooManyTries { minutes }
        }
        Refusal::OtherWayRound => Accounts::OtherWayRound,
        Refusal::BeingErased => Accounts::BeingErased,
        Refusal::OnlyAccount => Accounts::OnlyAccount,
    })
}

pub(super) async fn unlink(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    account: &str,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(lang.say(Accounts::OnlyInPrivate)));
    }
    let account = here(channel, account)?;
    let identities = users::identities(tx, user.id).await?;
    if identities.iter().all(|identity| identity::is(identity, &account)) {
        return Ok(Done::say(refusal_text(&Refusal::OnlyAccount, lang, now)));
    }
    let first = users::first_identity(tx, user.id).await?;
    let stays = first.is_some_and(|first| identity::is(&first, &account));
    let Some(code) = confirming::yes(argument) else {
        return about_to_part(tx, user, &account, stays, lang, now).await;
    };
    let about = confirming::taken(tx, user.id, settings::ACCOUNTS_CODE, code, now).await?;
    if about != Some(format!("{PART} {} {}", account.platform, account.id)) {
        return Ok(Done::say(lang.say(Accounts::BadPartCode)));
    }
    Ok(Done::say(match identity::part(tx, &account, now).await? {
        Ok(_) => {
            let owner = match (user.role, stays) {
                (UserRole::Owner, true) => format!(" {}", lang.say(Accounts::ThisIsOwner)),
                (UserRole::Owner, false) => format!(" {}", lang.say(Accounts::TheyAreOwner)),
                _ => String::new(),
            };
            let person = inline(&user.name);
            let parted = lang.say(match account.platform {
                Platform::WEB => Accounts::PartedHere { person },
                _ => Accounts::Parted { person },
            });
            format!("{parted}{owner}")
        }
        Err(refusal) => refusal_text(&refusal, lang, now),
    }))
}

/// Tells what parting an account moves, and asks.
async fn about_to_part(
    tx: &mut Tx,
    user: &User,
    account: &Account,
    stays: bool,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let about = format!("{PART} {} {}", account.platform, account.id);
    let code = confirming::ask(tx, user.id, settings::ACCOUNTS_CODE, &about, now).await?;
    let owner = match (user.role, stays) {
        (UserRole::Owner, true) => Some(Accounts::StaysOwner),
        (UserRole::Owner, false) => Some(Accounts::NotOwnerAnyMore),
        _ => None,
    };
    // By the API and the dashboard, the way in that is used goes with its account.
    let accounts = accounts(tx, user, account, lang).await?;
    let parts = lang.say(match account.platform {
        Platform::WEB => Accounts::PartsHere { accounts },
        _ => Accounts::PartsThis { accounts },
    });
    let sure = lang.say(Accounts::ToPart {
        command: format!("/unlink yes {code}"),
    });
    let parts: Vec<_> = std::iter::once(parts)
        .chain(owner.map(|owner| lang.say(owner)))
        .chain([sure])
        .collect();
    Ok(Done {
        text: parts.join("\n\n"),
        buttons: vec![Button::new(&lang.say(Accounts::PartThis), format!("unlink yes {code}")).in_place()],
        ..Done::default()
    })
}

pub(super) async fn whoami(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    account: &str,
    lang: Lang,
) -> Result<Done, StoreError> {
    let speaking = here(channel, account)?;
    // Where others read along, a person's other accounts are nobody's business, nor what they are called there.
    let name = if channel.is_private() {
        user.name.clone()
    } else {
        let identities = users::identities(tx, user.id).await?;
        let this = identities.into_iter().find(|one| identity::is(one, &speaking));
        this.map_or_else(|| account.to_owned(), |this| this.name)
    };
    let is_unnamed = speaking.platform == Platform::TERMINAL && user.name == account;
    let mut text = lang.say(match is_unnamed {
        true => Accounts::AtThisMachine,
        false => Accounts::YouAre {
            person: titled(&name, user, lang),
        },
    });
    if channel.is_private() {
        text.push_str(&accounts(tx, user, &speaking, lang).await?);
        let known = links::remembered(tx, user.id).await?;
        let id = lang.say(Accounts::YourId {
            id: user.id.to_string(),
        });
        text.push_str(&format!("\n\n{}\n\n{id}", remembered(known, lang)));
    }
    Ok(Done::say(text))
}

/// All of a person's accounts share what is remembered; it is counted by who else may see it.
fn remembered(known: Remembered, lang: Lang) -> String {
    lang.say(match known.in_private + known.elsewhere {
        0 => Accounts::RememberNothing,
        count => Accounts::Remember {
            count: count.into(),
            private: known.in_private.to_string(),
            elsewhere: known.elsewhere.to_string(),
        },
    })
}

/// A person's name, with what they are to the bot.
fn titled(name: &str, user: &User, lang: Lang) -> String {
    let owner = match user.role {
        UserRole::Owner => lang.say(Accounts::MyOwner),
        _ => String::new(),
    };
    format!("**{}**{owner}", inline(name))
}

/// A line for each account of a person; the one they speak by is marked.
async fn accounts(tx: &mut Tx, user: &User, speaking: &Account, lang: Lang) -> Result<String, StoreError> {
    let mut lines = String::new();
    for identity in users::identities(tx, user.id).await? {
        let this = if identity::is(&identity, speaking) {
            format!(" {}", lang.say(Chats::ThisOne))
        } else {
            String::new()
        };
        lines.push_str(&format!(
            "\n- {} (`{}`){this}",
            lang.labelled(&platform::called(&identity.platform, lang), &inline(&identity.name)),
            identity.platform_user_id
        ));
    }
    Ok(lines)
}

fn here(channel: &Channel, account: &str) -> Result<Account, StoreError> {
    Ok(Account {
        platform: channel.platform().map_err(StoreError::Corrupt)?,
        id: account.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_after_too_many_tries_is_told_in_whole_minutes() {
        let now = Timestamp(1_000_000);
        for (ms, minutes) in [(1, 1), (60_000, 1), (60_001, 2), (3_600_000, 60)] {
            assert_eq!(
                refusal_text(&Refusal::TooManyTries(Timestamp(now.0 + ms)), Lang::English, now),
                format!("Those were too many tries. Please try again in {minutes} min.")
            );
        }
    }

    #[test]
    fn what_is_remembered_is_counted_by_who_may_see_it() {
        let count = |in_private, elsewhere| remembered(Remembered { in_private, elsewhere }, Lang::English);
        assert_eq!(count(0, 0), "I remember nothing about you yet.");
        assert_eq!(
            count(0, 1),
            "I remember 1 thing about you: 0 known in private only, 1 known elsewhere as well. `/memory` shows them."
        );
        assert_eq!(
            count(2, 1),
            "I remember 3 things about you: 2 known in private only, 1 known elsewhere as well. `/memory` shows them."
        );
    }
}
