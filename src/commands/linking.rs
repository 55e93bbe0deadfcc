//! `/link`, `/unlink`, `/whoami`: which accounts are one person, and what is known of them where.

use super::{Done, inline};
use crate::{
    clock::Timestamp,
    identity::{self, Refusal, rules},
    store::{
        StoreError, Tx,
        channels::Channel,
        links::{self, Account, Remembered},
        users::{self, User, UserRole},
    },
};

/// What is said where others read along.
const ONLY_IN_PRIVATE: &str = "Accounts are linked and parted in a private chat with me only. Write to me there.";

pub(super) async fn link(
    tx: &mut Tx,
    code: &str,
    channel: &Channel,
    account: &str,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        if !code.is_empty() {
            identity::void_code(tx, code).await?;
        }
        return Ok(Done::say(ONLY_IN_PRIVATE));
    }
    let account = here(channel, account)?;
    if code.is_empty() {
        let made = identity::make_code(tx, &account, now).await?;
        return Ok(Done::say(offer(&made.code)));
    }
    Ok(Done::say(match identity::enter_code(tx, &account, code, now).await? {
        Ok(user) => format!(
            "Linked. You are **{}**{} on all of these:{}\n\n`/unlink` parts an account again.",
            inline(&user.name),
            role(&user),
            accounts(tx, &user, &account).await?
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
    channel: &Channel,
    user: &User,
    account: &str,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(ONLY_IN_PRIVATE));
    }
    let account = here(channel, account)?;
    Ok(Done::say(match identity::part(tx, &account, now).await? {
        Ok(_) => {
            let owner = if user.role == UserRole::Owner {
                " They are my owner; this account is not any more."
            } else {
                ""
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
            identity.platform,
            inline(&identity.name),
            identity.platform_user_id
        ));
    }
    Ok(lines)
}

fn here(channel: &Channel, account: &str) -> Result<Account, StoreError> {
    Ok(Account {
        platform: channel.platform()?,
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
