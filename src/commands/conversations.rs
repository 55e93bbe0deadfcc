//! `/new`, `/contexts`, `/switch`, `/close`: the conversations of a chat.

use super::{Done, age, inline};
use crate::{
    clock::Timestamp,
    memory::closing,
    store::{StoreError, Tx, channels::Channel, contexts},
};

/// How many conversations `/contexts` lists.
const LISTED: u32 = 15;

pub(super) async fn new(tx: &mut Tx, name: &str, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    if let Some(active) = channel.active_context_id {
        closing::close(tx, active, now).await?;
    }
    let name = (!name.is_empty()).then_some(name);
    contexts::begin(tx, channel, name, now).await?;
    Ok(Done::say(match name {
        Some(name) => format!("A new conversation: **{}**.", inline(name)),
        None => "A new conversation. What is it about?".to_owned(),
    }))
}

pub(super) async fn list(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let known = contexts::of_channel(tx, channel.id, LISTED).await?;
    if known.is_empty() {
        return Ok(Done::say("There are no conversations here yet."));
    }
    let lines = known.iter().enumerate().map(|(place, context)| {
        let active = if channel.active_context_id == Some(context.id) {
            " ← this one"
        } else {
            ""
        };
        let name = context.name.as_deref().unwrap_or("(no name yet)");
        let turns = if context.turn_count == 1 {
            "1 turn".to_owned()
        } else {
            format!("{} turns", context.turn_count)
        };
        format!(
            "{}. **{}**, {turns}, {}{active}",
            place + 1,
            inline(name),
            age(context.last_user_interaction_at, now)
        )
    });
    Ok(Done::say(format!(
        "{}\n\n`/switch` NAME or number goes on with one.",
        lines.collect::<Vec<_>>().join("\n")
    )))
}

pub(super) async fn switch(tx: &mut Tx, wanted: &str, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let known = contexts::of_channel(tx, channel.id, LISTED).await?;
    let lower = wanted.to_lowercase();
    let by_number = wanted
        .parse::<usize>()
        .ok()
        .and_then(|number| known.get(number.checked_sub(1)?));
    let named = |whole: bool| {
        known.iter().find(|context| {
            context.name.as_deref().is_some_and(|name| {
                let name = name.to_lowercase();
                if whole {
                    name == lower
                } else {
                    !lower.is_empty() && name.contains(&lower)
                }
            })
        })
    };
    let Some(context) = by_number.or_else(|| named(true)).or_else(|| named(false)) else {
        return Ok(Done::say(format!(
            "I find no conversation `{}` here. `/contexts` lists them.",
            inline(wanted)
        )));
    };
    contexts::touch(tx, context.id, now).await?;
    crate::store::channels::set_active_context(tx, channel.id, Some(context.id)).await?;
    Ok(Done::say(format!(
        "Going on with **{}**.",
        inline(context.name.as_deref().unwrap_or("(no name yet)"))
    )))
}

pub(super) async fn close(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let closed = match channel.active_context_id {
        Some(active) => closing::close(tx, active, now).await?,
        None => false,
    };
    Ok(Done::say(if closed {
        "Closed. Your next message starts a new conversation."
    } else {
        "There is no open conversation here."
    }))
}
