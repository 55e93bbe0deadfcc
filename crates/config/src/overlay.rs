//! Settings from the environment (`CLIFFORD_SECTION__KEY`) and from the command line, laid over the file.

use std::collections::BTreeMap;

use super::{
    Location,
    nearest::{nearest, paths},
    shape::Shape,
    tree::{self, Node, Value},
};

/// The prefix of overlaying variables.
const PREFIX: &str = "clifford_";

/// Lays every `CLIFFORD_SECTION__KEY` of `env` over `tree`. Upper and lower case are the same in names.
pub(super) fn environment(tree: &mut Node, root: Shape<'_>, env: &BTreeMap<String, String>) {
    for (name, text) in env {
        let lower = name.to_lowercase();
        let is_list = |key: &str| root.key(key).is_some_and(|shape| shape.items().is_some());
        if let Some(key) = lower
            .strip_prefix(PREFIX)
            .filter(|key| key.contains("__") || is_list(key))
        {
            put(
                tree,
                root,
                &key.replace("__", "."),
                text,
                Location::Variable(name.clone()),
            );
        }
    }
}

/// Lays settings of the command line (`engine.max_iterations` and its value) over `tree`.
pub(super) fn flags(tree: &mut Node, root: Shape<'_>, overrides: &[(String, String)]) {
    for (path, text) in overrides {
        put(tree, root, path, text, Location::CommandLine);
    }
}

/// Hints at variables that look like an overlay with one `_` where two belong. Others that begin with
/// `CLIFFORD_` may be anybody's: Kubernetes makes some for a service of that name.
pub(super) fn hints(root: Shape<'_>, env: &BTreeMap<String, String>) -> Vec<String> {
    let known: Vec<_> = paths(root).iter().map(|path| path.replace('.', "__")).collect();
    env.keys()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let given = lower.strip_prefix(PREFIX)?;
            let meant = nearest(
                given,
                known.iter().filter(|path| path.contains("__")).map(String::as_str),
            )?;
            let slip = !given.contains("__") && given.replace('_', "") == meant.replace('_', "");
            slip.then(|| {
                format!(
                    "{name} is not read; did you mean {}{}?",
                    PREFIX.to_uppercase(),
                    meant.to_uppercase()
                )
            })
        })
        .collect()
}

fn put(tree: &mut Node, root: Shape<'_>, path: &str, text: &str, place: Location) {
    let steps: Vec<_> = path.split('.').collect();
    let shape = steps.iter().try_fold(root, |shape, step| shape.key(step));
    tree.put(&steps, read(text, shape, place));
}

/// A value in TOML's or JSON's way of writing; anything else is text. Where text belongs, what only looks like a
/// number or a list is text as well.
fn read(text: &str, shape: Option<Shape<'_>>, place: Location) -> Node {
    let fits = |node: &Node| match (&node.value, shape) {
        (Value::Text(_), _) | (_, None) => true,
        (Value::Table(_), Some(shape)) => shape.is_secret() || !shape.takes("string"),
        (Value::Integer(_), Some(shape)) => shape.takes("integer") || !shape.takes("string"),
        (_, Some(shape)) => !shape.takes("string"),
    };
    tree::read_value(text, &place)
        .filter(fits)
        .unwrap_or_else(|| Node::text(place, text))
}
