//! The distance between a typed word and a known name.

/// A longer text is no misspelt name.
const LONGEST: usize = 100;

/// How many slips lie between what was written and a name. Comparing takes the product of both lengths, and what was
/// written may be of any length: what cannot be near is not compared.
pub fn slips(name: &str, written: &str) -> usize {
    if written.len() > LONGEST || name.len() > LONGEST {
        return usize::MAX;
    }
    strsim::osa_distance(name, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_and_texts_are_not() {
        assert_eq!(slips("web.fetch", "web.fecth"), 1);
        assert_eq!(slips("web.fetch", &"web.fetch".repeat(50_000)), usize::MAX);
    }
}
