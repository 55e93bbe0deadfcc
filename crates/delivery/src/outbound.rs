//! Outbound messages: rendered for their platform, and stored with their cause.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use clifford_channel::Channel;
use clifford_chat::{
    outbound::{Address, Button, DeliveryKey, Limits, Part, Payload},
    platform::Platform,
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId, WorkerId},
    places,
    run::attachments::AttachedFile,
};
use clifford_markup::is_blank;
use clifford_store::{
    StoreError, Tx,
    messages::{self, NewOutbound, outbox::Outgoing},
    people::reading,
};
use clifford_text::Outcome;
use clifford_vault::Masker;
use sha2::{Digest, Sha256};

use crate::rendering::{as_file, as_one, rendered};

/// Sent in the place of a text of which nothing can be seen, which no platform takes. Runs are told of such a text before
/// (`core/run/reading.rs`): this is for what nobody could be told of.
const NOTHING_SEEN: &str = "…";

/// The name of an answer that goes as a file.
pub(crate) const ANSWER_FILE: &str = "answer.md";

/// How outbound messages are made.
#[derive(Clone)]
pub struct Outbound {
    channels: BTreeMap<Platform, Arc<dyn Channel>>,
    /// More parts than this go as a file.
    max_parts: u32,
    worker: WorkerId,
    lease: Duration,
    /// Whether a part that may have arrived is sent again where the platform cannot drop the repeat.
    resend_ambiguous: bool,
    masker: Arc<Masker>,
}

/// Whether the first part of a message is marked when it is tried: where what may have arrived is never sent again. It
/// costs a commit more, and nothing that only waited for its turn counts as sent after a crash.
pub(crate) const fn marks_first(drops_repeats: bool, resend_ambiguous: bool) -> bool {
    !drops_repeats && !resend_ambiguous
}

/// The recipient of a message.
#[derive(Clone, Debug)]
pub struct To {
    /// The platform.
    pub platform: Platform,
    /// The channel.
    pub channel: ChannelId,
    /// The conversation.
    pub context: Option<ContextId>,
    /// The person who is answered.
    pub user: Option<UserId>,
    /// The run that says it.
    pub run: Option<RunId>,
    /// The same in the platform's terms.
    pub address: Address,
}

impl To {
    /// Everybody in a channel, outside of its conversations.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`]: its platform is none.
    pub fn everybody_in(channel: &places::Channel) -> Result<Self, StoreError> {
        Ok(Self {
            platform: channel.platform().map_err(StoreError::Corrupt)?,
            channel: channel.id,
            context: None,
            user: None,
            run: None,
            address: channel.address(),
        })
    }
}

/// Buttons and files below a message of a run.
#[derive(Clone, Debug, Default)]
pub struct Below<'a> {
    /// Buttons.
    pub buttons: Vec<Button>,
    /// Files that go with it.
    pub files: &'a [AttachedFile],
}

/// A message that this process holds and is to deliver once its transaction is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingDelivery {
    /// The message.
    pub message: Outgoing,
    /// Its parts: key and content.
    pub parts: Vec<(String, Part)>,
}

impl fmt::Debug for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbound")
            .field("platforms", &self.channels.keys())
            .finish_non_exhaustive()
    }
}

impl Outbound {
    /// Makes messages for these platforms; what it makes is this worker's to deliver.
    pub(crate) const fn new(
        channels: BTreeMap<Platform, Arc<dyn Channel>>,
        max_parts: u32,
        worker: WorkerId,
        lease: Duration,
        resend_ambiguous: bool,
        masker: Arc<Masker>,
    ) -> Self {
        Self {
            channels,
            max_parts,
            worker,
            lease,
            resend_ambiguous,
            masker,
        }
    }

    /// Makes messages in a process that delivers none: the first process that serves the platform takes them.
    pub fn without_platforms() -> Self {
        Self::new(
            BTreeMap::new(),
            1,
            WorkerId::new(),
            Duration::ZERO,
            true,
            Arc::default(),
        )
    }

    /// The limits of a platform, if this process serves it and somebody attends it.
    pub fn limits(&self, platform: Platform) -> Option<Limits> {
        let channel = self.channels.get(&platform)?;
        channel.is_attended().then(|| channel.limits())
    }

    /// Hides secrets.
    pub const fn masker(&self) -> &Arc<Masker> {
        &self.masker
    }

    /// Renders a message. It is this process's to deliver, if this process serves the platform.
    pub fn message(&self, to: To, text: &str, now: Timestamp) -> (NewOutbound, Option<PendingDelivery>) {
        self.message_with(to, text, Vec::new(), None, now)
    }

    /// The same, with buttons below its last part, and a file (its name and content) behind that.
    pub fn message_with(
        &self,
        to: To,
        text: &str,
        buttons: Vec<Button>,
        file: Option<(String, String)>,
        now: Timestamp,
    ) -> (NewOutbound, Option<PendingDelivery>) {
        let id = MessageId::new();
        let name = URL_SAFE_NO_PAD.encode(id.0.as_bytes());
        // A configured secret leaves in no file either.
        let file = file.map(|(name, content)| Part::File {
            content: self.masker.mask(&content).into_owned(),
            name,
            caption: String::new(),
            markup: None,
        });
        self.named(id, &name, to, text, buttons, file.into_iter().collect(), now)
    }

    /// A run's message, with what stands below it; `number`: how many messages it has sent before. Its keys are known in
    /// advance, so that a draft can become it.
    pub fn run_message(
        &self,
        to: To,
        run: RunId,
        number: usize,
        text: &str,
        below: Below<'_>,
        now: Timestamp,
    ) -> (NewOutbound, Option<PendingDelivery>) {
        let name = run_message_name(run, number);
        let Below {
            buttons,
            files: attachments,
        } = below;
        let parts = attachments.iter().map(|file| Part::Stored {
            id: file.id.to_string(),
            name: self.masker.mask(&file.name).into_owned(),
            media_type: file.media_type.clone(),
            payload: Payload::default(),
        });
        let (mut message, pending) = self.named(MessageId::new(), &name, to, text, buttons, parts.collect(), now);
        message.attachments = (!attachments.is_empty()).then(|| serde_json::json!(attachments));
        (message, pending)
    }

    /// Puts buttons below an answer that ask whether it is good, where its platform's answers have them.
    pub fn ask_whether_good(
        &self,
        to: &To,
        run: RunId,
        message: &mut NewOutbound,
        pending: Option<&mut PendingDelivery>,
    ) {
        if !self.limits(to.platform).is_some_and(|limits| limits.asks_feedback) {
            return;
        }
        let parts = [Some(&mut message.parts), pending.map(|pending| &mut pending.parts)];
        for parts in parts.into_iter().flatten() {
            let texts = parts.iter_mut().filter_map(|(_, part)| match part {
                Part::Text { buttons, .. } => Some(buttons),
                Part::File { .. } | Part::Stored { .. } => None,
            });
            if let Some(buttons) = texts.last() {
                buttons.extend([
                    Button::new("\u{1f44d}", format!("rate {run} up")),
                    Button::new("\u{1f44e}", format!("rate {run} down")),
                ]);
            }
        }
    }

    /// The key of the first part of [such a message](Self::run_message).
    pub fn run_message_key(run: RunId, number: usize) -> DeliveryKey {
        DeliveryKey(key(&run_message_name(run, number), 0))
    }

    #[expect(clippy::too_many_arguments, reason = "all of it makes the message")]
    fn named(
        &self,
        id: MessageId,
        name: &str,
        to: To,
        text: &str,
        buttons: Vec<Button>,
        files: Vec<Part>,
        now: Timestamp,
    ) -> (NewOutbound, Option<PendingDelivery>) {
        // A configured secret never leaves in any text.
        let text = &*self.masker.mask(text);
        let platform = to.platform;
        let limits = self.limits(to.platform);
        // Without a part it would count as delivered, and nobody would have got anything.
        let is_sent = limits.is_none_or(|limits| !limits.delivered_when_stored);
        let text = match is_sent && files.is_empty() && is_blank(text) {
            true => NOTHING_SEEN,
            false => text,
        };
        let (parts, lease) = match limits {
            Some(limits) if limits.delivered_when_stored => (vec![], None),
            Some(limits) if limits.takes_one(&to.address) => (
                keyed(name, as_one(text, &limits).into_iter().chain(files).collect()),
                Some((self.worker, now.after(self.lease))),
            ),
            Some(limits) => (
                self.parts(name, text, &limits, buttons, files),
                Some((self.worker, now.after(self.lease))),
            ),
            // Another process serves it: the parts are rendered plainly, for the worker that claims them.
            None => (
                keyed(
                    name,
                    (!is_blank(text))
                        .then(|| Part::Text {
                            text: text.to_owned(),
                            plain: text.to_owned(),
                            rich: None,
                            buttons: buttons.into_iter().filter_map(|button| self.fitting(button)).collect(),
                        })
                        .into_iter()
                        .chain(files)
                        .collect(),
                ),
                None,
            ),
        };
        let pending = (lease.is_some() && !parts.is_empty()).then(|| PendingDelivery {
            message: Outgoing {
                id,
                channel_id: to.channel,
                platform: to.platform.as_str().to_owned(),
                run_id: to.run,
                address: clifford_core::json_text::JsonText(to.address.clone()),
                attempts: 0,
                deaths: 0,
                isolation: None,
                late_since: None,
                edits: None,
                metadata: None,
            },
            parts: parts.clone(),
        });
        let message = NewOutbound {
            id,
            channel_id: to.channel,
            context_id: to.context,
            user_id: to.user,
            run_id: to.run,
            content: text.to_owned(),
            attachments: None,
            metadata: None,
            edits: None,
            address: to.address,
            parts,
            lease,
            marks_first: (self.limits(platform))
                .is_some_and(|limits| marks_first(limits.drops_repeats, self.resend_ambiguous)),
        };
        (message, pending)
    }

    fn parts(
        &self,
        name: &str,
        text: &str,
        limits: &Limits,
        below: Vec<Button>,
        files: Vec<Part>,
    ) -> Vec<(String, Part)> {
        let mut rendered = rendered(text, limits);
        if rendered.len() > usize::try_from(self.max_parts).unwrap_or(usize::MAX) {
            rendered = vec![as_file(ANSWER_FILE.to_owned(), text, limits)];
        }
        if let Some(Part::Text { buttons, .. }) = rendered.last_mut() {
            *buttons = below.into_iter().filter_map(|button| self.fitting(button)).collect();
        }
        rendered.extend(files);
        keyed(name, rendered)
    }

    /// A button as it may go out. One that no platform could carry is left out: what it does can be typed.
    fn fitting(&self, button: Button) -> Option<Button> {
        let label = self.masker.mask(&button.label).into_owned();
        Button { label, ..button }.fitting()
    }
}

/// Names each part permanently: 22 characters of its message's name and up to three of the part's place.
fn keyed(name: &str, parts: Vec<Part>) -> Vec<(String, Part)> {
    parts
        .into_iter()
        .enumerate()
        .map(|(place, part)| (key(name, place), part))
        .collect()
}

/// The key of the part at a place of a message of this name.
pub(crate) fn key(name: &str, place: usize) -> String {
    format!("{name}{place:02}")
}

/// The name of a run's message: the same whenever and wherever the run comes to say it.
fn run_message_name(run: RunId, number: usize) -> String {
    let digest = Sha256::digest(format!("{run} {number}"));
    URL_SAFE_NO_PAD.encode(&digest[..16])
}

/// Replaces the placeholder of a command that gets no answer of its own, such as one that is answered together with
/// another. Does nothing for a message without a placeholder. Where the platform lets nobody replace it any more, the text
/// is a message that points at it.
///
/// The message belongs to no conversation. The process that serves the platform claims and sends it.
pub async fn resolve_placeholder(
    tx: &mut Tx,
    asked: &messages::Queued,
    told: Outcome,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(address) = asked.address.as_ref().filter(|address| address.0.via.is_some()) else {
        return Ok(());
    };
    let lang = reading::by_id(tx, asked.user_id, Some(asked.channel_id)).await?;
    let message = NewOutbound {
        user_id: asked.user_id,
        ..fixed_sentence(asked.channel_id, &address.0, &lang.say(told))
    };
    messages::insert_outbound(tx, &message, now).await
}

/// A message of one fixed sentence without markup, which belongs to no conversation. The process that serves the
/// platform claims and sends it.
pub fn fixed_sentence(channel: ChannelId, to: &Address, text: &str) -> NewOutbound {
    let part = Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    };
    sentence(channel, to, text, vec![part])
}

/// The same of a sentence with something in it that is named as it is: Markdown, for a platform with these limits.
pub(crate) fn naming_sentence(channel: ChannelId, to: &Address, text: &str, limits: &Limits) -> NewOutbound {
    sentence(channel, to, text, rendered(text, limits))
}

/// A message that takes the place of the last paragraph of one that was sent, and of its buttons: Markdown. It belongs
/// to no conversation. The process that serves the platform claims it; a version that cannot change messages sends the
/// sentence as a message.
pub fn edit(of: MessageId, channel: ChannelId, user: Option<UserId>, to: &Address, text: &str) -> NewOutbound {
    let part = Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    };
    // The reply was sent with the message, and the interaction has its answer.
    let to = Address {
        reply_to: None,
        via: None,
        ..to.clone()
    };
    NewOutbound {
        edits: Some(of),
        user_id: user,
        ..sentence(channel, &to, text, vec![part])
    }
}

fn sentence(channel: ChannelId, to: &Address, text: &str, parts: Vec<Part>) -> NewOutbound {
    let id = MessageId::new();
    NewOutbound {
        id,
        channel_id: channel,
        context_id: None,
        user_id: None,
        run_id: None,
        content: text.to_owned(),
        attachments: None,
        metadata: None,
        edits: None,
        address: to.clone(),
        parts: keyed(&URL_SAFE_NO_PAD.encode(id.0.as_bytes()), parts),
        lease: None,
        marks_first: false,
    }
}

#[cfg(test)]
mod tests;
