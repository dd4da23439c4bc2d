import { expect, test } from "bun:test";
import {
  cpuMicroseconds,
  mainThreadMicroseconds,
  ownMib,
  parseCpuTicks,
  proportionalMib,
  residentMib,
} from "./process-stats.ts";

test("finds user and system time behind a command name with spaces and brackets", () => {
  const stat = "1234 (a (b) c) S 1 1234 1234 0 -1 4194560 5000 0 10 0 700 33 0 0 20 0 9 0 555 100 200";
  expect(parseCpuTicks(stat)).toBe(733);
});

test.if(process.platform === "linux")("reads this process", () => {
  expect(cpuMicroseconds(process.pid)).toBeGreaterThan(0);
  const before = mainThreadMicroseconds(process.pid);
  for (const end = performance.now() + 20; performance.now() < end; );
  expect(mainThreadMicroseconds(process.pid)).toBeGreaterThan(before);
  expect(residentMib(process.pid)).toBeGreaterThan(10);
  expect(ownMib(process.pid)).toBeGreaterThan(5);
  expect(ownMib(process.pid)).toBeLessThan(proportionalMib([process.pid]));
});
