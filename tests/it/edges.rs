//! A platform that asks for an hour of patience in one chat.

use clifford_fakes::telegram::{Fault, Method};

use crate::harness::{Setup, Site};

#[tokio::test]
async fn an_hour_of_patience_for_one_chat_keeps_no_other_waiting_and_survives_a_restart() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let [ada, ben] = [(7, "Ada"), (8, "Ben")].map(|(id, name)| bot.telegram.user(id, name));
    bot.telegram.fail_next(Method::SendMessage, Fault::TooMany(3_600));
    bot.telegram.user_says(ada, 7, "hello");
    bot.until("the refusal", async |look| {
        (look.undelivered().await == 1).then_some(())
    })
    .await;
    bot.model.wait_for_requests(1).await;
    bot.until("that Telegram was asked", async |_| {
        let requests = bot.telegram.requests();
        requests
            .iter()
            .any(|request| request.method == Method::SendMessage)
            .then_some(())
    })
    .await;
    bot.telegram.user_says(ben, 8, "and I");
    assert_eq!(bot.telegram.wait_for_sent(ben, 1).await[0].text, "You said: and I");
    assert!(bot.telegram.sent(ada).is_empty());
    bot.stop().await;
    bot.start().await;
    assert_eq!(bot.telegram.wait_for_sent(ada, 1).await[0].text, "You said: hello");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(ada).len(), 1);
}
