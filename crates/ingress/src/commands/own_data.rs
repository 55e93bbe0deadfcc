//! `/export`, `/erase`: all that is kept of a person, handed out or deleted.

use clifford_chat::{inbound::Place, outbound::Button, platform::Platform};
use clifford_core::{clock::Timestamp, id::UserId, people::User, places::Channel};
use clifford_engine::jobs::{
    erase,
    export::{self, Export},
};
use clifford_store::{Conn, StoreError, Tx, people::erasure, places::settings};
use clifford_text::{Lang, OwnData};

use super::{Done, confirming};

/// The largest file that every platform takes.
const MOST: usize = 8_000_000;
/// The most rows read while others wait to write: enough for a person who is met just now.
const FEW: usize = 20_000;

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
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(in_private("export", lang));
    }
    let command = format!("clifford export {}", user.id);
    if channel.platform().map_err(StoreError::Corrupt)? == Platform::WEB {
        return Ok(Done::say(lang.say(OwnData::GetItAt {
            address: format!("/api/users/{}/export", user.id),
            command,
        })));
    }
    let file = match gathered.filter(|gathered| gathered.person == user.id) {
        Some(gathered) => gathered
            .text
            .clone()
            .ok_or_else(|| lang.say(OwnData::TooMuch { command })),
        // This person was only now created or merged.
        None => Export::of(vec![user.id], now)
            .whole(tx, FEW)
            .await?
            .ok_or_else(|| lang.say(OwnData::SendAgain)),
    };
    let file = match file {
        Ok(file) => file,
        Err(why) => return Ok(Done::say(why)),
    };
    Ok(Done {
        text: lang.say(OwnData::Exported),
        file: Some((export::file_name(now), file)),
        ..Done::default()
    })
}

pub(super) async fn erase(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(in_private("erase", lang));
    }
    if erasure::is_under_way(tx, user.id).await? {
        return Ok(Done::say(lang.say(OwnData::BeingDeleted)));
    }
    let mut words = argument.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => ask(tx, user, lang, now).await,
        (Some(yes), Some(code), None) if yes.eq_ignore_ascii_case("yes") => {
            if confirming::taken(tx, user.id, settings::ERASE_CODE, code, now)
                .await?
                .is_none()
            {
                return Ok(Done::say(lang.say(OwnData::BadCode)));
            }
            let (_, cancelled) = erase::begin(tx, user.id, now).await?;
            Ok(Done {
                text: lang.say(OwnData::BeingDeleted),
                cancelled,
                ..Done::default()
            })
        }
        _ => Ok(Done::say(lang.say(OwnData::NothingDeleted))),
    }
}

async fn ask(tx: &mut Tx, user: &User, lang: Lang, now: Timestamp) -> Result<Done, StoreError> {
    let code = confirming::ask(tx, user.id, settings::ERASE_CODE, "", now).await?;
    Ok(Done {
        text: lang.say(OwnData::DeletesEverything {
            command: format!("/erase yes {code}"),
        }),
        buttons: vec![
            Button::new(&lang.say(OwnData::DeleteEverything), format!("erase yes {code}"))
                .in_place()
                .negative(),
        ],
        ..Done::default()
    })
}

fn in_private(command: &str, lang: Lang) -> Done {
    Done::say(lang.say(OwnData::InPrivate {
        command: format!("/{command}"),
    }))
}
