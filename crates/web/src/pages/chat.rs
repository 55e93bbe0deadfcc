//! The chat: the reader's own conversations with the bot, answers as they grow, questions about calls inline, and what
//! the run of the moment does beside it.

use axum::{
    extract::{Path, Query},
    http::Method,
    response::Redirect,
};
use futures::{future::OptionFuture, try_join};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{
    approval::Approval,
    conversations::{Before, Message, Talk, messages_of},
    run::{Whole, timeline_of},
    runs::Run,
};
use crate::{
    backend::{Asker, Me, Page, part, with_query},
    failure::Failure,
    form::Form,
    view::{
        layout,
        parts::{Button, head, older, text_field},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    id: String,
    platform: String,
    external_id: String,
    user_id: Option<String>,
    active_context_id: Option<String>,
}

impl Channel {
    /// It is the reader's own, of the dashboard.
    fn is_of(&self, me: &Me) -> bool {
        let is_theirs = match &me.user_id {
            Some(user) => self.user_id.as_ref() == Some(user),
            None => self.external_id == "api:owner",
        };
        self.platform == "web" && is_theirs
    }
}

/// The conversation that is going on.
pub(crate) async fn now(asker: Asker) -> Result<Markup, Failure> {
    let own = own(&asker).await?;
    let active = own.as_ref().and_then(|channel| channel.active_context_id.clone());
    page(asker, own, active, &Before::default()).await
}

/// One conversation.
pub(crate) async fn show(
    asker: Asker,
    Path(id): Path<String>,
    Query(wanted): Query<Before>,
) -> Result<Markup, Failure> {
    let own = own(&asker).await?;
    page(asker, own, Some(id), &wanted).await
}

async fn own(asker: &Asker) -> Result<Option<Channel>, Failure> {
    let Some(me) = asker.me() else {
        return Err(Failure::Unknown(asker.path.clone()));
    };
    let found: Page<Channel> = asker.get("/api/channels?limit=200").await?;
    let mut own: Vec<_> = found.items.into_iter().filter(|channel| channel.is_of(me)).collect();
    // A token of the same person has a channel of its own.
    own.sort_by_key(|channel| !channel.external_id.starts_with("api:browser-"));
    Ok(own.into_iter().next())
}

async fn page(asker: Asker, own: Option<Channel>, id: Option<String>, wanted: &Before) -> Result<Markup, Failure> {
    let talks = own
        .as_ref()
        .map(|own| with_query("/api/contexts", &[("channelId", &own.id), ("limit", "50")]));
    let runs = own
        .as_ref()
        .map(|own| with_query("/api/runs", &[("channel", &own.id), ("limit", "20")]));
    let talk = id.as_ref().map(|id| format!("/api/contexts/{}", part(id)));
    let messages = id.as_ref().map(|id| {
        let given = [
            ("contextId", id.as_str()),
            ("before", wanted.before.as_str()),
            ("limit", "50"),
        ];
        with_query("/api/messages", &given)
    });
    let (talks, runs, talk, messages) = try_join!(
        maybe(talks.as_deref().map(|path| asker.get::<Page<Talk>>(path))),
        maybe(runs.as_deref().map(|path| asker.get::<Page<Run>>(path))),
        maybe(talk.as_deref().map(|path| asker.get::<Talk>(path))),
        maybe(messages.as_deref().map(|path| asker.get::<Page<Message>>(path))),
    )?;
    let here = runs
        .unwrap_or_default()
        .items
        .into_iter()
        .find(|run| run.context_id == id && run.kind != "subagent");
    let path = here.as_ref().map(|run| format!("/api/runs/{}", part(&run.id)));
    let whole = maybe(path.as_deref().map(|path| asker.get::<Whole>(path))).await?;
    let title = talk.as_ref().map_or("Chat", Talk::title);
    let messages = messages.unwrap_or_default();
    // An owner may look at conversations of others, too.
    let is_own = own.is_some_and(|own| talk.as_ref().is_some_and(|talk| talk.channel_id == own.id));
    let person = if is_own { "You" } else { "Person" };
    let content = html! {
        (head(title, "", &html! {
            (Button::new("/chat/new", "New conversation").draw(&asker))
        }))
        div.chat.traced {
            aside aria-label="Conversations" {
                ul.talks {
                    @for one in talks.unwrap_or_default().items {
                        @let current = (Some(&one.id) == id.as_ref()).then_some("page");
                        li { a href={ "/chat/" (one.id) } aria-current=[current] { (words(one.title())) } }
                    }
                }
                @if let Some(talk) = &talk {
                    details.small {
                        summary { "Name or close it" }
                        form.stack method="post" action={ "/chat/" (talk.id) } {
                            (layout::token(&asker))
                            (name_field(talk))
                            div.row {
                                button type="submit" { "Rename" }
                                button type="submit" name="closed" value="yes" { "Close" }
                            }
                        }
                    }
                }
            }
            div.stack {
                div id="talk" data-live {
                    @if let Some(id) = &id { (older(&format!("/chat/{id}"), &[], messages.next.as_deref())) }
                    (messages_of(&asker, &messages.items, person))
                    @if let Some(whole) = &whole { (working(&asker, whole)) }
                    div id="end" {}
                }
                (composer(&asker, id.as_deref()))
            }
            aside.card.small id="trace" data-live aria-label="What the bot does" {
                @if let Some(whole) = &whole {
                    div.row.apart { (whole.run.badge()) a href={ "/runs/" (whole.run.id) } { "The whole run" } }
                    (timeline_of(whole))
                } @else {
                    p.quiet { "What the bot does for an answer shows here, step by step." }
                }
            }
        }
    };
    Ok(layout::page(&asker, title, &content))
}

async fn maybe<T>(question: Option<impl Future<Output = Result<T, Failure>>>) -> Result<Option<T>, Failure> {
    OptionFuture::from(question).await.transpose()
}

/// The answer that is being written, or what the run waits for.
fn working(asker: &Asker, whole: &Whole) -> Markup {
    let run = &whole.run;
    let stop = format!("/runs/{}/cancel", run.id);
    html! {
        @if matches!(run.status.as_str(), "pending" | "running" | "waiting") {
            div.message {
                div.by { strong { "Bot" } (run.badge()) (Button::new(&stop, "Stop").draw(asker)) }
                div.body.draft data-stream=(run.id) {}
                @if let Some(approval) = Approval::of(whole) { div.note.warn.stack { (approval.draw(asker)) } }
            }
        }
    }
}

/// The fields of a new message, which a chat has at its end.
fn composer(asker: &Asker, context: Option<&str>) -> Markup {
    html! {
        form.composer method="post" action="/chat" enctype="multipart/form-data" data-inplace {
            (layout::token(asker))
            @if let Some(context) = context { input type="hidden" name="context" value=(context); }
            label.hidden for="content" { "Message" }
            textarea id="content" name="content" rows="2" required data-enter placeholder="Write to the bot; Enter sends" {}
            div.row.apart {
                label.small.row { span.hidden { "Files" } input type="file" name="file" multiple; }
                button.main type="submit" { "Send" }
            }
        }
    }
}

/// The name of a conversation as a field.
fn name_field(talk: &Talk) -> Markup {
    text_field("name", "Name", talk.title(), "")
}

/// Sends a message.
pub(crate) async fn send(form: Form) -> Result<Redirect, Failure> {
    let content = form.needed("content")?;
    let context = form.field("context");
    let files = form.upload().await?;
    let mut message = json!({ "content": content, "fileIds": files });
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    form.send(Method::POST, "/api/messages", Some(&message)).await?;
    Ok(Redirect::to(
        &context.map_or("/chat".to_owned(), |id| format!("/chat/{}", part(id))),
    ))
}

/// Begins a conversation.
pub(crate) async fn begin(form: Form) -> Result<Redirect, Failure> {
    let made = form.send(Method::POST, "/api/contexts", Some(&json!({}))).await?;
    let id = made["id"].as_str().unwrap_or_default();
    Ok(Redirect::to(&format!("/chat/{}", part(id))))
}

/// Names or closes a conversation.
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
