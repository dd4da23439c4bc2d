import { expect, test } from "bun:test";
import { limitRules } from "./limit-rules.ts";

const read = (rules: unknown) => limitRules().read(JSON.stringify(rules), "LimitRules").value;

test("a rule about channels, or counted by them, is checked where channels are chosen", () => {
  const rules = read([
    { name: "a", requests: 1 },
    { name: "b", channels: ["x", 3], concurrency: 1 },
    { name: "c", per: ["user", "channel_key"], tokens: 5, seconds: 3600 },
  ]);
  expect(rules.ofCallers.map(({ name }) => name)).toEqual(["a"]);
  expect(rules.ofChannels.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(rules.ofChannels[0]?.channels).toEqual(new Set(["x", "3"]));
  expect(rules.ofCallers[0]).toMatchObject({ windowMs: 60_000, tokens: 0, models: null, keys: null, per: [] });
  expect(read([])).toMatchObject({ isEmpty: true });
});

test("counts go on when only their limits change", () => {
  const idOf = (rule: object) => read([{ name: "a", requests: 1, ...rule }]).ofCallers[0]?.id;
  expect(idOf({ requests: 9, seconds: 5 })).toBe(idOf({}) as string);
  expect(idOf({ models: ["m"] })).not.toBe(idOf({}) as string);
  expect(idOf({ per: ["user"] })).not.toBe(idOf({ per: ["key"] }) as string);
});

test.each<[string, unknown, string]>([
  ["no list", {}, "LimitRules"],
  ["no name", [{ requests: 1 }], "LimitRules.0.name"],
  ["a long name", [{ name: "x".repeat(65), requests: 1 }], "LimitRules.0.name"],
  ["the same name twice", [1, 2].map(() => ({ name: "a", requests: 1 })), "LimitRules.name"],
  ["nothing limited", [{ name: "a" }], "LimitRules.0"],
  ["an unknown member", [{ name: "a", request: 1 }], "LimitRules.0.request"],
  ["an unknown dimension", [{ name: "a", requests: 1, per: ["ip"] }], "LimitRules.0.per.0"],
  ["a broken pattern", [{ name: "a", requests: 1, models: ["re:("] }], "LimitRules.0.models.0"],
  ["a count of zero", [{ name: "a", requests: 0 }], "LimitRules.0.requests"],
  ["a window of a year", [{ name: "a", requests: 1, seconds: 31_536_000 }], "LimitRules.0.seconds"],
  ["a user of the wrong type", [{ name: "a", requests: 1, users: [true] }], "LimitRules.0.users.0"],
])("%s is refused, by its field", (_, rules, field) => {
  expect(() => read(rules)).toThrow(
    expect.objectContaining({ code: "field_invalid", params: expect.objectContaining({ field }) }),
  );
});
