import { expect, test } from "bun:test";
import { Counter, Gauge, Registry } from "prom-client";
import { LabelledTimes } from "../../lib/runtime/metrics/labelled-metrics.ts";
import { addCounters, metricsText, readSnapshots, sum, withLabel } from "./metric-snapshots.ts";

/** A process that has answered so many calls. */
function registryOf(calls: number): Registry {
  const registry = new Registry();
  new Counter({ name: "calls", help: 'Calls, "all"', labelNames: ["status"], registers: [registry] }).inc(
    { status: 'a"b\\c' },
    calls,
  );
  new Gauge({ name: "open", help: "Open calls", registers: [registry] }).set(calls);
  const times = new LabelledTimes(registry, "seconds", "Time", "endpoint", [1, 2]);
  for (let call = 0; call < calls; call += 1) times.add("chat", 1.5);
  return registry;
}

test("one process reads as the registry itself writes it", async () => {
  const registry = registryOf(3);
  expect(metricsText(await readSnapshots(registry, "all")).trim()).toBe((await registry.metrics()).trim());
});

test("counters of ended processes are added to those of the one that follows, gauges are not", async () => {
  const first = await readSnapshots(registryOf(3), "counters");
  const second = await readSnapshots(registryOf(4), "counters");
  const ended = addCounters(addCounters([], first), second);
  const now = await readSnapshots(registryOf(5), "all");
  const text = metricsText(sum([...withLabel(now, "worker", "1"), ...withLabel(ended, "worker", "1")]));
  expect(text).toContain('calls{worker="1",status="a\\"b\\\\c"} 12\n');
  expect(text).toContain('open{worker="1"} 5\n');
  expect(text).toContain('seconds_bucket{worker="1",endpoint="chat",le="1"} 0\n');
  expect(text).toContain('seconds_bucket{worker="1",endpoint="chat",le="2"} 12\n');
  expect(text).toContain('seconds_count{worker="1",endpoint="chat"} 12\n');
  expect(text.match(/# TYPE calls counter/g)).toHaveLength(1);
});

test("workers keep their own series", async () => {
  const [one, two] = await Promise.all([readSnapshots(registryOf(1), "all"), readSnapshots(registryOf(2), "all")]);
  const text = metricsText(sum([...withLabel(one, "worker", "1"), ...withLabel(two, "worker", "2")]));
  expect(text).toContain('open{worker="1"} 1\nopen{worker="2"} 2\n');
});
