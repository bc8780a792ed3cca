//! A machine learns which products and prices went away.
