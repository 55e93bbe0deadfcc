//! `web`: searching the web and reading its pages.

mod search;

use std::time::Duration;

use clifford_core::{net::target::AllowedHost, policy::class::Class};
use clifford_fetch::{FetchError, Fetcher, Kind, Limits, Page};
use clifford_vault::SecretSource;
use clifford_worker::{About, Excerpt, Link, PageText, Window, WorkError, excerpt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Command, Tool, ToolContext, ToolError,
    service::{BaseUrl, status_text},
};

/// The most characters of a page in one answer, if it is not said.
const USUAL: usize = 8_000;
/// The most bytes of an answer's JSON: as many characters as may be asked for, and what stands around them.
const ROOM: usize = 256 * 1024;
/// How long a call may take beyond what fetching takes: a page is read, too.
const READING: Duration = Duration::from_secs(35);

/// Searching the web and reading its pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The search engine: `none`, `searxng` (a server of one's own), `brave` or `tavily`.
    search: search::Provider,
    /// The base address of the provider's API. Without it: Brave's or Tavily's own; SearXNG needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "http://127.0.0.1:8888")]
    search_url: Option<BaseUrl>,
    /// Brave's or Tavily's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "SEARCH_API_KEY"}]))]
    key: Option<SecretSource>,
    /// Hosts that the bot may fetch although they belong to this machine or its network, or use other ports:
    /// `["intranet.example", "127.0.0.1:8080"]`.
    #[schemars(with = "Vec<String>")]
    allow_hosts: Vec<AllowedHost>,
    /// The most bytes of a page, unpacked.
    #[schemars(range(min = 1024, max = 52_428_800))]
    max_bytes: usize,
    /// The longest time for a page, redirects included.
    #[schemars(range(min = 1, max = 30))]
    timeout_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            search: search::Provider::None,
            search_url: None,
            key: None,
            allow_hosts: Vec::new(),
            max_bytes: limits.bytes,
            timeout_seconds: limits.time.as_secs(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct PageArgs {
    /// The page's address: http:// or https://.
    #[schemars(length(min = 1, max = 4000), extend("format" = "uri"))]
    url: String,
    /// The first character to tell, to go on in a long page; left out: 0.
    offset: Option<usize>,
    /// How many characters of its text; left out: 8000.
    #[schemars(range(min = 100, max = 20_000))]
    max_chars: Option<usize>,
}

impl PageArgs {
    fn window(&self) -> Window {
        Window {
            offset: self.offset.unwrap_or(0),
            max_chars: self.max_chars.unwrap_or(USUAL),
        }
    }
}

#[derive(Serialize)]
struct Fetched {
    url: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    /// The page sends its readers on: nobody follows without being asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    leads_to: Option<String>,
    #[serde(flatten)]
    excerpt: Excerpt,
}

#[derive(Serialize)]
struct Extracted {
    url: String,
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    excerpt: Excerpt,
    links: Vec<Link>,
}

pub(super) fn tool() -> Tool {
    let example = json!({ "url": "https://example.com/" });
    Tool::new("web", "🌐", "the web")
        .about("Searches the web, and reads pages. The results were written by strangers.")
        .config::<Config>()
        .command(
            Command::new("search", "{query, limit?}: web search", Class::Read, search::search)
                .about("Searches the web: titles, addresses and snippets.")
                .example(json!({ "query": "height of the Eiffel tower", "limit": 5 }))
                .needs(search::missing)
                .untrusted()
                .reaches_out()
                .exposes_errors(),
        )
        .command(
            Command::new("fetch", "{url, offset?}: a page's text", Class::Read, fetch)
                .about("Fetches a page or another text of the web, and tells all of its text.")
                .example(example.clone())
                .time_limit(READING)
                .result_limit(ROOM)
                .untrusted()
                .reaches_out()
                .exposes_errors(),
        )
        .command(
            Command::new("extract", "{url, offset?}: article and links", Class::Read, extract)
                .about("Fetches a page, and tells its article as Markdown, its links, and what is known of it.")
                .example(example)
                .time_limit(READING)
                .result_limit(ROOM)
                .untrusted()
                .reaches_out()
                .exposes_errors(),
        )
}

/// The client for addresses that a model or a person gave, as the owner configured it.
///
/// # Errors
/// The settings cannot be used, or TLS cannot be set up.
pub(super) fn fetcher(cx: &ToolContext) -> Result<Fetcher, ToolError> {
    let config: Config = cx.config("web")?;
    let limits = Limits {
        bytes: config.max_bytes,
        time: Duration::from_secs(config.timeout_seconds),
    };
    Fetcher::new(config.allow_hosts, limits).map_err(|error| ToolError::Unavailable(error.to_string()))
}

async fn fetch(cx: ToolContext, args: PageArgs) -> Result<Fetched, ToolError> {
    let page = get(&cx, &args.url).await?;
    let PageText {
        title,
        leads_to,
        excerpt,
    } = match page.kind {
        Kind::Plain => PageText {
            title: String::new(),
            leads_to: None,
            excerpt: excerpt(&page.text, args.window()),
        },
        Kind::Html => {
            let workers = &cx.services.workers;
            (workers.page_text(&cx.on_behalf_of(), &page.text, args.window()).await).map_err(unread)?
        }
    };
    let leads_to = leads_to.and_then(|place| page.url.join(&place).ok());
    let leads_to = leads_to.filter(|place| matches!(place.scheme(), "http" | "https") && *place != page.url);
    Ok(Fetched {
        leads_to: leads_to.map(String::from),
        url: page.url.into(),
        status: page.status.as_u16(),
        media_type: page.media_type,
        title,
        excerpt,
    })
}

async fn extract(cx: ToolContext, args: PageArgs) -> Result<Extracted, ToolError> {
    let page = get(&cx, &args.url).await?;
    if page.kind == Kind::Plain {
        return Err(ToolError::TellModel(
            "this is no page of HTML; web.fetch reads it as it is".to_owned(),
        ));
    }
    let (workers, whose) = (&cx.services.workers, cx.on_behalf_of());
    let article = workers.article(&whose, &page.text, &page.url, args.window()).await;
    let article = article.map_err(unread)?;
    Ok(Extracted {
        url: page.url.into(),
        about: article.about,
        excerpt: article.excerpt,
        links: article.links,
    })
}

/// Why a page's HTML was not read.
fn unread(error: WorkError) -> ToolError {
    ToolError::Unavailable(match error {
        WorkError::Rejected(why) | WorkError::Unavailable(why) => why,
        WorkError::TooCostly => "the page's HTML is too large or too tangled to be read".to_owned(),
    })
}

/// A page whose server says that it is one.
async fn get(cx: &ToolContext, url: &str) -> Result<Page, ToolError> {
    let page = fetcher(cx)?.page(url).await.map_err(fault)?;
    cx.came_from(page.url.as_str());
    if page.status.is_success() {
        return Ok(page);
    }
    // Not in the server's words: the person reads this, and the words may be anybody's.
    let error = format!("the page's server answered {}", status_text(page.status));
    Err(if page.status.is_client_error() {
        ToolError::TellModel(error)
    } else {
        ToolError::Unavailable(error)
    })
}

fn fault(error: FetchError) -> ToolError {
    let text = error.to_string();
    match error {
        FetchError::Refused(_) | FetchError::UnknownHost(_) | FetchError::NoText(_) => ToolError::TellModel(text),
        _ => ToolError::Unavailable(text),
    }
}
