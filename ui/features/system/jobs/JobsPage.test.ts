import { expect, test } from "bun:test";
import texts from "../../../locales/en/system/jobs.json";

test("every job has a name in the reader's language", async () => {
  const source = await Bun.file(`${import.meta.dir}/../../../../src/server/jobs/jobs.ts`).text();
  const names = [...source.matchAll(/\b(?:once|every|onceBySetting)\(\s*"([^"]+)"/g)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !(name in texts.names))).toEqual([]);
});
