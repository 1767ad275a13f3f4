/**
 * The replay loop, one request from beginning to end, and the command line of the driver ({@code docs/PROTOCOL.md}).
 *
 * <p>Inside a timed region nothing is generated, checked, logged or allocated here.
 */
package bakeoff.driver;
