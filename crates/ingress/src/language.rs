//! The languages in which the bot's own sentences are read in a place.

use clifford_chat::inbound::Place;
use clifford_store::{Conn, StoreError, places::settings};
use clifford_text::Lang;

/// The language in which a person reads in a place, and that in which everybody there does.
pub(super) async fn languages(
    conn: &mut Conn,
    person: Option<&str>,
    place: &Place,
) -> Result<(Lang, Lang), StoreError> {
    let own = person.and_then(Lang::of);
    if let (Some(own), true) = (own, place.kind.is_private()) {
        return Ok((own, own));
    }
    let set = settings::language_at(conn, place).await?;
    let set = set.as_deref();
    Ok((Lang::for_reader(person, set), Lang::for_place(set, person)))
}
