//! One thing to be remembered, as a run asks for it: by the same rules as the memory writer's items.

use std::collections::HashMap;

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, MemoryItemId, SpaceId, UserId},
    memory::{
        content::Content,
        operations::{Op, Operation},
        rows::Change,
        rules::{self, Archived, WriteScope},
    },
    run::undo::Undo,
};
use clifford_store::{
    StoreError, Tx,
    memory::{
        items::Viewer,
        undo,
        write::{self as memory_write, Words},
    },
};

/// Remembers it, in place of what its key says by now. Inside: how it is taken back, if anything changed by it; or why
/// nothing was stored.
pub async fn note(
    tx: &mut Tx,
    user: UserId,
    content: Content,
    viewer: Viewer,
    context: Option<ContextId>,
    words: Words,
    now: Timestamp,
) -> Result<Result<Option<Undo>, String>, StoreError> {
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
        let place = WriteScope {
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
    let before = undo::active_item(tx, user, &content.module, &content.key).await?;
    memory_write::change(tx, user, context, space, words, &outcome.changes).await?;
    let there = undo::active_item(tx, user, &content.module, &content.key).await?;
    let archived = outcome.changes.iter().filter_map(|change| match change {
        Change::Archive(id) => Some(*id),
        Change::Add(_) | Change::Update(_) => None,
    });
    let says = |kept: &clifford_core::run::undo::KeptItem| (kept.item.value.clone(), kept.item.level);
    let is_new = before.as_ref().map(says) != there.as_ref().map(says);
    Ok(Ok(there.filter(|_| is_new).map(|there| Undo::ItemPut {
        before,
        now: there,
        archived: archived.collect(),
    })))
}
