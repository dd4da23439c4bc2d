import { expect, test } from "bun:test";
import { runSoak } from "../../../scripts/soak/run-soak.ts";

const differing = (findings: readonly { name: string; expected: number; found: number }[]) =>
  findings.filter(({ expected, found }) => expected !== found).map(({ name }) => name);

test("books are exact after calls that fail, are left and are killed with their gateway; an audit sees what is not", async () => {
  const result = await runSoak({ engine: "embedded", seconds: 10, clients: 6, restMs: 2500 });
  expect(differing(result.findings)).toEqual([]);
  expect(result.faults.get("SIGKILL of a gateway")).toBeGreaterThan(0);
  expect(result.traffic.delivered.length).toBeGreaterThan(10);
  expect(result.traffic.failures.get("hostile 404")).toBeGreaterThan(0);
  expect(result.tools.get("plain delivered")).toBeGreaterThan(3);
  expect(result.tools.get("asks delivered")).toBeGreaterThan(3);
  expect(result.lowered).toBeGreaterThan(0);
  const more = { ...result.traffic, delivered: [...result.traffic.delivered, "a call that nobody charged"] };
  expect(differing(await result.audit(more))).toEqual([
    "delivered answers with a row",
    "delivered answers that were charged",
  ]);
}, 180_000);
