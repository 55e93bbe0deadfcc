//! The message at which a thread begins: what the first words to the bot there are about, although nobody told it to
//! the bot.

use super::{mention, said, setups};
use crate::{
    harness::{Bot, Site},
    scripted_model,
};

/// The inputs of the runs, in order.
fn asked(bot: &Bot) -> Vec<String> {
    scripted_model::inputs(&bot.model.requests())
}

async fn tainted(bot: &Bot) -> Vec<bool> {
    let look = bot.look().await;
    let mut tainted = Vec::new();
    for run in look.runs().await {
        tainted.push(look.steps(run.id).await.contains(&"tainted".to_owned()));
    }
    tainted
}

#[tokio::test]
async fn the_first_words_to_the_bot_in_a_thread_answer_the_message_at_which_it_begins() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let said_first = bot.discord.user_says(channel, bob, "The rocket launches at noon");
        let thread = bot.discord.thread_at(channel, said_first, "The launch");
        bot.discord.user_says(thread, bob, "nobody asked");
        bot.discord.user_says(thread, ada, &mention(&bot, "when is it?"));
        said(&bot, thread, 1).await;
        // It is said once a conversation.
        bot.discord.user_says(thread, ada, "and where?");
        said(&bot, thread, 2).await;
        assert_eq!(
            asked(&bot),
            [
                "In reply to Bob: \"The rocket launches at noon\"\n[Ada] when is it?",
                "[Ada] and where?"
            ]
        );
        assert!(tainted(&bot).await[0]);
        // A deletion takes it away.
        bot.discord.delete(channel, &[said_first]);
        bot.until("the quote to go", async |look| {
            let sql = "SELECT CAST(COUNT(*) AS TEXT) FROM messages WHERE quote IS NOT NULL";
            (look.texts(sql).await == ["0"]).then_some(())
        })
        .await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_post_of_a_forum_is_known_to_whoever_asks_below_it_with_its_file() {
    let mut bot = setups(Site::Discord).next().unwrap().start().await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let forum = bot.discord.forum(bot.discord.guild("Home"), "help");
    let post = bot.discord.user_posts(forum, bob, "Engines", "Mine rattles");
    bot.discord.user_says(post, ada, &mention(&bot, "why?"));
    said(&bot, post, 1).await;
    let own = bot
        .discord
        .user_posts(forum, ada, "Rockets", &mention(&bot, "do they fly?"));
    said(&bot, own, 1).await;
    assert_eq!(
        asked(&bot),
        ["In reply to Bob: \"Mine rattles\"\n[Ada] why?", "[Ada] do they fly?"]
    );
    assert_eq!(tainted(&bot).await, [true, false]);
    bot.finish().await;
}

#[tokio::test]
async fn a_file_at_which_a_thread_begins_is_a_file_of_the_question_and_the_bots_own_words_name_their_run() {
    for setup in setups(Site::Discord) {
        let mut bot = setup.start().await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let channel = bot.discord.channel(bot.discord.guild("Home"), "general");
        let sent = bot.discord.user_sends_file(channel, bob, "", "plan.txt", b"Noon");
        let plan = bot.discord.thread_at(channel, sent, "The plan");
        bot.discord.user_says(plan, ada, &mention(&bot, "what does it say?"));
        said(&bot, plan, 1).await;
        bot.discord.user_says(channel, ada, &mention(&bot, "hello"));
        let answer = bot.discord.wait_for_sent(channel, 1).await.remove(0).id;
        let run = bot
            .until("its id to be stored", async |look| {
                let run = look
                    .runs()
                    .await
                    .into_iter()
                    .find(|run| run.input_text.contains("hello"))?;
                (look.undelivered().await == 0).then_some(run.id)
            })
            .await;
        let thread = bot.discord.thread_at(channel, answer, "The greeting");
        bot.discord.user_says(thread, ada, &mention(&bot, "why?"));
        said(&bot, thread, 1).await;
        // A thread without a message, and one whose message is gone, begin at nothing.
        let bare = bot.discord.thread(channel, "Bare");
        bot.discord.user_says(bare, ada, &mention(&bot, "anybody?"));
        said(&bot, bare, 1).await;
        let own = format!("In reply to your own message (run {run}): \"You said: [Ada] hello\"\n[Ada] why?");
        assert_eq!(
            asked(&bot),
            [
                "In reply to Bob: [document: plan.txt]\n[Ada] what does it say?",
                "[Ada] hello",
                own.as_str(),
                "[Ada] anybody?"
            ]
        );
        let files = bot.look().await.texts("SELECT name FROM files").await;
        assert_eq!(files, ["plan.txt"]);
        bot.finish().await;
    }
}
