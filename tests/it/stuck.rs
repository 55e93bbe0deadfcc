//! A message that its platform does not take, while it takes others: nobody else waits for it, and the operator is told of
//! the chat and the reason.

use clifford_fakes::telegram::Fault;

use crate::{
    api_watch::{Watch, named, watched},
    harness::{Bot, Room, Setup, Site},
};

/// Has the platform refuse what says this, or take it again.
fn refuses(bot: &Bot, site: Site, words: &str, refuses: bool) {
    match site {
        Site::Telegram => bot.telegram.fail_text(words, refuses.then_some(Fault::Server(500))),
        Site::Discord => bot.discord.fail_text(words, refuses.then_some(500)),
    }
}

/// The platform's id of a private chat.
fn place(room: Room) -> String {
    match room {
        Room::Telegram(chat) => chat.id.to_string(),
        Room::Discord { channel, .. } => channel.to_string(),
    }
}

#[tokio::test]
async fn one_message_that_is_not_taken_silences_nobody_and_is_named_with_its_chat_and_reason() {
    for site in Site::BOTH {
        let mut bot = watched(Setup::on(site)).set("delivery.stuck_seconds", 1).start().await;
        let watch = Watch::on(&bot);
        let room = bot.room(site, 7, "Ada");
        refuses(&bot, site, "POISON", true);
        bot.says(room, "POISON");
        bot.says(room, "hello");
        assert_eq!(bot.answers(room, 1).await, ["You said: hello"], "{site:?}");

        let (status, checks) = watch.ready().await;
        let detail = checks[format!("channel:{}", site.name())]["detail"].as_str().unwrap();
        let channel = bot.look().await.channels().await.remove(0).id;
        let late = format!("; a message to chat {} (channel:{channel}) is late since", place(room));
        assert!(
            status == 200 && detail.contains(&late) && detail.contains("500"),
            "{site:?}: {detail}"
        );
        let counted = named(
            "clifford_late_messages_total",
            &[("platform", site.name()), ("status", "5xx")],
        );
        assert_eq!(watch.samples().await.get(&counted), Some(&1.0), "{site:?}");
        let log = bot.log_text();
        let line = log.lines().find(|line| line.contains("set a message aside"));
        let line = line.unwrap_or_else(|| panic!("{site:?}: {log}"));
        assert!(
            line.contains(&channel.to_string()) && line.contains("500"),
            "{site:?}: {line}"
        );

        refuses(&bot, site, "POISON", false);
        let texts = ["You said: hello", "You said: POISON"];
        assert_eq!(bot.answers(room, 2).await, texts, "{site:?}");
        bot.until("nothing to be late", async |_| {
            let (_, checks) = watch.ready().await;
            let detail = checks[format!("channel:{}", site.name())]["detail"]
                .as_str()?
                .to_owned();
            (!detail.contains("is late")).then_some(())
        })
        .await;
        bot.finish().await;
    }
}
