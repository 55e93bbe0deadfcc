//! Several files of one answer: one message, where the platform has such messages.

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Fault, Method},
};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model,
};

/// Makes three files, and sends them with its answer.
fn clerk(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let entries = request.messages().iter().filter(|message| message["role"] == "user");
    let ids: Vec<Value> = entries
        .filter_map(|entry| serde_json::from_str::<Value>(entry["content"].as_str()?).ok())
        .filter_map(|entry| entry.get("tool_result").map(|result| result["result"]["id"].clone()))
        .collect();
    Reply::json(&match ids.len() {
        3 => json!({"type": "finish", "output": "Here they are.", "file_ids": ids}),
        made => json!({
            "type": "tool_call", "name": "files.create",
            "args": {"name": format!("{made}.md"), "content": format!("note {made}")},
            "notes": [
                {"category": "requirements", "content": "three notes"}, {"category": "plan", "content": "make them"},
            ],
        }),
    })
}

async fn bot(site: Site) -> Bot {
    let bot = Setup::on(site).start().await;
    bot.model.respond_with(clerk);
    bot
}

fn names(sent: &[clifford_fakes::telegram::Sent]) -> Vec<&str> {
    let files = sent.iter().filter_map(|sent| sent.document.as_ref());
    files.map(|file| file.name.as_str()).collect()
}

#[tokio::test]
async fn several_files_are_one_album_on_telegram() {
    let mut bot = bot(Site::Telegram).await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(ada, 7, "make three notes, please");
    let sent = bot.telegram.wait_for_sent(ada, 4).await;
    bot.finish().await;
    assert_eq!(sent[0].text, "Here they are.");
    assert_eq!(names(&sent), ["0.md", "1.md", "2.md"]);
    let album = sent[1].album.clone();
    assert!(
        album.is_some() && sent[1..].iter().all(|sent| sent.album == album),
        "{sent:?}"
    );
    let left = bot
        .look()
        .await
        .number("SELECT COUNT(*) FROM message_parts WHERE status <> 'delivered'")
        .await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn an_album_that_telegram_refuses_goes_file_by_file() {
    let mut bot = bot(Site::Telegram).await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram.fail_next(
        Method::SendMediaGroup,
        Fault::Refuse(400, "Bad Request: not today".to_owned()),
    );
    bot.telegram.user_says(ada, 7, "make three notes, please");
    let sent = bot.telegram.wait_for_sent(ada, 4).await;
    bot.finish().await;
    assert_eq!(names(&sent), ["0.md", "1.md", "2.md"]);
    assert!(sent.iter().all(|sent| sent.album.is_none()), "{sent:?}");
}

#[tokio::test]
async fn an_album_waits_as_long_as_telegram_asks() {
    let mut bot = bot(Site::Telegram).await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram.fail_next(Method::SendMediaGroup, Fault::TooMany(1));
    bot.telegram.user_says(ada, 7, "make three notes, please");
    let sent = bot.telegram.wait_for_sent(ada, 4).await;
    bot.finish().await;
    assert!(sent[1..].iter().all(|sent| sent.album.is_some()), "{sent:?}");
}

#[tokio::test]
async fn several_files_are_one_message_on_discord() {
    let mut bot = bot(Site::Discord).await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    bot.discord.user_says(dm, ada, "make three notes, please");
    let sent = bot.discord.wait_for_sent(dm, 2).await;
    let asked = bot
        .discord
        .interaction(dm, ada, "ask", &[("text", "make three notes, please")]);
    let replies = bot.discord.wait_for_replies(asked, 2).await;
    bot.finish().await;
    for sent in [sent, replies] {
        assert_eq!(sent[0].content, "Here they are.");
        let names: Vec<_> = sent[1].files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["0.md", "1.md", "2.md"]);
    }
}
