//! The basket of the till: scan, lines and customer.
