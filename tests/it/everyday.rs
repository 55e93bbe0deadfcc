//! Requests of every day in a shared place: done without a question although others speak there, and told with
//! the addresses that the model knows.

use clifford_core::runs::RunStatus;
use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::Chat,
};
use serde_json::json;

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

const ADDRESS: &str = "https://docs.rs/tokio/latest/tokio/?search=spawn&go=1";

/// Calls the tool that is asked for once, then says so.
fn reply(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let is_done = request.messages().iter().any(|message| message["role"] == "assistant");
    let input = Prompt::read(request).input().to_owned();
    let call = |name: &str, args: serde_json::Value| json!({"type": "tool_call", "name": name, "args": args});
    Reply::json(&match input.as_str() {
        _ if is_done => json!({"type": "finish", "output": "Done."}),
        "[Ada] remind me in 10 minutes to stretch" => {
            call("reminders.set", json!({"when": "in 10 minutes", "text": "stretch"}))
        }
        "[Ada] remember that I drink oolong" => call(
            "memory.put",
            json!({"module": "preferences", "key": "drink", "value": "oolong"}),
        ),
        "[Ada] where is spawn explained?" => {
            json!({"type": "finish", "output": format!("In [its pages]({ADDRESS}).")})
        }
        _ => json!({"type": "finish", "output": "Hello."}),
    })
}

/// A shared place in which Ada and Bob talk.
struct Shared {
    site: Site,
    group: Chat,
    channel: u64,
    people: [u64; 2],
}

const ADA: usize = 0;
const BOB: usize = 1;

impl Shared {
    fn on(site: Site, bot: &Bot) -> Self {
        let names = ["Ada", "Bob"];
        Self {
            site,
            group: bot.telegram.supergroup(-1_001_234, "Team"),
            channel: bot.discord.channel(bot.discord.guild("Team"), "general"),
            people: match site {
                Site::Telegram => [7_u8, 8].map(|id| {
                    bot.telegram.user(i64::from(id), names[usize::from(id - 7)]);
                    u64::from(id)
                }),
                Site::Discord => names.map(|name| bot.discord.user(name)),
            },
        }
    }

    /// Somebody speaks to the bot.
    fn says(&self, bot: &Bot, person: usize, text: &str) {
        let who = self.people[person];
        match self.site {
            Site::Telegram => {
                let text = format!("@clifford_bot {text}");
                bot.telegram.user_says(self.group, i64::try_from(who).unwrap(), &text);
            }
            Site::Discord => {
                let text = format!("<@{}> {text}", bot.discord.bot());
                bot.discord.user_says(self.channel, who, &text);
            }
        }
    }

    /// All that the bot has said, once that is so much. Links are told by their words on Telegram, and by both on
    /// Discord.
    async fn heard(&self, bot: &Bot, count: usize) -> Vec<String> {
        match self.site {
            Site::Telegram => {
                let sent = bot.telegram.wait_for_sent(self.group, count).await.into_iter();
                sent.map(|sent| format!("{} {:?}", sent.text, sent.entities)).collect()
            }
            Site::Discord => {
                let sent = bot.discord.wait_for_sent(self.channel, count).await.into_iter();
                sent.map(|sent| sent.content).collect()
            }
        }
    }
}

#[tokio::test]
async fn in_a_shared_place_nobody_is_asked_about_their_own_wishes_and_addresses_stay() {
    let setup = |site| Setup::on(site).set("engine.planning_gate", "off");
    let setups = [
        Some((Site::Telegram, setup(Site::Telegram))),
        Some((Site::Discord, setup(Site::Discord))),
        setup(Site::Discord).postgres().map(|setup| (Site::Discord, setup)),
    ];
    for (site, setup) in setups.into_iter().flatten() {
        let mut bot = setup.start().await;
        bot.model.respond_with(reply);
        let place = Shared::on(site, &bot);
        let wishes = [
            // Somebody else spoke before: what stands in the conversation is a stranger's word.
            (BOB, "hello, I am new here", "Hello."),
            (ADA, "remind me in 10 minutes to stretch", "Done."),
            (ADA, "remember that I drink oolong", "Done."),
            (ADA, "where is spawn explained?", ADDRESS),
        ];
        for (told, (person, text, answer)) in (1..).zip(wishes) {
            place.says(&bot, person, text);
            let answers = place.heard(&bot, told).await;
            assert!(answers[told - 1].contains(answer), "{site:?} {text}: {answers:?}");
        }
        let look = bot.look().await;
        let runs = look.runs().await;
        assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:?}");
        assert_eq!(look.count("triggers").await, 1);
        let known = "SELECT value FROM memory_items WHERE key = 'drink'";
        assert_eq!(look.texts(known).await, ["oolong"]);
        bot.finish().await;
        assert_eq!(place.heard(&bot, wishes.len()).await.len(), wishes.len());
    }
}
