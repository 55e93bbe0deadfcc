//! The conversations of `docs/explanation/conversations.md`, as the binary holds them.
//!
//! `UPDATE_DOCS=1 cargo test --test it -- conversations::` writes them.

use std::{env, fs};

use clifford_core::clock::Timestamp;
use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Sent},
};
use clifford_store::people::claim;
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// The page, by its place in the repository.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explanation/conversations.md");
const ADA: i64 = 7;
const BOB: i64 = 8;
const EVE: i64 = 9;

/// Answers as these conversations need it.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let prompt = Prompt::read(request);
    let input = prompt.input().rsplit("] ").next().unwrap_or_default().to_owned();
    let made = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    let call = |name: &str, args: Value| json!({"type": "tool_call", "name": name, "args": args});
    let put = |key: &str, value: &str| {
        call(
            "memory.put",
            json!({"module": "preferences", "key": key, "value": value}),
        )
    };
    let (calls, answer) = match input.as_str() {
        "I take my tea green" => (vec![put("tea", "green")], "Green tea it is. I will remember that."),
        "Remind me every weekday at 8 to stretch" => (
            vec![call(
                "reminders.set",
                json!({"when": "every weekday at 8", "text": "stretch"}),
            )],
            "Done: every weekday at 8:00 I tell you to stretch.",
        ),
        "Clifford, what is 17 * 23?" => (
            vec![call("compute.eval", json!({"expression": "17 * 23"}))],
            "17 × 23 = 391.",
        ),
        "And divided by 2?" => (vec![call("compute.eval", json!({"expression": "391 / 2"}))], "195.5."),
        _ => (Vec::new(), "Hello! What can I do for you?"),
    };
    Reply::json(&match calls.into_iter().nth(made) {
        Some(call) => call,
        None => json!({"type": "finish", "output": answer}),
    })
}

/// A conversation on Telegram, as it is written down.
struct Story {
    bot: Bot,
    lines: Vec<String>,
    /// How many messages of the bot were told, by chat.
    told: Vec<(Chat, usize)>,
}

impl Story {
    async fn begin(setup: Setup) -> Self {
        let setup = setup.set("engine.planning_gate", "off").set("engine.time_zone", "UTC");
        let bot = setup.start().await;
        bot.model.respond_with(reply);
        for (id, name) in [(ADA, "Ada"), (BOB, "Bob"), (EVE, "Eve")] {
            bot.telegram.user(id, name);
        }
        Self {
            bot,
            lines: Vec::new(),
            told: Vec::new(),
        }
    }

    fn private(&self, user: i64) -> Chat {
        Chat { id: user, thread: None }
    }

    /// A group that Ada manages.
    fn group(&self) -> Chat {
        let group = self.bot.telegram.supergroup(-1_001_234, "Team");
        self.bot
            .telegram
            .standing(group, ADA, json!({ "status": "administrator" }));
        group
    }

    fn name(user: i64) -> &'static str {
        match user {
            ADA => "Ada",
            BOB => "Bob",
            _ => "Eve",
        }
    }

    /// Somebody writes.
    fn says(&mut self, chat: Chat, user: i64, text: &str) {
        self.bot.telegram.user_says(chat, user, text);
        self.lines.push(format!("{}: {text}", Self::name(user)));
    }

    /// The bot's next message in a chat.
    async fn hears(&mut self, chat: Chat) -> Sent {
        let told = self
            .told
            .iter()
            .find(|(known, _)| *known == chat)
            .map_or(0, |(_, told)| *told);
        let sent = self.bot.telegram.wait_for_sent(chat, told + 1).await.remove(told);
        self.told.retain(|(known, _)| *known != chat);
        self.told.push((chat, told + 1));
        self.lines.push(format!("Clifford: {}", sent.text.trim_end()));
        if !sent.buttons.is_empty() {
            let labels: Vec<_> = sent.buttons.iter().map(|(label, _)| format!("[{label}]")).collect();
            self.lines.push(labels.join(" "));
        }
        self.landed().await;
        sent
    }

    /// Says that another chat comes now.
    fn scene(&mut self, place: &str) {
        self.lines.push(format!("({place})"));
    }

    fn presses(&mut self, chat: Chat, user: i64, label: &str) -> String {
        self.lines.push(format!("{} presses {label}.", Self::name(user)));
        self.bot.telegram.press(chat, user, label)
    }

    /// Waits until all that was said is marked as delivered.
    async fn landed(&self) {
        self.bot
            .until("what was said to be marked", async |look| {
                (look.undelivered().await == 0).then_some(())
            })
            .await;
    }

    async fn end(mut self) -> String {
        self.bot.telegram.wait_for_answers().await;
        self.bot.finish().await;
        let told = self.lines.join("\n\n");
        // Changes are told with the day on which they were made.
        let today = jiff::Timestamp::now().strftime("%F").to_string();
        told.replace(&today, "2026-11-25")
    }
}

fn on_telegram() -> Setup {
    Setup::on(Site::Telegram)
}

/// A bot for people whom its owner lets in, and its owner Ada.
async fn owned() -> Story {
    let mut story = Story::begin(on_telegram().set("channels.telegram.access", "pairing")).await;
    let now: Timestamp = jiff::Timestamp::now().into();
    let look = story.bot.look().await;
    let made = look.db.write(move |tx| Box::pin(claim::make(tx, now))).await;
    let code = made.expect("writes").expect("a code");
    let ada = story.private(ADA);
    story.says(ada, ADA, &code);
    story.hears(ada).await;
    // Each bot has a code of its own.
    for line in &mut story.lines {
        *line = line.replace(&code, "K7WPM3QX");
    }
    story
}

async fn the_owner_comes() -> String {
    let mut story = owned().await;
    let ada = story.private(ADA);
    story.says(ada, ADA, "hello");
    story.hears(ada).await;
    story.says(ada, ADA, "/help");
    story.hears(ada).await;
    story.end().await
}

async fn a_stranger_is_let_in() -> String {
    let mut story = owned().await;
    story.lines.clear();
    let (ada, eve) = (story.private(ADA), story.private(EVE));
    story.scene("Eve, in private");
    story.says(eve, EVE, "hello");
    let refused = story.hears(eve).await.text;
    story.scene("Ada, in private");
    story.hears(ada).await;
    story.presses(ada, ADA, "Approve");
    story.hears(ada).await;
    story.scene("Eve, in private");
    story.hears(eve).await;
    story.says(eve, EVE, "hello");
    story.hears(eve).await;
    // A code, like the owner's, is another one each time.
    let code = |word: &&str| word.len() == 8 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let words = refused.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(code) {
        for line in &mut story.lines {
            *line = line.replace(word, "QL5K3QM2");
        }
    }
    story.end().await
}

async fn a_memory_is_undone() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let ada = story.private(ADA);
    story.says(ada, ADA, "I take my tea green");
    story.hears(ada).await;
    story.says(ada, ADA, "/memory");
    story.hears(ada).await;
    story.presses(ada, ADA, "Undo");
    story.hears(ada).await;
    story.end().await
}

async fn a_reminder_is_set() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let ada = story.private(ADA);
    story.says(ada, ADA, "Remind me every weekday at 8 to stretch");
    story.hears(ada).await;
    story.says(ada, ADA, "/undo");
    story.hears(ada).await;
    story.end().await
}

async fn settings_in_private() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let ada = story.private(ADA);
    story.says(ada, ADA, "/settings");
    story.hears(ada).await;
    story.says(ada, ADA, "/settings time_zone Europe/Berlin");
    story.hears(ada).await;
    story.end().await
}

async fn a_voice_message_that_nobody_can_hear() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let ada = story.private(ADA);
    let said = json!({"mime_type": "audio/ogg"});
    story
        .bot
        .telegram
        .user_says_aloud(ada, ADA, "what is on today", 4, said);
    story
        .lines
        .push("Ada sends a voice message of four seconds.".to_owned());
    story.hears(ada).await;
    story.end().await
}

async fn a_group_is_joined() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let group = story.group();
    story.bot.telegram.add(group, ADA);
    story.lines.push("Ada adds Clifford to the group.".to_owned());
    story.hears(group).await;
    story.says(group, BOB, "Clifford, what is 17 * 23?");
    let answer = story.hears(group).await;
    story.lines.push("Bob, in a reply: And divided by 2?".to_owned());
    story
        .bot
        .telegram
        .reply_to(group, BOB, "And divided by 2?", answer.message_id);
    story.hears(group).await;
    story.end().await
}

async fn a_manager_sets_a_group_up() -> String {
    let mut story = Story::begin(on_telegram()).await;
    let group = story.group();
    story.says(group, BOB, "/settings when_busy steer");
    story.hears(group).await;
    story.says(group, ADA, "/settings when_busy steer");
    story.hears(group).await;
    story.says(group, ADA, "/settings undo");
    story.hears(group).await;
    story.end().await
}

async fn a_long_run_is_stopped() -> String {
    let mut story = Story::begin(on_telegram().set("delivery.progress_after_seconds", 1)).await;
    let group = story.group();
    let hold = story.bot.model.hold();
    story.says(group, BOB, "Clifford, write a novel");
    story.hears(group).await;
    let query = story.presses(group, EVE, "Stop");
    let told = story
        .bot
        .telegram
        .wait_until("the refusal", |fake| fake.told(&query))
        .await;
    story.lines.push(format!("Clifford, to Eve alone: {told}"));
    story.presses(group, BOB, "Stop");
    story
        .bot
        .telegram
        .wait_until("the end", |fake| {
            fake.sent(group)
                .iter()
                .any(|sent| sent.text == "Stopped.")
                .then_some(())
        })
        .await;
    story.lines.push("Clifford: Stopped.".to_owned());
    hold.release();
    story.end().await
}

async fn a_model_is_chosen() -> String {
    let strong = "name = 'strong'\nmodel = 'fake-2'\nprompt_price = 2.5\ncompletion_price = 10.0";
    let strong = strong.parse::<toml::Table>().expect("a table");
    let setup = on_telegram().set("llm.choices", vec![toml::Value::from(strong)]);
    let mut story = Story::begin(setup).await;
    let ada = story.private(ADA);
    story.says(ada, ADA, "hello");
    story.hears(ada).await;
    story.says(ada, ADA, "/model");
    story.hears(ada).await;
    story.says(ada, ADA, "/model strong");
    story.hears(ada).await;
    story.end().await
}

#[tokio::test]
async fn the_conversations_of_the_page_are_those_of_the_binary() {
    let conversations = [
        ("owner", the_owner_comes().await),
        ("pairing", a_stranger_is_let_in().await),
        ("memory", a_memory_is_undone().await),
        ("reminder", a_reminder_is_set().await),
        ("settings", settings_in_private().await),
        ("voice", a_voice_message_that_nobody_can_hear().await),
        ("group", a_group_is_joined().await),
        ("manager", a_manager_sets_a_group_up().await),
        ("stop", a_long_run_is_stopped().await),
        ("model", a_model_is_chosen().await),
    ];
    let page = fs::read_to_string(PAGE).unwrap();
    let mut made = page.clone();
    for (name, conversation) in &conversations {
        let mark = format!("<!-- conversation: {name} -->\n```text\n");
        let (before, rest) = made
            .split_once(&mark)
            .unwrap_or_else(|| panic!("{mark} is not in {PAGE}"));
        let (_, after) = rest.split_once("\n```").unwrap_or_else(|| panic!("{name} has no end"));
        made = format!("{before}{mark}{conversation}\n```{after}");
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(PAGE, made).unwrap();
    } else {
        let stale = "UPDATE_DOCS=1 cargo test --test it -- conversations:: writes docs/explanation/conversations.md";
        assert_eq!(page, made, "{stale}");
    }
}
