import { expect, test } from "bun:test";
import { providerOf } from "../../../providers/registry.ts";
import { translateKin } from "./fork-channels.ts";

test.each([
  [
    { type: 42, key: "k", base_url: "https://mine.example", other: "o" },
    { type: 42, key: "k", baseUrl: "https://mine.example", other: "o" },
  ],
  [
    { type: 27, key: "pplx" },
    { type: 1003, key: "pplx", baseUrl: "" },
  ],
  [
    { type: 50, key: "a|s" },
    { type: 1010, key: "a|s" },
  ],
  [
    { type: 51, key: "a|s" },
    { type: 1018, key: "a|s" },
  ],
  [{ type: 52 }, { type: 1011 }],
  [{ type: 7 }, { type: 1, baseUrl: "https://api.ohmygpt.com" }],
  [
    { type: 7, base_url: "https://mine.example" },
    { type: 1, baseUrl: "https://mine.example" },
  ],
  [{}, { type: 1 }],
])("a kin's channel %j is translated to the numbers used here", (row, expected) => {
  const translated = translateKin(row);
  expect(translated).toMatchObject(expected);
  expect(providerOf(translated.type)).toBeDefined();
});
