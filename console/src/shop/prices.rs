//! Prices of several lists in one grid.
