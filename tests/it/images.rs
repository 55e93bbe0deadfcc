//! Images that people send: shown to a model that sees, in a size that it looks at, without any setting.

use std::io::Cursor;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clifford_fakes::openai::{RecordedRequest, Reply};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::json;

use crate::harness::{Bot, Room, Setup, Site};

pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let image = RgbImage::from_fn(width, height, |x, y| Rgb([(x % 256) as u8, (y % 256) as u8, 90]));
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// The images that a request shows, as they are.
pub fn shown(request: &RecordedRequest) -> Vec<Vec<u8>> {
    let messages = request.messages().iter();
    let pieces = messages.filter_map(|message| message["content"].as_array()).flatten();
    let urls = pieces.filter_map(|piece| piece["image_url"]["url"].as_str());
    urls.map(|url| STANDARD.decode(url.split_once(',').unwrap().1).unwrap())
        .collect()
}

/// A bot whose model answers at once, and writes no memory.
fn setup() -> Setup {
    on(Site::Telegram)
}

fn on(site: Site) -> Setup {
    Setup::on(site)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off")
}

pub fn finish(output: &str) -> Reply {
    Reply::json(&json!({"type": "finish", "output": output}))
}

/// Sees no images, as an OpenAI-compatible server says it.
fn blind(request: &RecordedRequest) -> Reply {
    if request.model() == "sees-1" {
        return Reply::text("A lighthouse at dusk.");
    }
    if !shown(request).is_empty() {
        return Reply::status(400, "Model does not support images. Please use a model that does.");
    }
    let told: Vec<_> = request
        .messages()
        .iter()
        .map(|message| message["content"].to_string())
        .collect();
    finish(if told.concat().contains("A lighthouse at dusk.") {
        "a lighthouse"
    } else {
        "nothing"
    })
}

fn sends(bot: &Bot, room: Room, content: &[u8]) {
    match room {
        Room::Telegram(chat) => drop(bot.telegram.user_sends_file(chat, chat.id, "look", "a.png", content)),
        Room::Discord { channel, user } => drop(bot.discord.user_sends_file(channel, user, "look", "a.png", content)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_shown_without_any_setting_in_a_size_that_models_look_at() {
    for site in Site::BOTH {
        let mut bot = on(site).start().await;
        bot.model
            .respond_with(|request| finish(&format!("{} seen", shown(request).len())));
        let room = bot.room(site, 7, "Ada");
        sends(&bot, room, &png(2_000, 1_000));
        assert_eq!(bot.answers(room, 1).await, ["1 seen"]);
        let request = bot.model.requests().pop().unwrap();
        let seen = image::load_from_memory(&shown(&request)[0]).unwrap();
        assert_eq!((seen.width(), seen.height()), (1_568, 784));
        // It took one, and that is remembered.
        bot.until("what was learned", async |look| {
            (look.number("SELECT COUNT(*) FROM model_images WHERE sees").await == 1).then_some(())
        })
        .await;
        bot.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_refuses_an_image_is_asked_without_and_shown_none_from_then_on() {
    let mut bot = setup().start().await;
    bot.model.respond_with(blind);
    let room = bot.room(Site::Telegram, 7, "Ada");
    let tried = |bot: &Bot| {
        bot.model
            .requests()
            .iter()
            .filter(|request| !shown(request).is_empty())
            .count()
    };
    sends(&bot, room, &png(40, 40));
    assert_eq!(bot.answers(room, 1).await, ["nothing"]);
    assert_eq!(tried(&bot), 1);
    let told = bot.model.requests().pop().unwrap();
    assert!(told.text(1).contains("is not seen by you"), "{}", told.text(1));
    bot.until("what was learned", async |look| {
        (look.number("SELECT COUNT(*) FROM model_images WHERE NOT sees").await == 1).then_some(())
    })
    .await;
    sends(&bot, room, &png(40, 40));
    bot.answers(room, 2).await;
    // Nor by a process that begins later.
    bot.stop().await;
    bot.start().await;
    sends(&bot, room, &png(40, 40));
    bot.answers(room, 3).await;
    assert_eq!(tried(&bot), 1);
    bot.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_the_model_does_not_see_is_described_by_one_that_does() {
    let mut bot = setup()
        .provider("images", false)
        .set("llm.roles.vision.model", "sees-1")
        .start()
        .await;
    bot.model.respond_with(blind);
    let room = bot.room(Site::Telegram, 7, "Ada");
    sends(&bot, room, &png(40, 40));
    assert_eq!(bot.answers(room, 1).await, ["a lighthouse"]);
    bot.finish().await;
    let look = bot.look().await;
    let run = look.run().await;
    let steps = look.steps(run.id).await;
    assert!(steps.iter().any(|step| step.contains("tool_call")), "{steps:?}");
    assert_eq!(look.number("SELECT COUNT(*) FROM runs WHERE tainted").await, 1);
}
