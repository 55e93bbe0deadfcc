//! Files: what people sent and the bot made, to be taken out or deleted.

use axum::{http::Method, response::Redirect};
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;

use super::names::Names;
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{At, size, when},
        layout,
        parts::{Button, empty, head, older},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    id: String,
    name: Option<String>,
    media_type: Option<String>,
    size: Option<u64>,
    created_at: At,
}

/// Those that are asked for.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FilesQuery {
    q: String,
    /// The person; empty: the reader.
    user_id: String,
    before: String,
}

/// The list.
#[handler]
pub(crate) async fn list(asker: Asker, Query(query): Query<FilesQuery>) -> Result<Markup, Failure> {
    let filters = [("q", query.q.trim()), ("userId", query.user_id.as_str())];
    let all: Vec<_> = filters.into_iter().chain([("before", query.before.as_str())]).collect();
    let path = with_query("/api/files", &all);
    let (page, people) = try_join!(
        asker.get::<Page<File>>(&path),
        Names::of_people_with(&asker, &query.user_id)
    )?;
    let about = match asker.is_person() {
        true => "Files that you sent, and those that the bot made for you.",
        false => "Files that a person sent, and those that the bot made for them.",
    };
    let content = html! {
        (head("Files", about, &html! {}))
        form.card method="get" action="/files" role="search" {
            div.fields {
                div.field { label for="q" { "Name" } input type="search" id="q" name="q" value=(clean(&query.q)) autocomplete="off"; }
                @if !asker.is_person() { (people.person_field("userId", "Person", &query.user_id, "My own")) }
                button type="submit" { "Show" }
            }
        }
        section id="files" data-live aria-label="Files" {
            @if page.items.is_empty() {
                (empty("No files here", &html! { "Send the bot a file on any platform, and it shows here." }))
            } @else {
                table.table.cards {
                    caption.hidden { "Files, newest first" }
                    thead {
                        tr {
                            th scope="col" { "Name" } th scope="col" { "Kind" } th.number scope="col" { "Size" }
                            th scope="col" { "Kept since" } th scope="col" { span.hidden { "Actions" } }
                        }
                    }
                    tbody {
                        @for file in &page.items {
                            tr {
                                td.lead {
                                    a href={ "/api/files/" (file.id) "/content" } download { (words(file.name.as_deref().unwrap_or("(no name)"))) }
                                }
                                td data-label="Kind" { (words(file.media_type.as_deref().unwrap_or("–"))) }
                                td.number data-label="Size" { @if let Some(bytes) = file.size { (size(bytes)) } }
                                td data-label="Kept since" { (when(file.created_at, asker.now())) }
                                td { (Button::new(&format!("/files/{}/delete", file.id), "Delete").danger("Delete this file?").draw(&asker)) }
                            }
                        }
                    }
                }
                (older("/files", &filters, page.next.as_deref()))
            }
        }
    };
    Ok(layout::page(&asker, "Files", &content))
}

/// Deletes one.
#[handler]
pub(crate) async fn delete(Path(id): Path<String>, form: Form) -> Result<Redirect, Failure> {
    form.send(Method::DELETE, &format!("/api/files/{}", part(&id)), None)
        .await?;
    Ok(Redirect::to(form.back("/files")))
}
