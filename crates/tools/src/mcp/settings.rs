//! `[[tools.mcp]]`: which servers there are, and how they are reached.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use clifford_core::policy::class::Class;
use clifford_vault::{Secret, SecretSource, Url};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SECTION;
use crate::Tool;

/// MCP servers. The tools of each become commands of a tool with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Servers(Vec<Server>);

/// An MCP server: a program that is started, or a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Server {
    /// The name of its tool: letters, digits, `_` and `-`.
    #[schemars(length(min = 1, max = 32), example = &"disk")]
    name: String,
    /// Whether it is used.
    enabled: bool,
    /// The program, for a server that speaks over its standard input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), example = &"npx")]
    command: Option<String>,
    /// The program's arguments.
    #[schemars(example = ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"])]
    args: Vec<String>,
    /// The program's environment. Beside these it gets PATH and HOME, and nothing else.
    #[schemars(extend("additionalProperties" = {"writeOnly": true}), example = Server::example_env())]
    env: BTreeMap<String, SecretSource>,
    /// The program's working directory. Without it: the working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1), example = "/srv/files")]
    cwd: Option<PathBuf>,
    /// The address, for a server that speaks over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "http-url"), example = "https://mcp.example.com/mcp")]
    url: Option<Url>,
    /// The token for it, as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true, "examples" = [{"env": "MCP_TOKEN"}]))]
    token: Option<SecretSource>,
    /// More headers for it.
    #[schemars(extend("additionalProperties" = {"writeOnly": true}), example = Server::example_headers())]
    headers: BTreeMap<String, SecretSource>,
    /// The longest time of one call.
    #[schemars(range(min = 1, max = 600))]
    timeout_seconds: u64,
    /// Which of its tools are used; a `*` at the end stands for anything. Without any: all.
    #[schemars(example = ["read_*", "list_directory"])]
    include: Vec<String>,
    /// Which of its tools are not used.
    #[schemars(example = ["delete_*"])]
    exclude: Vec<String>,
    /// The class of its tools, where its own statement is not to be believed: `READ`, `WRITE`, `DESTRUCT` or
    /// `SENSITIVE`.
    #[schemars(example = Server::example_classes())]
    classes: BTreeMap<String, Class>,
    /// Tools whose results only you or the service writes. Their results do not make runs ask. A `*` at the end stands
    /// for anything.
    #[schemars(example = ["get_balance"])]
    trusted: Vec<String>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            name: String::new(),
            enabled: true,
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            url: None,
            token: None,
            headers: BTreeMap::new(),
            timeout_seconds: 30,
            include: Vec::new(),
            exclude: Vec::new(),
            classes: BTreeMap::new(),
            trusted: Vec::new(),
        }
    }
}

impl Server {
    fn example_env() -> BTreeMap<String, SecretSource> {
        BTreeMap::from([("API_KEY".to_owned(), SecretSource::Env("FILES_API_KEY".to_owned()))])
    }

    fn example_headers() -> BTreeMap<String, SecretSource> {
        BTreeMap::from([("X-Api-Key".to_owned(), SecretSource::Env("MCP_API_KEY".to_owned()))])
    }

    fn example_classes() -> BTreeMap<String, Class> {
        BTreeMap::from([("send_*".to_owned(), Class::Sensitive)])
    }

    /// A contradiction within the settings.
    fn fault(&self, built_in: &[Tool]) -> Option<&'static str> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let fits = |name: &String| {
            HeaderName::from_bytes(name.as_bytes())
                .is_ok_and(|name| name != header::ACCEPT && !name.as_str().starts_with("mcp-"))
        };
        match (&self.command, &self.url) {
            _ if self.name.is_empty() => Some("it needs a name"),
            _ if !self.name.chars().all(plain) => Some("its name may hold letters, digits, `_` and `-`"),
            _ if built_in.iter().any(|tool| tool.name == self.name) => {
                Some("this is the name of a tool that is built in; give it another")
            }
            (None, None) => Some("it needs a command or a url"),
            (Some(_), Some(_)) => Some("it has a command and a url; take one of them away"),
            (Some(_), None) if !self.headers.is_empty() || self.token.is_some() => {
                Some("headers and a token go with a url; what a program is given stands in env")
            }
            (None, Some(_)) if !self.args.is_empty() || !self.env.is_empty() || self.cwd.is_some() => {
                Some("args, env and cwd go with a command")
            }
            _ if !self.headers.keys().all(fits) => Some("a header's name is no name, or one that MCP itself sets"),
            _ => None,
        }
    }

    fn endpoint(self, place: usize, secrets: &BTreeMap<String, Secret>) -> Endpoint {
        let value = |key: &str, source: SecretSource| {
            let secret = secrets.get(&format!("{SECTION}[{place}].{key}")).cloned();
            // A text that is no secret stands in the settings themselves.
            secret.or(match source {
                SecretSource::Inline(text) => Some(text),
                _ => None,
            })
        };
        let reach = match (self.command, self.url) {
            (Some(program), _) => Reach::Process(Program {
                program,
                args: self.args,
                env: (self.env.into_iter())
                    .filter_map(|(name, source)| Some((value(&format!("env.{name}"), source)?, name)))
                    .map(|(secret, name)| (name, secret))
                    .collect(),
                cwd: self.cwd,
            }),
            (None, url) => {
                let token = self.token.and_then(|source| value("token", source));
                let bearer = token.map(|token| (header::AUTHORIZATION, format!("Bearer {}", token.expose())));
                let more = self.headers.into_iter().filter_map(|(name, source)| {
                    let value = value(&format!("headers.{name}"), source)?;
                    Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value.expose().to_owned()))
                });
                Reach::Http {
                    url: url.map(|url| url.as_str().to_owned()).unwrap_or_default(),
                    headers: (bearer.into_iter().chain(more))
                        .filter_map(|(name, value)| {
                            let mut value = HeaderValue::try_from(value).ok()?;
                            value.set_sensitive(true);
                            Some((name, value))
                        })
                        .collect(),
                }
            }
        };
        Endpoint {
            name: self.name,
            reach,
            time_limit: Duration::from_secs(self.timeout_seconds),
            include: self.include,
            exclude: self.exclude,
            classes: self.classes,
            trusted: self.trusted,
        }
    }
}

impl Servers {
    /// A fault of one of them, or between two.
    pub(super) fn fault(&self, built_in: &[Tool]) -> Option<String> {
        for (place, server) in self.0.iter().enumerate() {
            let taken = self.0[..place].iter().any(|other| other.name == server.name);
            let fault = server
                .fault(built_in)
                .or(taken.then_some("another server has this name already; give each its own"));
            if let Some(fault) = fault {
                return Some(format!("server {} (`{}`): {fault}", place + 1, server.name));
            }
        }
        None
    }

    /// The enabled servers, ready to be reached.
    pub(super) fn endpoints(self, secrets: &BTreeMap<String, Secret>) -> Vec<Endpoint> {
        let servers = self.0.into_iter().enumerate().filter(|(_, server)| server.enabled);
        servers.map(|(place, server)| server.endpoint(place, secrets)).collect()
    }
}

/// A server as it is reached and used.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The name of its tool.
    pub name: String,
    pub(super) reach: Reach,
    pub(super) time_limit: Duration,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) classes: BTreeMap<String, Class>,
    pub(super) trusted: Vec<String>,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub(super) enum Reach {
    Process(Program),
    Http { url: String, headers: HeaderMap },
}

/// A program to be started.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, Secret)>,
    pub(super) cwd: Option<PathBuf>,
}

/// Whether an entry of a list covers a name: it is the name, or its beginning with a `*` behind it.
pub(super) fn covers(entry: &str, name: &str) -> bool {
    entry
        .strip_suffix('*')
        .map_or(entry == name, |beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::registry::built_in;

    fn servers(value: Value) -> Servers {
        Servers::deserialize(value).expect("servers")
    }

    #[test]
    fn what_contradicts_itself_is_named() {
        let one = |server: Value| servers(json!([server])).fault(&built_in());
        let cases = [
            (json!({ "name": "disk", "command": "npx", "env": { "A": "b" } }), None),
            (
                json!({ "name": "far", "url": "https://x.example/mcp", "token": { "env": "T" } }),
                None,
            ),
            (json!({ "command": "npx" }), Some("server 1 (``): it needs a name")),
            (
                json!({ "name": "a.b", "command": "npx" }),
                Some("server 1 (`a.b`): its name may hold letters, digits, `_` and `-`"),
            ),
            (
                json!({ "name": "memory", "command": "npx" }),
                Some("server 1 (`memory`): this is the name of a tool that is built in; give it another"),
            ),
            (
                json!({ "name": "disk" }),
                Some("server 1 (`disk`): it needs a command or a url"),
            ),
            (
                json!({ "name": "disk", "command": "npx", "url": "http://x" }),
                Some("server 1 (`disk`): it has a command and a url; take one of them away"),
            ),
            (
                json!({ "name": "disk", "command": "npx", "headers": { "A": "b" } }),
                Some("server 1 (`disk`): headers and a token go with a url; what a program is given stands in env"),
            ),
            (
                json!({ "name": "far", "url": "http://x", "args": ["-y"] }),
                Some("server 1 (`far`): args, env and cwd go with a command"),
            ),
            (
                json!({ "name": "far", "url": "http://x", "headers": { "Mcp-Session-Id": "1" } }),
                Some("server 1 (`far`): a header's name is no name, or one that MCP itself sets"),
            ),
        ];
        for (server, fault) in cases {
            assert_eq!(one(server.clone()).as_deref(), fault, "{server}");
        }
        let twins = servers(json!([{ "name": "a", "command": "x" }, { "name": "a", "command": "y" }]));
        assert_eq!(
            twins.fault(&[]).as_deref(),
            Some("server 2 (`a`): another server has this name already; give each its own")
        );
    }

    #[test]
    fn a_server_that_is_turned_off_is_not_reached_and_the_others_keep_their_secrets() {
        let servers = servers(json!([
            { "name": "off", "command": "x", "enabled": false },
            { "name": "far", "url": "http://x", "token": { "env": "T" }, "headers": { "X-Place": "here" } },
        ]));
        let secrets = BTreeMap::from([("mcp[1].token".to_owned(), Secret::new("hunter22"))]);
        let endpoints = servers.endpoints(&secrets);
        let [
            Endpoint {
                name,
                reach: Reach::Http { url, headers },
                ..
            },
        ] = endpoints.as_slice()
        else {
            panic!("{endpoints:?}");
        };
        assert_eq!((name.as_str(), url.as_str()), ("far", "http://x"));
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        assert_eq!(
            (header("authorization"), header("x-place")),
            (Some("Bearer hunter22"), Some("here"))
        );
        assert!(!format!("{endpoints:?}").contains("hunter22"));
    }

    #[test]
    fn an_entry_covers_its_name_or_what_begins_as_it_does() {
        let cases = [
            ("read", "read", true),
            ("read", "reader", false),
            ("re*", "read", true),
            ("*", "a", true),
        ];
        for (entry, name, expected) in cases {
            assert_eq!(covers(entry, name), expected, "{entry} {name}");
        }
    }
}
