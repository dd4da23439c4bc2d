import { describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import type { ChatDialect } from "../../../src/formats/conversation/conversation.ts";
import { compact, type JsonObject } from "../../../src/formats/json.ts";

import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import type { CallParams, Provider } from "../../../src/providers/contract/provider.ts";
import { channelTypes, codecOf, providerOf } from "../../../src/providers/registry.ts";

const weather = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
const tools = [{ type: "function", function: weather }];
const schema = { type: "object", properties: { rain: { type: "boolean" } }, required: ["rain"] };

/** Every member of a chat request that says something by itself, and what it needs next to it to make sense. */
const MEMBERS: readonly (readonly [name: string, value: unknown, companions?: JsonObject])[] = [
  ["audio", { voice: "alloy", format: "wav" }, { modalities: ["text", "audio"] }],
  ["frequency_penalty", 0.37],
  ["functions", [weather]],
  ["logit_bias", { "1712": 12 }],
  ["logprobs", true],
  ["max_completion_tokens", 3711],
  ["max_tokens", 3712],
  ["metadata", { topic: "rain" }],
  ["modalities", ["text", "audio"]],
  ["n", 3],
  ["parallel_tool_calls", false, { tools }],
  ["prediction", { type: "content", content: "rain" }],
  ["presence_penalty", 0.38],
  ["prompt_cache_key", "cache-1"],
  ["prompt_cache_retention", "24h"],
  ["reasoning_effort", "high"],
  ["response_format", { type: "json_object" }],
  ["response_format", { type: "json_schema", json_schema: { name: "report", schema } }],
  ["safety_identifier", "user-1"],
  ["seed", 3713],
  ["service_tier", "flex"],
  ["service_tier", "priority"],
  ["stop", ["END"]],
  ["store", true],
  ["temperature", 0.39],
  ["tool_choice", "none", { tools }],
  ["tool_choice", "required", { tools }],
  ["tool_choice", { type: "function", function: { name: "weather" } }, { tools }],
  ["tools", tools],
  ["top_logprobs", 3, { logprobs: true }],
  ["top_p", 0.41],
  ["user", "user-2"],
  ["verbosity", "low"],
  ["web_search_options", { search_context_size: "low" }],
  ["unheard_of", 1],
];
/** Names under which a member may be known too. */
const ALSO: Readonly<Record<string, string>> = {
  max_completion_tokens: "max_tokens",
  safety_identifier: "user",
  functions: "tools",
  top_logprobs: "logprobs",
  audio: "modalities",
  web_search_options: "tools: web_search",
};

/** What goes to the provider, and the names of what stays behind. */
function sent(provider: Provider, dialect: ChatDialect, model: string, fields: JsonObject) {
  const dropped = new Set<string>();
  const ask: CallParams = { capability: "chat", dialect, model, stream: false };
  const passes =
    dialect === "openai-chat" && !provider.facts?.chat?.nonstandardResponses && !provider.chat?.streaming.framing;
  const target = { model, info: shippedCatalog.find(model), defaultMaxTokens: 4096, newId: () => "call_1" };
  const body = passes
    ? fields
    : codecOf(dialect).encodeRequest(openaiChatClientCodec.decodeRequest(fields), target, dropped);
  const adapted = provider.prepare?.(body, ask);
  for (const name of adapted?.dropped ?? []) dropped.add(name);
  return { body: JSON.stringify(compact({ ...body, ...adapted?.changes })), dropped };
}

/** Keys of each kind: some services are asked in another format by the kind of key. */
const KEYS = ["sk-1", "1|2|3"];
const chats = channelTypes.flatMap(({ id, capabilities }) => {
  const provider = providerOf(id);
  if (!provider || !capabilities.includes("chat")) return [];
  return (provider.chat?.formats ?? []).map((dialect) => [id, provider.name, dialect, provider] as const);
});

describe.each(chats)("type %p, %s, asked in %s", (_type, _name, dialect, provider) => {
  test("each member of a request reaches it or is named as left behind", () => {
    const silent: string[] = [];
    const served = (model: string) => KEYS.some((key) => (provider.chat?.formatOf(model, key) ?? dialect) === dialect);
    for (const model of [...provider.models, "some-model"].filter(served)) {
      for (const [name, value, companions] of MEMBERS) {
        const plain = { model, messages: [{ role: "user", content: "hi" }], ...companions };
        const { body, dropped } = sent(provider, dialect, model, { ...plain, [name]: value });
        const arrives = body !== sent(provider, dialect, model, plain).body;
        const named = dropped.has(name) || dropped.has(ALSO[name] ?? name);
        if (!arrives && !named) silent.push(`${model}: ${name} ${JSON.stringify(value)}`);
      }
    }
    expect(silent).toEqual([]);
  });
});
