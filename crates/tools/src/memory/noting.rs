//! One thing to be remembered, as a run asks for it: by the same rules as what the memory writer finds.

use std::collections::HashMap;

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MemoryItemId, SpaceId, UserId},
    memory::{
        content::Content,
        operations::{Op, Operation},
        rules::{self, Archived, Place},
    },
};
use clifford_store::{
    StoreError, Tx,
    memory::{items::Viewer, write as memory_write},
};

/// Remembers it, in place of what its key says by now. Inside: why not; then nothing was stored.
pub async fn note(
    tx: &mut Tx,
    user: UserId,
    content: Content,
    viewer: Viewer,
    context: Option<ContextId>,
    now: Timestamp,
) -> Result<Result<(), String>, StoreError> {
    let content = match content.checked() {
        Ok(content) => content,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    let space: Option<SpaceId> = match viewer {
        Viewer::Private => None,
        Viewer::Shared(space) => space,
    };
    let private = viewer == Viewer::Private;
    if !private && space.is_none() {
        return Ok(Err(
            "nothing is remembered where it is not known who reads along".to_owned()
        ));
    }
    let reading = Ok(Operation {
        op: Op::Add,
        id: None,
        module: Some(content.module.clone()),
        key: Some(content.key.clone()),
        level: Some(content.level),
        value: Some(content.value),
        confidence: Some(content.confidence),
    });
    memory_write::lock(tx, user).await?;
    let items = memory_write::items(tx, user).await?;
    let outcome = {
        let place = Place {
            sees: &|item| private || item.shareable || space.is_some() && item.origin_space == space,
            private,
            space,
            named: &HashMap::new(),
        };
        rules::apply(items, &[reading], &place, now, MemoryItemId::new)
    };
    if let Some(skipped) = outcome.skipped.into_iter().next() {
        return Ok(Err(skipped.reason));
    }
    let is_it = |gone: &Archived| (&gone.module, &gone.key) == (&content.module, &content.key);
    if let Some(gone) = outcome.archived.into_iter().find(is_it) {
        return Ok(Err(gone.reason));
    }
    memory_write::change(tx, user, context, space, &outcome.changes).await?;
    Ok(Ok(()))
}
