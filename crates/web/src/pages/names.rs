//! The names behind ids, for lists that show whose something is.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    view::{
        clean,
        parts::{choice_field, short},
        words,
    },
};

/// How much of a name stands in a list: one that goes on and on would take the room of all else.
const LONGEST: usize = 60;

#[derive(Deserialize)]
struct Named {
    id: String,
    name: Option<String>,
}

/// Names by id: the newest, and those that a page needs besides them.
#[derive(Default)]
pub(crate) struct Names {
    known: BTreeMap<String, String>,
    /// There are more than these.
    more: bool,
}

impl Names {
    /// The people whom the reader sees.
    pub(crate) async fn of_people(asker: &Asker) -> Result<Self, Failure> {
        Self::of(asker, "/api/users?limit=200").await
    }

    /// The same with the one that a list is of.
    pub(crate) async fn of_people_with(asker: &Asker, wanted: &str) -> Result<Self, Failure> {
        let mut names = Self::of_people(asker).await?;
        let wanted = Some(wanted).filter(|wanted| !wanted.is_empty());
        names.complete_people(asker, [wanted]).await?;
        Ok(names)
    }

    /// Adds the people whom a page names, where there are more than the newest.
    pub(crate) async fn complete_people<'a>(
        &mut self,
        asker: &Asker,
        ids: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Result<(), Failure> {
        self.complete(asker, "/api/users", ids).await
    }

    /// The channels that the reader sees.
    pub(crate) async fn of_channels(asker: &Asker) -> Result<Self, Failure> {
        Self::of(asker, "/api/channels?limit=200").await
    }

    /// Adds the channels that a page names, where there are more than the newest.
    pub(crate) async fn complete_channels<'a>(
        &mut self,
        asker: &Asker,
        ids: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Result<(), Failure> {
        self.complete(asker, "/api/channels", ids).await
    }

    async fn complete<'a>(
        &mut self,
        asker: &Asker,
        path: &str,
        ids: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Result<(), Failure> {
        if !self.more {
            return Ok(());
        }
        let missing: BTreeSet<_> = ids.into_iter().flatten().filter(|id| self.name(id).is_none()).collect();
        let paths: Vec<_> = missing.iter().map(|id| format!("{path}/{}", part(id))).collect();
        let found = try_join_all(paths.iter().map(|path| asker.find::<Named>(path))).await?;
        self.known
            .extend(found.into_iter().flatten().filter_map(|one| Some((one.id, one.name?))));
        Ok(())
    }

    /// The same with the one that a list is of. The list of who manages a server has only the chats in which they
    /// write.
    pub(crate) async fn of_channels_with(asker: &Asker, wanted: &str) -> Result<Self, Failure> {
        let mut names = Self::of_channels(asker).await?;
        if !wanted.is_empty() && names.name(wanted).is_none() {
            let found: Option<Named> = asker.find(&format!("/api/channels/{}", part(wanted))).await?;
            if let Some(found) = found {
                let name = found.name.unwrap_or_else(|| "(no name)".to_owned());
                names.known.insert(found.id, name);
            }
        }
        Ok(names)
    }

    /// The same with those of the space that a list is of.
    pub(crate) async fn of_channels_in(asker: &Asker, space: &str) -> Result<Self, Failure> {
        let mut names = Self::of_channels(asker).await?;
        if !space.is_empty() {
            let there = with_query("/api/channels", &[("spaceId", space), ("limit", "200")]);
            names.known.extend(Self::of(asker, &there).await?.known);
        }
        Ok(names)
    }

    /// The spaces that the reader sees.
    pub(crate) async fn of_spaces(asker: &Asker) -> Result<Self, Failure> {
        let found: Vec<Named> = match asker.all("/api/spaces", &[]).await {
            Err(Failure::Refused(refused)) if refused.is_of_access() => Vec::new(),
            found => found?,
        };
        Ok(Self {
            known: found.into_iter().filter_map(|one| Some((one.id, one.name?))).collect(),
            more: false,
        })
    }

    async fn of(asker: &Asker, path: &str) -> Result<Self, Failure> {
        let found: Option<Page<Named>> = asker.find(path).await?;
        let found = found.unwrap_or_default();
        let items = found.items.into_iter();
        Ok(Self {
            known: items.filter_map(|one| Some((one.id, one.name?))).collect(),
            more: found.next.is_some(),
        })
    }

    /// The name of one, as a text.
    pub(crate) fn name(&self, id: &str) -> Option<&str> {
        self.known.get(id).map(String::as_str)
    }

    /// The name of one.
    pub(crate) fn show(&self, id: Option<&str>) -> Markup {
        let name = id.and_then(|id| self.known.get(id));
        let Some(name) = name else {
            return html! { span.quiet { "–" } };
        };
        let shown = short(name, LONGEST);
        html! { @if shown == *name { (words(name)) } @else { span title=(clean(name)) { (words(&shown)) } } }
    }

    /// The same behind a name for all of them, for a filter.
    pub(crate) fn filter<'a>(&'a self, all: &'a str) -> Vec<(&'a str, &'a str)> {
        [("", all)].into_iter().chain(self.choices()).collect()
    }

    /// Ids with their names, for a choice: by name.
    pub(crate) fn choices(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<_> = self
            .known
            .iter()
            .map(|(id, name)| (id.as_str(), name.as_str()))
            .collect();
        all.sort_by_cached_key(|(_, name)| name.to_lowercase());
        all
    }

    /// The one who came first.
    pub(crate) fn first(&self) -> Option<&str> {
        self.known.keys().next().map(String::as_str)
    }

    /// A field that chooses one of these channels; where there are more, the page of channels leads to them.
    pub(crate) fn channel_field(&self, id: &str, value: &str, none: &str) -> Markup {
        html! {
            (choice_field(id, "Channel", value, &self.filter(none)))
            @if self.more { p.small.quiet { "These are the newest. " a href="/channels" { "Find another channel" } } }
        }
    }

    /// Whether there are more than these.
    pub(crate) fn has_more(&self) -> bool {
        self.more
    }

    /// A field that chooses one of these people; `none` is the choice of none of them. Where there are more, the page
    /// of people leads to them.
    pub(crate) fn person_field(&self, id: &str, label: &str, value: &str, none: &str) -> Markup {
        html! {
            (choice_field(id, label, value, &self.filter(none)))
            @if self.more { p.small.quiet { "These are the newest. " a href="/people" { "Find somebody else" } } }
        }
    }
}
