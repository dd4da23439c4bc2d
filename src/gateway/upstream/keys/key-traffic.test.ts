import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTrafficFile, writeTrafficFile } from "../../routing/scheduler/traffic-file.ts";
import { createKeyTraffic } from "./key-traffic.ts";

const MINUTE = 60_000;

test("calls under way are counted for each key and for the channel", () => {
  const traffic = createKeyTraffic();
  traffic.begin(1, "a");
  traffic.begin(1, "a");
  traffic.begin(1, "b");
  traffic.begin(2, "a");
  expect([traffic.inFlight(1), traffic.of(1, "a").inFlight, traffic.of(1, "b").inFlight]).toEqual([3, 2, 1]);
  traffic.end(1, "a", false, 10);
  traffic.end(1, "a", null, 10);
  expect([traffic.inFlight(1), traffic.of(1, "a").inFlight]).toEqual([1, 0]);
  expect(traffic.inFlight(9)).toBe(0);
});

test("an hour is stored in slots of five minutes", () => {
  let now = 100 * 60 * MINUTE;
  const traffic = createKeyTraffic(() => now);
  const call = (failed: boolean | null, elapsedMs: number) => {
    traffic.begin(1, "a");
    traffic.end(1, "a", failed, elapsedMs);
  };
  call(false, 100);
  call(true, 9000);
  call(null, 5);
  now += 7 * MINUTE;
  call(false, 300);
  const { slots } = traffic.of(1, "a");
  expect(slots).toHaveLength(12);
  expect(slots.slice(-2)).toMatchObject([
    { count: 2, failed: 1, elapsedMs: 100 },
    { count: 1, failed: 0, elapsedMs: 300 },
  ]);
  now += 55 * MINUTE;
  expect(traffic.of(1, "a").slots.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  now += 60 * MINUTE;
  expect(traffic.of(1, "a").slots.every(({ count }) => count === 0)).toBe(true);
});

test("what is long past is forgotten", () => {
  let now = 0;
  const traffic = createKeyTraffic(() => now);
  for (let slot = 0; slot < 40; slot += 1) {
    traffic.end(1, "a", false, 1);
    now += 5 * MINUTE;
  }
  expect(traffic.of(1, "a").slots.filter(({ count }) => count === 1)).toHaveLength(11);
});

test("an earlier process's hour continues, and its keys are not revealed", async () => {
  let now = 1_700_000_000_000;
  const before = createKeyTraffic(() => now);
  for (const failed of [false, false, true]) {
    before.begin(7, "sk-secret");
    before.end(7, "sk-secret", failed, 100);
  }
  before.begin(8, "sk-other");
  before.end(8, "sk-other", false, 50);
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-traffic-"));
  writeTrafficFile(dataDir, before.snapshot());
  expect(await Bun.file(join(dataDir, "traffic.json")).text()).not.toContain("secret");
  now += 600_000;
  const after = createKeyTraffic(() => now, readTrafficFile(dataDir));
  after.begin(7, "sk-secret");
  after.end(7, "sk-secret", false, 100);
  const { slots, inFlight } = after.of(7, "sk-secret");
  const sum = (of: "count" | "failed" | "elapsedMs") => slots.reduce((total, slot) => total + slot[of], 0);
  expect([sum("count"), sum("failed"), sum("elapsedMs"), inFlight]).toEqual([4, 1, 300, 0]);
  // Unread entries are saved, too, until they are an hour old.
  expect(Object.keys(after.snapshot())).toHaveLength(2);
  now += 3_000_000;
  expect(Object.keys(after.snapshot())).toHaveLength(1);
  expect(readTrafficFile(join(dataDir, "nowhere"))).toEqual({});
  await Bun.write(join(dataDir, "traffic.json"), "half a fi");
  expect(readTrafficFile(dataDir)).toEqual({});
  await rm(dataDir, { recursive: true });
});
