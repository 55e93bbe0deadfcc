//! A bot with a model that counts, and how much its prompts share.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use clifford::app::{App, Options};
use clifford_chat::{
    inbound::{Place, PlaceKind},
    platform::Platform,
};
use clifford_config::{self as config, Sources};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, UserId},
    messages::MessageStatus,
};
use clifford_fakes::{
    openai::{OpenAiFake, RecordedRequest, Reply},
    site::{Answer, SiteFake},
};
use clifford_http::{Server, Socket};
use clifford_store::{
    contexts,
    messages::{self, NewInbound},
    places::channels,
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const OWNER: &str = "an-owner-token";
/// A page of 10 kB.
pub const PAGE: usize = 10_000;

/// A bot in this process, its model, and a site with long pages.
pub struct Desk {
    pub model: OpenAiFake,
    pub site: SiteFake,
    pub app: App,
    pub address: SocketAddr,
    pub client: reqwest::Client,
    _dir: TempDir,
}

/// A conversation, and whose it is.
#[derive(Clone, Copy)]
pub struct Spot {
    pub channel: ChannelId,
    pub context: ContextId,
    pub user: UserId,
}

/// The knowledge of the window before the first request.
#[derive(Clone, Copy, PartialEq)]
pub enum WindowKnowledge {
    /// It is set.
    Set,
    /// Nothing: the refusals tell it.
    Told,
    /// Nothing, and refusals only say that it is too much.
    Untold,
}

impl Desk {
    pub async fn start(window: u64, known: WindowKnowledge, database: Option<String>) -> Self {
        let (model, site) = (OpenAiFake::start().await, SiteFake::start().await.unwrap());
        match known {
            WindowKnowledge::Untold => model.untold_context_window(window),
            WindowKnowledge::Set | WindowKnowledge::Told => model.context_window(window),
        }
        for page in 0..10 {
            let text = format!("Page {page} says so. ").repeat(PAGE / 18);
            site.put(&format!("/{page}"), Answer::body("text/plain", text));
        }
        model.respond_with(reply);
        let dir = tempfile::tempdir().unwrap();
        let context = if known == WindowKnowledge::Set {
            format!("context_tokens = {window}\n")
        } else {
            String::new()
        };
        let database = database
            .map(|url| format!("[database]\nurl = \"{url}\"\n"))
            .unwrap_or_default();
        let settings = format!(
            "{database}[data]\ndir = \"{}\"\nprivate = false\n[http]\nbind = \"127.0.0.1:0\"\n[tools.web]\nallow_hosts = [\"{}\"]\n\
             [[policies]]\naction = \"allow_tainted\"\ntools = [\"web.fetch\"]\n\
             [[llm.providers]]\nname = \"main\"\nbase_url = \"{}\"\nmodel = \"fake\"\n{context}",
            dir.path().display(),
            site.address(),
            model.base_url(),
        );
        std::fs::write(dir.path().join("bot.toml"), settings).unwrap();
        let env = BTreeMap::from([("CLIFFORD_API_TOKEN".to_owned(), OWNER.to_owned())]);
        let sources = Sources {
            cwd: dir.path().to_owned(),
            env: env.clone(),
            platforms: clifford::app::PLATFORMS,
            ..Sources::default()
        };
        let loaded = config::load(&sources).unwrap();
        let secrets = loaded.secrets(&env).unwrap();
        let socket = Socket::bind(&loaded.config.http).await.unwrap();
        let server = Server::on(&socket, &loaded.config.http).unwrap();
        let address = server.address();
        let options = Options {
            workers: true,
            ..Options::default()
        };
        let app = App::start(&loaded, &secrets, options).await.unwrap();
        app.serve(server, &secrets);
        Self {
            model,
            site,
            app,
            address,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            _dir: dir,
        }
    }

    pub async fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("http://{}{path}", self.address);
        let response = self
            .client
            .post(url)
            .bearer_auth(OWNER)
            .json(body)
            .send()
            .await
            .unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{status}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Says something, and returns what is answered.
    pub async fn ask(&self, text: &str) -> String {
        let answer = self.post("/api/messages?wait=60", &json!({ "content": text })).await;
        assert_eq!(answer["run"]["status"], "completed", "{answer}");
        answer["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Says hello, and returns where that was: the channel, its conversation, and whose it is.
    pub async fn begin(&self) -> Spot {
        let first = self.post("/api/messages?wait=60", &json!({ "content": "hello" })).await;
        let id = |name: &str| first["run"][name].as_str().unwrap().to_owned();
        Spot {
            channel: id("channelId").parse().unwrap(),
            context: id("contextId").parse().unwrap(),
            user: id("userId").parse().unwrap(),
        }
    }

    /// Another private place of the same person, with a conversation of its own.
    pub async fn another(&self, spot: Spot) -> Spot {
        let place = Place {
            platform: Platform::new("telegram"),
            external_id: "7".to_owned(),
            parent: None,
            kind: PlaceKind::Private,
            name: None,
            space: None,
        };
        let user = spot.user;
        let write = self.app.db.write(move |tx| {
            let place = place.clone();
            Box::pin(async move {
                let channel = channels::find_or_create(tx, &place, Some((user, "7")), Timestamp(1)).await?;
                let context = contexts::begin(tx, &channel, None, Timestamp(1)).await?;
                Ok((channel.id, context))
            })
        });
        let (channel, context) = write.await.unwrap();
        Spot { channel, context, user }
    }

    /// Something that was said there.
    pub async fn said(&self, spot: Spot, content: String) {
        let message = NewInbound {
            id: MessageId::new(),
            channel_id: spot.channel,
            context_id: Some(spot.context),
            user_id: spot.user,
            run_id: None,
            content,
            attachments: Vec::new(),
            platform_message_id: None,
            idempotency_key: None,
            album: None,
            status: MessageStatus::History,
            sent_at: Timestamp(1),
            quote: None,
            quoted_user_id: None,
            request_hash: None,
        };
        let write = self.app.db.write(move |tx| {
            let message = message.clone();
            Box::pin(async move { messages::insert_inbound(tx, &message, Timestamp(1)).await })
        });
        write.await.unwrap();
    }

    /// A conversation that has so many messages of such lengths already.
    pub async fn history(&self, count: usize, sizes: &[usize]) {
        let spot = self.begin().await;
        for place in 0..count {
            let size = sizes[place % sizes.len()];
            self.said(spot, format!("Message {place} of the past. ").repeat(size / 24 + 1))
                .await;
        }
    }

    /// The prompts of its runs, without the memory writer's requests.
    pub fn prompts(&self) -> Vec<Arc<RecordedRequest>> {
        let is_run = |request: &Arc<RecordedRequest>| crate::scripted_model::memory_schema(request).is_none();
        self.model.requests().into_iter().filter(is_run).collect()
    }
}

/// Calls as many pages as are asked for, then says how many it has read; tells the memory writer something short.
fn reply(request: &RecordedRequest) -> Reply {
    if crate::scripted_model::memory_schema(request) == Some("summary") {
        return Reply::json(&json!({ "summary": "They talked about the past." }));
    }
    if crate::scripted_model::memory_schema(request).is_some() {
        return Reply::json(&json!({ "operations": [] }));
    }
    let payload: Value = serde_json::from_str(request.text(1)).unwrap();
    let input = payload["input"].as_str().unwrap();
    let read = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count()
        + payload["earlier"]["left_out"]
            .as_str()
            .map_or(0, |mark| mark.split(' ').next().unwrap().parse().unwrap());
    let pages = input
        .split_once("read ")
        .and_then(|(_, pages)| pages.split(' ').next()?.parse().ok())
        .unwrap_or(0);
    if read < pages {
        let base = input.rsplit(' ').next().unwrap();
        let notes = json!([{ "category": "requirements", "content": "all pages" }, { "category": "plan", "content": format!("page {read} next") }]);
        return Reply::json(&json!({ "type": "tool_call", "name": "web.fetch", "notes": notes,
            "args": { "url": format!("{base}{read}"), "max_chars": PAGE } }));
    }
    let ending = json!({ "type": "finish", "output": format!("I have read {read} pages.") });
    if pages > 0 {
        Reply::json(&ending)
    } else {
        Reply::json(&json!({ "type": "send_message", "message": format!("You said {} characters.", input.len()) }))
    }
}

/// The text of a prompt.
fn text(request: &RecordedRequest) -> String {
    let messages = request.messages().iter();
    messages
        .map(|message| message["content"].as_str().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// How many bytes two texts begin with alike.
fn same(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

/// The shares of the shorter of two prompts after one another that the longer one begins with.
pub fn shares(prompts: &[Arc<RecordedRequest>]) -> Vec<f64> {
    let texts: Vec<_> = prompts.iter().map(|request| text(request)).collect();
    let share = |pair: &[String]| same(&pair[0], &pair[1]) as f64 / pair[0].len().min(pair[1].len()) as f64;
    texts.windows(2).map(share).collect()
}

pub fn median(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(f64::total_cmp);
    shares[shares.len() / 2]
}

/// The shares between two prompts of which the second was not cut anew: its conversation begins as that of the first.
/// Messages in between are new in any case, and do not count.
pub fn uncut(prompts: &[Arc<RecordedRequest>]) -> Vec<f64> {
    let read = |prompt: &Arc<RecordedRequest>| -> Value { serde_json::from_str(prompt.text(1)).unwrap() };
    let share = |pair: &[Arc<RecordedRequest>]| {
        let (one, other) = (read(&pair[0]), read(&pair[1]));
        let begins = |payload: &Value| (payload["summary"].clone(), payload["conversation"][0].clone());
        if begins(&one) != begins(&other) {
            return None;
        }
        let said = |payload: &Value| payload["conversation"].as_array().unwrap().clone();
        let new: usize = said(&other)[said(&one).len()..]
            .iter()
            .map(|turn| turn.to_string().len() + 1)
            .sum();
        let (one, other) = (text(&pair[0]), text(&pair[1]));
        Some(same(&one, &other) as f64 / one.len().min(other.len() - new) as f64)
    };
    prompts.windows(2).filter_map(share).collect()
}
