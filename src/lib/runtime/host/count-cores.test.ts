import { describe, expect, test } from "bun:test";
import { bestWorkers, countCores } from "./count-cores.ts";

const files = (texts: Readonly<Record<string, string>>) => (path: string) => texts[path] ?? null;

describe("cores that a process may use", () => {
  test.each([
    ["no quota", {}, 8],
    ["cgroup v2 without a limit", { "/sys/fs/cgroup/cpu.max": "max 100000\n" }, 8],
    ["cgroup v2 in a container", { "/sys/fs/cgroup/cpu.max": "250000 100000\n" }, 2],
    ["less than one core", { "/sys/fs/cgroup/cpu.max": "50000 100000\n" }, 1],
    ["more than there are", { "/sys/fs/cgroup/cpu.max": "3200000 100000\n" }, 8],
    [
      "a service in a slice with a limit",
      {
        "/proc/self/cgroup": "0::/system.slice/sluice.service\n",
        "/sys/fs/cgroup/system.slice/sluice.service/cpu.max": "max 100000\n",
        "/sys/fs/cgroup/system.slice/cpu.max": "400000 100000\n",
      },
      4,
    ],
    [
      "cgroup v1",
      { "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n" },
      3,
    ],
    [
      "cgroup v1 without a limit",
      { "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n" },
      8,
    ],
  ])("%s", (_, texts, cores) => expect(countCores(8, files(texts))).toBe(cores));
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 4],
  [64, 64],
])("on %i cores %i processes serve most", (cores, workers) => expect(bestWorkers(cores)).toBe(workers));
