//! The known key that somebody may have meant.

use super::shape::Shape;

/// The known name that is most like `given`, if one is like it.
pub(super) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (length, lower) = (given.chars().count(), given.to_lowercase());
    let allowed = (length / 3).clamp(1, 4);
    let known: Vec<_> = known.collect();
    let near = known
        .iter()
        // A key may be as long as its file: what differs more by its length alone is not compared.
        .filter(|name| name.chars().count().abs_diff(length) <= allowed)
        .map(|name| (strsim::osa_distance(&lower, name), *name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance);
    // A word that was cut short is one, too: `per` for `period`.
    let mut longer = known.iter().filter(|name| given.len() > 2 && name.starts_with(&lower));
    near.map(|(_, name)| name).or_else(|| longer.next().copied())
}

/// The path of a key of this very name in another section.
pub(super) fn nearest_path(given: &str, known: &[String]) -> Option<String> {
    let mut known = known.iter();
    known.find(|path| path.rsplit('.').next() == Some(given)).cloned()
}

/// The paths of all keys, those of lists' elements as `llm.providers[].name`.
pub(super) fn paths(root: Shape<'_>) -> Vec<String> {
    let below = |shape: Shape<'_>, prefix: &str| {
        paths(shape)
            .into_iter()
            .map(|path| format!("{prefix}.{path}"))
            .collect::<Vec<_>>()
    };
    root.keys()
        .flat_map(|(key, shape)| {
            let elements = shape
                .items()
                .map(|items| below(items, &format!("{key}[]")))
                .unwrap_or_default();
            [vec![key.to_owned()], below(shape, key), elements].concat()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["max_iterations", "bind", "token"];
        let cases = [
            ("max_iteration", Some("max_iterations")),
            ("maxIterations", Some("max_iterations")),
            ("bnid", Some("bind")),
            ("Token", Some("token")),
            ("tokens", Some("token")),
            ("max", Some("max_iterations")),
            ("password", None),
        ];
        assert_eq!(
            cases.map(|(given, _)| nearest(given, known.into_iter())),
            cases.map(|(_, near)| near)
        );
    }
}
