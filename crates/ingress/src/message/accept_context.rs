//! A message with all that its transaction needs.

use std::time::Duration;

use clifford_chat::inbound::Attachment;
use clifford_core::{
    access::{Audience, Entry},
    clock::Timestamp,
    id::WorkerId,
    places::Mode,
    settings::RateLimit,
};
use clifford_delivery::outbound::Outbound;
use clifford_store::places::place_settings::PlaceSettings;

use crate::{IngressService, IngressSettings, Origin, pace::Limited, quoted::Found};

/// A message, with all that its transaction needs.
pub(crate) struct AcceptContext {
    pub origin: Origin,
    /// The name in front of what is said, where others speak too.
    pub called: String,
    /// The platform's id of it.
    pub id: Option<String>,
    /// An API caller's key.
    pub key: Option<String>,
    /// The SHA-256 of what they sent with it.
    pub request_hash: Option<String>,
    pub text: String,
    pub sent_at: Timestamp,
    pub attachments: Vec<Attachment>,
    /// The message that it answers.
    pub quoted: Found,
    pub album: Option<String>,
    pub backfilled: bool,
    /// Decided already (a token let them in).
    pub entry: Option<Entry>,
    pub audience: Audience,
    /// It speaks to the bot.
    pub is_addressed: bool,
    /// It does so, or stands in a thread where everything is heard.
    pub is_heard: bool,
    pub settings: IngressSettings,
    pub outbound: Outbound,
    pub worker: WorkerId,
    pub lease: Duration,
    /// How its sender wants it to be answered, if they said so.
    pub mode: Option<Mode>,
    /// The defaults for places without settings of their own.
    pub defaults: PlaceSettings,
    pub limited: Limited,
    /// The limits of messages that hold for its sender and place.
    pub limits: Vec<RateLimit>,
    pub now: Timestamp,
}

impl AcceptContext {
    /// A message without anything but its words, that nobody has let in and that does not speak to the bot.
    pub(crate) fn new(
        service: &IngressService,
        origin: Origin,
        (called, text): (String, String),
        now: Timestamp,
    ) -> Self {
        Self {
            origin,
            called,
            id: None,
            key: None,
            request_hash: None,
            text,
            sent_at: now,
            attachments: Vec::new(),
            quoted: Found::default(),
            album: None,
            backfilled: false,
            entry: None,
            audience: Audience::default(),
            is_addressed: false,
            is_heard: false,
            settings: service.settings.clone(),
            outbound: service.context.delivery.outbound().clone(),
            worker: service.context.worker(),
            lease: service.context.settings.engine().lease,
            mode: None,
            defaults: service.context.settings.defaults(),
            limited: Limited::No,
            limits: Vec::new(),
            now,
        }
    }
}
