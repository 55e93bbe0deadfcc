//! `/key`: a person's own key for a model provider.

use clifford_chat::inbound::PlaceKind;
use clifford_core::{clock::Timestamp, people::User, places::Channel, schedule::told};
use clifford_engine::models::{
    byok::{self, CannotUse},
    encryption::Encryption,
};
use clifford_markup::{inline::inline, within_sentence};
use clifford_store::{
    StoreError, Tx,
    people::keys::{self as user_secrets, EncryptedKey},
};
use clifford_text::{Keys, Lang};
use jiff::tz::TimeZone;

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
    given: Option<Result<EncryptedKey, NotTaken>>,
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

fn parse_argument(argument: &str) -> KeyCommand<'_> {
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
    matches!(parse_argument(argument), KeyCommand::Set { .. } | KeyCommand::Unclear) && !argument.trim().is_empty()
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
        let given = match parse_argument(argument) {
            KeyCommand::Set { provider, key } if place.is_private() => {
                Some(byok::encrypt(&providers, encryption, provider, key).map_err(NotTaken::of))
            }
            _ => None,
        };
        Self {
            providers,
            given,
            carrier,
        }
    }

    fn usage(&self, lang: Lang) -> String {
        let example = self.providers.first().map_or("PROVIDER", String::as_str);
        lang.say(Keys::HowTo {
            example: example.to_owned(),
            providers: self.named(lang),
        })
    }

    /// The providers that take keys.
    fn named(&self, lang: Lang) -> String {
        match self.providers.as_slice() {
            [] => lang.say(Keys::NoneTakesKeys),
            names => names.join(", "),
        }
    }
}

/// Why a key is not taken.
#[derive(Clone, Debug)]
enum NotTaken {
    /// There is no such provider, or it takes no keys.
    Provider(String),
    /// It does not look like a key.
    Form,
    /// It cannot be kept.
    Here(String),
}

impl NotTaken {
    fn of(fault: CannotUse) -> Self {
        match fault {
            CannotUse::Provider { given, .. } => Self::Provider(given),
            CannotUse::Form => Self::Form,
            CannotUse::Encryption { ref provider, .. } | CannotUse::Setup { ref provider, .. } => {
                tracing::warn!(provider, error = %fault, "failed to take a person's key");
                Self::Here(provider.clone())
            }
        }
    }

    fn said(&self, providers: &str, lang: Lang) -> String {
        lang.say(match self {
            Self::Provider(given) => Keys::NotTakenProvider {
                given: within_sentence(given, 40),
                providers: inline(providers),
            },
            Self::Form => Keys::NotTakenForm,
            Self::Here(provider) => Keys::NotTakenHere {
                provider: inline(provider),
            },
        })
    }
}

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    ring: Option<&Ring>,
    (zone, lang): (&TimeZone, Lang),
    now: Timestamp,
) -> Result<Done, StoreError> {
    let Some(ring) = ring else {
        return Ok(Done::say(lang.say(Keys::SendAgain)));
    };
    if !channel.is_private() {
        return Ok(Done::say(refusal(carries_key(argument), ring.carrier, lang)));
    }
    Ok(Done::say(match (parse_argument(argument), &ring.given) {
        (KeyCommand::List, _) => list(tx, user, ring, (zone, lang)).await?,
        (KeyCommand::Remove(provider), _) => remove(tx, user, provider, lang).await?,
        (KeyCommand::Set { .. }, Some(Ok(key))) => {
            user_secrets::put(tx, user.id, key, now).await?;
            accepted_text(&key.provider, ring.carrier, lang)
        }
        (KeyCommand::Set { .. }, Some(Err(fault))) => {
            let told = fault.said(&ring.named(lang), lang);
            format!("{told}{}", afterwards(ring.carrier, lang))
        }
        (KeyCommand::Set { .. } | KeyCommand::Unclear, _) => ring.usage(lang),
    }))
}

fn accepted_text(provider: &str, carrier: Carrier, lang: Lang) -> String {
    let told = lang.say(Keys::Taken {
        provider: inline(provider),
    });
    format!("{told}{}", afterwards(carrier, lang))
}

/// The sentence about the message that a key stood in.
fn afterwards(carrier: Carrier, lang: Lang) -> String {
    match carrier {
        Carrier::Unseen => String::new(),
        Carrier::Deleted => format!(" {}", lang.say(Keys::MessageDeleted)),
        Carrier::Stays => format!(" {}", lang.say(Keys::MessageStays)),
    }
}

fn refusal(carried: bool, carrier: Carrier, lang: Lang) -> String {
    let seen = match (carried, carrier) {
        (true, Carrier::Deleted) => format!(" {}", lang.say(Keys::SeenDeleted)),
        (true, Carrier::Stays) => format!(" {}", lang.say(Keys::SeenStays)),
        (true, Carrier::Unseen) | (false, _) => String::new(),
    };
    format!("{}{seen}", lang.say(Keys::BetweenUs))
}

async fn list(tx: &mut Tx, user: &User, ring: &Ring, (zone, lang): (&TimeZone, Lang)) -> Result<String, StoreError> {
    let keys = user_secrets::list(tx, user.id).await?;
    if keys.is_empty() {
        return Ok(format!("{} {}", lang.say(Keys::NoKey), ring.usage(lang)));
    }
    let lines = keys.iter().map(|key| {
        let day = told::day_of(key.created_at, zone, lang);
        let since = lang.say(match ring.providers.contains(&key.provider) {
            true => Keys::Since { day },
            false => Keys::SinceUnused { day },
        });
        format!("\n- {} {since}", inline(&key.provider))
    });
    Ok(format!("{}{}", lang.say(Keys::YourKeys), lines.collect::<String>()))
}

async fn remove(tx: &mut Tx, user: &User, provider: &str, lang: Lang) -> Result<String, StoreError> {
    let keys = user_secrets::list(tx, user.id).await?;
    let meant = keys.into_iter().find(|key| key.provider.eq_ignore_ascii_case(provider));
    let Some(meant) = meant else {
        return Ok(lang.say(Keys::NoKeyFor {
            provider: inline(&byok::hidden_if_key(provider)),
        }));
    };
    user_secrets::remove(tx, user.id, &meant.provider).await?;
    Ok(lang.say(Keys::Forgotten {
        provider: inline(&meant.provider),
    }))
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
            assert_eq!(parse_argument(argument), expected, "{argument}");
            assert_eq!(carries_key(argument), carries, "{argument}");
        }
    }
}
