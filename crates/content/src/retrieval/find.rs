//! Finds the pieces of documents that hold the words of a question, ranked as messages are: among themselves.

use clifford_core::search::{
    Query, Scope,
    rank::{self, PhraseCounts},
};
use clifford_store::{
    Conn, StoreError,
    documents::{self, Chunk},
};

use crate::search::window::{EACH, Plan};

/// The most pieces that are ranked: they are longer than messages.
const MOST: usize = 300;

/// The pieces of a scope that hold something of a query, with their scores, the best first.
pub async fn by_words(conn: &mut Conn, scope: Scope, query: &Query) -> Result<Vec<(Chunk, f64)>, StoreError> {
    let plan = Plan::of(query, &[]);
    let lists = documents::lists(conn, scope, &plan.sought, EACH).await?;
    let mut window = plan.window(&lists, &std::collections::HashSet::new());
    window.numbers.truncate(MOST);
    let chunks = documents::chunks(conn, scope, &window.numbers).await?;
    let held: Vec<_> = chunks
        .iter()
        .map(|chunk| PhraseCounts::by(query, &format!("{} {}", chunk.title, chunk.content)))
        .collect();
    let scores = rank::scores(&held, &window.population);
    let mut scored: Vec<_> = chunks
        .into_iter()
        .zip(scores)
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored
        .sort_by(|(one, one_score), (other, other_score)| other_score.total_cmp(one_score).then(one.id.cmp(&other.id)));
    Ok(scored)
}
