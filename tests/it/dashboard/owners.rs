//! Pages for owners: agents and their prompts, work in quarantine, tokens of programs.

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;

use super::{Browser, journeys::bots, person};
use crate::store::erasure::script;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_made_its_prompt_changes_by_versions_and_goes_back() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let new = [
            ("name", "Ada"),
            ("prompt", "You are Ada.\r\nYou answer briefly."),
            ("mode", "chat"),
        ];
        let page = owner.does("/agents", "/agents", &new).await;
        let (list, form) = (owner.page("/agents").await, owner.page(&page).await);
        assert!(
            list.contains(&format!("href=\"{page}\"")) && list.contains("made here"),
            "{list}"
        );
        assert!(form.contains("You are Ada.\nYou answer briefly."), "{form}");
        let taken = owner.submit("/agents", "/agents", &new).await;
        assert_eq!(taken.status, 409, "{}", taken.text);

        let fields = [
            ("was.prompt", "You are Ada.\r\nYou answer briefly."),
            ("prompt", "You are Ada.\r\nYou answer in one sentence."),
            ("was.mode", "chat"),
            ("mode", "run"),
            ("was.enabled", "true"),
            ("enabled", "true"),
        ];
        let one = format!("/api{page}");
        let (review, saved) = owner.saves(&page, &page, &fields).await;
        for part in [
            "You answer <mark>briefly.</mark>",
            "You answer <mark>in one sentence.</mark>",
            "With tools, step by step",
        ] {
            assert!(review.contains(part), "{part}: {review}");
        }
        assert_eq!((saved.status, saved.header("location")), (303, page.as_str()));
        let kept = bot.get(&one).await.json();
        assert_eq!(
            (&kept["prompt"], &kept["mode"], &kept["promptVersion"]),
            (
                &json!("You are Ada.\nYou answer in one sentence."),
                &json!("run"),
                &json!(2)
            )
        );
        // Somebody who still sees the first version is told, and nothing is overwritten.
        let late = [fields[0], ("prompt", "You are nobody."), ("sure", "yes")];
        let told = owner.submit(&page, &page, &late).await;
        assert_eq!(told.status, 409, "{}", told.text);
        assert_eq!(bot.get(&one).await.json()["promptVersion"], 2);

        let compared = owner.page(&format!("{page}/compare?a=1&b=2")).await;
        assert!(
            compared.contains("<mark>briefly.</mark>") && compared.contains("Go back to version 1"),
            "{compared}"
        );
        assert!(
            owner
                .page(&format!("{page}/compare"))
                .await
                .contains("From version 1 to version 2")
        );
        assert_eq!(owner.get(&format!("{page}/compare?a=9")).await.status, 404);
        let restore = format!("{page}/restore");
        let (review, saved) = owner.saves(&page, &restore, &[("version", "1")]).await;
        assert!(
            review.contains("Back to version 1 of Ada") && review.contains("<mark>briefly.</mark>"),
            "{review}"
        );
        assert_eq!(saved.status, 303, "{}", saved.text);
        let back = bot.get(&one).await.json();
        assert_eq!(
            (&back["prompt"], &back["promptVersion"]),
            (&json!("You are Ada.\nYou answer briefly."), &json!(3))
        );
        assert!(owner.page(&page).await.contains("version 1 once more"));

        assert_eq!(owner.does(&page, &format!("{page}/delete"), &[]).await, "/agents");
        assert!(!owner.page("/agents").await.contains(&format!("href=\"{page}\"")));
        // One of bot.toml is not deleted here, and its page says so.
        let first = bot.get("/api/agents").await.json()["items"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            owner
                .page(&format!("/agents/{first}"))
                .await
                .contains("Take it out there")
        );
        let refused = owner.submit("/agents", &format!("/agents/{first}/delete"), &[]).await;
        assert_eq!(refused.status, 409, "{}", refused.text);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_in_quarantine_is_shown_with_why_tried_again_and_forgotten() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        assert!(owner.page("/quarantine").await.contains("Nothing is set aside"));
        let mut runs = Vec::new();
        for question in ["what is 2 + 3?", "what is 2 + 4?"] {
            runs.push(bot.ask(question).await["runId"].as_str().unwrap().to_owned());
        }
        script(
            &bot.app.db,
            "UPDATE runs SET status = 'failed', error = 'quarantined: 3 processes died of it', quarantined_at = 5",
        )
        .await;
        let page = owner.page("/quarantine").await;
        for part in [
            "A run",
            "3 processes died of it",
            "Try again",
            "Forget",
            &format!("href=\"/runs/{}\"", runs[0]),
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let home = owner.page("/").await;
        assert!(
            home.contains("Set aside, because") && home.contains("Try again"),
            "{home}"
        );
        owner
            .does("/quarantine", &format!("/quarantine/{}/retry", runs[0]), &[])
            .await;
        let again = bot.get("/api/runs?limit=1").await.json()["items"][0].clone();
        assert_eq!(again["inputText"], "what is 2 + 3?");
        owner
            .does("/quarantine", &format!("/quarantine/{}/forget", runs[1]), &[])
            .await;
        assert!(owner.page("/quarantine").await.contains("Nothing is set aside"));
        let gone = owner
            .submit("/quarantine", &format!("/quarantine/{}/retry", runs[1]), &[])
            .await;
        assert_eq!(gone.status, 404, "{}", gone.text);
        let odd = owner
            .submit("/quarantine", &format!("/quarantine/{}/bless", runs[1]), &[])
            .await;
        assert_eq!(odd.status, 422, "{}", odd.text);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_for_a_person_shown_once_and_revoked() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let ada = person(&bot, "Ada", UserRole::Member).await.to_string();
        assert!(owner.page("/tokens").await.contains("No tokens"));
        let new = [
            ("name", "her <laptop>"),
            ("user", &ada),
            ("scope.read", "yes"),
            ("scope.write", "yes"),
        ];
        let made = owner.submit("/tokens", "/tokens", &new).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let token = made
            .text
            .split("id=\"made\" value=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let token = token.expect("the token is shown").to_owned();
        let me = bot.request(Method::GET, "/api/me").bearer_auth(&token);
        let me = bot.send(me).await.json();
        assert_eq!((&me["userId"], &me["role"]), (&json!(ada), &json!("person")));
        let page = owner.page("/tokens").await;
        assert!(
            page.contains("her &lt;laptop&gt;") && page.contains("Ada") && !page.contains(&token),
            "{page}"
        );
        for (fields, detail) in [
            (vec![("name", "x")], "Choose what the token may do"),
            (vec![("scope.read", "yes")], "Fill in “Name”"),
        ] {
            let wrong = owner.submit("/tokens", "/tokens", &fields).await;
            assert!(wrong.status == 422 && wrong.text.contains(detail), "{}", wrong.text);
        }
        let id = bot.get("/api/tokens").await.json()["items"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(
            owner.does("/tokens", &format!("/tokens/{id}/revoke"), &[]).await,
            "/tokens"
        );
        let refused = bot.request(Method::GET, "/api/me").bearer_auth(&token);
        assert_eq!(bot.send(refused).await.status, 401);
        assert!(owner.page("/tokens").await.contains("Revoked: 1"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_makes_tokens_of_their_own_and_of_nobody_else() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let bob = person(&bot, "Bob", UserRole::Member).await.to_string();
        let (adas, owner) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, None).await,
        );
        let page = adas.page("/tokens").await;
        assert!(
            !page.contains("scope.admin") && !page.contains("The operator"),
            "{page}"
        );
        let made = adas
            .submit("/tokens", "/tokens", &[("name", "phone"), ("scope.read", "yes")])
            .await;
        assert_eq!(made.status, 200, "{}", made.text);
        for fields in [
            vec![("name", "x"), ("scope.admin", "yes")],
            vec![("name", "x"), ("scope.read", "yes"), ("user", bob.as_str())],
        ] {
            let refused = adas.submit("/tokens", "/tokens", &fields).await;
            assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
        }
        owner
            .submit(
                "/tokens",
                "/tokens",
                &[("name", "the operator's"), ("scope.read", "yes")],
            )
            .await;
        let tokens = bot.get("/api/tokens").await.json();
        let names: Vec<_> = tokens["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|token| &token["name"])
            .collect();
        assert_eq!(names, [&json!("phone"), &json!("the operator's")]);
        let page = adas.page("/tokens").await;
        assert!(page.contains("phone") && !page.contains("the operator's"), "{page}");
        let others = tokens["items"][1]["id"].as_str().unwrap();
        let refused = adas.submit("/tokens", &format!("/tokens/{others}/revoke"), &[]).await;
        assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
        bot.app.shutdown().await;
    }
}
