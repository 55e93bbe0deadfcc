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

use super::{Done, age};

/// How many messages are shown.
const SHOWN: u32 = 8;

pub(super) async fn search(
    tx: &mut Tx,
    question: &str,
    channel: &Channel,
    user: &User,
    zone: &jiff::tz::TimeZone,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let asked = SearchInput {
        text: question,
        ..SearchInput::default()
    };
    let scope = Scope::of(Some(user.id), Some(channel));
    let Ok(request) = Request::read(asked, scope, zone.clone(), now) else {
        return Ok(Done::say(
            "What shall I look for? Give me a few words: `/search cat name`.",
        ));
    };
    let request = Request {
        limit: SHOWN,
        form: Form::Markdown,
        ..request
    };
    let found = clifford_content::search::find::find_within(tx, request).await?;
    if found.items.is_empty() {
        return Ok(Done::say("I found nothing of that here."));
    }
    let mut lines = vec!["This is what I found:".to_owned()];
    lines.extend(found.items.iter().map(|found| line(found, now)));
    if found.next.is_some() {
        lines.push("There is more. Name a date, or \"quote\" what must be there.".to_owned());
    }
    Ok(Done::say(lines.join("\n")))
}

fn line(found: &SearchHit, now: Timestamp) -> String {
    let message = &found.message;
    let speaker = match message.direction {
        Direction::Inbound => "",
        Direction::Outbound => "I: ",
    };
    let conversation = message.context_name.as_deref().unwrap_or_default();
    let of = if conversation.is_empty() {
        String::new()
    } else {
        format!(", {}", inline(conversation))
    };
    format!("- {}{of}: {speaker}{}", age(message.created_at, now), found.snippet)
}
