//! A receiver of traces, as a collector listens for them.
