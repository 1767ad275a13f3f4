/** Benchmarks of the harness itself, with JMH. {@code ./bakeoff bench jvm} runs them. */
package bakeoff.bench;
