//! A list: columns, filters, paging and the file.
