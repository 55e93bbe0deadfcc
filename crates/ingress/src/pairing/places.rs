//! Shared places in which somebody addresses the bot whom it does not know: the place is told once a day that it answers
//! people whom its owner knows, and the owners are asked, with buttons, whether everybody there may talk to it.

use std::time::Duration;

use clifford_chat::{
    inbound::Accepted,
    outbound::{Address, Button},
};
use clifford_core::{clock::Timestamp, id::MessageId, places::Channel};
use clifford_delivery::outbound::{self, Outbound};
use clifford_markup::{inline::inline, shortened};
use clifford_store::{
    StoreError, Tx,
    db::notify,
    messages,
    people::reading,
    places::{
        channels,
        settings::{self, EVERYBODY},
        spaces,
    },
};
use clifford_text::{Answer, Lang};
use serde_json::{Value, json};

use super::{NAME, owners};
use crate::{
    Origin, answer,
    outcome::IngressOutcome,
    unheard::{self, Why},
};

/// The setting of a space that holds when it was told, and what the owners were asked.
const ASKED: &str = "everybody_asked";
/// How soon a place is told again.
const AGAIN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// The most places of which the owners are told within an hour.
const MOST: i64 = 5;
/// How long that is.
const HOUR: Duration = Duration::from_secs(60 * 60);

/// The notice to a space, and the questions to its owners.
struct Asked {
    at: Timestamp,
    notices: Vec<MessageId>,
}

impl Asked {
    /// As its setting holds it.
    fn value(&self) -> String {
        json!({ "at": self.at, "notices": self.notices }).to_string()
    }

    /// Reads such a value.
    fn read(value: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(value).ok()?;
        Some(Self {
            at: serde_json::from_value(value["at"].take()).ok()?,
            notices: serde_json::from_value(value["notices"].take()).ok()?,
        })
    }
}

/// Meets somebody in a shared place whom the bot does not know there. `is_command`: the platform waits for an answer of its
/// own.
pub(crate) async fn meet(
    tx: &mut Tx,
    origin: &Origin,
    outbound: &Outbound,
    is_command: bool,
    now: Timestamp,
) -> Result<IngressOutcome, StoreError> {
    let limits = outbound.limits(origin.place.platform);
    // A place of one question is nobody's to open; whoever asks there is told so.
    if limits.is_some_and(|limits| limits.takes_one(&origin.address())) {
        return unheard::passed_over(tx, origin, is_command, None, Why::Unknown).await;
    }
    if origin.place.space.is_none() {
        return Ok(IngressOutcome::ignored());
    }
    let set = settings::at_place(tx, &origin.place).await?;
    let value = |name: &str| set.iter().find(|row| row.name == name).map(|row| row.value.as_str());
    let before = value(ASKED).and_then(Asked::read);
    let is_due = value(EVERYBODY).is_none() && before.is_none_or(|asked| !asked.at.was_within(AGAIN_AFTER, now));
    let may_ask = is_due && settings::set_since(tx, ASKED, now.before(HOUR)).await? < MOST;
    if !is_command && !may_ask {
        return Ok(IngressOutcome::ignored());
    }
    let channel = channels::find_or_create(tx, &origin.place, None, now).await?;
    let Some(space) = channel.space_id.filter(|_| !channel.is_turned_off()) else {
        return Ok(IngressOutcome::ignored());
    };
    let (own, of_place) = reading::at(tx, origin.speaker.language.as_deref(), &origin.place).await?;
    let lang = if is_command { own } else { of_place };
    let mut text = lang.say(Answer::OnlyKnownHere);
    if may_ask {
        let notices = ask_owners(tx, origin, outbound, now).await?;
        if !notices.is_empty() {
            text = format!("{text} {}", lang.say(Answer::OwnerWasAsked));
        }
        let asked = Asked { at: now, notices };
        settings::put(tx, &space.to_string(), ASKED, &asked.value(), now).await?;
    }
    let (message, pending) = answer(outbound, origin, &channel, &text, now);
    messages::insert_outbound(tx, &message, now).await?;
    Ok(IngressOutcome {
        accepted: Accepted::Answering,
        answer: pending,
        work_to_claim: may_ask,
        is_refusal: true,
        ..IngressOutcome::ignored()
    })
}

/// Asks each owner whether everybody there may talk to the bot.
async fn ask_owners(
    tx: &mut Tx,
    origin: &Origin,
    outbound: &Outbound,
    now: Timestamp,
) -> Result<Vec<MessageId>, StoreError> {
    let Some(space) = &origin.place.space else {
        return Ok(Vec::new());
    };
    let id = format!("{}:{}", origin.place.platform, space.external_id);
    owners::ask(tx, outbound, now, |lang| {
        let asks = lang.say(Answer::AsksInPlace {
            person: inline(&shortened(&origin.speaker.name, NAME)),
            place: place_name(space.name.as_deref(), &space.external_id),
            id: format!("`{}`", id.replace('`', "")),
        });
        let text = format!("{asks}\n\n{}", lang.say(Answer::MayEverybodyThere));
        let buttons = vec![
            Button::new(&lang.say(Answer::EverybodyButton), format!("pair everybody {id}")).positive(),
            Button::new(&lang.say(Answer::NobodyMoreButton), format!("pair nobody {id}")),
        ];
        (text, buttons)
    })
    .await
}

/// The name of a place as it is shown.
fn place_name(name: Option<&str>, id: &str) -> String {
    inline(&shortened(name.unwrap_or(id), NAME))
}

/// Decides whether everybody in a group or server may talk to the bot, settles what the owners were asked, and tells the
/// place if so. Returns its name. `None`: no such place is known.
pub(crate) async fn decide(
    tx: &mut Tx,
    platform: &str,
    space: &str,
    everybody: bool,
    by: &str,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let Some(found) = spaces::by_external(tx, platform, space).await? else {
        return Ok(None);
    };
    let scope = found.id.to_string();
    let asked = settings::get(tx, &scope, ASKED).await?;
    let asked = asked.and_then(|asked| Asked::read(&asked));
    let value = if everybody { "true" } else { "false" };
    settings::put(tx, &scope, EVERYBODY, value, now).await?;
    settings::unset(tx, &scope, ASKED).await?;
    let notices = asked.map(|asked| asked.notices).unwrap_or_default();
    owners::settle(tx, notices, now, |lang| settled(everybody, by, lang)).await?;
    if everybody && let Some(channel) = spaces::last_spoken_in(tx, found.id).await? {
        let lang = reading::of_everybody(tx, &channel, None).await?;
        let message = outbound::fixed_sentence(channel.id, &shared(&channel), &lang.say(Answer::EverybodyLetIn));
        messages::insert_outbound(tx, &message, now).await?;
    }
    notify::work(tx).await?;
    Ok(Some(place_name(found.name.as_deref(), space)))
}

/// The text of a notice once it is settled.
fn settled(everybody: bool, by: &str, lang: Lang) -> String {
    let person = inline(&shortened(by, NAME));
    lang.say(match everybody {
        true => Answer::EverybodyBy { person },
        false => Answer::NobodyMoreBy { person },
    })
}

/// Where a shared channel is, in its platform's terms.
fn shared(channel: &Channel) -> Address {
    Address {
        private: false,
        ..channel.address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_owners_were_asked_is_read_back() {
        let notices = vec![MessageId::new(), MessageId::new()];
        let asked = Asked {
            at: Timestamp(1_700_000_000_000),
            notices: notices.clone(),
        };
        let read = Asked::read(&asked.value()).unwrap();
        assert_eq!((read.at, read.notices), (asked.at, notices));
        for odd in ["", "{}", r#"{"at": 1, "notices": "x"}"#] {
            assert!(Asked::read(odd).is_none(), "{odd}");
        }
    }
}
