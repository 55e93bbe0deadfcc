//! MCP servers: whether each is at work, why not, and what it brings.

use maud::{Markup, html};
use serde::Deserialize;

use super::{Tool, Within, address, how_many};
use crate::view::{
    parts::{Tone, badge, empty, short},
    words,
};

/// The tool that holds the settings of all servers, and has no command of its own.
const SECTION: &str = "mcp";

/// The server behind a tool.
#[derive(Deserialize)]
pub(super) struct Server {
    state: String,
    error: Option<String>,
}

impl Server {
    fn badge(&self) -> Markup {
        let (tone, word) = match self.state.as_str() {
            "at_work" => (Tone::Good, "at work"),
            "starting" => (Tone::Calm, "is being started"),
            "away" => (Tone::Bad, "not at work"),
            _ => (Tone::Plain, "not known here"),
        };
        badge(tone, word)
    }
}

/// It comes with the bot.
pub(super) fn is_built_in(tool: &Tool) -> bool {
    tool.server.is_none() && tool.name != SECTION
}

/// The servers as a part of the page.
pub(super) fn draw(tools: &[Tool], within: &Within, is_owner: bool) -> Markup {
    let servers: Vec<_> = tools
        .iter()
        .filter_map(|tool| Some((tool, tool.server.as_ref()?)))
        .collect();
    html! {
        section.card id="servers" data-live aria-labelledby="servers-title" {
            header { h2 id="servers-title" { "MCP servers" } }
            @if servers.is_empty() {
                (empty("No MCP server is connected", &html! {
                    "Each brings further tools. " code { "clifford mcp add" } " on the bot's machine connects one."
                }))
            } @else {
                ul.list { @for (tool, server) in servers { (line(tool, server, within, is_owner)) } }
            }
        }
    }
}

fn line(tool: &Tool, server: &Server, within: &Within, is_owner: bool) -> Markup {
    let is_off = server.state == "at_work" && !tool.usable;
    html! {
        li {
            div.about {
                @if is_owner { a href=(address(tool, within)) { (words(&tool.name)) } } @else { strong { (words(&tool.name)) } }
                @match (&server.error, &tool.why) {
                    (Some(error), _) => { div { (words(&short(error, 300))) } div.small.quiet { "It is tried again by itself." } }
                    (None, Some(why)) if is_off => { div.small.quiet { (words(why)) } }
                    _ => {}
                }
                @if !tool.commands.is_empty() { div.small.quiet { (how_many(tool.commands.len())) } }
            }
            div.row {
                @if is_off { (badge(Tone::Plain, "off")) }
                (server.badge())
            }
        }
    }
}
