//! What is read from the environment where no file says it: tokens, keys, the database.

use std::collections::BTreeMap;

use super::{
    Place,
    channels::{DISCORD_TOKEN, TELEGRAM_TOKEN},
    tree::{Node, Value},
};

/// A variable's value; an empty one counts as not set, as compose files pass on variables that nobody has set.
pub(super) fn variable<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    env.get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

/// Turns on the channels whose tokens are in the environment, and takes the database from there.
pub(super) fn fill_without_file(tree: &mut Node, env: &BTreeMap<String, String>) {
    for (section, name) in [
        ("channels.telegram", TELEGRAM_TOKEN),
        ("channels.discord", DISCORD_TOKEN),
    ] {
        if variable(env, name).is_some() {
            tree.put_default(section, Node::empty(Place::Variable(name.to_owned())));
        }
    }
    if let Some(url) = variable(env, "DATABASE_URL") {
        tree.put_default(
            "database.url",
            Node::text(Place::Variable("DATABASE_URL".to_owned()), url),
        );
    }
}

/// Takes the provider from `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` if the configuration has none.
/// A base URL without a key counts too: servers of one's own often need none.
pub(super) fn fill_provider(tree: &mut Node, env: &BTreeMap<String, String>) {
    let text = |name: &str| variable(env, name).map(|value| Node::text(Place::Variable(name.to_owned()), value));
    let key = text("OPENAI_API_KEY").map(|node| {
        let place = node.place;
        Node::table(place.clone(), [("env", Node::text(place, "OPENAI_API_KEY"))])
    });
    let settings = [("key", key), ("base_url", text("OPENAI_BASE_URL"))];
    let Some(place) = settings
        .iter()
        .flat_map(|(_, node)| node)
        .map(|node| node.place.clone())
        .next()
    else {
        return;
    };
    let mut provider = Node::empty(place.clone());
    for (name, node) in settings.into_iter().chain([("model", text("OPENAI_MODEL"))]) {
        if let Some(node) = node {
            provider.put(&[name], node);
        }
    }
    tree.put_default(
        "llm.providers",
        Node {
            place,
            value: Value::List(vec![provider]),
        },
    );
}
