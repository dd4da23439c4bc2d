import { describe, expect, test } from "bun:test";
import { describePlan, MEASURED, planCapacity, readNumbers, TRAFFIC } from "./capacity.ts";

/** Round numbers, so that the sums can be done by head. */
const traffic = {
  ...{ callsAMonth: 2_592_000_000, peakFactor: 2, streamedShare: 0.5, secondsACall: 5, kilobytesACall: 10 },
  ...{ keys: 1_000_000, monthsOfLogs: 2, coresAHost: 10, busyShare: 0.5, spareHosts: 1 },
};
const measured = {
  ...{ cpuUsNotStreamed: 1000, cpuUsStreamed: 3000, idleMibAWorker: 100, mibAnOpenStream: 1, bytesAKeyInMemory: 0 },
  ...{ recordsASecond: 4000, databaseCpuUsARecord: 100, bytesALogRow: 900, bytesOfRollUpsACall: 100 },
  ...{ walBytesARecord: 1_048_576, connectionsAHost: 48, redisCpuUsACall: 10 },
};

describe("a plan", () => {
  test("follows from the figures", () => {
    const plan = planCapacity(traffic, measured);
    expect(plan).toMatchObject({
      ...{ callsASecond: 1000, peakCallsASecond: 2000, openCallsAtPeak: 10_000 },
      // 2,000 calls of 2 ms keep 4 cores busy; half busy, these are 8: one host, and a spare one.
      ...{ gatewayCores: 8, hosts: 2, workers: 20, databaseConnections: 96 },
      ...{ databaseCores: 0.4, walMibASecond: 2000, networkMbitASecond: 320 },
    });
    // Ten workers of 100 MiB and ten thousand open calls of 1 MiB.
    expect(plan.memoryGibAHost).toBeCloseTo(11_000 / 1024, 6);
    expect(plan.storageGib).toBeCloseTo((2 * 2_592_000_000 * 1000) / 1024 ** 3, 3);
  });

  test("names what is exhausted first, and what moves it", () => {
    const [first, second] = planCapacity(traffic, measured).walls;
    expect([first?.name, first?.share]).toEqual(["write-ahead log", 10]);
    expect([second?.name, second?.share.toFixed(2)]).toEqual(["a disk of 4 TB for the log", "1.18"]);
    expect(describePlan(planCapacity(traffic, measured))).toContain("1000 %  write-ahead log: wal_compression");
  });

  test("takes numbers from the command line, and refuses what is none", () => {
    const [own, figures] = readNumbers(["--callsAMonth=50e6", "--cpuUsStreamed=900"]);
    expect([own, figures]).toEqual([
      { ...TRAFFIC, callsAMonth: 50_000_000 },
      { ...MEASURED, cpuUsStreamed: 900 },
    ]);
    expect(() => readNumbers(["--callsPerYear=1"])).toThrow("callsPerYear");
    expect(() => planCapacity(...readNumbers(["--keys=many"]))).toThrow("keys must be a number");
    expect(() => planCapacity(...readNumbers(["--busyShare=50"]))).toThrow("busyShare is a share");
    expect(() => planCapacity(...readNumbers(["--callsAMonth=0"]))).toThrow("callsAMonth must be more than 0");
  });

  test("grows with the traffic, and with nothing else", () => {
    const small = planCapacity({ ...TRAFFIC, callsAMonth: 1_000_000 }, MEASURED);
    const large = planCapacity(TRAFFIC, MEASURED);
    expect(small.hosts).toBe(2);
    expect(large.gatewayCores / small.gatewayCores).toBeCloseTo(1000, 6);
    expect(large.storageGib / small.storageGib).toBeCloseTo(1000, 6);
  });
});
