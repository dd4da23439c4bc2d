import { expect, test } from "bun:test";
import { mappingForDeployments } from "./azure-deployments.ts";

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
