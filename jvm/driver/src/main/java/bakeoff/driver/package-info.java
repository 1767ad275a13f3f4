/**
 * The replay loop, the execution of a request, and the command line of the driver ({@code docs/PROTOCOL.md}).
 *
 * <p>Inside a timed region, this package generates, checks, logs and allocates nothing.
 */
package bakeoff.driver;
