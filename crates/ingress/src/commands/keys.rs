//! `/key`: a person's own key for a model provider.

use clifford_chat::inbound::PlaceKind;
use clifford_core::{clock::Timestamp, people::User, places::Channel};
use clifford_engine::models::{
    byok::{self, CannotUse},
    encryption::Encryption,
};
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    people::keys::{self as user_secrets, EncryptedKey},
};

use super::Done;

/// The fate of the message that a key came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Only its person sees it.
    Unseen,
    /// It was deleted.
    Deleted,
    /// It stays where it is.
    Stays,
}

/// The key ring for `/key`: a key is encrypted, and its message deleted, before anything is stored.
#[derive(Clone, Debug)]
pub struct Ring {
    /// The providers that take keys.
    providers: Vec<String>,
    /// The encrypted key, if one was given.
    given: Option<Result<EncryptedKey, String>>,
    carrier: Carrier,
}

/// The request to `/key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyCommand<'a> {
    List,
    Set { provider: &'a str, key: &'a str },
    Remove(&'a str),
    Unclear,
}

fn asked(argument: &str) -> KeyCommand<'_> {
    let mut words = argument.trim().splitn(3, char::is_whitespace);
    match (words.next().unwrap_or_default(), words.next(), words.next()) {
        ("" | "list", None, None) => KeyCommand::List,
        ("remove", Some(provider), None) => KeyCommand::Remove(provider),
        ("set", Some(provider), Some(key)) => KeyCommand::Set { provider, key },
        _ => KeyCommand::Unclear,
    }
}

/// Whether a key stands in the argument of `/key`, or what may be one.
pub fn carries_key(argument: &str) -> bool {
    matches!(asked(argument), KeyCommand::Set { .. } | KeyCommand::Unclear) && !argument.trim().is_empty()
}

impl Ring {
    /// Encrypts what `/key` gives, if it does so in private: anywhere else, nothing is kept of it.
    pub fn new(
        providers: Vec<String>,
        encryption: &Encryption,
        argument: &str,
        place: PlaceKind,
        carrier: Carrier,
    ) -> Self {
        let given = match asked(argument) {
            KeyCommand::Set { provider, key } if place.is_private() => {
                Some(byok::encrypt(&providers, encryption, provider, key).map_err(|fault: CannotUse| fault.to_string()))
            }
            _ => None,
        };
        Self {
            providers,
            given,
            carrier,
        }
    }

    fn usage(&self) -> String {
        let example = self.providers.first().map_or("PROVIDER", String::as_str);
        format!(
            "`/key set {example} KEY` lets me answer you by your own key, `/key list` shows which I have, and `/key \
             remove {example}` takes one back. Providers: {}.",
            match self.providers.as_slice() {
                [] => "none takes keys".to_owned(),
                names => names.join(", "),
            }
        )
    }
}

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    ring: Option<&Ring>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let Some(ring) = ring else {
        return Ok(Done::say("Please send that again."));
    };
    if !channel.is_private() {
        return Ok(Done::say(refusal(carries_key(argument), ring.carrier)));
    }
    Ok(Done::say(match (asked(argument), &ring.given) {
        (KeyCommand::List, _) => list(tx, user, ring).await?,
        (KeyCommand::Remove(provider), _) => remove(tx, user, provider).await?,
        (KeyCommand::Set { .. }, Some(Ok(key))) => {
            user_secrets::put(tx, user.id, key, now).await?;
            taken(&key.provider, ring.carrier)
        }
        (KeyCommand::Set { .. }, Some(Err(fault))) => {
            format!("I did not take that: {}.{}", inline(fault), afterwards(ring.carrier))
        }
        (KeyCommand::Set { .. } | KeyCommand::Unclear, _) => ring.usage(),
    }))
}

fn taken(provider: &str, carrier: Carrier) -> String {
    format!(
        "I have your key for {0}, encrypted, and answer you by it from now on, wherever you write to me. Its \
         costs are yours and count against no budget of mine; `/usage` shows it. `/key remove {0}` takes it back.{1}",
        inline(provider),
        afterwards(carrier)
    )
}

/// The sentence about the message that a key stood in.
fn afterwards(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::Unseen => "",
        Carrier::Deleted => " I deleted your message with it.",
        Carrier::Stays => " Please delete your message with it.",
    }
}

fn refusal(carried: bool, carrier: Carrier) -> String {
    let seen = match (carried, carrier) {
        (true, Carrier::Deleted) => {
            " I deleted your message; if a key stood in it, others may have seen it: replace it at its provider."
        }
        (true, Carrier::Stays) => {
            " If a key stands in your message, delete it, and replace the key at its provider: others read along here."
        }
        (true, Carrier::Unseen) | (false, _) => "",
    };
    format!("Keys are between you and me: write `/key` to me in a private chat. I kept nothing of this.{seen}")
}

async fn list(tx: &mut Tx, user: &User, ring: &Ring) -> Result<String, StoreError> {
    let keys = user_secrets::list(tx, user.id).await?;
    if keys.is_empty() {
        return Ok(format!("I have no key of yours. {}", ring.usage()));
    }
    let lines = keys.iter().map(|key| {
        let given = key.created_at.to_jiff().strftime("%Y-%m-%d").to_string();
        let unused = if ring.providers.contains(&key.provider) {
            ""
        } else {
            ", not in use: there is no such provider any more"
        };
        format!("\n- {} (since {given}{unused})", inline(&key.provider))
    });
    Ok(format!("Your own keys:{}", lines.collect::<String>()))
}

async fn remove(tx: &mut Tx, user: &User, provider: &str) -> Result<String, StoreError> {
    let keys = user_secrets::list(tx, user.id).await?;
    let meant = keys.into_iter().find(|key| key.provider.eq_ignore_ascii_case(provider));
    let Some(meant) = meant else {
        return Ok(format!(
            "I have no key of yours for {}. `/key list` shows which I have.",
            inline(&byok::hidden_if_key(provider))
        ));
    };
    user_secrets::remove(tx, user.id, &meant.provider).await?;
    Ok(format!(
        "I forgot your key for {}, and answer you by mine again.",
        inline(&meant.provider)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_read_and_what_may_hold_a_key_is_known() {
        let set = |provider, key| KeyCommand::Set { provider, key };
        let cases = [
            ("", KeyCommand::List, false),
            (" list ", KeyCommand::List, false),
            ("remove main", KeyCommand::Remove("main"), false),
            ("set main sk-1", set("main", "sk-1"), true),
            ("set main two words", set("main", "two words"), true),
            ("set main", KeyCommand::Unclear, true),
            ("remove", KeyCommand::Unclear, true),
            ("sk-1", KeyCommand::Unclear, true),
        ];
        for (argument, expected, carries) in cases {
            assert_eq!(asked(argument), expected, "{argument}");
            assert_eq!(carries_key(argument), carries, "{argument}");
        }
    }
}
