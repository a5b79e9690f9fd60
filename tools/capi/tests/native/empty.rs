//! An empty library, whose static form needs the libraries that every one needs.
