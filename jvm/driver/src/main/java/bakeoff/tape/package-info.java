/**
 * Reads tapes and value pools, as {@code docs/TAPE.md} defines them. Knows no store.
 *
 * <p>A block is checked as a whole before it is delivered, so iterating over its records needs no error handling.
 */
package bakeoff.tape;
