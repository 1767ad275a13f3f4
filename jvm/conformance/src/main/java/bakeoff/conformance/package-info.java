/** The checks that every store must pass, in every class it offers and with every word of its settings. */
package bakeoff.conformance;
