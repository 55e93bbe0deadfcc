//! The frame of every page: landmarks and navigation.

use maud::{Markup, html};

use super::{
    document::{document, logo},
    words,
};
use crate::{backend::Asker, session::FIELD};

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
                    div.note.warn id="out" role="status" hidden {
                        "You are logged out. " a href="/login" { "Log in in another window" }
                        ", and this page goes on: what you typed stays here."
                    }
                    (content)
                }
            }
        },
    )
}

/// The field that shows that a form comes from a page of this session.
pub(crate) fn token(asker: &Asker) -> Markup {
    html! { input type="hidden" name=(FIELD) value=(asker.token); }
}

/// Pages that would only say that they are the owner's are left out.
fn may_see(asker: &Asker, address: &str) -> bool {
    let Some(me) = asker.me().filter(|me| me.is_person()) else {
        return true;
    };
    match address {
        "/agents" | "/policies" | "/quarantine" => false,
        "/tools" => me.manages,
        _ => true,
    }
}

fn is_at(here: &str, address: &str) -> Option<&'static str> {
    let below = here.strip_prefix(address).is_some_and(|rest| rest.starts_with('/'));
    (here == address || (address != "/" && below)).then_some("page")
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
