//! Conversations: edits, albums, groups, topics, messages in quick succession.

use clifford_core::messages::Direction;
use clifford_fakes::telegram::Chat;
use serde_json::json;

use crate::{
    harness::{Room, Setup, Site},
    scripted_model::{self, Prompt},
};

#[tokio::test]
async fn an_edit_before_the_answer_is_what_is_answered_and_one_after_it_stands_in_the_history() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let hold = bot.model.hold();
    let id = bot.telegram.user_says(chat, 7, "first");
    bot.model.wait_for_requests(1).await;
    bot.telegram.edit(chat, 7, id, "second");
    bot.model.wait_for_requests(2).await;
    hold.release();
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.telegram.edit(chat, 7, id, "third");
    bot.telegram.wait_for_confirmed().await;
    bot.telegram.user_says(chat, 7, "next");
    let sent = bot.telegram.wait_for_sent(chat, 2).await;
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.text.as_str()).collect();
    assert_eq!(texts, ["You said: second", "You said: next"]);
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(Prompt::read(&last).conversation(), ["third", "You said: second"]);
}

#[tokio::test]
async fn an_edit_on_discord_before_the_answer_is_what_is_answered() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let hold = bot.model.hold();
    let id = bot.discord.user_says(dm, user, "first");
    bot.model.wait_for_requests(1).await;
    bot.discord.edit(dm, id, "second");
    bot.model.wait_for_requests(2).await;
    // The preview of a link is an update too, but nobody's edit.
    bot.discord.embed(dm, id);
    hold.release();
    bot.discord.wait_for_sent(dm, 1).await;
    bot.discord.user_says(dm, user, "next");
    let sent = bot.discord.wait_for_sent(dm, 2).await;
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.content.as_str()).collect();
    assert_eq!(texts, ["You said: second", "You said: next"]);
}

#[tokio::test]
async fn in_a_telegram_group_only_who_addresses_the_bot_is_answered() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.user_says(group, 7, "hello all");
    bot.telegram.user_says(group, 7, "@clifford_bot a mention");
    let first = bot.telegram.wait_for_sent(group, 1).await.remove(0);
    bot.telegram.user_says(group, 8, "a cliffordian is nobody");
    bot.telegram.reply_to(group, 8, "a reply", first.message_id);
    bot.telegram.wait_for_sent(group, 2).await;
    bot.telegram.user_says(group, 7, "Clifford, a name");
    bot.telegram.wait_for_sent(group, 3).await;
    bot.finish().await;
    let inputs = scripted_model::inputs(&bot.model.requests());
    let (quoted, reply) = inputs[1].split_once('\n').unwrap();
    // It names the run that said it, if Telegram's receipt was stored before the reply came.
    assert!(quoted.starts_with("In reply to your own message"), "{quoted}");
    assert!(quoted.ends_with(": \"You said: [Ada] a mention\""), "{quoted}");
    assert_eq!(
        [inputs[0].as_str(), reply, inputs[2].as_str()],
        ["[Ada] a mention", "[Bob] a reply", "[Ada] Clifford, a name"]
    );
    let last = bot.model.requests().pop().unwrap();
    let prompt = Prompt::read(&last);
    let conversation = prompt.conversation();
    assert_eq!(conversation[..2], ["[Ada] a mention", "You said: [Ada] a mention"]);
    assert!(conversation[2].ends_with("[Bob] a reply"), "{conversation:?}");
}

#[tokio::test]
async fn in_a_discord_channel_only_who_addresses_the_bot_is_answered() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, other) = (bot.discord.user("Ada"), bot.discord.other_bot("Robot"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    bot.discord.user_says(channel, ada, "hello all");
    bot.discord
        .user_says(channel, other, &format!("<@{}> I am a bot", bot.discord.bot()));
    bot.discord
        .user_says(channel, ada, &format!("<@{}> a mention", bot.discord.bot()));
    let first = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    bot.discord.user_replies(channel, ada, first.id, "a reply");
    bot.discord.wait_for_sent(channel, 2).await;
    bot.discord.user_says(channel, ada, "Clifford, a name");
    bot.discord.wait_for_sent(channel, 3).await;
    bot.finish().await;
    let inputs = scripted_model::inputs(&bot.model.requests());
    assert_eq!(inputs.len(), 3, "{inputs:?}");
    assert!(
        inputs[0].starts_with("[Ada] ") && inputs[0].ends_with(" a mention"),
        "{inputs:?}"
    );
    // The quoted message stands before the reply; the person who asked is told the run that sent it.
    let (quoted, reply) = inputs[1].split_once('\n').unwrap();
    assert!(quoted.starts_with("In reply to your own message"), "{quoted}");
    assert_eq!((reply, inputs[2].as_str()), ("[Ada] a reply", "[Ada] Clifford, a name"));
}

#[tokio::test]
async fn another_bot_is_answered_three_times_in_a_row_where_that_is_set() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let (ada, robo) = (bot.discord.user("Ada"), bot.discord.other_bot("Robo"));
    let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
    let speak = |who: u64, text: &str| {
        let text = format!("<@{}> {text}", bot.discord.bot());
        bot.discord.user_says(channel, who, &text);
    };
    let texts = || {
        let sent = bot.discord.sent(channel).into_iter();
        sent.map(|sent| sent.content).collect::<Vec<_>>()
    };
    speak(robo, "not yet");
    speak(ada, "hello");
    bot.discord.wait_for_sent(channel, 1).await;
    let look = bot.look().await;
    let place = look.channels().await[0].id.to_string();
    look.set(&place, "other_bots", "true").await;
    for number in 1..=5 {
        speak(robo, &format!("{number}"));
        // A message that does not speak to it is nobody's business.
        bot.discord.user_says(channel, robo, "by the way");
        bot.discord.wait_for_sent(channel, 1 + number.min(3)).await;
    }
    speak(ada, "enough");
    bot.discord.wait_for_sent(channel, 5).await;
    speak(robo, "6");
    bot.discord.wait_for_sent(channel, 6).await;
    let expected = [
        "[Ada] hello",
        "[Robo] 1",
        "[Robo] 2",
        "[Robo] 3",
        "[Ada] enough",
        "[Robo] 6",
    ];
    assert_eq!(texts(), expected.map(|text| format!("You said: {text}")));
    bot.finish().await;
}

#[tokio::test]
async fn topics_of_a_forum_are_conversations_of_their_own() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let forum = bot.telegram.forum(-1_005_678, "Club");
    let topics: [Chat; 2] = ["Cats", "Dogs"].map(|name| bot.telegram.topic(forum, name));
    for (topic, text) in [(topics[0], "cats"), (topics[1], "dogs"), (topics[0], "cats again")] {
        let before = bot.telegram.sent(topic).len();
        bot.telegram.user_says(topic, 7, &format!("Clifford {text}"));
        bot.telegram.wait_for_sent(topic, before + 1).await;
    }
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        ["[Ada] Clifford cats", "You said: [Ada] Clifford cats"]
    );
    // The forum is known, too: what is set for it holds in its topics.
    let channels = bot.look().await.channels().await;
    let of_forum = channels
        .iter()
        .filter(|channel| channel.parent_id == Some(channels[0].id));
    assert_eq!((channels.len(), of_forum.count()), (3, 2));
}

#[tokio::test]
async fn an_album_is_one_message_and_one_run() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.album(chat, 7, &["look at this", "", ""]);
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.finish().await;
    assert_eq!(bot.look().await.runs().await.len(), 1);
    assert_eq!(
        scripted_model::inputs(&bot.model.requests()),
        ["look at this\n[photo]\n[photo]\n[photo]"]
    );
    assert_eq!(bot.telegram.sent(chat).len(), 1);
}

#[tokio::test]
async fn in_a_group_an_album_is_whole_though_its_last_piece_alone_speaks_to_the_bot() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.album(group, 8, &["", "not for it"]);
    // Telegram's apps write the comment on several files below the last of them.
    let pieces = bot.telegram.album(group, 7, &["", "", "@clifford_bot look at these"]);
    bot.telegram.wait_for_sent(group, 1).await;
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    assert_eq!(bot.look().await.runs().await.len(), 1);
    let inputs = scripted_model::inputs(&bot.model.requests());
    let last = inputs.last().unwrap();
    // The pictures come in the order in which they were sent.
    assert_eq!(last, "[Ada] [photo]\n[Ada] [photo]\n[Ada] look at these\n[photo]");
    let stored = bot.look().await.messages(Direction::Inbound).await;
    let ids: Vec<_> = stored
        .iter()
        .map(|row| row.platform_message_id.clone().unwrap())
        .collect();
    let sent: Vec<_> = pieces.iter().map(i64::to_string).collect();
    assert_eq!(ids, sent);
}

#[tokio::test]
async fn a_long_text_that_telegram_cut_is_one_message_also_where_its_first_piece_alone_speaks_to_the_bot() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let long = "word ".repeat(800);
    for (place, called) in [(chat, ""), (group, "@clifford_bot ")] {
        bot.telegram
            .user_says(place, 7, &format!("{called}{}", long.trim_end()));
        bot.telegram.user_says(place, 7, "and so it ends");
        bot.telegram.wait_for_sent(place, 1).await;
    }
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    assert_eq!(bot.look().await.runs().await.len(), 2);
    let inputs = scripted_model::inputs(&bot.model.requests());
    for input in &inputs {
        assert!(
            input.contains("word word") && input.ends_with("and so it ends"),
            "{input}"
        );
    }
}

#[tokio::test]
async fn with_debounce_messages_in_quick_succession_are_answered_as_one() {
    let mut bot = Setup::on(Site::Telegram).set("ingress.debounce_ms", 400).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    for text in ["one", "two", "three"] {
        bot.says(room, text);
    }
    assert_eq!(bot.answers(room, 1).await, ["You said: one\ntwo\nthree"]);
    bot.finish().await;
    assert_eq!(bot.look().await.run().await.input_text, "one\ntwo\nthree");
}

#[tokio::test]
async fn what_arrives_during_a_debounce_survives_a_kill() {
    let mut bot = Setup::on(Site::Telegram).set("ingress.debounce_ms", 1500).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "one");
    bot.says(room, "two");
    bot.telegram.wait_for_confirmed().await;
    bot.kill().await;
    bot.start().await;
    assert_eq!(bot.answers(room, 1).await, ["You said: one\ntwo"]);
    bot.finish().await;
}

#[tokio::test]
async fn payloads_that_cannot_be_read_are_kept_and_passed_over() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    for broken in [
        json!({"message": {"message_id": "no number", "chat": 7}}),
        json!({"message": null}),
        json!({"message": {"date": 1, "chat": {"id": 7, "type": "a new kind"}, "message_id": 1, "text": "x"}}),
        json!({"something_new": {"id": 1}}),
    ] {
        bot.telegram.push_raw(broken);
    }
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    assert!(bot.look().await.count("unreadable_events").await >= 3);
}

#[tokio::test]
async fn discord_events_that_cannot_be_read_are_kept_and_passed_over() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    let Room::Discord { channel, .. } = room else {
        unreachable!()
    };
    bot.discord.dispatch(
        "MESSAGE_CREATE",
        &json!({"id": "none", "channel_id": channel.to_string()}),
    );
    bot.discord.dispatch("MESSAGE_CREATE", &json!([1, 2, 3]));
    bot.discord
        .dispatch("INTERACTION_CREATE", &json!({"id": 1, "type": 99}));
    bot.discord.dispatch("SOMETHING_NEW", &json!({"id": "1"}));
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, ["You said: hello"]);
    bot.finish().await;
    assert!(bot.look().await.count("unreadable_events").await >= 2);
}
