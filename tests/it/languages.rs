//! The bot's own sentences in the languages of those who read them.

use clifford_core::commands::COMMANDS;
use clifford_fakes::{
    openai::Reply,
    telegram::{Chat, Sent, TelegramFake},
};
use clifford_text::{Lang, Menu};
use serde_json::json;

use crate::{
    approvals::{asking, remembers},
    harness::{Bot, Setup, Site},
    scripted_model::memory_schema,
};

/// Says something on Telegram, or gives a command, and returns what is sent then.
async fn tell(bot: &Bot, chat: Chat, user: i64, text: &str) -> Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

/// Everything that the model was told for the newest run.
fn last_prompt(bot: &Bot) -> String {
    let requests = bot.model.requests();
    let run = requests.iter().rev().find(|request| memory_schema(request).is_none());
    run.expect("a run was asked").body.to_string()
}

#[tokio::test]
async fn a_person_reads_help_in_the_language_of_their_app_until_they_choose_another() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.speaks(7, "de");
    let help = tell(&bot, chat, 7, "/help").await;
    assert!(help.text.starts_with("Schreib mir einfach: "), "{}", help.text);
    assert!(help.text.contains("/help memory: Was ich mir merke"), "{}", help.text);
    let topic = tell(&bot, chat, 7, "/help chats").await.text;
    assert!(
        topic.contains("/search WORDS: Frühere Nachrichten durchsuchen"),
        "{topic}"
    );
    // The app's language is no wish for an answer of the model.
    tell(&bot, chat, 7, "hello").await;
    assert!(!last_prompt(&bot).contains("language with the tag"));
    // The app changes its language, and a tag with a region is that language.
    bot.telegram.speaks(7, "pt-br");
    let help = tell(&bot, chat, 7, "/help").await.text;
    assert!(help.starts_with("É só me escrever: "), "{help}");
    // A choice of one's own counts more, for the model too.
    let told = tell(&bot, chat, 7, "/settings language Русский").await.text;
    assert!(told.starts_with("Настройка language теперь ru (было: "), "{told}");
    let help = tell(&bot, chat, 7, "/help").await.text;
    assert!(help.starts_with("Просто напиши мне: "), "{help}");
    tell(&bot, chat, 7, "hello").await;
    assert!(last_prompt(&bot).contains("Answer the user in the language with the tag ru"));
    let told = tell(&bot, chat, 7, "/settings language reset").await.text;
    assert!(told.starts_with("Você redefiniu language (antes: ru)."), "{told}");
    let told = tell(&bot, chat, 7, "/settings undo").await.text;
    assert!(told.starts_with("Изменение отменено: language снова ru"), "{told}");
    let told = tell(&bot, chat, 7, "/settings language german").await.text;
    assert!(
        told.starts_with("Du hast language auf de gesetzt (vorher: ru)."),
        "{told}"
    );
    let told = tell(&bot, chat, 7, "/settings language reset").await.text;
    assert!(told.starts_with("Você redefiniu language (antes: de)."), "{told}");
    let help = tell(&bot, chat, 7, "/help").await.text;
    assert!(help.starts_with("É só me escrever: "), "{help}");
    // A language without a catalogue.
    bot.telegram.speaks(7, "it");
    let help = tell(&bot, chat, 7, "/help").await.text;
    assert!(help.starts_with("Just write to me: "), "{help}");
    bot.finish().await;
}

#[tokio::test]
async fn a_group_reads_its_own_language_where_a_person_has_none() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
    tell(&bot, group, 7, "/settings language fr").await;
    bot.telegram.speaks(8, "it");
    let help = tell(&bot, group, 8, "/help").await.text;
    assert!(help.starts_with("Mentionne-moi ou réponds-moi"), "{help}");
    bot.telegram.speaks(8, "ja");
    let help = tell(&bot, group, 8, "/help").await.text;
    assert!(help.starts_with("メンションするか返信してくれれば"), "{help}");
    bot.finish().await;
}

#[tokio::test]
async fn telegram_has_a_menu_for_each_place_and_language() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    for (scope, lacks) in [
        ("all_private_chats", &["ask"][..]),
        ("all_group_chats", &["settings", "export", "key"]),
        ("all_chat_administrators", &["export", "key"]),
    ] {
        for lang in Lang::ALL {
            // English is for everybody whose language has no menu.
            let code = if *lang == Lang::English { "" } else { lang.code() };
            let set = |fake: &TelegramFake| Some(fake.commands_in(scope, code)).filter(|menu| !menu.is_empty());
            let menu = bot.telegram.wait_until("the menu", set).await;
            for (name, about) in &menu {
                let known = COMMANDS.iter().find(|command| command.name.is(name));
                let expected = known.map_or_else(|| lang.say(Menu::Ask), |command| command.about(*lang));
                assert_eq!(*about, expected.replace('`', ""), "{scope} {lang:?} {name}");
            }
            let has = |wanted: &str| menu.iter().any(|(name, _)| name == wanted);
            assert!(
                has("search") && lacks.iter().all(|name| !has(name)),
                "{scope}: {menu:?}"
            );
            assert_eq!(has("settings"), scope != "all_group_chats", "{scope}");
        }
    }
    bot.finish().await;
}

#[tokio::test]
async fn discord_shows_commands_and_answers_in_the_language_of_the_app() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    bot.discord.speaks(ada, "es-ES");
    let id = bot.discord.interaction(dm, ada, "help", &[]);
    let help = bot.discord.wait_for_replies(id, 1).await.remove(0).content;
    assert!(help.starts_with("Escríbeme sin más: "), "{help}");
    let commands = bot.discord.commands(None);
    let named = |name: &str| commands.iter().find(|command| command["name"] == name).unwrap();
    for known in COMMANDS {
        let of_locale = &named(known.name.as_str())["description_localizations"];
        for locale in ["de", "es-ES", "es-419", "fr", "pt-BR", "ru", "zh-CN", "zh-TW", "ja"] {
            let about = known.about(Lang::of(locale).unwrap());
            // Where the words are those of everybody else, nothing is registered.
            let is_english = about == known.about(Lang::English);
            let shown = of_locale[locale].as_str().map(str::to_owned);
            assert_eq!(shown, (!is_english).then_some(about), "{} {locale}", known.name);
        }
    }
    let search = &named("search")["description_localizations"];
    assert_eq!(
        [&search["de"], &search["es-419"], &search["zh-TW"]],
        [
            "Frühere Nachrichten durchsuchen",
            "Buscar en mensajes anteriores",
            "搜索以前的消息"
        ]
    );
    assert_eq!(
        named("ask")["options"][0]["description_localizations"]["fr"],
        "Ta question"
    );
    assert_eq!(named("Ask Clifford")["name_localizations"]["ja"], "Clifford に聞く");
    bot.finish().await;
}

#[tokio::test]
async fn a_german_person_is_asked_answered_and_refused_in_german() {
    let mut bot = asking(Site::Telegram).set("llm.retries", 1).start().await;
    bot.model.respond_with(remembers);
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.speaks(7, "de");
    let question = tell(&bot, chat, 7, "she drinks tea").await;
    assert!(
        question.text.starts_with("Darf ich das tun? memory.put\n")
            && question.text.contains("value: \"tea\"\n  ← deine Nachricht")
            && question.text.contains("/approve oder /deny, innerhalb von "),
        "{}",
        question.text
    );
    let labels: Vec<_> = question.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["Erlauben", "Ablehnen"]);
    bot.telegram.press(chat, 7, "Erlauben");
    let expected = ["Erlaubt: memory.put.", "I know now: tea."];
    let found = |said: Vec<Sent>| expected.iter().all(|text| said.iter().any(|said| said.text == *text));
    bot.telegram
        .wait_until("the answers", |fake| found(fake.sent(chat)).then_some(()))
        .await;
    bot.telegram
        .wait_until("the settled question", |fake| {
            let shown = fake
                .sent(chat)
                .into_iter()
                .find(|sent| sent.message_id == question.message_id)?;
            (shown.buttons.is_empty() && shown.text.ends_with("Erlaubt von Ada.")).then_some(())
        })
        .await;
    // A setting, and a value that it does not take.
    let set = tell(&bot, chat, 7, "/settings time_zone Europe/Berlin").await.text;
    assert!(
        set.starts_with("Du hast time_zone auf Europe/Berlin gesetzt (vorher: nicht gesetzt)."),
        "{set}"
    );
    let refused = tell(&bot, chat, 7, "/settings time_zone Berlin").await.text;
    assert_eq!(refused, "Berlin ist keine Zeitzone wie Europe/Berlin.");
    let all = tell(&bot, chat, 7, "/settings").await;
    assert!(
        all.text.starts_with("Deine Einstellungen in deinen privaten Chats"),
        "{}",
        all.text
    );
    assert_eq!(tell(&bot, chat, 7, "/stop").await.text, "Es gibt nichts anzuhalten.");
    // A model that does not answer.
    bot.model.respond_with(|_| Reply::status(500, "secret internals"));
    let failed = tell(&bot, chat, 7, "hello").await.text;
    assert_eq!(
        failed,
        "Tut mir leid, ich erreiche mein Sprachmodell gerade nicht. Versuch es bitte in ein paar Minuten noch einmal."
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_stranger_and_the_owner_each_read_their_language() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "pairing")
        .start()
        .await;
    let chat = bot.telegram.user(8, "Yuki");
    bot.telegram.speaks(8, "ja");
    let told = tell(&bot, chat, 8, "hello").await.text;
    assert!(
        told.starts_with("こんにちは！私はオーナーが知っている人とだけ話します。"),
        "{told}"
    );
    bot.finish().await;
}
