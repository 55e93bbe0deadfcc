//! The frame of every page: landmarks, navigation, and what a browser is told.

use clifford_core::clock::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{clean, words};
use crate::{
    assets::{ICON, SCRIPT, STYLE},
    backend::Asker,
    form::FIELD,
};

/// The pages of the navigation: group, then address and name.
const MENU: &[(&str, &[(&str, &str)])] = &[
    ("Now", &[("/", "Home"), ("/chat", "Chat"), ("/runs", "Runs")]),
    (
        "Kept",
        &[
            ("/conversations", "Conversations"),
            ("/search", "Search"),
            ("/memory", "Memory"),
            ("/reminders", "Reminders"),
            ("/files", "Files"),
            ("/usage", "Usage"),
            ("/feedback", "Feedback"),
        ],
    ),
    (
        "Set up",
        &[
            ("/channels", "Channels"),
            ("/outbox", "Outbox"),
            ("/quarantine", "Quarantine"),
            ("/agents", "Agents"),
            ("/tools", "Tools"),
            ("/policies", "Policies"),
            ("/people", "People"),
            ("/tokens", "Tokens"),
            ("/settings", "Settings"),
        ],
    ),
];

/// A page within the frame.
pub(crate) fn page(asker: &Asker, title: &str, content: &Markup) -> Markup {
    let here = asker.path.split('?').next().unwrap_or_default();
    document(
        title,
        Some(asker.now()),
        &html! {
            a.skip href="#main" { "Skip to the content" }
            div.shell {
                header.side {
                    a.brand href="/" { (logo()) "Clifford" }
                    button.menu-button type="button" popovertarget="menu" { "Menu" }
                    nav.menu id="menu" popover aria-label="Pages" {
                        @for (group, pages) in MENU {
                            div {
                                h2 { (group) }
                                ul {
                                    @for (address, name) in pages.iter().filter(|(address, _)| may_see(asker, address)) {
                                        li { a href=(address) aria-current=[is_at(here, address)] { (name) } }
                                    }
                                }
                            }
                        }
                        div.foot {
                            @if let Some(me) = asker.me() { span { "Here as " (words(&me.name)) } }
                            form method="post" action="/logout" {
                                (token(asker))
                                button type="submit" { "Log out" }
                            }
                        }
                    }
                }
                main id="main" tabindex="-1" {
                    div.hidden id="said" role="status" {}
                    div.note.warn id="away" role="status" hidden {
                        "The server does not answer. What is shown may be old; this page goes on by itself as soon as it does."
                    }
                    (content)
                }
            }
        },
    )
}

/// A page without the frame: for those who are not in.
pub(crate) fn alone(title: &str, content: &Markup) -> Markup {
    document(
        title,
        None,
        &html! {
            main.alone id="main" {
                a.brand href="/" { (logo()) "Clifford" }
                h1.hidden { (clean(title)) }
                (content)
            }
        },
    )
}

/// A page without the frame and with all the room: for everybody.
pub(crate) fn open(title: &str, content: &Markup) -> Markup {
    document(title, None, &html! { main id="main" { (content) } })
}

/// `now`: by which the script tells how long ago something was, whatever the browser's clock says.
fn document(title: &str, now: Option<Timestamp>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content="The dashboard of a self-hosted chat bot";
                title { (clean(title)) " · Clifford" }
                link rel="icon" href=(ICON.path) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.path);
                script src=(SCRIPT.path) defer {}
            }
            body data-now=[now.map(|now| now.0)] { (body) }
        }
    }
}

/// The field that shows that a form comes from a page of this session.
pub(crate) fn token(asker: &Asker) -> Markup {
    html! { input type="hidden" name=(FIELD) value=(asker.token); }
}

/// Pages that would only say that they are the owner's are left out.
fn may_see(asker: &Asker, address: &str) -> bool {
    !matches!(address, "/agents" | "/policies" | "/quarantine" | "/tools")
        || asker.me().is_none_or(|me| me.role != "person")
}

fn is_at(here: &str, address: &str) -> Option<&'static str> {
    let below = here.strip_prefix(address).is_some_and(|rest| rest.starts_with('/'));
    (here == address || (address != "/" && below)).then_some("page")
}

fn logo() -> Markup {
    PreEscaped(
        concat!(
            r##"<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3552c8"/>"##,
            r##"<path d="M21.5 11.6A7 7 0 1 0 21.5 20.4" fill="none" stroke="#fff" stroke-width="3.4" "##,
            r##"stroke-linecap="round"/><circle cx="16.6" cy="16" r="2.2" fill="#fff"/></svg>"##,
        )
        .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_navigation_marks_the_page_and_those_below_it() {
        for (here, address, expected) in [
            ("/", "/", true),
            ("/runs", "/", false),
            ("/runs", "/runs", true),
            ("/runs/1", "/runs", true),
            ("/runsomewhere", "/runs", false),
        ] {
            assert_eq!(is_at(here, address).is_some(), expected, "{here} {address}");
        }
    }
}
