//! The setting for messages that arrive meanwhile holds for callers of the API as it does in chats.

use clifford_core::runs::RunStatus;
use serde_json::json;

use super::{ended, stored};
use crate::{
    api_watch::{Watch, watched},
    harness::{Setup, Site},
};

#[tokio::test]
async fn a_caller_of_the_api_waits_or_steers_or_interrupts_as_is_set() {
    type End<'a> = (RunStatus, Option<&'a str>);
    let done = |output| (RunStatus::Completed, Some(output));
    let cases: [(&str, Vec<End<'_>>); 3] = [
        (
            "follow_up",
            vec![done("two tools: 42 and 43"), done("You said: and tea")],
        ),
        ("steer", vec![done("two tools: 42 and 43; and tea")]),
        (
            "interrupt",
            vec![(RunStatus::Cancelled, None), done("You said: and tea")],
        ),
    ];
    for (when_busy, expected) in cases {
        let mut bot = watched(Setup::on(Site::Telegram))
            .set("ingress.when_busy", when_busy)
            .start()
            .await;
        let watch = Watch::on(&bot);
        let hold = bot.model.hold();
        let says = async |text: &str| {
            let (status, told) = watch.post("/api/messages", json!({"content": text}).to_string()).await;
            assert!(matches!(status, 200..300), "{when_busy}: {status} {told}");
        };
        says("two tools").await;
        bot.model.wait_for_requests(1).await;
        says("and tea").await;
        stored(&bot, 2).await;
        hold.release();
        ended(&bot, expected.len()).await;
        bot.finish().await;
        let runs = bot.look().await.runs().await;
        let ends: Vec<End<'_>> = runs
            .iter()
            .map(|run| (run.status, run.output_text.as_deref()))
            .collect();
        assert_eq!(ends, expected, "{when_busy}");
    }
}
