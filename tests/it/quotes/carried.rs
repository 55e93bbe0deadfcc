//! The company of a message on either platform: the one that it answers with its files, and all that is no text.

use clifford_core::messages::{Direction, MessageStatus};
use clifford_fakes::{
    discord::{Fault, Route},
    openai::Reply,
};
use serde_json::{Value, json};

use super::{GROUP, setups, tainted};
use crate::{
    harness::{Room, Setup, Site},
    scripted_model,
};

/// The last input that a run was asked.
fn last_input(bot: &crate::harness::Bot) -> String {
    scripted_model::inputs(&bot.model.requests()).pop().unwrap_or_default()
}

#[tokio::test]
async fn on_discord_what_is_answered_comes_with_its_files_and_is_a_strangers_word() {
    let mut bot = setups(Site::Discord).next().unwrap().start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
    let said = (bot.discord).user_sends_file(channel, bob, "the plan", "plan.txt", b"Noon");
    let asks = format!("<@{}> what does it say?", bot.discord.bot());
    bot.discord.user_replies(channel, ada, said, &asks);
    bot.discord.wait_for_sent(channel, 1).await;
    let requests = bot.model.requests();
    let payload: Value = serde_json::from_str(requests[0].text(1)).unwrap();
    assert_eq!(
        payload["input"],
        "In reply to Bob: \"the plan\" [document: plan.txt]\n[Ada] what does it say?"
    );
    assert_eq!(payload["files"][0]["name"], "plan.txt");
    assert!(tainted(&bot, 0).await);
    bot.finish().await;
}

#[tokio::test]
async fn what_discord_says_nothing_of_is_asked_for_and_else_taken_from_what_is_stored() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let own = format!("<@{}>", bot.discord.bot());
        let answers = |said: u64, text: &str| {
            let reference = json!({"type": 0, "message_id": said.to_string(), "channel_id": channel.to_string()});
            let fields = json!({"type": 19, "message_reference": reference});
            bot.discord.user_sends(channel, ada, &format!("{own} {text}"), &fields)
        };
        let unasked = bot.discord.user_says(channel, bob, "The rocket launches at noon");
        answers(unasked, "when is it?");
        bot.discord.wait_for_sent(channel, 1).await;
        let expected = "In reply to Bob: \"The rocket launches at noon\"\n[Ada] when is it?";
        assert_eq!(last_input(&bot), expected);
        assert_eq!(bot.discord.requests(Route::ReadMessage), 1);
        assert!(tainted(&bot, 0).await);
        // Where it cannot be had, what was stored of it is known.
        let asked = bot.discord.user_says(channel, bob, &format!("{own} fuel is MANGO"));
        bot.discord.wait_for_sent(channel, 2).await;
        bot.discord.fail_next(Route::ReadMessage, Fault::Status(404));
        answers(asked, "really?");
        bot.discord.wait_for_sent(channel, 3).await;
        assert_eq!(last_input(&bot), "In reply to Bob: \"fuel is MANGO\"\n[Ada] really?");
        // Nothing at all is known of this one: the question stands by itself.
        bot.discord.fail_next(Route::ReadMessage, Fault::Status(404));
        answers(unasked - 1, "and that?");
        bot.discord.wait_for_sent(channel, 4).await;
        assert_eq!(last_input(&bot), "[Ada] and that?");
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_telegram_the_part_that_was_quoted_stands_for_the_whole() {
    let mut bot = setups(Site::Telegram).next().unwrap().start().await;
    let group = bot.telegram.supergroup(GROUP, "Engines");
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let whole = "The rocket launches at noon from pad 39A.";
    let said = bot.telegram.user_says(group, 8, whole);
    let answered = json!({
        "message_id": said, "date": 1_700_000_000, "text": whole,
        "from": {"id": 8, "is_bot": false, "first_name": "Bob"},
        "chat": {"id": GROUP, "type": "supergroup", "title": "Engines"},
    });
    let fields = json!({
        "text": "@clifford_bot explain", "entities": [{"type": "mention", "offset": 0, "length": 13}],
        "reply_to_message": answered, "quote": {"text": "pad 39A", "position": 33, "is_manual": true},
    });
    bot.telegram.user_sends(group, 7, fields);
    bot.telegram.wait_for_sent(group, 1).await;
    assert_eq!(last_input(&bot), "In reply to Bob: \"pad 39A\"\n[Ada] explain");
    assert!(tainted(&bot, 0).await);
    bot.finish().await;
}

#[tokio::test]
async fn on_telegram_an_answer_to_the_bots_own_message_names_the_run_that_said_it() {
    for setup in setups(Site::Telegram) {
        let mut bot = setup.start().await;
        let group = bot.telegram.supergroup(GROUP, "Engines");
        bot.telegram.user(7, "Ada");
        bot.telegram.user_says(group, 7, "@clifford_bot hello");
        let sent = bot.telegram.wait_for_sent(group, 1).await.remove(0);
        bot.until("its id to be stored", async |look| {
            let out = look.messages(Direction::Outbound).await;
            (out[0].status == MessageStatus::Delivered).then_some(())
        })
        .await;
        bot.telegram.reply_to(group, 7, "why?", sent.message_id);
        bot.telegram.wait_for_sent(group, 2).await;
        let first = bot.look().await.runs().await[0].id;
        let expected = format!("In reply to your own message (run {first}): \"You said: [Ada] hello\"\n[Ada] why?");
        assert_eq!(last_input(&bot), expected);
        assert!(!tainted(&bot, 1).await);
        bot.finish().await;
    }
}

#[tokio::test]
async fn nothing_that_is_no_text_is_lost_on_its_way() {
    let mut bot = Setup::on(Site::Telegram).and(Site::Discord).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let spot = json!({"latitude": 52.52, "longitude": 13.405});
    let on_telegram = [
        (json!({"location": spot}), "52.52, 13.405"),
        (
            json!({"location": spot, "venue": {"location": spot, "title": "Café", "address": "Main Street 1"}}),
            "Café, Main Street 1, 52.52, 13.405",
        ),
        (
            json!({"contact": {"phone_number": "+4912345", "first_name": "Carl"}}),
            "Carl, +4912345",
        ),
        (
            json!({"text": "read this page", "entities": [
                {"type": "text_link", "offset": 5, "length": 9, "url": "https://example.org/page"}]}),
            "read [this page](https://example.org/page)",
        ),
        (
            json!({"text": "let a = 1;", "entities": [{"type": "pre", "offset": 0, "length": 10, "language": "rust"}]}),
            "```rust\nlet a = 1;\n```",
        ),
        (
            json!({"text": "at noon", "forward_origin": {
                "type": "hidden_user", "date": 1_700_000_000, "sender_user_name": "Mallory"}}),
            "[forwarded] (from Mallory) at noon",
        ),
        (
            json!({"sticker": {"file_id": "S", "file_unique_id": "s", "type": "regular", "width": 512, "height": 512,
                "is_animated": false, "is_video": false, "emoji": "🚀"}}),
            "🚀",
        ),
        (
            json!({"poll": {"id": "1", "question": "Tea?", "options": [
                {"text": "yes", "voter_count": 0}, {"text": "no", "voter_count": 0}], "total_voter_count": 0,
                "is_closed": false, "is_anonymous": true, "type": "regular", "allows_multiple_answers": false}}),
            "Tea? — yes / no",
        ),
    ];
    for (number, (fields, expected)) in on_telegram.into_iter().enumerate() {
        bot.telegram.user_sends(ada, 7, fields);
        bot.telegram.wait_for_sent(ada, number + 1).await;
        let input = last_input(&bot);
        assert!(input.contains(expected), "{expected}: {input}");
    }
    let Room::Discord { channel, user } = bot.room(Site::Discord, 7, "Ada") else {
        panic!("a room on Discord")
    };
    let on_discord = [
        (
            json!({"sticker_items": [{"id": "3", "name": "Wave", "format_type": 1}]}),
            "[sticker: Wave]",
        ),
        (
            json!({"poll": {"question": {"text": "Tea?"}, "answers": [
                {"answer_id": 1, "poll_media": {"text": "yes"}}, {"answer_id": 2, "poll_media": {"text": "no"}}]}}),
            "[poll: Tea? — yes / no]",
        ),
    ];
    for (number, (fields, expected)) in on_discord.into_iter().enumerate() {
        bot.discord.user_sends(channel, user, "", &fields);
        bot.discord.wait_for_sent(channel, number + 1).await;
        let input = last_input(&bot);
        assert!(input.contains(expected), "{expected}: {input}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn what_its_author_deletes_is_found_by_no_search_from_then_on() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.set("engine.planning_gate", "off").start().await;
        bot.model
            .respond_with(|request| match scripted_model::memory_schema(request) {
                Some(_) => scripted_model::reply(request),
                None => Reply::json(&json!({"type": "finish", "output": "Noted."})),
            });
        let ada = bot.discord.user("Ada");
        let room = bot.discord.dm(ada);
        let said = bot.discord.user_says(room, ada, "my secret is PINEAPPLE");
        bot.discord.wait_for_sent(room, 1).await;
        let search = async || {
            let asked = bot.discord.interaction(room, ada, "search", &[("words", "PINEAPPLE")]);
            bot.discord.wait_for_replies(asked, 1).await.remove(0).content
        };
        let found = search().await;
        assert!(found.contains("my secret is"), "{found}");
        bot.discord.delete(room, &[said]);
        bot.until("it to be noted", async |look| {
            let gone = "SELECT COUNT(*) FROM messages WHERE deleted_at IS NOT NULL";
            (look.number(gone).await == 1).then_some(())
        })
        .await;
        assert_eq!(search().await, "I found nothing like that here.");
        bot.finish().await;
    }
}
