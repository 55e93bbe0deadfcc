//! Two servers on one machine and one browser: cookies know no port, yet each server keeps its own session. Processes of
//! one server share theirs. A session of a version before names had ports goes on.

use std::collections::BTreeMap;

use super::{Browser, link, live, token};
use crate::api::bot::{Answer, Bot};

/// The cookies that a browser keeps for a machine, by their names.
#[derive(Default)]
struct Jar(BTreeMap<String, String>);

impl Jar {
    fn browser<'a>(&self, bot: &'a Bot) -> Browser<'a> {
        let pairs: Vec<_> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Browser {
            bot,
            cookie: pairs.join("; "),
        }
    }

    /// Keeps and forgets what an answer says.
    fn take(&mut self, answer: &Answer) {
        for line in answer.headers.get_all("set-cookie") {
            let line = line.to_str().unwrap();
            let (pair, rest) = line.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if rest.contains("Max-Age=0") {
                self.0.remove(name);
            } else {
                self.0.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    async fn log_in(&mut self, bot: &Bot) {
        let link = link(bot, None).await;
        let page = format!("/login?link={link}");
        let entered = self.browser(bot).submit(&page, "/login", &[("link", &link)]).await;
        assert_eq!(entered.status, 303, "{}", entered.text);
        self.take(&entered);
    }

    async fn log_out(&mut self, bot: &Bot) {
        let left = self.browser(bot).submit("/", "/logout", &[]).await;
        assert_eq!((left.status, left.header("location")), (303, "/login"), "{}", left.text);
        self.take(&left);
    }

    async fn is_in(&self, bot: &Bot) -> bool {
        let home = self.browser(bot).get("/").await;
        assert!(
            home.status == 200 || home.header("location").starts_with("/login"),
            "{}",
            home.text
        );
        home.status == 200
    }

    /// The cookie of a server, under the name that it had before names had ports.
    fn as_before(&mut self, bot: &Bot) {
        let secret = self.0.remove(&ported(bot)).unwrap();
        self.0.insert("clifford_session".to_owned(), secret);
    }
}

fn ported(bot: &Bot) -> String {
    format!("clifford_session_{}", bot.address.port())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_at_one_server_of_a_machine_leaves_the_session_at_another() {
    let (one, other) = (Bot::start().await, Bot::start().await);
    let mut jar = Jar::default();
    jar.log_in(&one).await;
    jar.log_in(&other).await;
    assert_eq!((jar.is_in(&one).await, jar.is_in(&other).await), (true, true));
    jar.browser(&one).says("Hello there", "completed").await;
    jar.browser(&other).says("Hello here", "completed").await;
    jar.log_out(&other).await;
    assert_eq!((jar.is_in(&one).await, jar.is_in(&other).await), (true, false));
    assert_eq!(jar.0.keys().collect::<Vec<_>>(), [&ported(&one)]);
    one.app.shutdown().await;
    other.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_at_one_process_of_a_server_is_one_at_each() {
    let foreign = Bot::start().await;
    for (one, other) in live::bots().await {
        let Some(other) = other else { continue };
        let mut jar = Jar::default();
        jar.log_in(&foreign).await;
        jar.log_in(&one).await;
        assert!(jar.is_in(&other).await);
        jar.browser(&other).says("Hello there", "completed").await;
        jar.log_in(&other).await;
        assert_eq!(jar.0.len(), 3, "{:?}", jar.0);
        jar.log_out(&other).await;
        assert_eq!(jar.0.keys().collect::<Vec<_>>(), [&ported(&foreign)]);
        let everywhere = (
            jar.is_in(&one).await,
            jar.is_in(&other).await,
            jar.is_in(&foreign).await,
        );
        assert_eq!(everywhere, (false, false, true));
        one.app.shutdown().await;
        other.app.shutdown().await;
    }
    foreign.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_to_names_with_ports_logs_nobody_out() {
    let (one, other) = (Bot::start().await, Bot::start().await);
    let mut jar = Jar::default();
    jar.log_in(&one).await;
    // A page that was open before the update is sent after it.
    let shown = jar.browser(&one).page("/chat").await;
    jar.as_before(&one);
    let fields = [("content", "Hello"), ("token", token(&shown))];
    let origin = format!("http://{}", one.address);
    let sent = jar.browser(&one).send("/chat", &origin, &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    jar.log_in(&other).await;
    assert_eq!((jar.is_in(&one).await, jar.is_in(&other).await), (true, true));
    // The other server has a session of its own: what is under the old name is left alone.
    jar.log_out(&other).await;
    assert_eq!((jar.is_in(&one).await, jar.is_in(&other).await), (true, false));
    jar.log_out(&one).await;
    assert!(jar.0.is_empty(), "{:?}", jar.0);
    assert!(!jar.is_in(&one).await);
    one.app.shutdown().await;
    other.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_logs_out_is_not_let_in_by_a_cookie_of_the_version_before() {
    let bot = Bot::start().await;
    let mut jar = Jar::default();
    jar.log_in(&bot).await;
    jar.as_before(&bot);
    jar.log_in(&bot).await;
    let before = jar.0.clone();
    assert_eq!(before.len(), 2, "{before:?}");
    jar.log_out(&bot).await;
    assert!(jar.0.is_empty(), "{:?}", jar.0);
    assert!(!Jar(before).is_in(&bot).await, "both sessions are over");
    bot.app.shutdown().await;
}
