//! Messages and their edits.

use clifford_channel::{Addressed, Attachment, Edit, FORWARDED, Message, Place, Quoted, lenient};

use super::{Me, NameOf, Named, created_at, payload::Payload, speaker, text};

/// A message that somebody wrote; `None` for the bot's own and for Discord's notices (joins, pins, …).
pub(crate) fn message(
    payload: &Payload,
    me: Me,
    place: Place,
    name_of: NameOf<'_>,
    backfilled: bool,
) -> Option<Message> {
    let author = payload.author()?;
    let is_own = author.id == me.user || payload.application().is_some_and(|id| id == me.application);
    if is_own || !payload.is_written() {
        return None;
    }
    let answered = payload.answered();
    let content = payload.content().unwrap_or_default();
    let mentioned = payload.mentions().iter().any(|user| user.id == me.user) && text::names(&content, me.user);
    // People pick the role that Discord made for the bot as often as the bot itself.
    let by_role = me
        .role
        .is_some_and(|role| payload.roles().contains(&role) && text::names_role(&content, role));
    Some(Message {
        place,
        speaker: speaker(&author, payload.nick().as_deref(), payload.is_of_webhook()),
        id: payload.id.to_string(),
        text: match author.is_bot || payload.is_of_webhook() {
            // People's own messages have previews of their links there.
            true => with_embeds(text_of(payload, me, name_of), &payload.embedded()),
            false => text_of(payload, me, name_of),
        },
        sent_at: created_at(payload.id),
        reply_to: payload.answers().map(|(_, id)| id.to_string()),
        addressed: Addressed {
            // An answer to the bot is in `mentions` too: only what is written counts.
            mention: mentioned || by_role,
            reply: answered
                .as_ref()
                .and_then(Payload::author)
                .is_some_and(|author| author.id == me.user),
            in_thread: false,
        },
        attachments: all_attachments(payload),
        album: None,
        backfilled,
        via: None,
        quoted: quoted(payload, answered.as_ref(), me, name_of),
    })
}

/// An edit by the author; `None` for what Discord changed itself, such as the preview of a link.
pub(crate) fn edit(payload: &Payload, me: Me, place: Place, name_of: NameOf<'_>) -> Option<Edit> {
    let author = payload.author().filter(|author| author.id != me.user)?;
    payload.content()?;
    if !payload.is_edited() || !payload.is_written() {
        return None;
    }
    Some(Edit {
        place,
        speaker: speaker(&author, payload.nick().as_deref(), payload.is_of_webhook()),
        id: payload.id.to_string(),
        text: text_of(payload, me, name_of),
    })
}

/// The text, with those of the messages that it forwards.
fn text_of(payload: &Payload, me: Me, name_of: NameOf<'_>) -> String {
    let content = payload.content().unwrap_or_default();
    let said = text::readable(&content, me, &payload.mentions(), name_of);
    let own = with_embeds(said, &payload.described());
    let name = payload
        .forwarded_from()
        .and_then(|channel| name_of(Named::Origin(channel)));
    let origin = name.map(|name| {
        format!(
            " (from #{})",
            lenient::line(&name, 100).replace(['(', ')', '[', ']'], "")
        )
    });
    let forwarded = payload.forwarded().into_iter().map(|forwarded| {
        let said = text::readable(&forwarded.content(), me, &forwarded.mentions(), name_of);
        let told = with_embeds(with_embeds(said, &forwarded.described()), &forwarded.embedded());
        let origin = origin.as_deref().unwrap_or_default();
        format!("{FORWARDED}{origin} {told}").trim_end().to_owned()
    });
    let all = std::iter::once(own).filter(|own| !own.is_empty()).chain(forwarded);
    all.collect::<Vec<_>>().join("\n")
}

/// The files of a message and of those that it forwards.
fn all_attachments(payload: &Payload) -> Vec<Attachment> {
    let mut attachments = payload.attachments();
    for forwarded in payload.forwarded() {
        attachments.extend(forwarded.attachments());
    }
    attachments
}

fn with_embeds(said: String, embedded: &str) -> String {
    match (said.is_empty(), embedded.is_empty()) {
        (_, true) => said,
        (true, false) => embedded.to_owned(),
        (false, false) => format!("{said}\n{embedded}"),
    }
}

/// The message that this one answers, as far as Discord tells.
fn quoted(payload: &Payload, answered: Option<&Payload>, me: Me, name_of: NameOf<'_>) -> Option<Quoted> {
    let (_, id) = payload.answers()?;
    if answered.is_some_and(Payload::is_starter) {
        // It says nothing itself: who answers it there answers the message at which the thread begins.
        return None;
    }
    let Some(answered) = answered else {
        return Some(Quoted {
            id: Some(id.to_string()),
            ..Quoted::default()
        });
    };
    Some(Quoted {
        id: Some(id.to_string()),
        ..quote(answered, me, name_of)
    })
}

/// A message as another one quotes it.
pub(crate) fn quote(answered: &Payload, me: Me, name_of: NameOf<'_>) -> Quoted {
    let author = answered.author();
    Quoted {
        id: Some(answered.id.to_string()),
        is_own: author.as_ref().is_some_and(|author| author.id == me.user),
        author_id: author.as_ref().map(|author| author.id.to_string()),
        author: author.map(|author| author.name().to_owned()).unwrap_or_default(),
        text: with_embeds(text_of(answered, me, name_of), &answered.embedded()),
        is_part: false,
        attachments: all_attachments(answered),
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
