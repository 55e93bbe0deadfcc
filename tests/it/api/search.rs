//! Search over messages.

use serde_json::{Value, json};

use super::bot::Bot;

fn snippets(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap_or_else(|| panic!("{page}"));
    items.iter().map(|found| found["snippet"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_found_in_a_channel_or_of_a_person_page_by_page() {
    let bot = Bot::start().await;
    for text in ["a heron", "heron, heron and a very long story of it", "a stork"] {
        assert_eq!(
            bot.post("/api/messages?wait=30", &json!({ "content": text }))
                .await
                .status,
            200
        );
    }
    let channel = bot.get("/api/channels").await.json()["items"][0].clone();
    let [channel, user] = ["id", "userId"].map(|field| channel[field].as_str().unwrap().to_owned());
    let search = async |rest: &str| bot.get(&format!("/api/search?q=heron&limit=1&{rest}")).await.json();
    for place in [
        format!("channelId={channel}"),
        format!("userId={user}"),
        format!("userId={user}&channelId={channel}"),
    ] {
        let mut found = Vec::new();
        let mut page = search(&place).await;
        loop {
            found.extend(snippets(&page).into_iter().map(str::to_owned));
            match page["next"].as_str() {
                Some(next) => page = search(&format!("{place}&before={next}")).await,
                None => break,
            }
        }
        found.retain(|snippet| snippet.starts_with("a **heron**") || snippet.starts_with("**heron**"));
        assert_eq!(
            found,
            ["**heron**, **heron** and a very long story of it", "a **heron**"]
        );
    }
    let first = search(&format!("channelId={channel}")).await["items"][0].clone();
    assert_eq!(first["channelId"], channel.as_str());
    assert_eq!(first["platform"], "web");
    let stranger = "userId=0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let nothing = json!({ "items": [], "next": null });
    assert_eq!(search(stranger).await, nothing);
    assert_eq!(search(&format!("{stranger}&channelId={channel}")).await, nothing);
    bot.app.shutdown().await;
}
