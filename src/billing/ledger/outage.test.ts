import { describe, expect, test } from "bun:test";
import { Outage } from "./outage.ts";

const create = (spendRatio: number, liveProcesses: number) => {
  const processes = { count: liveProcesses };
  return { processes, outage: new Outage({ spendRatio, liveProcesses: () => processes.count }) };
};
const stateOf = (outage: Outage, now: number) => ({
  over: outage.isOver,
  recovering: outage.isRecovering(now),
  limits: outage.limits(now),
  cautious: outage.isCautious(now),
});

describe("an outage", () => {
  test("limits spending to a share from its begin until the others have recovered", () => {
    const { outage } = create(0.6, 3);
    expect(stateOf(outage, 0)).toEqual({ over: true, recovering: false, limits: false, cautious: false });
    outage.begin(1000);
    expect([outage.number, outage.share]).toEqual([1, 0.6 / 3]);
    expect(stateOf(outage, 1000)).toEqual({ over: false, recovering: false, limits: true, cautious: true });
    expect(outage.end(2000)).toBe(5000);
    expect(stateOf(outage, 6999)).toEqual({ over: true, recovering: true, limits: true, cautious: true });
    expect(stateOf(outage, 7000)).toEqual({ over: true, recovering: false, limits: false, cautious: false });
  });

  test("of a process that is alone needs no recovery and no caution", () => {
    const { outage } = create(1, 1);
    outage.begin(0);
    expect([outage.share, stateOf(outage, 0).cautious]).toEqual([1, false]);
    expect(outage.end(10)).toBe(0);
    expect(stateOf(outage, 10)).toEqual({ over: true, recovering: false, limits: false, cautious: false });
  });

  test("has the share of one process where none is registered", () => {
    const { outage } = create(0.5, 0);
    outage.begin(0);
    expect(outage.share).toBe(0.5);
    outage.end(0);
    outage.expectReturn(0, 0);
    expect(outage.share).toBe(0.5);
  });

  test("that comes back within the recovery continues the last one, later ones are new", () => {
    const { outage, processes } = create(1, 2);
    outage.begin(0);
    outage.begin(1);
    expect([outage.number, outage.share]).toEqual([1, 0.5]);
    outage.end(10);
    expect(outage.end(11)).toBeNull();
    processes.count = 4;
    outage.begin(5009);
    expect([outage.number, outage.share, outage.isOver]).toEqual([1, 0.5, false]);
    outage.end(6000);
    outage.begin(11_000);
    expect([outage.number, outage.share]).toEqual([2, 0.25]);
  });

  test("is expected at the start from processes that may come back from one", () => {
    const { outage } = create(0.9, 1);
    outage.expectReturn(100, 3);
    expect([outage.number, outage.share]).toEqual([1, 0.9 / 3]);
    expect(stateOf(outage, 5099)).toEqual({ over: true, recovering: true, limits: true, cautious: true });
    expect(outage.isRecovering(5100)).toBe(false);
  });
});
