//! Messages of a conversation, with the files that came along.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::part,
    backend::Asker,
    view::{
        clean,
        format::{At, size, when},
        parts::{Tone, badge, empty},
        prose, words,
    },
};

/// Pictures that browsers show.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A message of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) id: String,
    direction: String,
    #[serde(default)]
    pub(crate) channel_id: String,
    context_id: Option<String>,
    pub(crate) run_id: Option<String>,
    content: String,
    status: String,
    error: Option<String>,
    attachments: Option<Vec<Attached>>,
    metadata: Option<Metadata>,
    created_at: At,
    deleted_at: Option<At>,
}

/// The rest of what is known of a message.
#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    buttons: Vec<Offered>,
    /// The question of a run that it shows.
    question: Option<String>,
    /// It tells why there is no answer.
    #[serde(default)]
    refusal: bool,
}

/// A button below the answer to a command.
#[derive(Deserialize)]
pub(crate) struct Offered {
    pub(crate) label: String,
    /// The message that it sends.
    pub(crate) command: String,
}

/// A file that came along. What came from a platform has that platform's id, and stays there until it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    id: String,
    kind: Option<String>,
    name: Option<String>,
    #[serde(alias = "media_type")]
    media_type: Option<String>,
    size: Option<u64>,
}

impl Message {
    /// Somebody wrote it to the bot.
    pub(crate) fn is_persons(&self) -> bool {
        self.direction == "inbound"
    }

    /// It is a command or the answer to one: it belongs to no conversation, and no run said it.
    pub(crate) const fn is_aside(&self) -> bool {
        self.context_id.is_none() && self.run_id.is_none()
    }

    /// The buttons below it.
    pub(crate) fn buttons(&self) -> &[Offered] {
        self.metadata
            .as_ref()
            .map_or(&[][..], |metadata| metadata.buttons.as_slice())
    }

    /// A run answers by it: it asks nothing, and does not say why there is no answer.
    pub(crate) fn is_answer(&self) -> bool {
        let is_other = |metadata: &Metadata| metadata.question.is_some() || metadata.refusal;
        !self.is_persons() && self.run_id.is_some() && !self.metadata.as_ref().is_some_and(is_other)
    }

    /// It has words, which are its person's own writing.
    pub(crate) fn may_be_written_anew(&self) -> bool {
        !self.is_spoken() && !self.own_words().is_empty()
    }

    /// It was deleted, or taken back.
    pub(crate) const fn is_gone(&self) -> bool {
        self.deleted_at.is_some()
    }

    /// It waits until what is at work before it has ended.
    pub(crate) fn is_queued(&self) -> bool {
        self.status == "queued"
    }

    /// It was said aloud.
    pub(crate) fn is_spoken(&self) -> bool {
        self.files().any(|file| file.kind.as_deref() == Some("voice"))
    }

    /// Its text without the lines that stand for files.
    pub(crate) fn own_words(&self) -> &str {
        let mut words = self.content.as_str();
        for _ in self.files() {
            let (before, last) = words.rsplit_once('\n').unwrap_or(("", words));
            if !(last.starts_with('[') && last.ends_with(']')) {
                break;
            }
            words = before;
        }
        words
    }

    fn files(&self) -> impl Iterator<Item = &Attached> {
        self.attachments.iter().flatten()
    }

    fn draw(&self, asker: &Asker, shown: Shown<'_>, below: &Markup) -> Markup {
        let is_person = self.is_persons();
        let words_of: &str = if self.is_spoken() {
            &self.content
        } else {
            self.own_words()
        };
        html! {
            li.message.person[is_person].sought[self.id == shown.sought] id={ "message-" (self.id) } {
                div.by {
                    strong { @if is_person { (shown.person) } @else { "Bot" } }
                    (when(self.created_at, asker.now()))
                    @if let Some(run) = &self.run_id { a href={ "/runs/" (run) } { "run" } }
                    @match self.status.as_str() {
                        "failed" => { (badge(Tone::Bad, "not delivered")) }
                        "pending" | "sending" => { (badge(Tone::Calm, "on its way")) }
                        _ => {}
                    }
                    @if self.is_gone() { (badge(Tone::Plain, if is_person { "deleted" } else { "taken back" })) }
                }
                div.body {
                    @if is_person { (words(words_of)) } @else { (prose(&self.content)) }
                    @if self.files().next().is_some() {
                        ul.attached { @for file in self.files() { li { (file.draw()) } } }
                    }
                    @if let Some(error) = &self.error { p.small.quiet { (words(error)) } }
                }
                (below)
            }
        }
    }
}

impl Attached {
    /// Its name; what can be fetched from here leads there, and a picture is shown.
    fn draw(&self) -> Markup {
        let name = self.name.as_deref().or(self.kind.as_deref()).unwrap_or("file");
        let address = format!("/api/files/{}/content", part(&self.id));
        let is_here = self.id.len() == 36 && self.id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
        let is_picture = self.media_type.as_deref().is_some_and(|kind| PICTURES.contains(&kind));
        html! {
            @if is_here {
                a href=(address) download {
                    @if is_picture { img.attached src=(address) alt=(clean(name)) loading="lazy"; } @else { (words(name)) }
                }
            } @else {
                (words(name))
            }
            @if let Some(bytes) = self.size.filter(|_| !is_picture) { " " span.small.quiet { (size(bytes)) } }
        }
    }
}

/// How messages are shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// The name under which those of people stand.
    pub(crate) person: &'a str,
    /// The one that the reader came for; empty: none.
    pub(crate) sought: &'a str,
}

/// Messages, oldest first; `below`: what stands under a message.
pub(crate) fn messages_of(
    asker: &Asker,
    newest_first: &[Message],
    shown: Shown<'_>,
    below: &dyn Fn(&Message) -> Markup,
) -> Markup {
    html! {
        @if newest_first.is_empty() {
            (empty("Nothing was said yet", &html! { "Write the first message." }))
        } @else {
            ol.messages {
                @for message in newest_first.iter().rev() { (message.draw(asker, shown, &below(message))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(content: &str, attachments: &Value) -> Message {
        let message = json!({
            "id": "1", "direction": "inbound", "content": content, "status": "received", "attachments": attachments,
            "createdAt": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(message).unwrap()
    }

    #[test]
    fn what_somebody_wrote_is_told_from_what_stands_for_their_files() {
        let file = json!({ "kind": "document", "id": "x", "name": "a.txt", "media_type": "text/plain", "size": 12 });
        for (content, attachments, expected) in [
            ("look\n[document: a.txt]", json!([file]), "look"),
            ("look\n[1]", json!(null), "look\n[1]"),
            ("look\n[1]\n[document: a.txt]", json!([file]), "look\n[1]"),
            ("[document: a.txt]", json!([file]), ""),
            ("no mark", json!([file]), "no mark"),
        ] {
            assert_eq!(message(content, &attachments).own_words(), expected, "{content}");
        }
    }

    #[test]
    fn only_what_a_run_answers_is_an_answer() {
        for (direction, run, metadata, expected) in [
            ("outbound", json!("r"), json!(null), true),
            ("outbound", json!("r"), json!({ "model": "x", "foreign": false }), true),
            ("outbound", json!("r"), json!({ "question": "r 1" }), false),
            ("outbound", json!("r"), json!({ "refusal": true }), false),
            ("outbound", json!(null), json!(null), false),
            ("inbound", json!("r"), json!(null), false),
        ] {
            let message: Message = serde_json::from_value(json!({
                "id": "1", "direction": direction, "content": "x", "status": "delivered", "runId": run,
                "metadata": metadata, "createdAt": "2026-01-01T00:00:00Z",
            }))
            .unwrap();
            assert_eq!(message.is_answer(), expected, "{metadata}");
        }
    }

    #[test]
    fn a_file_that_is_here_can_be_fetched_and_a_picture_is_seen() {
        let drawn = |file: Value| serde_json::from_value::<Attached>(file).unwrap().draw().into_string();
        let id = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
        let text = drawn(json!({ "id": id, "name": "<a>.txt", "mediaType": "text/plain", "size": 12 }));
        assert!(
            text.contains(&format!("href=\"/api/files/{id}/content\"")) && text.contains("&lt;a&gt;"),
            "{text}"
        );
        let picture = drawn(json!({ "id": id, "name": "\"x", "mediaType": "image/png", "size": 12 }));
        assert!(picture.contains("<img class=\"attached\" src=\"/api/files/") && picture.contains("alt=\"&quot;x\""));
        let elsewhere = drawn(json!({ "id": "AwAC-1", "kind": "photo", "media_type": "image/png" }));
        assert_eq!(elsewhere, "<bdi>photo</bdi>");
    }
}
