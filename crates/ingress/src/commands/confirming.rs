//! Confirmation codes: a code confirms the one action it was made for, once, by the same person, in time.

use std::time::Duration;

use clifford_core::{clock::Timestamp, id::UserId};
use clifford_store::{StoreError, Tx, places::settings};

/// The characters of a code.
const CODE_LENGTH: usize = 6;
/// How long a code is good.
const GOOD_FOR: Duration = Duration::from_secs(10 * 60);

/// Makes a code for what a person is asked, in place of an older one of the same kind. `about` is what they confirm by
/// it: it comes back with the code. Only the code's hash is kept.
pub(super) async fn ask(
    tx: &mut Tx,
    user: UserId,
    kind: &str,
    about: &str,
    now: Timestamp,
) -> Result<String, StoreError> {
    let code = clifford_vault::code(CODE_LENGTH, &mut rand::rng());
    let value = format!("{} {} {about}", now.after(GOOD_FOR).0, clifford_vault::hash(&code));
    settings::put(tx, &user.to_string(), kind, value.trim_end(), now).await?;
    Ok(code)
}

/// Takes a code: what it confirms. `None`: it is none, another one, or too old. Any try uses it up.
pub(super) async fn taken(
    tx: &mut Tx,
    user: UserId,
    kind: &str,
    code: &str,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let scope = user.to_string();
    let Some(value) = settings::get(tx, &scope, kind).await? else {
        return Ok(None);
    };
    settings::take(tx, &scope, kind, &value).await?;
    let mut parts = value.splitn(3, ' ');
    let (Some(until), Some(hash)) = (parts.next(), parts.next()) else {
        return Ok(None);
    };
    let in_time = until.parse().is_ok_and(|until| now < Timestamp(until));
    let is_good = in_time && clifford_vault::hash(&code.trim().to_uppercase()) == hash;
    Ok(is_good.then(|| parts.next().unwrap_or_default().to_owned()))
}

/// The code of `yes CODE`.
pub(super) fn yes(argument: &str) -> Option<&str> {
    let mut words = argument.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(yes), Some(code), None) if yes.eq_ignore_ascii_case("yes") => Some(code),
        _ => None,
    }
}
