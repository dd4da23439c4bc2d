import { expect, test } from "bun:test";
import { providerOf } from "../../providers/registry.ts";
import { mappingForDeployments, translateChannel, translateKin } from "./channels.ts";

test.each([
  [
    { type: 28, key: "k" },
    { type: 42, key: "k", baseUrl: "" },
  ],
  [
    { type: 30, key: "k", base_url: "http://host:11434/" },
    { type: 4, baseUrl: "http://host:11434" },
  ],
  [
    { type: 29, key: "k" },
    { type: 1, baseUrl: "https://api.groq.com/openai" },
  ],
  [
    { type: 39, key: "k", base_url: "https://mine.example" },
    { type: 1, baseUrl: "https://mine.example" },
  ],
  [
    { type: 41, key: "k" },
    { type: 8, baseUrl: "https://api.novita.ai/v3/openai/chat/completions" },
  ],
  [
    { type: 33, key: "", config: '{"ak":"A","sk":"S","region":"us-east-1"}' },
    { type: 33, key: "A|S|us-east-1" },
  ],
  [
    { type: 42, key: "x", config: '{"region":"europe-west1","vertex_ai_adc":"{\\"project_id\\":\\"p\\"}"}' },
    { type: 41, key: '{"project_id":"p"}', other: "europe-west1" },
  ],
  [
    { type: 3, key: "k", config: '{"api_version":"2024-10-21"}' },
    { type: 3, other: "2024-10-21" },
  ],
])("one-api's channel %j is translated to the numbers used here", (row, expected) => {
  expect(translateChannel(row)).toMatchObject(expected);
});

test("a provider that nothing here is like is named", () => {
  expect(translateChannel({ type: 38, key: "k" })).toBe("DeepL has no counterpart here");
});

const OLD = Date.parse("2025-05-09T23:59:59Z") / 1000;
const NEW = Date.parse("2025-05-10T00:00:00Z") / 1000;
const models = "gpt-3.5-turbo, gpt-4o,gpt-4.1,house";
const read = (text: string) => JSON.parse(text || "{}");

test.each([
  ["new-api", OLD, { "gpt-3.5-turbo": "gpt-35-turbo", "gpt-4.1": "gpt-41" }],
  ["new-api", NEW, {}],
  ["one-api", NEW, { "gpt-3.5-turbo": "gpt-35-turbo", "gpt-4.1": "gpt-41" }],
])("deployments at Azure keep the names that %s gave them (created %i)", (family, created_time, expected) => {
  expect(read(mappingForDeployments({ models, created_time }, 3, family))).toEqual(expected);
});

test("what a mapping leads to loses its dots too, and the rest of it stays", () => {
  const model_mapping = '{"house": "my.deployment", "gpt-4o": "plain", "unlisted": "a.b"}';
  const row = { models, model_mapping, created_time: OLD };
  expect(read(mappingForDeployments(row, 3, "new-api"))).toEqual({
    "gpt-3.5-turbo": "gpt-35-turbo",
    "gpt-4.1": "gpt-41",
    house: "mydeployment",
    "gpt-4o": "plain",
    unlisted: "a.b",
  });
});

test("channels of other types, and mappings that cannot be read, stay as they are", () => {
  expect(mappingForDeployments({ models, created_time: OLD, model_mapping: "" }, 1, "new-api")).toBe("");
  expect(mappingForDeployments({ models, created_time: OLD, model_mapping: "{" }, 3, "new-api")).toBe("{");
  expect(mappingForDeployments({ models: "gpt-4o", created_time: OLD }, 3, "one-api")).toBe("");
});

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
