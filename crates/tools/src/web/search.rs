//! Searching the web: three providers behind one shape, each by its documented API.

use reqwest::{RequestBuilder, StatusCode, header::HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    super::{
        Options, ToolContext, ToolError,
        service::{BaseUrl, Service},
    },
    Config,
};

/// Hits if none are asked for.
const USUAL: u32 = 5;
/// The most characters of a snippet.
const SNIPPET: usize = 600;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The words to look for.
    #[schemars(length(min = 1, max = 400))]
    query: String,
    /// How many hits; left out: 5.
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct Found {
    results: Vec<Hit>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Hit {
    title: String,
    url: String,
    snippet: String,
}

/// The search engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Provider {
    /// Nobody: there is no search.
    #[default]
    None,
    /// A SearXNG server.
    Searxng,
    /// Brave's search API.
    Brave,
    /// Tavily's search API.
    Tavily,
}

/// The requirement of searching that is missing, and its remedy.
pub(super) fn missing(options: &Options) -> Option<String> {
    let config = match Config::deserialize(options.section("web")) {
        Ok(config) => config,
        Err(error) => return Some(format!("what is set for web cannot be used: {error}")),
    };
    let keyed = options.services().secrets.contains_key("web.key");
    match config.search {
        Provider::None => Some("no search provider; set tools.web.search".to_owned()),
        Provider::Searxng if config.search_url.is_none() => {
            Some("the SearXNG server is not named; set tools.web.search_url".to_owned())
        }
        Provider::Brave | Provider::Tavily if !keyed => {
            Some("the search provider's key is missing; set tools.web.key".to_owned())
        }
        _ => None,
    }
}

pub(super) async fn search(cx: ToolContext, args: Args) -> Result<Found, ToolError> {
    let config: Config = cx.config("web")?;
    if let Some(missing) = missing(&cx.options) {
        return Err(ToolError::Unavailable(missing));
    }
    let limit = args.limit.unwrap_or(USUAL).clamp(1, 20);
    let base = config.search_url.unwrap_or_else(|| own_url(config.search));
    let key = cx.services.secrets.get("web.key").map_or("", |key| key.expose());
    let service = service(config.search);
    cx.came_from(base.host());
    let request = request(config.search, service, &base, key, &args.query, limit)?;
    let answer: Value = service.ask(request).await?;
    let results = hits(config.search, &answer, usize::try_from(limit).unwrap_or(usize::MAX))
        .ok_or_else(|| ToolError::Unavailable(format!("{}: its answer cannot be read", service.name)))?;
    Ok(Found { results })
}

/// Where a provider's API begins that is not told; SearXNG's is.
fn own_url(provider: Provider) -> BaseUrl {
    BaseUrl::fixed(match provider {
        Provider::Tavily => "https://api.tavily.com",
        Provider::Brave | Provider::Searxng | Provider::None => "https://api.search.brave.com",
    })
}

fn service(provider: Provider) -> Service {
    match provider {
        Provider::Tavily => Service {
            name: "Tavily",
            reason: "/detail/error",
            remedy: |status| match status.as_u16() {
                401 | 403 => Some("the owner has to mend tools.web.key"),
                429 => Some("try again in a while"),
                432 | 433 => Some("its plan is used up"),
                _ => None,
            },
        },
        Provider::Brave => Service {
            name: "Brave Search",
            reason: "/error/detail",
            remedy: |status| match status.as_u16() {
                401 | 403 => Some("the owner has to mend tools.web.key"),
                429 => Some("try again in a while"),
                _ => None,
            },
        },
        Provider::Searxng | Provider::None => Service {
            name: "SearXNG",
            reason: "/error",
            remedy: |status| match status {
                StatusCode::FORBIDDEN => Some("the owner has to allow json in its settings (search.formats)"),
                StatusCode::TOO_MANY_REQUESTS => Some("its limiter takes Clifford for a stranger"),
                _ => None,
            },
        },
    }
}

fn request(
    provider: Provider,
    service: Service,
    base: &BaseUrl,
    key: &str,
    query: &str,
    limit: u32,
) -> Result<RequestBuilder, ToolError> {
    let client = service.client()?;
    Ok(match provider {
        Provider::Brave => {
            let mut key = HeaderValue::from_str(key)
                .map_err(|_| ToolError::Unavailable("tools.web.key holds what no key holds".to_owned()))?;
            key.set_sensitive(true);
            let count = limit.to_string();
            client
                .get(base.join("res/v1/web/search"))
                .header("accept", "application/json")
                .header("x-subscription-token", key)
                .query(&[
                    ("q", query),
                    ("count", count.as_str()),
                    ("text_decorations", "false"),
                    ("result_filter", "web"),
                ])
        }
        Provider::Tavily => client
            .post(base.join("search"))
            .bearer_auth(key)
            .json(&json!({ "query": query, "max_results": limit, "search_depth": "basic" })),
        Provider::Searxng | Provider::None => client
            .get(base.join("search"))
            .query(&[("q", query), ("format", "json")]),
    })
}

/// The hits of an answer; `None`: it is none.
fn hits(provider: Provider, answer: &Value, limit: usize) -> Option<Vec<Hit>> {
    let (results, snippet) = match provider {
        // Brave leaves `web` out where there is nothing.
        Provider::Brave if answer["type"] == "search" && answer["web"].is_null() => return Some(Vec::new()),
        Provider::Brave => (&answer["web"]["results"], "description"),
        Provider::Tavily | Provider::Searxng | Provider::None => (&answer["results"], "content"),
    };
    let hit = |found: &Value| {
        let text = |key: &str| found[key].as_str().unwrap_or_default().trim().to_owned();
        let url = text("url");
        (!url.is_empty()).then(|| Hit {
            title: text("title"),
            url,
            snippet: text(snippet).chars().take(SNIPPET).collect(),
        })
    };
    Some(results.as_array()?.iter().filter_map(hit).take(limit).collect())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use clifford_store::places::settings::Setting;
    use clifford_vault::Secret;

    use super::*;
    use crate::{Registry, Services, ToolSettings};

    fn services(section: Value, key: Option<&str>) -> Services {
        Services {
            config: ToolSettings::deserialize(json!({ "web": section })).expect("settings"),
            secrets: key
                .map(|key| BTreeMap::from([("web.key".to_owned(), Secret::new(key))]))
                .unwrap_or_default(),
            ..Services::default()
        }
    }

    #[test]
    fn there_is_a_search_only_where_somebody_can_answer_it() {
        let searxng = json!({ "search": "searxng", "search_url": "http://127.0.0.1:8888" });
        for (section, key, expected) in [
            (json!({}), None, Some("tools.web.search")),
            (json!({ "search": "searxng" }), None, Some("tools.web.search_url")),
            (searxng, None, None),
            (json!({ "search": "brave" }), None, Some("tools.web.key")),
            (json!({ "search": "brave" }), Some("k"), None),
            (json!({ "search": "tavily" }), None, Some("tools.web.key")),
            (json!({ "search": "tavily" }), Some("k"), None),
        ] {
            let options = Options::new(Arc::new(services(section.clone(), key)), &[]);
            let fault = missing(&options);
            assert_eq!(fault.is_some(), expected.is_some(), "{section}: {fault:?}");
            assert!(fault.is_none_or(|fault| fault.ends_with(expected.unwrap_or_default())));
            assert_eq!(shown(&options), expected.is_none(), "{section}");
        }
    }

    fn shown(options: &Options) -> bool {
        let visible = Registry::built_in(1).visible(None, options);
        visible.iter().any(|visible| visible.has("web.search"))
    }

    #[test]
    fn what_is_set_where_the_call_is_made_says_whether_there_is_a_search() {
        let set = |field: &str, value: &str| Setting {
            name: format!("tool.web.{field}"),
            value: json!(value).to_string(),
        };
        let searxng = [set("search", "searxng"), set("search_url", "http://127.0.0.1:8888")];
        let here = |section: Value, key: Option<&str>, rows: &[Setting]| {
            let options = Options::new(Arc::new(services(section, key)), rows);
            (shown(&options), missing(&options))
        };
        let brave = json!({ "search": "brave" });
        let nobody = Some("no search provider; set tools.web.search".to_owned());
        assert_eq!(here(json!({}), None, &[]), (false, nobody.clone()));
        assert_eq!(here(json!({}), None, &searxng), (true, None));
        assert_eq!(here(brave.clone(), Some("k"), &[]), (true, None));
        assert_eq!(here(brave, Some("k"), &[set("search", "none")]), (false, nobody));
    }

    #[test]
    fn what_is_no_answer_is_not_taken_for_nothing_found() {
        let none = Some(Vec::new());
        for (provider, answer, expected) in [
            (Provider::Brave, json!({ "type": "search" }), none.as_ref()),
            (Provider::Brave, json!({ "type": "ErrorResponse" }), None),
            (Provider::Tavily, json!({ "results": [] }), none.as_ref()),
            (Provider::Tavily, json!({ "detail": "no" }), None),
            (
                Provider::Searxng,
                json!({ "results": [{ "title": "no url" }] }),
                none.as_ref(),
            ),
            (Provider::Searxng, json!([]), None),
        ] {
            assert_eq!(hits(provider, &answer, 5).as_ref(), expected, "{provider:?} {answer}");
        }
    }
}
