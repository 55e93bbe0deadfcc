//! A message that could not be delivered: the model is told of it in the next prompt.

use clifford_core::messages::MessageStatus;
use clifford_fakes::telegram::Fault;

use crate::{
    harness::{Setup, Site},
    scripted_model::Prompt,
};

#[tokio::test]
async fn the_next_prompt_tells_of_an_answer_that_could_not_be_delivered() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    bot.telegram
        .fail_chat(ada, Some(Fault::Refuse(400, "Bad Request: not now".to_owned())));
    bot.telegram.user_says(ada, 7, "hello");
    bot.until("the answer to be given up", async |look| {
        let failed = format!(
            "SELECT COUNT(*) FROM messages WHERE run_id IS NOT NULL AND direction = 'outbound' AND status = '{}'",
            MessageStatus::Failed
        );
        (look.number(&failed).await == 1 && look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.telegram.fail_chat(ada, None);
    bot.telegram.user_says(ada, 7, "are you there?");
    let sent = bot.telegram.wait_for_sent(ada, 1).await;
    assert_eq!(sent[0].text, "You said: are you there?");
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        [
            "hello",
            "[not delivered, or not whole: Bad Request: not now] You said: hello"
        ]
    );
}
