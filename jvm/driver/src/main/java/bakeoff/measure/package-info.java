/**
 * The clock's cost, and the resources of this process, its JVM and a directory. Unreadable values are absent, never
 * zero.
 */
package bakeoff.measure;
