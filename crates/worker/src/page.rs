//! The content of an HTML page: its text, its article, its links. Strangers write pages, so everything is bounded.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability, TextMode};
use html5ever::{ParseOpts, parse_document, tendril::TendrilSink, tree_builder::TreeBuilderOpts};
use url::Url;

use super::task::{About, Article, Link, PageText, Window, excerpt};

/// The most nodes of a page.
const MOST_NODES: usize = 150_000;
/// How deep a page may be nested.
const DEEPEST: usize = 256;
/// How long a page may take to parse.
const TIME: Duration = Duration::from_secs(5);
/// How many bytes are parsed between two looks at the limits: a few bytes of broken HTML can make many nodes.
const PIECE: usize = 16;
/// After how many more nodes the depth is looked at.
const LOOK_EVERY: usize = 10_000;
/// The most links that are returned.
const MOST_LINKS: usize = 50;
/// The most bytes of a link that is returned.
const LONGEST_LINK: usize = 1000;
/// The most characters of a title, a name, a link's text.
const LONGEST_LINE: usize = 300;

/// Elements that hold no text for readers.
const UNREADABLE: &str = "head, script, style, noscript, template, svg, iframe, object";

/// The page is too large or too tangled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page's HTML is too large or too tangled to be read")]
pub(super) struct Tangled;

/// A part of all of a page's text.
pub(super) fn whole(html: &str, window: Window) -> Result<PageText, Tangled> {
    let document = parse(html)?;
    let title = line(&document.select("title").first().text());
    let leads_to = refresh(&document);
    document.select(UNREADABLE).remove();
    let excerpt = excerpt(document.formatted_text().trim(), window);
    Ok(PageText {
        title,
        leads_to,
        excerpt,
    })
}

/// All of a page's text.
pub(super) fn text(html: &str) -> Result<String, Tangled> {
    let document = parse(html)?;
    document.select(UNREADABLE).remove();
    Ok(document.formatted_text().trim().to_owned())
}

/// Where a page sends its readers by itself: `<meta http-equiv="refresh" content="0; url=…">`.
fn refresh(document: &Document) -> Option<String> {
    let metas = document.select("meta[http-equiv][content]");
    let content = metas.nodes().iter().find_map(|meta| {
        let is_refresh = meta.attr("http-equiv")?.eq_ignore_ascii_case("refresh");
        is_refresh.then(|| meta.attr("content")).flatten()
    })?;
    let (_, place) = content.split_once([';', ','])?;
    let place = place.trim_start();
    let named = place.get(..3).filter(|name| name.eq_ignore_ascii_case("url"));
    let place = named
        .and_then(|_| place.get(3..)?.trim_start().strip_prefix('='))
        .unwrap_or(place);
    let place = place.trim().trim_matches(['"', '\'']);
    (!place.is_empty() && place.len() <= LONGEST_LINK).then(|| place.to_owned())
}

/// The main article of a page, without navigation and the like.
pub(super) fn article(html: &str, url: &Url, window: Window) -> Result<Article, Tangled> {
    let document = parse(html)?;
    let base = document.select("base[href]").first().attr("href");
    let base = base
        .and_then(|base| url.join(&base).ok())
        .unwrap_or_else(|| url.clone());
    let settings = Config {
        text_mode: TextMode::Markdown,
        ..Config::default()
    };
    let reader = Readability::with_document(document.clone(), Some(url.as_str()), Some(settings));
    let mut reader = reader.map_err(|_| Tangled)?;
    let metadata = reader.get_article_metadata(reader.parse_json_ld());
    let told = |text: Option<String>| text.map(|text| line(&text));
    let about = About {
        title: line(&metadata.title),
        byline: told(metadata.byline),
        site: told(metadata.site_name),
        published: told(metadata.published_time),
        language: told(metadata.lang),
        description: told(metadata.excerpt),
    };
    Ok(match reader.parse() {
        Ok(found) => Article {
            about,
            excerpt: excerpt(found.text_content.trim(), window),
            links: links(&parse(&found.content)?, &base),
        },
        // A list of links, a form: no article to be found.
        Err(_) => {
            document.select(UNREADABLE).remove();
            Article {
                about,
                excerpt: excerpt(document.md(None).trim(), window),
                links: links(&document, &base),
            }
        }
    })
}

fn links(document: &Document, base: &Url) -> Vec<Link> {
    let mut seen = HashSet::new();
    let mut links = Vec::new();
    for anchor in document.select("a[href]").nodes() {
        let Some(url) = anchor.attr("href").and_then(|href| base.join(&href).ok()) else {
            continue;
        };
        let web = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= LONGEST_LINK;
        if web && seen.insert(url.clone()) {
            links.push(Link {
                text: line(&anchor.text()),
                url: url.into(),
            });
        }
        if links.len() == MOST_LINKS {
            break;
        }
    }
    links
}

/// Parses piece by piece, and gives up on pages that would take all memory or time: HTML repairs itself, and what is
/// never closed may be repeated in every element that follows.
fn parse(html: &str) -> Result<Document, Tangled> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let began = Instant::now();
    let mut looked_at = 0;
    let mut parser = parse_document(Document::default(), options);
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(PIECE));
        parser.process(piece.into());
        rest = behind;
        let document = &parser.tokenizer.sink.sink;
        let nodes = document.tree.len();
        if nodes > MOST_NODES || began.elapsed() > TIME {
            return Err(Tangled);
        }
        // The deeper it is, the longer each further element takes.
        if nodes > looked_at + LOOK_EVERY {
            looked_at = nodes;
            if is_deep(document) {
                return Err(Tangled);
            }
        }
    }
    let document = parser.finish();
    if is_deep(&document) { Err(Tangled) } else { Ok(document) }
}

/// Whether it is nested deeper than is read; looks at each node once, without recursion.
fn is_deep(document: &Document) -> bool {
    let mut here: Option<NodeRef<'_>> = Some(document.root());
    let mut depth = 0_usize;
    while let Some(node) = here {
        if let Some(child) = node.first_child() {
            depth += 1;
            if depth > DEEPEST {
                return true;
            }
            here = Some(child);
            continue;
        }
        let mut last = node;
        here = loop {
            if let Some(next) = last.next_sibling() {
                break Some(next);
            }
            match last.parent() {
                Some(parent) if depth > 1 => {
                    depth -= 1;
                    last = parent;
                }
                _ => break None,
            }
        };
    }
    false
}

/// A text on one line, and not too long for one.
fn line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(LONGEST_LINE).collect()
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
