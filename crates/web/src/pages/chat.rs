//! The chat: the reader's own conversations with the bot, answers as they grow, questions about calls inline, and what
//! the run of the moment does next to it.

mod actions;
mod asides;
mod composer;
mod view;

use axum::{http::Method, response::Redirect};
use maud::Markup;
use serde::Deserialize;
use serde_json::json;

pub(super) use self::composer::send;
use self::view::View;
use super::conversations::Before;
use crate::{
    address::part,
    backend::Asker,
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::layout,
};

/// The reader's own channel, in which they write here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    id: String,
    user_id: Option<String>,
    active_context_id: Option<String>,
}

/// The conversation that is going on.
#[handler]
pub(crate) async fn now(asker: Asker) -> Result<Markup, Failure> {
    let own = own(&asker).await?;
    let active = own.as_ref().and_then(|channel| channel.active_context_id.clone());
    page(asker, own, active, &Before::default()).await
}

/// One conversation.
#[handler]
pub(crate) async fn show(
    asker: Asker,
    Path(id): Path<String>,
    Query(wanted): Query<Before>,
) -> Result<Markup, Failure> {
    let own = own(&asker).await?;
    page(asker, own, Some(id), &wanted).await
}

/// The reader's own chat; nothing: they have not written here yet.
async fn own(asker: &Asker) -> Result<Option<Channel>, Failure> {
    let Some(me) = asker.me() else {
        return Err(Failure::Unknown(asker.path.clone()));
    };
    match &me.channel_id {
        Some(id) => asker.find(&format!("/api/channels/{}", part(id))).await,
        None => Ok(None),
    }
}

async fn page(asker: Asker, own: Option<Channel>, id: Option<String>, wanted: &Before) -> Result<Markup, Failure> {
    let seen = View::read(&asker, own, id, wanted).await?;
    let content = seen.draw(&asker);
    Ok(layout::page(&asker, seen.title(), &content))
}

/// Begins a conversation.
#[handler]
pub(crate) async fn begin(form: Form) -> Result<Redirect, Failure> {
    let made = form.send(Method::POST, "/api/contexts", Some(&json!({}))).await?;
    let id = made["id"].as_str().unwrap_or_default();
    Ok(Redirect::to(&format!("/chat/{}", part(id))))
}

/// Edits the last message of a conversation, and has it answered anew.
#[handler]
pub(crate) async fn edit(Path((id, message)): Path<(String, String)>, form: Form) -> Result<Redirect, Failure> {
    let edited = json!({ "content": form.needed("content")? });
    let path = format!("/api/messages/{}", part(&message));
    form.send(Method::PATCH, &path, Some(&edited)).await?;
    Ok(Redirect::to(&format!("/chat/{}", part(&id))))
}

/// Names or closes a conversation.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let change = if form.field("closed").is_some() {
        json!({ "closed": true })
    } else {
        json!({ "name": form.needed("name")? })
    };
    let path = format!("/api/contexts/{}", part(&id));
    form.send(Method::PATCH, &path, Some(&change)).await?;
    Ok(Redirect::to(&format!("/chat/{}", part(&id))))
}
