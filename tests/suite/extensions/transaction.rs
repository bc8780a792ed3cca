//! An extension is part of the transaction of its caller.
