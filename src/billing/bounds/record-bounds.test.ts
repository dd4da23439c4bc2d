import { describe, expect, test } from "bun:test";
import { hostileText, seededRandom, TEXT_FIELDS, withValue } from "../../../test/support/billing/hostile-records.ts";
import { usageRecord } from "../../../test/support/billing/start-billing.ts";
import { FIELD, RECORD, readRecord, recordText } from "../journal/apply/record-text.ts";
import { boundText, compileBound, line, list, prose, VALUE } from "./bounds.ts";
import { boundRecord, RECORD_BOUNDS } from "./record-bounds.ts";

/** Longest UTF-8 form of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;
/** Of an index of Postgres: an entry must fit into a third of a page. */
const MOST_ENTRY_BYTES = 2704;

const random = seededRandom(7);
const record = usageRecord({ userId: 7, username: "a", tokenName: "b", quota: 43 });

/** What neither a text column nor its JSON takes, and what separates fields and records of the journal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSTORABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** All texts in a value, and the names of members. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

describe("bounds", () => {
  test("every text of a record has one", () => {
    const names = TEXT_FIELDS.map((path) => path.join("."));
    for (const name of ["requestId", "username", "tokenName", "modelName", "group", "ip", "content"]) {
      expect(names).toContain(name);
    }
    for (const name of [
      "tags.0",
      "agent_session.id",
      "agent_session.tools.0",
      "stop_reason",
      "error",
      "error_reason",
    ]) {
      expect(names).toContain(`other.${name}`);
    }
  });

  test("a field without one does not compile", () => {
    const { ip: _, ...others } = RECORD_BOUNDS;
    // @ts-expect-error: `ip` is missing.
    const bounds: typeof RECORD_BOUNDS = others;
    expect(bounds).not.toHaveProperty("ip");
  });

  test("entries of the roll-ups' indexes fit, whatever the names", () => {
    const { username, tokenName, modelName, group } = RECORD_BOUNDS;
    const units = [username, tokenName, modelName, group].reduce((sum, { most }) => sum + most, 0);
    // Five numbers and the headers of all.
    expect(units * BYTES_PER_UNIT + 100).toBeLessThan(MOST_ENTRY_BYTES);
  });

  test.each(TEXT_FIELDS.map((path) => [path.join("."), path] as const))("%s is kept within its bound", (_, path) => {
    for (let round = 0; round < 30; round += 1) {
      const text = recordText(withValue(record, path, hostileText(random)));
      expect(text.split(FIELD)).toHaveLength(20);
      expect(text.includes(RECORD) || text.includes("\n") || text.includes("\0")).toBe(false);
      expect(text.isWellFormed()).toBe(true);
      const read = readRecord(text);
      expect(read.quota).toBe(43);
      expect(recordText(read)).toBe(text);
      for (const found of textsIn(read)) expect(found).not.toMatch(UNSTORABLE);
    }
  });

  test("what is within its bounds stays the same object", () => expect(boundRecord(record)).toBe(record));

  test("long texts are cut between characters", () => {
    expect(boundText("abcdef", line(4))).toBe("abc…");
    expect(boundText("ab🚰def", line(4))).toBe("ab…");
    expect(boundText("a\tb\r\nc\0d", line(20))).toBe("a b cd");
    expect(boundText("a\tb\r\nc\0d", prose(20))).toBe("a\tb\r\ncd");
    expect(boundText("🚰🚰", line(4))).toBe("🚰🚰");
  });

  test("values of another type, deep ones and unknown members are bounded too", () => {
    const deep = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`);
    const other = { ...record.other, unheard: deep, [`n\0${"n".repeat(500)}`]: "a\0", cache_tokens: Number.NaN };
    const bounded = boundRecord({ ...record, other, modelName: { a: "\0" } as never });
    expect(JSON.stringify(bounded).length).toBeLessThan(2000);
    for (const found of textsIn(bounded)) expect(found).not.toMatch(UNSTORABLE);
    expect(bounded.other.cache_tokens).toBe(0);
    expect(() => recordText(bounded)).not.toThrow();
    expect(compileBound(list(2, line(3)))(["abcd", "b", "c"])).toEqual(["ab…", "b"]);
    expect(compileBound(VALUE)({ code: "x", params: { name: "\ud800" } })).toEqual({
      code: "x",
      params: { name: "\ufffd" },
    });
  });
});
