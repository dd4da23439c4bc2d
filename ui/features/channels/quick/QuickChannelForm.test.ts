import { expect, test } from "bun:test";
import { channelTypes } from "../../../../src/providers/registry.ts";
import { typesOfKey } from "./QuickChannelForm.tsx";

const nameOf = (id: number) => channelTypes.find((type) => type.id === id)?.name;

test.each([
  ["sk-ant-api03-abc", ["Anthropic Claude"]],
  [" sk-or-v1-0123 ", ["OpenRouter"]],
  ["sk-proj-abc_DEF-123", ["OpenAI"]],
  [`AIza${"x".repeat(35)}`, ["Google Gemini"]],
  ["xai-abc", ["xAI"]],
  ["gsk_abc", ["Groq"]],
  [`${"0".repeat(32)}.${"a".repeat(16)}`, ["Zhipu GLM-4V"]],
  ['{\n "type": "service_account", "project_id": "p"}', ["Vertex AI"]],
  [`sk-${"a1".repeat(16)}`, ["DeepSeek", "Alibaba Qwen"]],
  [`sk-${"Ab1".repeat(16)}`, ["OpenAI", "Moonshot"]],
  [`sk-${"abcdef".repeat(8)}`, ["SiliconCloud"]],
  ["sk-upstream-key", []],
  ["", []],
])("the key %p belongs to %p", (key, names) => {
  expect(typesOfKey(key).map(nameOf)).toEqual(names);
});
