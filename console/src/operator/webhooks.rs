//! Deliveries of a webhook of a company, and their redelivery.
