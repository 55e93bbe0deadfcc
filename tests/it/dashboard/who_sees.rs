//! Three people: each sees what is theirs, and an owner all.

use serde_json::json;

use super::{PAGES, routes, three_people};
use crate::{api::bot::Bot, store::erasure::script};

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_an_owner_sees_anything_of_somebody_else() {
    let bot = Bot::start().await;
    let [(ada, adas), (_, bobs), (_, eves)] = three_people(&bot).await;
    let run = adas.says("remind me in 2 hours to buy quinces", "completed").await;
    let item = serde_json::json!({ "userId": ada, "module": "preferences", "key": "fruit", "value": "quinces" });
    let item = bot.post("/api/memories", &item).await.json();
    let item = item["id"].as_str().unwrap().to_owned();
    let context = adas.data("/api/contexts").await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let trigger = adas.data("/api/triggers").await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let own = [
        format!("/runs/{run}"),
        format!("/conversations/{context}"),
        format!("/chat/{context}"),
        format!("/people/{ada}"),
        format!("/settings?scope=user:{ada}"),
    ];
    for path in &own {
        assert_eq!(adas.get(path).await.status, 200, "{path}");
        assert_eq!(eves.get(path).await.status, 200, "{path}");
        let refused = bobs.get(path).await;
        assert!(matches!(refused.status, 403 | 404), "{path}: {}", refused.status);
        assert!(!refused.text.contains("quinces"), "{path}");
    }
    for path in PAGES {
        let page = bobs.get(path).await;
        assert!(matches!(page.status, 200 | 403), "{path}: {}", page.status);
        assert!(!page.text.contains("quinces"), "{path}");
        assert_eq!(adas.get(path).await.status, page.status, "{path}");
    }
    for path in ["/", "/chat", "/runs", "/conversations", "/memory", "/reminders"] {
        assert!(adas.page(path).await.contains("quinces"), "{path}");
    }
    // The person of each run stands next to it where several people's are listed.
    let whose = "data-label=\"Person\"><bdi>Ada</bdi>";
    assert!(eves.page("/runs").await.contains(whose));
    assert!(!adas.page("/runs").await.contains("data-label=\"Person\""));
    // Their own is told to them as theirs, and to an owner as somebody's.
    let remembered = [adas.page("/memory").await, eves.page("/memory").await];
    let words = [
        ["What the bot remembers of you", "What the bot remembers of people"],
        ["told to you alone", "told to them alone"],
    ];
    for [hers, theirs] in words {
        assert!(
            remembered[0].contains(hers) && !remembered[0].contains(theirs),
            "{hers}"
        );
        assert!(
            remembered[1].contains(theirs) && !remembered[1].contains(hers),
            "{theirs}"
        );
    }
    // A search begins with what is one's own, whoever else there is.
    eves.says("what is 6*7?", "completed").await;
    assert!(eves.page("/search?q=42").await.contains("<mark>"));
    for path in ["/runs", "/memory", "/reminders"] {
        assert!(eves.page(path).await.contains("quinces"), "{path}");
    }
    let agent = eves.data("/api/agents").await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    // Bob cannot change what he may not see, either.
    for (action, fields) in [
        (format!("/memory/{item}"), vec![("value", "apples")]),
        (format!("/memory/{item}/forget"), vec![]),
        (format!("/reminders/{trigger}"), vec![("do", "delete")]),
        (format!("/chat/{context}"), vec![("name", "mine")]),
        (format!("/people/{ada}"), vec![("name", "Bob's")]),
        (format!("/people/{ada}/erase"), vec![]),
        (
            "/policies".to_owned(),
            vec![("name", "all"), ("tools", "web"), ("action", "allow")],
        ),
        ("/tools/web".to_owned(), vec![("enabled", "false")]),
        (
            "/settings".to_owned(),
            vec![("scope", "bot"), ("was.set.memory", ""), ("set.memory", "false")],
        ),
        ("/agents".to_owned(), vec![("name", "Bob's"), ("prompt", "Obey Bob.")]),
        (
            format!("/agents/{agent}"),
            vec![("prompt", "Obey Bob."), ("sure", "yes")],
        ),
        (
            format!("/agents/{agent}/restore"),
            vec![("version", "1"), ("sure", "yes")],
        ),
        (format!("/agents/{agent}/delete"), vec![]),
        (format!("/policies/{run}"), vec![("name", "all"), ("sure", "yes")]),
        (format!("/quarantine/{run}/retry"), vec![]),
        (format!("/quarantine/{run}/forget"), vec![]),
    ] {
        let refused = bobs.submit("/", &action, &fields).await;
        assert!(matches!(refused.status, 403 | 404), "{action}: {}", refused.status);
    }
    // The owner's pages are no secret, but closed.
    for path in ["/policies", "/tools", "/agents", "/quarantine"] {
        assert_eq!(eves.get(path).await.status, 200, "{path}");
        assert!(eves.page("/").await.contains(&format!("href=\"{path}\"")), "{path}");
        let closed = bobs.get(path).await;
        assert_eq!(closed.status, 403, "{path}");
        assert!(closed.text.contains("This is for the bot's owner"), "{}", closed.text);
        assert!(!bobs.page("/").await.contains(&format!("href=\"{path}\"")), "{path}");
    }
    // Messages that wait are shown to whoever manages their space; others have none.
    assert!(!bobs.page("/outbox").await.contains("quinces"));
    // Ada changes what is hers.
    let action = format!("/memory/{item}");
    let fields = [("was.value", "quinces"), ("value", "green quinces")];
    assert_eq!(adas.saves("/memory", &action, &fields).await.1.status, 303);
    adas.does("/memory", &action, &[("pinned", "true")]).await;
    let page = adas.page("/memory").await;
    assert!(page.contains("green quinces") && page.contains("pinned"), "{page}");
    adas.does("/memory", &format!("/memory/{item}/forget"), &[]).await;
    assert!(!adas.page("/memory").await.contains("quinces"));
    adas.does("/reminders", &format!("/reminders/{trigger}"), &[("do", "delete")])
        .await;
    assert!(adas.page("/reminders").await.contains("Nothing is planned"));
    bot.app.shutdown().await;
}

/// The object of each route of the dashboard, by the first part of its address: something of Ada's, or of the bot's. A
/// route of another part is tried with the id of a run.
struct Objects(Vec<(&'static str, String)>);

impl Objects {
    /// A path of a route, with Ada's things in it.
    fn path(&self, route: &str) -> String {
        let first = route.split('/').nth(1).unwrap_or_default();
        let known = self.0.iter().find(|(part, _)| *part == first);
        let id = known.map_or(&self.0[0].1, |(_, id)| id);
        let action = match first {
            "outbox" => "resend",
            "quarantine" => "retry",
            _ => "cancel",
        };
        let piece = |piece: &str| match piece {
            "{action}" => action.to_owned(),
            piece if piece.starts_with('{') => id.clone(),
            piece => piece.to_owned(),
        };
        route.split('/').map(piece).collect::<Vec<_>>().join("/")
    }

    /// Whether the path of a route leads to something: it has one parameter, of a known part.
    fn has(&self, route: &str) -> bool {
        if route.matches('{').count() != 1 {
            return false;
        }
        let first = route.split('/').nth(1).unwrap_or_default();
        self.0.iter().any(|(part, _)| *part == first)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_about_something_of_somebody_else_is_closed_to_a_person_and_open_to_an_owner() {
    let bot = Bot::start().await;
    let [(ada, adas), (_, bobs), (_, eves)] = three_people(&bot).await;
    let run = adas.says("remind me in 2 hours to buy quinces", "completed").await;
    let item = json!({ "userId": ada, "module": "preferences", "key": "fruit", "value": "quinces" });
    assert_eq!(bot.post("/api/memories", &item).await.status, 201);
    let rule = [("name", "no quinces"), ("tools", "web"), ("action", "deny")];
    eves.does("/policies", "/policies", &rule).await;
    adas.submit("/tokens", "/tokens", &[("name", "quinces"), ("scope.read", "yes")])
        .await;
    let first = async |path: &str| {
        let page = adas.data(path).await;
        page["items"][0]["id"]
            .as_str()
            .unwrap_or_else(|| panic!("{path}: {page}"))
            .to_owned()
    };
    let context = first("/api/contexts").await;
    let passkey = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let kept = format!(
        "INSERT INTO passkeys (id, credential_id, user_id, user_handle, rp_id, public_key, sign_count, name, created_at)
         VALUES ('{passkey}', 'x', '{ada}', 'x', 'localhost', 'x', 0, 'quinces', 1)"
    );
    script(&bot.app.db, &kept).await;
    let of_bot = async |path: &str| eves.data(path).await["items"][0]["id"].as_str().unwrap().to_owned();
    let objects = Objects(vec![
        ("runs", run.clone()),
        ("quarantine", run.clone()),
        ("chat", context.clone()),
        ("conversations", context),
        ("memory", first("/api/memories").await),
        ("reminders", first("/api/triggers").await),
        ("channels", first("/api/channels").await),
        ("tokens", first("/api/tokens").await),
        ("sessions", first("/api/sessions").await),
        ("passkeys", passkey.to_owned()),
        ("people", ada.to_string()),
        ("agents", of_bot("/api/agents").await),
        ("policies", of_bot("/api/policies").await),
        ("tools", "web".to_owned()),
    ]);
    let mut tried = 0;
    for route in routes().into_iter().filter(|route| route.path.contains('{')) {
        if ["/assets/{name}", "/api/docs/{tag}"].contains(&route.path.as_str()) {
            continue;
        }
        let path = objects.path(&route.path);
        tried += 1;
        if route.shows {
            let refused = bobs.get(&path).await;
            assert!(
                matches!(refused.status, 400..500),
                "{path}: {} {}",
                refused.status,
                refused.text
            );
            assert!(!refused.text.contains("quinces"), "{path}");
            if objects.has(&route.path) {
                // A page, or the way to one.
                let seen = eves.get(&path).await.status;
                assert!(matches!(seen, 200 | 303), "{path}: {seen}");
            }
        }
        if route.takes {
            let fields = [
                ("sure", "yes"),
                ("name", "x"),
                ("value", "x"),
                ("content", "x"),
                ("version", "1"),
            ];
            let fields: Vec<_> = fields
                .into_iter()
                .chain([("do", "delete"), ("decision", "deny")])
                .collect();
            let refused = bobs.submit("/", &path, &fields).await;
            assert!(
                matches!(refused.status, 400..500),
                "{path}: {} {}",
                refused.status,
                refused.text
            );
        }
    }
    assert!(tried >= 30, "{tried}");
    // Nothing of that came through.
    for path in ["/memory", "/reminders", "/tokens", "/settings", "/runs"] {
        assert!(adas.page(path).await.contains("quinces"), "{path}");
    }
    assert!(eves.page("/policies").await.contains("no quinces"));
    bot.app.shutdown().await;
}
