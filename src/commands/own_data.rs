//! `/export`, `/erase`: all that is kept of a person, handed out or deleted.

use super::Done;
use crate::{
    clock::Timestamp,
    store::{StoreError, Tx, channels::Channel, users::User},
};

pub(super) async fn export(
    _tx: &mut Tx,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn erase(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}
