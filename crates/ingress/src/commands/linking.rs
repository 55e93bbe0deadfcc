//! `/link`, `/unlink`, `/whoami`: the accounts of one person.

use clifford_chat::outbound::Button;
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
use clifford_text::Lang;

use super::{Done, confirming, platform};
use crate::identity::{self, Refusal, rules};

/// The reply in a shared place.
const ONLY_IN_PRIVATE: &str = "Accounts are linked and parted in a private chat with me only. Write to me there.";

/// The subject of a confirmation code that is no link: to part this account.
const PART: &str = "part";

pub(super) async fn link(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    account: &str,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        if !argument.is_empty() {
            identity::void_code(tx, argument).await?;
        }
        return Ok(Done::say(ONLY_IN_PRIVATE));
    }
    let account = here(channel, account)?;
    if argument.is_empty() {
        let made = identity::make_code(tx, &account, now).await?;
        return Ok(Done::say(offer(&made.code)));
    }
    if let Some(code) = confirming::yes(argument) {
        return joined(tx, code, user, &account, now).await;
    }
    match identity::look_at_code(tx, &account, argument, now).await? {
        Ok(offer) => asked(tx, &offer, user, &account, now).await,
        Err(refusal) => Ok(Done::say(told(&refusal, now))),
    }
}

/// Tells whose code it is and what follows, and asks.
async fn asked(
    tx: &mut Tx,
    offer: &identity::Offer,
    user: &User,
    account: &Account,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let about = format!("link {} {} {}", offer.hash, account.platform, account.id);
    let code = confirming::ask(tx, user.id, settings::ACCOUNTS_CODE, &about, now).await?;
    let maker = quoted(&offer.maker.name);
    let made_on = match &offer.account {
        Some(made) => format!(
            " It was made on {} by {} (`{}`).",
            platform::called(made.platform.as_str(), Lang::English),
            quoted(&made.name),
            made.platform_user_id
        ),
        None => String::new(),
    };
    let known = links::remembered(tx, user.id).await?;
    let known = match known.in_private + known.elsewhere {
        0 => String::new(),
        1 => ", the 1 thing that I remember of you".to_owned(),
        many => format!(", the {many} things that I remember of you"),
    };
    Ok(Done {
        text: format!(
            "This code belongs to **{maker}**.{made_on}\n\nIf you go on, you become part of **{maker}**: who uses that account \
             will read what you told me here in private{known}, your conversations, files, reminders and settings, and \
             may do what you may.\n\nDo this only if that account is **yours**. If somebody gave you this code, or asked \
             you to enter it, do not go on: nothing has been linked.\n\nTo link the two, send `/link yes {code}` within \
             10 minutes."
        ),
        buttons: vec![Button::new("Both are mine: link them", format!("link yes {code}"))],
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
async fn joined(tx: &mut Tx, code: &str, user: &User, account: &Account, now: Timestamp) -> Result<Done, StoreError> {
    let about = confirming::taken(tx, user.id, settings::ACCOUNTS_CODE, code, now).await?;
    let words: Vec<_> = about.iter().flat_map(|about| about.splitn(4, ' ')).collect();
    let ["link", hash, platform, id] = words[..] else {
        return Ok(Done::say(
            "That code is not good, or not any more: nothing was linked. Enter the other account's code again: `/link CODE`.",
        ));
    };
    if platform != account.platform.as_str() || id != account.id {
        return Ok(Done::say("You were asked on another account: nothing was linked."));
    }
    Ok(Done::say(match identity::join(tx, account, hash, now).await? {
        Ok(user) => format!(
            "Linked. You are **{}**{} on all of these:{}\n\n`/unlink` parts an account again.",
            inline(&user.name),
            role(&user),
            accounts(tx, &user, account).await?
        ),
        Err(refusal) => told(&refusal, now),
    }))
}

fn offer(code: &str) -> String {
    format!(
        "Your code is `{code}`. It is good once, for {} minutes. Write `/link {code}` to me in a private chat on your \
         other account.\n\nFrom then on both accounts are one person to me: both accounts will share what I remember \
         about you, your conversations, files and settings, and each may do what the other may.\n\nEnter a code only \
         on accounts that are yours. Never enter one that somebody else gave you, and never give this one away: \
         whoever links their account to yours reads along.",
        rules::GOOD_FOR.as_secs() / 60
    )
}

fn told(refusal: &Refusal, now: Timestamp) -> String {
    match refusal {
        Refusal::NoSuchCode => {
            "I know no such code. Codes are good once and for ten minutes; `/link` on your other account gives you a \
             new one."
                .to_owned()
        }
        Refusal::AlreadyLinked => {
            "This is you already. Enter the code on your other account, the one that is not linked yet.".to_owned()
        }
        Refusal::TooManyTries(again) => {
            let minutes = again.since(now).as_millis().div_ceil(60_000).max(1);
            format!("Those were too many tries. Please try again in {minutes} min.")
        }
        Refusal::OtherWayRound => {
            "I did not link them: this account may do more than the one that made the code, so the code must come from \
             this one. Write `/link` to me here, and enter the code that you get on the other account, if that is \
             yours. The code you entered is void."
                .to_owned()
        }
        Refusal::BeingErased => {
            "I did not change anything: I am deleting everything that I have of one of these accounts.".to_owned()
        }
        Refusal::OnlyAccount => {
            "This is the only account that I know of you: there is no other to part it from. `/link` links another one."
                .to_owned()
        }
    }
}

pub(super) async fn unlink(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    account: &str,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(ONLY_IN_PRIVATE));
    }
    let account = here(channel, account)?;
    let identities = users::identities(tx, user.id).await?;
    if identities.iter().all(|identity| identity::is(identity, &account)) {
        return Ok(Done::say(told(&Refusal::OnlyAccount, now)));
    }
    let first = users::first_identity(tx, user.id).await?;
    let stays = first.is_some_and(|first| identity::is(&first, &account));
    let Some(code) = confirming::yes(argument) else {
        return about_to_part(tx, user, &account, stays, now).await;
    };
    let about = confirming::taken(tx, user.id, settings::ACCOUNTS_CODE, code, now).await?;
    if about != Some(format!("{PART} {} {}", account.platform, account.id)) {
        return Ok(Done::say(
            "That code is not good, or not any more: nothing was parted. `/unlink` gives you a new one.",
        ));
    }
    Ok(Done::say(match identity::part(tx, &account, now).await? {
        Ok(_) => {
            let owner = match (user.role, stays) {
                (UserRole::Owner, true) => " This account is my owner; they are not any more.",
                (UserRole::Owner, false) => " They are my owner; this account is not any more.",
                _ => "",
            };
            format!(
                "Parted. This account is a person of its own to me now, with the conversations that began here and what \
                 I learned in them. Everything else stayed with the other accounts of **{}**.{owner}",
                inline(&user.name)
            )
        }
        Err(refusal) => told(&refusal, now),
    }))
}

/// Tells what parting an account moves, and asks.
async fn about_to_part(
    tx: &mut Tx,
    user: &User,
    account: &Account,
    stays: bool,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let about = format!("{PART} {} {}", account.platform, account.id);
    let code = confirming::ask(tx, user.id, settings::ACCOUNTS_CODE, &about, now).await?;
    let owner = match (user.role, stays) {
        (UserRole::Owner, true) => {
            "\n\nThis account was the first: it stays my **owner**, and the others are not any more."
        }
        (UserRole::Owner, false) => {
            "\n\nThis account will **not be my owner** any more: that stays with the account that was the first."
        }
        _ => "",
    };
    Ok(Done {
        text: format!(
            "This makes the account that you are using a person of its own. It takes along the conversations that began \
             here and what I learned in them; everything else stays with your other accounts:{}{owner}\n\nIf you are \
             sure, send `/unlink yes {code}` within 10 minutes.",
            accounts(tx, user, account).await?
        ),
        buttons: vec![Button::new("Part this account", format!("unlink yes {code}"))],
        ..Done::default()
    })
}

pub(super) async fn whoami(tx: &mut Tx, channel: &Channel, user: &User, account: &str) -> Result<Done, StoreError> {
    let speaking = here(channel, account)?;
    // Where others read along, a person's other accounts are nobody's business, nor what they are called there.
    let name = if channel.is_private() {
        user.name.clone()
    } else {
        let identities = users::identities(tx, user.id).await?;
        let this = identities.into_iter().find(|one| identity::is(one, &speaking));
        this.map_or_else(|| account.to_owned(), |this| this.name)
    };
    let mut text = format!("You are **{}**{}.", inline(&name), role(user));
    if channel.is_private() {
        text.push_str(&accounts(tx, user, &speaking).await?);
        let known = links::remembered(tx, user.id).await?;
        text.push_str(&format!("\n\n{}\n\nYour id here: `{}`", remembered(known), user.id));
    }
    Ok(Done::say(text))
}

/// All of a person's accounts share what is remembered; it is counted by who else may see it.
fn remembered(known: Remembered) -> String {
    let total = match known.in_private + known.elsewhere {
        0 => return "I remember nothing about you yet.".to_owned(),
        1 => "1 thing".to_owned(),
        total => format!("{total} things"),
    };
    format!(
        "I remember {total} about you: {} known in private only, {} known elsewhere as well. `/memory` shows them.",
        known.in_private, known.elsewhere
    )
}

fn role(user: &User) -> &'static str {
    if user.role == UserRole::Owner { ", my owner" } else { "" }
}

/// A line for each account of a person; the one they speak by is marked.
async fn accounts(tx: &mut Tx, user: &User, speaking: &Account) -> Result<String, StoreError> {
    let mut lines = String::new();
    for identity in users::identities(tx, user.id).await? {
        let this = if identity::is(&identity, speaking) {
            " ← this one"
        } else {
            ""
        };
        lines.push_str(&format!(
            "\n- {}: {} (`{}`){this}",
            platform::called(&identity.platform, Lang::English),
            inline(&identity.name),
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
                told(&Refusal::TooManyTries(Timestamp(now.0 + ms)), now),
                format!("Those were too many tries. Please try again in {minutes} min.")
            );
        }
    }

    #[test]
    fn what_is_remembered_is_counted_by_who_may_see_it() {
        let count = |in_private, elsewhere| remembered(Remembered { in_private, elsewhere });
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
