//! Strangers: they get a code and nothing else, until the owner lets them in. The first owner comes with the
//! code that was printed at the start.

use std::time::Duration;

use clifford_chat::{inbound::Accepted, platform::Platform};
use clifford_core::{clock::Timestamp, people::UserRole};
use clifford_delivery::outbound::Outbound;
use clifford_store::{
    Db, StoreError, Tx, messages,
    people::{claim, pairings, users},
};

use super::{Origin, answer, outcome::Outcome, settle};

/// How long a code is good.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);
/// How soon a person gets another code.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Whether a speaker gives the owner's code, in private: the place's access rules do not matter.
pub(super) async fn claims(tx: &mut Tx, visit: &Origin, text: &str) -> Result<bool, StoreError> {
    if !may_claim(visit, text) || users::has_owner(tx).await? {
        return Ok(false);
    }
    let said = clifford_vault::hash(&text.trim().to_uppercase());
    Ok(claim::hash(tx).await?.is_some_and(|code| code == said))
}

/// Whether this may be the owner's code, by its looks.
pub(super) fn may_claim(visit: &Origin, text: &str) -> bool {
    visit.place.kind.is_private() && text.trim().len() == claim::LENGTH
}

/// The words of a text that may be a code.
fn said_codes(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == claim::LENGTH)
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
    if !said_codes(text).any(|word| clifford_vault::hash(&word.to_uppercase()) == code) {
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
            "owner code was posted in a shared chat and is void, send this one in a private chat"
        );
    }
    Ok(())
}

/// Meets a stranger: makes them the owner if they say the owner's code, else gives them a code of their own.
pub(super) async fn meet(
    tx: &mut Tx,
    visit: &Origin,
    text: &str,
    outbound: &Outbound,
    now: Timestamp,
) -> Result<Outcome, StoreError> {
    let (platform, account) = (visit.place.platform, visit.speaker.id.as_str());
    if is_claim(tx, text).await? {
        let (user, channel) = settle(tx, visit, None, UserRole::Owner, now).await?;
        users::set_role(tx, user.id, UserRole::Owner, now).await?;
        return say(
            tx,
            visit,
            &channel,
            outbound,
            "You are my owner now. What can I do for you? `/help` shows my commands.",
            now,
        )
        .await;
    }
    if let Some(open) = pairings::of_account(tx, platform, account, now).await?
        && now.since(open.expires_at.before(GOOD_FOR)) < AGAIN_AFTER
    {
        return Ok(Outcome::ignored());
    }
    let (_, channel) = settle(tx, visit, None, UserRole::Stranger, now).await?;
    let code = clifford_vault::code(claim::LENGTH, &mut rand::rng());
    pairings::put(
        tx,
        platform,
        account,
        &visit.speaker.name,
        &clifford_vault::hash(&code),
        now,
        now.after(GOOD_FOR),
    )
    .await?;
    let text = format!(
        "Hello! I only talk to people whom my owner knows. Your code is `{code}`; ask my owner to run `clifford pair approve {code}` within an hour."
    );
    say(tx, visit, &channel, outbound, &text, now).await
}

async fn say(
    tx: &mut Tx,
    visit: &Origin,
    channel: &clifford_core::places::Channel,
    outbound: &Outbound,
    text: &str,
    now: Timestamp,
) -> Result<Outcome, StoreError> {
    let (message, ticket) = answer(outbound, visit, channel, text, now);
    messages::insert_outbound(tx, &message, now).await?;
    Ok(Outcome {
        accepted: Accepted::Answering,
        answer: ticket,
        ..Outcome::ignored()
    })
}

/// The code is good once, and only while there is no owner.
async fn is_claim(tx: &mut Tx, text: &str) -> Result<bool, StoreError> {
    let said = text.trim().to_uppercase();
    if said.len() != claim::LENGTH || users::has_owner(tx).await? {
        return Ok(false);
    }
    claim::take(tx, &clifford_vault::hash(&said)).await
}

/// Lets the person in who got this code, and returns their name. `None`: no such code, or it is too old.
pub async fn approve(tx: &mut Tx, code: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
    let code = code.trim().to_uppercase();
    let Some(pairing) = pairings::take(tx, &clifford_vault::hash(&code), now).await? else {
        return Ok(None);
    };
    let platform: Platform = pairing.platform.parse().map_err(StoreError::Corrupt)?;
    let user = users::by_identity(tx, platform, &pairing.platform_user_id)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("account {}", pairing.platform_user_id)))?;
    if user.role == UserRole::Stranger {
        users::set_role(tx, user.id, UserRole::Member, now).await?;
    }
    Ok(Some(pairing.name))
}
