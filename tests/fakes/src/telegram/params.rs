//! A request's parameters, and which ones each method knows: <https://core.telegram.org/bots/api#available-methods>

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::header,
};
use serde_json::{Map, Value};

use super::{Chat, Document, Method, answer::Refusal};

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Text,
    Flag,
    Object,
    List,
    /// A number, or the name of a channel.
    ChatId,
    /// A file, or the id of one.
    File,
}

use Kind::{ChatId, File, Flag, Integer, List, Object, Text};

const UPDATES: &[(&str, Kind)] = &[
    ("offset", Integer),
    ("limit", Integer),
    ("timeout", Integer),
    ("allowed_updates", List),
];
const WEBHOOK: &[(&str, Kind)] = &[
    ("url", Text),
    ("certificate", File),
    ("ip_address", Text),
    ("max_connections", Integer),
    ("allowed_updates", List),
    ("drop_pending_updates", Flag),
    ("secret_token", Text),
];
const MESSAGE: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("ephemeral_message_parameters", Object),
    ("message_thread_id", Integer),
    ("text", Text),
    ("parse_mode", Text),
    ("entities", List),
    ("link_preview_options", Object),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    ("reply_markup", Object),
];
const RICH: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("ephemeral_message_parameters", Object),
    ("message_thread_id", Integer),
    ("rich_message", Object),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    ("reply_markup", Object),
];
const VOICE: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("ephemeral_message_parameters", Object),
    ("message_thread_id", Integer),
    ("voice", File),
    ("caption", Text),
    ("parse_mode", Text),
    ("caption_entities", List),
    ("duration", Integer),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    ("reply_markup", Object),
];
const PHOTO: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("ephemeral_message_parameters", Object),
    ("message_thread_id", Integer),
    ("photo", File),
    ("caption", Text),
    ("parse_mode", Text),
    ("caption_entities", List),
    ("show_caption_above_media", Flag),
    ("has_spoiler", Flag),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    ("reply_markup", Object),
];
const MEDIA_GROUP: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_thread_id", Integer),
    ("media", List),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    // Files are named by `attach://`.
    ("file0", File),
    ("file1", File),
    ("file2", File),
    ("file3", File),
    ("file4", File),
    ("file5", File),
    ("file6", File),
    ("file7", File),
    ("file8", File),
    ("file9", File),
];
const REACTION: &[(&str, Kind)] = &[
    ("chat_id", ChatId),
    ("message_id", Integer),
    ("reaction", List),
    ("is_big", Flag),
];
const DOCUMENT: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("ephemeral_message_parameters", Object),
    ("message_thread_id", Integer),
    ("document", File),
    ("thumbnail", File),
    ("caption", Text),
    ("parse_mode", Text),
    ("caption_entities", List),
    ("disable_content_type_detection", Flag),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("allow_paid_broadcast", Flag),
    ("message_effect_id", Text),
    ("reply_parameters", Object),
    ("reply_markup", Object),
];
const ACTION: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_thread_id", Integer),
    ("action", Text),
];
const DRAFT: &[(&str, Kind)] = &[
    ("chat_id", Integer),
    ("message_thread_id", Integer),
    ("draft_id", Integer),
    ("text", Text),
    ("parse_mode", Text),
    ("entities", List),
    ("can_stop", Flag),
    ("keep_on_stop", Flag),
];
const EDIT: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_id", Integer),
    ("inline_message_id", Text),
    ("rich_message", Object),
    ("text", Text),
    ("parse_mode", Text),
    ("entities", List),
    ("link_preview_options", Object),
    ("reply_markup", Object),
];
const COMMANDS: &[(&str, Kind)] = &[("commands", List), ("scope", Object), ("language_code", Text)];
const ANSWER: &[(&str, Kind)] = &[
    ("callback_query_id", Text),
    ("text", Text),
    ("show_alert", Flag),
    ("url", Text),
    ("cache_time", Integer),
];
const PIN: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_id", Integer),
    ("disable_notification", Flag),
];
const UNPIN: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_id", Integer),
];
const POLL: &[(&str, Kind)] = &[
    ("business_connection_id", Text),
    ("chat_id", ChatId),
    ("message_thread_id", Integer),
    ("question", Text),
    ("question_parse_mode", Text),
    ("options", List),
    ("is_anonymous", Flag),
    ("type", Text),
    ("allows_multiple_answers", Flag),
    ("open_period", Integer),
    ("disable_notification", Flag),
    ("protect_content", Flag),
    ("reply_parameters", Object),
];
const TOPIC: &[(&str, Kind)] = &[
    ("chat_id", ChatId),
    ("name", Text),
    ("icon_color", Integer),
    ("icon_custom_emoji_id", Text),
];
const TOPIC_EDIT: &[(&str, Kind)] = &[
    ("chat_id", ChatId),
    ("message_thread_id", Integer),
    ("name", Text),
    ("icon_custom_emoji_id", Text),
];
const REPLY: &[&str] = &[
    "message_id",
    "ephemeral_message_id",
    "chat_id",
    "allow_sending_without_reply",
    "quote",
    "quote_parse_mode",
    "quote_entities",
    "quote_position",
];

const fn known(method: Method) -> &'static [(&'static str, Kind)] {
    match method {
        Method::GetMe | Method::GetWebhookInfo => &[],
        Method::GetUpdates => UPDATES,
        Method::SendMessage => MESSAGE,
        Method::SendDocument => DOCUMENT,
        Method::SendPhoto => PHOTO,
        Method::SendVoice => VOICE,
        Method::SendMediaGroup => MEDIA_GROUP,
        Method::SetMessageReaction => REACTION,
        Method::SendChatAction => ACTION,
        Method::EditMessageText => EDIT,
        Method::SetMyCommands => COMMANDS,
        Method::GetMyCommands => &[("scope", Object), ("language_code", Text)],
        Method::SetWebhook => WEBHOOK,
        Method::DeleteWebhook => &[("drop_pending_updates", Flag)],
        Method::GetChat => &[("chat_id", ChatId)],
        Method::AnswerCallbackQuery => ANSWER,
        Method::SendMessageDraft => DRAFT,
        Method::GetChatMember => &[("chat_id", ChatId), ("user_id", Integer)],
        Method::PinChatMessage => PIN,
        Method::UnpinChatMessage => UNPIN,
        Method::DeleteMessage => &[("chat_id", ChatId), ("message_id", Integer)],
        Method::SendPoll => POLL,
        Method::CreateForumTopic => TOPIC,
        Method::EditForumTopic => TOPIC_EDIT,
        Method::GetFile => &[("file_id", Text)],
        Method::SendRichMessage => RICH,
        Method::AnswerGuestQuery => &[("guest_query_id", Text), ("result", Object)],
    }
}

/// The parameters of one request.
#[derive(Debug, Default)]
pub(super) struct Params {
    pub(super) values: Map<String, Value>,
    pub(super) files: Vec<(String, Document)>,
}

impl Params {
    /// Reads them from a JSON or multipart body.
    pub(super) async fn read(request: Request) -> Result<Self, Refusal> {
        let kind = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        if kind.starts_with("multipart/form-data") {
            return Self::read_form(request).await;
        }
        let body = bytes::Bytes::from_request(request, &())
            .await
            .map_err(|error| Refusal::violation(format!("can't read the body: {error}")))?;
        if body.is_empty() {
            return Ok(Self::default());
        }
        let values = serde_json::from_slice(&body).map_err(|_| Refusal::violation("can't parse JSON object"))?;
        Ok(Self {
            values,
            files: Vec::new(),
        })
    }

    async fn read_form(request: Request) -> Result<Self, Refusal> {
        let broken = |error: &dyn std::fmt::Display| Refusal::violation(format!("can't read the form: {error}"));
        let mut form = Multipart::from_request(request, &())
            .await
            .map_err(|error| broken(&error))?;
        let mut params = Self::default();
        while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
            let name = field.name().unwrap_or_default().to_owned();
            if let Some(file) = field.file_name().map(str::to_owned) {
                let content = field.bytes().await.map_err(|error| broken(&error))?.to_vec();
                params.files.push((name, Document { name: file, content }));
            } else {
                let text = field.text().await.map_err(|error| broken(&error))?;
                params.values.insert(name, Value::String(text));
            }
        }
        Ok(params)
    }

    /// Refuses what the method does not know, and what has the wrong type. Forms carry everything as
    /// text, so texts that read as the right type are turned into it.
    pub(super) fn check(&mut self, method: Method) -> Result<(), Refusal> {
        let known = known(method);
        for (name, value) in &mut self.values {
            let Some((_, kind)) = known.iter().find(|(known, _)| known == name) else {
                return Err(Refusal::violation(format!("unknown parameter `{name}` of {method}")));
            };
            if !fits(*kind, value) {
                return Err(Refusal::violation(format!(
                    "parameter `{name}` has the wrong type: {value}"
                )));
            }
        }
        for (name, _) in &self.files {
            if !known.contains(&(name.as_str(), File)) {
                return Err(Refusal::violation(format!("unknown file `{name}` of {method}")));
            }
        }
        let reply = self.values.get("reply_parameters").and_then(Value::as_object);
        match reply.and_then(|reply| reply.keys().find(|key| !REPLY.contains(&key.as_str()))) {
            Some(key) => Err(Refusal::violation(format!("unknown field `{key}` of reply_parameters"))),
            None => Ok(()),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        self.values.get(name)?.as_i64()
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// The chat that the request names; `None` for a channel's name, since there are none.
    pub(super) fn chat(&self) -> Option<Chat> {
        Some(Chat {
            id: self.integer("chat_id")?,
            thread: self.integer("message_thread_id"),
        })
    }
}

fn fits(kind: Kind, value: &mut Value) -> bool {
    if let Value::String(text) = value
        && !matches!(kind, Text | File)
        && let Ok(read) = serde_json::from_str::<Value>(text)
    {
        *value = read;
    }
    match kind {
        Integer => value.is_i64(),
        Text | File => value.is_string(),
        Flag => value.is_boolean(),
        Object => value.is_object(),
        List => value.is_array(),
        ChatId => value.is_i64() || value.as_str().is_some_and(|name| name.starts_with('@')),
    }
}
