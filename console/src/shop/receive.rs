//! Receiving goods of a purchase order by scan.
