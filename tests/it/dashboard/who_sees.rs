//! Three people: each sees what is theirs, and an owner all.

use clifford_core::people::UserRole;

use super::{Browser, PAGES, person};
use crate::api::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_an_owner_sees_anything_of_somebody_else() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let bob = person(&bot, "Bob", UserRole::Member).await;
    let eve = person(&bot, "Eve", UserRole::Owner).await;
    let (adas, bobs, eves) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, Some(bob)).await,
        Browser::log_in(&bot, Some(eve)).await,
    );
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
    for path in ["/runs", "/memory", "/reminders"] {
        assert!(eves.page(path).await.contains("quinces"), "{path}");
    }
    let agent = eves.data("/api/agents").await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    // What Bob may not see, he cannot change either.
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
