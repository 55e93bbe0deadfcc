//! The fields of a new message: its words, files, and a voice where a model writes down what is said.
//!
//! A form that is sent once more, because its answer was lost, says nothing twice: the key of the message is of this
//! showing of the form with its words and files (`Form::key`), and so are the keys of the files.

use axum::{http::Method, response::Redirect};
use clifford_core::id::MessageId;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::{address::part, backend::Asker, failure::Failure, form::Form, handler, view::layout};

/// The field by which a form that is sent twice, by a double click or a second try, is known as one.
const ONCE: &str = "once";

/// The id of the form.
const FORM: &str = "composer";

/// The conversation that is shown, as a field of the form. It stands among the messages, so that what is written goes to
/// the conversation whose messages the page shows, also after they followed another window to another one.
pub(super) fn destination(context: Option<&str>) -> Markup {
    html! { @if let Some(context) = context { input type="hidden" name="context" form=(FORM) value=(context); } }
}

/// The form, which a chat has at its end. Without a script a recording is a file like any, which a phone offers to make;
/// with it, a button records.
pub(super) fn draw(asker: &Asker) -> Markup {
    let hears = asker.me().is_some_and(|me| me.hears);
    html! {
        form.composer id=(FORM) method="post" action="/chat" enctype="multipart/form-data" data-inplace {
            (layout::token(asker))
            input type="hidden" name=(ONCE) value=(MessageId::new());
            label.hidden for="content" { "Message" }
            textarea id="content" name="content" rows="2" data-enter placeholder="Write to the bot; Enter sends" {}
            div.row.apart {
                div.row.along {
                    label.small.row { span.hidden { "Files" } input type="file" name="file" multiple; }
                    @if hears {
                        label.small.row data-voice {
                            span { "Say it" }
                            input type="file" name="voice" accept="audio/*,video/webm" capture;
                        }
                        input type="hidden" name="seconds" value="";
                        button type="button" data-record hidden { "Record" }
                        button type="button" data-discard hidden { "Discard" }
                    }
                }
                button.main type="submit" { "Send" }
            }
        }
    }
}

/// Sends a message.
#[handler]
pub(crate) async fn send(form: Form) -> Result<Redirect, Failure> {
    let (context, once) = (form.field("context"), form.field(ONCE));
    let voice = form.upload("voice", once).await?;
    let files = form.upload("file", once).await?;
    // A file alone is a message.
    let content = match voice.is_empty() && files.is_empty() {
        true => form.needed("content")?,
        false => form.field("content").unwrap_or_default(),
    };
    let mut message = json!({ "content": content, "fileIds": files });
    // Who goes back to the page and writes something else sends something else.
    if let Some(once) = once {
        message["idempotencyKey"] = json!(form.key(once, content));
    }
    if let Some(voice) = voice.first() {
        message["voice"] = json!({ "fileId": voice });
        if let Some(seconds) = form.field("seconds").and_then(|seconds| seconds.parse::<u32>().ok()) {
            message["voice"]["seconds"] = json!(seconds);
        }
    }
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    let taken = match form.send(Method::POST, "/api/messages", Some(&message)).await {
        // The same words and files came before, to another conversation than is shown by now.
        Err(Failure::Refused(refused)) if refused.is_of_repeat() => Value::Null,
        taken => taken?,
    };
    // A command may have begun, chosen or closed a conversation.
    let context = context.filter(|_| taken["status"] != "answered");
    Ok(Redirect::to(
        &context.map_or("/chat".to_owned(), |id| format!("/chat/{}", part(id))),
    ))
}
