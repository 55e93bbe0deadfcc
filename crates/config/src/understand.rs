//! Makes settings of a tree, and finds everything that is wrong with it at once.
//!
//! A value that is of the wrong type or no value of its key is left out, so that the rules between keys can be told of
//! the rest in the same run.

use clifford_channel::Platforms;
use clifford_tools::{ToolSettings, registry};
use serde_json::Value;

use super::{
    Channels, Config, Provider, check,
    error::{ConfigErrors, Problem},
    rules,
    shape::Shape,
    tree::Node,
};

/// The sections of a tree.
pub(super) struct Understood {
    /// The settings, as far as they are in order; `None` if too much is wrong.
    pub config: Option<Config>,
    /// The tree without what is left out.
    pub tree: Node,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
}

impl Understood {
    /// The settings, if all of them are in order.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn in_order(self) -> Result<Config, ConfigErrors> {
        ConfigErrors::unless_empty(self.problems)?;
        self.config
            .ok_or_else(|| Problem::new(None, "", "the settings cannot be read").into())
    }
}

/// Checks a tree, and makes the settings of it.
pub(super) fn understand(tree: &Node, root: Shape<'_>, platforms: Platforms) -> Understood {
    let mut problems = check::check(tree, root);
    let left_out: Vec<_> = problems.iter().map(|problem| problem.key.clone()).collect();
    let mut tree = tree.clone();
    // The last one first: what is left out of a list moves what stands behind it.
    left_out.iter().rev().for_each(|path| tree.remove(path));
    let mut built = build(&tree, platforms);
    if built.is_err() && !left_out.is_empty() {
        // A key is missing now that its section cannot be without.
        for path in &left_out {
            tree.remove(path.split(['.', '[']).next().unwrap_or_default());
        }
        built = build(&tree, platforms);
    }
    let config = match built {
        Ok(config) => {
            let faults = rules::check(&config, &tree).into_iter();
            problems.extend(faults.filter(|fault| !follows(fault, &left_out)));
            Some(config)
        }
        Err(errors) => {
            if problems.is_empty() {
                problems.extend(errors.problems().iter().cloned());
            }
            None
        }
    };
    Understood { config, tree, problems }
}

/// Whether a fault may be there only because something was left out.
pub(super) fn follows(fault: &Problem, left_out: &[String]) -> bool {
    let is_below = |path: &str| {
        let rest = fault.key.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let names_a_provider = fault.key.starts_with("llm.roles") || fault.key.starts_with("llm.choices");
    let compares = ["engine.", "delivery.", "files."]
        .into_iter()
        .find(|section| fault.key.starts_with(section));
    left_out.iter().any(|path| {
        is_below(path)
            || names_a_provider && path.starts_with("llm.providers")
            || compares.is_some_and(|section| path.starts_with(section))
    })
}

fn build(tree: &Node, platforms: Platforms) -> Result<Config, ConfigErrors> {
    let mut json = tree.to_json();
    let mut take = |key| json.as_object_mut().and_then(|table| table.remove(key));
    let (channels, tools) = (take("channels"), take("tools"));
    let mut config: Config = serde_json::from_value(json).map_err(|error| Problem::new(None, "", error.to_string()))?;
    if let Some(Value::Object(sections)) = channels {
        config.channels = Channels::read(sections, platforms).map_err(|(path, fault)| {
            let place = tree.find(&path).map(|node| node.place.clone());
            Problem::new(place, path, fault)
        })?;
    }
    // Without a section, too: the platforms' tools have settings.
    let sections = match tools {
        Some(Value::Object(sections)) => sections,
        _ => serde_json::Map::new(),
    };
    let read = ToolSettings::read(sections, &registry::all(platforms));
    config.tools = read.map_err(|error| Problem::new(None, "", error))?;
    config.llm.providers = config.llm.providers.into_iter().map(Provider::settled).collect();
    Ok(config)
}
