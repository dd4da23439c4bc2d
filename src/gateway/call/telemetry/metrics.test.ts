import { expect, test } from "bun:test";
import { RecentOverheads } from "./metrics.ts";

test("the median and the 99th percentile of the last thousand calls", () => {
  const overheads = new RecentOverheads();
  expect(overheads.read()).toBeNull();
  overheads.add(7);
  expect(overheads.read()).toEqual({ calls: 1, p50Ms: 7, p99Ms: 7 });
  for (let ms = 0; ms < 5000; ms += 1) overheads.add(9999);
  for (let ms = 1; ms <= 1000; ms += 1) overheads.add(ms);
  expect(overheads.read()).toEqual({ calls: 1000, p50Ms: 501, p99Ms: 991 });
});
