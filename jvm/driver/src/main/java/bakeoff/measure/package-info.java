/** The clock's cost, and what this process, its JVM and a directory cost. What cannot be read is absent, never zero. */
package bakeoff.measure;
