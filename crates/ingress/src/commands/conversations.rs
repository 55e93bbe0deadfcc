//! `/new`, `/contexts`, `/switch`, `/close`: the conversations of a chat.

use clifford_chat::{completion::Choice, outbound::Button};
use clifford_core::{clock::Timestamp, id::ContextId, places::Channel};
use clifford_engine::memory::closing;
use clifford_markup::{inline::inline, shortened};
use clifford_store::{
    Conn, StoreError, Tx,
    contexts::{self, Context, lists as context_lists},
    places::threads,
};
use clifford_text::{Chats, Lang};

use super::{Done, age, items::code, platform};

/// How many conversations are listed.
pub(super) const LISTED: u32 = 15;
/// How many of them get a button.
pub(super) const PRESSED: usize = 8;
/// The most characters of a conversation's name.
const NAME: usize = 100;
/// The most characters of a name on a button that says more.
const LABEL: usize = 28;

pub(super) async fn new(
    tx: &mut Tx,
    name: &str,
    channel: &Channel,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let mut ended = String::new();
    if let Some(active) = channel.active_context_id {
        ended = ended_elsewhere(tx, channel, active, lang).await?;
        closing::close(tx, active, now).await?;
    }
    let name = shortened(name, NAME);
    let name = (!name.is_empty()).then_some(&*name);
    contexts::begin(tx, channel, name, now).await?;
    let begun = match name {
        Some(name) => lang.say(Chats::NewNamed { name: inline(name) }),
        None => lang.say(Chats::New),
    };
    Ok(Done::say(format!("{begun}{ended}")))
}

pub(super) async fn list(tx: &mut Tx, channel: &Channel, lang: Lang, now: Timestamp) -> Result<Done, StoreError> {
    let known = context_lists::here(tx, channel, LISTED).await?;
    if known.is_empty() {
        return Ok(Done::say(lang.say(Chats::NoneYet)));
    }
    let lines = known.iter().enumerate().map(|(place, context)| {
        let active = if channel.active_context_id == Some(context.id) {
            format!(" {}", lang.say(Chats::ThisOne))
        } else {
            String::new()
        };
        let turns = lang.say(Chats::Turns {
            count: context.turn_count.into(),
        });
        format!(
            "{}. **{}**, {turns}, {}{active}",
            place + 1,
            inline(&shortened(&title(context, lang), NAME)),
            age(context.last_user_interaction_at, now, lang)
        )
    });
    let text = format!(
        "{}\n\n{}",
        lines.collect::<Vec<_>>().join("\n"),
        lang.say(Chats::HowToSwitch)
    );
    let buttons = known
        .iter()
        .take(PRESSED)
        .map(|context| Button::new(&title(context, lang), format!("switch {}", context.id)));
    Ok(Done {
        text,
        buttons: buttons.collect(),
        ..Done::default()
    })
}

pub(super) async fn switch(
    tx: &mut Tx,
    wanted: &str,
    channel: &Channel,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if wanted.is_empty() {
        return list(tx, channel, lang, now).await;
    }
    let known = context_lists::here(tx, channel, LISTED).await?;
    let id = wanted.parse::<ContextId>().ok();
    // A conversation too old for the list can still be named by its id.
    let by_id = match id {
        Some(id) => contexts::get(tx, id).await?,
        None => None,
    };
    let is_here = |context: &Context| context.channel_id == channel.id || channel.active_context_id == Some(context.id);
    let by_id = by_id.filter(is_here);
    match by_id.or_else(|| pick(&known, wanted, |context| context).cloned()) {
        Some(context) => go_to(tx, channel, &context, lang, now).await,
        None => Ok(Done::say(lang.say(Chats::NoSuch { name: code(wanted) }))),
    }
}

/// Goes on with a conversation of this chat.
pub(super) async fn go_to(
    tx: &mut Tx,
    channel: &Channel,
    context: &Context,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    contexts::touch(tx, context.id, now).await?;
    clifford_store::places::channels::set_active_context(tx, channel.id, Some(context.id)).await?;
    Ok(Done::say(lang.say(Chats::GoingOn {
        name: inline(&title(context, lang)),
    })))
}

pub(super) async fn close(tx: &mut Tx, channel: &Channel, lang: Lang, now: Timestamp) -> Result<Done, StoreError> {
    let was_followed = threads::unfollow(tx, channel.id).await?;
    let ended = match channel.active_context_id {
        Some(active) => {
            let ended = ended_elsewhere(tx, channel, active, lang).await?;
            closing::close(tx, active, now).await?.then_some(ended)
        }
        None => None,
    };
    Ok(Done::say(match (ended, was_followed) {
        (_, true) => lang.say(Chats::ClosedThread),
        (Some(ended), false) => format!("{}{ended}", lang.say(Chats::Closed)),
        (None, false) => lang.say(Chats::NoneOpen),
    }))
}

/// A sentence on the other chats where a conversation that ends is active too; nothing where there are none.
async fn ended_elsewhere(tx: &mut Tx, channel: &Channel, active: ContextId, lang: Lang) -> Result<String, StoreError> {
    let Some(user) = channel.user_id else {
        return Ok(String::new());
    };
    let others = context_lists::sharing(tx, user, active, channel.id).await?;
    let mut places: Vec<_> = others
        .iter()
        .map(|other| platform::called(&other.platform, lang))
        .collect();
    places.dedup();
    let places = places
        .into_iter()
        .reduce(|first, last| lang.say(Chats::And { first, last }));
    Ok(places.map_or_else(String::new, |places| {
        format!(" {}", lang.say(Chats::EndedElsewhere { places }))
    }))
}

/// The choices for `/switch` in a chat.
pub(super) async fn choices(conn: &mut Conn, channel: &Channel, lang: Lang) -> Result<Vec<Choice>, StoreError> {
    let known = context_lists::here(conn, channel, LISTED).await?;
    let choice = |context: &Context| Choice {
        label: title(context, lang),
        value: context.id.to_string(),
    };
    Ok(known.iter().map(choice).collect())
}

/// A conversation as people know it.
pub(super) fn title(context: &Context, lang: Lang) -> String {
    context.name.clone().unwrap_or_else(|| lang.say(Chats::NoName))
}

/// Its name where more is to stand next to it.
pub(super) fn label(context: &Context, lang: Lang) -> String {
    clifford_markup::shortened(&title(context, lang), LABEL)
}

/// The one of a list that is wanted: by its number there, its id, its name, or a part of its name.
pub(super) fn pick<'a, T>(known: &'a [T], wanted: &str, context: impl Fn(&T) -> &Context) -> Option<&'a T> {
    let lower = wanted.to_lowercase();
    let by_number = wanted
        .parse::<usize>()
        .ok()
        .and_then(|number| known.get(number.checked_sub(1)?));
    let named = |fits: &dyn Fn(&str) -> bool| {
        known.iter().find(|known| {
            let name = context(known).name.as_deref().map(str::to_lowercase);
            name.is_some_and(|name| fits(&name))
        })
    };
    by_number
        .or_else(|| known.iter().find(|known| context(known).id.to_string() == lower))
        .or_else(|| named(&|name| name == lower))
        .or_else(|| named(&|name| !lower.is_empty() && name.contains(&lower)))
}

#[cfg(test)]
mod tests {
    use clifford_core::id::ChannelId;

    use super::*;

    fn context(name: Option<&str>) -> Context {
        Context {
            id: ContextId::new(),
            channel_id: ChannelId::new(),
            user_id: None,
            space_id: None,
            name: name.map(str::to_owned),
            turn_count: 0,
            last_user_interaction_at: Timestamp(0),
            closed_at: None,
            created_at: Timestamp(0),
        }
    }

    #[test]
    fn a_conversation_is_picked_by_number_id_or_name() {
        let known = [
            context(Some("Trip to Rome")),
            context(None),
            context(Some("Rome")),
            context(Some("7")),
        ];
        let id = known[1].id.to_string();
        let cases = [
            ("1", Some(0)),
            ("4", Some(3)),
            ("7", Some(3)),
            (&id, Some(1)),
            (&id.to_uppercase(), Some(1)),
            ("rome", Some(2)),
            ("trip", Some(0)),
            ("0", None),
            ("Paris", None),
            ("", None),
            ("01", Some(0)),
        ];
        for (wanted, place) in cases {
            let expected = place.map(|place: usize| known[place].id);
            assert_eq!(
                pick(&known, wanted, |context| context).map(|context| context.id),
                expected,
                "{wanted}"
            );
        }
    }
}
