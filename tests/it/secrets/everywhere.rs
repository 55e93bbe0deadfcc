//! Each configured secret, put wherever a model, a tool, a person or a caller can put one.

use std::{
    borrow::Cow,
    fs,
    sync::{Arc, Mutex},
};

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    s3::S3Fake,
    site::{Answer, SiteFake},
};
use clifford_vault::{Masker, Secret};
use futures::StreamExt;
use serde_json::{Value, json};

use super::{configured, everything, plants};
use crate::{
    api_watch::{TOKEN, Watch},
    calls,
    harness::{Bot, Room, Site},
    scripted_model,
};

/// The account of the first Ada: there is one for each secret.
const PEOPLE: i64 = 100;

/// A world in which secrets are planted.
struct Garden {
    bot: Bot,
    watch: Watch,
    site: SiteFake,
    mcp: tempfile::TempDir,
    ada: Room,
    bob: Room,
    answers: usize,
}

/// Reads a file that came with a message; what is to be remembered holds the secrets that are planted just then.
fn model(request: &RecordedRequest, planted: &Mutex<String>) -> Reply {
    let secret = planted.lock().unwrap().clone();
    match scripted_model::memory_schema(request) {
        Some("summary") => return Reply::json(&json!({ "summary": format!("they spoke of {secret}") })),
        Some(_) => {
            let item = json!({
                "op": "add", "module": "projects", "key": "spoken_of", "level": 3, "value": secret, "confidence": 0.9,
            });
            return Reply::json(&json!({ "operations": [item] }));
        }
        None => {}
    }
    // A question that `doctor` asks has no such part.
    let payload: Value = serde_json::from_str(request.text(1)).unwrap_or_default();
    let file = &payload["files"][0]["id"];
    match calls::result(request) {
        None if file.is_string() => call("files.read", &json!({ "id": file })),
        Some(result) => Reply::json(&json!({ "type": "finish", "output": result.to_string() })),
        None => Reply::json(&json!({ "type": "finish", "output": format!("It says {secret}.") })),
    }
}

fn call(name: &str, args: &Value) -> Reply {
    Reply::json(&json!({ "type": "tool_call", "name": name, "args": args }))
}

impl Garden {
    async fn open(bucket: &S3Fake, planted: Arc<Mutex<String>>) -> Self {
        let (site, mcp) = (SiteFake::start().await.unwrap(), tempfile::tempdir().unwrap());
        fs::write(mcp.path().join("said"), "nothing yet").unwrap();
        let bot = configured::setup(bucket, mcp.path())
            .set("engine.planning_gate", "off")
            .set("engine.record_prompts", true)
            .set("engine.max_tool_retries", 9)
            .set("memory.max_turns_per_context", 1000)
            .set(
                "tools.web.allow_hosts",
                vec![toml::Value::from(site.address().to_string())],
            )
            .start()
            .await;
        bot.model.respond_with(move |request| model(request, &planted));
        bot.until("the MCP server", async |_| {
            (bot.logged("MCP server ready") > 0).then_some(())
        })
        .await;
        let (ada, bob) = (
            bot.room(Site::Telegram, PEOPLE, "Ada"),
            bot.room(Site::Discord, 8, "Bob"),
        );
        Self {
            watch: Watch::on(&bot),
            bot,
            site,
            mcp,
            ada,
            bob,
            answers: 0,
        }
    }

    /// Ada says something; the model replies so, one after the other, and she is answered.
    async fn asks(&mut self, text: &str, replies: impl IntoIterator<Item = Reply>) {
        for reply in replies {
            self.bot.model.push(reply);
        }
        self.bot.says(self.ada, text);
        self.is_answered().await;
    }

    async fn is_answered(&mut self) {
        self.answers += 1;
        self.bot.answers(self.ada, self.answers).await;
        self.ends().await;
    }

    /// Waits until nothing is at work: each reply is for the run that it is meant for.
    async fn ends(&self) {
        self.bot
            .until("the runs to end", async |look| {
                look.runs().await.iter().all(|run| run.status.is_ended()).then_some(())
            })
            .await;
        assert_eq!(self.bot.model.queued(), 0);
    }

    async fn posts(&self, path: &str, body: Value) -> Value {
        let (status, text) = self.watch.post(path, body.to_string()).await;
        assert!((200..300).contains(&status), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn plant(&mut self, number: usize, secret: &str) {
        // A run that has read words from outside is asked before things are done, and shown no drafts.
        self.ada = self
            .bot
            .room(Site::Telegram, PEOPLE + i64::try_from(number).unwrap(), "Ada");
        self.answers = 0;
        self.by_the_model(number, secret).await;
        self.while_it_grows(secret).await;
        self.by_tools(number, secret).await;
        self.by_callers(secret).await;
    }

    async fn by_the_model(&mut self, number: usize, secret: &str) {
        let replies: Vec<_> = plants(secret).iter().map(Reply::json).collect();
        self.asks(&format!("what is {secret} for?"), replies).await;
        let spawn = json!({ "type": "spawn_subagent", "subagent": {
            "task": format!("look at {secret}"), "context": [{ "role": "user", "content": secret }],
        } });
        let child = json!({ "type": "finish", "output": format!("seen: {secret}") });
        let parent = json!({ "type": "finish", "output": "The helper has looked." });
        self.asks(
            "let somebody look",
            [spawn, child, parent].map(|action| Reply::json(&action)),
        )
        .await;
        let later = json!({ "text": secret, "when": "in 1 second" });
        self.asks("remind me", [call("reminders.set", &later)]).await;
        // The reminder itself.
        self.is_answered().await;
        let made = json!({ "name": format!("{secret}.txt"), "content": format!("it says {secret}") });
        self.asks("write it down", [call("files.create", &made)]).await;
        self.bot
            .model
            .push(Reply::text(format!("I can't, because of {secret}")));
        self.bot.model.push(Reply::text(format!("{secret} again")));
        self.bot.says(self.bob, &format!("and {secret}?"));
        self.bot.answers(self.bob, number + 1).await;
        self.ends().await;
    }

    async fn by_tools(&mut self, number: usize, secret: &str) {
        let page = format!("<title>{secret}</title><h1>{secret}</h1><p>and more of {secret}");
        let path = format!("/page{number}");
        self.site.put(&path, Answer::html(&page));
        let said = serde_json::to_string(secret).unwrap();
        fs::write(self.mcp.path().join("said"), said.trim_matches('"')).unwrap();
        let calls = [
            call("web.fetch", &json!({ "url": self.site.url(&path) })),
            call("fake.say", &json!({})),
            call("fake.complain", &json!({})),
        ];
        self.asks("read that", calls).await;
        let Room::Telegram(chat) = self.ada else {
            unreachable!("Ada is on Telegram")
        };
        let (name, content) = (format!("{secret}.txt"), format!("a file of {secret}"));
        (self.bot.telegram).user_sends_file(chat, chat.id, &format!("with {secret}"), &name, content.as_bytes());
        self.is_answered().await;
        self.bot.telegram.command(chat, chat.id, "forget", secret);
        self.is_answered().await;
    }

    /// Somebody watches a run whose answer is written piece by piece.
    async fn while_it_grows(&mut self, secret: &str) {
        let output = format!("{} {secret} and {}", "x".repeat(30), "y".repeat(30));
        let hold = self.bot.model.hold();
        let before = self.bot.model.request_count();
        self.bot
            .model
            .push(Reply::json(&json!({ "type": "finish", "output": output })));
        self.bot.says(self.ada, "slowly");
        self.bot.model.wait_for_requests(before + 1).await;
        let run = self.bot.look().await.runs().await.pop().unwrap().id;
        let stream = reqwest::Client::new()
            .get(format!("http://{}/api/runs/{run}/stream", self.watch.address()))
            .bearer_auth(TOKEN)
            .send();
        let mut stream = stream.await.unwrap().bytes_stream().map(Result::unwrap);
        let mut text = Vec::new();
        // From then on it is told of whatever is written.
        while !String::from_utf8_lossy(&text).contains("event: status") {
            text.extend(stream.next().await.unwrap());
        }
        drop(hold);
        let rest: Vec<_> = stream.collect().await;
        text.extend(rest.concat());
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("event: token") && text.contains("event: done"), "{text}");
        self.clean(&[("a stream".to_owned(), text)]);
        self.is_answered().await;
    }

    async fn by_callers(&self, secret: &str) {
        let name: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
        self.posts(&format!("/api/files?name={name}.md"), json!("a note")).await;
        self.posts(
            "/api/messages?wait=30",
            json!({ "content": format!("a caller says {secret}") }),
        )
        .await;
        let hook = json!({ "kind": "run", "name": "hook", "content": "see what came", "webhook": true });
        let made = self.posts("/api/triggers", hook).await;
        let body = json!({ "said": secret, secret: [secret] }).to_string();
        for body in [body, format!("as a text: {secret}")] {
            let timestamp = jiff::Timestamp::now().as_second().to_string();
            let pieces: [&[u8]; 3] = [timestamp.as_bytes(), b".", body.as_bytes()];
            let signature = clifford_vault::sign(made["secret"].as_str().unwrap(), &pieces);
            let request = reqwest::Client::new()
                .post(format!("http://{}/api/hooks/hook", self.watch.address()))
                .header("X-Clifford-Timestamp", timestamp)
                .header("X-Clifford-Signature", format!("sha256={signature}"))
                .body(body);
            assert_eq!(request.send().await.unwrap().status().as_u16(), 202);
        }
        let id = made["id"].as_str().unwrap();
        let deleted = reqwest::Client::new()
            .delete(format!("http://{}/api/triggers/{id}", self.watch.address()))
            .bearer_auth(TOKEN);
        assert!(deleted.send().await.unwrap().status().is_success());
        self.ends().await;
    }

    /// The answer to every question of the API, for each thing that there is.
    async fn api(&self) -> Vec<(String, String)> {
        let description: Value = serde_json::from_str(&self.watch.get("/api/openapi.json").await.1).unwrap();
        let paths = description["paths"].as_object().unwrap();
        let asked = paths.iter().filter(|(_, methods)| methods.get("get").is_some());
        let mut seen = Vec::new();
        for (path, _) in asked {
            for path in self.each(path).await {
                seen.extend(self.pages(&path).await);
            }
        }
        seen
    }

    /// The answer at a path; of a list every page.
    async fn pages(&self, path: &str) -> Vec<(String, String)> {
        let (mut seen, mut page) = (Vec::new(), path.to_owned());
        loop {
            let (status, text) = self.watch.get(&page).await;
            if status != 200 {
                seen.push((format!("{status} at {page}"), text));
                return seen;
            }
            let next = serde_json::from_str::<Value>(&text).ok();
            let next = next.and_then(|answer| answer["next"].as_str().map(str::to_owned));
            seen.push((page, text));
            match next {
                Some(next) => page = format!("{path}{}before={next}", if path.contains('?') { '&' } else { '?' }),
                None => return seen,
            }
        }
    }

    /// The paths of a route: one for each thing of its kind.
    async fn each(&self, route: &str) -> Vec<String> {
        // A person's file is kept byte by byte; events and a terminal's messages have no end, and tell what the lists
        // tell.
        if route.ends_with("/content") || ["/api/events", "/api/terminal"].contains(&route) {
            return Vec::new();
        }
        let Some((list, rest)) = route.split_once("/{id}") else {
            return match route {
                "/api/search" => {
                    let people = Box::pin(self.each("/api/users/{id}")).await;
                    let ids = people.iter().filter_map(|path| path.rsplit('/').next());
                    ids.map(|id| format!("/api/search?q=secret&userId={id}")).collect()
                }
                route if route.contains('{') => Vec::new(),
                route => vec![route.to_owned()],
            };
        };
        // A step's input stands in the database, which is looked through as well.
        if rest.contains("/{seq}") {
            return Vec::new();
        }
        let pages = self.pages(list).await;
        let pages = pages
            .iter()
            .map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
        let items = pages.flat_map(|page| page["items"].as_array().cloned().unwrap_or_default());
        let ids: Vec<_> = items.filter_map(|item| Some(item["id"].as_str()?.to_owned())).collect();
        let rest = rest.replace("{version}", "1");
        let of = |id: &String| match rest.as_str() {
            "/compare" => format!("{list}/{id}/compare?with={id}"),
            rest => format!("{list}/{id}{rest}"),
        };
        ids.iter().map(of).collect()
    }

    /// Nothing of this holds a secret, however it is written.
    fn clean(&self, seen: &[(String, String)]) {
        let secrets: Vec<_> = configured::all().into_iter().map(Secret::new).collect();
        let masker = Masker::new(&secrets);
        let leaks = seen.iter().filter_map(|(place, text)| {
            let Cow::Owned(masked) = masker.mask(text) else {
                return None;
            };
            let same = text
                .chars()
                .zip(masked.chars())
                .take_while(|(one, other)| one == other)
                .count();
            let around: String = text.chars().skip(same.saturating_sub(80)).take(160).collect();
            Some(format!("{place}: {around}"))
        });
        let leaks: Vec<_> = leaks.collect();
        assert!(leaks.is_empty(), "{leaks:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_configured_secret_shows_anywhere_wherever_it_is_planted() {
    let bucket = S3Fake::start().await;
    let planted = Arc::new(Mutex::new(String::new()));
    let mut garden = Garden::open(&bucket, Arc::clone(&planted)).await;
    for (number, secret) in configured::all().iter().enumerate() {
        planted.lock().unwrap().clone_from(secret);
        garden.plant(number, secret).await;
    }
    *planted.lock().unwrap() = configured::all().join(", ");
    let Room::Telegram(chat) = garden.ada else {
        unreachable!("Ada is on Telegram")
    };
    garden.bot.telegram.command(chat, chat.id, "new", "");
    garden
        .bot
        .until("everything to be done and remembered", async |look| {
            let ended = look.runs().await.iter().all(|run| run.status.is_ended());
            let remembered = look.number("SELECT COUNT(*) FROM jobs WHERE status = 'done'").await > 0;
            (ended && remembered && look.undelivered().await == 0).then_some(())
        })
        .await;
    let mut seen = garden.api().await;
    let refused: Vec<_> = seen.iter().filter(|(place, _)| place.starts_with('4')).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    for request in garden.bot.telegram.requests() {
        seen.push((format!("{:?}", request.method), format!("{:?}", request.params)));
    }
    seen.extend(
        garden
            .bot
            .texts(garden.bob)
            .into_iter()
            .map(|text| ("Discord".to_owned(), text)),
    );
    let export = ["export"];
    seen.push(("export".to_owned(), garden.bot.command(&export).await));
    garden.bot.stop().await;
    seen.extend(everything(&garden.bot, garden.ada).await);
    assert!(seen.iter().any(|(_, text)| text.contains("[secret]")));
    garden.clean(&seen);
    garden.bot.assert_no_violations();
}
