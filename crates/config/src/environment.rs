//! Values read from the environment where no file sets them: tokens, keys, the database.

use std::collections::BTreeMap;

use clifford_channel::Platforms;

use super::{
    Location,
    tree::{Node, Value},
};

/// A variable's value; an empty one counts as not set, as compose files pass on variables that nobody has set.
pub(super) fn variable<'a>(env: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    env.get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

/// Turns on the channels whose tokens are in the environment, and takes the database from there.
pub(super) fn fill_without_file(tree: &mut Node, env: &BTreeMap<String, String>, platforms: Platforms) {
    for row in platforms.rows() {
        let name = row.about.token_variable;
        if variable(env, name).is_some() {
            tree.put_default(&row.path(), Node::empty(Location::Variable(name.to_owned())));
        }
    }
    if let Some(url) = variable(env, "DATABASE_URL") {
        tree.put_default(
            "database.url",
            Node::text(Location::Variable("DATABASE_URL".to_owned()), url),
        );
    }
}

/// Takes the provider from `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`, else from `ANTHROPIC_API_KEY`,
/// `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL`, if the configuration has none. A base URL without a key counts too:
/// servers of one's own often need none.
pub(super) fn fill_provider(tree: &mut Node, env: &BTreeMap<String, String>) {
    let provider = provider(env, "OPENAI").or_else(|| {
        let mut provider = provider(env, "ANTHROPIC")?;
        let place = provider.place.clone();
        provider.put(&["kind"], Node::text(place, "anthropic"));
        Some(provider)
    });
    if let Some(provider) = provider {
        tree.put_default(
            "llm.providers",
            Node {
                place: provider.place.clone(),
                value: Value::List(vec![provider]),
            },
        );
    }
}

/// The provider that the variables with this prefix describe, if one is set that says where or with which key.
fn provider(env: &BTreeMap<String, String>, prefix: &str) -> Option<Node> {
    let text = |name: &str| {
        let name = format!("{prefix}_{name}");
        variable(env, &name).map(|value| Node::text(Location::Variable(name.clone()), value))
    };
    let key = text("API_KEY").map(|node| {
        let place = node.place;
        let variable = Node::text(place.clone(), format!("{prefix}_API_KEY"));
        Node::table(place, [("env", variable)])
    });
    let settings = [("key", key), ("base_url", text("BASE_URL"))];
    let place = settings
        .iter()
        .find_map(|(_, node)| Some(node.as_ref()?.place.clone()))?;
    let mut provider = Node::empty(place);
    for (name, node) in settings.into_iter().chain([("model", text("MODEL"))]) {
        if let Some(node) = node {
            provider.put(&[name], node);
        }
    }
    Some(provider)
}
