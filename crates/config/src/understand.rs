//! Makes settings of a tree, and finds everything that is wrong with it at once.
//!
//! A value that is of the wrong type or no value of its key is left out, so that the rules between keys can be told of
//! the rest in the same run.

use std::collections::HashSet;

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
    let left_out = LeftOut::of(&problems);
    let mut tree = tree.clone();
    tree.remove(&|path| left_out.paths.contains(path));
    let mut built = build(&tree, platforms);
    if built.is_err() && !left_out.paths.is_empty() {
        // A key is missing now that its section cannot be without.
        let sections: HashSet<_> = left_out.paths.iter().map(|path| section(path)).collect();
        tree.remove(&|path| sections.contains(path));
        built = build(&tree, platforms);
    }
    let config = match built {
        Ok(config) => {
            let faults = rules::check(&config, &tree).into_iter();
            problems.extend(faults.filter(|fault| !left_out.explains(fault)));
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

/// The sections whose settings are compared with each other.
const COMPARED: [&str; 3] = ["engine", "delivery", "files"];

/// The settings that were left out because they are wrong.
pub(super) struct LeftOut {
    paths: HashSet<String>,
    has_providers: bool,
    /// The sections that lack some, of those that are compared.
    compared: Vec<&'static str>,
}

impl LeftOut {
    pub fn of(problems: &[Problem]) -> Self {
        let paths: HashSet<_> = problems.iter().map(|problem| problem.key.clone()).collect();
        let lacks = |section: &&str| {
            let is_below = |path: &String| path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
            paths.iter().any(is_below)
        };
        Self {
            has_providers: paths.iter().any(|path| path.starts_with("llm.providers")),
            compared: COMPARED.into_iter().filter(lacks).collect(),
            paths,
        }
    }

    /// Whether a fault may be there only because something was left out.
    pub fn explains(&self, fault: &Problem) -> bool {
        let key = fault.key.as_str();
        let names_a_provider = key.starts_with("llm.roles") || key.starts_with("llm.choices");
        let mut above = key.match_indices(['.', '[']).filter_map(|(end, _)| key.get(..end));
        self.paths.contains(key)
            || above.any(|path| self.paths.contains(path))
            || names_a_provider && self.has_providers
            || key.contains('.') && self.compared.contains(&section(key))
    }
}

/// The section that a path leads into.
fn section(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
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
