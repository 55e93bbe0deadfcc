//! Channels: where the bot is, whether it answers there, and how; and the servers and groups that have them.

use axum::{http::Method, response::Redirect};
use clifford_core::places::{MAY_NOT_WRITE, TURNED_OFF};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::connections;
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, sentence, title, when},
        layout,
        parts::{Button, Tone, badge, empty, head, older},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    id: String,
    platform: String,
    kind: String,
    name: Option<String>,
    enabled: bool,
    disabled_reason: Option<String>,
    mode: String,
    last_message_at: Option<At>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Space {
    id: String,
    platform: String,
    name: Option<String>,
    left_at: Option<At>,
    channels: u64,
}

impl Space {
    /// The way to its tools.
    pub(crate) fn tools(&self) -> String {
        format!("/tools?scope=space:{}", part(&self.id))
    }
}

/// Those that are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChannelsQuery {
    space: String,
    before: String,
    /// Only servers and groups that are older than this one.
    spaces: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<ChannelsQuery>) -> Result<Markup, Failure> {
    let path = with_query(
        "/api/channels",
        &[("spaceId", &wanted.space), ("before", &wanted.before)],
    );
    let is_in_space = !wanted.space.is_empty();
    let is_owner = !asker.is_person();
    let (page, (here, spaces), platforms) = try_join!(
        asker.get::<Page<Channel>>(&path),
        spaces(&asker, &wanted),
        connections::all(&asker)
    )?;
    let about = match is_owner {
        true => "Every chat, room and thread where the bot is.",
        false => "The chats where you write to the bot, and those of the servers that you manage.",
    };
    let content = html! {
        (head("Channels", about, &html! {
            @if is_in_space { a.button href="/channels" { "All channels" } }
        }))
        @match here {
            Some(space) => (servers("Servers and groups", &[space], &html! {})),
            None => {
                (connections::draw(&asker, platforms.as_deref()))
                (servers("Servers and groups", &spaces.items, &html! {
                    @if let Some(next) = &spaces.next {
                        a.button href=(with_query("/channels", &[("spaces", next)])) { "Older servers and groups" }
                    }
                }))
            }
        }
        section id="channels" data-live aria-label="Channels" {
            @if page.items.is_empty() {
                (empty("No channels yet", &html! {
                    "Write to the bot in " a href="/chat" { "Chat" }
                    @if is_owner { ", or connect a platform in bot.toml." } @else { ", or on a platform where it is." }
                }))
            } @else {
                table.table.cards {
                    caption.hidden { "Channels" }
                    thead {
                        tr {
                            th scope="col" { "Name" } th scope="col" { "Platform" } th scope="col" { "Kind" } th scope="col" { "Mode" }
                            th scope="col" { "Last message" } th scope="col" { "State" }
                            th scope="col" { span.hidden { "Actions" } }
                        }
                    }
                    tbody { @for channel in &page.items { (line(&asker, channel, is_owner)) } }
                }
                (older("/channels", &[("space", &wanted.space)], page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Channels", &content))
}

/// The one whose channels are asked for, or a page of them.
async fn spaces(asker: &Asker, wanted: &ChannelsQuery) -> Result<(Option<Space>, Page<Space>), Failure> {
    if !wanted.space.is_empty() {
        let here = asker.find(&format!("/api/spaces/{}", part(&wanted.space))).await?;
        return Ok((here, Page::default()));
    }
    let path = with_query("/api/spaces", &[("before", &wanted.spaces)]);
    Ok((None, asker.find(&path).await?.unwrap_or_default()))
}

/// The servers and groups that a person manages; of an owner, who sees all of them, none.
pub(crate) async fn managed(asker: &Asker) -> Result<Vec<Space>, Failure> {
    if !asker.is_person() {
        return Ok(Vec::new());
    }
    match asker.all("/api/spaces", &[]).await {
        Err(Failure::Refused(refused)) if refused.is_of_access() => Ok(Vec::new()),
        found => found,
    }
}

/// Servers and groups, with the ways to what is theirs, and what stands below them.
pub(crate) fn servers(heading: &str, spaces: &[Space], below: &Markup) -> Markup {
    html! {
        @if !spaces.is_empty() {
            section.card aria-labelledby="spaces-title" {
                h2 id="spaces-title" { (heading) }
                ul.list {
                    @for space in spaces {
                        li {
                            div.about {
                                strong { (words(space.name.as_deref().unwrap_or("(no name)"))) }
                                div.small.quiet {
                                    (words(&title(&space.platform))) " · "
                                    (space.channels) @if space.channels == 1 { " channel" } @else { " channels" }
                                }
                            }
                            @if space.left_at.is_some() { (badge(Tone::Plain, "left")) }
                            div.row {
                                a.button href=(with_query("/channels", &[("space", &space.id)])) { "Channels" }
                                a.button href=(with_query("/usage", &[("space", &space.id)])) { "Usage" }
                                a.button href=(with_query("/feedback", &[("place", &format!("space:{}", space.id))])) { "Feedback" }
                                a.button href={ "/settings?scope=space:" (space.id) } { "Settings" }
                                a.button href=(space.tools()) { "Tools" }
                            }
                        }
                    }
                }
                (below)
            }
        }
    }
}

fn line(asker: &Asker, channel: &Channel, is_owner: bool) -> Markup {
    let action = format!("/channels/{}", channel.id);
    let (label, turn) = if channel.enabled {
        ("Turn off", "false")
    } else {
        ("Turn on", "true")
    };
    html! {
        tr {
            td.lead { a href={ "/conversations?channelId=" (channel.id) } { (words(channel.name.as_deref().unwrap_or("(no name)"))) } }
            td data-label="Platform" { (words(&title(&channel.platform))) }
            td data-label="Kind" { (words(&channel.kind)) }
            td data-label="Mode" { (mode(&channel.mode)) }
            td data-label="Last message" { @if let Some(at) = channel.last_message_at { (when(at, asker.now())) } }
            td data-label="State" {
                @if channel.enabled { (badge(Tone::Good, "answers")) } @else {
                    (badge(Tone::Plain, "off"))
                    " " span.small.quiet { (why_off(channel.disabled_reason.as_deref())) }
                }
            }
            td {
                div.row {
                    a.button href=(with_query("/runs", &[("channel", &channel.id)])) { "Runs" }
                    a.button href={ "/settings?scope=channel:" (channel.id) } { "Settings" }
                    @if is_owner { (Button::new(&action, label).with(&[("enabled", turn)]).draw(asker)) }
                }
            }
        }
    }
}

/// Why nothing is answered there, and how that ends.
fn why_off(reason: Option<&str>) -> Markup {
    match reason {
        None | Some(TURNED_OFF) => html! { "An owner turned it off." },
        Some(reason) if reason.starts_with(MAY_NOT_WRITE) => html! {
            (words(&sentence(reason))) " It answers again as soon as somebody lets it write there."
        },
        Some(reason) => html! { (words(reason)) ". The next message there turns it on again." },
    }
}

/// How it is answered there.
fn mode(mode: &str) -> Markup {
    match mode {
        "run" => html! { "with tools" },
        "chat" => html! { "without tools" },
        other => words(other),
    }
}

/// Turns one on or off.
#[handler]
pub(crate) async fn change(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    let change = json!({ "enabled": form.needed("enabled")? == "true" });
    form.send(Method::PATCH, &format!("/api/channels/{}", part(&id)), Some(&change))
        .await?;
    Ok(Redirect::to(form.back("/channels")))
}
