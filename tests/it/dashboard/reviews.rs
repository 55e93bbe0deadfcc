//! Texts and sets of settings: the difference is shown before anything is saved, and a change of somebody else
//! meanwhile is told and not overwritten.

use clifford_core::people::UserRole;
use serde_json::json;

use super::{Browser, journeys::bots, person};
use crate::api::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_saved_after_their_difference_was_seen() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let value = async |name: &str| owner.data(&format!("/api/settings/bot/{name}")).await["value"].clone();
        let fields = [
            ("scope", "bot"),
            ("was.set.when_busy", ""),
            ("set.when_busy", "steer"),
            ("was.set.memory", ""),
            ("set.memory", "false"),
            ("was.set.model", ""),
            ("set.model", ""),
        ];
        let shown = owner.submit("/settings", "/settings", &fields).await;
        assert_eq!(value("when_busy").await, json!(null), "nothing is saved by looking");
        for part in ["What changes", "When busy", "Steer", "Memory", "Off"] {
            assert!(shown.text.contains(part), "{part}: {}", shown.text);
        }
        let (review, saved) = owner.saves("/settings", "/settings", &fields).await;
        assert!(!review.contains("<h3><bdi>Model"), "{review}");
        assert_eq!((saved.status, saved.header("location")), (303, "/settings?scope=bot"));
        assert_eq!(
            [value("when_busy").await, value("memory").await],
            [json!("steer"), json!(false)]
        );
        assert!(review.contains("As inherited: On, by bot.toml"), "{review}");
        // Blank: what is inherited holds again.
        let fields = [("scope", "bot"), ("was.set.memory", "false"), ("set.memory", "")];
        assert_eq!(owner.saves("/settings", "/settings", &fields).await.1.status, 303);
        assert_eq!(value("memory").await, json!(null));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_somebody_else_meanwhile_is_told_and_not_overwritten() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let value = async || owner.data("/api/settings/bot/when_busy").await["value"].clone();
        let set = |value: &'static str| [("scope", "bot"), ("was.set.when_busy", ""), ("set.when_busy", value)];
        assert_eq!(owner.saves("/settings", "/settings", &set("steer")).await.1.status, 303);
        // Somebody who still sees the page from before, and somebody who is about to save.
        for sure in [None, Some(("sure", "yes"))] {
            let fields: Vec<_> = set("interrupt").into_iter().chain(sure).collect();
            let told = owner.submit("/settings", "/settings", &fields).await;
            assert_eq!(told.status, 409, "{}", told.text);
            assert!(
                told.text.contains("Somebody changed this while you did"),
                "{}",
                told.text
            );
            assert!(
                told.text.contains("Steer") && told.text.contains("Interrupt"),
                "{}",
                told.text
            );
            assert_eq!(value().await, json!("steer"));
        }
        // A field that a writer left alone stays as somebody else made it.
        let fields = [("scope", "bot"), ("was.set.when_busy", ""), ("set.when_busy", "")];
        let told = owner.submit("/settings", "/settings", &fields).await;
        assert!(told.text.contains("Nothing would change"), "{}", told.text);
        // A writer who has seen the difference to what holds now may save their own.
        let told = owner.submit("/settings", "/settings", &set("interrupt")).await;
        let kept = super::hidden_fields(&told.text, "name=\"sure\"");
        let kept: Vec<_> = kept
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let saved = owner.send("/settings", &format!("http://{}", bot.address), &kept).await;
        assert_eq!((saved.status, value().await), (303, json!("interrupt")));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_settings_of_a_tool_are_saved_after_their_difference_was_seen() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let page = "/tools/web";
        let fields = [("was.timeout_seconds", ""), ("timeout_seconds", "20")];
        let (review, saved) = owner.saves(page, page, &fields).await;
        assert!(review.contains("Timeout seconds") && review.contains("20"), "{review}");
        assert_eq!(saved.status, 303, "{}", saved.text);
        assert!(owner.page(page).await.contains("value=\"20\""));
        let late = owner.submit(page, page, &[fields[0], ("timeout_seconds", "25")]).await;
        assert_eq!(late.status, 409, "{}", late.text);
        let wrong = [("was.timeout_seconds", "20"), ("timeout_seconds", "many")];
        // What cannot be saved is not shown to be saved: its form stands again, with why by its field.
        let wrong = owner.submit(page, page, &wrong).await;
        assert_eq!(wrong.status, 422, "{}", wrong.text);
        for part in [
            "value=\"many\"",
            "id=\"timeout_seconds-fault\"",
            "“many” is not a number",
        ] {
            assert!(wrong.text.contains(part), "{part}: {}", wrong.text);
        }
        assert!(!wrong.text.contains("name=\"sure\""), "{}", wrong.text);
        assert!(owner.page(page).await.contains("value=\"20\""));
        // One button, at once.
        owner.does(page, page, &[("enabled", "false")]).await;
        assert!(owner.page(page).await.contains("Turn on"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_has_other_settings_for_one_person() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        owner.says("hello", "completed").await;
        let user = bot.get("/api/users").await.json()["items"][0]["id"].clone();
        let scope = format!("user:{}", user.as_str().unwrap());
        let settings = owner.page(&format!("/settings?scope={scope}")).await;
        let list = format!("/tools?scope=user%3A{}", user.as_str().unwrap());
        assert!(settings.contains(&format!("href=\"{list}\"")), "{settings}");
        let page = format!("/tools/web?scope=user%3A{}", user.as_str().unwrap());
        let shown = owner.page(&list).await;
        assert!(
            shown.contains(&format!("href=\"{page}\"")) && shown.contains("holds as it does for the whole bot"),
            "{shown}"
        );
        let fields = [
            ("scope", scope.as_str()),
            ("was.enabled", ""),
            ("enabled", "false"),
            ("was.timeout_seconds", ""),
            ("timeout_seconds", "20"),
        ];
        let (review, saved) = owner.saves(&page, "/tools/web", &fields).await;
        assert!(
            review.contains("Enabled") && review.contains("Timeout seconds"),
            "{review}"
        );
        assert_eq!((saved.status, saved.header("location")), (303, page.as_str()));
        let shown = owner.page(&page).await;
        assert!(
            shown.contains("value=\"20\"") && shown.contains("it is turned off (user)"),
            "{shown}"
        );
        // For everybody else it is as it was.
        assert!(!owner.page("/tools/web").await.contains("value=\"20\""));
        let fields = [("scope", scope.as_str()), ("was.enabled", "false"), ("enabled", "")];
        owner.saves(&page, "/tools/web", &fields).await;
        assert!(!owner.page(&page).await.contains("it is turned off"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_has_another_text_after_its_difference_was_seen() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        owner.says("hello", "completed").await;
        let user = bot.get("/api/users").await.json()["items"][0]["id"].clone();
        let item = json!({ "userId": user, "module": "preferences", "key": "tea", "value": "green tea with <milk>" });
        let item = bot.post("/api/memories", &item).await.json();
        let action = format!("/memory/{}", item["id"].as_str().unwrap());
        let fields = [
            ("was.value", "green tea with <milk>"),
            ("value", "green tea with sugar & nothing else, ever, whatever they say"),
            ("back", "/memory?q=tea"),
        ];
        let (review, saved) = owner.saves("/memory", &action, &fields).await;
        for part in ["<del", "green tea with <mark>&lt;milk&gt;</mark>", "<ins", "sugar "] {
            assert!(review.contains(part), "{part}: {review}");
        }
        assert_eq!((saved.status, saved.header("location")), (303, "/memory?q=tea"));
        assert!(owner.page("/memory?q=tea").await.contains("sugar &amp; nothing else"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_changed_and_keeps_the_conditions_that_the_form_does_not_hold() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let rule = json!({
            "name": "ask", "action": "confirm", "tools": ["web"], "platforms": ["discord"], "days": ["mon"], "priority": 5,
        });
        let made = bot.post("/api/policies", &rule).await.json();
        let page = format!("/policies/{}", made["id"].as_str().unwrap());
        assert!(owner.page("/policies").await.contains(&format!("href=\"{page}\"")));
        let form = owner.page(&page).await;
        assert!(
            form.contains("Further conditions") && form.contains("discord"),
            "{form}"
        );
        let fields = [
            ("was.action", "confirm"),
            ("action", "deny"),
            ("was.tools", "web"),
            ("tools", "web.fetch, compute"),
            ("was.priority", "5"),
            ("priority", "5"),
            ("was.args", ""),
            ("args", "path = /etc/*"),
        ];
        let (review, saved) = owner.saves(&page, &page, &fields).await;
        for part in [
            "Verdict",
            "Ask a person",
            "Deny",
            "web.fetch, compute",
            "Conditions on arguments",
        ] {
            assert!(review.contains(part), "{part}: {review}");
        }
        assert!(!review.contains("<h3><bdi>Priority"), "{review}");
        assert_eq!(saved.status, 303, "{}", saved.text);
        let kept = bot.get(&format!("/api{page}")).await.json();
        for (name, expected) in [
            ("action", json!("deny")),
            ("tools", json!(["web.fetch", "compute"])),
            ("args", json!(["path = /etc/*"])),
            ("platforms", json!(["discord"])),
            ("days", json!(["mon"])),
            ("priority", json!(5)),
        ] {
            assert_eq!(kept[name], expected, "{name}: {kept}");
        }
        for (priority, why) in [("high", "“high” is not a whole number"), ("5000", "from -1000 to 1000")] {
            let fields = [("was.priority", "5"), ("priority", priority), ("name", "a <b>rule</b>")];
            let wrong = owner.submit(&page, &page, &fields).await;
            assert_eq!(wrong.status, 422, "{}", wrong.text);
            for part in [
                why,
                "id=\"priority-fault\"",
                "aria-invalid=\"true\"",
                "value=\"a &lt;b&gt;rule&lt;/b&gt;\"",
            ] {
                assert!(wrong.text.contains(part), "{part}: {}", wrong.text);
            }
            assert!(!wrong.text.contains("name=\"sure\""), "{}", wrong.text);
        }
        owner.does(&page, &format!("{page}/delete"), &[]).await;
        assert_eq!(bot.get("/api/policies").await.json()["items"], json!([]));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_which_one_is_refused_are_not_saved_and_stay_in_the_form() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let fields = [
            ("scope", "bot"),
            ("was.set.when_busy", ""),
            ("set.when_busy", "steer"),
            ("was.set.ambient_messages", ""),
            ("set.ambient_messages", "a <b>lot</b>"),
        ];
        let (_, refused) = owner.saves("/settings", "/settings", &fields).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        for part in [
            "<option value=\"steer\" selected>",
            "value=\"a &lt;b&gt;lot&lt;/b&gt;\"",
            "aria-describedby=\"set-ambient_messages-fault hint-ambient_messages\" aria-invalid=\"true\"",
        ] {
            assert!(refused.text.contains(part), "{part}: {}", refused.text);
        }
        let value = async |name: &str| owner.data(&format!("/api/settings/bot/{name}")).await["value"].clone();
        assert_eq!(value("when_busy").await, json!(null), "all or nothing");
        let fields = [&fields[..4], &[("set.ambient_messages", "7")]].concat();
        assert_eq!(owner.saves("/settings", "/settings", &fields).await.1.status, 303);
        assert_eq!(
            [value("when_busy").await, value("ambient_messages").await],
            [json!("steer"), json!(7)]
        );
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_owner_fixed_has_no_field_for_others() {
    let bot = Bot::with(&[("ingress.fixed_settings", r#"["memory", "when_busy"]"#)]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let path = format!("/settings?scope=user:{ada}");
    let (hers, owners) = (adas.page(&path).await, owner.page(&path).await);
    assert!(
        hers.contains("owner fixed it") && !hers.contains("name=\"set.memory\""),
        "{hers}"
    );
    assert!(hers.contains("name=\"set.time_zone\""), "{hers}");
    assert!(
        owners.contains("ingress.fixed_settings") && owners.contains("name=\"set.memory\""),
        "{owners}"
    );
    let scope = format!("user:{ada}");
    let fields = [
        ("scope", scope.as_str()),
        ("set.time_zone", "Europe/Berlin"),
        ("set.memory", "false"),
    ];
    let (_, refused) = adas.saves(&path, "/settings", &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("owner fixed it"), "{}", refused.text);
    let settings = owner.data(&format!("/api/settings?scope={scope}")).await;
    let of = |name: &str| {
        let mut all = settings["items"].as_array().unwrap().iter();
        all.find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!(of("memory")["fixedBy"], "ingress.fixed_settings");
    assert_eq!(
        [
            &of("memory")["value"],
            &of("time_zone")["value"],
            &of("time_zone")["fixedBy"]
        ],
        [&json!(null); 3]
    );
    let (_, saved) = owner.saves(&path, "/settings", &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let bots = owner.data("/api/settings").await;
    assert!(!bots.to_string().contains("fixed_settings"), "{bots}");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_save_is_refused_for_stands_by_its_field_with_what_was_typed() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        owner.says("hello", "completed").await;
        let user = bot.get("/api/users").await.json()["items"][0]["id"].clone();
        let item = json!({ "userId": user, "module": "preferences", "key": "tea", "value": "green" });
        let item = bot.post("/api/memories", &item).await.json();
        let (memory, long) = (format!("/memory/{}", item["id"].as_str().unwrap()), "very ".repeat(500));
        let person = format!("/people/{}", user.as_str().unwrap());
        let rule = json!({ "name": "ask", "action": "confirm", "tools": ["web"] });
        let rule = bot.post("/api/policies", &rule).await.json();
        let rule = format!("/policies/{}", rule["id"].as_str().unwrap());
        let zone = [("name", "Zoë"), ("timeZone", "Berlin")];
        for (page, action, fields, at) in [
            (person.as_str(), person.as_str(), &zone[..], "timeZone"),
            ("/memory", &memory, &[("value", long.as_str())], "value"),
            (
                &rule,
                &rule,
                &[("hours", "at night"), ("reason", "Zoë sleeps")],
                "hours",
            ),
        ] {
            // What is wrong with a rule is known before its difference is shown.
            let refused = match at {
                "hours" => owner.submit(page, action, fields).await,
                _ => owner.saves(page, action, fields).await.1,
            };
            assert_eq!(refused.status, 422, "{action}: {}", refused.text);
            for part in [
                "Nothing is saved yet",
                at,
                "-fault\"",
                "aria-invalid=\"true\"",
                "autofocus",
            ] {
                assert!(refused.text.contains(part), "{part}: {}", refused.text);
            }
            for (_, typed) in fields {
                assert!(refused.text.contains(typed.trim()), "{typed}: {}", refused.text);
            }
            assert!(!refused.text.contains("Go back"), "{}", refused.text);
            // What was left alone stands there as it is.
            assert!(
                at != "hours" || refused.text.contains("name=\"tools\" value=\"web\""),
                "{}",
                refused.text
            );
        }
        // What is empty is not shown to be saved.
        for (page, fields) in [(&person, [("name", " ")]), (&memory, [("value", "")])] {
            let refused = owner.submit("/people", page, &fields).await;
            assert!(
                refused.status == 422 && refused.text.contains("Fill it in"),
                "{}",
                refused.text
            );
        }
        let trial = [
            ("call", "web.search"),
            ("args", "{query: x}"),
            ("place", "shared"),
            ("tainted", "yes"),
        ];
        let refused = owner.submit("/policies", "/policies/test", &trial).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        for part in [
            "id=\"args-fault\"",
            "{query: x}</textarea>",
            "<option value=\"shared\" selected>",
            "value=\"yes\" checked",
        ] {
            assert!(refused.text.contains(part), "{part}: {}", refused.text);
        }
        bot.app.shutdown().await;
    }
}
