import { describe, expect, test } from "bun:test";
import { usageRecord } from "../../../../test/support/billing/start-billing.ts";
import { batchText, FIELD, RECORD, readRecord, recordText } from "./record-text.ts";

const record = usageRecord({
  userId: 7,
  username: "名 🚰",
  tokenName: 'a "key", {odd}',
  tokenLimited: true,
  modelName: "m",
  isStream: true,
  content: "first\n\tsecond\r\n\\n",
  quota: 43,
});

describe("a record's text", () => {
  test.each([
    record,
    { ...record, unlogged: true as const },
    { ...record, content: "", ip: "" },
    { ...record, budgets: [3, 12] },
    { ...record, plan: 5 },
    { ...record, budgets: [3], plan: 5, unlogged: true as const },
  ])("states it completely", (input) => expect(readRecord(recordText(input))).toEqual(input));

  test("is one line, whatever the record says", () => {
    const hostile = `a${FIELD}b${RECORD}c\u001dd\ne\0f\ud800g`;
    const text = recordText({ ...record, content: hostile, modelName: hostile });
    expect(text).not.toContain("\n");
    expect(text.split(FIELD)).toHaveLength(20);
    expect(readRecord(text)).toMatchObject({ content: "abcd\nef\ufffdg", modelName: "abcd ef\ufffdg", quota: 43 });
  });

  test("has whole numbers in the range of their columns", () => {
    const text = recordText({ ...record, elapsedMs: 12.6, promptTokens: 1e12, completionTokens: -1, quota: 1.2 });
    expect(readRecord(text)).toMatchObject({
      elapsedMs: 13,
      promptTokens: 2_147_483_647,
      completionTokens: 0,
      quota: 2,
    });
  });
});

test("records that an earlier version wrote, as JSON, are read along with new ones", () => {
  const earlier = JSON.stringify(record);
  expect(readRecord(earlier)).toEqual(record);
  const [first, second] = batchText([earlier, recordText(record)]).split(RECORD);
  expect(first).toBe(second as string);
});
