//! Several people of a shared place ask at once: so many are answered at the same time, and the others in turn.

use std::collections::BTreeMap;

use clifford_core::runs::RunStatus;
use clifford_fakes::telegram::Chat;
use serde_json::json;

use super::{ended, stored};
use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

const TEAM: i64 = -1_001_234;
const MARK: &str = " [this is being answered already]";

/// A shared place with people.
struct Place {
    group: Option<Chat>,
    channel: u64,
    people: Vec<u64>,
}

impl Place {
    fn new(bot: &Bot, site: Site, count: u64) -> Self {
        let names = (1..=count).map(|n| (n, format!("P{n}")));
        match site {
            Site::Telegram => {
                let people = names.map(|(n, name)| {
                    bot.telegram.user(i64::try_from(n).unwrap(), &name);
                    n
                });
                let people = people.collect();
                Self {
                    group: Some(bot.telegram.supergroup(TEAM, "Team")),
                    channel: 0,
                    people,
                }
            }
            Site::Discord => {
                let people = names.map(|(_, name)| bot.discord.user(&name)).collect();
                Self {
                    group: None,
                    channel: bot.discord.channel(bot.discord.guild("Team"), "general"),
                    people,
                }
            }
        }
    }

    /// Somebody asks, and it is stored before anybody else does. Returns the question's id.
    async fn asks(&self, bot: &Bot, person: usize, question: &str, nth: usize) -> i64 {
        let (who, text) = (self.people[person - 1], format!("Clifford {question}"));
        let id = match self.group {
            Some(group) => bot.telegram.user_says(group, i64::try_from(who).unwrap(), &text),
            None => i64::try_from(bot.discord.user_says(self.channel, who, &text)).unwrap(),
        };
        stored(bot, nth).await;
        id
    }

    /// The message that each answer is a reply to, by its text.
    fn replies(&self, bot: &Bot) -> BTreeMap<String, Option<i64>> {
        let id = |id: u64| i64::try_from(id).unwrap();
        match self.group {
            Some(group) => {
                let sent = bot.telegram.sent(group).into_iter();
                sent.map(|sent| (sent.text, sent.reply_to)).collect()
            }
            None => {
                let sent = bot.discord.sent(self.channel).into_iter();
                sent.map(|sent| (sent.content, sent.reply_to.map(id))).collect()
            }
        }
    }

    /// The answers, once there are so many, in no order.
    async fn answers(&self, bot: &Bot, count: usize) -> Vec<String> {
        let mut texts: Vec<_> = match self.group {
            Some(group) => {
                let sent = bot.telegram.wait_for_sent(group, count).await;
                sent.into_iter().map(|sent| sent.text).collect()
            }
            None => {
                let sent = bot.discord.wait_for_sent(self.channel, count).await;
                sent.into_iter().map(|sent| sent.content).collect()
            }
        };
        texts.sort();
        texts
    }
}

fn everywhere() -> impl Iterator<Item = (Site, Setup)> {
    let setups = |site| [Some(Setup::on(site)), Setup::on(site).postgres()];
    Site::BOTH
        .into_iter()
        .flat_map(move |site| setups(site).into_iter().flatten().map(move |setup| (site, setup)))
}

fn answer(person: usize, question: &str) -> String {
    format!("You said: [P{person}] Clifford {question}")
}

#[tokio::test]
async fn as_many_people_as_is_set_are_answered_at_the_same_time_each_seeing_what_was_said_before() {
    for (site, setup) in everywhere() {
        let mut bot = setup.start().await;
        let place = Place::new(&bot, site, 5);
        let hold = bot.model.hold();
        let mut asked_by = BTreeMap::new();
        for person in 1..=5 {
            let question = format!("question {person}");
            let id = place.asks(&bot, person, &question, person).await;
            asked_by.insert(answer(person, &question), Some(id));
            bot.model.wait_for_requests(person.min(3)).await;
        }
        // The fourth and the fifth wait.
        let asked = scripted_model::inputs(&bot.model.requests());
        assert_eq!(
            asked,
            (1..=3)
                .map(|n| format!("[P{n}] Clifford question {n}"))
                .collect::<Vec<_>>()
        );
        let third = bot.model.requests().pop().unwrap();
        let before = [1, 2].map(|n| format!("[P{n}] Clifford question {n}{MARK}"));
        assert_eq!(Prompt::read(&third).conversation(), before, "{site:?}");
        hold.release();
        let answers = place.answers(&bot, 5).await;
        ended(&bot, 5).await;
        bot.finish().await;
        assert_eq!(
            answers,
            (1..=5).map(|n| answer(n, &format!("question {n}"))).collect::<Vec<_>>()
        );
        assert_eq!(place.replies(&bot), asked_by, "{site:?}");
        let runs = bot.look().await.runs().await;
        assert!(
            runs.iter().all(|run| run.status == RunStatus::Completed),
            "{site:?}: {runs:#?}"
        );
        // Nothing is being answered any more.
        assert!(!scripted_model::inputs(&bot.model.requests()).concat().contains(MARK));
    }
}

#[tokio::test]
async fn nobody_is_answered_twice_at_the_same_time() {
    for (site, setup) in everywhere() {
        let mut bot = setup.start().await;
        let place = Place::new(&bot, site, 2);
        let hold = bot.model.hold();
        place.asks(&bot, 1, "one", 1).await;
        bot.model.wait_for_requests(1).await;
        place.asks(&bot, 1, "two", 2).await;
        place.asks(&bot, 2, "three", 3).await;
        bot.model.wait_for_requests(2).await;
        let asked = scripted_model::inputs(&bot.model.requests());
        assert_eq!(asked, ["[P1] Clifford one", "[P2] Clifford three"], "{site:?}");
        hold.release();
        let answers = place.answers(&bot, 3).await;
        bot.finish().await;
        assert_eq!(answers, [answer(1, "one"), answer(1, "two"), answer(2, "three")]);
    }
}

#[tokio::test]
async fn all_who_were_being_answered_when_the_process_was_killed_are_answered_once() {
    for (site, setup) in everywhere() {
        let mut bot = setup.start().await;
        let place = Place::new(&bot, site, 4);
        let hold = bot.model.hold();
        for person in 1..=4 {
            place.asks(&bot, person, "hello", person).await;
            bot.model.wait_for_requests(person.min(3)).await;
        }
        bot.kill().await;
        hold.release();
        bot.start().await;
        let answers = place.answers(&bot, 4).await;
        ended(&bot, 4).await;
        bot.finish().await;
        assert_eq!(
            answers,
            (1..=4).map(|n| answer(n, "hello")).collect::<Vec<_>>(),
            "{site:?}"
        );
        assert_eq!(place.answers(&bot, 4).await.len(), 4);
    }
}

#[tokio::test]
async fn who_says_stop_stops_what_is_done_for_them_and_a_manager_all_of_it() {
    let mut bot = Setup::on(Site::Telegram)
        .set("ingress.shared_parallel", 2)
        .start()
        .await;
    let place = Place::new(&bot, Site::Telegram, 4);
    let group = place.group.unwrap();
    bot.telegram.standing(group, 4, json!({"status": "administrator"}));
    let hold = bot.model.hold();
    place.asks(&bot, 1, "one", 1).await;
    bot.model.wait_for_requests(1).await;
    place.asks(&bot, 2, "two", 2).await;
    bot.model.wait_for_requests(2).await;
    place.asks(&bot, 3, "three", 3).await;
    bot.telegram.command(group, 1, "stop", "");
    assert_eq!(place.answers(&bot, 1).await, ["Stopped."]);
    // The third has the place of the first.
    bot.model.wait_for_requests(3).await;
    let stopped = async || {
        let runs = bot.look().await.runs().await;
        let stopped = runs.iter().map(|run| run.status == RunStatus::Cancelled);
        stopped.collect::<Vec<_>>()
    };
    assert_eq!(stopped().await, [true, false, false]);
    // Nothing is done for the first any more.
    bot.telegram.command(group, 1, "stop", "");
    assert_eq!(place.answers(&bot, 2).await[1], "There is nothing to stop.");
    bot.telegram.command(group, 4, "stop", "");
    place.answers(&bot, 3).await;
    assert_eq!(stopped().await, [true; 3]);
    hold.release();
    bot.finish().await;
}
