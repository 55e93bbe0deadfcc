//! Direct chat: one model call, no tools, and as durable as any run.

use clifford_core::{
    messages::{Direction, MessageStatus},
    places::Mode,
    runs::RunStatus,
};
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::harness::{Bot, Room, Setup, Site};

const STEPS: [&str; 4] = ["llm_request", "llm_response", "assistant_message", "finish"];
const UNREADABLE: &str =
    "Sorry, my language model could not read what I asked it, and trying again won't help. My owner can look up why.";
const BAD_REPLY: &str = "Sorry, my language model did not answer in a form that I can use. Please ask again. If it goes on, \
                         another model may do better: /model shows which there are.";

fn chatting(site: Site) -> Setup {
    Setup::on(site)
        .set("agent.mode", "chat")
        .set("agent.prompt", "You are Clifford.")
}

/// Says what was said to it.
fn echo(request: &RecordedRequest) -> Reply {
    Reply::text(format!("You said: {}", request.last_text()))
}

async fn started(setup: Setup) -> Bot {
    let bot = setup.start().await;
    bot.model.respond_with(echo);
    bot
}

/// The messages of a request, with their speakers.
fn said(request: &RecordedRequest) -> Vec<(&str, &str)> {
    let messages = request.messages().iter();
    messages
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn somebody_chats_on_telegram_and_on_discord() {
    for site in Site::BOTH {
        let mut bot = started(chatting(site)).await;
        let room = bot.room(site, 7, "Ada");
        bot.says(room, "hello");
        bot.answers(room, 1).await;
        bot.says(room, "and now?");
        assert_eq!(bot.answers(room, 2).await, ["You said: hello", "You said: and now?"]);
        bot.stop().await;

        let look = bot.look().await;
        let runs = look.runs().await;
        for run in &runs {
            assert_eq!(
                (run.mode, run.status, run.llm_calls),
                (Mode::Chat, RunStatus::Completed, 1)
            );
            assert_eq!(look.steps(run.id).await, STEPS);
        }
        let (asked, answered) = (
            look.messages(Direction::Inbound).await,
            look.messages(Direction::Outbound).await,
        );
        let metadata: Vec<_> = answered.iter().map(|row| row.metadata.clone().unwrap().0).collect();
        let expected: Vec<_> = asked
            .iter()
            .map(|row| json!({"provider": "fake", "model": "fake-1", "replyTo": row.id}))
            .collect();
        assert_eq!(metadata, expected);

        let requests = bot.model.requests();
        let last = requests.last().unwrap();
        assert_eq!(last.body.get("response_format"), None);
        let messages = said(last);
        let system = messages[0].1;
        assert_eq!(
            messages[1..],
            [
                ("user", "hello"),
                ("assistant", "You said: hello"),
                ("user", "and now?")
            ]
        );
        assert!(
            system.starts_with("You are Clifford.\n\nUser name: Ada\nChannel: "),
            "{system}"
        );
        assert!(system.ends_with("\nContext: hello"), "{system}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_comes_while_a_chat_is_answered_is_answered_next() {
    let mut bot = started(chatting(Site::Telegram)).await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let hold = bot.model.hold();
    bot.says(room, "one");
    bot.model.wait_for_requests(1).await;
    bot.says(room, "two");
    bot.says(room, "three");
    bot.until("the messages that wait", async |look| {
        let waits = look.messages(Direction::Inbound).await;
        (waits.iter().filter(|row| row.status == MessageStatus::Queued).count() == 2).then_some(())
    })
    .await;
    hold.release();
    assert_eq!(bot.answers(room, 2).await, ["You said: one", "You said: two\nthree"]);
    bot.finish().await;
    let modes: Vec<_> = bot.look().await.runs().await.iter().map(|run| run.mode).collect();
    assert_eq!(modes, [Mode::Chat, Mode::Chat]);
}

#[tokio::test]
async fn trouble_in_a_chat_is_told_in_plain_words_and_stored() {
    let mut bot = started(chatting(Site::Telegram)).await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    // It is asked without a stream, too.
    bot.model.push(Reply::status(400, "the model is on fire"));
    bot.model.push(Reply::status(400, "the model is on fire"));
    bot.says(room, "one");
    bot.answers(room, 1).await;
    bot.model.push(Reply::text("<think>nothing to say</think>"));
    bot.says(room, "two");
    bot.answers(room, 2).await;
    bot.says(room, "three");
    assert_eq!(bot.answers(room, 3).await, [UNREADABLE, BAD_REPLY, "You said: three"]);
    bot.stop().await;
    let look = bot.look().await;
    let runs: Vec<_> = look.runs().await.iter().map(|run| run.status).collect();
    assert_eq!(runs, [RunStatus::Failed, RunStatus::Failed, RunStatus::Completed]);
    let asked = look.messages(Direction::Inbound).await;
    let answered = look.messages(Direction::Outbound).await;
    let metadata: Vec<Value> = answered.iter().map(|row| row.metadata.clone().unwrap().0).collect();
    assert_eq!(
        metadata,
        [
            json!({"replyTo": asked[0].id, "refusal": true}),
            json!({"provider": "fake", "model": "fake-1", "replyTo": asked[1].id, "refusal": true}),
            json!({"provider": "fake", "model": "fake-1", "replyTo": asked[2].id}),
        ]
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_recorded_reply_of_a_chat_is_sent_once_and_never_asked_for_again() {
    for point in ["response_recorded", "message_recorded"] {
        let mut bot = chatting(Site::Discord).prepare().await;
        bot.model.respond_with(echo);
        let room = bot.room(Site::Discord, 7, "Ada");
        bot.start_crashing(point).await;
        bot.says(room, "hello");
        bot.crashed().await;
        bot.start().await;
        bot.until("the delivery", async |look| {
            let runs = look.runs().await;
            let ended = runs.len() == 1 && runs[0].status.is_ended();
            (ended && look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.finish().await;
        assert_eq!(bot.texts(room), ["You said: hello"], "{point}");
        assert_eq!(bot.model.request_count(), 1, "{point}");
        let look = bot.look().await;
        assert_eq!(look.steps(look.run().await.id).await, STEPS, "{point}");
    }
}

#[tokio::test]
async fn a_private_chat_knows_what_was_said_in_the_others_and_a_group_does_not() {
    let mut bot = started(chatting(Site::Telegram)).await;
    let ada = bot.telegram.user(7, "Ada");
    bot.says(Room::Telegram(ada), "the canary sings");
    bot.answers(Room::Telegram(ada), 1).await;
    let look = bot.look().await;
    let chat = look.channels().await.remove(0);
    // The same person, elsewhere.
    let place = clifford_chat::inbound::Place {
        platform: clifford_chat::platform::Platform::new("telegram"),
        external_id: "8".to_owned(),
        parent: None,
        kind: clifford_chat::inbound::PlaceKind::Private,
        name: None,
        space: None,
    };
    let user = chat.user_id.unwrap();
    let now = clifford_core::clock::Timestamp(1);
    look.db
        .write(move |tx| {
            Box::pin(async move {
                clifford_store::places::channels::find_or_create(tx, &place, Some((user, "7")), now).await?;
                Ok(())
            })
        })
        .await
        .unwrap();
    look.run_sql(&format!(
        "INSERT INTO identities (platform, platform_user_id, user_id, name, created_at)
         VALUES ('telegram', '8', '{user}', 'Ada', 1)"
    ))
    .await;
    let other = bot.telegram.user(8, "Ada");
    bot.says(Room::Telegram(other), "what sings?");
    bot.answers(Room::Telegram(other), 1).await;
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.user_says(group, 7, "Clifford, what sings?");
    bot.telegram.wait_for_sent(group, 1).await;
    bot.finish().await;
    let requests = bot.model.requests();
    let systems: Vec<_> = requests.iter().map(|request| request.text(0)).collect();
    assert!(
        systems[1].ends_with(":\nUser: the canary sings\nClifford: You said: the canary sings"),
        "{}",
        systems[1]
    );
    assert!(systems[1].contains("\n\nActive context in telegram"), "{}", systems[1]);
    assert!(
        !systems[2].contains("canary") && !systems[2].contains("Active context"),
        "{}",
        systems[2]
    );
}
