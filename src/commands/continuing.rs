//! `/continue`: a conversation of another platform goes on here.

use super::Done;
use crate::{
    clock::Timestamp,
    store::{StoreError, Tx, channels::Channel, users::User},
};

pub(super) async fn go_on(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}
