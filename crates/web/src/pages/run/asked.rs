//! The origin of a run: its person and place, or its trigger, with links as far as the reader may see them.

use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;

use super::super::runs::Run;
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    view::{format::title, words},
};

/// The platform of the dashboard and the API, whose accounts have no names.
const WEB: &str = "web";

#[derive(Deserialize)]
struct Person {
    id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    platform: String,
    platform_user_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    id: String,
    platform: String,
    kind: String,
    name: Option<String>,
    space_id: Option<String>,
}

#[derive(Deserialize)]
struct Space {
    id: String,
    name: Option<String>,
}

/// A trigger that began a run.
struct Trigger {
    /// The word for it.
    kind: &'static str,
    name: Option<String>,
}

impl Trigger {
    fn of(run: &Run) -> Option<Self> {
        let begun = run.input_json.get("trigger")?;
        // The data of a webhook's request is marked as from there.
        let is_webhook = run.input_json.get("origins").is_some();
        Some(Self {
            kind: if is_webhook { "webhook" } else { "schedule" },
            name: begun["name"].as_str().map(str::to_owned),
        })
    }
}

/// Where a run comes from, as far as its reader sees it.
pub(super) struct Asked {
    parent: Option<String>,
    trigger: Option<Trigger>,
    person: Option<Person>,
    accounts: Vec<Account>,
    channel: Option<Channel>,
    space: Option<Space>,
}

impl Asked {
    pub(super) async fn of(asker: &Asker, run: &Run) -> Result<Self, Failure> {
        let (person, accounts, channel) = try_join!(
            found(asker, run.user_id.as_deref(), "/api/users/", ""),
            found(asker, run.user_id.as_deref(), "/api/users/", "/identities"),
            found(asker, run.channel_id.as_deref(), "/api/channels/", ""),
        )?;
        let channel: Option<Channel> = channel;
        let space = channel.as_ref().and_then(|channel| channel.space_id.as_deref());
        let space = found(asker, space, "/api/spaces/", "").await?;
        let accounts: Option<Page<Account>> = accounts;
        Ok(Self {
            parent: run.parent_run_id.clone(),
            trigger: Trigger::of(run),
            person,
            accounts: accounts.unwrap_or_default().items,
            channel,
            space,
        })
    }

    /// In a line.
    pub(super) fn draw(&self) -> Markup {
        let begun_by = match (&self.parent, &self.trigger) {
            (Some(parent), _) => {
                Some(html! { "Begun by " a href={ "/runs/" (parent) } { "the run that asked for it" } })
            }
            (None, Some(trigger)) => Some(html! {
                "Begun by a " a href="/reminders" { (trigger.kind) }
                @if let Some(name) = &trigger.name { ": " (words(name)) }
            }),
            (None, None) => None,
        };
        let of = if begun_by.is_some() { "For " } else { "Asked by " };
        html! {
            p.small.quiet.row id="asked-by" {
                @if let Some(begun_by) = begun_by { span { (begun_by) } }
                @if let Some(person) = &self.person {
                    span { (of) a href={ "/people/" (person.id) } { (words(&person.name)) } (self.account()) }
                }
                @if let Some(channel) = &self.channel { span { (self.place(channel)) } }
            }
        }
    }

    /// The account by which they are known where they asked.
    fn account(&self) -> Markup {
        let Some(channel) = self.channel.as_ref().filter(|channel| channel.platform != WEB) else {
            return html! {};
        };
        let ids: Vec<_> = (self.accounts.iter())
            .filter(|account| account.platform == channel.platform)
            .map(|account| account.platform_user_id.as_str())
            .collect();
        html! { @if !ids.is_empty() { " (" code { (words(&ids.join(", "))) } ")" } }
    }

    fn place(&self, channel: &Channel) -> Markup {
        let platform = match channel.platform.as_str() {
            WEB => "the dashboard or the API".to_owned(),
            other => title(other),
        };
        let talks = with_query("/conversations", &[("channelId", &channel.id)]);
        let name = channel.name.as_deref().unwrap_or("(no name)");
        html! {
            @if channel.kind == "private" { "In private, by " a href=(talks) { (words(&platform)) } } @else {
                "On " (words(&platform)) ", in " a href=(talks) { (words(name)) }
                @if let Some(space) = &self.space {
                    " of " a href=(with_query("/channels", &[("space", &space.id)])) { (words(space.name.as_deref().unwrap_or("(no name)"))) }
                }
            }
        }
    }
}

/// The answer to a question about this id, if there is one and the reader may see it.
async fn found<T: serde::de::DeserializeOwned>(
    asker: &Asker,
    id: Option<&str>,
    before: &str,
    behind: &str,
) -> Result<Option<T>, Failure> {
    match id {
        Some(id) => asker.find(&format!("{before}{}{behind}", part(id))).await,
        None => Ok(None),
    }
}
