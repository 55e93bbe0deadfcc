//! The accounts of one person: two are linked by a code, and an account is parted from the others.
//!
//! The account that made the code stays; who enters it becomes part of that person. A refusal is no error: what led
//! to it (a try that counts, a code that is void) is kept.
//!
//! **Identity.** `/link` makes a code, kept as its hash; entering it (`identity.rs`) locks both people and gives every
//! row of the one who entered it to the one who made it (`store/people/merge.rs`); a test holds its list of tables to
//! the schema's foreign keys. A write for the person who is gone fails by its foreign key: the run is loaded again, the
//! message handed in again, and both find the surviving person. `/unlink` makes an account a person of its own, with
//! what began there. `/continue` makes one conversation the active one of two channels; each run still answers where it
//! was asked.

pub(crate) mod rules;

use clifford_core::{clock::Timestamp, id::UserId, people::User};
use clifford_store::{
    StoreError, Tx,
    people::{
        links::{self, Account},
        merge,
        users::{self, Identity},
    },
};

/// Why two accounts were not linked, or one was not parted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The code was never made, was used, replaced, or is too old.
    #[error(
        "there is no such code: codes are good once and for ten minutes; `/link` on the other account makes a new one"
    )]
    NoSuchCode,
    /// The code is this person's own.
    #[error("the account is that person's already: enter the code on the account that is not linked yet")]
    AlreadyLinked,
    /// The account tried too often.
    #[error("five tries an hour are all there are: try again after {0}")]
    TooManyTries(Timestamp),
    /// The entering account has more rights than the code's maker.
    #[error(
        "the code was made by an account that may do less than this one: make the code on this account, and enter it on \
         the other one"
    )]
    OtherWayRound,
    /// One of them asked to be deleted.
    #[error("one of the two accounts is being deleted")]
    BeingErased,
    /// It is the person's only account.
    #[error("it is the only account: there is no other to part it from")]
    OnlyAccount,
}

/// A code that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkCode {
    /// The code; only its hash is kept.
    pub code: String,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// Makes a code by which another account can become part of an account's person, in place of their older one.
pub async fn make_code(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<LinkCode, StoreError> {
    links::one_at_a_time(tx).await?;
    let user = person(tx, account).await?;
    let code = rules::code(&mut rand::rng());
    let expires_at = now.after(rules::GOOD_FOR);
    links::put_code(tx, &rules::hash(&code), user.id, account, now, expires_at).await?;
    Ok(LinkCode { code, expires_at })
}

/// The owner of a code, before anything is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The person who made it.
    pub maker: User,
    /// The account on which they did, as far as it is still theirs.
    pub account: Option<Identity>,
    /// The code's hash.
    pub hash: String,
}

/// Looks at a code that somebody enters on an account. It counts as a try, and nothing is linked.
///
/// # Errors
/// The database fails; then nothing was stored, not even the attempt.
pub(crate) async fn look_at_code(
    tx: &mut Tx,
    account: &Account,
    code: &str,
    now: Timestamp,
) -> Result<Result<Offer, Refusal>, StoreError> {
    links::one_at_a_time(tx).await?;
    if let Some(refusal) = try_once(tx, account, now).await? {
        return Ok(Err(refusal));
    }
    let hash = rules::hash(code);
    let Some(made) = links::maker(tx, &hash, now).await? else {
        return Ok(Err(Refusal::NoSuchCode));
    };
    let entering = person(tx, account).await?;
    if entering.id == made.user_id {
        return Ok(Err(Refusal::AlreadyLinked));
    }
    let Some(maker) = users::get(tx, made.user_id).await? else {
        return Ok(Err(Refusal::NoSuchCode));
    };
    if merge::is_being_erased(tx, [maker.id, entering.id]).await? {
        return Ok(Err(Refusal::BeingErased));
    }
    if !rules::may_become_part(maker.role, entering.role) {
        links::take_code(tx, &hash).await?;
        return Ok(Err(Refusal::OtherWayRound));
    }
    let identities = users::identities(tx, maker.id).await?;
    let account = identities
        .into_iter()
        .find(|identity| identity.platform == made.platform && identity.platform_user_id == made.platform_user_id);
    Ok(Ok(Offer { maker, account, hash }))
}

/// Enters a code on an account: its person becomes part of the one who made the code, and that is returned. In a chat
/// they are asked (`look_at_code`) first.
///
/// # Errors
/// The database fails; then nothing was stored, not even the attempt.
pub async fn enter_code(
    tx: &mut Tx,
    account: &Account,
    code: &str,
    now: Timestamp,
) -> Result<Result<User, Refusal>, StoreError> {
    links::one_at_a_time(tx).await?;
    if let Some(refusal) = try_once(tx, account, now).await? {
        return Ok(Err(refusal));
    }
    join(tx, account, &rules::hash(code), now).await
}

/// Counts a try to enter a code. `Some`: there were too many.
async fn try_once(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<Option<Refusal>, StoreError> {
    let counts_since = now.before(rules::WITHIN);
    let tries = links::tries(tx, account, counts_since, rules::TRIES).await?;
    if let Some(again) = rules::may_try_at(&tries) {
        return Ok(Some(Refusal::TooManyTries(again)));
    }
    links::record_try(tx, account, now, counts_since).await?;
    Ok(None)
}

/// Makes an account's person part of the one who made the code of this hash.
pub async fn join(
    tx: &mut Tx,
    account: &Account,
    hash: &str,
    now: Timestamp,
) -> Result<Result<User, Refusal>, StoreError> {
    links::one_at_a_time(tx).await?;
    let Some(maker) = links::maker(tx, hash, now).await? else {
        return Ok(Err(Refusal::NoSuchCode));
    };
    let entering = person(tx, account).await?;
    if entering.id == maker.user_id {
        return Ok(Err(Refusal::AlreadyLinked));
    }
    let [maker, entering] = merge::lock(tx, [maker.user_id, entering.id]).await?;
    let entering = entering.ok_or_else(|| unknown(account))?;
    let (Some(maker), true) = (maker, links::take_code(tx, hash).await?) else {
        return Ok(Err(Refusal::NoSuchCode));
    };
    if merge::is_being_erased(tx, [maker.id, entering.id]).await? {
        return Ok(Err(Refusal::BeingErased));
    }
    if !rules::may_become_part(maker.role, entering.role) {
        return Ok(Err(Refusal::OtherWayRound));
    }
    let joined = rules::joined(&maker, &entering);
    merge::merge(tx, entering.id, &joined, &clifford_core::memory::levels::caps(), now).await?;
    tracing::info!(user_id = %joined.id, merged_id = %entering.id, "linked two accounts");
    Ok(Ok(joined))
}

/// Voids a code that others have read.
pub(crate) async fn void_code(tx: &mut Tx, code: &str) -> Result<(), StoreError> {
    links::take_code(tx, &rules::hash(code)).await.map(|_| ())
}

/// Parts an account from the others of its person: it is a person of its own then, who is returned.
pub async fn part(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<Result<User, Refusal>, StoreError> {
    links::one_at_a_time(tx).await?;
    let user = person(tx, account).await?;
    let [user, _] = merge::lock(tx, [user.id, user.id]).await?;
    let user = user.ok_or_else(|| unknown(account))?;
    let identities = users::identities(tx, user.id).await?;
    let (own, others): (Vec<_>, Vec<_>) = identities.into_iter().partition(|identity| is(identity, account));
    let identity = own.into_iter().next().ok_or_else(|| unknown(account))?;
    if others.is_empty() {
        return Ok(Err(Refusal::OnlyAccount));
    }
    if merge::is_being_erased(tx, [user.id, user.id]).await? {
        return Ok(Err(Refusal::BeingErased));
    }
    // The first account identifies the bot's owner.
    let first = users::first_identity(tx, user.id).await?;
    let is_first = first.is_some_and(|first| is(&first, account));
    let parted = merge::part(tx, &user, &identity, account, rules::parted(user.role, is_first), now).await?;
    let role = rules::role_after_unlink(user.role, is_first);
    if role != user.role {
        users::set_role(tx, user.id, role, now).await?;
    }
    tracing::info!(user_id = %user.id, parted_id = %parted.id, "unlinked an account");
    Ok(Ok(parted))
}

/// The account by which a person is known who is named by their id: the first of theirs.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such person, or they have no account.
pub async fn account_of(tx: &mut Tx, user: UserId) -> Result<Account, StoreError> {
    let identity = users::identities(tx, user).await?.into_iter().next();
    let identity = identity.ok_or_else(|| StoreError::NotFound(format!("user {user}")))?;
    Ok(Account {
        platform: identity.platform.parse().map_err(StoreError::Corrupt)?,
        id: identity.platform_user_id,
    })
}

/// Whether an identity is this account.
pub fn is(identity: &Identity, account: &Account) -> bool {
    identity.platform == account.platform.as_str() && identity.platform_user_id == account.id
}

async fn person(tx: &mut Tx, account: &Account) -> Result<User, StoreError> {
    users::by_identity(tx, account.platform, &account.id)
        .await?
        .ok_or_else(|| unknown(account))
}

fn unknown(account: &Account) -> StoreError {
    StoreError::NotFound(format!("account {} on {}", account.id, account.platform))
}
