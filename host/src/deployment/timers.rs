//! The timers of modules.

use std::sync::Arc;

use super::Deployment;
use crate::watchdog::Pulse;

impl Deployment {
    /// Runs until it is stopped.
    pub(super) async fn run_timers(self: Arc<Self>, pulse: Pulse) {
        pulse.beat();
    }
}
