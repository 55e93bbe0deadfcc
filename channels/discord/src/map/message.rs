//! Messages and their edits.

use clifford_channel::{Addressed, Attachment, Edit, FORWARDED, Message, Place};
use serenity::model::{
    channel::{Message as Payload, MessageType},
    event::MessageUpdateEvent,
};

use super::{ChannelName, Me, created_at, speaker, text};

/// A message that somebody wrote; `None` for the bot's own and for Discord's notices (joins, pins, …).
pub(crate) fn message(
    payload: &Payload,
    me: Me,
    place: Place,
    channel_name: ChannelName<'_>,
    backfilled: bool,
) -> Option<Message> {
    let is_own =
        payload.author.id.get() == me.user || payload.application_id.is_some_and(|id| id.get() == me.application);
    if is_own || !is_written(payload.kind) {
        return None;
    }
    let nick = payload.member.as_ref().and_then(|member| member.nick.as_deref());
    let reply_to = payload
        .message_reference
        .as_ref()
        .filter(|_| payload.kind == MessageType::InlineReply);
    let answered = payload
        .referenced_message
        .as_ref()
        .filter(|_| payload.kind == MessageType::InlineReply);
    let mentioned = payload.mentions.iter().any(|user| user.id.get() == me.user);
    Some(Message {
        place,
        speaker: speaker(&payload.author, nick, payload.webhook_id.is_some()),
        id: payload.id.to_string(),
        text: text_of(payload, me, channel_name),
        sent_at: created_at(payload.id.get()),
        reply_to: reply_to
            .and_then(|reference| reference.message_id)
            .map(|id| id.to_string()),
        addressed: Addressed {
            // An answer to the bot is in `mentions` too: only what is written counts.
            mention: mentioned && text::names(&payload.content, me.user),
            reply: answered.is_some_and(|message| message.author.id.get() == me.user),
        },
        attachments: payload.attachments.iter().map(attachment).collect(),
        album: None,
        backfilled,
        via: None,
    })
}

/// An edit by the author; `None` for what Discord changed itself, such as the preview of a link.
pub(crate) fn edit(payload: &MessageUpdateEvent, me: Me, place: Place, channel_name: ChannelName<'_>) -> Option<Edit> {
    let author = payload.author.as_ref().filter(|author| author.id.get() != me.user)?;
    let content = payload.content.as_ref()?;
    payload.edited_timestamp?;
    if !payload.kind.is_none_or(is_written) {
        return None;
    }
    let nick = payload
        .member
        .iter()
        .flatten()
        .find_map(|member| member.nick.as_deref());
    let mentions = payload.mentions.as_deref().unwrap_or_default();
    Some(Edit {
        place,
        speaker: speaker(author, nick, payload.webhook_id.flatten().is_some()),
        id: payload.id.to_string(),
        text: text::readable(content, me, mentions, channel_name),
    })
}

/// Messages that people and bots write, not Discord's notices.
fn is_written(kind: MessageType) -> bool {
    matches!(
        kind,
        MessageType::Regular | MessageType::InlineReply | MessageType::ChatInputCommand
    )
}

/// The text; that of the original where a message was forwarded without a word.
fn text_of(payload: &Payload, me: Me, channel_name: ChannelName<'_>) -> String {
    let own = text::readable(&payload.content, me, &payload.mentions, channel_name);
    match payload.message_snapshots.first() {
        Some(forwarded) if own.is_empty() => {
            let text = text::readable(&forwarded.content, me, &forwarded.mentions, channel_name);
            format!("{FORWARDED} {text}").trim_end().to_owned()
        }
        _ => own,
    }
}

fn attachment(payload: &serenity::model::channel::Attachment) -> Attachment {
    let media_type = payload.content_type.clone();
    let kind = match media_type.as_deref().and_then(|kind| kind.split('/').next()) {
        // Only voice messages carry the shape of their sound.
        Some("audio") if payload.waveform.is_some() => "voice",
        Some("audio") => "audio",
        Some("image") => "photo",
        Some("video") => "video",
        _ => "document",
    };
    Attachment {
        kind: kind.to_owned(),
        id: payload.url.clone(),
        name: Some(payload.filename.clone()),
        media_type,
        size: Some(u64::from(payload.size)),
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
