//! A whole day in somebody's language: what takes long, reminders, undoing, a question, a denied call, and why.

use std::time::Duration;

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Sent},
};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

const SET: &str = r#"reminders.set {"when": "every weekday at 8", "text": "stretch"}"#;
const PUT: &str = r#"memory.put {"module": "preferences", "key": "tea", "value": "green"}"#;
const SUM: &str = r#"compute.eval {"expression": "1 + 1"}"#;

/// A bot that asks before it remembers anything, and never calculates.
async fn started(site: Site) -> Bot {
    let rule = |name: &str, action: &str, tool: &str| {
        toml::Value::from(toml::Table::from_iter([
            ("name".to_owned(), name.into()),
            ("action".to_owned(), action.into()),
            ("tools".to_owned(), vec![toml::Value::from(tool)].into()),
        ]))
    };
    let rules = vec![
        rule("ask first", "confirm", "memory.put"),
        rule("no sums", "deny", "compute.eval"),
    ];
    let bot = Setup::on(site)
        .set("engine.planning_gate", "off")
        .set("engine.time_zone", "UTC")
        .set("delivery.progress_after_seconds", 1)
        .set("policies", rules)
        .start()
        .await;
    bot.model.respond_with(reply);
    bot
}

/// Makes the call that the message names, and is done; takes its time for what is slow.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let input = Prompt::read(request).input().to_owned();
    let is_first = request.messages().iter().all(|message| message["role"] != "assistant");
    let call = input.split_once(' ').filter(|_| is_first);
    let call = call.and_then(|(name, args)| Some((name, serde_json::from_str::<Value>(args).ok()?)));
    let reply = Reply::json(&match call {
        Some((name, args)) => json!({"type": "tool_call", "name": name, "args": args}),
        None => json!({"type": "finish", "output": format!("Done: {}.", input.split(' ').next().unwrap_or_default())}),
    });
    match input.ends_with("slowly") {
        true => reply.delay(Duration::from_secs(4)),
        false => reply,
    }
}

/// Waits for the newest message on Telegram that holds all of these.
async fn reads(bot: &Bot, chat: Chat, parts: &[&str]) -> Sent {
    let holds = |sent: &Sent| parts.iter().all(|part| sent.text.contains(part));
    bot.telegram
        .wait_until(parts[0], |fake| fake.sent(chat).into_iter().rev().find(holds))
        .await
}

fn labels(buttons: &[(String, String)]) -> Vec<&str> {
    buttons.iter().map(|(label, _)| label.as_str()).collect()
}

#[tokio::test]
async fn on_telegram_a_german_person_reads_all_of_it_in_german() {
    let mut bot = started(Site::Telegram).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.speaks(7, "de");
    let says = |text: &str| {
        bot.telegram.user_says(chat, 7, text);
    };
    says("slowly");
    let working = reads(&bot, chat, &["\u{23f3} Ich denke nach"]).await;
    assert_eq!(labels(&working.buttons), ["Anhalten"]);
    reads(&bot, chat, &["Done: slowly."]).await;
    // A reminder: its button, the list, and taking it back.
    says(SET);
    let set = reads(&bot, chat, &["Done: reminders.set."]).await;
    assert_eq!(labels(&set.buttons), ["Rückgängig"]);
    says("/reminders");
    let listed = [
        " stretch: ",
        ", 08:00, montags bis freitags um 08:00 (UTC)",
        "löscht eine.",
    ];
    let list = reads(&bot, chat, &listed).await;
    assert_eq!(labels(&list.buttons), ["Löschen: stretch"]);
    says("/undo");
    reads(&bot, chat, &["Zurückgenommen: die Erinnerung „stretch“ ist gelöscht."]).await;
    // A question that is denied, and its story.
    says(PUT);
    let asked = [
        "Darf ich das tun? memory.put",
        "\n  ← deine Nachricht",
        "Die Regel „ask first“ verlangt eine Bestätigung.",
    ];
    let question = reads(&bot, chat, &asked).await;
    assert_eq!(labels(&question.buttons), ["Erlauben", "Ablehnen"]);
    bot.telegram.press(chat, 7, "Ablehnen");
    reads(&bot, chat, &["Abgelehnt: memory.put."]).await;
    reads(&bot, chat, &["Done: memory.put."]).await;
    says("/why");
    let why = [
        "So kam meine letzte Antwort hier zustande:",
        "gefragt wegen memory.put (Schritt ",
        "): die Regel „ask first“ verlangt eine Bestätigung → abgelehnt",
        "Werkzeuge: keine",
        "deine Nachricht (diese Person, ab Schritt ",
        "Arbeitszeit: ",
    ];
    reads(&bot, chat, &why).await;
    // A call that a rule refuses.
    says(SUM);
    reads(&bot, chat, &["Done: compute.eval."]).await;
    says("/why");
    let why = [
        "compute.eval abgelehnt (Schritt ",
        "): die Regel „no sums“ verbietet es",
    ];
    reads(&bot, chat, &why).await;
    bot.finish().await;
}

/// Gives a command on Discord, and returns what it is answered by.
async fn commands(bot: &Bot, place: u64, user: u64, name: &str) -> clifford_fakes::discord::Sent {
    let id = bot.discord.interaction(place, user, name, &[]);
    bot.discord.wait_for_replies(id, 1).await.remove(0)
}

#[tokio::test]
async fn on_discord_a_japanese_person_reads_all_of_it_in_japanese() {
    let mut bot = started(Site::Discord).await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    bot.discord.speaks(ada, "ja");
    let help = commands(&bot, dm, ada, "help").await;
    assert!(help.content.starts_with("気軽に書いてください。"), "{}", help.content);
    let says = |text: &str| {
        bot.discord.user_says(dm, ada, text);
    };
    let reads = async |parts: &[&str]| {
        let holds = |sent: &clifford_fakes::discord::Sent| parts.iter().all(|part| sent.content.contains(part));
        bot.discord
            .wait_for(parts[0], |fake| fake.sent(dm).into_iter().rev().find(holds))
            .await
    };
    says("slowly");
    let working = reads(&["\u{23f3} 考え中"]).await;
    assert_eq!(labels(&working.buttons), ["停止"]);
    reads(&["Done: slowly."]).await;
    says(SET);
    let set = reads(&["Done: reminders.set."]).await;
    assert_eq!(labels(&set.buttons), ["元に戻す"]);
    let list = commands(&bot, dm, ada, "reminders").await;
    for part in [" stretch：", "）08:00, 月曜から金曜の 08:00 (UTC)", "で削除できます。"] {
        assert!(list.content.contains(part), "{}", list.content);
    }
    let undone = commands(&bot, dm, ada, "undo").await;
    assert_eq!(
        undone.content,
        "元に戻しました：リマインダー「stretch」を削除しました。"
    );
    says(PUT);
    let question = reads(&[
        "**これを実行してもいいですか？** `memory.put`",
        "\n  ← あなたのメッセージ",
        "ルール「ask first」が確認を求めています。",
    ])
    .await;
    assert_eq!(labels(&question.buttons), ["承認", "拒否"]);
    bot.discord.press(dm, ada, &question, "拒否");
    reads(&["Done: memory.put."]).await;
    let why = commands(&bot, dm, ada, "why").await;
    for part in [
        "ここでの直近の答えは、次のように作られました：",
        "memory.put について確認しました（ステップ ",
        "）：ルール「ask first」が確認を求めています → 拒否",
        "ツール：なし",
    ] {
        assert!(why.content.contains(part), "{}", why.content);
    }
    says(SUM);
    reads(&["Done: compute.eval."]).await;
    let why = commands(&bot, dm, ada, "why").await;
    for part in [
        "compute.eval は拒否されました（ステップ ",
        "ルール「no sums」が禁止しています",
    ] {
        assert!(why.content.contains(part), "{}", why.content);
    }
    bot.finish().await;
}

#[tokio::test]
async fn in_a_group_what_takes_long_is_told_in_the_language_of_the_place() {
    let mut bot = started(Site::Telegram).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.speaks(7, "de");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
    let says = |text: &str| {
        bot.telegram.user_says(group, 7, text);
    };
    says("/settings language fr");
    reads(&bot, group, &["language"]).await;
    says("Clifford slowly");
    let working = reads(&bot, group, &["\u{23f3} Je réfléchis"]).await;
    assert_eq!(labels(&working.buttons), ["Arrêter"]);
    reads(&bot, group, &["Done: "]).await;
    bot.finish().await;
}
