//! The window table: conversations, results and messages of any length, on models of any window.
//!
//! For each cell a bot in this process, with a database of its own, a model that counts what it is sent (the form of the
//! reply too) and refuses what its window does not hold, and a site with long pages. A row says how many requests were
//! made, how many were refused, and how much of the shorter of two prompts after one another the longer one begins with:
//! of all of them in the middle, and of those that were not cut anew at least. It holds if everything was answered, none
//! was refused, that is nine tenths at least, and no message is missing without a mark.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    net::SocketAddr,
    sync::Arc,
};

use anyhow::{Context, ensure};
use clap::Args;
use clifford::app::{App, Options as AppOptions};
use clifford_config::{self as config, Sources};
use clifford_core::{clock::Timestamp, id::MessageId, messages::MessageStatus};
use clifford_fakes::{
    openai::{OpenAiFake, RecordedRequest, Reply, counted},
    site::{Answer, SiteFake},
};
use clifford_http::{Server, Socket};
use clifford_store::messages::{self, NewInbound};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The token of the callers.
const TOKEN: &str = "bench";
/// A page, in bytes.
const PAGE: usize = 10_000;
/// A long message, in bytes.
const LONG: usize = 600_000;
/// How many short questions follow.
const QUESTIONS: usize = 4;

/// The cells of the table to measure.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Only this window.
    #[arg(long, value_name = "TOKENS")]
    window: Option<u64>,
    /// The windows are not set: the model's refusals tell them.
    #[arg(long)]
    unset: bool,
}

/// The event in a cell.
#[derive(Clone, Copy, Debug)]
enum Case {
    /// Short questions.
    Plain,
    /// A question that takes five pages.
    Tools,
    /// A message of 600 kB, then short questions.
    Long,
}

impl Case {
    const ALL: [(Self, &str); 3] = [
        (Self::Plain, "no tool"),
        (Self::Tools, "5 x 10 kB"),
        (Self::Long, "600 kB"),
    ];
}

/// The outcome of a cell.
struct Row {
    requests: usize,
    refused: usize,
    answered: bool,
    shares: Vec<f64>,
    /// Of those prompts that begin as the one before.
    uncut: Vec<f64>,
    marks: usize,
    /// Prompts in which something is missing without a mark.
    unmarked: usize,
}

/// How much of a prompt has to be as in the one before.
const SHARED: f64 = 0.9;

impl Row {
    fn holds(&self, options: &Options) -> bool {
        let is_shared = self.uncut.iter().all(|share| *share >= SHARED);
        self.answered && (options.unset || self.refused == 0) && is_shared && self.unmarked == 0
    }
}

/// Measures the table, and prints it. `false`: something does not hold.
///
/// # Errors
/// It could not be measured.
#[expect(clippy::print_stdout, reason = "the table is what was asked for")]
pub async fn run(options: Options) -> anyhow::Result<bool> {
    println!(
        "window   history          case       answered  requests  refused  prefix median  uncut min  marks  unmarked"
    );
    let mut holds = true;
    for window in [4_096, 8_192, 32_000, 128_000, 1_000_000] {
        if options.window.is_some_and(|only| only != window) {
            continue;
        }
        for (count, size) in [
            (10, 50),
            (10, 5_000),
            (60, 50),
            (60, 5_000),
            (1_000, 50),
            (1_000, 5_000),
        ] {
            for (case, name) in Case::ALL {
                let row = cell(window, &options, count, size, case).await?;
                let ((median, _), (_, least)) = (of(&row.shares), of(&row.uncut));
                let history = format!("{count} x {size}");
                println!(
                    "{window:<8} {history:<16} {name:<10} {:<9} {:<9} {:<8} {median:<14.3} {least:<10.3} {:<6} {}",
                    if row.answered { "yes" } else { "NO" },
                    row.requests,
                    row.refused,
                    row.marks,
                    row.unmarked,
                );
                holds &= row.holds(&options);
            }
        }
    }
    Ok(holds)
}

/// The median and the least of some shares.
fn of(shares: &[f64]) -> (f64, f64) {
    let mut sorted = shares.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(1.0);
    (at(sorted.len() / 2), at(0))
}

async fn cell(window: u64, options: &Options, count: usize, size: usize, case: Case) -> anyhow::Result<Row> {
    let desk = Desk::start(window, !options.unset).await?;
    desk.history(count, size).await?;
    let mut answered = true;
    match case {
        Case::Plain => {}
        Case::Tools => answered &= desk.ask(&format!("read 5 pages of {}", desk.site.url("/"))).await?,
        Case::Long => {
            answered &= desk
                .ask(&"Every word of this message counts. ".repeat(LONG / 35))
                .await?
        }
    }
    for _ in 0..QUESTIONS {
        answered &= desk.ask("and now?").await?;
    }
    let all = desk.model.requests();
    let prompts: Vec<_> = all.iter().filter(|request| is_run(request)).cloned().collect();
    let refused = prompts.iter().filter(|prompt| counted(prompt) > window).count();
    let marks = prompts
        .iter()
        .filter(|prompt| prompt.messages().iter().any(is_marked))
        .count();
    // The first greets, before there is a history; what follows a very long message has that anew.
    let later = prompts
        .get(if matches!(case, Case::Long) { 2 } else { 1 }..)
        .unwrap_or_default();
    let unmarked = later.iter().filter(|prompt| misses_silently(prompt, count)).count();
    Ok(Row {
        requests: prompts.len(),
        refused,
        answered,
        shares: shares(&prompts),
        uncut: uncut(later),
        marks,
        unmarked,
    })
}

fn payload(request: &RecordedRequest) -> Value {
    serde_json::from_str(request.text(1)).unwrap_or_default()
}

/// Whether fewer messages are shown than there were, and neither a mark nor a summary tells so.
fn misses_silently(request: &RecordedRequest, there: usize) -> bool {
    let payload = payload(request);
    let shown = payload["conversation"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_told = payload["summary"].is_string() || shown.first().is_some_and(|first| first["role"] == "system");
    shown.len() < there && !is_told
}

/// The shares between two prompts of which the second was not cut anew: what stands first in it is what stood there.
/// Messages in between are new in any case, and do not count.
#[expect(clippy::cast_precision_loss, reason = "the length of a prompt")]
fn uncut(prompts: &[Arc<RecordedRequest>]) -> Vec<f64> {
    let said = |payload: &Value| payload["conversation"].as_array().cloned().unwrap_or_default();
    let begins = |payload: &Value| {
        [
            &payload["summary"],
            &payload["conversation"][0],
            &payload["earlier"]["left_out"],
        ]
        .map(Value::clone)
    };
    let share = |pair: &[Arc<RecordedRequest>]| {
        let [first, second] = pair else { return None };
        let (one, other) = (payload(first), payload(second));
        if begins(&one) != begins(&other) {
            return None;
        }
        let new: usize = (said(&other).iter().skip(said(&one).len()))
            .map(|turn| turn.to_string().len() + 1)
            .sum();
        let (one, other) = (text(first), text(second));
        Some(same(&one, &other) as f64 / one.len().min(other.len() - new) as f64)
    };
    prompts.windows(2).filter_map(share).collect()
}

/// The text of a prompt.
fn text(request: &RecordedRequest) -> String {
    request.messages().iter().fold(String::new(), |mut text, message| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", message["content"].as_str().unwrap_or_default());
        text
    })
}

/// How many bytes two texts begin with alike.
fn same(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

fn is_marked(message: &Value) -> bool {
    message["content"]
        .as_str()
        .is_some_and(|text| text.contains("left out"))
}

/// The shares of the shorter of two prompts after one another that the longer one begins with.
#[expect(clippy::cast_precision_loss, reason = "the length of a prompt")]
fn shares(prompts: &[Arc<RecordedRequest>]) -> Vec<f64> {
    let texts: Vec<String> = prompts.iter().map(|request| text(request)).collect();
    let share = |pair: &[String]| {
        let [first, second] = pair else { return 1.0 };
        same(first, second) as f64 / first.len().min(second.len()) as f64
    };
    texts.windows(2).map(share).collect()
}

fn is_run(request: &RecordedRequest) -> bool {
    serde_json::from_str::<Value>(request.text(1)).is_ok_and(|payload| payload.get("run").is_some())
}

/// Reads as many pages as are asked for, one after the other; what is to be remembered is little.
fn reply(request: &RecordedRequest) -> Reply {
    if !is_run(request) {
        // A summary of other messages is another one: a prompt behind it begins anew.
        let mut hasher = DefaultHasher::new();
        request.body.to_string().hash(&mut hasher);
        let told = format!("They talked about the past, {:x} of it.", hasher.finish());
        return Reply::json(&json!({ "summary": told, "operations": [] }));
    }
    let payload: Value = serde_json::from_str(request.text(1)).unwrap_or_default();
    let input = payload["input"].as_str().unwrap_or_default();
    let number = |text: &str| {
        text.split(' ')
            .next()
            .and_then(|number| number.parse::<usize>().ok())
            .unwrap_or_default()
    };
    let replies = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    let read = replies + payload["earlier"]["left_out"].as_str().map_or(0, number);
    let pages = input.split_once("read ").map_or(0, |(_, pages)| number(pages));
    let base = input.rsplit(' ').next().unwrap_or_default();
    let notes =
        json!([{ "category": "requirements", "content": "all pages" }, { "category": "plan", "content": "the next" }]);
    Reply::json(&match (pages, read < pages) {
        (0, _) => json!({ "type": "send_message", "message": "Then this is now." }),
        (_, true) => json!({ "type": "tool_call", "name": "web.fetch", "notes": notes,
            "args": { "url": format!("{base}{read}"), "max_chars": PAGE } }),
        (_, false) => json!({ "type": "finish", "output": format!("I have read {read} pages.") }),
    })
}

/// A bot in this process, its model, and a site.
struct Desk {
    model: OpenAiFake,
    site: SiteFake,
    app: App,
    address: SocketAddr,
    client: reqwest::Client,
    _dir: TempDir,
}

impl Desk {
    async fn start(window: u64, is_set: bool) -> anyhow::Result<Self> {
        let (model, site) = (OpenAiFake::start().await, SiteFake::start().await?);
        model.context_window(window);
        for page in 0..5 {
            let text = format!("Page {page} says so. ").repeat(PAGE / 18);
            site.put(&format!("/{page}"), Answer::body("text/plain", text));
        }
        model.respond_with(reply);
        let dir = tempfile::tempdir()?;
        let context = if is_set {
            format!("context_tokens = {window}\n")
        } else {
            String::new()
        };
        let settings = format!(
            "[data]\ndir = \"{}\"\n[log]\nlevel = \"error\"\n[http]\nbind = \"127.0.0.1:0\"\n\
             [tools.web]\nallow_hosts = [\"{}\"]\n[[policies]]\naction = \"allow_tainted\"\ntools = [\"web.fetch\"]\n\
             [[llm.providers]]\nname = \"main\"\nbase_url = \"{}\"\nmodel = \"bench\"\n{context}",
            dir.path().display(),
            site.address(),
            model.base_url(),
        );
        std::fs::write(dir.path().join("bot.toml"), settings)?;
        let env = BTreeMap::from([("CLIFFORD_API_TOKEN".to_owned(), TOKEN.to_owned())]);
        let sources = Sources {
            cwd: dir.path().to_owned(),
            env: env.clone(),
            ..Sources::default()
        };
        let loaded = config::load(&sources).map_err(|errors| anyhow::anyhow!("{errors}"))?;
        let secrets = loaded.secrets(&env).map_err(|errors| anyhow::anyhow!("{errors}"))?;
        let socket = Socket::bind(&loaded.config.http).await?;
        let server = Server::on(&socket, &loaded.config.http)?;
        let address = server.address();
        let options = AppOptions {
            workers: true,
            ..AppOptions::default()
        };
        let app = App::start(&loaded, &secrets, options).await?;
        app.serve(server, &secrets);
        Ok(Self {
            model,
            site,
            app,
            address,
            client: reqwest::Client::builder().no_proxy().build()?,
            _dir: dir,
        })
    }

    async fn post(&self, content: &str) -> anyhow::Result<Value> {
        let url = format!("http://{}/api/messages?wait=60", self.address);
        let request = self
            .client
            .post(url)
            .bearer_auth(TOKEN)
            .json(&json!({ "content": content }));
        let response = request.send().await?;
        ensure!(response.status().is_success(), "the API said {}", response.status());
        Ok(response.json().await?)
    }

    /// Says something; whether it was answered.
    async fn ask(&self, content: &str) -> anyhow::Result<bool> {
        Ok(self.post(content).await?["run"]["status"] == "completed")
    }

    /// A conversation that has so many messages of such a length already.
    async fn history(&self, count: usize, size: usize) -> anyhow::Result<()> {
        let first = self.post("hello").await?;
        let id = |name: &str| first["run"][name].as_str().map(str::to_owned).context("no run");
        let (channel, context, user) = (
            id("channelId")?.parse()?,
            id("contextId")?.parse()?,
            id("userId")?.parse()?,
        );
        let said: Vec<NewInbound> = (0..count)
            .map(|place| NewInbound {
                id: MessageId::new(),
                channel_id: channel,
                context_id: Some(context),
                user_id: user,
                run_id: None,
                content: format!("Message {place} of the past. ").repeat(size / 25 + 1),
                attachments: Vec::new(),
                platform_message_id: None,
                idempotency_key: None,
                album: None,
                status: MessageStatus::History,
                sent_at: Timestamp(1),
                quote: None,
                quoted_user_id: None,
                request_hash: None,
            })
            .collect();
        let written = self.app.db.write(move |tx| {
            let said = said.clone();
            Box::pin(async move {
                for message in &said {
                    messages::insert_inbound(tx, message, Timestamp(1)).await?;
                }
                Ok(())
            })
        });
        Ok(written.await?)
    }
}
