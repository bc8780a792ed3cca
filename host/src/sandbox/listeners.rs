//! Events within the transaction: when the called module's function has returned, other modules receive what was
//! emitted, and each may write rows of its own or reject the request. The caller's rows are complete by then.
//!
//! Events that listeners emit are received by no listener of the same transaction: so no event leads to another without end.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_descriptor::extension::Moment;
use wasmtime::{AsContextMut as _, Store};

use super::arrangement::{Arrangement, LISTENER};
use super::module::Module;
use super::points::{enter_extension, leave_extension};
use super::services;
use super::state::State;
use crate::wit::events::Event as Emitted;
use crate::wit::extension::listener::{Event, Moment as ReceivedMoment};
use crate::wit::module::Problem;

/// A listener that rejected a request, and its problem.
pub type ListenerRejection = (Arc<Module>, Problem);

/// The modules that receive each kind of event in the transaction, in the arrangement of the generation.
#[derive(Default)]
pub struct TransactionListeners(BTreeMap<String, Vec<Arc<Module>>>);

impl TransactionListeners {
    pub fn new(modules: &[Arc<Module>], arrangement: &Arrangement) -> TransactionListeners {
        let mut listeners: BTreeMap<String, Vec<Arc<Module>>> = BTreeMap::new();
        for name in arrangement.get(LISTENER).into_iter().flatten() {
            let Some(module) = modules.iter().find(|module| module.name == *name) else { continue };
            for receiving in module.descriptor.receives.iter().filter(|it| it.moment == Moment::InTransaction) {
                listeners.entry(receiving.kind.clone()).or_default().push(module.clone());
            }
        }
        TransactionListeners(listeners)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The emitted events that a listener receives, in the sequence in which they were emitted.
    fn select_events(&self, emitted: &[(Arc<Module>, Emitted)]) -> Vec<(Arc<Module>, Emitted)> {
        emitted.iter().filter(|(_, event)| self.0.contains_key(&event.kind)).cloned().collect()
    }
}

/// Gives the events of a call to their listeners. `Some`: a listener rejected, and the request must end with its problem.
pub async fn notify(
    store: &mut Store<State>,
    listeners: &TransactionListeners,
) -> wasmtime::Result<Option<ListenerRejection>> {
    if listeners.is_empty() || store.data().scope.closed || store.data().refused.is_some() {
        return Ok(None);
    }
    let point: Arc<str> = LISTENER.into();
    for (emitter, emitted) in listeners.select_events(&store.data().emitted) {
        let event = describe_event(store.data(), emitted);
        for listener in listeners.0.get(&event.kind).into_iter().flatten() {
            if listener.name == emitter.name {
                continue;
            }
            if let Some(problem) = receive(store, listener, &point, &event).await? {
                return Ok(Some((listener.clone(), problem)));
            }
        }
    }
    Ok(None)
}

async fn receive(
    store: &mut Store<State>,
    listener: &Arc<Module>,
    point: &Arc<str>,
    event: &Event,
) -> wasmtime::Result<Option<Problem>> {
    let entered = enter_extension(store.data_mut(), listener, "receive", &event.kind);
    let received = async {
        let instance = services::instantiate(&mut store.as_context_mut(), listener).await?;
        let indices = listener.receives.as_ref();
        let indices = indices.ok_or_else(|| wasmtime::format_err!("the listener lost its function"))?;
        let guest = indices.load(&mut *store, &instance)?;
        guest.call_receive(&mut *store, ReceivedMoment::InTransaction, event).await
    };
    let (called, rejection) = match received.await {
        Ok(received) => (Ok(received.is_err()), received.err()),
        Err(error) => (Err(error), None),
    };
    leave_extension(store.data_mut(), entered, (listener, point), called)?;
    Ok(rejection)
}

/// The event has no id yet: the host writes it at the end of the transaction.
fn describe_event(state: &State, emitted: Emitted) -> Event {
    let Emitted { kind, resource_type, resource, version, data } = emitted;
    let (occurred_at, request) = (state.facts.instant, state.facts.request);
    Event { id: None, kind, resource_type, resource, version, data, occurred_at, request }
}
