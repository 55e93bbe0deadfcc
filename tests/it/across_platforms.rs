//! A person plans a trip on Telegram, goes on with it on Discord, and is known on both; a server is told none of it.

use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::harness::{Bot, Setup, Site};

/// Answers by repeating, and remembers what the story needs.
fn model(request: &RecordedRequest) -> Reply {
    let purpose = request.body["response_format"]["json_schema"]["name"].as_str();
    let text = request.body["messages"].to_string();
    match purpose {
        Some("memory_operations") => {
            let facts = [
                ("My name is Ada", "identity", "name", "Ada", 0),
                ("window seats", "preferences", "seat", "likes window seats", 2),
                ("Rome in May", "projects", "trip", "plans a trip to Rome in May", 3),
            ];
            let operations: Vec<Value> = facts
                .into_iter()
                .filter(|(said, ..)| text.contains(said))
                .map(|(_, module, key, value, level)| {
                    json!({"op": "add", "module": module, "key": key, "value": value, "level": level,
                        "confidence": 0.9, "id": null})
                })
                .collect();
            Reply::json(&json!({ "operations": operations }))
        }
        Some("summary") => Reply::json(&json!({"summary": "A trip to Rome in May is planned."})),
        _ => {
            let payload = payload(request);
            let answer = format!("You said: {}", payload["input"].as_str().unwrap_or_default());
            Reply::json(&json!({"type": "send_message", "message": answer}))
        }
    }
}

fn payload(request: &RecordedRequest) -> Value {
    serde_json::from_str(request.text(1)).unwrap_or_default()
}

/// The prompt of the run that was asked this.
fn prompt_of(bot: &Bot, input: &str) -> Value {
    let requests = bot.model.requests();
    let mut prompts = requests.iter().map(|request| payload(request));
    prompts
        .rfind(|payload| payload["input"].as_str().is_some_and(|asked| asked.ends_with(input)))
        .unwrap_or_else(|| panic!("nobody asked {input:?}"))
}

fn conversation(prompt: &Value) -> Vec<&str> {
    let turns = prompt["conversation"].as_array().unwrap();
    turns.iter().map(|turn| turn["content"].as_str().unwrap()).collect()
}

fn memories(prompt: &Value) -> Vec<String> {
    let items = prompt["memories"].as_array().unwrap();
    let line = |item: &Value| {
        let field = |name: &str| item[name].as_str().unwrap().to_owned();
        format!("{}.{}: {}", field("module"), field("key"), field("value"))
    };
    items.iter().map(line).collect()
}

#[tokio::test]
async fn a_trip_is_planned_on_telegram_and_goes_on_on_discord_and_no_server_hears_of_it() {
    let mut bot = Setup::on(Site::Telegram).and(Site::Discord).start().await;
    bot.model.respond_with(model);
    let chat = bot.telegram.user(7, "Ada");
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let slash = async |name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(dm, ada, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    };

    // On Telegram.
    bot.telegram
        .user_says(chat, 7, "My name is Ada, and I plan a trip to Rome in May");
    bot.telegram.wait_for_sent(chat, 1).await;
    bot.telegram.user_says(chat, 7, "I like window seats");
    bot.telegram.wait_for_sent(chat, 2).await;

    // Linked.
    bot.telegram.command(chat, 7, "link", "");
    let told = bot.telegram.wait_for_sent(chat, 3).await.pop().unwrap().text;
    let code = told
        .split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| word.len() == 8 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()))
        .unwrap_or_else(|| panic!("no code in {told:?}"));
    let asked = slash("link", &[("code", code)]).await;
    let (_, yes) = asked.split_once(" yes ").expect("a question");
    let yes: String = yes.chars().take_while(char::is_ascii_alphanumeric).collect();
    let linked = slash("link", &[("code", &format!("yes {yes}"))]).await;
    assert!(linked.contains("Ada"), "{linked}");

    // Going on with it on Discord, where the answers come.
    let listed = slash("continue", &[]).await;
    assert!(listed.contains("Telegram") || listed.contains("telegram"), "{listed}");
    slash("continue", &[("conversation", "1")]).await;
    bot.discord.user_says(dm, ada, "Where did we stop?");
    let answer = bot.discord.wait_for_sent(dm, 1).await.remove(0).content;
    assert_eq!(answer, "You said: Where did we stop?");
    assert_eq!(
        conversation(&prompt_of(&bot, "Where did we stop?")),
        [
            "My name is Ada, and I plan a trip to Rome in May",
            "You said: My name is Ada, and I plan a trip to Rome in May",
            "I like window seats",
            "You said: I like window seats",
        ]
    );

    // And on Telegram again, in the same conversation.
    bot.telegram.user_says(chat, 7, "One more thing");
    let sent = bot.telegram.wait_for_sent(chat, 4).await.pop().unwrap();
    assert_eq!(sent.text, "You said: One more thing");
    let prompt = prompt_of(&bot, "One more thing");
    assert_eq!(
        conversation(&prompt)[4..],
        ["Where did we stop?", "You said: Where did we stop?"]
    );

    // Memory outlives the conversation.
    bot.telegram.command(chat, 7, "new", "");
    bot.telegram.wait_for_sent(chat, 5).await;
    bot.until("three items", async |look| {
        (look.count("memory_items WHERE NOT archived").await == 3).then_some(())
    })
    .await;
    bot.telegram.user_says(chat, 7, "Hello again");
    bot.telegram.wait_for_sent(chat, 6).await;
    let prompt = prompt_of(&bot, "Hello again");
    assert_eq!(conversation(&prompt), Vec::<&str>::new());
    let known = [
        "identity.name: Ada",
        "preferences.seat: likes window seats",
        "projects.trip: plans a trip to Rome in May",
    ];
    assert_eq!(memories(&prompt), known);
    bot.discord.user_says(dm, ada, "And here?");
    bot.discord.wait_for_sent(dm, 2).await;
    assert_eq!(memories(&prompt_of(&bot, "And here?")), known);

    // In public, none of it.
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let mention = format!("<@{}> what do you know of me?", bot.discord.bot());
    bot.discord.user_says(channel, ada, &mention);
    bot.discord.wait_for_sent(channel, 1).await;
    let prompt = prompt_of(&bot, "what do you know of me?");
    assert_eq!(memories(&prompt), Vec::<String>::new());
    assert_eq!(prompt["cross_channel"], json!([]));
    let whole = prompt.to_string();
    for private in ["Rome", "window", "Where did we stop"] {
        assert!(!whole.contains(private), "{whole}");
    }
    bot.finish().await;
}
