//! The names behind ids, for lists that show whose something is.

use std::collections::{BTreeMap, BTreeSet};

use clifford_chat::names;
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
    /// Those of the same name are told apart by a mark: others decide by whose something is.
    are_marked: bool,
}

impl Names {
    /// The people whom the reader sees.
    pub(crate) async fn of_people(asker: &Asker) -> Result<Self, Failure> {
        let people = Self::of(asker, "/api/users?limit=200").await?;
        Ok(Self {
            are_marked: true,
            ..people
        })
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
            ..Self::default()
        })
    }

    async fn of(asker: &Asker, path: &str) -> Result<Self, Failure> {
        let found: Option<Page<Named>> = asker.find(path).await?;
        let found = found.unwrap_or_default();
        let items = found.items.into_iter();
        Ok(Self {
            known: items.filter_map(|one| Some((one.id, one.name?))).collect(),
            more: found.next.is_some(),
            are_marked: false,
        })
    }

    /// The name of one, as a text.
    pub(crate) fn name(&self, id: &str) -> Option<&str> {
        self.known.get(id).map(String::as_str)
    }

    /// The name of one.
    pub(crate) fn show(&self, id: Option<&str>) -> Markup {
        let known = id.and_then(|id| Some((id, self.known.get(id)?)));
        let Some((id, name)) = known else {
            return html! { span.quiet { "–" } };
        };
        let shown = short(name, LONGEST);
        let mark = self.mark(id, name);
        html! {
            @if shown == *name { (words(name)) } @else { span title=(clean(name)) { (words(&shown)) } }
            @if let Some(mark) = mark { " " span.quiet { (mark) } }
        }
    }

    /// What tells a person from others of the same name; nothing: nobody else has it.
    fn mark(&self, id: &str, name: &str) -> Option<String> {
        let called = name.to_lowercase();
        let is_of_several = || {
            let mut others = self.known.iter().filter(|(other, _)| *other != id);
            others.any(|(_, other)| other.to_lowercase() == called)
        };
        (self.are_marked && is_of_several()).then(|| names::mark(id))
    }

    /// The same behind a name for all of them, for a filter.
    pub(crate) fn filter<'a>(&'a self, all: &'a str) -> Vec<(&'a str, &'a str)> {
        [("", all)].into_iter().chain(self.choices()).collect()
    }

    /// The same, each with what tells it from others of the same name.
    fn marked(&self, none: &str) -> Vec<(&str, String)> {
        let told = |(id, name): (_, &str)| match self.mark(id, name) {
            Some(mark) => (id, format!("{name} {mark}")),
            None => (id, name.to_owned()),
        };
        [("", none.to_owned())]
            .into_iter()
            .chain(self.choices().into_iter().map(told))
            .collect()
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
        let marked = self.marked(none);
        let choices: Vec<_> = marked.iter().map(|(id, name)| (*id, name.as_str())).collect();
        html! {
            (choice_field(id, label, value, &choices))
            @if self.more { p.small.quiet { "These are the newest. " a href="/people" { "Find somebody else" } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_of_one_name_are_told_apart() {
        let known = [("u-1a2b", "Ada"), ("u-3c4d", "ada"), ("u-5e6f", "Bob")];
        let names = Names {
            known: known.map(|(id, name)| (id.to_owned(), name.to_owned())).into(),
            are_marked: true,
            ..Names::default()
        };
        let shown = |id: &str| names.show(Some(id)).into_string();
        assert_eq!(shown("u-1a2b"), "<bdi>Ada</bdi> <span class=\"quiet\">#1a2b</span>");
        assert_eq!(shown("u-5e6f"), "<bdi>Bob</bdi>");
        let choices = names.marked("Everybody");
        let told: Vec<_> = choices.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(told, ["Everybody", "Ada #1a2b", "ada #3c4d", "Bob"]);
    }
}
