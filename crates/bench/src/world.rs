//! The world around a bot: a Telegram with people in it, and a model. Both are fakes in this process.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::Context;
use clifford_fakes::{
    openai::{OpenAiFake, RecordedRequest, Reply},
    telegram::{Chat, Method, TelegramFake},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::replies::{PATIENCE, Replies, answer, number_in};

/// How many people there are, if nothing else is said.
pub const PEOPLE: i64 = 200;

/// A Telegram and a model.
pub struct World {
    /// Telegram.
    pub telegram: TelegramFake,
    /// The model.
    pub model: OpenAiFake,
    people: Vec<Chat>,
    next: AtomicU64,
}

/// The bodies of Clifford's own calls, for the bare loop to repeat.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bodies {
    /// A request to the model, up to the number of the question.
    pub model_head: String,
    /// The rest of it.
    pub model_tail: String,
    /// The parameters of `getUpdates`.
    pub poll: Value,
    /// The parameters of `sendMessage`.
    pub send: Value,
}

impl World {
    /// A world whose model takes so long.
    ///
    /// # Errors
    /// There is no free port.
    pub async fn new(model_takes: Duration) -> anyhow::Result<Self> {
        Self::with(PEOPLE, model_takes).await
    }

    /// A world of so many people, whose model takes so long.
    ///
    /// # Errors
    /// There is no free port.
    pub async fn with(people: i64, model_takes: Duration) -> anyhow::Result<Self> {
        let telegram = TelegramFake::start()
            .await
            .context("the fake of Telegram cannot be started")?;
        let model = OpenAiFake::start().await;
        model.respond_with(move |request| reply_to(request).delay(model_takes));
        model.record(false);
        telegram.record(false);
        let people = (1..=people)
            .map(|id| telegram.user(1000 + id, &format!("Person {id}")))
            .collect();
        Ok(Self {
            telegram,
            model,
            people,
            next: AtomicU64::new(1),
        })
    }

    /// The replies from now on.
    pub fn replies(&self) -> Replies {
        Replies::new(self.telegram.subscribe())
    }

    /// Person number `place` asks something; returns when that was, and the number of the question.
    pub fn ask(&self, place: usize) -> (u64, Instant) {
        let chat = self.people[place % self.people.len()];
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let at = Instant::now();
        self.telegram
            .user_says(chat, chat.id, &format!("What do you know about question #{number}?"));
        (number, at)
    }

    /// Waits for the bot's first poll, and returns when it came.
    ///
    /// # Errors
    /// It does not come.
    pub async fn first_poll(&self) -> anyhow::Result<Instant> {
        let polled = self
            .telegram
            .wait_until("the first poll", |fake| (fake.polls() > 0).then(Instant::now));
        tokio::time::timeout(PATIENCE, polled)
            .await
            .context("the bot never asked Telegram for updates")
    }

    /// Lets somebody ask a question, and keeps what the bot sends for it.
    ///
    /// # Errors
    /// It is not answered, or its calls do not look as expected.
    pub async fn record(&self) -> anyhow::Result<Bodies> {
        self.telegram.record(true);
        self.model.record(true);
        let mut replies = self.replies();
        replies.expect(self.ask(0));
        replies.wait_for_all().await?;
        self.telegram.record(false);
        self.model.record(false);
        let requests = self.model.requests();
        // Memory may be written in the meantime, for messages of before.
        let question = requests.iter().rfind(|request| beside_answers(request).is_none());
        let body = question.context("the model was not asked")?.body.to_string();
        let at = body.rfind('#').context("the model was not told the question")? + 1;
        let (model_head, rest) = body.split_at(at);
        let model_tail = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let requests = self.telegram.requests();
        let last = |method| {
            let of_method = requests.iter().rfind(|request| request.method == method);
            of_method
                .map(|request| request.params.clone())
                .with_context(|| format!("the bot never called {method}"))
        };
        Ok(Bodies {
            model_head: model_head.to_owned(),
            model_tail: model_tail.to_owned(),
            poll: last(Method::GetUpdates)?,
            send: last(Method::SendMessage)?,
        })
    }

    /// Acts of the bot that a careful bot does not do.
    pub fn violations(&self) -> Vec<String> {
        [self.telegram.violations(), self.model.violations()].concat()
    }
}

/// The model answers at once, with the number of the question. It finds nothing worth remembering.
fn reply_to(request: &RecordedRequest) -> Reply {
    if let Some(reply) = beside_answers(request) {
        return Reply::json(&reply);
    }
    let number = number_in(request.text(1)).unwrap_or_default();
    let answer = json!({"type": "send_message", "message": answer(number)});
    Reply::json(&answer)
}

/// The model's reply to a request that answers nobody: one that writes memory.
fn beside_answers(request: &RecordedRequest) -> Option<Value> {
    match request.body["response_format"]["json_schema"]["name"].as_str()? {
        "memory_operations" => Some(json!({"operations": []})),
        "summary" => Some(json!({"summary": "Questions were asked and answered."})),
        _ => None,
    }
}
