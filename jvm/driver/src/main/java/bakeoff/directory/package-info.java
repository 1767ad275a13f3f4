/**
 * The directory tree of the suite {@code ozone-2020}: how a walk goes, and values as flatc and protoc generated code for them from
 * {@code crates/tree/schema}. Nothing else knows how a value is serialised.
 */
package bakeoff.directory;
