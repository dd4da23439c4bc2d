import { expect, test } from "bun:test";
import { channelTypes } from "../../../../src/providers/registry.ts";
import words from "../../../locales/en/channels/channels.json" with { type: "json" };

const { keyHints, baseUrlHints } = words.form;
const other: Readonly<Record<string, string>> = words.form.other;

test("every channel type says where its key comes from", () => {
  expect(channelTypes.filter(({ id }) => !(id in keyHints)).map(({ id, name }) => `${id} ${name}`)).toEqual([]);
});

test("every type whose address must be entered says which", () => {
  const withoutDefault = channelTypes.filter(({ id, defaultBaseUrl }) => defaultBaseUrl === null && id !== 8);
  expect(withoutDefault.filter(({ id }) => !(id in baseUrlHints)).map(({ name }) => name)).toEqual([]);
});

test("a parameter has a name, a hint and an example", () => {
  const types = Object.keys(other).filter((key) => /^\d+$/.test(key));
  expect(types.length).toBeGreaterThan(0);
  for (const type of types) expect([other[`${type}hint`], other[`${type}example`]].every(Boolean)).toBe(true);
});
