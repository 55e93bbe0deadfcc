//! The files that come with a message: a row each, in the same commit. Their contents stay where they are until
//! somebody reads them.

use clifford_chat::{
    inbound::{Attachment, is_of_others},
    platform::Platform,
};
use clifford_content::files::{Location, clean};
use clifford_core::{id::FileId, messages::Author, places::Channel};
use clifford_store::{
    StoreError, Tx,
    files::{self, File},
    messages::{self, NewInbound, quoting},
};

use super::AcceptContext;

/// The kind of an attachment that is a recording of its person's voice.
pub(crate) const VOICE: &str = "voice";

impl AcceptContext {
    /// Stores a message with its files.
    pub(super) async fn insert(&self, tx: &mut Tx, message: &NewInbound, channel: &Channel) -> Result<(), StoreError> {
        messages::insert_inbound(tx, message, self.now).await?;
        if let (Some(quote), Some(of)) = (&message.quote, &self.quoted.id) {
            quoting::note(tx, message.id, quote, of).await?;
        }
        let platform = self.origin.place.platform;
        // The files of the quoted message are files of this one as well.
        let quotes_others = (self.quoted.quote.as_ref()).is_none_or(|quote| quote.by != Author::Speaker);
        let quoted = self.quoted.files.iter().map(|attachment| (attachment, quotes_others));
        let is_forwarded = is_of_others(&self.text);
        let files = message.attachments.iter().filter(|attachment| attachment.is_file());
        let files = files.map(|attachment| (attachment, is_forwarded));
        for (attachment, of_others) in files.chain(quoted) {
            if platform == Platform::WEB {
                // It was uploaded before.
                if let Ok(file) = attachment.id.parse() {
                    files::attach(tx, file, message.id, channel.id, channel.space_id).await?;
                    if attachment.kind == VOICE {
                        files::mark_voice(tx, file, attachment.seconds).await?;
                    }
                }
                continue;
            }
            let file = File {
                id: FileId::new(),
                user_id: Some(message.user_id),
                channel_id: Some(channel.id),
                space_id: channel.space_id,
                message_id: Some(message.id),
                root_run_id: None,
                name: clean(&name(attachment)),
                media_type: attachment.media_type.clone(),
                size: attachment.size.and_then(|size| i64::try_from(size).ok()),
                sha256: None,
                location: Location::Platform(platform, attachment.id.clone()).to_string(),
                created_at: self.now,
                came_as: Some(attachment.kind.clone()),
                seconds: attachment.seconds.map(i64::from),
                of_others,
            };
            files::insert_attachment(tx, &file).await?;
        }
        Ok(())
    }
}

/// Its name; of one without: what it is, with the ending of its media type.
fn name(attachment: &Attachment) -> String {
    if let Some(name) = &attachment.name {
        return name.clone();
    }
    let ending = match attachment.media_type.as_deref() {
        Some("image/jpeg") => ".jpg",
        Some("image/png") => ".png",
        Some("audio/ogg") => ".ogg",
        Some("audio/mpeg") => ".mp3",
        Some("video/mp4") => ".mp4",
        _ => "",
    };
    format!("{}{ending}", attachment.kind)
}
