/** Tests of how the classes of all modules use each other. */
package bakeoff.architecture;
