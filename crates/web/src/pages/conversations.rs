//! Conversations on every platform: the list, and one with its messages; and the search through them.

use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    message::{Message, Shown, messages_of},
    names::Names,
};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    handler,
    view::{
        clean,
        format::{At, count, when},
        layout,
        parts::{Tone, badge, empty, head, older, past, short},
        words,
    },
};

/// A conversation of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Talk {
    pub(crate) id: String,
    pub(crate) channel_id: String,
    pub(crate) user_id: Option<String>,
    space_id: Option<String>,
    name: Option<String>,
    turn_count: u64,
    last_user_interaction_at: Option<At>,
    closed_at: Option<At>,
    created_at: At,
}

impl Talk {
    /// Its name.
    pub(crate) fn title(&self) -> &str {
        self.name
            .as_deref()
            .filter(|name| !name.trim().is_empty())
            .unwrap_or("New conversation")
    }

    /// It may go on in the reader's chat here: it began there, or it is their own in private, on whatever platform.
    pub(crate) fn may_go_on(&self, channel: Option<&str>, person: Option<&str>) -> bool {
        let is_own = self.space_id.is_none() && person.is_some() && self.user_id.as_deref() == person;
        channel == Some(&self.channel_id) || is_own
    }
}

/// Those that are asked for.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ConversationsQuery {
    user_id: String,
    channel_id: String,
    before: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(wanted): Query<ConversationsQuery>) -> Result<Markup, Failure> {
    let filters = [
        ("userId", wanted.user_id.as_str()),
        ("channelId", wanted.channel_id.as_str()),
    ];
    let all: Vec<_> = filters
        .into_iter()
        .chain([("before", wanted.before.as_str())])
        .collect();
    let path = with_query("/api/contexts", &all);
    let (page, mut people, mut channels) = try_join!(
        asker.get::<Page<Talk>>(&path),
        Names::of_people(&asker),
        Names::of_channels_with(&asker, &wanted.channel_id)
    )?;
    let talkers = page.items.iter().map(|talk| talk.user_id.as_deref());
    people.complete_people(&asker, talkers).await?;
    let places = page.items.iter().map(|talk| Some(talk.channel_id.as_str()));
    channels.complete_channels(&asker, places).await?;
    let about = match channels.name(&wanted.channel_id) {
        Some(name) => format!("What was said in {}.", clean(name)),
        None => "What was said, on every platform.".to_owned(),
    };
    let is_chosen = filters.iter().any(|(_, value)| !value.is_empty());
    let seek = with_query("/search", &[("channelId", &wanted.channel_id)]);
    let content = html! {
        (head("Conversations", &about, &html! {
            @if is_chosen { a.button href="/conversations" { "Show all" } }
            a.button href=(seek) { "Search" }
        }))
        section id="conversations" data-live aria-label="Conversations" {
            @if page.items.is_empty() {
                (empty("No conversations yet", &html! { a href="/chat" { "Write to the bot" } ", here or on a platform." }))
            } @else {
                table.table.cards {
                    caption.hidden { "Conversations, newest first" }
                    thead {
                        tr {
                            th scope="col" { "Name" } th scope="col" { "Channel" } th scope="col" { "Person" }
                            th.number scope="col" { "Turns" } th scope="col" { "Last" } th scope="col" { "State" }
                        }
                    }
                    tbody {
                        @for talk in &page.items {
                            tr {
                                td.lead { a href={ "/conversations/" (talk.id) } { (words(talk.title())) } }
                                td data-label="Channel" { (channels.show(Some(&talk.channel_id))) }
                                td data-label="Person" {
                                    @match &talk.user_id {
                                        Some(user) => (people.show(Some(user))),
                                        None => span.quiet { "everybody there" },
                                    }
                                }
                                td.number data-label="Turns" { (count(talk.turn_count)) }
                                td data-label="Last" {
                                    (when(talk.last_user_interaction_at.unwrap_or(talk.created_at), asker.now()))
                                }
                                td data-label="State" {
                                    @match talk.closed_at {
                                        Some(_) => (badge(Tone::Plain, "closed")),
                                        None => (badge(Tone::Good, "open")),
                                    }
                                }
                            }
                        }
                    }
                }
                (older("/conversations", &filters, page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Conversations", &content))
}

/// The messages of one that are asked for: those before one, or those around one that is sought.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Before {
    pub(crate) before: String,
    around: String,
}

/// The way to a message of a conversation.
pub(crate) fn to_message(context: &str, message: &str) -> String {
    let page = with_query(&format!("/conversations/{}", part(context)), &[("around", message)]);
    format!("{page}#message-{}", part(message))
}

/// One conversation.
#[handler]
pub(crate) async fn show(
    asker: Asker,
    Path(id): Path<String>,
    Query(wanted): Query<Before>,
) -> Result<Markup, Failure> {
    let path = format!("/api/contexts/{}", part(&id));
    let messages = with_query(
        "/api/messages",
        &[
            ("contextId", &id),
            ("before", &wanted.before),
            ("around", &wanted.around),
            ("limit", "50"),
        ],
    );
    let (talk, page) = try_join!(asker.get::<Talk>(&path), asker.get::<Page<Message>>(&messages))?;
    let here = format!("/conversations/{id}");
    let me = asker.me();
    let (channel, person) = (
        me.and_then(|me| me.channel_id.as_deref()),
        me.and_then(|me| me.user_id.as_deref()),
    );
    let goes_on = talk.may_go_on(channel, person);
    let content = html! {
        (head(talk.title(), "", &html! {
            @if goes_on { a.button href={ "/chat/" (talk.id) } { "Go on in the chat" } }
            a.button href={ "/search?channelId=" (talk.channel_id) } { "Search here" }
        }))
        (past("messages"))
        section id="messages" data-live aria-label="Messages" {
            (older(&here, &[], page.next.as_deref()))
            (messages_of(&asker, &page.items, Shown { person: "Person", sought: &wanted.around }, &|_| html! {}))
            @if !wanted.around.is_empty() || !wanted.before.is_empty() { p { a.button href=(here) { "The newest messages" } } }
        }
    };
    Ok(layout::page(&asker, talk.title(), &content))
}

/// A search.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Sought {
    q: String,
    channel_id: String,
    user_id: String,
    before: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hit {
    id: String,
    context_id: Option<String>,
    context_name: Option<String>,
    channel_name: Option<String>,
    platform: String,
    direction: String,
    snippet: String,
    created_at: At,
}

impl Hit {
    /// It holds what was looked for. What was said right before and after that is listed with it.
    fn has_match(&self) -> bool {
        self.snippet.contains("**")
    }
}

/// The search.
#[handler]
pub(crate) async fn search(asker: Asker, Query(sought): Query<Sought>) -> Result<Markup, Failure> {
    let (people, channels) = try_join!(
        Names::of_people_with(&asker, &sought.user_id),
        Names::of_channels_with(&asker, &sought.channel_id)
    )?;
    let user = match (sought.user_id.as_str(), sought.channel_id.as_str()) {
        // The API wants to know where to look: at what is the reader's own, if they are somebody.
        ("", "") => {
            let own = asker.me().and_then(|me| me.user_id.clone());
            let first = || people.first().map(str::to_owned);
            own.or_else(first).unwrap_or_default()
        }
        (user, _) => user.to_owned(),
    };
    let filters = [
        ("q", sought.q.trim()),
        ("userId", user.as_str()),
        ("channelId", sought.channel_id.as_str()),
    ];
    let all: Vec<_> = filters
        .into_iter()
        .chain([("before", sought.before.as_str())])
        .collect();
    let has_place = !(user.is_empty() && sought.channel_id.is_empty());
    let found: Page<Hit> = if sought.q.trim().is_empty() || !has_place {
        Page::default()
    } else {
        asker.get(&with_query("/api/search", &all)).await?
    };
    let content = html! {
        (head("Search", "Through all private chats of a person, on every platform, or through one channel.", &html! {}))
        form.card method="get" action="/search" role="search" {
            div.fields {
                div.field {
                    label for="q" { "Words" }
                    input type="search" id="q" name="q" value=(clean(&sought.q)) autocomplete="off";
                }
                (people.person_field("userId", "Person", &user, "Everybody in the channel"))
                (channels.channel_field("channelId", &sought.channel_id, "All private chats of the person"))
                button.main type="submit" { "Search" }
            }
        }
        @if !sought.q.trim().is_empty() {
            @if found.items.is_empty() {
                (empty("Nothing found", &html! { "Try fewer or other words, or another channel." }))
            } @else {
                section.card aria-label="Results" {
                    ul.list {
                        @for hit in &found.items {
                            li {
                                div.about {
                                    div { (snippet(&hit.snippet)) }
                                    div.small.quiet {
                                        @if hit.direction == "inbound" { "Person" } @else { "Bot" }
                                        " · " (words(&short(hit.channel_name.as_deref().unwrap_or(&hit.platform), 60)))
                                        " · " (when(hit.created_at, asker.now()))
                                        @if !hit.has_match() { " · said next to what was found" }
                                    }
                                }
                                @if let Some(context) = &hit.context_id {
                                    a.small href=(to_message(context, &hit.id)) {
                                        (words(hit.context_name.as_deref().unwrap_or("conversation")))
                                    }
                                }
                            }
                        }
                    }
                }
                (older("/search", &filters, found.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Search", &content))
}

/// A text whose hits stand between `**`, and in which a character of Markdown that means itself has a backslash.
fn snippet(text: &str) -> Markup {
    let (mut pieces, mut letters) = (vec![String::new()], text.chars().peekable());
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => letters.next().unwrap_or('\\'),
            '*' if letters.next_if_eq(&'*').is_some() => {
                pieces.push(String::new());
                continue;
            }
            letter => letter,
        };
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
        }
    }
    html! {
        @for (place, piece) in pieces.iter().enumerate() {
            @if place % 2 == 1 { mark { (words(piece)) } } @else { (words(piece)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_goes_on_where_it_began_and_in_private_wherever_its_person_is() {
        let talk = |user: Option<&str>, space: Option<&str>| Talk {
            id: "1".to_owned(),
            channel_id: "telegram".to_owned(),
            user_id: user.map(str::to_owned),
            space_id: space.map(str::to_owned),
            name: None,
            turn_count: 0,
            last_user_interaction_at: None,
            closed_at: None,
            created_at: serde_json::from_value("2026-01-01T00:00:00Z".into()).unwrap(),
        };
        for (user, space, channel, person, expected) in [
            (Some("ada"), None, Some("web"), Some("ada"), true),
            (Some("ada"), None, None, Some("ada"), true),
            (Some("ada"), None, Some("web"), Some("bob"), false),
            (Some("ada"), None, Some("telegram"), Some("bob"), true),
            (None, Some("club"), Some("web"), Some("ada"), false),
            (Some("ada"), Some("club"), Some("web"), Some("ada"), false),
            (None, None, None, None, false),
            (None, None, Some("telegram"), None, true),
        ] {
            let said = format!("{user:?} {space:?} in {channel:?} of {person:?}");
            assert_eq!(talk(user, space).may_go_on(channel, person), expected, "{said}");
        }
    }

    #[test]
    fn hits_are_marked_and_stay_text() {
        let shown = snippet("a **<b>** c").into_string();
        assert_eq!(shown, "<bdi>a </bdi><mark><bdi>&lt;b&gt;</bdi></mark><bdi> c</bdi>");
        let shown = snippet(r"12\*12 is **\*\*** \\").into_string();
        assert_eq!(shown, r"<bdi>12*12 is </bdi><mark><bdi>**</bdi></mark><bdi> \</bdi>");
    }
}
