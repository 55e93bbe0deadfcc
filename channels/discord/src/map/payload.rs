//! A message as Discord describes it, read leniently: a field that is missing or has another type counts as absent.

use clifford_channel::{Attachment, lenient};
use serde_json::Value;
use serenity::model::channel::{MessageReferenceKind, MessageType};

use super::embedded::{described, embedded};

/// A message, or what changed of one.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    pub(crate) id: u64,
    pub(crate) channel: u64,
    pub(crate) guild: Option<u64>,
    value: Value,
}

/// An account as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) id: u64,
    pub(crate) username: String,
    pub(crate) global_name: Option<String>,
    pub(crate) is_bot: bool,
}

impl Account {
    /// Reads one by its id: a name that cannot be read is that.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let id = id(value, "id")?;
        Some(Self {
            id,
            username: lenient::name(value, "username").unwrap_or_else(|| id.to_string()),
            global_name: lenient::name(value, "global_name"),
            is_bot: lenient::flag(value, "bot"),
        })
    }

    /// The name that people see.
    pub(crate) fn name(&self) -> &str {
        self.global_name.as_deref().unwrap_or(&self.username)
    }
}

impl Payload {
    /// Reads a message that somebody wrote.
    ///
    /// # Errors
    /// It has no id, channel or author.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let read = Self::read_change(json)?;
        read.author().ok_or("it has no author")?;
        Ok(read)
    }

    /// Reads what changed of a message.
    ///
    /// # Errors
    /// It has no id or channel.
    pub(crate) fn read_change(json: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))?;
        Self::of(value)
    }

    /// As [`Self::read_change`].
    pub(crate) fn of(value: Value) -> Result<Self, String> {
        Ok(Self {
            id: id(&value, "id").ok_or("it has no id")?,
            channel: id(&value, "channel_id").ok_or("it has no channel")?,
            guild: id(&value, "guild_id"),
            value,
        })
    }

    pub(crate) fn author(&self) -> Option<Account> {
        Account::read(lenient::object(&self.value, "author")?)
    }

    pub(crate) fn nick(&self) -> Option<String> {
        lenient::name(lenient::object(&self.value, "member")?, "nick")
    }

    /// The roles of its author; `None`: Discord does not tell them, as of what is read from the history.
    pub(crate) fn author_roles(&self) -> Option<Vec<u64>> {
        lenient::object(&self.value, "member").map(roles)
    }

    pub(crate) fn is_of_webhook(&self) -> bool {
        id(&self.value, "webhook_id").is_some()
    }

    pub(crate) fn application(&self) -> Option<u64> {
        id(&self.value, "application_id")
    }

    /// Whether people and bots write such messages: all others are Discord's notices.
    pub(crate) fn is_written(&self) -> bool {
        self.kind().is_none_or(|kind| {
            matches!(
                kind,
                MessageType::Regular
                    | MessageType::InlineReply
                    | MessageType::ChatInputCommand
                    | MessageType::ContextMenuCommand
            )
        })
    }

    /// Whether it is the first of a thread, which shows the message at which that begins.
    pub(crate) fn is_starter(&self) -> bool {
        self.kind() == Some(MessageType::ThreadStarterMessage)
    }

    fn kind(&self) -> Option<MessageType> {
        let kind = lenient::int(&self.value, "type")?;
        u8::try_from(kind).ok().map(MessageType::from)
    }

    pub(crate) fn is_edited(&self) -> bool {
        lenient::text(&self.value, "edited_timestamp").is_some()
    }

    /// Whether nothing that it says is told: where Discord withholds it, it may say anything.
    pub(crate) fn says_nothing(&self) -> bool {
        self.content().is_none_or(|text| text.is_empty())
            && self.attachments().is_empty()
            && self.forwarded().is_empty()
    }

    /// Its text; `None` where Discord does not tell it.
    pub(crate) fn content(&self) -> Option<String> {
        lenient::text(&self.value, "content")
    }

    pub(crate) fn mentions(&self) -> Vec<Account> {
        mentions(&self.value)
    }

    /// The roles that it mentions.
    pub(crate) fn roles(&self) -> Vec<u64> {
        let roles = lenient::list(&self.value, "mention_roles").iter();
        roles.filter_map(lenient::whole).collect()
    }

    pub(crate) fn attachments(&self) -> Vec<Attachment> {
        attachments(&self.value)
    }

    fn reference(&self) -> Option<&Value> {
        lenient::object(&self.value, "message_reference")
    }

    /// The channel and id of the message that it answers.
    pub(crate) fn answers(&self) -> Option<(u64, u64)> {
        let reference = self
            .reference()
            .filter(|_| self.kind() == Some(MessageType::InlineReply))?;
        let channel = id(reference, "channel_id").unwrap_or(self.channel);
        Some((channel, id(reference, "message_id")?))
    }

    /// The message that it answers, if Discord tells it.
    pub(crate) fn answered(&self) -> Option<Self> {
        self.answers()?;
        let mut answered = lenient::object(&self.value, "referenced_message")?.clone();
        if id(&answered, "channel_id").is_none() {
            answered["channel_id"] = Value::String(self.channel.to_string());
        }
        Self::of(answered).ok()
    }

    /// Whether Discord says nothing of the message that it answers, not even that it is gone.
    pub(crate) fn answered_is_untold(&self) -> bool {
        self.answers().is_some() && self.value.get("referenced_message").is_none()
    }

    /// Puts in what Discord did not tell of the message that it answers.
    pub(crate) fn with_answered(&mut self, answered: Value) {
        if let Some(fields) = self.value.as_object_mut() {
            fields.insert("referenced_message".to_owned(), answered);
        }
    }

    /// The messages that it forwards.
    pub(crate) fn forwarded(&self) -> Vec<Forwarded<'_>> {
        let snapshots = lenient::list(&self.value, "message_snapshots").iter();
        snapshots
            .map(|snapshot| Forwarded(lenient::object(snapshot, "message").unwrap_or(snapshot)))
            .collect()
    }

    /// The channel that a forwarded message comes from.
    pub(crate) fn forwarded_from(&self) -> Option<u64> {
        let reference = self.reference()?;
        let is_forward = lenient::int(reference, "type") == Some(i64::from(u8::from(MessageReferenceKind::Forward)))
            || !self.forwarded().is_empty();
        id(reference, "channel_id").filter(|_| is_forward)
    }

    /// The text of its embeds and components, which is all that a message of a bot may have.
    pub(crate) fn embedded(&self) -> String {
        embedded(&self.value)
    }

    /// Its files in the words of whoever sent them, where they described them.
    pub(crate) fn described(&self) -> String {
        described(&self.value)
    }
}

/// The snapshot of a message that was forwarded.
pub(crate) struct Forwarded<'a>(&'a Value);

impl Forwarded<'_> {
    pub(crate) fn content(&self) -> String {
        lenient::text(self.0, "content").unwrap_or_default()
    }

    pub(crate) fn mentions(&self) -> Vec<Account> {
        mentions(self.0)
    }

    pub(crate) fn attachments(&self) -> Vec<Attachment> {
        attachments(self.0)
    }

    pub(crate) fn embedded(&self) -> String {
        embedded(self.0)
    }

    pub(crate) fn described(&self) -> String {
        described(self.0)
    }
}

/// A snowflake, as a text or a number.
pub(crate) fn id(value: &Value, name: &str) -> Option<u64> {
    lenient::whole(value.get(name)?)
}

fn mentions(value: &Value) -> Vec<Account> {
    lenient::list(value, "mentions")
        .iter()
        .filter_map(Account::read)
        .collect()
}

/// Files, and the attachments that are none: stickers, polls and invitations to an activity.
fn attachments(value: &Value) -> Vec<Attachment> {
    let files = lenient::list(value, "attachments").iter().filter_map(attachment);
    let stickers = lenient::list(value, "sticker_items").iter();
    let stickers = stickers.filter_map(|sticker| Some(card("sticker", lenient::name(sticker, "name")?)));
    let poll = lenient::object(value, "poll").map(|poll| card("poll", of_poll(poll)));
    let activity = lenient::object(value, "activity").map(|_| {
        let name = lenient::object(value, "application").and_then(|activity| lenient::name(activity, "name"));
        card("activity", name.unwrap_or_default())
    });
    files.chain(stickers).chain(poll).chain(activity).collect()
}

/// The question of a poll and its answers. An answer may be an emoji alone.
fn of_poll(poll: &Value) -> String {
    let question = lenient::object(poll, "question").and_then(|question| lenient::name(question, "text"));
    let answers = lenient::list(poll, "answers").iter().filter_map(|answer| {
        let media = lenient::object(answer, "poll_media")?;
        let emoji = lenient::object(media, "emoji").and_then(|emoji| lenient::name(emoji, "name"));
        let parts: Vec<_> = [emoji, lenient::name(media, "text")].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    });
    let answers = Some(answers.collect::<Vec<_>>().join(" / ")).filter(|answers| !answers.is_empty());
    let told: Vec<_> = [question, answers].into_iter().flatten().collect();
    told.join(" — ")
}

/// A file that came with a message or a command.
pub(crate) fn attachment(file: &Value) -> Option<Attachment> {
    if !file.is_object() {
        return None;
    }
    let media_type = lenient::name(file, "content_type");
    let kind = match media_type.as_deref().and_then(|kind| kind.split('/').next()) {
        // Only voice messages carry the shape of their sound.
        Some("audio") if lenient::name(file, "waveform").is_some() => "voice",
        Some("audio") => "audio",
        Some("image") => "photo",
        Some("video") => "video",
        _ => "document",
    };
    Some(Attachment {
        kind: kind.to_owned(),
        // A file without an address can only be told of.
        id: lenient::name(file, "url").unwrap_or_default(),
        name: lenient::name(file, "filename"),
        media_type,
        size: lenient::size(file, "size"),
        seconds: lenient::number(file, "duration_secs").and_then(seconds),
    })
}

fn card(kind: &str, told: String) -> Attachment {
    Attachment {
        kind: kind.to_owned(),
        id: String::new(),
        name: Some(lenient::line(&told, 1_000)).filter(|told| !told.is_empty()),
        media_type: None,
        size: None,
        seconds: None,
    }
}

/// Whole seconds; one that has begun counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is within the bounds of a number of seconds"
)]
fn seconds(told: f64) -> Option<u32> {
    let whole = told.ceil();
    (0.0..=f64::from(u32::MAX)).contains(&whole).then_some(whole as u32)
}
/// The ids of a member's roles.
pub(crate) fn roles(member: &Value) -> Vec<u64> {
    lenient::list(member, "roles")
        .iter()
        .filter_map(lenient::whole)
        .collect()
}
