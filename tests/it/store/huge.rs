//! Messages that are larger than what is read of them.

use clifford_content::search::indexer;

use super::world::World;

pub async fn a_huge_message_is_found_by_its_beginning(world: World) {
    world.say(&format!("walrus {} zebra", ". ".repeat(150_000))).await;
    indexer::take(&world.db).await.expect("takes");
    assert_eq!(
        (world.finds("walrus").await.len(), world.finds("zebra").await.len()),
        (1, 0)
    );
}
