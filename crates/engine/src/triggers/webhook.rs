//! Webhooks: whether a request is signed, fresh and new. Its content is data.
//!
//! A request carries the time of its signing as seconds since the epoch, and the signature: `sha256=` and the
//! HMAC-SHA256, in hexadecimal digits, of that time, a full stop and the body, by the secret of the webhook.

use std::time::Duration;

use clifford_core::{clock::Timestamp, id::TriggerId, schedule::trigger::Trigger};
use clifford_delivery::outbound::Outbound;
use clifford_store::{Db, StoreError, triggers};
use clifford_vault::Secret;
use serde_json::Value;

use super::fire::{self, Fired};
use crate::models::encryption::{CannotDecrypt, Encryption};

/// How old or early a signature may be.
pub const WINDOW: Duration = Duration::from_secs(300);

/// A request to a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name that its address ends in.
    pub name: &'a str,
    /// When it was signed, as it says.
    pub timestamp: &'a str,
    /// Its signature, as it says.
    pub signature: &'a str,
    /// Its body.
    pub body: &'a [u8],
}

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no such webhook, or the signature is not its.
    #[error("there is no such webhook, or the signature is not made by its secret")]
    NotSigned,
    /// It was signed too long ago, or in the future.
    #[error("it was signed more than {} minutes ago, or the clocks differ by that", WINDOW.as_secs() / 60)]
    Stale,
    /// It was taken before.
    #[error("this very request was taken before; sign it anew to send it again")]
    Repeated,
    /// The database fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret cannot be opened: only who runs this Clifford can mend that.
    #[error(transparent)]
    Encryption(#[from] CannotDecrypt),
}

/// Takes a request: checks it, and fires its trigger, in one transaction with the note that it was taken; `parallel`: how
/// many people are answered at the same time in a shared place.
///
/// # Errors
/// Why it is refused; nothing happened then.
pub async fn take(
    db: &Db,
    encryption: &Encryption,
    outbound: &Outbound,
    parallel: u32,
    call: Call<'_>,
    now: Timestamp,
) -> Result<Fired, Refusal> {
    let (trigger, secret) = find_webhook(db, encryption, call.name).await?;
    let signature = call
        .signature
        .strip_prefix("sha256=")
        .unwrap_or_default()
        .to_lowercase();
    let pieces: [&[u8]; 3] = [call.timestamp.as_bytes(), b".", call.body];
    let is_signed = clifford_vault::is_signed(&secret, &pieces, &signature);
    let trigger = trigger.filter(|_| is_signed).ok_or(Refusal::NotSigned)?;
    let signed_at = signed_at(call.timestamp, now).ok_or(Refusal::Stale)?;
    let (data, outbound, id) = (data(call.body), outbound.clone(), trigger.id);
    let fired = db
        .write(move |tx| {
            Box::pin(async move {
                if !triggers::take_signature(tx, id, &signature, signed_at, now.before(WINDOW)).await? {
                    return Ok(None);
                }
                fire::fire_now(tx, &outbound, id, Some(data), parallel, now)
                    .await
                    .map(Some)
            })
        })
        .await?;
    fired.ok_or(Refusal::Repeated)
}

/// The webhook of a name, and its secret; for a name that is none, a secret that nobody knows, so that being refused
/// takes the same steps.
async fn find_webhook(db: &Db, encryption: &Encryption, name: &str) -> Result<(Option<Trigger>, String), Refusal> {
    let mut conn = db.read().await?;
    let trigger = triggers::by_name(&mut conn, name)
        .await?
        .filter(|trigger| trigger.webhook);
    let secret = match &trigger {
        Some(trigger) => triggers::secret(&mut conn, trigger.id).await?,
        None => None,
    };
    Ok(match (secret, trigger) {
        (Some(secret), Some(trigger)) => {
            let secret = encryption.decrypt(&secret_name(trigger.id), &secret)?;
            (Some(trigger), secret.expose().to_owned())
        }
        _ => (None, new_secret()),
    })
}

/// A webhook's secret as it is stored.
///
/// # Errors
/// It cannot be encrypted.
pub fn encrypt(encryption: &Encryption, id: TriggerId, secret: &str) -> Result<String, CannotDecrypt> {
    encryption.encrypt(&secret_name(id), &Secret::new(secret))
}

fn secret_name(id: TriggerId) -> String {
    format!("the secret of webhook {id}")
}

/// A new secret of 256 random bits.
pub fn new_secret() -> String {
    clifford_vault::Token::new(&mut rand::rng()).expose().to_owned()
}

/// When it was signed, if that is within the window.
fn signed_at(timestamp: &str, now: Timestamp) -> Option<Timestamp> {
    let signed = Timestamp(timestamp.parse::<i64>().ok()?.checked_mul(1000)?);
    let away = signed.since(now).max(now.since(signed));
    (away <= WINDOW).then_some(signed)
}

/// A body as data: JSON if it is that, else text.
fn data(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_signature_is_good_for_five_minutes_around_its_time() {
        let now = Timestamp(1_767_225_600_500);
        for (timestamp, expected) in [
            ("1767225600", true),
            ("1767225301", true),
            ("1767225300", false),
            ("1767225900", true),
            ("1767225901", false),
            ("-1", false),
            ("9223372036854775807", false),
            ("now", false),
            ("", false),
        ] {
            assert_eq!(signed_at(timestamp, now).is_some(), expected, "{timestamp}");
        }
    }

    #[test]
    fn a_body_is_json_or_text() {
        assert_eq!(data(b"{\"a\": 1}"), json!({ "a": 1 }));
        assert_eq!(data(b"all is well"), json!("all is well"));
        assert_eq!(data(b"\xff"), json!("\u{fffd}"));
        assert_eq!(data(b""), json!(""));
    }
}
