//! Files: made and sent, sent and read; once, whatever happens, and honestly where it cannot be done.

mod large;
mod office;

use std::sync::Arc;

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::Document,
};
use serde_json::{Value, json};

use crate::harness::{Bot, Room, Setup, Site};

/// The content of a prompt: the question, the files that came with it, and the results of tools.
struct Prompt {
    payload: Value,
    results: Vec<Value>,
    notes: Vec<Value>,
}

impl Prompt {
    fn read(request: &RecordedRequest) -> Self {
        let entries: Vec<Value> = (request.messages().iter().skip(2))
            .filter(|message| message["role"] == "user")
            .map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap())
            .collect();
        let named = |name: &str| entries.iter().filter_map(|entry| entry.get(name)).cloned().collect();
        Self {
            payload: serde_json::from_str(request.text(1)).unwrap(),
            results: named("tool_result"),
            notes: named("system_note"),
        }
    }
}

fn call(name: &str, args: Value) -> Value {
    json!({"type": "tool_call", "name": name, "args": args, "notes": [
        {"category": "requirements", "content": "what is asked"},
        {"category": "plan", "content": "one step after the other"},
    ]})
}

/// Makes a file and sends it.
fn maker(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    Reply::json(&match prompt.results.first() {
        None => call(
            "files.create",
            json!({"name": "../list.md", "content": "- milk\n- bread"}),
        ),
        Some(made) => json!({"type": "finish", "output": "Here is your list.", "file_ids": [made["result"]["id"]]}),
    })
}

/// Reads the file that came along, and says what is in it, or why it cannot be read.
fn reader(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    Reply::json(&match prompt.results.first() {
        None => call("files.read", json!({"id": prompt.payload["files"][0]["id"]})),
        Some(read) => {
            let said = read["result"]["text"].as_str().or(read["error"].as_str()).unwrap();
            json!({"type": "finish", "output": format!("It says: {said}")})
        }
    })
}

/// The files that were sent to a room: names and contents.
fn sent_files(bot: &Bot, room: Room) -> Vec<(String, Vec<u8>)> {
    match room {
        Room::Telegram(chat) => (bot.telegram.sent(chat).into_iter())
            .filter_map(|sent| sent.document)
            .map(|Document { name, content }| (name, content))
            .collect(),
        Room::Discord { channel, .. } => (bot.discord.sent(channel).into_iter())
            .flat_map(|sent| sent.files)
            .map(|file| (file.name, file.content.into_bytes()))
            .collect(),
    }
}

fn sends(bot: &Bot, room: Room, text: &str, name: &str, content: &[u8]) {
    match room {
        Room::Telegram(chat) => drop(bot.telegram.user_sends_file(chat, chat.id, text, name, content)),
        Room::Discord { channel, user } => drop(bot.discord.user_sends_file(channel, user, text, name, content)),
    }
}

async fn all_is_said(bot: &Bot) {
    bot.until("the end and its delivery", async |look| {
        let runs = look.runs().await;
        let ended = !runs.is_empty() && runs.iter().all(|run| run.status.is_ended());
        (ended && look.undelivered().await == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_made_and_delivered_once_though_its_process_dies_on_the_way() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).prepare().await;
        bot.model.respond_with(maker);
        let room = bot.room(site, 7, "Ada");
        bot.start_crashing("tool_called").await;
        bot.says(room, "make me a list");
        bot.crashed().await;
        bot.spawn(Some("message_recorded"));
        bot.crashed().await;
        bot.spawn(Some("between_parts"));
        bot.crashed().await;
        bot.spawn(None);
        all_is_said(&bot).await;
        bot.finish().await;
        let texts: Vec<_> = bot.texts(room).into_iter().filter(|text| !text.is_empty()).collect();
        assert_eq!(texts, ["Here is your list."], "{site:?}");
        assert_eq!(
            sent_files(&bot, room),
            [("list.md".to_owned(), b"- milk\n- bread".to_vec())],
            "{site:?}"
        );
        let look = bot.look().await;
        assert_eq!(look.count("files").await, 1, "{site:?}: one call, one file");
        assert_eq!(look.count("loose_files").await, 0, "{site:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_somebody_sends_is_read_and_answered() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        bot.model.respond_with(reader);
        let room = bot.room(site, 7, "Ada");
        sends(&bot, room, "what is in it?", "notes.txt", "Zürich\n".as_bytes());
        // A later request asks for the address that is good then.
        bot.discord.expire_files();
        bot.answers(room, 1).await;
        all_is_said(&bot).await;
        assert_eq!(bot.texts(room), ["It says: Zürich"], "{site:?}");
        let request = bot.model.requests().into_iter().next().unwrap();
        let file = Prompt::read(&request).payload["files"][0].clone();
        assert_eq!(
            (&file["name"], &file["size"]),
            (&json!("notes.txt"), &json!(8)),
            "{site:?}"
        );
        // It is kept from then on, and its words are known to be somebody else's.
        bot.telegram.forget_files();
        bot.discord.forget_files();
        sends(&bot, room, "and the one before?", "other.txt", b"x");
        bot.model.respond_with(move |request| {
            let prompt = Prompt::read(request);
            let said = prompt.results.first();
            Reply::json(&match said {
                None => call("files.read", json!({"id": file["id"]})),
                Some(read) => json!({"type": "finish", "output": read["result"]["text"]}),
            })
        });
        bot.answers(room, 2).await;
        bot.finish().await;
        assert_eq!(bot.texts(room)[1].trim(), "Zürich", "{site:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_said_as_it_is() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.model.respond_with(reader);
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    let room = Room::Telegram(chat);
    bot.telegram.user_sends_large_file(chat, 7, "read it", "film.txt");
    bot.answers(room, 1).await;
    sends(&bot, room, "read it", "photo.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    bot.answers(room, 2).await;
    bot.telegram.user_sends_file(chat, 7, "read it", "gone.txt", b"gone");
    bot.telegram.forget_files();
    bot.answers(room, 3).await;
    bot.finish().await;
    let most = 20 * 1024 * 1024;
    assert_eq!(
        bot.texts(room),
        [
            format!("It says: film.txt is too large: at most {most} bytes are taken (files.max_file_bytes)"),
            "It says: photo.txt is image/png, not text: it cannot be read here".to_owned(),
            "It says: gone.txt cannot be had: Telegram does not have it any more (Bad Request: wrong file_id or the \
             file is temporarily unavailable)"
                .to_owned(),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_a_file_of_somebody_else() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.model.respond_with(maker);
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    bot.says(ada, "make me a list");
    bot.answers(ada, 2).await;
    all_is_said(&bot).await;
    let request = bot.model.requests().pop().unwrap();
    let made = Prompt::read(&request).results[0]["result"]["id"].clone();
    let file: Arc<str> = made.as_str().unwrap().into();
    let wanted = Arc::clone(&file);
    bot.model.respond_with(move |request| {
        let prompt = Prompt::read(request);
        Reply::json(&match (prompt.results.first(), prompt.notes.first()) {
            (None, _) => call("files.read", json!({"id": &*wanted})),
            (Some(_), None) => json!({"type": "finish", "output": "here", "file_ids": [&*wanted]}),
            (Some(read), Some(note)) => {
                json!({"type": "finish", "output": format!("{}\n\n{}", read["error"].as_str().unwrap(), note.as_str().unwrap())})
            }
        })
    });
    bot.says(bob, "give me Ada's list");
    bot.answers(bob, 2).await;
    bot.finish().await;
    assert_eq!(sent_files(&bot, bob), Vec::<(String, Vec<u8>)>::new());
    assert_eq!(
        bot.texts(bob),
        [
            "here".to_owned(),
            format!(
                "there is no file {file}; files.list names those there are\n\nYour words are being sent, but not all of \
                 the files: there is no file {file} to send; files.list names those there are. Send the right file with \
                 finish, file_ids and no output, or just finish. Do not repeat the words."
            )
        ]
    );
}

/// A PDF of one page that says this, whose offsets are right.
fn pdf_of(words: &str) -> Vec<u8> {
    let drawn = format!("BT /F1 24 Tf 100 100 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut pdf = String::from("%PDF-1.4\n");
    let mut offsets = String::new();
    for (number, object) in (1..).zip(&objects) {
        offsets += &format!("{:010} 00000 n \n", pdf.len());
        pdf += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let begins = pdf.len();
    pdf += &format!(
        "xref\n0 6\n0000000000 65535 f \n{offsets}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{begins}\n%%EOF\n"
    );
    pdf.into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_read_as_text_and_one_that_cannot_be_says_why() {
    for site in Site::BOTH {
        let mut bot = Setup::on(site).start().await;
        bot.model.respond_with(reader);
        let room = bot.room(site, 7, "Ada");
        sends(&bot, room, "read it", "letter.pdf", &pdf_of("Dear Ada"));
        bot.answers(room, 1).await;
        sends(&bot, room, "read it", "broken.pdf", b"%PDF-1.7 and nothing more\x00");
        bot.answers(room, 2).await;
        bot.finish().await;
        let texts = bot.texts(room);
        assert!(
            texts[0].contains("page 1") && texts[0].contains("Dear Ada"),
            "{site:?}: {texts:?}"
        );
        assert!(
            texts[1].contains("broken.pdf is damaged or protected"),
            "{site:?}: {texts:?}"
        );
    }
}
