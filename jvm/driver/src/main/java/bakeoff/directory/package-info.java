/**
 * The directory tree of the suite {@code ozone-2020}: properties of walks, and code for values that flatc and protoc
 * generated from {@code crates/tree/schema}. No other package knows how values are serialised.
 */
package bakeoff.directory;
