//! The rows of two people who are one.

use clifford_store::{Pools, people::merge};

use super::{people::texts, world::World};

pub async fn every_table_that_refers_to_a_person_is_merged(world: World) {
    let sql = match world.db.pools() {
        Pools::Sqlite { .. } => {
            "SELECT m.name || '.' || f.\"from\" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
             WHERE m.type = 'table' AND f.\"table\" = 'users'"
        }
        Pools::Postgres(_) => {
            "SELECT c.conrelid::regclass::text || '.' || a.attname FROM pg_constraint c
             JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
             WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass"
        }
    };
    let mut in_schema = texts(&world.db, sql).await;
    in_schema.sort();
    let tables = merge::GO_OVER.iter().copied().chain(merge::BY_RULE);
    let mut merged: Vec<_> = tables.map(|table| format!("{table}.user_id")).collect();
    merged.sort();
    assert_eq!(in_schema, merged);
}
