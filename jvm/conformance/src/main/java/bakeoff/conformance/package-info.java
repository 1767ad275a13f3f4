/** The checks that every store must pass at each of its levels and with every word of its settings. */
package bakeoff.conformance;
