import { expect, test } from "bun:test";
import { createCatalog, shippedDocument } from "../../../catalog/catalog.ts";
import { readEntries } from "../../../catalog/entry.ts";
import { CLAUDE_MODELS } from "../../labs/anthropic.ts";
import { bedrockModelId } from "./bedrock.ts";

test("every seeded model has the id that Bedrock lists", () => {
  expect(CLAUDE_MODELS.map((model) => bedrockModelId({ model }, "us-east-1"))).toEqual([
    "us.anthropic.claude-fable-5-1",
    "us.anthropic.claude-opus-5-5",
    "us.anthropic.claude-sonnet-5-5",
    "us.anthropic.claude-haiku-5-5",
    "us.anthropic.claude-opus-5",
    "us.anthropic.claude-sonnet-5",
    "us.anthropic.claude-fable-5",
    "us.anthropic.claude-opus-4-8",
    "us.anthropic.claude-opus-4-7",
    "us.anthropic.claude-opus-4-6-v1",
    "us.anthropic.claude-sonnet-4-6",
    "us.anthropic.claude-opus-4-5-20251101-v1:0",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
  ]);
});

test.each([
  ["us-west-2", "us."],
  ["us-gov-west-1", "us-gov."],
  ["ca-central-1", "us."],
  ["eu-north-1", "eu."],
  ["ap-northeast-1", "jp."],
  ["ap-northeast-3", "jp."],
  ["ap-northeast-2", "global."],
  ["ap-southeast-2", "au."],
  ["ap-southeast-4", "au."],
  ["ap-southeast-1", "global."],
  ["sa-east-1", "global."],
  ["me-central-1", "global."],
])("in %s a model since Claude 4.5 uses the profile %s", (region, prefix) => {
  expect(bedrockModelId({ model: "claude-sonnet-4-6" }, region)).toBe(`${prefix}anthropic.claude-sonnet-4-6`);
});

test("a country's profile is used only for the models it has", () => {
  expect(bedrockModelId({ model: "claude-opus-4-5-20251101" }, "ap-northeast-1")).toStartWith("global.");
  expect(bedrockModelId({ model: "claude-opus-4-6" }, "ap-southeast-2")).toBe("au.anthropic.claude-opus-4-6-v1");
});

test("models before Claude 4.5 have an Asian profile, and no global one", () => {
  const model = "claude-sonnet-4-20250514";
  expect(bedrockModelId({ model }, "ap-northeast-1")).toBe(`apac.anthropic.${model}-v1:0`);
  expect(bedrockModelId({ model }, "sa-east-1")).toBe(`anthropic.${model}-v1:0`);
});

test("what the catalog says of a model decides its version and its profiles", () => {
  const own = readEntries({ "claude-opus-9": { bedrock_version: "v2", bedrock_profiles: ["jp"] } }, "models");
  const catalog = createCatalog([shippedDocument.models, own]);
  const idIn = (region: string) => bedrockModelId({ model: "claude-opus-9", catalog }, region);
  expect(idIn("ap-northeast-1")).toBe("jp.anthropic.claude-opus-9-v2");
  expect(idIn("sa-east-1")).toBe("anthropic.claude-opus-9-v2");
});

test("ids and ARNs stay as they are", () => {
  expect(bedrockModelId({ model: "jp.anthropic.claude-opus-4-8" }, "us-east-1")).toBe("jp.anthropic.claude-opus-4-8");
});
