//! Every fault of a configuration: of its types, between its keys, and of the secrets that it names.

use super::{
    Loaded, Secrets, Sources,
    error::Problem,
    load::{Read, read_tree},
    shape::{Shape, schema},
    understand::{LeftOut, Understood, understand},
};

/// The findings of a look at a configuration.
pub struct Examined {
    /// The settings and secrets, as far as they are in order; `None` if too much is wrong.
    pub found: Option<(Loaded, Secrets)>,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Looks at a whole configuration, secrets included.
pub fn examine(sources: &Sources) -> Examined {
    let (found, mut problems) = match look(sources) {
        Ok(looked) => looked,
        Err(problems) => (None, problems),
    };
    problems.sort_by(|a, b| a.place.cmp(&b.place));
    Examined { found, problems }
}

type Looked = (Option<(Loaded, Secrets)>, Vec<Problem>);

fn look(sources: &Sources) -> Result<Looked, Vec<Problem>> {
    let schema = schema(sources.platforms);
    let root = Shape::new(&schema);
    let Read { tree, origin } = read_tree(sources, root).map_err(|errors| errors.problems().to_vec())?;
    let Understood {
        config,
        tree,
        mut problems,
    } = understand(&tree, root, sources.platforms);
    let Some(config) = config else {
        return Ok((None, problems));
    };
    let loaded = match Loaded::new(config, origin, tree, sources, root) {
        Ok(loaded) => loaded,
        Err(problem) => {
            problems.push(problem);
            return Ok((None, problems));
        }
    };
    let (secrets, missing) = loaded.known_secrets(&sources.env);
    let left_out = LeftOut::of(&problems);
    problems.extend(missing.into_iter().filter(|problem| !left_out.explains(problem)));
    Ok((Some((loaded, secrets)), problems))
}
