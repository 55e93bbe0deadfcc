//! Somebody asks, and is answered in their chat, once.

use clifford_core::{messages::MessageStatus, runs::RunStatus};
use clifford_fakes::telegram::Chat;
use clifford_llm_api::tokens::estimate_tokens;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

/// The steps of a run that calls two tools: every action with what it led to, in order.
const TWO_TOOLS: [&str; 13] = [
    "llm_request",
    "llm_response",
    "note",
    "note",
    "tool_call",
    "tool_result",
    "llm_request",
    "llm_response",
    "tool_call",
    "tool_result",
    "llm_request",
    "llm_response",
    "finish",
];

async fn asks_for_two_tools(setup: Setup, site: Site) {
    let mut bot = setup.start().await;
    let room = bot.room(site, 7, "Ada");
    bot.says(room, "two tools");
    assert_eq!(bot.answers(room, 1).await, ["two tools: 42 and 43"]);
    bot.stop().await;

    let look = bot.look().await;
    let run = look.run().await;
    assert_eq!(
        (
            run.status,
            run.output_text.as_deref(),
            run.error.as_deref(),
            run.llm_calls,
            run.epoch
        ),
        (RunStatus::Completed, Some("two tools: 42 and 43"), None, 3, 1)
    );
    assert_eq!(look.steps(run.id).await, TWO_TOOLS);
    let messages = [
        clifford_core::messages::Direction::Inbound,
        clifford_core::messages::Direction::Outbound,
    ];
    let [inbound, outbound] = [look.messages(messages[0]).await, look.messages(messages[1]).await];
    let rows: Vec<_> = inbound
        .iter()
        .chain(&outbound)
        .map(|row| (row.content.as_str(), row.status, row.run_id))
        .collect();
    assert_eq!(
        rows,
        [
            ("two tools", MessageStatus::Received, Some(run.id)),
            ("two tools: 42 and 43", MessageStatus::Delivered, Some(run.id)),
        ]
    );
    assert_eq!(bot.texts(room), ["two tools: 42 and 43"]);
    assert_eq!(bot.model.request_count(), 3);
    bot.finish().await;
}

#[tokio::test]
async fn telegram_user_asks_and_is_answered() {
    asks_for_two_tools(Setup::on(Site::Telegram), Site::Telegram).await;
}

#[tokio::test]
async fn discord_user_asks_and_is_answered() {
    asks_for_two_tools(Setup::on(Site::Discord), Site::Discord).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn users_of_both_platforms_are_answered_on_postgresql() {
    for site in Site::BOTH {
        let Some(setup) = Setup::on(site).postgres() else {
            return;
        };
        asks_for_two_tools(setup, site).await;
    }
}

#[tokio::test]
async fn two_hundred_users_at_once_are_each_answered_once_in_their_own_chat() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chats: Vec<Chat> = (1..=200)
        .map(|id| bot.telegram.user(id, &format!("User {id}")))
        .collect();
    for chat in &chats {
        bot.telegram
            .user_says(*chat, chat.id, &format!("two tools for {}", chat.id));
    }
    for chat in &chats {
        bot.telegram.wait_for_sent(*chat, 1).await;
    }
    bot.stop().await;
    let texts: Vec<_> = chats.iter().map(|chat| bot.texts(Room::Telegram(*chat))).collect();
    let expected: Vec<_> = (1..=200)
        .map(|id| vec![format!("two tools for {id}: 42 and 43")])
        .collect();
    assert_eq!(texts, expected);
    assert_eq!(bot.model.request_count(), 600);
    bot.finish().await;
}

#[tokio::test]
async fn a_long_answer_comes_in_parts_with_its_code_fence_whole_on_telegram() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "write a lot");
    let Room::Telegram(chat) = room else { unreachable!() };
    last_part(&bot, room).await;
    bot.stop().await;
    let parts = bot.telegram.sent(chat);
    assert!(parts.len() > 1 && parts.len() <= 5, "{}", parts.len());
    let mut code = Vec::new();
    for part in &parts {
        assert!(part.text.encode_utf16().count() <= 4096);
        let blocks: Vec<_> = part.entities.iter().filter(|entity| entity["type"] == "pre").collect();
        assert_eq!(blocks.len(), 1, "{}", part.text);
        assert_eq!(blocks[0]["language"], "rust");
        let from = usize::try_from(blocks[0]["offset"].as_u64().unwrap()).unwrap();
        let length = usize::try_from(blocks[0]["length"].as_u64().unwrap()).unwrap();
        let units: Vec<u16> = part.text.encode_utf16().skip(from).take(length).collect();
        code.extend(
            String::from_utf16(&units)
                .unwrap()
                .trim_end()
                .lines()
                .map(str::to_owned),
        );
    }
    assert_eq!(code, scripted_model::code_lines("telegram"));
    assert_eq!(parts.iter().filter(|part| part.text.contains("Here it is:")).count(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn a_long_answer_comes_in_parts_with_its_code_fence_whole_on_discord() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    bot.says(room, "write a lot");
    last_part(&bot, room).await;
    bot.stop().await;
    let parts = bot.texts(room);
    assert!(parts.len() > 1 && parts.len() <= 5, "{}", parts.len());
    let mut code = Vec::new();
    for part in &parts {
        assert!(part.encode_utf16().count() <= 2000);
        let (_, block) = part.split_once("```rust\n").unwrap();
        let (inside, behind) = block.split_once("\n```").unwrap();
        assert!(!behind.contains("```"), "{part}");
        code.extend(inside.lines().map(str::to_owned));
    }
    assert_eq!(code, scripted_model::code_lines("discord"));
    bot.finish().await;
}

async fn last_part(bot: &Bot, room: Room) {
    let said = |texts: Vec<String>| texts.iter().any(|text| text.contains("That was all.")).then_some(());
    match room {
        Room::Telegram(_) => {
            bot.telegram
                .wait_until("the last part", |_| said(bot.texts(room)))
                .await
        }
        Room::Discord { .. } => bot.discord.wait_for("the last part", |_| said(bot.texts(room))).await,
    }
}

#[tokio::test]
async fn the_indicator_shows_while_a_run_is_slow_and_stops_with_its_answer() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let room = bot.room(site, 7, "Ada");
        let hold = bot.model.hold();
        bot.says(room, "hello");
        bot.model.wait_for_requests(1).await;
        match room {
            Room::Telegram(_) => {
                bot.telegram
                    .wait_until("typing", |_| (bot.typings(room) > 0).then_some(()))
                    .await;
            }
            Room::Discord { .. } => {
                bot.discord
                    .wait_for("typing", |_| (bot.typings(room) > 0).then_some(()))
                    .await;
            }
        }
        assert_eq!(bot.texts(room), Vec::<String>::new());
        hold.release();
        assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
        let shown = bot.typings(room);
        // Another person's turn, from beginning to end, takes longer than an indicator that stayed would.
        let other = bot.room(site, 8, "Bob");
        bot.says(other, "slowly, hello");
        bot.answers(other, 1).await;
        assert_eq!(bot.typings(room), shown, "{site:?}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn without_an_enabled_agent_the_chat_is_told_so() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).set("agent.enabled", false).start().await;
        let room = bot.room(site, 7, "Ada");
        bot.says(room, "hello");
        let told = ["I can't answer here: no agent is turned on for this channel. My owner can turn one on."];
        assert_eq!(bot.answers(room, 1).await, told);
        bot.finish().await;
        assert_eq!(bot.model.request_count(), 0);
        assert_eq!(bot.look().await.count("runs").await, 0);
    }
}

#[tokio::test]
async fn in_a_server_the_first_part_of_an_answer_calls_whoever_asked_and_no_other_part_does() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    let asked = bot.discord.user_says(channel, ada, "Clifford write a lot");
    bot.discord
        .wait_for("the last part", |fake| {
            let sent = fake.sent(channel);
            sent.iter()
                .any(|sent| sent.content.contains("That was all."))
                .then_some(())
        })
        .await;
    bot.finish().await;
    let sent = bot.discord.sent(channel);
    let called: Vec<_> = sent.iter().map(|sent| (sent.reply_to, sent.pinged.clone())).collect();
    let mut expected = vec![(None, Vec::new()); sent.len()];
    expected[0] = (Some(asked), vec![ada.to_string()]);
    assert!(sent.len() > 1);
    assert_eq!(called, expected);
}

#[tokio::test]
async fn the_fixed_part_of_a_prompt_has_at_most_1500_tokens_wherever_somebody_asks() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let room = bot.room(site, 7, "Ada");
        bot.says(room, "hello");
        bot.answers(room, 1).await;
        match room {
            Room::Telegram(_) => {
                let group = bot.telegram.supergroup(-1_001_234, "Team");
                bot.telegram.user_says(group, 7, "Clifford hello");
                bot.telegram.wait_for_sent(group, 1).await;
            }
            Room::Discord { user, .. } => {
                let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
                bot.discord.user_says(channel, user, "Clifford hello");
                bot.discord.wait_for_sent(channel, 1).await;
            }
        }
        bot.finish().await;
        let requests = bot.model.requests();
        let of_runs = requests
            .iter()
            .filter(|request| scripted_model::memory_schema(request).is_none());
        let fixed: Vec<_> = of_runs.map(|request| estimate_tokens(request.text(0))).collect();
        // With every tool that is there without any setting.
        assert!(requests[0].text(0).contains("reminders.set"), "{site:?}");
        assert!(
            fixed.len() == 2 && fixed.iter().all(|tokens| (800..=1_500).contains(tokens)),
            "{site:?}: {fixed:?}"
        );
    }
}
