//! `/stop` where others read along: each command and each question gets a word of its own.

use std::time::Duration;

use clifford_fakes::{discord::DiscordFake, openai::Reply};

use crate::harness::{Bot, Setup, Site};

/// All replies to an interaction, once there is one.
async fn said(bot: &Bot, interaction: u64) -> Vec<String> {
    let replies = bot.discord.wait_for_replies(interaction, 1).await;
    replies.into_iter().map(|reply| reply.content).collect()
}

/// A server on Discord, with a channel and its people.
async fn server(setup: Setup) -> (Bot, u64, u64, u64) {
    let bot = setup.start().await;
    let fake: &DiscordFake = &bot.discord;
    let guild = fake.guild("Garden");
    let channel = fake.channel(guild, "general");
    let [ada, ben] = ["Ada", "Ben"].map(|name| fake.user(name));
    (bot, channel, ada, ben)
}

#[tokio::test]
async fn stop_in_a_server_is_answered_with_what_it_did_and_so_is_the_command_that_it_stopped() {
    for setup in [Some(Setup::on(Site::Discord)), Setup::on(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, channel, ada, ben) = server(setup).await;
        let stop = bot.discord.interaction(channel, ada, "stop", &[]);
        assert_eq!(said(&bot, stop).await, ["There is nothing to stop."]);

        // By a mention: nothing but the answer to /stop is said.
        let hold = bot.model.hold();
        let mention = format!("<@{}> count to a million", bot.discord.bot());
        bot.discord.user_says(channel, ada, &mention);
        bot.model.wait_for_requests(1).await;
        let stop = bot.discord.interaction(channel, ada, "stop", &[]);
        assert_eq!(said(&bot, stop).await, ["Stopped."]);

        // By a command, whose place says it, too. Another member stops nothing of it.
        let asked = bot.discord.interaction(channel, ada, "ask", &[("text", "count again")]);
        bot.model.wait_for_requests(2).await;
        let of_ben = bot.discord.interaction(channel, ben, "stop", &[]);
        assert_eq!(said(&bot, of_ben).await, ["There is nothing to stop."]);
        assert!(bot.discord.is_thinking(asked));
        let stop = bot.discord.interaction(channel, ada, "stop", &[]);
        assert_eq!(said(&bot, stop).await, ["Stopped."]);
        assert_eq!(said(&bot, asked).await, ["Stopped."]);

        hold.release();
        bot.finish().await;
        for interaction in [stop, asked, of_ben] {
            assert!(!bot.discord.is_thinking(interaction));
            assert_eq!(bot.discord.interaction_replies(interaction).len(), 1);
        }
        assert!(
            bot.discord
                .sent(channel)
                .iter()
                .all(|sent| !sent.content.contains("You said")),
            "{:?}",
            bot.discord.sent(channel)
        );
    }
}

#[tokio::test]
async fn an_answer_that_grew_below_a_command_gives_way_to_the_word_that_it_was_stopped() {
    let (mut bot, channel, ada, _) = server(Setup::on(Site::Discord).set("channels.discord.feedback", "draft")).await;
    let text = format!(r#"{{"type":"send_message","message":"{}"}}"#, "words and ".repeat(60));
    bot.model.push(Reply::text(text).pause(Duration::from_millis(200)));
    let asked = bot.discord.interaction(channel, ada, "ask", &[("text", "tell me")]);
    let growing = said(&bot, asked).await;
    assert!(growing[0].ends_with('▌'), "{growing:?}");
    let stop = bot.discord.interaction(channel, ada, "stop", &[]);
    assert_eq!(said(&bot, stop).await, ["Stopped."]);
    let is_told = |fake: &DiscordFake| {
        let replies = fake.interaction_replies(asked);
        (replies.len() == 1 && replies[0].content == "Stopped.").then_some(())
    };
    bot.discord
        .wait_for("the word in the place of the answer", is_told)
        .await;
    bot.finish().await;
    assert!(is_told(&bot.discord).is_some());
}

#[tokio::test]
async fn a_command_that_gives_way_to_a_newer_one_says_so_in_its_place() {
    let setup = Setup::on(Site::Discord).set("ingress.when_busy", "interrupt");
    let mut bot = setup.start().await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let hold = bot.model.hold();
    let first = bot
        .discord
        .interaction(dm, ada, "ask", &[("text", "count to a million")]);
    bot.model.wait_for_requests(1).await;
    let second = bot.discord.interaction(dm, ada, "ask", &[("text", "to ten")]);
    assert_eq!(
        said(&bot, first).await,
        ["\u{21aa}\u{fe0f} I left this for your later message."]
    );
    bot.model.wait_for_requests(2).await;
    hold.release();
    assert_eq!(said(&bot, second).await, ["You said: to ten"]);
    bot.finish().await;
    for interaction in [first, second] {
        assert!(!bot.discord.is_thinking(interaction));
        assert_eq!(bot.discord.interaction_replies(interaction).len(), 1);
    }
}

#[tokio::test]
async fn stop_on_telegram_says_once_what_it_did() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let group = bot.telegram.supergroup(-1_000_700, "Garden");
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.command(group, 7, "stop", "");
    assert_eq!(
        bot.telegram.wait_for_sent(group, 1).await[0].text,
        "There is nothing to stop."
    );
    let hold = bot.model.hold();
    bot.telegram.user_says(chat, 7, "count to a million");
    bot.model.wait_for_requests(1).await;
    bot.telegram.user_says(chat, 7, "and back");
    bot.telegram.wait_for_confirmed().await;
    bot.telegram.command(chat, 7, "stop", "");
    assert_eq!(bot.telegram.wait_for_sent(chat, 1).await[0].text, "Stopped.");
    hold.release();
    bot.finish().await;
    let said: Vec<_> = bot.telegram.sent(chat).into_iter().map(|sent| sent.text).collect();
    assert_eq!(said, ["Stopped."]);
    assert_eq!(bot.model.request_count(), 1);
}
