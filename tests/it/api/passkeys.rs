//! Passkeys: a phone adds one in a browser that is logged in, and lets its own person in by it, and nobody else.

use clifford_core::{id::UserId, people::UserRole};
use clifford_fakes::authenticator::Authenticator;
use clifford_store::people::users;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};

/// Somebody in front of a browser, who opens the dashboard by its name.
struct Visitor<'a> {
    bot: &'a Bot,
    host: String,
    cookie: String,
}

impl<'a> Visitor<'a> {
    fn new(bot: &'a Bot) -> Self {
        Self {
            bot,
            host: format!("localhost:{}", bot.address.port()),
            cookie: String::new(),
        }
    }

    /// A person who logged in by a link.
    async fn logged_in(bot: &'a Bot, user: Option<UserId>) -> Self {
        Self {
            cookie: bot.cookie(user).await,
            ..Self::new(bot)
        }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let request = self.bot.request(method, path).header("host", &self.host);
        let request = request.header("origin", self.origin()).header("cookie", &self.cookie);
        let request = request.header("user-agent", "Firefox");
        self.bot
            .send(match body {
                Some(body) => request.json(body),
                None => request,
            })
            .await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// The options that a challenge comes with.
    async fn challenge(&self, path: &str) -> Value {
        let answer = self.call(Method::POST, path, None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Has the phone make a passkey.
    async fn add(&self, phone: &mut Authenticator, name: &str) -> Value {
        let options = self.challenge("/api/passkeys/challenge").await;
        let mut new = phone.create(&self.origin(), &options);
        new["name"] = json!(name);
        let added = self.post("/api/passkeys", &new).await;
        assert_eq!(added.status, 201, "{}", added.text);
        added.json()
    }

    /// The phone's answer to a new challenge.
    async fn answer(&self, phone: &mut Authenticator) -> Value {
        let options = self.challenge("/api/sessions/challenge").await;
        phone.get(&self.origin(), &options)
    }

    async fn log_in(&mut self, phone: &mut Authenticator) -> Answer {
        let answer = self.answer(phone).await;
        let begun = self.post("/api/sessions/passkey", &answer).await;
        if begun.status == 201 {
            begun
                .header("set-cookie")
                .split(';')
                .next()
                .unwrap()
                .clone_into(&mut self.cookie);
        }
        begun
    }

    async fn me(&self) -> Value {
        self.call(Method::GET, "/api/me", None).await.json()
    }

    async fn passkeys(&self) -> Vec<Value> {
        let page = self.call(Method::GET, "/api/passkeys", None).await.json();
        page["items"].as_array().unwrap().clone()
    }

    /// Whether something is refused as a passkey that does not let in.
    async fn is_refused(&self, path: &str, body: &Value, what: &str) {
        let refused = self.post(path, body).await;
        let told = (refused.status, refused.json()["code"].clone());
        assert_eq!(told, (422, json!("passkey_refused")), "{what}: {}", refused.text);
        assert_eq!(refused.header("set-cookie"), "", "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_lets_its_person_in_as_a_link_does() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let mut phone = Authenticator::new();
    let desk = Visitor::logged_in(&bot, Some(ada)).await;
    let added = desk.add(&mut phone, " my phone ").await;
    assert_eq!(
        (&added["name"], &added["rpId"], &added["userId"], &added["usedAt"]),
        (&json!("my phone"), &json!("localhost"), &json!(ada), &Value::Null)
    );
    let mut fields: Vec<_> = added.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        ["createdAt", "id", "name", "rpId", "usedAt", "userId"],
        "no key is in it"
    );

    let mut other = Visitor::new(&bot);
    let begun = other.log_in(&mut phone).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    let cookie = begun.header("set-cookie");
    assert!(
        cookie.contains("; HttpOnly; SameSite=Strict; Max-Age=34560000"),
        "{cookie}"
    );
    let session = begun.json();
    assert_eq!(
        (&session["userId"], &session["userAgent"]),
        (&json!(ada), &json!("Firefox"))
    );
    let me = other.me().await;
    assert_eq!((&me["userId"], &me["role"]), (&json!(ada), &json!("person")));
    let passkeys = other.passkeys().await;
    assert!(passkeys.len() == 1 && passkeys[0]["usedAt"].is_string(), "{passkeys:?}");

    let path = format!("/api/passkeys/{}", added["id"].as_str().unwrap());
    let renamed = other
        .call(Method::PATCH, &path, Some(&json!({ "name": "tablet" })))
        .await;
    assert_eq!((renamed.status, &renamed.json()["name"]), (200, &json!("tablet")));
    assert_eq!(other.call(Method::DELETE, &path, None).await.status, 204);
    let answer = Visitor::new(&bot).answer(&mut phone).await;
    other
        .is_refused("/api/sessions/passkey", &answer, "it was removed")
        .await;
    assert_eq!(other.me().await["userId"], json!(ada), "its session goes on");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_good_once_for_its_own_challenge_and_site() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let mut phone = Authenticator::new();
    let desk = Visitor::logged_in(&bot, Some(ada)).await;
    desk.add(&mut phone, "phone").await;
    let stranger = Visitor::new(&bot);
    let route = "/api/sessions/passkey";

    let answer = stranger.answer(&mut phone).await;
    assert_eq!(stranger.post(route, &answer).await.status, 201);
    stranger.is_refused(route, &answer, "it was answered").await;

    // A challenge is used up by a wrong answer, too.
    let answer = stranger.answer(&mut phone).await;
    let mut wrong = answer.clone();
    wrong["signature"] = json!("AAAA");
    stranger.is_refused(route, &wrong, "a wrong signature").await;
    stranger.is_refused(route, &answer, "its challenge is used up").await;

    // Of a page of another site, which a browser would not make.
    let options = stranger.challenge("/api/sessions/challenge").await;
    let evil = format!("http://localhost:{}", bot.address.port() - 1);
    stranger
        .is_refused(route, &phone.get(&evil, &options), "another origin")
        .await;
    let invented =
        json!({ "challenge": "aW52ZW50ZWQtYnktdGhlLWNhbGxlcg", "rpId": "localhost", "userVerification": "required" });
    let answer = phone.get(&stranger.origin(), &invented);
    stranger.is_refused(route, &answer, "a challenge of its own").await;

    // A challenge to add a passkey is for its session alone, and none to log in; and the other way round.
    let options = desk.challenge("/api/passkeys/challenge").await;
    let mut new = Authenticator::new().create(&desk.origin(), &options);
    new["name"] = json!("another");
    let other = Visitor::logged_in(&bot, Some(ada)).await;
    other.is_refused("/api/passkeys", &new, "another session").await;
    desk.is_refused("/api/passkeys", &new, "it was answered").await;
    let to_add = desk.challenge("/api/passkeys/challenge").await;
    let to_log_in = json!({ "challenge": to_add["challenge"], "rpId": "localhost", "userVerification": "required" });
    let answer = phone.get(&desk.origin(), &to_log_in);
    stranger.is_refused(route, &answer, "it is to add one").await;
    let mut to_add = desk.challenge("/api/passkeys/challenge").await;
    to_add["challenge"] = stranger.challenge("/api/sessions/challenge").await["challenge"].clone();
    let mut new = Authenticator::new().create(&desk.origin(), &to_add);
    new["name"] = json!("another");
    desk.is_refused("/api/passkeys", &new, "it is to log in").await;
    assert_eq!(desk.passkeys().await.len(), 1);

    // The phone comes with a count that a copy had already.
    phone.counted(1);
    let answer = stranger.answer(&mut phone).await;
    stranger.is_refused(route, &answer, "the counter went back").await;
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_lets_in_nobody_but_its_own_person_and_others_can_not_change_it() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let bob = bot.member("Bob", UserRole::Member).await;
    let eve = bot.member("Eve", UserRole::Owner).await;
    let mut phones = [Authenticator::new(), Authenticator::new(), Authenticator::new()];
    let people = [Some(ada), Some(bob), None];
    let mut ids = Vec::new();
    for (phone, person) in phones.iter_mut().zip(people) {
        let visitor = Visitor::logged_in(&bot, person).await;
        ids.push(visitor.add(phone, "phone").await["id"].as_str().unwrap().to_owned());
    }
    for (phone, person) in phones.iter_mut().zip(people) {
        let mut visitor = Visitor::new(&bot);
        assert_eq!(visitor.log_in(phone).await.status, 201);
        let me = visitor.me().await;
        let role = if person.is_some() { "person" } else { "operator" };
        assert_eq!((&me["userId"], &me["role"]), (&json!(person), &json!(role)));
    }
    // The answer of one under the name of another; the person of one in the answer of another.
    let stranger = Visitor::new(&bot);
    let route = "/api/sessions/passkey";
    for fields in [&["id"][..], &["userHandle"], &["id", "userHandle"]] {
        let bobs = stranger.answer(&mut phones[1]).await;
        let mut mixed = stranger.answer(&mut phones[0]).await;
        for field in fields {
            mixed[*field] = bobs[*field].clone();
        }
        stranger.is_refused(route, &mixed, &fields.join(" and ")).await;
    }
    // Each sees and changes what is theirs; an owner all.
    let [adas, eves] = [
        Visitor::logged_in(&bot, Some(ada)).await,
        Visitor::logged_in(&bot, Some(eve)).await,
    ];
    assert_eq!((adas.passkeys().await.len(), eves.passkeys().await.len()), (1, 3));
    let change = json!({ "name": "mine" });
    for id in &ids[1..] {
        let path = format!("/api/passkeys/{id}");
        assert_eq!(adas.call(Method::PATCH, &path, Some(&change)).await.status, 404);
        assert_eq!(adas.call(Method::DELETE, &path, None).await.status, 404);
    }
    let path = format!("/api/passkeys/{}", ids[1]);
    assert_eq!(eves.call(Method::DELETE, &path, None).await.status, 204);
    assert_eq!(Visitor::new(&bot).log_in(&mut phones[1]).await.status, 422);

    // Nor does it let in who may not speak to the bot any more.
    let now = bot.app.clock.now();
    let write = bot
        .app
        .db
        .write(move |tx| Box::pin(users::set_role(tx, ada, UserRole::Stranger, now)));
    write.await.unwrap();
    let refused = Visitor::new(&bot).log_in(&mut phones[0]).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_everybody_may_speak_a_passkey_lets_in_whom_a_link_lets_in() {
    let bot = Bot::with(&[("channels.telegram.access", "open"), ("channels.telegram.token", "7:x")]).await;
    let bob = bot.member("Bob", UserRole::Stranger).await;
    let mut phone = Authenticator::new();
    Visitor::logged_in(&bot, Some(bob)).await.add(&mut phone, "phone").await;
    let begun = Visitor::new(&bot).log_in(&mut phone).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_is_for_a_name_and_for_those_who_come_from_a_page_of_it() {
    let bot = Bot::with(&[("http.public_url", "https://bot.example.org")]).await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let mut phone = Authenticator::new();
    let mut here = Visitor::logged_in(&bot, Some(ada)).await;
    // By its address there is none.
    let name = std::mem::replace(&mut here.host, bot.address.to_string());
    for path in ["/api/passkeys/challenge", "/api/sessions/challenge"] {
        let refused = here.call(Method::POST, path, None).await;
        assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("wrong_state")));
        assert!(refused.text.contains("http.public_url"), "{}", refused.text);
    }
    here.host = name;
    here.add(&mut phone, "phone").await;
    // At its public address another one is needed, whose pages come by TLS.
    let mut public = Visitor::logged_in(&bot, Some(ada)).await;
    public.host = "bot.example.org".to_owned();
    let secret = public.cookie.split_once('=').unwrap().1;
    public.cookie = format!("clifford_session={secret}");
    let options = |challenge: &Value| {
        json!({
            "challenge": challenge["challenge"], "rpId": "localhost", "userVerification": "required",
        })
    };
    let challenge = public.challenge("/api/sessions/challenge").await;
    assert_eq!(challenge["rpId"], "bot.example.org");
    let answer = phone.get(&here.origin(), &options(&challenge));
    public
        .is_refused("/api/sessions/passkey", &answer, "of another host")
        .await;
    let challenge = public.challenge("/api/passkeys/challenge").await;
    let mut new = phone.create("https://bot.example.org", &challenge);
    new["name"] = json!("the same phone");
    assert_eq!(public.post("/api/passkeys", &new).await.status, 201);
    let challenge = public.challenge("/api/sessions/challenge").await;
    let answer = phone.get("https://bot.example.org", &challenge);
    let begun = public.post("/api/sessions/passkey", &answer).await;
    assert_eq!(begun.status, 201, "{}", begun.text);
    assert!(begun.header("set-cookie").ends_with("; Secure"), "{:?}", begun.headers);

    // Another site asks for no challenge, and logs nobody in as itself.
    for path in [
        "/api/sessions/challenge",
        "/api/sessions/passkey",
        "/api/passkeys/challenge",
        "/api/passkeys",
    ] {
        let request = bot.request(Method::POST, path).header("cookie", &here.cookie);
        let request = request
            .header("host", &here.host)
            .header("origin", "http://evil.example");
        let refused = bot.send(request.json(&answer)).await;
        assert_eq!(
            (refused.status, &refused.json()["code"]),
            (403, &json!("foreign_origin")),
            "{path}"
        );
    }
    // A token makes no way in for a person.
    let refused = bot.post("/api/passkeys/challenge", &json!({})).await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("wrong_state")));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_is_added_once_and_a_person_has_so_many() {
    let bot = Bot::start().await;
    let ada = bot.member("Ada", UserRole::Member).await;
    let desk = Visitor::logged_in(&bot, Some(ada)).await;
    let mut phone = Authenticator::new();
    desk.add(&mut phone, "phone").await;
    // The browser is told which there are, and by which name the phone knows the person: that stays.
    let first = desk.challenge("/api/passkeys/challenge").await;
    assert_eq!(first["excludeCredentials"].as_array().unwrap().len(), 1);
    let second = desk.challenge("/api/passkeys/challenge").await;
    assert_eq!(first["user"]["id"], second["user"]["id"]);
    assert_ne!(first["challenge"], second["challenge"]);
    for number in 1..20 {
        desk.add(&mut Authenticator::new(), &format!("phone {number}")).await;
    }
    let options = desk.challenge("/api/passkeys/challenge").await;
    let mut new = Authenticator::new().create(&desk.origin(), &options);
    new["name"] = json!("one more");
    let refused = desk.post("/api/passkeys", &new).await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("wrong_state")));
    new["name"] = json!(" ");
    let refused = desk.post("/api/passkeys", &new).await;
    assert_eq!((refused.status, &refused.json()["field"]), (422, &json!("name")));
    bot.app.shutdown().await;
}
