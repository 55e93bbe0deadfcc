//! The names behind ids, for lists that show whose something is.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    failure::Failure,
    view::words,
};

#[derive(Deserialize)]
struct Named {
    id: String,
    name: Option<String>,
}

/// Names by id.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// The people whom the reader sees.
    pub(crate) async fn of_people(asker: &Asker) -> Result<Self, Failure> {
        Self::of(asker, "/api/users?limit=200").await
    }

    /// The channels that the reader sees.
    pub(crate) async fn of_channels(asker: &Asker) -> Result<Self, Failure> {
        Self::of(asker, "/api/channels?limit=200").await
    }

    /// The same with the one that a list is of. The list of who manages a server has only the chats in which they write.
    pub(crate) async fn of_channels_with(asker: &Asker, wanted: &str) -> Result<Self, Failure> {
        let mut names = Self::of_channels(asker).await?;
        if !wanted.is_empty() && names.name(wanted).is_none() {
            let found: Option<Named> = asker.find(&format!("/api/channels/{}", part(wanted))).await?;
            if let Some(found) = found {
                let name = found.name.unwrap_or_else(|| "(no name)".to_owned());
                names.0.insert(found.id, name);
            }
        }
        Ok(names)
    }

    /// The same with those of the space that a list is of.
    pub(crate) async fn of_channels_in(asker: &Asker, space: &str) -> Result<Self, Failure> {
        let mut names = Self::of_channels(asker).await?;
        if !space.is_empty() {
            let there = with_query("/api/channels", &[("spaceId", space), ("limit", "200")]);
            names.0.extend(Self::of(asker, &there).await?.0);
        }
        Ok(names)
    }

    /// The spaces that the reader sees.
    pub(crate) async fn of_spaces(asker: &Asker) -> Result<Self, Failure> {
        Self::of(asker, "/api/spaces?limit=200").await
    }

    async fn of(asker: &Asker, path: &str) -> Result<Self, Failure> {
        let found: Option<Page<Named>> = asker.find(path).await?;
        let items = found.unwrap_or_default().items.into_iter();
        Ok(Self(items.filter_map(|one| Some((one.id, one.name?))).collect()))
    }

    /// The name of one, as a text.
    pub(crate) fn name(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }

    /// The name of one.
    pub(crate) fn show(&self, id: Option<&str>) -> Markup {
        let name = id.and_then(|id| self.0.get(id));
        html! { @if let Some(name) = name { (words(name)) } @else { span.quiet { "–" } } }
    }

    /// The same behind a name for all of them, for a filter.
    pub(crate) fn filter<'a>(&'a self, all: &'a str) -> Vec<(&'a str, &'a str)> {
        [("", all)].into_iter().chain(self.choices()).collect()
    }

    /// Ids with their names, for a choice.
    pub(crate) fn choices(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect()
    }
}
