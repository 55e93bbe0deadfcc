//! MCP servers on the page of tools: whether each is at work, and why not.

use clifford_core::people::UserRole;

use super::{Browser, person};
use crate::api::bot::Bot;

/// The server that does as it is told.
const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/mcp.sh");

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_which_server_is_at_work_and_why_another_is_not() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let page = owner.page("/tools").await;
    assert!(
        page.contains("No MCP server is connected") && page.contains("clifford mcp add"),
        "{page}"
    );
    bot.app.shutdown().await;

    let dir = tempfile::tempdir().unwrap();
    let begin = format!("cd {} && exec sh {FAKE}", dir.path().display());
    let servers = format!(
        r#"[{{ name = "fake", command = "sh", args = ["-c", "{begin}"] }}, {{ name = "broken", command = "/no/such/program" }}]"#
    );
    let bot = Bot::with(&[("tools.mcp", servers.as_str())]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (owner, adas) = (
        Browser::log_in(&bot, None).await,
        Browser::log_in(&bot, Some(ada)).await,
    );
    let state = async |name: &str| owner.data(&format!("/api/tools/{name}")).await["server"].clone();
    for (name, expected) in [("fake", "at_work"), ("broken", "away")] {
        while state(name).await["state"] != expected {
            tokio::task::yield_now().await;
        }
    }
    assert!(state("fake").await["error"].is_null());
    let why = state("broken").await["error"].as_str().unwrap().to_owned();
    assert!(why.contains("/no/such/program"), "{why}");
    assert!(state("compute").await.is_null());
    let page = owner.page("/tools").await;
    let (_, shown) = page.split_once("id=\"servers\" data-live").expect("the servers");
    let (servers, tools) = shown.split_once("id=\"tools\" data-live").expect("the tools");
    for part in [
        "at work",
        "not at work",
        "/no/such/program",
        "href=\"/tools/fake\"",
        "commands",
    ] {
        assert!(servers.contains(part), "{part}: {servers}");
    }
    assert!(
        !tools.contains("/tools/fake") && tools.contains("/tools/compute"),
        "{tools}"
    );
    // One that is turned off is at work, and not shown to models.
    owner.does("/tools/fake", "/tools/fake", &[("enabled", "false")]).await;
    let page = owner.page("/tools").await;
    assert!(page.contains("it is turned off"), "{page}");
    // The machine's own words are its owner's.
    let hers = adas.data(&format!("/api/tools?scope=user:{ada}")).await;
    assert!(!hers.to_string().contains("/no/such/program"), "{hers}");
    bot.app.shutdown().await;
}
