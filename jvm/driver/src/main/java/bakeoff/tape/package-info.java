/**
 * Tapes and value pools, as {@code docs/TAPE.md} lays them down. Reading only; knows no store.
 *
 * <p>A block is checked as a whole before it is handed out, so that going through its records needs no error path.
 */
package bakeoff.tape;
