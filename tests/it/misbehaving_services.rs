//! Platforms and models that misbehave: a late answer or an honest sentence, never silence.

use std::time::Duration;

use clifford_core::{
    messages::{Direction, MessageStatus},
    runs::RunStatus,
};
use clifford_fakes::{
    discord::{self, Route},
    openai::{RecordedRequest, Reply},
    telegram::{self, Method},
};
use serde_json::json;

use crate::{
    api_watch::{Watch, named, watched},
    harness::{Room, Setup, Site},
};

const ERROR: &str = "Sorry, something went wrong on my side. Please try again in a moment.";
const HELLO: [&str; 1] = ["You said: hello"];
const MODEL_DOWN: &str = "Sorry, I can't reach my language model right now. Please try again in a few minutes.";
const BAD_REPLY: &str = "Sorry, my language model did not answer in a form that I can use. Please ask again. If it goes on, \
                         another model may do better: /model shows which there are.";

#[tokio::test]
async fn telegram_trouble_delays_an_answer_and_loses_none() {
    use telegram::Fault;
    let faults = [
        Fault::TooMany(1),
        Fault::Server(502),
        Fault::Drop,
        Fault::Garbage,
        Fault::Slow(Duration::from_millis(300)),
    ];
    let mut bot = Setup::on(Site::Telegram).start().await;
    for (place, fault) in (1..).zip(faults) {
        let room = bot.room(Site::Telegram, place, "Ada");
        bot.telegram.fail_next(Method::SendMessage, fault.clone());
        bot.says(room, "hello");
        let texts = bot.answers(room, 1).await;
        // Garbage in place of a receipt: the message went out or not, nobody can tell.
        assert_eq!(texts[..1], HELLO, "{fault:?}");
    }
    bot.finish().await;
    assert_eq!(bot.look().await.undelivered().await, 0);
}

#[tokio::test]
async fn what_telegram_took_is_sent_once_whatever_it_tells_of_it() {
    use telegram::Fault;
    let setup = || Setup::on(Site::Telegram);
    for setup in [Some(setup()), setup().postgres()].into_iter().flatten() {
        let mut bot = setup.start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        let results = [json!({}), json!(true), json!(null), json!({"message_id": "7"})];
        for result in results.clone() {
            bot.telegram.fail_next(Method::SendMessage, Fault::Result(result));
        }
        for asked in 1..=results.len() {
            bot.says(room, "hello");
            bot.answers(room, asked).await;
        }
        bot.finish().await;
        assert_eq!(bot.texts(room), HELLO.repeat(results.len()));
        assert_eq!(bot.look().await.undelivered().await, 0);
    }
}

#[tokio::test]
async fn telegram_trouble_while_polling_loses_no_message() {
    use telegram::Fault;
    for fault in [
        Fault::Server(500),
        Fault::Drop,
        Fault::Garbage,
        Fault::TooMany(1),
        Fault::DropAfter,
    ] {
        let mut bot = Setup::on(Site::Telegram).start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.telegram.fail_next(Method::GetUpdates, fault.clone());
        bot.says(room, "one");
        bot.answers(room, 1).await;
        bot.says(room, "two");
        assert_eq!(
            bot.answers(room, 2).await,
            ["You said: one", "You said: two"],
            "{fault:?}"
        );
        bot.finish().await;
    }
}

#[tokio::test]
async fn discord_trouble_delays_an_answer_and_sends_it_once() {
    use discord::Fault;
    let retry_after = Duration::from_millis(300);
    let faults = [
        Fault::TooMany {
            retry_after,
            global: false,
        },
        Fault::TooMany {
            retry_after,
            global: true,
        },
        Fault::Status(503),
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::Slow(Duration::from_millis(300)),
    ];
    let mut bot = Setup::on(Site::Discord).start().await;
    for fault in faults {
        let room = bot.room(Site::Discord, 7, "Ada");
        bot.discord.fail_next(Route::SendMessage, fault);
        bot.says(room, "hello");
        bot.until("the delivery", async |look| {
            let answered = look.messages(Direction::Outbound).await;
            let last = answered.last()?;
            (last.status == MessageStatus::Delivered && bot.texts(room).len() == 1).then_some(())
        })
        .await;
        assert_eq!(bot.texts(room), HELLO, "{fault:?}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_lost_gateway_connection_is_taken_up_again() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    bot.says(room, "one");
    bot.answers(room, 1).await;
    bot.discord.disconnect();
    bot.says(room, "two");
    bot.answers(room, 2).await;
    bot.discord.invalidate_session(false);
    let Room::Discord { channel, user } = room else {
        unreachable!()
    };
    bot.discord.say_while_offline(channel, user, "three");
    assert_eq!(
        bot.answers(room, 3).await,
        ["You said: one", "You said: two", "You said: three"]
    );
    bot.finish().await;
}

#[tokio::test]
async fn who_blocks_the_bot_is_left_alone_and_others_are_answered() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        let (ada, bob) = (bot.room(site, 7, "Ada"), bot.room(site, 8, "Bob"));
        let hold = bot.model.hold();
        bot.says(ada, "hello");
        bot.model.wait_for_requests(1).await;
        match ada {
            Room::Telegram(chat) => bot.telegram.block(chat.id),
            Room::Discord { channel, .. } => {
                bot.discord
                    .refuse(channel, 403, 50_007, "Cannot send messages to this user");
            }
        }
        hold.release();
        bot.says(bob, "hello");
        assert_eq!(bot.answers(bob, 1).await, HELLO);
        bot.until("the failed message", async |look| {
            let failed = look.messages(Direction::Outbound).await;
            failed
                .iter()
                .any(|message| message.status == MessageStatus::Failed && message.error.is_some())
                .then_some(())
        })
        .await;
        bot.finish().await;
        let enabled: Vec<_> = bot
            .look()
            .await
            .channels()
            .await
            .iter()
            .map(|channel| channel.enabled)
            .collect();
        assert_eq!(enabled, [false, true], "{site:?}");
    }
}

#[tokio::test]
async fn a_model_in_trouble_answers_late() {
    let faults = [
        Reply::rate_limited(1),
        Reply::status(500, "oops"),
        Reply::status(503, "overloaded"),
        Reply::reset(),
        Reply::garbage(),
        Reply::json(&serde_json::json!({"type": "finish", "output": "cut"})).cut_after(1),
        Reply::never(),
    ];
    let mut bot = Setup::on(Site::Telegram).provider("timeout_seconds", 1).start().await;
    for (id, fault) in (1..).zip(faults) {
        let room = bot.room(Site::Telegram, id, "Ada");
        bot.model.push(fault.clone());
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 1).await, HELLO, "{fault:?}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_model_that_stays_away_is_told_honestly() {
    const KEY: &str = "Sorry, my language model does not accept my key. My owner has to fix that.";
    const FORBIDDEN: &str = "Sorry, I am not allowed to use my language model. My owner has to fix that.";
    const UNKNOWN: &str = "Sorry, the language model that I am set to use does not exist. My owner has to fix that.";
    const UNPAID: &str =
        "Sorry, the account that pays for my language model is out of money. My owner has to fix that.";
    const UNREADABLE: &str = "Sorry, my language model could not read what I asked it, and trying again won't help. My owner can look up why.";
    const BUSY: &str = "Sorry, my language model has too much to do right now. Please try again in a few minutes.";
    let faults = [
        (Reply::status(500, "secret internals"), MODEL_DOWN),
        (Reply::status(401, "Incorrect API key provided: sk-secret"), KEY),
        (Reply::status(402, "secret internals"), UNPAID),
        (Reply::status(403, "secret internals"), FORBIDDEN),
        (Reply::status(404, "secret internals"), UNKNOWN),
        (Reply::status(400, "secret internals"), UNREADABLE),
        (Reply::rate_limited(3600), BUSY),
        (Reply::garbage(), MODEL_DOWN),
        (Reply::never(), MODEL_DOWN),
    ];
    for (fault, told) in faults {
        let mut bot = Setup::on(Site::Telegram)
            .provider("timeout_seconds", 1)
            .set("llm.retries", 1)
            .start()
            .await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        let always = fault.clone();
        bot.model.respond_with(move |_| always.clone());
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 1).await, [told], "{fault:?}");
        bot.finish().await;
        assert_eq!(bot.look().await.run().await.status.as_str(), "failed");
        let refusals =
            "SELECT COUNT(*) FROM messages WHERE direction = 'outbound' AND metadata LIKE '%\"refusal\":true%'";
        assert_eq!(bot.look().await.number(refusals).await, 1);
    }
}

/// Says this after a first tool call, calls another one, if it does, and fails.
fn failing() -> Reply {
    Reply::status(500, "secret internals")
}

fn says_and_fails(
    said: &'static str,
    then_calls: bool,
    fails: Reply,
) -> impl Fn(&RecordedRequest) -> Reply + Send + Sync + 'static {
    let calculate =
        |expression: &str| json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": expression}});
    move |request| {
        let replies = request.messages();
        let replies = replies.iter().filter(|message| message["role"] == "assistant").count();
        let mut first = calculate("6 * 7");
        first["notes"] = json!([
            {"category": "requirements", "content": "what is asked"},
            {"category": "plan", "content": "two sums"},
        ]);
        match replies {
            0 => Reply::json(&first),
            1 => Reply::json(&json!({"type": "send_message", "message": said})),
            2 if then_calls => Reply::json(&calculate("42 + 1")),
            _ => fails.clone(),
        }
    }
}

#[tokio::test]
async fn who_was_told_something_reads_that_the_rest_is_missing_and_no_apology() {
    const REST: &str = "I could not finish the rest. I can't reach my language model right now. Please try again in a few \
                        minutes.";
    for (said, then_calls) in [
        ("It is 42.", true),
        ("Let me check the weather now.", false),
        ("Einen Moment, ich schaue nach.", false),
        ("Сейчас посмотрю.", false),
    ] {
        let setup = || Setup::on(Site::Telegram).set("llm.retries", 1);
        for setup in [Some(setup()), setup().postgres()].into_iter().flatten() {
            let mut bot = setup.start().await;
            bot.model.respond_with(says_and_fails(said, then_calls, failing()));
            let room = bot.room(Site::Telegram, 7, "Ada");
            bot.says(room, "6 * 7, and one more");
            assert_eq!(bot.answers(room, 2).await, [said, REST]);
            bot.finish().await;
            assert_eq!(bot.texts(room).len(), 2);
            assert_eq!(bot.look().await.run().await.status, RunStatus::Failed);
        }
    }
}

#[tokio::test]
async fn whoever_was_answered_hears_nothing_of_what_fails_afterwards() {
    for fails in [
        failing(),
        Reply::status(401, "no such key"),
        Reply::text("I would rather not."),
    ] {
        let setup = || Setup::on(Site::Telegram).set("llm.retries", 1);
        for setup in [Some(setup()), setup().postgres()].into_iter().flatten() {
            let mut bot = setup.start().await;
            bot.model
                .respond_with(says_and_fails("The answer is 42.", false, fails.clone()));
            let room = bot.room(Site::Telegram, 7, "Ada");
            bot.says(room, "6 * 7");
            bot.until("the end of the run", async |look| {
                (look.runs().await.first()?.status == RunStatus::Failed).then_some(())
            })
            .await;
            assert_eq!(bot.answers(room, 1).await, ["The answer is 42."]);
            bot.finish().await;
            assert_eq!(bot.texts(room).len(), 1);
            assert_eq!(bot.look().await.undelivered().await, 0);
        }
    }
}

#[tokio::test]
async fn a_model_that_talks_nonsense_twice_is_told_in_the_fixed_sentence() {
    for nonsense in [
        "I would rather not.",
        "{\"type\":\"fly\"}",
        "{\"type\": \"finish\"",
        "[]",
        "\u{0}",
        // Nothing of these would be seen, and no platform takes them.
        "{\"type\": \"send_message\", \"message\": \"\u{200b}\u{2060}\"}",
        "{\"type\": \"send_message\", \"message\": \"```\\n```\"}",
        "{\"type\": \"send_message\", \"message\": \"[]()\"}",
    ] {
        let mut bot = Setup::on(Site::Telegram).start().await;
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.model.push(Reply::text(nonsense));
        bot.model.push(Reply::text(nonsense));
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 1).await, [BAD_REPLY], "{nonsense}");
        bot.says(room, "hello");
        bot.answers(room, 2).await;
        bot.model.push(Reply::text(nonsense));
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 3).await[1..], ["You said: hello", "You said: hello"]);
        bot.finish().await;
    }
}

#[tokio::test]
async fn telegram_is_sent_nothing_twice_if_its_owner_wants_that() {
    use telegram::Fault;
    let mut bot = Setup::on(Site::Telegram)
        .set("delivery.resend_ambiguous", false)
        .start()
        .await;
    for (place, (fault, arrived)) in (1..).zip([
        (Fault::DropAfter, 1),
        (Fault::Drop, 0),
        (Fault::Garbage, 0),
        (Fault::Server(502), 0),
    ]) {
        let room = bot.room(Site::Telegram, place, "Ada");
        bot.telegram.fail_next(Method::SendMessage, fault.clone());
        bot.says(room, "hello");
        bot.until("the message that was given up", async |look| {
            let said = look.messages(Direction::Outbound).await;
            let given_up = said.iter().filter_map(|message| message.error.as_ref());
            let all = given_up.filter(|error| error.starts_with("it may have arrived; resend_ambiguous is off: "));
            (i64::try_from(all.count()) == Ok(place)).then_some(())
        })
        .await;
        assert_eq!(bot.texts(room).len(), arrived, "{fault:?}");
        // A refusal to wait is no ambiguity, and the chat goes on.
        bot.telegram.fail_next(Method::SendMessage, Fault::TooMany(1));
        bot.says(room, "again");
        assert_eq!(
            bot.answers(room, arrived + 1).await[arrived..],
            ["You said: again"],
            "{fault:?}"
        );
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_run_that_panics_fails_with_an_honest_answer_and_the_next_one_is_answered() {
    for point in ["before_model_call", "tool_call_recorded"] {
        let setup = watched(Setup::on(Site::Telegram)).env("CLIFFORD_PANIC_AT", point);
        let mut bot = setup.start().await;
        let watch = Watch::on(&bot);
        let room = bot.room(Site::Telegram, 7, "Ada");
        bot.says(room, "two tools");
        assert_eq!(bot.answers(room, 1).await, [ERROR], "{point}");
        bot.says(room, "again");
        assert_eq!(bot.answers(room, 2).await[1], "You said: again");
        assert_eq!(watch.samples().await[&named("clifford_panics_total", &[])], 1.0);
        bot.finish().await;
        let runs = bot.look().await.runs().await;
        let ended: Vec<_> = runs.iter().map(|run| (run.status, run.error.as_deref())).collect();
        assert_eq!(
            ended,
            [
                (RunStatus::Failed, Some("an internal error (panic)")),
                (RunStatus::Completed, None)
            ],
            "{point}"
        );
    }
}

#[tokio::test]
async fn a_message_that_fails_by_itself_does_not_silence_its_chat() {
    let postgres = Setup::on(Site::Telegram)
        .postgres()
        .map(|setup| (Site::Telegram, setup));
    let setups = Site::BOTH
        .map(|site| (site, Setup::on(site)))
        .into_iter()
        .chain(postgres);
    for (site, setup) in setups {
        let mut bot = setup
            .set("delivery.stuck_seconds", 1)
            .set("delivery.max_backoff_seconds", 1)
            .start()
            .await;
        let room = bot.room(site, 7, "Ada");
        let fail = |fails: bool| match site {
            Site::Telegram => bot
                .telegram
                .fail_text("poison", fails.then_some(telegram::Fault::Server(500))),
            Site::Discord => bot.discord.fail_text("poison", fails.then_some(500)),
        };
        fail(true);
        bot.says(room, "poison");
        bot.until("the answer to fail", async |look| {
            let messages = look.messages(Direction::Outbound).await;
            messages.iter().any(|message| message.error.is_some()).then_some(())
        })
        .await;
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 1).await, HELLO, "{site:?}");
        assert_eq!(bot.logged("set a message aside, sending later ones past it"), 1);
        fail(false);
        assert_eq!(
            bot.answers(room, 2).await,
            ["You said: hello", "You said: poison"],
            "{site:?}"
        );
        bot.finish().await;
        assert_eq!(bot.look().await.undelivered().await, 0);
    }
}

#[tokio::test]
async fn an_answer_that_telegram_refuses_goes_plain_then_as_a_file_and_else_its_person_is_told() {
    use telegram::Fault;
    let refused = |description: &str| Fault::Refuse(400, format!("Bad Request: {description}"));
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    // Each attempt meets a refusal of its own.
    for description in ["message to be replied not found", "ENTITIES_TOO_LONG"] {
        bot.telegram.fail_next(Method::SendMessage, refused(description));
    }
    bot.says(room, "hello");
    assert_eq!(bot.answers(room, 1).await, HELLO);

    bot.telegram.fail_text("second", Some(refused("message is too long")));
    bot.says(room, "second");
    bot.answers(room, 2).await;
    let Room::Telegram(chat) = room else { unreachable!() };
    let sent = bot.telegram.sent(chat);
    let file = sent[1].document.as_ref().unwrap();
    assert_eq!(
        (file.name.as_str(), file.content.as_slice()),
        ("answer.md", b"You said: second".as_slice())
    );

    bot.telegram.fail_text("third", Some(refused("message is too long")));
    bot.telegram.fail_next(Method::SendDocument, refused("PEER_FLOOD"));
    bot.says(room, "third");
    assert_eq!(
        bot.answers(room, 3).await[2],
        "Sorry, I could not send my answer here: it was refused. Please ask again, or ask for a shorter answer."
    );
    bot.finish().await;
}
