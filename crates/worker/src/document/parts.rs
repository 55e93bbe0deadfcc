//! The parts of a package of office programs: its relationships say which they are. Programs name them as they like.

use super::{
    Unreadable,
    archive::{Archive, folder},
    xml::each,
};

/// A part that another one refers to.
pub(super) struct Relation {
    /// How the other one calls it.
    pub(super) id: String,
    /// The last word of its type: `officeDocument`, `slide`.
    pub(super) kind: String,
    /// Its entry.
    pub(super) path: String,
}

/// The parts that a part refers to and that are there; those of the package itself: `""`.
pub(super) fn of(archive: &mut Archive<'_>, part: &str) -> Result<Vec<Relation>, Unreadable> {
    let (folder, name) = (folder(part), part.rsplit('/').next().unwrap_or_default());
    let list = archive.referred(folder, &format!("_rels/{name}.rels"));
    let Some(list) = list else { return Ok(Vec::new()) };
    let list = archive.text(&list)?.unwrap_or_default();
    let mut relations = Vec::new();
    each(&list, |name, attributes| {
        let of = |name: &str| attributes.get(name).unwrap_or_default().to_owned();
        let kind = of("Type").rsplit('/').next().map(str::to_owned);
        if name == "Relationship" && of("TargetMode") != "External" {
            relations.push((of("Id"), kind.unwrap_or_default(), of("Target")));
        }
    })?;
    let found = relations.into_iter().filter_map(|(id, kind, target)| {
        let path = archive.referred(folder, &target)?;
        Some(Relation { id, kind, path })
    });
    Ok(found.collect())
}

/// The part of a kind among those that a part refers to.
pub(super) fn find(relations: &[Relation], kind: &str) -> Option<String> {
    let found = relations.iter().find(|relation| relation.kind == kind);
    found.map(|relation| relation.path.clone())
}
