//! Messages that arrive while another is being answered: they wait, steer the run at work, or interrupt it.

mod callers;
mod together;

use clifford_core::{messages::Direction, runs::RunStatus};
use clifford_fakes::openai::Hold;
use clifford_store::places::settings::BOT;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model::Prompt,
};

fn setups() -> impl Iterator<Item = (Site, Setup)> {
    let postgres = Setup::on(Site::Telegram)
        .postgres()
        .map(|setup| (Site::Telegram, setup));
    Site::BOTH
        .map(|site| (site, Setup::on(site)))
        .into_iter()
        .chain(postgres)
}

/// Asks for something that takes three calls of the model, and holds the first.
async fn asked(bot: &Bot, room: Room) -> Hold {
    let hold = bot.model.hold();
    bot.says(room, "two tools");
    bot.model.wait_for_requests(1).await;
    hold
}

/// Waits until there are so many inbound messages.
async fn stored(bot: &Bot, count: usize) {
    bot.until("the message to be stored", async |look| {
        (look.messages(Direction::Inbound).await.len() == count).then_some(())
    })
    .await;
}

async fn ended(bot: &Bot, count: usize) {
    bot.until("the runs to end", async |look| {
        let runs = look.runs().await;
        (runs.len() == count && runs.iter().all(|run| run.status.is_ended())).then_some(())
    })
    .await;
}

#[tokio::test]
async fn unless_something_else_is_set_a_message_waits_for_the_run_at_work() {
    for (site, setup) in setups() {
        let mut bot = setup.start().await;
        let room = bot.room(site, 7, "Ada");
        let hold = asked(&bot, room).await;
        bot.says(room, "and tea");
        stored(&bot, 2).await;
        hold.release();
        assert_eq!(
            bot.answers(room, 2).await,
            ["two tools: 42 and 43", "You said: and tea"]
        );
        bot.finish().await;
        assert_eq!(bot.look().await.runs().await.len(), 2, "{site:?}");
    }
}

#[tokio::test]
async fn where_it_steers_a_message_joins_the_run_at_work() {
    for (site, setup) in setups() {
        let mut bot = setup.start().await;
        let room = bot.room(site, 7, "Ada");
        let hold = asked(&bot, room).await;
        let look = bot.look().await;
        look.set(BOT, "when_busy", "steer").await;
        bot.says(room, "and tea");
        bot.says(room, "no, cocoa");
        stored(&bot, 3).await;
        hold.release();
        let answers = bot.answers(room, 1).await;
        bot.finish().await;
        assert_eq!(answers, ["two tools: 42 and 43; and tea; no, cocoa"]);
        assert_eq!(bot.texts(room).len(), 1, "{site:?}");

        let run = look.run().await;
        assert_eq!((run.status, run.epoch, run.llm_calls), (RunStatus::Completed, 1, 3));
        let inbound = look.messages(Direction::Inbound).await;
        assert!(inbound.iter().all(|message| message.run_id == Some(run.id)));
        let steps = look.steps(run.id).await;
        let taken: Vec<_> = steps.iter().map(String::as_str).collect();
        assert_eq!(
            taken[4..9],
            [
                "tool_call",
                "tool_result",
                "user_message",
                "user_message",
                "llm_request"
            ],
        );
        let shown = bot.command(&["runs", "show", &run.id.to_string()]).await;
        assert!(shown.contains("user") && shown.contains("no, cocoa"), "{shown}");
        bot.command(&["runs", "replay", &run.id.to_string()]).await;
    }
}

#[tokio::test]
async fn what_was_taken_in_is_taken_in_once_though_the_process_is_killed_right_after() {
    for (site, setup) in setups() {
        let mut bot = setup.set("ingress.when_busy", "steer").prepare().await;
        let room = bot.room(site, 7, "Ada");
        bot.start_crashing("taken_in").await;
        let hold = asked(&bot, room).await;
        bot.says(room, "and tea");
        stored(&bot, 2).await;
        hold.release();
        bot.crashed().await;
        bot.start().await;
        assert_eq!(bot.answers(room, 1).await, ["two tools: 42 and 43; and tea"]);
        bot.finish().await;
        let look = bot.look().await;
        let run = look.run().await;
        let steps = look.steps(run.id).await;
        assert_eq!(
            steps.iter().filter(|step| *step == "user_message").count(),
            1,
            "{steps:?}"
        );
        assert_eq!(bot.model.request_count(), 3, "{site:?}");
    }
}

#[tokio::test]
async fn a_message_that_would_steer_a_run_that_ends_is_answered_after_it() {
    let mut bot = Setup::on(Site::Telegram)
        .set("ingress.when_busy", "steer")
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let hold = bot.model.hold();
    bot.says(room, "hello");
    bot.model.wait_for_requests(1).await;
    bot.says(room, "and tea");
    stored(&bot, 2).await;
    hold.release();
    assert_eq!(bot.answers(room, 2).await, ["You said: hello", "You said: and tea"]);
    bot.finish().await;
}

#[tokio::test]
async fn what_steered_a_run_is_asked_again_with_it() {
    let mut bot = Setup::on(Site::Telegram)
        .set("ingress.when_busy", "steer")
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "two tools slowly");
    bot.model.wait_for_requests(1).await;
    bot.says(room, "and tea");
    bot.until("the message to be taken in", async |look| {
        let run = look.runs().await.pop()?;
        let steps = look.steps(run.id).await;
        steps.iter().any(|step| step == "user_message").then_some(())
    })
    .await;
    let look = bot.look().await;
    let run = look.run().await.id.to_string();
    bot.command(&["runs", "cancel", &run]).await;
    bot.command(&["runs", "retry", &run]).await;
    ended(&bot, 2).await;
    bot.finish().await;
    let runs = look.runs().await;
    assert_eq!(runs[1].input_text, "two tools slowly\nand tea");
}

#[tokio::test]
async fn where_it_interrupts_a_message_takes_the_place_of_the_run_at_work() {
    for (site, setup) in setups() {
        let mut bot = setup.set("ingress.when_busy", "interrupt").start().await;
        let room = bot.room(site, 7, "Ada");
        let hold = asked(&bot, room).await;
        bot.says(room, "never mind, tea");
        bot.model.wait_for_requests(2).await;
        hold.release();
        assert_eq!(bot.answers(room, 1).await, ["You said: never mind, tea"]);
        ended(&bot, 2).await;
        bot.finish().await;
        assert_eq!(bot.texts(room).len(), 1, "{site:?}");
        let runs = bot.look().await.runs().await;
        let ends: Vec<_> = runs.iter().map(|run| (run.status, run.error.as_deref())).collect();
        let why = Some("interrupted by a newer message");
        assert_eq!(ends, [(RunStatus::Cancelled, why), (RunStatus::Completed, None)]);
        // The question before is still known.
        let last = bot.model.requests().pop().unwrap();
        assert_eq!(Prompt::read(&last).conversation(), ["two tools"], "{site:?}");
    }
}

#[tokio::test]
async fn a_run_that_has_called_tools_is_interrupted_as_well() {
    let mut bot = Setup::on(Site::Telegram)
        .set("ingress.when_busy", "interrupt")
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "two tools slowly");
    bot.model.wait_for_requests(2).await;
    bot.says(room, "never mind");
    assert_eq!(bot.answers(room, 1).await, ["You said: never mind"]);
    ended(&bot, 2).await;
    bot.finish().await;
    assert_eq!(bot.texts(room).len(), 1);
}

#[tokio::test]
async fn a_run_that_has_slept_is_not_interrupted() {
    let setups = [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()];
    for setup in setups.into_iter().flatten() {
        let mut bot = setup.set("ingress.when_busy", "interrupt").start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "nap");
        bot.model.wait_for_requests(2).await;
        let hold = bot.model.hold();
        bot.model.wait_for_requests(3).await;
        bot.says(room, "hello");
        stored(&bot, 2).await;
        hold.release();
        assert_eq!(bot.answers(room, 2).await, ["I am awake.", "You said: hello"]);
        ended(&bot, 2).await;
        bot.finish().await;
        let runs = bot.look().await.runs().await;
        assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:#?}");
    }
}

#[tokio::test]
async fn the_nearest_setting_holds() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    let look = bot.look().await;
    let channel = look.channels().await.remove(0);
    look.set(BOT, "when_busy", "interrupt").await;
    look.set(&channel.id.to_string(), "when_busy", "follow_up").await;
    let hold = bot.model.hold();
    bot.says(room, "one");
    bot.model.wait_for_requests(2).await;
    bot.says(room, "two");
    stored(&bot, 3).await;
    hold.release();
    assert_eq!(
        bot.answers(room, 3).await,
        ["You said: hello", "You said: one", "You said: two"]
    );
    bot.finish().await;
}

#[tokio::test]
async fn nobody_interrupts_or_steers_what_is_done_for_somebody_else() {
    for when_busy in ["interrupt", "steer"] {
        let mut bot = Setup::on(Site::Discord)
            .set("ingress.when_busy", when_busy)
            .set("ingress.shared_parallel", 1)
            .start()
            .await;
        let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
        let guild = bot.discord.guild("Team");
        let channel = bot.discord.channel(guild, "general");
        let hold = bot.model.hold();
        bot.discord.user_says(channel, ada, "Clifford two tools");
        bot.model.wait_for_requests(1).await;
        bot.discord.user_says(channel, bob, "Clifford hello");
        stored(&bot, 2).await;
        hold.release();
        let sent = bot.discord.wait_for_sent(channel, 2).await;
        bot.finish().await;
        let texts: Vec<_> = sent.iter().map(|sent| sent.content.as_str()).collect();
        assert_eq!(
            texts,
            ["[Ada] Clifford two tools: 42 and 43", "You said: [Bob] Clifford hello"],
            "{when_busy}"
        );
    }
}

#[tokio::test]
async fn what_others_wait_for_is_answered_after_the_message_that_interrupts() {
    let mut bot = Setup::on(Site::Discord)
        .set("ingress.when_busy", "interrupt")
        .set("ingress.shared_parallel", 1)
        .start()
        .await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let hold = bot.model.hold();
    bot.discord.user_says(channel, ada, "Clifford one");
    bot.model.wait_for_requests(1).await;
    bot.discord.user_says(channel, bob, "Clifford two");
    stored(&bot, 2).await;
    bot.discord.user_says(channel, ada, "Clifford three");
    bot.model.wait_for_requests(2).await;
    hold.release();
    let sent = bot.discord.wait_for_sent(channel, 2).await;
    ended(&bot, 3).await;
    bot.finish().await;
    let texts: Vec<_> = sent.iter().map(|sent| sent.content.as_str()).collect();
    assert_eq!(
        texts,
        ["You said: [Ada] Clifford three", "You said: [Bob] Clifford two"]
    );
    assert_eq!(bot.discord.sent(channel).len(), 2);
}

/// Everybody in a channel asks while the first is being answered.
async fn everybody_is_answered(setup: Setup) {
    let mut bot = setup.start().await;
    let people: Vec<_> = (1..=20).map(|n| bot.discord.user(&format!("P{n}"))).collect();
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let hold = bot.model.hold();
    let mut asked = Vec::new();
    for (n, person) in people.iter().enumerate() {
        let said = bot
            .discord
            .user_says(channel, *person, &format!("Clifford question {}", n + 1));
        stored(&bot, n + 1).await;
        asked.push(said);
    }
    // One of them asks twice.
    bot.discord.user_says(channel, people[4], "Clifford and tea");
    stored(&bot, people.len() + 1).await;
    hold.release();
    let sent = bot.discord.wait_for_sent(channel, people.len()).await;
    ended(&bot, people.len()).await;
    bot.finish().await;
    assert_eq!(bot.discord.sent(channel).len(), people.len());
    for (n, sent) in (1..).zip(&sent) {
        let expected = match n {
            5 => "You said: [P5] Clifford question 5\n[P5] Clifford and tea".to_owned(),
            n => format!("You said: [P{n}] Clifford question {n}"),
        };
        assert_eq!(sent.content, expected);
    }
    let runs = bot.look().await.runs().await;
    assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:#?}");
}

#[tokio::test]
async fn where_one_is_answered_after_the_other_it_is_in_the_order_of_their_first_questions() {
    for setup in [Some(Setup::on(Site::Discord)), Setup::on(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        everybody_is_answered(setup.set("ingress.shared_parallel", 1)).await;
    }
}

#[tokio::test]
async fn everybody_whose_command_waited_gets_an_answer_in_place_of_the_placeholder() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let people: Vec<_> = (1..=20).map(|n| bot.discord.user(&format!("P{n}"))).collect();
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let hold = bot.model.hold();
    let mut asked = Vec::new();
    for (n, person) in people.iter().enumerate() {
        let question = format!("question {}", n + 1);
        asked.push(bot.discord.interaction(channel, *person, "ask", &[("text", &question)]));
        stored(&bot, n + 1).await;
    }
    hold.release();
    for (n, id) in (1..).zip(asked) {
        let answer = format!("You said: [P{n}] question {n}");
        bot.discord
            .wait_for("the answer", |fake| {
                let replies = fake.interaction_replies(id);
                replies.iter().any(|reply| reply.content == answer).then_some(())
            })
            .await;
        assert_eq!(bot.discord.interaction_replies(id).len(), 1);
    }
    bot.finish().await;
}
