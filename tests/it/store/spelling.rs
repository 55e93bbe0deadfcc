//! A search for a word that may be written in two ways.

use super::world::World;

pub async fn a_letter_is_found_by_the_two_that_stand_for_it(world: World) {
    world.say("Call Frau Müller").await;
    world.say("Herr Mueller called").await;
    for query in ["Müller", "Mueller", "MUELLER", "muellers"] {
        let mut found = world.finds(query).await;
        found.retain(|text| text.contains("**"));
        found.sort();
        assert_eq!(found, ["Call Frau **Müller**", "Herr **Mueller** called"], "{query}");
    }
    assert_eq!(world.finds("\"Mueller\"").await, ["Herr **Mueller** called"]);
}
