//! From the pairs of a form to JSON, and from JSON to the values of fields.
