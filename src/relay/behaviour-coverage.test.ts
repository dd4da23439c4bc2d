import { expect, test } from "bun:test";
import { join } from "node:path";

/** Rows of the reference's section on billing, and of its list of defects, as far as they concern calls and tasks. */
const ROWS = [
  ...["3.1 text", "3.1 fixed price", "3.1 messages", "3.1 messages, fixed price", "3.1 audio", "3.1 tasks"],
  ...["3.1 minimum", "3.1 zero rule", "3.1 reasoning", "3.1 reasoning of xAI"],
  ...["3.2 estimate", "3.2 fixed price", "3.2 limit", "3.2 refuse", "3.2 trust rule", "3.2 take", "3.2 playground"],
  ...["3.2 unlimited keys", "3.8 frt", "3.8 tasks"],
  ...["3.3 difference", "3.3 counters", "3.3 refund", "3.3 failure"],
  ...["3.4 stream", "3.4 whole", "3.4 empty", "3.4 responses", "3.4 messages", "3.4 services"],
  ...["3.5 tts", "3.5 other speech", "3.5 transcriptions", "3.5 translations"],
  ...["3.6 base price", "3.6 size", "3.6 quality", "3.6 number", "3.6 checks", "3.6 log"],
  ...["3.7 response", "3.7 local counts", "3.7 quota", "3.7 transcriptions"],
  ...["3.9 requested", "3.9 upstream", "3.9 effort", "3.9 prefix", "3.9 retry", "3.9 no price"],
  ...["A2", "A3", "A4", "A5", "A6", "A7", "A8", "A16", "A17", "A20"],
] as const;
const NAMED = /["'`(]behaviour ((?:\d\.\d|A\d)[^:()"'`]*)[:)]/g;

test("every row of the reference on billing has a test named after it", async () => {
  const root = join(import.meta.dir, "..");
  const named = new Set<string>();
  for await (const path of new Bun.Glob("**/*.test.ts").scan(root)) {
    const text = await Bun.file(join(root, path)).text();
    for (const [, row = ""] of text.matchAll(NAMED)) named.add(row);
  }
  expect(ROWS.filter((row) => !named.has(row))).toEqual([]);
  expect([...named].filter((row) => !ROWS.some((known) => known === row))).toEqual([]);
});
