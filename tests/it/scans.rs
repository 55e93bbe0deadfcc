//! Scanned documents: their pages have no text, and go one by one to a model that sees.

use std::io::Cursor;

use clifford_core::models::Grouping;
use clifford_fakes::openai::{RecordedRequest, Reply};
use clifford_store::usage::{self, Filter};
use image::{ImageFormat, RgbImage};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::harness::{Room, Setup, Site};

/// A PDF with a page whose only content is a picture.
fn scan() -> Vec<u8> {
    let mut jpeg = Cursor::new(Vec::new());
    RgbImage::new(40, 60).write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    let picture = format!(
        "<< /Type /XObject /Subtype /Image /Width 40 /Height 60 /ColorSpace /DeviceRGB /BitsPerComponent 8 \
         /Filter /DCTDecode /Length {} >>\nstream\n",
        jpeg.len()
    );
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 40 60] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>"
            .to_vec(),
        b"<< /Length 26 >>\nstream\nq 40 0 0 60 0 0 cm /I Do Q\nendstream".to_vec(),
        [picture.as_bytes(), &jpeg, b"\nendstream"].concat(),
    ];
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut offsets = String::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        let begin = format!("{} 0 obj\n", number + 1);
        pdf.extend([begin.as_bytes(), object, b"\nendobj\n"].concat());
    }
    let end = format!(
        "xref\n0 6\n0000000000 65535 f \n{offsets}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
        pdf.len()
    );
    pdf.extend(end.into_bytes());
    pdf
}

/// Reads the file, and, told that its pages are pictures, has the first looked at.
fn reader(request: &RecordedRequest) -> Reply {
    if request.model() == "sees-1" {
        let content = &request.messages()[0]["content"];
        let asked = content.to_string();
        assert!(
            asked.contains("a page of a document") && asked.contains("image/jpeg"),
            "{asked}"
        );
        return Reply::text("RENT 500 for May");
    }
    let call = |name: &str, args: Value| json!({"type": "tool_call", "name": name, "args": args});
    let payload: Value = serde_json::from_str(request.text(1)).unwrap();
    let file = payload["files"][0]["id"].clone();
    let entries = (request.messages().iter().skip(2)).filter(|message| message["role"] == "user");
    let results: Vec<Value> = entries
        .filter_map(|message| {
            serde_json::from_str::<Value>(message["content"].as_str()?)
                .ok()?
                .get("tool_result")
                .cloned()
        })
        .collect();
    Reply::json(&match results.as_slice() {
        [] => call("files.read", json!({"id": file})),
        [told] => {
            let why = told["error"].as_str().unwrap_or_default();
            assert!(
                why.contains("its pages are pictures; image.describe with `page`"),
                "{told}"
            );
            call("image.describe", json!({"file_id": file, "page": 1}))
        }
        [.., seen] => {
            let said = seen["result"]["description"].as_str().or(seen["error"].as_str());
            json!({"type": "finish", "output": said.unwrap()})
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scanned_page_is_read_by_a_model_that_sees_and_paid_for_as_any_image() {
    let mut bot = Setup::on(Site::Telegram)
        .set("memory.enabled", false)
        .set("engine.planning_gate", "off")
        .set("llm.roles.vision.model", "sees-1")
        .start()
        .await;
    bot.model.respond_with(reader);
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    bot.telegram
        .user_sends_file(chat, 7, "what is the rent", "scan.pdf", &scan());
    assert_eq!(bot.answers(Room::Telegram(chat), 1).await, ["RENT 500 for May"]);
    bot.finish().await;
    let mut conn = bot.look().await.db.read().await.unwrap();
    let by_model = usage::grouped(&mut conn, Grouping::Model, Filter::default(), &TimeZone::UTC, 9).await;
    let seen = by_model
        .unwrap()
        .into_iter()
        .filter(|group| group.key.as_deref() == Some("fake/sees-1"));
    assert_eq!(seen.map(|group| group.calls).collect::<Vec<_>>(), [1]);
    // Its content is data from outside.
    assert_eq!(
        bot.look().await.number("SELECT COUNT(*) FROM runs WHERE tainted").await,
        1
    );
}
