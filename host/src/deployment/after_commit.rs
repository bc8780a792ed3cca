//! Modules that receive events after their commit.

use std::sync::Arc;

use super::Deployment;
use crate::watchdog::Pulse;

impl Deployment {
    /// Runs until it is stopped.
    pub(super) async fn send_committed(self: Arc<Self>, pulse: Pulse) {
        pulse.beat();
    }
}
