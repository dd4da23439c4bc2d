import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTrafficFile, writeTrafficFile } from "./traffic-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-traffic-"));
});
afterEach(() => rm(folder, { recursive: true }));

const SNAPSHOT = { "1 key": [{ minute: 5, count: 2, failed: 1 }] } as never;

test("the traffic of one process is read by the next, from a file that only its owner reads", async () => {
  const dataDir = join(folder, "new", "data");
  writeTrafficFile(dataDir, SNAPSHOT);
  expect(readTrafficFile(dataDir)).toEqual(SNAPSHOT);
  expect(await readdir(dataDir)).toEqual(["traffic.json"]);
  expect((await stat(join(dataDir, "traffic.json"))).mode & 0o777).toBe(0o600);
  writeTrafficFile(dataDir, {} as never);
  expect(readTrafficFile(dataDir)).toEqual({});
});

test.each(["", "{", "null", "7", '"text"'])("a file with %p is as good as none", async (text) => {
  await Bun.write(join(folder, "traffic.json"), text);
  expect(readTrafficFile(folder)).toEqual({});
  expect(readTrafficFile(join(folder, "missing"))).toEqual({});
});
