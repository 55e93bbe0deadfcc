//! What people of a shared place ask for every day: done without a question although others speak there, and told with
//! the addresses that the model knows.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use crate::{
    harness::{Room, Setup, Site},
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

#[tokio::test]
async fn in_a_server_nobody_is_asked_about_their_own_wishes_and_addresses_stay() {
    let setup = || Setup::on(Site::Discord).set("engine.planning_gate", "off");
    for setup in [Some(setup()), setup().postgres()].into_iter().flatten() {
        let mut bot = setup.start().await;
        bot.model.respond_with(reply);
        let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
        let in_it = |name: &str| Room::Discord {
            channel,
            user: bot.discord.user(name),
        };
        let (ada, bob) = (in_it("Ada"), in_it("Bob"));
        let mut told = 0;
        for (room, text, answer) in [
            // Somebody else spoke before: what stands in the conversation is a stranger's word.
            (bob, "hello, I am new here", "Hello."),
            (ada, "remind me in 10 minutes to stretch", "Done."),
            (ada, "remember that I drink oolong", "Done."),
            (ada, "where is spawn explained?", ADDRESS),
        ] {
            bot.says(room, &format!("<@{}> {text}", bot.discord.bot()));
            told += 1;
            let answers = bot.answers(room, told).await;
            assert!(answers[told - 1].contains(answer), "{text}: {answers:?}");
        }
        let look = bot.look().await;
        let runs = look.runs().await;
        assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:?}");
        assert_eq!(look.count("triggers").await, 1);
        let known = "SELECT value FROM memory_items WHERE key = 'drink'";
        assert_eq!(look.texts(known).await, ["oolong"]);
        bot.finish().await;
        assert_eq!(bot.texts(ada).len(), told);
    }
}
