//! The chat: a message is sent once to the conversation that is shown, with files or as a voice.

use clifford_core::people::UserRole;
use clifford_fakes::openai::OpenAiFake;
use reqwest::Method;

use super::{
    Browser,
    chatting::{last_message, next_run},
    hidden_fields,
    journeys::bots,
    person, token,
};
use crate::api::bot::{Answer, Bot};

/// A field of a form with files.
fn field(head: &str, content: &str) -> String {
    format!("--cut\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
}

/// Sends a form of the chat with files.
async fn sends(browser: &Browser<'_>, bot: &Bot, parts: &[String]) -> Answer {
    let request = bot.request(Method::POST, "/chat").header("cookie", &browser.cookie);
    let request = request.header("origin", format!("http://{}", bot.address));
    let request = request.header("content-type", "multipart/form-data; boundary=cut");
    bot.send(request.body(format!("{}--cut--\r\n", parts.concat()))).await
}

/// Sends a form of the chat with a recording.
async fn says_aloud(browser: &Browser<'_>, bot: &Bot, words: &str) -> Answer {
    let page = browser.page("/chat").await;
    let parts = [
        field("name=\"token\"", token(&page)),
        field("name=\"content\"", ""),
        field("name=\"seconds\"", "4"),
        field(
            "name=\"file\"; filename=\"\"\r\nContent-Type: application/octet-stream",
            "",
        ),
        field(
            "name=\"voice\"; filename=\"recording.ogg\"\r\nContent-Type: audio/ogg",
            &format!("OggS\0\u{2}\n{words}"),
        ),
    ];
    sends(browser, bot, &parts).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_sent_again_after_a_lost_answer_is_said_once_and_needs_no_words() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        let page = browser.page("/chat").await;
        let send = async |content: &str, file: &str, context: &str| {
            let parts = [
                field("name=\"token\"", token(&page)),
                field("name=\"once\"", "one showing"),
                field("name=\"content\"", content),
                field("name=\"context\"", context),
                field("name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain", file),
                field("name=\"file\"; filename=\"b.txt\"\r\nContent-Type: text/plain", file),
            ];
            let sent = sends(&browser, &bot, &parts).await;
            assert_eq!(sent.status, 303, "{}", sent.text);
        };
        send("what is 6*7?", "one", "").await;
        next_run(&browser, "").await;
        let (context, _) = last_message(&browser).await;
        // The page shows by now which conversation it became.
        send("what is 6*7?", "one", "").await;
        send("what is 6*7?", "one", &context).await;
        let said = async || {
            let found = browser.data("/api/messages?limit=50").await;
            let items = found["items"].as_array().unwrap().iter();
            items.filter(|message| message["direction"] == "inbound").count()
        };
        assert_eq!(said().await, 1);
        let files = async || browser.data("/api/files").await["items"].as_array().unwrap().len();
        assert_eq!(files().await, 2);
        // Another file is another message, with the same words and without any.
        send("what is 6*7?", "two", &context).await;
        send("", "three", &context).await;
        assert_eq!((said().await, files().await), (3, 6));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_goes_to_the_conversation_whose_messages_are_shown() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        browser.says("what is 6*7?", "completed").await;
        let shown = async || {
            let page = browser.page("/chat").await;
            let (_, talk) = page.split_once("id=\"talk\" data-live").expect("the messages");
            let (_, context) = talk.split_once("name=\"context\" form=\"composer\" value=\"").unwrap();
            assert!(page.contains("id=\"composer\""), "{page}");
            context.split('"').next().unwrap().to_owned()
        };
        assert_eq!(shown().await, last_message(&browser).await.0);
        // Another window begins one: a page that follows shows it, and writes to it.
        let begun = browser.does("/chat", "/chat/new", &[]).await;
        assert_eq!(format!("/chat/{}", shown().await), begun);
        let page = browser.page("/chat").await;
        for part in [
            "id=\"head\" data-live",
            "id=\"talks\" popover data-live",
            "popovertarget=\"talks\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_says_aloud_in_the_chat_is_answered() {
    let model = OpenAiFake::start().await;
    let url = model.base_url();
    let bot = Bot::with(&[("llm.roles.transcription.base_url", url.as_str())]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let browser = Browser::log_in(&bot, Some(ada)).await;
    let page = browser.page("/chat").await;
    assert!(
        page.contains("data-record") && page.contains("accept=\"audio/*"),
        "{page}"
    );
    let sent = says_aloud(&browser, &bot, "what is 6*7?").await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    next_run(&browser, "").await;
    let page = browser.page("/chat").await;
    assert!(
        page.contains("Spoken: what is 6*7?") && page.contains("6*7 = 42"),
        "{page}"
    );
    // Words that were spoken are no text to edit.
    assert!(!page.contains("Edit and ask again"), "{page}");
    bot.app.shutdown().await;
    let deaf = Bot::start().await;
    let browser = Browser::log_in(&deaf, None).await;
    assert!(!browser.page("/chat").await.contains("data-record"));
    deaf.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_sent_twice_says_its_words_once() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        let page = browser.page("/chat").await;
        let kept = hidden_fields(&page, "name=\"once\"");
        let origin = format!("http://{}", bot.address);
        let send = async |content: &str| {
            let fields: Vec<_> = kept
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .chain([("content", content)])
                .collect();
            let sent = browser.send("/chat", &origin, &fields).await;
            assert_eq!(sent.status, 303, "{}", sent.text);
        };
        // The page from before, to which its reader went back, says other words all the same.
        for content in ["hello", "hello", "what is 6*7?"] {
            send(content).await;
        }
        let found = browser.data("/api/messages?limit=50").await;
        let items = found["items"].as_array().unwrap().iter();
        let said = items.filter(|message| message["direction"] == "inbound").count();
        assert_eq!(said, 2, "{found}");
        bot.app.shutdown().await;
    }
}
