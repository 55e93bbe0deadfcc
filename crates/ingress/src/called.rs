//! Names of people in a shared place, in front of their words. Where two have one name, the one who came later
//! has the end of their account's id behind it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use clifford_chat::{
    inbound::{Inbound, Place, Speaker},
    names,
    platform::Platform,
};
use clifford_store::{StoreError, people::users};

use super::IngressService;

/// So many names are remembered.
const MOST: usize = 10_000;

/// Whether accounts are to be told from others, by their platform, id and name.
#[derive(Debug, Default)]
pub(super) struct Called(Mutex<HashMap<(Platform, String, String), bool>>);

impl IngressService {
    /// The name of a speaker in front of what they say.
    pub(super) async fn called(&self, place: &Place, speaker: &Speaker) -> Result<String, StoreError> {
        let plain = names::spoken(&speaker.name);
        if place.kind.is_private() || place.platform.is_own() {
            return Ok(plain);
        }
        let key = (place.platform, speaker.id.clone(), speaker.name.clone());
        let known = self.called.with(|called| called.get(&key).copied());
        let is_marked = match known {
            Some(is_marked) => is_marked,
            None => {
                let mut conn = self.db.read_local().await?;
                let is_marked = plain.is_empty()
                    || users::has_namesake(&mut conn, place.platform, &speaker.id, &speaker.name).await?;
                self.called.with(|called| {
                    if called.len() >= MOST {
                        called.clear();
                    }
                    called.insert(key, is_marked);
                });
                is_marked
            }
        };
        Ok(match is_marked {
            true => names::spoken_with_mark(&speaker.name, &speaker.id),
            false => plain,
        })
    }
}

impl Called {
    fn with<T>(&self, look: impl FnOnce(&mut HashMap<(Platform, String, String), bool>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An event whose speaker has a name that may stand anywhere.
pub(super) fn named(mut event: Inbound) -> Inbound {
    let speaker = match &mut event {
        Inbound::Message(message) => {
            if let Some(quoted) = &mut message.quoted {
                quoted.author = names::visible(&quoted.author);
            }
            Some(&mut message.speaker)
        }
        Inbound::Edit(edit) => Some(&mut edit.speaker),
        Inbound::Command(command) => Some(&mut command.speaker),
        Inbound::Reaction(reaction) => Some(&mut reaction.speaker),
        _ => None,
    };
    // A name that is not told stays so.
    if let Some(speaker) = speaker.filter(|speaker| !speaker.name.is_empty()) {
        let visible = names::visible(&speaker.name);
        speaker.name = match (visible.is_empty(), &speaker.handle) {
            (false, _) => visible,
            (true, Some(handle)) => handle.clone(),
            (true, None) => names::mark(&speaker.id),
        };
    }
    event
}
