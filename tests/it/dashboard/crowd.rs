//! More people than one list holds: each is found, named and chosen all the same.

use super::{Browser, journeys::bots};
use crate::store::erasure::script;

/// So many people come after the first one.
const MANY: usize = 230;
/// A time that does not come.
const FAR: i64 = 9_000_000_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_found_named_and_chosen_among_hundreds() {
    for bot in bots().await {
        let ids = |number: usize| format!("00000000-0000-7000-8000-{number:012}");
        let rows: Vec<_> = (0..=MANY)
            .map(|number| format!("('{}', 'Person {number:03} 100%', 'member', false, 1, 1)", ids(number)))
            .collect();
        script(
            &bot.app.db,
            &format!(
                "INSERT INTO users (id, name, role, language_set, created_at, updated_at) VALUES {};",
                rows.join(", ")
            ),
        )
        .await;
        let (first, owner) = (ids(0), Browser::log_in(&bot, None).await);
        let item = serde_json::json!({ "inputText": "hello" });
        let run = bot.post("/api/runs", &item).await.json()["id"].clone();
        script(
            &bot.app.db,
            &format!(
                "UPDATE runs SET user_id = '{first}' WHERE id = '{}'",
                run.as_str().unwrap()
            ),
        )
        .await;

        // Page by page, and by a part of the name.
        let mut path = "/people".to_owned();
        for pages in 0.. {
            let page = owner.page(&path).await;
            if page.contains("Person 000 100%") {
                break;
            }
            assert!(pages < 10, "{page}");
            let (_, next) = page.split_once("rel=\"next\" href=\"").expect("older ones");
            path = next.split('"').next().unwrap().replace("&amp;", "&");
        }
        let found = owner.page("/people?q=son+000").await;
        assert!(
            found.contains("Person 000 100%") && !found.contains("Person 001"),
            "{found}"
        );
        assert!(owner.page("/people?q=Person+___").await.contains("Nobody found"));
        let all = owner.page("/people?q=100%25").await;
        assert!(all.contains("?q=100%25&amp;before="), "{all}");

        // Their name stands beside what is theirs, and they stay chosen.
        assert!(owner.page("/runs").await.contains("Person 000 100%"));
        let chosen = format!("<option value=\"{first}\" selected>Person 000 100%</option>");
        for path in [
            "/runs?user=",
            "/memory?userId=",
            "/search?userId=",
            "/feedback?user=",
            "/tokens?user=",
        ] {
            let page = owner.page(&format!("{path}{first}")).await;
            assert!(
                page.contains(&chosen) && page.contains("Find somebody else"),
                "{path}: {page}"
            );
        }
        let page = owner.page(&format!("/people/{first}")).await;
        assert!(page.contains(&format!("/tokens?user={first}")), "{page}");

        // Other lists go on, too: browsers that are logged in, servers, and verdicts in their file.
        let run = run.as_str().unwrap();
        let listed = |row: &dyn Fn(&str) -> String| {
            (0..=MANY)
                .map(|number| row(&ids(number)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let sessions = listed(&|id| format!("('{id}', 'hash {id}', '{id}', 'web {id}', 'Browser {id}', 1, 1, {FAR})"));
        let spaces = listed(&|id| format!("('{id}', 'discord', '{id}', 'Server {id}', 1)"));
        let verdicts = listed(&|id| format!("('{run}', '{id}', 'liked', 'button', 1)"));
        script(
            &bot.app.db,
            &format!(
                "INSERT INTO sessions (id, token_hash, user_id, account, user_agent, created_at, seen_at, expires_at)
                     VALUES {sessions};
                 INSERT INTO spaces (id, platform, external_id, name, created_at) VALUES {spaces};
                 INSERT INTO run_feedback (run_id, user_id, verdict, given_by, given_at) VALUES {verdicts};"
            ),
        )
        .await;
        for (path, way, last) in [
            (
                "/settings?scope=bot",
                "rel=\"next\" href=\"",
                format!("Browser {first}"),
            ),
            ("/channels", "href=\"/channels?spaces=", format!("Server {first}")),
        ] {
            let (mut page, mut pages) = (owner.page(path).await, 1);
            while !page.contains(&last) {
                assert!(pages < 10, "{path}: {page}");
                let (_, next) = page.split_once(way).expect("older ones");
                let next = next.split('"').next().unwrap().replace("&amp;", "&");
                let next = if next.starts_with('/') {
                    next
                } else {
                    format!("/channels?spaces={next}")
                };
                (page, pages) = (owner.page(&next).await, pages + 1);
            }
            assert!(pages > 4, "{path}");
        }
        let file = owner.page("/feedback.csv").await;
        assert_eq!(file.lines().count(), MANY + 2);
        assert!(file.contains("\"Person 000 100%\""), "{file}");
        bot.app.shutdown().await;
    }
}
