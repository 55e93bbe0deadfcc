//! `/search`: a search over earlier messages, as far as the chat may show them.

use clifford_content::search::find::SearchHit;
use clifford_core::{
    clock::Timestamp,
    messages::Direction,
    people::User,
    places::Channel,
    search::{Form, Request, Scope, SearchInput},
};
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx};
use clifford_text::{Chats, Lang};

use super::{Done, age};

/// How many messages are shown.
const SHOWN: u32 = 8;

pub(super) async fn search(
    tx: &mut Tx,
    question: &str,
    channel: &Channel,
    user: &User,
    zone: &jiff::tz::TimeZone,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let asked = SearchInput {
        text: question,
        ..SearchInput::default()
    };
    let scope = Scope::of(Some(user.id), Some(channel));
    let Ok(request) = Request::read(asked, scope, zone.clone(), now) else {
        return Ok(Done::say(lang.say(Chats::WhatToLookFor)));
    };
    let request = Request {
        limit: SHOWN,
        form: Form::Markdown,
        ..request
    };
    let found = clifford_content::search::find::find_within(tx, request).await?;
    if found.items.is_empty() {
        return Ok(Done::say(lang.say(Chats::FoundNothing)));
    }
    let mut lines = vec![lang.say(Chats::Found)];
    lines.extend(found.items.iter().map(|found| line(found, lang, now)));
    if found.next.is_some() {
        lines.push(lang.say(Chats::MoreFound));
    }
    Ok(Done::say(lines.join("\n")))
}

fn line(found: &SearchHit, lang: Lang, now: Timestamp) -> String {
    let message = &found.message;
    let speaker = match message.direction {
        Direction::Inbound => String::new(),
        Direction::Outbound => format!("{} ", lang.say(Chats::SaidByMe)),
    };
    let conversation = message.context_name.as_deref().unwrap_or_default();
    let of = if conversation.is_empty() {
        String::new()
    } else {
        format!(", {}", inline(conversation))
    };
    let when = format!("{}{of}", age(message.created_at, now, lang));
    format!("- {}", lang.labelled(&when, &format!("{speaker}{}", found.snippet)))
}
