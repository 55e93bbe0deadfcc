//! The chat: the reader's own conversations with the bot, answers as they grow, questions about calls inline, and what
//! the run of the moment does beside it.

mod actions;
mod asides;
mod composer;

use axum::{
    extract::{Path, Query},
    http::Method,
    response::Redirect,
};
use futures::{future::OptionFuture, try_join};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use self::actions::Verdicts;
pub(super) use self::composer::send;
use super::{
    conversations::{Before, Talk},
    message::{Message, Shown, messages_of},
    run::{Whole, timeline_of},
    runs::Run,
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Me, Page},
    failure::Failure,
    form::Form,
    handler,
    view::{
        layout,
        parts::{Button, head, older, past, text_field},
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
    let verdicts = match &own {
        Some(own) => Verdicts::of(&asker, &own.id).await?,
        None => Verdicts::default(),
    };
    // An owner may look at conversations of others, too.
    let active = own
        .as_ref()
        .filter(|own| own.active_context_id == id)
        .map(|own| own.id.as_str());
    let is_own = own
        .as_ref()
        .is_some_and(|own| talk.as_ref().is_some_and(|talk| talk.channel_id == own.id));
    let person = if is_own || talk.is_none() { "You" } else { "Person" };
    let (next, mut shown) = (messages.next, messages.items);
    shown.retain(|message| !message.is_gone());
    if let Some(own) = active.filter(|_| wanted.before.is_empty()) {
        asides::among(&mut shown, asides::of(&asker, own).await?);
    }
    let last = shown
        .iter()
        .find(|message| message.is_persons() && !message.is_aside())
        .filter(|_| is_own && wanted.before.is_empty());
    let below = |message: &Message| match (&message.run_id, message.is_persons()) {
        _ if message.is_aside() => asides::buttons(&asker, message),
        _ if !is_own => html! {},
        (_, true) if last.is_some_and(|last| last.id == message.id) => {
            let may_edit = !message.is_spoken() && (message.run_id.is_some() || message.is_queued());
            html! {
                (actions::queued(message))
                @if may_edit { (actions::anew(&asker, id.as_deref().unwrap_or_default(), message)) }
            }
        }
        (Some(run), false) if ends_answer(&shown, message) => verdicts.draw(&asker, run),
        _ => html! {},
    };
    let content = html! {
        (head(title, "", &html! {
            (Button::new("/chat/new", "New conversation").leads_on().draw(&asker))
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
                (past("talk"))
                div id="talk" data-live {
                    @if let Some(id) = &id { (older(&format!("/chat/{id}"), &[], next.as_deref())) }
                    (messages_of(&asker, &shown, Shown { person, sought: "" }, &below))
                    @if let Some(whole) = &whole {
                        (working(&asker, whole))
                        @if let (Some(id), true) = (&id, wanted.before.is_empty()) {
                            (actions::failed(&asker, id, whole, last))
                        }
                    }
                    @if !wanted.before.is_empty() {
                        p { a.button href={ "/chat/" (id.as_deref().unwrap_or_default()) } { "The newest messages" } }
                    }
                    div id="end" {}
                }
                @if is_own || id.is_none() { (composer::draw(&asker, id.as_deref())) } @else {
                    p.small.quiet {
                        "This conversation was held elsewhere, or by somebody else: it is only read here. "
                        a href="/chat" { "Your own chat" }
                    }
                }
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

/// It is the last message of its run: one answer is rated once.
fn ends_answer(newest_first: &[Message], message: &Message) -> bool {
    let of_run = newest_first
        .iter()
        .find(|one| one.run_id == message.run_id && !one.is_persons());
    of_run.is_some_and(|newest| newest.id == message.id)
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
                @if let Some(approval) = whole.approval() { div.note.warn.stack { (approval.draw(asker)) } }
            }
        }
    }
}

/// The name of a conversation as a field.
fn name_field(talk: &Talk) -> Markup {
    text_field("name", "Name", talk.title(), "")
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
