//! `/export`, `/erase`: all that is kept of a person, handed out or deleted.

use clifford_chat::{inbound::Place, outbound::Button, platform::Platform};
use clifford_core::{clock::Timestamp, id::UserId, people::User, places::Channel};
use clifford_engine::jobs::{
    erase,
    export::{self, Export},
};
use clifford_store::{Conn, StoreError, Tx, people::erasure, places::settings};

use super::{Done, confirming};

/// The largest file that every platform takes.
const MOST: usize = 8_000_000;
/// The most rows read while others wait to write: enough for a person who is met just now.
const FEW: usize = 20_000;
const UNDER_WAY: &str = "Everything that I have of you is being deleted; this is the last message. If you write to me \
                         again, I will not know you.";

/// All that is kept of a person, to be handed out.
#[derive(Clone, Debug)]
pub struct Gathered {
    person: UserId,
    /// `None`: it is too much.
    text: Option<String>,
}

impl Gathered {
    /// Gathers it.
    pub async fn of(conn: &mut Conn, person: UserId, now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self {
            person,
            text: Export::of(vec![person], now).whole(conn, MOST).await?,
        })
    }
}

/// Whether `/export` sends a file there. On the web, files are downloaded, never sent.
pub fn hands_out(place: &Place) -> bool {
    place.kind.is_private() && place.platform != Platform::WEB
}

pub(super) async fn export(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    gathered: Option<&Gathered>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(in_private("export"));
    }
    let by_operator = format!("ask whoever runs me for `clifford export {}`", user.id);
    if channel.platform().map_err(StoreError::Corrupt)? == Platform::WEB {
        return Ok(Done::say(format!(
            "Get it at `/api/users/{}/export`, or {by_operator}.",
            user.id
        )));
    }
    let file = match gathered.filter(|gathered| gathered.person == user.id) {
        Some(gathered) => gathered
            .text
            .clone()
            .ok_or_else(|| format!("I have too much of you to send it here: {by_operator}.")),
        // This person was only now created or merged.
        None => Export::of(vec![user.id], now)
            .whole(tx, FEW)
            .await?
            .ok_or_else(|| "Please send `/export` again.".to_owned()),
    };
    let file = match file {
        Ok(file) => file,
        Err(why) => return Ok(Done::say(why)),
    };
    Ok(Done {
        text: "Everything that I have of you, as JSON Lines.".to_owned(),
        file: Some((export::file_name(now), file)),
        ..Done::default()
    })
}

pub(super) async fn erase(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(in_private("erase"));
    }
    if erasure::is_under_way(tx, user.id).await? {
        return Ok(Done::say(UNDER_WAY));
    }
    let mut words = argument.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => ask(tx, user, now).await,
        (Some(yes), Some(code), None) if yes.eq_ignore_ascii_case("yes") => {
            if confirming::taken(tx, user.id, settings::ERASE_CODE, code, now)
                .await?
                .is_none()
            {
                return Ok(Done::say(
                    "That code is not good, or not any more: nothing was deleted. `/erase` gives you a new one.",
                ));
            }
            let (_, cancelled) = erase::begin(tx, user.id, now).await?;
            Ok(Done {
                text: UNDER_WAY.to_owned(),
                cancelled,
                ..Done::default()
            })
        }
        _ => Ok(Done::say(
            "Nothing was deleted. `/erase` tells what would be, and how to go on.",
        )),
    }
}

async fn ask(tx: &mut Tx, user: &User, now: Timestamp) -> Result<Done, StoreError> {
    let code = confirming::ask(tx, user.id, settings::ERASE_CODE, "", now).await?;
    Ok(Done {
        text: format!(
            "This deletes everything that I have of you, for good: what you told me and what I answered, here and \
             everywhere else, what I remember of you, your reminders, files, settings and accounts, and what I quoted \
             of you to others. Nobody can bring it back; `/export` gives you a copy first.\n\nIf you are sure, send \
             `/erase yes {code}` within 10 minutes."
        ),
        buttons: vec![Button::new("Delete everything", format!("erase yes {code}")).negative()],
        ..Done::default()
    })
}

fn in_private(command: &str) -> Done {
    Done::say(format!(
        "That is between you and me: send `/{command}` in a private chat."
    ))
}
