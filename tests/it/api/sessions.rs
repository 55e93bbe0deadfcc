//! Sessions in a browser: a link lets in once, the cookie stands in for a token, and no other site can use it.

use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_core::{id::UserId, people::UserRole};
use clifford_store::people::{sessions, users};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};

impl Bot {
    async fn link(&self, user: Option<UserId>) -> String {
        let now = self.app.clock.now();
        let write = self
            .app
            .db
            .write(move |tx| Box::pin(sessions::create_link(tx, user, now)));
        write.await.unwrap().expose().to_owned()
    }

    async fn redeem(&self, link: &str) -> Answer {
        let request = self
            .request(Method::POST, "/api/sessions")
            .header("user-agent", "Firefox");
        self.send(request.json(&json!({ "link": link }))).await
    }

    /// Logs a person in; the cookie.
    pub async fn cookie(&self, user: Option<UserId>) -> String {
        let begun = self.redeem(&self.link(user).await).await;
        assert_eq!(begun.status, 201, "{}", begun.text);
        begun.header("set-cookie").split(';').next().unwrap().to_owned()
    }

    async fn by_cookie(&self, method: Method, path: &str, cookie: &str, body: Option<&Value>) -> Answer {
        let origin = format!("http://{}", self.address);
        let request = self
            .request(method, path)
            .header("cookie", cookie)
            .header("origin", origin);
        self.send(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    /// Somebody who is known on Telegram, by an account of the same name.
    pub async fn member(&self, name: &str, role: UserRole) -> UserId {
        let speaker = Speaker {
            id: name.to_owned(),
            name: name.to_owned(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        };
        let now = self.app.clock.now();
        let write = self.app.db.write(move |tx| {
            Box::pin(async move { users::find_or_create(tx, Platform::new("telegram"), &speaker, role, now).await })
        });
        write.await.unwrap().id
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_link_lets_its_person_in_once_with_a_cookie_that_no_script_reads() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let link = bot.link(Some(ada)).await;
    let begun = bot.redeem(&link).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    let cookie = begun.header("set-cookie").to_owned();
    assert!(
        cookie.starts_with(&format!("clifford_session_{}=clf_", bot.address.port()))
            && cookie.contains("; HttpOnly; SameSite=Strict; Max-Age=34560000")
            && !cookie.contains("Secure"),
        "{cookie}"
    );
    let session = begun.json();
    assert_eq!(
        (&session["userId"], &session["userAgent"]),
        (&json!(ada), &json!("Firefox"))
    );
    let again = bot.redeem(&link).await;
    assert_eq!((again.status, &again.json()["code"]), (422, &json!("link_unknown")));
    let cookie = cookie.split(';').next().unwrap();
    let mut me = bot.by_cookie(Method::GET, "/api/me", cookie, None).await.json();
    let today = me.as_object_mut().unwrap().remove("today").unwrap();
    assert_eq!(today.as_str().unwrap().len(), "2026-01-31".len());
    assert_eq!(
        me,
        json!({
            "role": "person", "userId": ada, "name": "Ada", "scopes": ["read", "write"], "sessionId": session["id"],
            "channelId": null, "timeZone": "UTC", "hears": false, "manages": false,
        })
    );
    let forged = bot
        .by_cookie(Method::GET, "/api/me", "clifford_session=clf_other", None)
        .await;
    assert_eq!(forged.status, 401);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_at_an_address_with_tls_gives_a_cookie_for_tls_alone() {
    let bot = Bot::with(&[("http.public_url", "https://bot.example.org")]).await;
    let link = bot.link(None).await;
    let begun = bot.redeem(&link).await;
    assert!(begun.header("set-cookie").ends_with("; Secure"), "{:?}", begun.headers);
    // The host of the address is one of this server's.
    let request = bot.request(Method::GET, "/healthz").header("host", "bot.example.org");
    assert_eq!(bot.send(request).await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_people_see_by_their_sessions_what_their_tokens_would_show_them() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let bob = bot.member("Bob", UserRole::Member).await;
    let eve = bot.member("Eve", UserRole::Owner).await;
    let (adas, bobs, eves) = (
        bot.cookie(Some(ada)).await,
        bot.cookie(Some(bob)).await,
        bot.cookie(Some(eve)).await,
    );
    let operators = bot.cookie(None).await;
    let said = json!({ "content": "my secret is tea" });
    let answer = bot
        .by_cookie(Method::POST, "/api/messages?wait=30", &adas, Some(&said))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let run = format!("/api/runs/{}", answer.json()["runId"].as_str().unwrap());
    for (cookie, status) in [(&adas, 200), (&bobs, 404), (&eves, 200), (&operators, 200)] {
        assert_eq!(bot.by_cookie(Method::GET, &run, cookie, None).await.status, status);
    }
    let count = async |path: &str, cookie: &str| {
        let page = bot.by_cookie(Method::GET, path, cookie, None).await.json();
        page["items"].as_array().unwrap().len()
    };
    for path in ["/api/runs", "/api/messages", "/api/contexts"] {
        assert!(count(path, &adas).await > 0 && count(path, &bobs).await == 0, "{path}");
        assert!(
            count(path, &eves).await > 0 && count(path, &operators).await > 0,
            "{path}"
        );
    }
    // A second browser of the same person is the same person in the same conversation.
    let phone = bot.cookie(Some(ada)).await;
    let answer = bot
        .by_cookie(Method::POST, "/api/messages?wait=30", &phone, Some(&said))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(count("/api/channels", &adas).await, 1);
    // The bot's own is the owner's.
    for (cookie, status) in [(&adas, 403), (&eves, 200), (&operators, 200)] {
        assert_eq!(
            bot.by_cookie(Method::GET, "/api/agents", cookie, None).await.status,
            status
        );
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_shut_out_has_no_way_in_any_more() {
    let bot = Bot::start().await;
    let bob = bot.member("Bob", UserRole::Member).await;
    bot.token_of(bob, "bobs-token", &["read", "write"]).await;
    let (session, link) = (bot.cookie(Some(bob)).await, bot.link(Some(bob)).await);
    let said = json!({ "content": "hello" });
    let by_token = async |method: Method, path: &str, body: Option<&Value>| {
        let request = bot.request(method, path).bearer_auth("bobs-token");
        bot.send(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    };
    let role = async |role: &str| {
        let (path, body) = (format!("/api/users/{bob}"), json!({ "role": role }));
        assert_eq!(bot.call(Method::PATCH, &path, &body).await.status, 200);
    };
    assert_eq!(by_token(Method::GET, "/api/me", None).await.status, 200);

    role("stranger").await;
    for refused in [
        bot.by_cookie(Method::GET, "/api/me", &session, None).await,
        bot.by_cookie(Method::POST, "/api/messages", &session, Some(&said))
            .await,
        by_token(Method::GET, "/api/me", None).await,
        by_token(Method::POST, "/api/messages", Some(&said)).await,
    ] {
        assert_eq!(
            (refused.status, &refused.json()["code"]),
            (401, &json!("shut_out")),
            "{}",
            refused.text
        );
        assert!(
            refused.text.contains("may not speak to the bot any more"),
            "{}",
            refused.text
        );
    }
    let refused = bot.redeem(&link).await;
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("link_unknown")));
    let messages = bot.get("/api/messages").await.json();
    assert_eq!(messages["items"], json!([]));
    // No token is made that would be refused.
    let wanted = json!({ "name": "phone", "scopes": ["read"], "userId": bob });
    let refused = bot.call(Method::POST, "/api/tokens", &wanted).await;
    let told = refused.json();
    assert_eq!(
        (refused.status, &told["code"], &told["field"]),
        (409, &json!("wrong_state"), &json!("userId")),
        "{told}"
    );

    // An owner lets them in again.
    role("member").await;
    assert_eq!(bot.by_cookie(Method::GET, "/api/me", &session, None).await.status, 200);
    assert_eq!(by_token(Method::GET, "/api/me", None).await.status, 200);
    let made = bot.call(Method::POST, "/api/tokens", &wanted).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(bot.redeem(&link).await.status, 201);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_open_streams_of_somebody_who_is_shut_out_end() {
    let bot = Bot::start().await;
    let (bob, eve) = (
        bot.member("Bob", UserRole::Member).await,
        bot.member("Eve", UserRole::Owner).await,
    );
    bot.member("Ada", UserRole::Owner).await;
    bot.token_of(bob, "bobs-token", &["read"]).await;
    bot.token_of(eve, "eves-token", &["read"]).await;
    let run = bot.sleeper().await;
    let open = async |path: String, token: &str| {
        let opened = bot.request(Method::GET, &path).bearer_auth(token).send().await.unwrap();
        assert_eq!(opened.status(), 200);
        opened
    };
    let events = open("/api/events".to_owned(), "bobs-token").await;
    let stream = open(format!("/api/runs/{run}/stream"), "eves-token").await;
    // He may not speak any more, and she is no owner: what she saw is another's.
    for (user, role) in [(bob, "stranger"), (eve, "member")] {
        let (path, body) = (format!("/api/users/{user}"), json!({ "role": role }));
        assert_eq!(bot.call(Method::PATCH, &path, &body).await.status, 200);
    }
    let ended = async { tokio::join!(events.text(), stream.text()) };
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), ended).await;
    let (events, stream) = ended.expect("they end");
    assert!(events.unwrap().contains("event: mark"));
    let stream = stream.unwrap();
    assert!(
        stream.contains("event: status") && !stream.contains("event: done"),
        "{stream}"
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_everybody_may_speak_everybody_looks_at_what_is_theirs() {
    let bot = Bot::with(&[("channels.telegram.access", "open"), ("channels.telegram.token", "7:x")]).await;
    let bob = bot.member("Bob", UserRole::Stranger).await;
    bot.token_of(bob, "bobs-token", &["read"]).await;
    let session = bot.cookie(Some(bob)).await;
    let me = bot.by_cookie(Method::GET, "/api/me", &session, None).await;
    assert_eq!((me.status, &me.json()["role"]), (200, &json!("person")));
    let me = bot.request(Method::GET, "/api/me").bearer_auth("bobs-token");
    assert_eq!(bot.send(me).await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_link_lets_in_however_many_bad_ones_come_from_the_same_address() {
    let bot = Bot::start().await;
    let link = bot.link(None).await;
    // Many at once: they count within a minute.
    for _ in 0..20 {
        let refused = join_all((0..50).map(|_| bot.redeem("guessed"))).await;
        if refused.iter().any(|refused| refused.status == 429) {
            break;
        }
        for refused in refused {
            assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("link_unknown")));
        }
    }
    let refused = bot.redeem("guessed").await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (429, &json!("too_many_tries"))
    );
    assert_eq!(refused.header("retry-after"), "60");
    assert_eq!(bot.redeem(&link).await.status, 201);
    // Nor do they keep anybody from a passkey.
    let challenge = bot.request(Method::POST, "/api/sessions/challenge");
    let challenge = challenge.header("host", format!("localhost:{}", bot.address.port()));
    assert_eq!(bot.send(challenge).await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_site_can_change_nothing_by_the_cookie_of_somebody() {
    let bot = Bot::start().await;
    let cookie = bot.cookie(None).await;
    let body = json!({ "content": "hello" });
    let own = format!("http://{}", bot.address);
    for (origin, status) in [
        (None, 403),
        (Some("http://evil.example"), 403),
        (Some("null"), 403),
        (Some(own.as_str()), 202),
    ] {
        let mut request = bot.request(Method::POST, "/api/messages").header("cookie", &cookie);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let answer = bot.send(request.json(&body)).await;
        assert_eq!(answer.status, status, "{origin:?} {}", answer.text);
        if status == 403 {
            assert_eq!(answer.json()["code"], "foreign_origin");
        }
    }
    // Nor can it log somebody in as itself.
    let link = bot.link(None).await;
    let request = bot
        .request(Method::POST, "/api/sessions")
        .header("origin", "http://evil.example");
    assert_eq!(bot.send(request.json(&json!({ "link": link }))).await.status, 403);
    assert_eq!(bot.redeem(&link).await.status, 201);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_and_ended_each_by_their_person_and_all_by_an_owner() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let (desk, phone, operators) = (
        bot.cookie(Some(ada)).await,
        bot.cookie(Some(ada)).await,
        bot.cookie(None).await,
    );
    let ids = async |cookie: &str| -> Vec<String> {
        let page = bot.by_cookie(Method::GET, "/api/sessions", cookie, None).await.json();
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|session| session["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let (adas, all) = (ids(&desk).await, ids(&operators).await);
    assert_eq!((adas.len(), all.len()), (2, 3));
    let status = async |cookie: &str, id: &str| {
        let path = format!("/api/sessions/{id}");
        bot.by_cookie(Method::DELETE, &path, cookie, None).await.status
    };
    let other = all.iter().find(|id| !adas.contains(id)).unwrap();
    assert_eq!(status(&desk, other).await, 404, "it is nobody's that she may know of");
    // Newest first: the phone's.
    assert_eq!(status(&desk, &adas[0]).await, 204);
    assert_eq!(bot.by_cookie(Method::GET, "/api/me", &phone, None).await.status, 401);
    let left = bot
        .by_cookie(Method::DELETE, "/api/sessions/current", &desk, None)
        .await;
    assert_eq!(left.status, 204);
    assert!(
        left.header("set-cookie")
            .starts_with(&format!("clifford_session_{}=; ", bot.address.port())),
        "{:?}",
        left.headers
    );
    assert_eq!(bot.by_cookie(Method::GET, "/api/me", &desk, None).await.status, 401);
    assert_eq!(ids(&operators).await.as_slice(), std::slice::from_ref(other));
    bot.app.shutdown().await;
}
