import { collectDefaultMetrics, Registry } from "prom-client";

/** The registry behind /metrics, with the process's own figures (memory, CPU, event loop) already in it. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
