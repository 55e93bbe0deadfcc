//! `kill -9` at each crash point, twice, then a clean start: answered, once.

use std::time::{Duration, Instant};

use clifford_core::runs::{RunKind, RunStatus};
use futures::future::join_all;

use crate::{
    harness::{Setup, Site},
    scripted_model::{self, PROGRESS},
};

const POINTS: [&str; 8] = [
    "before_model_call",
    "response_recorded",
    "tool_call_recorded",
    "tool_called",
    "message_recorded",
    "part_sent",
    "between_parts",
    "child_ended",
];
/// "Within seconds": leases of three seconds run out twice, and the machine may be busy.
const SECONDS: Duration = Duration::from_secs(40);

struct Case {
    site: Site,
    point: &'static str,
    resend: bool,
}

impl Case {
    /// The paragraphs that the person reads, in the order of the parts.
    fn paragraphs(&self) -> Vec<String> {
        let mut all = vec![PROGRESS.to_owned()];
        all.extend(scripted_model::lines(self.site.name()));
        all
    }

    /// Telegram cannot tell a repeat: what was sent but not marked may come again, if its owner wants that.
    fn may_repeat(&self) -> bool {
        self.site == Site::Telegram && self.point == "part_sent" && self.resend
    }

    async fn survive(&self, setup: Setup) {
        let name = format!("{:?} {} resend={}", self.site, self.point, self.resend);
        let setup = setup.set("delivery.resend_ambiguous", self.resend);
        let mut bot = setup.prepare().await;
        let room = bot.room(self.site, 7, "Ada");
        bot.start_crashing(self.point).await;
        bot.says(room, "everything");
        bot.crashed().await;
        bot.spawn(Some(self.point));
        bot.crashed().await;
        let began = Instant::now();
        bot.spawn(None);
        bot.until("the run's end and its delivery", async |look| {
            let runs = look.runs().await;
            let ended = runs.len() == 3 && runs.iter().all(|run| run.status.is_ended());
            (ended && look.undelivered().await == 0).then_some(())
        })
        .await;
        assert!(began.elapsed() < SECONDS, "{name}: {:?}", began.elapsed());
        bot.finish().await;

        let mut parts = bot.texts(room);
        if self.may_repeat() {
            parts.dedup();
        }
        if self.point == "part_sent" && !self.resend && self.site == Site::Telegram {
            // The rest of a message whose part may have arrived is given up with it: nothing comes twice.
            let mut once = parts.clone();
            once.dedup();
            assert_eq!(parts, once, "{name}");
        } else {
            let paragraphs: Vec<_> = parts
                .iter()
                .flat_map(|part| part.split("\n\n"))
                .map(str::to_owned)
                .collect();
            assert_eq!(paragraphs, self.paragraphs(), "{name}");
        }

        let look = bot.look().await;
        let runs = look.runs().await;
        let kinds: Vec<_> = runs.iter().map(|run| (run.kind, run.status)).collect();
        let subagent = (RunKind::Subagent, RunStatus::Completed);
        assert_eq!(
            kinds,
            [(RunKind::Coordinator, RunStatus::Completed), subagent, subagent],
            "{name}"
        );
        let responses: i64 = runs.iter().map(|run| run.llm_calls).sum();
        assert_eq!(responses, 8, "{name}");
        let asked = bot.model.request_count();
        if self.point.starts_with("part") || self.point.starts_with("between") || self.point == "message_recorded" {
            // A call that was under way when its process died while it sent was not recorded.
            assert!((8..=10).contains(&asked), "{name}: {asked}");
        } else {
            assert_eq!(asked, 8, "{name}: a recorded response was asked for again");
        }
        let mut steps = look.steps(runs[0].id).await;
        if !self.resend {
            // The run is told that its message was given up.
            steps.retain(|step| step != "system_note");
        }
        assert_eq!(steps, EVERYTHING, "{name}");
        assert_eq!(look.count("memory_items").await, 1, "{name}");
    }
}

/// The coordinator's steps, as if nothing had happened.
const EVERYTHING: [&str; 28] = [
    "llm_request",
    "llm_response",
    "note",
    "note",
    "tool_call",
    "tool_result",
    "llm_request",
    "llm_response",
    "tool_call",
    "tool_result",
    "llm_request",
    "llm_response",
    "assistant_message",
    "llm_request",
    "llm_response",
    "spawn_subagents",
    "subagent_ended",
    "wake",
    "llm_request",
    "llm_response",
    "spawn_subagents",
    "subagent_ended",
    "wake",
    "llm_request",
    "llm_response",
    "note",
    "note",
    "finish",
];

async fn every_point(site: Site, setup: impl Fn() -> Option<Setup>) {
    let mut cases: Vec<_> = POINTS
        .map(|point| Case {
            site,
            point,
            resend: true,
        })
        .into();
    if site == Site::Telegram {
        // A message that was stored and not tried has not arrived.
        cases.extend(["message_recorded", "part_sent"].map(|point| Case {
            site,
            point,
            resend: false,
        }));
    }
    join_all(cases.iter().filter_map(|case| Some(case.survive(setup()?)))).await;
}

#[tokio::test]
async fn telegram_user_is_answered_once_whenever_the_process_is_killed_on_sqlite() {
    every_point(Site::Telegram, || Some(Setup::on(Site::Telegram))).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn telegram_user_is_answered_once_whenever_the_process_is_killed_on_postgresql() {
    every_point(Site::Telegram, || Setup::on(Site::Telegram).postgres()).await;
}

#[tokio::test]
async fn discord_user_is_answered_once_whenever_the_process_is_killed_on_sqlite() {
    every_point(Site::Discord, || Some(Setup::on(Site::Discord))).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn discord_user_is_answered_once_whenever_the_process_is_killed_on_postgresql() {
    every_point(Site::Discord, || Setup::on(Site::Discord).postgres()).await;
}
