//! The chat: a message is written anew and sent again, and answers are rated.

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;

use super::{Browser, hidden_fields, journeys::bots, person, three_people};
use crate::{api::bot::Bot, store::erasure::script};

/// The newest message that somebody wrote.
pub async fn last_message(browser: &Browser<'_>) -> (String, String) {
    let found = browser.data("/api/messages?limit=50").await;
    let items = found["items"].as_array().unwrap();
    let message = items.iter().find(|message| message["direction"] == "inbound").unwrap();
    let text = |name: &str| message[name].as_str().unwrap().to_owned();
    (text("contextId"), text("id"))
}

/// Waits until another run than this one is the newest, and has ended.
pub async fn next_run(browser: &Browser<'_>, before: &str) -> String {
    loop {
        let runs = browser.data("/api/runs?limit=1").await;
        let newest = &runs["items"][0];
        if newest["id"] != before && newest["status"] == "completed" {
            return newest["id"].as_str().unwrap().to_owned();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_message_is_written_anew_and_its_first_answer_is_taken_back() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        let first = browser.says("what is 6*7?", "completed").await;
        let (context, message) = last_message(&browser).await;
        let chat = format!("/chat/{context}");
        let page = browser.page(&chat).await;
        assert_eq!(page.matches("Edit and ask again").count(), 1, "{page}");
        assert!(page.contains(">what is 6*7?</textarea>"), "{page}");
        let action = format!("{chat}/messages/{message}");
        let location = browser.does(&chat, &action, &[("content", "what is 2+3?")]).await;
        assert_eq!(location, chat);
        next_run(&browser, &first).await;
        let page = browser.page(&chat).await;
        assert!(page.contains("2+3 = 5") && !page.contains("6*7 = 42"), "{page}");
        // The record keeps what was said.
        let record = browser.page(&format!("/conversations/{context}")).await;
        assert!(record.contains("6*7 = 42") && record.contains("taken back"), "{record}");
        assert!(browser.page(&format!("/runs/{first}")).await.contains("6*7 = 42"));
        let empty = browser.submit(&chat, &action, &[("content", " ")]).await;
        assert_eq!(empty.status, 422, "{}", empty.text);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_an_answer_is_sent_again() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        let run = browser.says("what is 6*7?", "completed").await;
        assert!(!browser.page("/chat").await.contains("No answer came"));
        let fails = format!("UPDATE runs SET status = 'failed', error = 'no model <answers>' WHERE id = '{run}'");
        script(&bot.app.db, &fails).await;
        let page = browser.page("/chat").await;
        for part in ["No answer came", "no model &lt;answers&gt;", "Send again"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let (context, message) = last_message(&browser).await;
        let action = format!("/chat/{context}/messages/{message}");
        browser.does("/chat", &action, &[("content", "what is 6*7?")]).await;
        next_run(&browser, &run).await;
        let page = browser.page("/chat").await;
        assert!(page.contains("6*7 = 42") && !page.contains("No answer came"), "{page}");
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_rated_in_the_chat_and_its_owner_reads_who_said_what() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let (adas, owner) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, None).await,
        );
        let run = adas.says("what is 6*7?", "completed").await;
        let rate = format!("/runs/{run}/rate");
        let pressed = |page: &str| page.matches("aria-pressed=\"true\"").count();
        assert_eq!(pressed(&adas.page("/chat").await), 0);
        for (verdict, shown) in [("liked", "good answer"), ("disliked", "bad answer")] {
            let location = adas
                .does("/chat", &rate, &[("verdict", verdict), ("back", "/chat")])
                .await;
            assert_eq!(location, "/chat");
            assert_eq!(pressed(&adas.page("/chat").await), 1);
            for browser in [&adas, &owner] {
                let page = browser.page("/feedback").await;
                for part in [shown, "what is 6*7?", "6*7 = 42", &format!("href=\"/runs/{run}\"")] {
                    assert!(page.contains(part), "{part}: {page}");
                }
            }
        }
        assert!(owner.page("/feedback?verdict=liked").await.contains("No feedback here"));
        let by_her = format!("/feedback?verdict=disliked&user={ada}");
        assert!(owner.page(&by_her).await.contains("bad answer"));
        let export = owner.get(&format!("/feedback.csv?user={ada}")).await;
        assert_eq!(export.header("content-type"), "text/csv; charset=utf-8");
        let lines: Vec<_> = export.text.lines().collect();
        assert_eq!(lines.len(), 2, "{}", export.text);
        assert!(
            lines[1].contains(",disliked,button,") && lines[1].contains("\"Ada\""),
            "{}",
            lines[1]
        );
        adas.does("/chat", &rate, &[("back", "/chat")]).await;
        assert!(owner.page("/feedback").await.contains("No feedback here"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_edits_rates_or_reads_the_verdicts_of_somebody_else() {
    let bot = Bot::start().await;
    let [(ada, adas), (_, bobs), (_, eves)] = three_people(&bot).await;
    let run = adas.says("what is 6*7?", "completed").await;
    let (context, message) = last_message(&adas).await;
    let rate = format!("/runs/{run}/rate");
    adas.does("/chat", &rate, &[("verdict", "disliked"), ("back", "/chat")])
        .await;
    let edit = format!("/chat/{context}/messages/{message}");
    let fields = [("content", "mine"), ("verdict", "liked")];
    for action in [&edit, &rate] {
        let refused = bobs.submit("/", action, &fields).await;
        assert_eq!(refused.status, 404, "{action}: {}", refused.text);
    }
    // An owner reads it all, and writes in nobody's name.
    let chat = eves.page(&format!("/chat/{context}")).await;
    assert!(
        chat.contains("6*7 = 42") && !chat.contains("Edit and ask again"),
        "{chat}"
    );
    assert!(
        chat.contains("it is only read here") && !chat.contains("class=\"composer\""),
        "{chat}"
    );
    let refused = eves.submit("/", &edit, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(eves.page("/feedback").await.contains("6*7"));
    let channel = adas.data("/api/channels").await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let place = format!("place=channel:{channel}");
    for query in [String::new(), format!("user={ada}"), place] {
        for page in ["/feedback", "/feedback.csv"] {
            let found = bobs.get(&format!("{page}?{query}")).await;
            assert!(matches!(found.status, 200 | 404), "{page}?{query}: {}", found.status);
            assert!(!found.text.contains("6*7"), "{page}?{query}: {}", found.text);
        }
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_call_is_no_answer_to_rate() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    owner.holds_calls_of("compute", "ask before sums").await;
    let run = adas.says("what is 6*7?", "waiting").await;
    let page = adas.page("/chat").await;
    assert!(
        page.contains("May the bot make this call?") && !page.contains("Good answer"),
        "{page}"
    );
    let confirm = format!("/runs/{run}/confirm");
    adas.does("/chat", &confirm, &[("decision", "approve"), ("back", "/chat")])
        .await;
    next_run(&adas, "").await;
    assert!(adas.page("/chat").await.contains("Good answer"));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_is_written_and_changed_in_the_time_of_its_person() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let zone = format!("UPDATE users SET time_zone = 'Europe/Berlin' WHERE id = '{ada}'");
        script(&bot.app.db, &zone).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        // A reminder goes to her chat, which begins with her first word.
        browser.says("hello", "completed").await;
        assert!(browser.page("/reminders").await.contains("Europe/Berlin"));
        let fields = [("content", "buy <b>sugar</b>"), ("at", "2099-07-01T09:00")];
        browser.does("/reminders", "/reminders", &fields).await;
        let made = browser.data("/api/triggers").await["items"][0].clone();
        assert_eq!(
            (&made["kind"], &made["nextAt"]),
            (&"reminder".into(), &"2099-07-01T07:00:00Z".into()),
            "{made}"
        );
        let page = browser.page("/reminders").await;
        assert!(
            page.contains("buy &lt;b&gt;sugar") && page.contains("value=\"2099-07-01T09:00\""),
            "{page}"
        );
        let action = format!("/reminders/{}", made["id"].as_str().unwrap());
        let fields = [("do", "change"), ("content", "buy flour"), ("at", "2099-12-01T09:00")];
        browser.does("/reminders", &action, &fields).await;
        let changed = browser.data("/api/triggers").await["items"][0].clone();
        let told = (&changed["content"], &changed["nextAt"]);
        assert_eq!(told, (&"buy flour".into(), &"2099-12-01T08:00:00Z".into()));
        // The second two o'clock of a night in which the clock is put back stays that where only the words change.
        let id = made["id"].as_str().unwrap();
        let second = json!({ "at": "2099-10-25T01:30:20Z" });
        bot.call(Method::PATCH, &format!("/api/triggers/{id}"), &second).await;
        let page = browser.page("/reminders").await;
        assert!(page.contains("name=\"was.at\" value=\"2099-10-25T02:30\""), "{page}");
        for (content, at, expected) in [
            ("buy salt", "2099-10-25T02:30", "2099-10-25T01:30:20Z"),
            ("buy salt", "2099-10-25T02:31", "2099-10-25T00:31:00Z"),
        ] {
            let fields = [
                ("do", "change"),
                ("content", content),
                ("at", at),
                ("was.at", "2099-10-25T02:30"),
            ];
            browser.does("/reminders", &action, &fields).await;
            let changed = browser.data("/api/triggers").await["items"][0].clone();
            let told = (&changed["content"], &changed["nextAt"]);
            assert_eq!(told, (&content.into(), &expected.into()));
        }
        for (content, at) in [("x", "tomorrow"), ("", "2099-12-01T09:00"), ("x", "")] {
            let wrong = browser
                .submit("/reminders", "/reminders", &[("content", content), ("at", at)])
                .await;
            assert_eq!(wrong.status, 422, "{content} {at}: {}", wrong.text);
        }
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_answered_in_the_chat_with_its_buttons() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        // Before anything was said there.
        browser.does("/chat", "/chat", &[("content", "/whoami")]).await;
        let page = browser.page("/chat").await;
        for part in ["/whoami", "I remember nothing about you yet"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        browser.says("what is 6*7?", "completed").await;
        let (context, _) = last_message(&browser).await;
        let chat = format!("/chat/{context}");
        let location = browser
            .does(&chat, "/chat", &[("content", "/erase"), ("context", &context)])
            .await;
        assert_eq!(location, "/chat");
        let page = browser.page("/chat").await;
        let order = ["6*7 = 42", "/erase", "This deletes everything", "Delete everything"];
        let mut rest = page.as_str();
        for part in order {
            let (_, behind) = rest.split_once(part).unwrap_or_else(|| panic!("{part}: {page}"));
            rest = behind;
        }
        assert!(
            !page.contains("I remember nothing about you yet"),
            "what was said before is not repeated: {page}"
        );
        // The last message is still the one that can be edited.
        assert!(page.contains(">what is 6*7?</textarea>"), "{page}");
        let fields = hidden_fields(&page, "value=\"/erase yes ");
        let command = fields.iter().find(|(name, _)| name == "content").unwrap();
        assert!(command.1.starts_with("/erase yes "), "{fields:?}");
        let location = browser.does("/chat", "/chat", &[("content", "/new Rome")]).await;
        assert_eq!(location, "/chat");
        let page = browser.page("/chat").await;
        assert!(
            page.contains("A new conversation") && !page.contains("6*7 = 42"),
            "{page}"
        );
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_conversation_has_a_way_to_its_older_messages_and_back() {
    let bot = Bot::start().await;
    let browser = Browser::log_in(&bot, None).await;
    browser.says("what is 6*7?", "completed").await;
    let (context, message) = last_message(&browser).await;
    let chat = format!("/chat/{context}");
    script(
        &bot.app.db,
        &format!(
            "INSERT INTO messages (id, direction, channel_id, context_id, user_id, content, status, attempts, sent_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 170)
             SELECT '00000000-0000-7000-8000-000000000' || i, 'inbound', channel_id, context_id, user_id, 'quince ' || i,
                    'history', 0, 9, 9 FROM n, messages WHERE messages.id = '{message}'"
        ),
    )
    .await;
    let newest = browser.page(&chat).await;
    // A script reads on where this leads, and puts it there.
    assert!(newest.contains("class=\"past\" data-past=\"talk\""), "{newest}");
    assert!(
        newest.contains("quince 170") && !newest.contains("quince 100<"),
        "{newest}"
    );
    let (_, older) = newest.split_once("rel=\"next\" href=\"").expect("older messages");
    let older = older.split('"').next().unwrap().replace("&amp;", "&");
    let page = browser.page(&older).await;
    assert!(page.contains("quince 100<") && !page.contains("quince 170"), "{page}");
    assert!(
        page.contains("The newest messages") && !newest.contains("The newest messages"),
        "{page}"
    );
    bot.app.shutdown().await;
}

/// Makes a conversation of the dashboard one that began in a private chat on Telegram, as after `/continue`.
async fn moved(bot: &Bot, context: &str, user: &str) {
    let begun = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let sql = format!(
        "INSERT INTO channels (id, platform, external_id, kind, user_id, enabled, mode, config, created_at, updated_at)
             VALUES ('{begun}', 'telegram', '7', 'private', '{user}', TRUE, 'run', '{{}}', 1, 1);
         UPDATE contexts SET channel_id = '{begun}' WHERE id = '{context}'"
    );
    script(&bot.app.db, &sql).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_of_another_platform_goes_on_in_the_chat_and_nobody_elses_does() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let (adas, eves) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, Some(person(&bot, "Eve", UserRole::Owner).await)).await,
        );
        let first = adas.says("what is 6*7?", "completed").await;
        let (context, _) = last_message(&adas).await;
        let here = adas.data("/api/me").await["channelId"].clone();
        moved(&bot, &context, &ada.to_string()).await;
        let chat = format!("/chat/{context}");
        for path in ["/chat", &chat] {
            let page = adas.page(path).await;
            assert!(
                page.contains("class=\"composer\"") && !page.contains("it is only read here"),
                "{page}"
            );
        }
        let fields = [("content", "what is 2+3?"), ("context", context.as_str())];
        assert_eq!(adas.does(&chat, "/chat", &fields).await, chat);
        next_run(&adas, &first).await;
        assert!(adas.page(&chat).await.contains("2+3 = 5"));
        // It is answered where it was asked.
        let said = adas.data(&format!("/api/messages?contextId={context}&limit=2")).await;
        for message in said["items"].as_array().unwrap() {
            assert_eq!(message["channelId"], here, "{said}");
        }
        let page = adas.page(&format!("/conversations/{context}")).await;
        let way = format!("href=\"{chat}\"");
        assert!(page.contains("Go on in the chat") && page.contains(&way), "{page}");
        let page = eves.page(&format!("/conversations/{context}")).await;
        assert!(!page.contains("Go on in the chat"), "{page}");
        assert!(!eves.page(&chat).await.contains("class=\"composer\""));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_conversation_keeps_its_trace_and_its_stop_and_is_found_again() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let adas = Browser::log_in(&bot, Some(ada)).await;
    let run = adas.says("what is 6*7?", "completed").await;
    let (context, _) = last_message(&adas).await;
    adas.does(
        "/chat",
        &format!("/runs/{run}/rate"),
        &[("verdict", "liked"), ("back", "/chat")],
    )
    .await;
    // As many runs and conversations as a page of either holds.
    let channel = adas.data("/api/me").await["channelId"].clone();
    let mut last = run.clone();
    for number in 0..51 {
        let location = adas.does("/chat", "/chat/new", &[]).await;
        assert_ne!(location, format!("/chat/{context}"));
        if number < 21 {
            adas.does(&location, "/chat", &[("content", "hello")]).await;
            last = next_run(&adas, &last).await;
        }
    }
    assert!(channel.is_string(), "{channel}");
    let page = adas.page("/chat").await;
    let older = format!("href=\"/conversations?channelId={}\"", channel.as_str().unwrap());
    assert!(page.contains("Older conversations") && page.contains(&older), "{page}");
    let chat = format!("/chat/{context}");
    let page = adas.page(&chat).await;
    assert!(page.contains(&format!("href=\"/runs/{run}\">The whole run")), "{page}");
    assert!(page.contains("aria-pressed=\"true\""), "{page}");
    // A run of another conversation is none of this one; its own that waits can be stopped.
    assert!(!page.contains("/cancel"), "{page}");
    let waits = format!("UPDATE runs SET status = 'waiting', wake_reason = 'sleep' WHERE id = '{run}'");
    script(&bot.app.db, &waits).await;
    assert!(adas.page(&chat).await.contains(&format!("/runs/{run}/cancel")));
    assert!(!adas.page("/chat").await.contains("/cancel"));
    bot.app.shutdown().await;
}
