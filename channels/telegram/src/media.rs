//! What came with a message: its text, and its files as metadata.

use clifford_channel::Attachment;
use teloxide::types::{FileMeta, Location, MediaKind, MessageEntity};

/// The text or caption of a message.
pub(crate) fn text(media: &MediaKind) -> (&str, &[MessageEntity]) {
    let (text, entities) = match media {
        MediaKind::Text(media) => return (&media.text, &media.entities),
        MediaKind::Animation(media) => (&media.caption, &media.caption_entities),
        MediaKind::Audio(media) => (&media.caption, &media.caption_entities),
        MediaKind::Document(media) => (&media.caption, &media.caption_entities),
        MediaKind::Photo(media) => (&media.caption, &media.caption_entities),
        MediaKind::Video(media) => (&media.caption, &media.caption_entities),
        MediaKind::Voice(media) => (&media.caption, &media.caption_entities),
        MediaKind::Contact(_)
        | MediaKind::PaidMedia(_)
        | MediaKind::Game(_)
        | MediaKind::Venue(_)
        | MediaKind::Location(_)
        | MediaKind::Poll(_)
        | MediaKind::Checklist(_)
        | MediaKind::Sticker(_)
        | MediaKind::Story(_)
        | MediaKind::VideoNote(_)
        | MediaKind::Migration(_) => return ("", &[]),
    };
    (text.as_deref().unwrap_or_default(), entities)
}

/// The id that the messages of one album share.
pub(crate) fn album(media: &MediaKind) -> Option<String> {
    let album = match media {
        MediaKind::Audio(media) => &media.media_group_id,
        MediaKind::Document(media) => &media.media_group_id,
        MediaKind::Photo(media) => &media.media_group_id,
        MediaKind::Video(media) => &media.media_group_id,
        _ => &None,
    };
    album.as_ref().map(|album| album.0.clone())
}

/// The file, place or card that came with a message.
pub(crate) fn attachments(media: &MediaKind) -> Vec<Attachment> {
    let attachment = match media {
        MediaKind::Text(_) | MediaKind::Migration(_) => return Vec::new(),
        MediaKind::Animation(media) => {
            let it = &media.animation;
            file("animation", &it.file, it.file_name.as_ref(), it.mime_type.as_ref())
        }
        MediaKind::Audio(media) => {
            let it = &media.audio;
            let name = it.file_name.as_ref().or(it.title.as_ref());
            file("audio", &it.file, name, it.mime_type.as_ref())
        }
        MediaKind::Document(media) => {
            let it = &media.document;
            file("document", &it.file, it.file_name.as_ref(), it.mime_type.as_ref())
        }
        MediaKind::Video(media) => {
            let it = &media.video;
            file("video", &it.file, it.file_name.as_ref(), it.mime_type.as_ref())
        }
        MediaKind::Voice(media) => file("voice", &media.voice.file, None, media.voice.mime_type.as_ref()),
        MediaKind::VideoNote(media) => file::<&str>("video_note", &media.video_note.file, None, None),
        MediaKind::Sticker(media) => file::<&str>("sticker", &media.sticker.file, media.sticker.emoji.as_ref(), None),
        MediaKind::Photo(media) => {
            // Telegram sends the same photo in several sizes.
            let Some(largest) = media.photo.iter().max_by_key(|size| size.width) else {
                return Vec::new();
            };
            file("photo", &largest.file, None, Some("image/jpeg"))
        }
        MediaKind::Location(media) => card("location", coordinates(&media.location), None),
        MediaKind::Venue(media) => card("venue", coordinates(&media.venue.location), Some(&media.venue.title)),
        MediaKind::Contact(media) => card(
            "contact",
            media.contact.phone_number.clone(),
            Some(&media.contact.first_name),
        ),
        MediaKind::Poll(media) => card("poll", media.poll.id.0.clone(), Some(&media.poll.question)),
        MediaKind::Game(media) => card("game", String::new(), Some(&media.game.title)),
        MediaKind::Checklist(media) => card("checklist", String::new(), Some(&media.checklist.title)),
        MediaKind::Story(media) => card("story", media.story.id.to_string(), None),
        MediaKind::PaidMedia(_) => card("paid_media", String::new(), None),
    };
    vec![attachment]
}

fn file<T: ToString>(kind: &str, meta: &FileMeta, name: Option<&String>, media_type: Option<T>) -> Attachment {
    Attachment {
        kind: kind.to_owned(),
        id: meta.id.0.clone(),
        name: name.cloned(),
        media_type: media_type.map(|media_type| media_type.to_string()),
        // Telegram leaves the size out where it does not know it; teloxide then says u32::MAX.
        size: Some(meta.size).filter(|size| *size != u32::MAX).map(u64::from),
    }
}

/// Something that is no file: what it is called, and an id that says what it is.
fn card(kind: &str, id: String, name: Option<&String>) -> Attachment {
    Attachment {
        kind: kind.to_owned(),
        id,
        name: name.cloned(),
        media_type: None,
        size: None,
    }
}

fn coordinates(location: &Location) -> String {
    format!("{},{}", location.latitude, location.longitude)
}
