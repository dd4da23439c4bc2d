import { expect, test } from "bun:test";
import { memoryLimitBytes } from "./memory-limit.ts";

const GIB = 1_073_741_824;

test.each<[string, Readonly<Record<string, string>>, number]>([
  ["no limit", {}, 8],
  ["cgroup v2 without a limit", { "/sys/fs/cgroup/memory.max": "max\n" }, 8],
  ["cgroup v2 in a container", { "/sys/fs/cgroup/memory.max": `${GIB}\n` }, 1],
  ["more than there is", { "/sys/fs/cgroup/memory.max": `${64 * GIB}\n` }, 8],
  [
    "a service in a slice with a limit",
    {
      "/proc/self/cgroup": "0::/system.slice/sluice.service\n",
      "/sys/fs/cgroup/system.slice/sluice.service/memory.max": "max\n",
      "/sys/fs/cgroup/system.slice/memory.max": `${2 * GIB}\n`,
    },
    2,
  ],
  ["cgroup v1 in a container", { "/sys/fs/cgroup/memory/memory.limit_in_bytes": `${GIB}\n` }, 1],
  ["cgroup v1 without a limit", { "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n" }, 8],
  [
    "a service of cgroup v1",
    {
      "/proc/self/cgroup": "9:name=systemd:/\n4:memory:/system.slice/sluice.service\n0::/\n",
      "/sys/fs/cgroup/memory/system.slice/sluice.service/memory.limit_in_bytes": `${3 * GIB}\n`,
    },
    3,
  ],
])("%s", (_, files, limit) => expect(memoryLimitBytes(8 * GIB, (path) => files[path] ?? null)).toBe(limit * GIB));
