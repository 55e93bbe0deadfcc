//! The dashboard, over real HTTP: people log in by links, see what is theirs, and steer the bot by forms.

mod chatting;
mod crowd;
mod home;
pub mod journeys;
mod live;
mod logged_in;
mod managers;
mod of_a_server;
mod own;
mod owners;
mod passkeys;
mod places;
mod reviews;
mod runs;
mod safety;
mod sending;
mod servers;
mod tags;
mod two_servers;
mod ways_out;
mod who_sees;
mod words;

use std::{fs, path::Path};

use clifford_core::{id::UserId, people::UserRole};
use clifford_store::people::sessions;
use reqwest::Method;
use serde_json::Value;

use crate::api::bot::{Answer, Bot};

/// Every page that needs no id.
pub const PAGES: [&str; 18] = [
    "/",
    "/chat",
    "/runs",
    "/runs?status=failed",
    "/conversations",
    "/search",
    "/memory",
    "/memory?archived=true",
    "/reminders",
    "/files",
    "/usage",
    "/usage?by=model&days=7",
    "/channels",
    "/outbox",
    "/tools",
    "/people",
    "/tokens",
    "/settings",
];

/// A route of the dashboard, with values in the place of its parameters.
pub struct Route {
    pub path: String,
    /// A page.
    pub shows: bool,
    /// Takes a form.
    pub takes: bool,
}

/// Every route that the router of the dashboard has, as they stand in its source: a new one is tested without being named
/// here.
pub fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    read_routes(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/web/src"),
        &mut routes,
    );
    assert!(routes.iter().filter(|route| route.shows).count() > 20);
    assert!(routes.iter().any(|route| route.path == "/chat" && route.takes));
    routes
}

fn read_routes(dir: &Path, routes: &mut Vec<Route>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_routes(&path, routes);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for piece in source.split(".route(").skip(1) {
            let after = piece.trim_start().strip_prefix("\"/");
            let Some((path, handlers)) = after.and_then(|piece| piece.split_once('"')) else {
                continue;
            };
            let handlers = handlers.split(';').next().unwrap_or_default();
            routes.push(Route {
                path: format!("/{path}"),
                shows: handlers.contains("get("),
                takes: handlers.contains("post("),
            });
        }
    }
}

/// The addresses of the pages that need no id.
pub fn pages() -> Vec<String> {
    let shown = routes().into_iter().filter(|route| route.shows).map(|route| route.path);
    shown
        .filter(|path| !path.contains('{') && !path.ends_with(".csv"))
        .collect()
}

/// Somebody in front of a browser.
pub struct Browser<'a> {
    bot: &'a Bot,
    /// The session's cookie.
    pub cookie: String,
}

impl<'a> Browser<'a> {
    /// Logs a person in by a link, as a browser does; nobody: the operator.
    pub async fn log_in(bot: &'a Bot, user: Option<UserId>) -> Self {
        let link = link(bot, user).await;
        let mut browser = Self {
            bot,
            cookie: String::new(),
        };
        let entered = browser
            .submit(&format!("/login?link={link}"), "/login", &[("link", &link)])
            .await;
        assert_eq!(entered.status, 303, "{}", entered.text);
        browser.cookie = cookie_of(&entered);
        browser
    }

    /// A page.
    pub async fn get(&self, path: &str) -> Answer {
        let request = self.bot.request(Method::GET, path).header("cookie", &self.cookie);
        self.bot.send(request).await
    }

    /// A page that is there.
    pub async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.text
    }

    /// Data of the API.
    pub async fn data(&self, path: &str) -> Value {
        serde_json::from_str(&self.page(path).await).unwrap()
    }

    /// Sends a form of a page.
    pub async fn submit(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Answer {
        let shown = self.get(page).await;
        let token = token(&shown.text).to_owned();
        let all: Vec<_> = fields.iter().copied().chain([("token", token.as_str())]).collect();
        let origin = format!("http://{}", self.bot.address);
        self.send(action, &origin, &all).await
    }

    /// Sends fields as a page of that origin does.
    pub async fn send(&self, action: &str, origin: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.bot.request(Method::POST, action);
        let request = request.header("cookie", &self.cookie).header("origin", origin);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.bot.send(request.body(encoded(fields))).await
    }

    /// Sends a form that is taken.
    pub async fn does(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.submit(page, action, fields).await;
        assert_eq!(answer.status, 303, "{action}: {}", answer.text);
        answer.header("location").to_owned()
    }

    /// Sends a form whose difference is shown first, and saves from that page. Both answers.
    pub async fn saves(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> (String, Answer) {
        let shown = self.submit(page, action, fields).await;
        assert_eq!(shown.status, 200, "{action}: {}", shown.text);
        assert!(shown.text.contains("Nothing is saved yet"), "{action}: {}", shown.text);
        let kept = hidden_fields(&shown.text, "name=\"sure\"");
        let kept: Vec<_> = kept
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let origin = format!("http://{}", self.bot.address);
        let saved = self.send(action, &origin, &kept).await;
        (shown.text, saved)
    }

    /// Makes the rule that calls of a tool wait for a decision.
    pub async fn holds_calls_of(&self, tool: &str, rule: &str) {
        let fields = [
            ("name", rule),
            ("tools", tool),
            ("action", "confirm"),
            ("priority", "100"),
        ];
        self.does("/policies", "/policies", &fields).await;
    }

    /// Says something in the chat, and waits until its run has this status.
    pub async fn says(&self, text: &str, status: &str) -> String {
        let location = self.does("/chat", "/chat", &[("content", text)]).await;
        assert!(location.starts_with("/chat"), "{location}");
        loop {
            let runs = self.data("/api/runs?limit=1").await;
            let newest = &runs["items"][0];
            if newest["status"] == status {
                return newest["id"].as_str().unwrap().to_owned();
            }
            tokio::task::yield_now().await;
        }
    }
}

/// A new link.
pub async fn link(bot: &Bot, user: Option<UserId>) -> String {
    let now = bot.app.clock.now();
    let write = bot
        .app
        .db
        .write(move |tx| Box::pin(sessions::create_link(tx, user, now)));
    write.await.unwrap().expose().to_owned()
}

/// Somebody who has spoken before.
pub async fn person(bot: &Bot, name: &str, role: UserRole) -> UserId {
    bot.member(name, role).await
}

/// Two members and an owner, each in a browser of their own.
pub async fn three_people(bot: &Bot) -> [(UserId, Browser<'_>); 3] {
    let log_in = async |name: &str, role| {
        let user = person(bot, name, role).await;
        (user, Browser::log_in(bot, Some(user)).await)
    };
    [
        log_in("Ada", UserRole::Member).await,
        log_in("Bob", UserRole::Member).await,
        log_in("Eve", UserRole::Owner).await,
    ]
}

/// The cookie that an answer sets.
pub fn cookie_of(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

/// The token of the forms of a page.
pub fn token(page: &str) -> &str {
    let (_, rest) = page.split_once("name=\"token\" value=\"").unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}

/// The hidden fields of the form that holds this, as a browser sends them.
pub fn hidden_fields(page: &str, held: &str) -> Vec<(String, String)> {
    let (before, after) = page.split_once(held).expect("the form is on the page");
    let form = before.rsplit("<form").next().unwrap_or_default().to_owned() + held;
    let form = form + after.split("</form>").next().unwrap_or_default();
    let plain = |text: &str| {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&amp;", "&")
    };
    let value = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split('"').next().map(plain)
    };
    let tags = form.split("<input type=\"hidden\"").skip(1);
    tags.filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?)))
        .collect()
}

pub fn encoded(fields: &[(&str, &str)]) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    let word = |word: &str| word.bytes().map(byte).collect::<String>();
    let pairs: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", word(name), word(value)))
        .collect();
    pairs.join("&")
}
