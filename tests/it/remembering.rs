//! The memory of conversations that are closed or grow too long, in spite of faults on the way. It is long because each
//! fault is met on its own way from the first message to what is remembered.

use std::sync::Arc;

use clifford_core::{
    id::{ContextId, UserId},
    memory::rows::Item,
    messages::Direction,
    work::JobStatus,
};
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::{
    contexts::{self, Context},
    jobs::{self, Filter, Job},
    memory::write::{self as memory_write, ConversationState},
};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
    scripted_model::{self, Prompt, memory_schema},
    store::erasure::script,
};

impl DbProbe {
    async fn jobs(&self) -> Vec<Job> {
        let mut conn = self.db.read().await.unwrap();
        let mut jobs = jobs::page(&mut conn, &Filter::default(), 100).await.unwrap();
        jobs.reverse();
        jobs
    }

    async fn contexts(&self) -> Vec<Context> {
        let mut conn = self.db.read().await.unwrap();
        let mut contexts = contexts::page(&mut conn, None, None, None, 100).await.unwrap();
        contexts.reverse();
        contexts
    }

    async fn standing(&self, context: ContextId) -> ConversationState {
        let mut conn = self.db.read().await.unwrap();
        memory_write::standing(&mut conn, context).await.unwrap().unwrap()
    }

    async fn items(&self, user: UserId) -> Vec<Item> {
        let mut conn = self.db.read().await.unwrap();
        let mut items = memory_write::items(&mut conn, user).await.unwrap();
        items.sort_by(|a, b| a.key.cmp(&b.key));
        items
    }

    /// The keys of all that is remembered of the person of the only private chat.
    async fn keys(&self) -> Vec<String> {
        let user = self.contexts().await[0].user_id.unwrap();
        self.items(user).await.into_iter().map(|item| item.key).collect()
    }
}

impl Bot {
    /// A person says these things one after the other, and waits for each answer.
    async fn talks(&self, room: Room, texts: impl IntoIterator<Item = String>) {
        for text in texts {
            let before = self.texts(room).len();
            self.says(room, &text);
            self.answers(room, before + 1).await;
        }
    }

    /// Waits until so many jobs have been made and none is left to do.
    async fn jobs_done(&self, count: usize) -> Vec<Job> {
        self.until("the jobs", async |look| {
            let jobs = look.jobs().await;
            let done = jobs.len() == count && jobs.iter().all(|job| job.status == JobStatus::Done);
            done.then_some(jobs)
        })
        .await
    }

    /// The newest prompt of a run.
    fn last_prompt(&self) -> Arc<RecordedRequest> {
        let mut requests = self.model.requests().into_iter();
        requests.rfind(|request| memory_schema(request).is_none()).unwrap()
    }

    /// The part of the conversation that it shows.
    fn shown(&self) -> Vec<String> {
        Prompt::read(&self.last_prompt())
            .conversation()
            .into_iter()
            .map(str::to_owned)
            .collect()
    }
}

fn result(job: &Job) -> &Value {
    &job.result.as_ref().unwrap().0
}

/// The look of a conversation of these turns in a prompt.
fn exchanges(turns: impl IntoIterator<Item = usize>) -> Vec<String> {
    turns
        .into_iter()
        .flat_map(|turn| {
            [
                format!("remember fact {turn}"),
                format!("You said: remember fact {turn}"),
            ]
        })
        .collect()
}

fn facts(turns: impl IntoIterator<Item = usize>) -> Vec<String> {
    turns.into_iter().map(|turn| format!("remember fact {turn}")).collect()
}

async fn sixty_one_turns(setup: Setup) {
    // Turns alone are to make it, not the size of what was said.
    let mut bot = setup.provider("context_tokens", 128_000).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=60)).await;
    assert_eq!(bot.look().await.jobs().await, []);
    bot.talks(room, facts([61])).await;
    let job = bot.jobs_done(1).await.remove(0);
    assert_eq!(
        (&result(&job)["messages"], &result(&job)["summarised"]),
        (&json!(60), &json!(60))
    );

    let look = bot.look().await;
    let context = look.contexts().await.remove(0);
    assert_eq!(context.turn_count, 31);
    let standing = look.standing(context.id).await;
    let summary = standing.summary.unwrap();
    assert!(
        summary.contains("remember fact 1;") && summary.contains("remember fact 30;") && !summary.contains("fact 31"),
        "{summary}"
    );
    assert_eq!(
        standing.summary_of.map(|of| of.0),
        context.user_id.map(|user| vec![user])
    );
    assert_eq!(standing.compacted_through, job.through);
    assert_eq!(standing.remembered_through, job.through);
    // Twelve find room on their level: the newest of thirty.
    assert_eq!(look.items(context.user_id.unwrap()).await.len(), 12);
    // Nothing is deleted yet.
    assert_eq!(look.count("messages").await, 122);

    bot.talks(room, facts([62])).await;
    let shown = bot.shown();
    assert_eq!(shown[shown.len() - 62..], exchanges(31..=61));
    assert!(!shown.contains(&"remember fact 30".to_owned()), "{shown:?}");
    // In their place stand the summary, and what is remembered.
    let prompt = bot.last_prompt();
    let payload: Value = serde_json::from_str(prompt.text(1)).unwrap();
    assert_eq!(payload["summary"], summary);
    let at = |name: &str| prompt.text(1).find(&format!("\"{name}\":")).unwrap();
    assert!(at("summary") < at("conversation"));
    // Of the level's twelve, five come into a prompt.
    assert_eq!(payload["memories"].as_array().unwrap().len(), 5);
    bot.finish().await;
    assert_eq!(look.jobs().await.len(), 1);
}

#[tokio::test]
async fn the_sixty_first_turn_of_a_conversation_compacts_it_on_sqlite() {
    sixty_one_turns(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn the_sixty_first_turn_of_a_conversation_compacts_it_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        sixty_one_turns(setup).await;
    }
}

/// A bot whose conversations are compacted at their fifth turn, in two pieces.
fn short(setup: Setup) -> Setup {
    setup
        .set("memory.max_turns_per_context", 4)
        .set("memory.writer_max_messages", 2)
}

/// The process dies twice at a point of a compaction; nothing is lost or doubled.
async fn survive(point: &'static str, setup: Setup) {
    let mut bot = short(setup).prepare().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    bot.start_crashing(point).await;
    bot.talks(room, facts(1..=4)).await;
    bot.says(room, "remember fact 5");
    bot.crashed().await;
    bot.spawn(Some(point));
    bot.crashed().await;
    bot.spawn(None);
    let job = bot.jobs_done(1).await.remove(0);
    bot.until("the last answer", async |look| {
        let messages = look.messages(Direction::Outbound).await;
        (messages.len() == 5 && look.undelivered().await == 0).then_some(())
    })
    .await;
    let look = bot.look().await;
    let context = look.contexts().await.remove(0);
    let standing = look.standing(context.id).await;
    assert_eq!(
        standing.summary.as_deref(),
        Some("remember fact 1;remember fact 2;"),
        "{point}"
    );
    assert_eq!(look.keys().await, ["fact_1", "fact_2"], "{point}");
    assert_eq!(
        (
            standing.compacted_through,
            standing.remembered_through,
            context.turn_count
        ),
        (job.through, job.through, 3),
        "{point}"
    );
    let applied = |key: &str| json!({"op": "add", "module": "projects", "key": key});
    let user = context.user_id.unwrap().to_string();
    assert_eq!(
        result(&job)["people"],
        json!({ user: {"applied": [applied("fact_1"), applied("fact_2")], "skipped": [], "archived": []} }),
        "{point}"
    );
    assert_eq!(result(&job)["messages"], 4, "{point}");
    bot.talks(room, facts([6])).await;
    assert_eq!(bot.shown(), exchanges(3..=5), "{point}");
    bot.finish().await;
    let expected: Vec<_> = (1..=6).map(|turn| format!("You said: remember fact {turn}")).collect();
    assert_eq!(bot.texts(room), expected, "{point}");
    assert_eq!(look.count("memory_items").await, 2, "{point}");
}

const POINTS: [&str; 5] = [
    "compaction_due",
    "job_claimed",
    "before_memory_call",
    "memory_replied",
    "memory_written",
];

#[tokio::test]
async fn a_compaction_loses_and_doubles_nothing_whenever_the_process_is_killed_on_sqlite() {
    join_all(POINTS.map(|point| survive(point, Setup::on(Site::Discord)))).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_compaction_loses_and_doubles_nothing_whenever_the_process_is_killed_on_postgresql() {
    let setups = POINTS.map(|point| Some((point, Setup::on(Site::Discord).postgres()?)));
    join_all(setups.into_iter().flatten().map(|(point, setup)| survive(point, setup))).await;
}

#[tokio::test]
async fn what_was_said_is_remembered_when_the_conversation_is_closed() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let Room::Telegram(chat) = room else { panic!("a chat") };
    bot.talks(room, facts([1, 2])).await;
    bot.telegram.command(chat, 7, "close", "");
    let job = bot.jobs_done(1).await.remove(0);
    let look = bot.look().await;
    assert_eq!(look.keys().await, ["fact_1", "fact_2"]);
    let context = look.contexts().await.remove(0);
    let standing = look.standing(context.id).await;
    assert_eq!((standing.summary, standing.compacted_through), (None, None));
    assert_eq!(standing.remembered_through, job.through);
    assert_eq!(
        (&result(&job)["provider"], &result(&job)["calls"]),
        (&json!("fake"), &json!(1))
    );
    // Nobody says anything in the next one: there is nothing to remember of it.
    bot.telegram.command(chat, 7, "new", "Empty");
    bot.telegram.command(chat, 7, "close", "");
    bot.answers(room, 5).await;
    bot.finish().await;
    assert_eq!(look.jobs().await.len(), 1);
}

#[tokio::test]
async fn where_memory_is_off_a_compaction_only_tells() {
    let mut bot = short(Setup::on(Site::Telegram))
        .set("memory.enabled", false)
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    let job = bot.jobs_done(1).await.remove(0);
    let look = bot.look().await;
    let context = look.contexts().await.remove(0);
    let standing = look.standing(context.id).await;
    assert_eq!(standing.summary.as_deref(), Some("remember fact 1;remember fact 2;"));
    // Messages from while it was off are not remembered when it is on again.
    assert_eq!(standing.remembered_through, job.through);
    bot.finish().await;
    assert_eq!(look.count("memory_items").await, 0);
}

#[tokio::test]
async fn compacted_messages_that_are_not_to_be_kept_are_deleted_with_what_tells_them() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = short(setup).set("memory.retain_compacted_days", 0).start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.talks(room, facts(1..=5)).await;
        bot.jobs_done(1).await;
        let look = bot.look().await;
        let texts: Vec<_> = look
            .messages(Direction::Inbound)
            .await
            .into_iter()
            .map(|message| message.content)
            .collect();
        assert_eq!(texts, facts(3..=5));
        assert_eq!(look.count("messages").await, 6);
        assert_eq!(look.count("message_parts").await, 3);
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_model_that_makes_no_sense_of_memory_blocks_no_conversation_and_loses_nothing() {
    let mut bot = short(Setup::on(Site::Telegram)).start().await;
    bot.model.respond_with(|request| match memory_schema(request) {
        Some(_) => Reply::text("I would rather not."),
        None => scripted_model::reply(request),
    });
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    let job = bot
        .until("a failed attempt", async |look| {
            look.jobs().await.into_iter().find(|job| job.error.is_some())
        })
        .await;
    assert_eq!(
        (job.status, job.error.as_deref()),
        (
            JobStatus::Pending,
            Some("the reply holds no operations: I would rather not.")
        )
    );
    assert!(job.due_at > job.created_at);
    bot.talks(room, facts([6])).await;
    assert_eq!(bot.shown(), exchanges(1..=5));
    bot.finish().await;
    let look = bot.look().await;
    assert_eq!((look.count("messages").await, look.jobs().await.len()), (12, 1));
}

async fn a_summary_makes_no_sense(setup: Setup) {
    let mut bot = setup
        .set("memory.max_turns_per_context", 4)
        .set("memory.writer_max_messages", 100)
        .start()
        .await;
    bot.model.respond_with(|request| match memory_schema(request) {
        // Prose would be a summary.
        Some("summary") => Reply::json(&json!({"told": 7})),
        _ => scripted_model::reply(request),
    });
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    let job = bot
        .until("the end of the attempts", async |look| {
            let job = look.jobs().await.remove(0);
            // No attempt waits for its time.
            if job.status == JobStatus::Pending && job.error.is_some() && job.due_at > job.created_at {
                script(&look.db, "UPDATE jobs SET due_at = created_at").await;
            }
            (job.status == JobStatus::Failed).then_some(job)
        })
        .await;
    assert_eq!(job.attempts, 3);
    let asked = |schema: &str| {
        let requests = bot.model.requests().into_iter();
        requests
            .filter(|request| memory_schema(request) == Some(schema))
            .count()
    };
    assert_eq!(asked("summary"), 3);
    let others = bot.model.requests().into_iter();
    let items = others.filter(|request| memory_schema(request).is_some_and(|schema| schema != "summary"));
    // What was answered is not asked for again.
    assert_eq!(items.count(), 1);
    let look = bot.look().await;
    assert!(look.keys().await.contains(&"fact_1".to_owned()));
    assert_eq!(look.standing(look.contexts().await[0].id).await.summary, None);
    bot.finish().await;
}

#[tokio::test]
async fn a_summary_that_makes_no_sense_costs_nothing_but_a_few_tries_on_sqlite() {
    a_summary_makes_no_sense(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_summary_that_makes_no_sense_costs_nothing_but_a_few_tries_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        a_summary_makes_no_sense(setup).await;
    }
}

#[tokio::test]
async fn a_message_that_the_provider_refuses_is_left_out_and_the_rest_is_told() {
    let mut bot = short(Setup::on(Site::Telegram)).start().await;
    bot.model.respond_with(|request| {
        // A request that is refused is put in other forms, too.
        let is_memory = memory_schema(request).is_some() || request.body["response_format"]["type"] != "json_schema";
        if is_memory && request.last_text().contains("\"remember fact 2\"") {
            return Reply::status(400, "I cannot read this.");
        }
        scripted_model::reply(request)
    });
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    let job = bot.jobs_done(1).await.remove(0);
    let look = bot.look().await;
    let second = look
        .messages(Direction::Inbound)
        .await
        .into_iter()
        .find(|message| message.content == "remember fact 2")
        .unwrap();
    let unread = &result(&job)["unread"];
    assert_eq!(unread[0]["message"], json!(second.id));
    assert!(
        unread[0]["reason"].as_str().unwrap().contains("I cannot read this."),
        "{unread}"
    );
    assert_eq!(
        (&result(&job)["messages"], &result(&job)["summarised"]),
        (&json!(4), &json!(3))
    );
    let standing = look.standing(look.contexts().await[0].id).await;
    let summary = standing.summary.unwrap();
    assert!(summary.contains("fact 1") && !summary.contains("fact 2"), "{summary}");
    assert_eq!(standing.compacted_through, job.through);
    assert_eq!(look.keys().await, ["fact_1"]);
    bot.finish().await;
}

#[tokio::test]
async fn a_model_that_is_at_work_is_waited_for_but_not_for_ever() {
    let mut bot = short(Setup::on(Site::Telegram))
        .set("engine.max_run_seconds", 5)
        .start()
        .await;
    bot.model.respond_with(|request| match memory_schema(request) {
        Some(_) => Reply::never(),
        None => scripted_model::reply(request),
    });
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    // Its lease, of three seconds, is renewed meanwhile.
    bot.until("a renewed lease", async |look| {
        (look
            .count("jobs WHERE attempts = 1 AND lease_until > created_at + 4000")
            .await
            == 1)
            .then_some(())
    })
    .await;
    let error = bot
        .until("a failed attempt", async |look| look.jobs().await.remove(0).error)
        .await;
    let expected = "the model did not answer: fake is not available: no reply within its share of max_run_seconds: ";
    assert!(error.starts_with(expected), "{error}");
    bot.finish().await;
}

#[tokio::test]
async fn a_job_is_put_off_however_long_the_database_refuses() {
    let mut bot = short(Setup::on(Site::Telegram)).start().await;
    bot.model.respond_with(|request| match memory_schema(request) {
        Some(_) => Reply::text("I would rather not."),
        None => scripted_model::reply(request),
    });
    let look = bot.look().await;
    look.run_sql(
        "CREATE TRIGGER refuses BEFORE UPDATE OF error ON jobs BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.talks(room, facts(1..=5)).await;
    let asked = || {
        bot.model
            .requests()
            .iter()
            .any(|request| memory_schema(request).is_some())
    };
    bot.until("the model's answer", async |_| asked().then_some(())).await;
    // Refused once, and once more.
    bot.until("a second refusal", async |_| {
        (bot.logged("failed to reschedule a job, retrying") >= 2).then_some(())
    })
    .await;
    assert_eq!(
        look.count("jobs WHERE lease_owner IS NOT NULL AND error IS NULL").await,
        1
    );
    look.run_sql("DROP TRIGGER refuses").await;
    bot.until("a job that is put off", async |look| {
        (look.count("jobs WHERE lease_owner IS NULL AND error IS NOT NULL").await == 1).then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn in_a_group_each_is_remembered_by_their_own_words_alone() {
    let mut bot = Setup::on(Site::Telegram)
        .set("memory.max_turns_per_context", 4)
        .start()
        .await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for (place, (user, text)) in [(7, "one"), (8, "two"), (7, "three"), (8, "four"), (7, "five")]
        .into_iter()
        .enumerate()
    {
        bot.telegram
            .user_says(group, user, &format!("@clifford_bot remember {text}"));
        bot.telegram.wait_for_sent(group, place + 1).await;
    }
    let job = bot.jobs_done(1).await.remove(0);
    let look = bot.look().await;
    let context = look.contexts().await.remove(0);
    assert_eq!((context.user_id, context.space_id.is_some()), (None, true));
    let of = look.standing(context.id).await.summary_of.unwrap().0;
    let mut remembered = Vec::new();
    for user in &of {
        for item in look.items(*user).await {
            assert_eq!(item.origin_space, context.space_id);
            remembered.push((
                result(&job)["people"][user.to_string()]["applied"][0]["key"].clone(),
                item.value,
            ));
        }
    }
    assert_eq!(
        remembered,
        [(json!("one"), "one".to_owned()), (json!("two"), "two".to_owned())]
    );
    bot.finish().await;
}
