import { expect, test } from "bun:test";
import type { JsonObject } from "../../formats/json.ts";
import type { CallParams } from "../contract/provider.ts";
import { providerOf } from "../registry.ts";

const params = (dialect: CallParams["dialect"], betas: readonly string[] = []): CallParams => ({
  capability: "chat",
  dialect,
  model: "claude-sonnet-4-5",
  stream: true,
  betas,
});
const changed = (body: JsonObject, changes: JsonObject = {}) => JSON.parse(JSON.stringify({ ...body, ...changes }));

test("an untouched body for Vertex loses only its model, and gets a version and the betas", () => {
  const body = { model: "m", stream: true, max_tokens: 9, service_tier: "auto" };
  const envelope = providerOf(41)?.chat?.envelope(body, params("anthropic", ["context-1m-2025-08-07", "unheard-of"]));
  expect(changed(body, envelope?.changes)).toEqual({
    ...{ stream: true, max_tokens: 9, service_tier: "auto" },
    anthropic_version: "vertex-2023-10-16",
    anthropic_beta: ["context-1m-2025-08-07"],
  });
  expect(envelope?.dropped).toEqual(["anthropic-beta: unheard-of"]);
  expect(providerOf(41)?.chat?.envelope({ contents: [] }, params("gemini"))).toBeNull();
});

test("Bedrock runs none of Anthropic's tools, Vertex only its search, under a beta", () => {
  const own = { name: "f", input_schema: { type: "object" } };
  const search = { type: "web_search_20250305", name: "web_search" };
  const bedrock = (tools: readonly object[]) => {
    const body = { tools, tool_choice: { type: "auto" } };
    const adapted = providerOf(33)?.prepare?.(body, params("anthropic"));
    return [changed(body, adapted?.changes), adapted?.dropped];
  };
  const rest = { anthropic_version: "bedrock-2023-05-31" };
  expect(bedrock([search])).toEqual([rest, ["tools: web_search"]]);
  expect(bedrock([own, search])).toEqual([
    { ...rest, tools: [own], tool_choice: { type: "auto" } },
    ["tools: web_search"],
  ]);
  expect(bedrock([own])).toEqual([{ ...rest, tools: [own], tool_choice: { type: "auto" } }, []]);
  const vertex = providerOf(41)?.prepare?.({ tools: [search] }, params("anthropic"));
  expect(vertex?.changes).toMatchObject({ anthropic_beta: ["web-search-2025-03-05"] });
  expect(vertex?.changes).not.toHaveProperty("tools");
});
