//! A nightly file of products: the importer sends the changes and nothing else.
