/** Directories serialised as values: code that flatc and protoc generated from {@code crates/tree/schema}, and what reads it. */
package bakeoff.directory;
