//! Tables as rich messages of Telegram, and as lines of code where a server knows none.

use clifford_fakes::{
    openai::Reply,
    telegram::{Fault, Method, Sent},
};
use serde_json::json;

use crate::harness::{Bot, Setup, Site};

const TABLE: &str = "Moons:\n\n| Planet | Moons |\n|:-|-:|\n| **Earth** | 1 |\n| Mars | 2 |";
const BLOCKS: &str = "<p>Moons:</p><table bordered><tr><th>Planet</th><th align=\"right\">Moons</th></tr>\
                      <tr><td><b>Earth</b></td><td align=\"right\">1</td></tr>\
                      <tr><td>Mars</td><td align=\"right\">2</td></tr></table>";

fn answers(text: &str) -> Reply {
    Reply::text(json!({"type": "send_message", "message": text}).to_string())
}

/// Whether a message shows the table as lines of code.
fn is_code(sent: &Sent) -> bool {
    let pre = sent.entities.iter().filter(|entity| entity["type"] == "pre").count();
    sent.method == Method::SendMessage && pre == 1 && sent.text.contains("Earth")
}

async fn bot() -> Bot {
    Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await
}

#[tokio::test]
async fn a_table_is_one_in_a_group_and_in_private() {
    let mut bot = bot().await;
    let ada = bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.model.push(answers(TABLE));
    bot.telegram.user_says(ada, 7, "which moons?");
    let sent = bot.telegram.wait_for_sent(ada, 1).await.remove(0);
    assert_eq!((sent.method, sent.raw.as_str()), (Method::SendRichMessage, BLOCKS));
    bot.model.push(answers(TABLE));
    let question = bot.telegram.user_says(group, 7, "@clifford_bot which moons?");
    let sent = bot.telegram.wait_for_sent(group, 1).await.remove(0);
    assert_eq!((sent.method, sent.reply_to), (Method::SendRichMessage, Some(question)));
    // Without a table there is nothing that a text does not show.
    bot.model.push(answers("# Moons\n\n- one"));
    bot.telegram.user_says(ada, 7, "and in words?");
    assert_eq!(bot.telegram.wait_for_sent(ada, 2).await[1].method, Method::SendMessage);
    bot.finish().await;
}

#[tokio::test]
async fn where_telegram_takes_no_rich_message_the_table_is_lines_of_code() {
    let mut bot = bot().await;
    let ada = bot.telegram.user(7, "Ada");
    let tried = |bot: &Bot| {
        let requests = bot.telegram.requests();
        requests
            .iter()
            .filter(|request| request.method == Method::SendRichMessage)
            .count()
    };
    // This one is refused, and the next is taken.
    let refused = Fault::Refuse(400, "Bad Request: RICH_VALIDATE_CTOR_NOT_ALLOWED".to_owned());
    bot.telegram.fail_next(Method::SendRichMessage, refused);
    for (count, is_taken) in [(1, false), (2, true)] {
        bot.model.push(answers(TABLE));
        bot.telegram.user_says(ada, 7, "which moons?");
        let sent = bot.telegram.wait_for_sent(ada, count).await.remove(count - 1);
        assert_eq!(is_code(&sent), !is_taken, "{sent:?}");
    }
    // A server from before June 2026 knows none at all: it is asked once.
    bot.telegram
        .fail_next(Method::SendRichMessage, Fault::Refuse(404, "Not Found".to_owned()));
    for count in [3, 4] {
        bot.model.push(answers(TABLE));
        bot.telegram.user_says(ada, 7, "which moons?");
        assert!(is_code(&bot.telegram.wait_for_sent(ada, count).await[count - 1]));
    }
    assert_eq!(tried(&bot), 3);
    bot.finish().await;
}

#[tokio::test]
async fn whoever_wants_no_rich_messages_turns_them_off() {
    let setup = Setup::on(Site::Telegram).set("channels.telegram.rich", false);
    let mut bot = setup.set("engine.planning_gate", "off").start().await;
    let ada = bot.telegram.user(7, "Ada");
    bot.model.push(answers(TABLE));
    bot.telegram.user_says(ada, 7, "which moons?");
    assert!(is_code(&bot.telegram.wait_for_sent(ada, 1).await[0]));
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_that_grew_as_text_becomes_a_table_in_the_end() {
    let setup = Setup::on(Site::Telegram).set("channels.telegram.feedback", "draft");
    let mut bot = setup.set("engine.planning_gate", "off").start().await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let long = format!("{}\n\n{TABLE}", "Some words that come first. ".repeat(12));
    bot.model
        .push(answers(&long).pause(std::time::Duration::from_millis(200)));
    bot.telegram.user_says(group, 7, "@clifford_bot which moons?");
    bot.telegram
        .wait_until(
            "the table in the message that grew",
            |fake| match &fake.sent(group)[..] {
                [only] if only.edits > 0 && only.raw.ends_with("</table>") => Some(()),
                _ => None,
            },
        )
        .await;
    bot.finish().await;
}
