/** What one process found right is right for the others of its run. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createSeenLooks, type Look } from "./seen-looks.ts";

const look = (setting: string): Look => ({
  setting,
  kinds: ["HTML", "MAIN"],
  elements: [
    { parent: -1, kind: 0 },
    { parent: 0, kind: 1 },
  ],
});

test("what is added through a file is found by others with the same file, also when both add", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-looks-"));
  const file = path.join(folder, "seen");
  const [one, other, apart] = [createSeenLooks(file), createSeenLooks(file), createSeenLooks()];
  expect(await other.find(look("wide"))).toEqual([]);
  await one.add(look("wide"));
  await other.add(look("narrow"));
  for (const looks of [one, other]) {
    expect(await looks.find(look("wide"))).toEqual([0]);
    expect(await looks.find(look("narrow"))).toEqual([0]);
    expect(await looks.find(look("dark"))).toEqual([]);
  }
  expect(await apart.find(look("wide"))).toEqual([]);
  await rm(folder, { recursive: true });
});
