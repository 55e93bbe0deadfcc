//! `/link`, `/unlink`: which accounts are one person.

use super::Done;
use crate::{
    clock::Timestamp,
    store::{StoreError, Tx, channels::Channel, users::User},
};

pub(super) async fn link(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _account: &str,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn unlink(
    _tx: &mut Tx,
    _channel: &Channel,
    _user: &User,
    _account: &str,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}
