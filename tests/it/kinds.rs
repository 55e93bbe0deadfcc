//! Messages of other kinds than text, and Telegram's and Discord's notices: what people sent is read and answered, what
//! nobody wrote is neither answered nor taken for something that cannot be read.

use clifford_fakes::telegram::Chat;
use serde_json::json;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

const GROUP: i64 = -1_001_000_000_091;

/// The last input that a run was asked.
fn last_input(bot: &Bot) -> String {
    scripted_model::inputs(&bot.model.requests()).pop().unwrap_or_default()
}

async fn unreadable(bot: &Bot) -> i64 {
    bot.look().await.count("unreadable_events").await
}

#[tokio::test]
async fn each_kind_of_card_of_telegram_is_told_in_words() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let file = |id: &str| {
        json!({"file_id": id, "file_unique_id": id, "width": 9, "height": 9, "duration": 2,
        "mime_type": "video/mp4", "file_name": "wave.mp4"})
    };
    let cards = [
        (json!({"dice": {"emoji": "🎲", "value": 4}}), "[dice: 🎲 4]"),
        // Telegram sends an animation as a document as well.
        (
            json!({"animation": file("A"), "document": file("A")}),
            "[animation: wave.mp4]",
        ),
        (
            json!({"game": {"title": "Snake", "description": "Eat apples", "photo": []}}),
            "[game: Snake — Eat apples]",
        ),
        (
            json!({"checklist": {"title": "Trip", "tasks": [
                {"id": 1, "text": "tent", "completed_by_user": {"id": 7, "is_bot": false, "first_name": "Ada"}},
                {"id": 2, "text": "stove"}]}}),
            "[checklist: Trip: [x] tent [ ] stove]",
        ),
        (
            json!({"poll": {"id": "1", "question": "Tea?", "description": "Since noon", "options": [
                {"text": "yes", "voter_count": 0}], "total_voter_count": 0, "is_closed": false, "is_anonymous": true,
                "type": "regular", "allows_multiple_answers": false}}),
            "[poll: Tea? — Since noon — yes]",
        ),
        (
            json!({"story": {"id": 3, "chat": {"id": 9, "type": "private", "first_name": "Ben"}}}),
            "[story]",
        ),
        (
            json!({"paid_media": {"star_count": 5, "paid_media": []}}),
            "[paid_media]",
        ),
        (
            json!({"text": "They say so: Monday Tuesday", "entities": [{"type": "blockquote", "offset": 0, "length": 27},
                {"type": "strikethrough", "offset": 13, "length": 6}]}),
            "> They say so: ~~Monday~~ Tuesday",
        ),
        (
            json!({"text": "see it", "forward_origin": {"type": "channel", "date": 1_700_000_000, "message_id": 5,
                "chat": {"id": -1_001_000_000_077_i64, "type": "channel", "title": "News (daily]"}}}),
            "[forwarded] (from News daily) see it",
        ),
    ];
    for (number, (fields, expected)) in cards.into_iter().enumerate() {
        bot.telegram.user_sends(ada, 7, fields);
        bot.telegram.wait_for_sent(ada, number + 1).await;
        let input = last_input(&bot);
        assert!(input.contains(expected), "{expected}: {input}");
    }
    bot.finish().await;
    assert_eq!(unreadable(&bot).await, 0);
}

#[tokio::test]
async fn notices_and_posts_of_telegram_are_passed_over() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let group = bot.telegram.supergroup(GROUP, "Garden");
    bot.telegram.user(7, "Ada");
    let person = json!({"id": 7, "is_bot": false, "first_name": "Ada"});
    for notice in [
        json!({"new_chat_members": [person]}),
        json!({"left_chat_member": person}),
        json!({"new_chat_title": "@clifford_bot"}),
        json!({"pinned_message": {"message_id": 1, "date": 0, "chat": {"id": GROUP, "type": "supergroup"}}}),
        json!({"video_chat_started": {}}),
        json!({"poll_option_added": {"option_text": "@clifford_bot"}}),
        json!({"poll_option_deleted": {"option_text": "@clifford_bot"}}),
        json!({"suggested_post_paid": {"currency": "XTR", "amount": 5}}),
        json!({"managed_bot_created": {"bot": {"id": 99, "is_bot": true, "first_name": "Other"}}}),
    ] {
        bot.telegram.user_sends(group, 7, notice);
    }
    let post = json!({"message_id": 1, "date": 0, "text": "@clifford_bot hello",
        "chat": {"id": -1_001_000_000_078_i64, "type": "channel", "title": "News"}});
    for kind in ["channel_post", "edited_channel_post", "message"] {
        bot.telegram.push_raw(json!({ kind: post }));
    }
    // Copied by Telegram from the channel that the group discusses.
    bot.telegram.user_sends(
        group,
        7,
        json!({"text": "@clifford_bot hello", "is_automatic_forward": true, "sender_chat": post["chat"]}),
    );
    bot.telegram.user_says(group, 7, "@clifford_bot are you there?");
    bot.telegram.wait_for_sent(group, 1).await;
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    let said: Vec<_> = bot.telegram.sent(group).into_iter().map(|sent| sent.text).collect();
    assert_eq!(said, ["You said: [Ada] are you there?"]);
    assert_eq!(unreadable(&bot).await, 0);
}

#[tokio::test]
async fn an_update_that_comes_twice_or_late_is_answered_once() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let said = |id: i64, text: &str| {
        json!({"message": {"message_id": id, "date": 1_700_000_000 + id, "text": text,
            "chat": {"id": 7, "type": "private", "first_name": "Ada"},
            "from": {"id": 7, "is_bot": false, "first_name": "Ada"}}})
    };
    for (number, (id, text)) in [(9_020, "second"), (9_010, "first")].into_iter().enumerate() {
        bot.telegram.push_raw(said(id, text));
        bot.telegram.wait_for_sent(ada, number + 1).await;
        bot.telegram.push_raw(said(id, text));
    }
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    let said: Vec<_> = bot.telegram.sent(ada).into_iter().map(|sent| sent.text).collect();
    assert_eq!(said, ["You said: second", "You said: first"]);
}

#[tokio::test]
async fn a_bot_that_is_thrown_out_while_it_answers_answers_others_and_comes_back() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let group = bot.telegram.supergroup(GROUP, "Garden");
    let ada: Chat = bot.telegram.user(7, "Ada");
    let hold = bot.model.hold();
    bot.telegram.user_says(group, 7, "@clifford_bot hello");
    bot.model.wait_for_requests(1).await;
    bot.telegram.kick(group, 7);
    bot.telegram.wait_for_confirmed().await;
    hold.release();
    bot.telegram.user_says(ada, 7, "are you there?");
    let sent = bot.telegram.wait_for_sent(ada, 1).await;
    assert_eq!(sent[0].text, "You said: are you there?");
    bot.until("the end of both", async |look| {
        let ended = look.runs().await.iter().all(|run| run.status.is_ended());
        (ended && look.undelivered().await == 0).then_some(())
    })
    .await;
    assert!(bot.telegram.sent(group).is_empty(), "{:?}", bot.telegram.sent(group));
    bot.telegram.add(group, 7);
    bot.telegram.wait_for_confirmed().await;
    bot.telegram.user_says(group, 7, "@clifford_bot again");
    bot.telegram
        .wait_until("an answer there", |fake| {
            let sent = fake.sent(group);
            sent.iter()
                .any(|sent| sent.text == "You said: [Ada] again")
                .then_some(())
        })
        .await;
    bot.finish().await;
}

#[tokio::test]
async fn what_other_bots_say_on_discord_in_embeds_and_components_is_read() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, robo) = (bot.discord.user("Ada"), bot.discord.other_bot("Robo"));
    let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
    let mention = |text: &str| format!("<@{}> {text}", bot.discord.bot());
    bot.discord.user_says(channel, ada, &mention("hello"));
    bot.discord.wait_for_sent(channel, 1).await;
    let look = bot.look().await;
    let place = look.channels().await[0].id.to_string();
    look.set(&place, "other_bots", "true").await;
    let embeds = json!({"embeds": [{"type": "rich", "title": "Build failed", "description": "main is red"}]});
    bot.discord.user_sends(channel, robo, &mention("look"), &embeds);
    bot.discord.wait_for_sent(channel, 2).await;
    let input = last_input(&bot);
    assert!(input.ends_with("[Robo] look\nBuild failed\nmain is red"), "{input}");
    // A person's message has previews of its links there, which nobody wrote.
    bot.discord.user_sends(channel, ada, &mention("and this"), &embeds);
    bot.discord.wait_for_sent(channel, 3).await;
    assert_eq!(last_input(&bot), "[Ada] and this");

    let components = json!({"flags": 1 << 15, "components": [{"type": 17, "components": [
        {"type": 10, "content": "Deploy done"},
        {"type": 9, "components": [{"type": 10, "content": "in 3 min"}],
            "accessory": {"type": 2, "style": 5, "label": "Open", "url": "https://example.org"}},
    ]}]});
    let told = bot.discord.user_sends(channel, robo, "", &components);
    bot.discord.user_replies(channel, ada, told, &mention("what is it?"));
    bot.discord.wait_for_sent(channel, 4).await;
    let input = last_input(&bot);
    // Lines of a quote begin with its sign.
    let said = "Deploy done\n> in 3 min\n> [Open](https://example.org)";
    assert!(input.contains(said), "{input}");
    bot.finish().await;
    assert_eq!(unreadable(&bot).await, 0);
}

#[tokio::test]
async fn the_file_of_a_forwarded_message_that_is_answered_comes_along() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let guild = bot.discord.guild("Home");
    let [plans, general] = ["plans", "general"].map(|name| bot.discord.channel(guild, name));
    let said = bot.discord.user_sends_file(plans, bob, "the plan", "plan.txt", b"Noon");
    let forwarded = bot.discord.user_forwards(plans, said, general, bob);
    let asks = format!("<@{}> what does it say?", bot.discord.bot());
    bot.discord.user_replies(general, ada, forwarded, &asks);
    bot.discord.wait_for_sent(general, 1).await;
    let input = last_input(&bot);
    assert!(input.contains("the plan") && input.contains("plan.txt"), "{input}");
    bot.finish().await;
}

#[tokio::test]
async fn notices_of_discord_are_passed_over() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let Room::Discord { channel, user } = bot.room(Site::Discord, 7, "Ada") else {
        panic!("a room on Discord")
    };
    // A pin, a join, the beginning of a thread, the outcome of a poll; and kinds that nobody knows yet.
    for kind in [6, 7, 21, 46, 99, 255] {
        bot.discord.user_sends(channel, user, "", &json!({ "type": kind }));
    }
    bot.discord.user_says(channel, user, "hello");
    bot.discord.wait_for_sent(channel, 1).await;
    bot.finish().await;
    let said: Vec<_> = bot.discord.sent(channel).into_iter().map(|sent| sent.content).collect();
    assert_eq!(said, ["You said: hello"]);
    assert_eq!(unreadable(&bot).await, 0);
}
