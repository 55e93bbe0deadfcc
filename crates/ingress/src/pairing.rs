//! Strangers: they get a code and nothing else, until the owner lets them in. The first owner comes with the
//! code that was printed at the start.

mod deciding;
mod notices;
mod owners;
pub(crate) mod places;

use std::time::Duration;

use clifford_chat::inbound::Accepted;
use clifford_core::{clock::Timestamp, people::UserRole};
use clifford_delivery::outbound::Outbound;
use clifford_store::{
    Db, StoreError, Tx, messages,
    people::{claim, pairing_codes, pairings, reading, users},
};
use clifford_text::Answer;

pub use self::deciding::{Decision, decide};
use self::notices::Asking;
use super::{Origin, answer, outcome::IngressOutcome, settle};

/// How long a code is good.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);
/// How much of a name is shown.
const NAME: usize = 40;
/// How soon a person gets another code.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Whether a speaker gives the owner's code, in private: the place's access rules do not matter.
pub(super) async fn claims(tx: &mut Tx, origin: &Origin, text: &str) -> Result<bool, StoreError> {
    let Some(said) = claim::typed(text).filter(|_| origin.place.kind.is_private()) else {
        return Ok(false);
    };
    if users::has_owner(tx).await? {
        return Ok(false);
    }
    Ok(claim::hash(tx).await? == Some(clifford_vault::hash(&said)))
}

/// Whether this may be the owner's code, by its looks.
pub(super) fn may_claim(origin: &Origin, text: &str) -> bool {
    origin.place.kind.is_private() && claim::typed(text).is_some()
}

/// The words of a text that may be a code, in upper case: one word, or some with little between them.
fn said_codes(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<_> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).filter_map(move |first| {
        let mut code = String::new();
        let long = words[first..].iter().find(|word| {
            code.push_str(word);
            code.len() >= claim::LENGTH
        });
        (long.is_some() && code.len() == claim::LENGTH).then(|| code.to_ascii_uppercase())
    })
}

/// Voids the owner's code if it stands in what somebody said where others read along, and makes a new one, which only
/// the log of this process tells.
pub(super) async fn void_said(db: &Db, text: &str, now: Timestamp) -> Result<(), StoreError> {
    if said_codes(text).next().is_none() {
        return Ok(());
    }
    // There is one until the bot has an owner, so only until then each word costs a hash.
    let Some(code) = claim::hash(&mut db.read_local().await?).await? else {
        return Ok(());
    };
    if !said_codes(text).any(|said| clifford_vault::hash(&said) == code) {
        return Ok(());
    }
    let made = db
        .write(move |tx| {
            Box::pin(async move {
                match claim::take(tx, &code).await? {
                    true => claim::make(tx, now).await,
                    false => Ok(None),
                }
            })
        })
        .await?;
    if let Some(code) = made {
        tracing::warn!(
            code,
            "voided an owner code that was posted in a shared chat, send this one in a private chat"
        );
    }
    Ok(())
}

/// Meets a stranger: makes them the owner if they say the owner's code, else gives them a code of their own.
pub(super) async fn meet(
    tx: &mut Tx,
    origin: &Origin,
    text: &str,
    outbound: &Outbound,
    now: Timestamp,
) -> Result<IngressOutcome, StoreError> {
    let (platform, account) = (origin.place.platform, origin.speaker.id.as_str());
    if is_claim(tx, text).await? {
        let (user, channel) = settle(tx, origin, None, UserRole::Owner, now).await?;
        users::set_role(tx, user.id, UserRole::Owner, now).await?;
        pairings::remove(tx, platform.as_str(), account).await?;
        let lang = reading::of(tx, Some(&user), Some(channel.id)).await?;
        let said = say(tx, origin, &channel, outbound, &lang.say(Answer::YouAreOwner), now).await?;
        let is_told = notices::tell_of_earlier(tx, outbound, now).await?;
        return Ok(IngressOutcome {
            work_to_claim: is_told,
            ..said
        });
    }
    let before = pairings::request_of(tx, platform.as_str(), account).await?;
    if before.as_ref().is_some_and(|request| request.blocked_at.is_some()) {
        return Ok(IngressOutcome::ignored());
    }
    if let Some(open) = pairings::of_account(tx, platform, account, now).await?
        && now.since(open.expires_at.before(GOOD_FOR)) < AGAIN_AFTER
    {
        // When they asked first there may have been no owner, or too many who asked.
        let is_told = notices::tell_owners(tx, &Asking::speaker(origin), before.as_ref(), outbound, now).await?;
        let outcome = not_the_code(tx, origin, text, outbound, now).await?;
        return Ok(IngressOutcome {
            work_to_claim: is_told,
            ..outcome
        });
    }
    let (user, channel) = settle(tx, origin, None, UserRole::Stranger, now).await?;
    let until = now.after(GOOD_FOR);
    let code = pairing_codes::ask(tx, platform, account, &origin.speaker.name, now, until).await?;
    let lang = reading::of(tx, Some(&user), Some(channel.id)).await?;
    let mut text = lang.say(Answer::OnlyKnown { code });
    if !users::has_owner(tx).await? {
        // The one who asks may well be the owner, who began by the button that Telegram shows.
        text = format!("{text}\n\n{}", lang.say(Answer::IfYours));
    }
    let is_told = notices::tell_owners(tx, &Asking::speaker(origin), before.as_ref(), outbound, now).await?;
    let said = say(tx, origin, &channel, outbound, &text, now).await?;
    Ok(IngressOutcome {
        work_to_claim: is_told,
        ..said
    })
}

async fn say(
    tx: &mut Tx,
    origin: &Origin,
    channel: &clifford_core::places::Channel,
    outbound: &Outbound,
    text: &str,
    now: Timestamp,
) -> Result<IngressOutcome, StoreError> {
    let (message, pending) = answer(outbound, origin, channel, text, now);
    messages::insert_outbound(tx, &message, now).await?;
    Ok(IngressOutcome {
        accepted: Accepted::Answering,
        answer: pending,
        ..IngressOutcome::ignored()
    })
}

/// Tells a stranger who mistyped the owner's code, or has one that is good no more, how to come by a good one. They
/// were met already, so anything else that they say is not answered.
async fn not_the_code(
    tx: &mut Tx,
    origin: &Origin,
    text: &str,
    outbound: &Outbound,
    now: Timestamp,
) -> Result<IngressOutcome, StoreError> {
    if !may_claim(origin, text) || users::has_owner(tx).await? {
        return Ok(IngressOutcome::ignored());
    }
    let (user, channel) = settle(tx, origin, None, UserRole::Stranger, now).await?;
    let lang = reading::of(tx, Some(&user), Some(channel.id)).await?;
    let told = format!("{} {}", lang.say(Answer::NotTheCode), lang.say(Answer::IfYours));
    say(tx, origin, &channel, outbound, &told, now).await
}

/// The code is good once, and only while there is no owner.
async fn is_claim(tx: &mut Tx, text: &str) -> Result<bool, StoreError> {
    match claim::typed(text) {
        Some(said) if !users::has_owner(tx).await? => claim::take(tx, &clifford_vault::hash(&said)).await,
        _ => Ok(false),
    }
}

/// Lets the person in who got this code, and returns their name. `None`: no such code, or it is too old.
pub async fn approve(tx: &mut Tx, code: &str, by: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
    let Some(code) = claim::typed(code) else {
        return Ok(None);
    };
    let hash = clifford_vault::hash(&code);
    match pairings::of_code(tx, &hash, now).await? {
        Some(asked) => decide(tx, &asked.platform, &asked.platform_user_id, Decision::Approve, by, now).await,
        None => Ok(None),
    }
}

/// An account as people name it, such as `telegram:9`: its platform and the platform's id.
pub fn account(named: &str) -> Option<(&str, &str)> {
    let (platform, id) = named.trim().split_once(':')?;
    (!platform.is_empty() && !id.is_empty()).then_some((platform, id))
}
