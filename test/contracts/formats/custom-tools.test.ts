/** Free-text tools and earlier calls of them, as formats that only know functions receive them. */
import { expect, test } from "bun:test";
import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../src/formats/openai-responses/index.ts";
import { customAsFunctions } from "../../../src/formats/tools/custom-tools.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import { target } from "../../support/formats/fixtures.ts";

const BEFORE = '*** Begin Patch\n-say("Gänt")\n*** End Patch';
const NAME = "apply_patch";
const RESPONSES = openaiResponsesClientCodec.decodeRequest({
  input: [
    { role: "user", content: "Fix it." },
    { type: "custom_tool_call", call_id: "call_0", name: NAME, input: BEFORE },
    { type: "custom_tool_call_output", call_id: "call_0", output: "Nothing to do" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "custom", name: NAME, description: "Edits files." }],
  tool_choice: { type: "custom", name: NAME },
});
const CHAT = openaiChatClientCodec.decodeRequest({
  messages: [
    { role: "user", content: "Fix it." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_0", type: "custom", custom: { name: NAME, input: BEFORE } }],
    },
    { role: "tool", tool_call_id: "call_0", content: "Nothing to do" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "custom", custom: { name: NAME, description: "Edits files." } }],
  tool_choice: { type: "custom", custom: { name: NAME } },
});

const FUNCTIONS = ["anthropic", "gemini", "ollama", "cohere", "converse", "dashscope", "hunyuan", "ernie"] as const;
const CLIENTS = [
  ["Responses", RESPONSES],
  ["chats", CHAT],
] as const;

test.each(
  FUNCTIONS.flatMap((dialect) => CLIENTS.map(([client, conversation]) => [dialect, client, conversation] as const)),
)("%s receives a function with one text, and the call before, from clients of %s", (dialect, _client, conversation) => {
  const dropped = new Set<string>();
  const body = codecOf(dialect).encodeRequest(customAsFunctions(conversation, dropped), target(), dropped);
  const sent = JSON.stringify(body);
  // Parameters and arguments are objects to some, and JSON text to others.
  const says = (value: object) => [JSON.stringify(value), JSON.stringify(JSON.stringify(value)).slice(1, -1)];
  const parameters = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
  expect(says(parameters).some((text) => sent.includes(text))).toBe(true);
  expect(says({ input: BEFORE }).some((text) => sent.includes(text))).toBe(true);
  expect(sent).toContain("Nothing to do");
  expect(sent).toContain("Edits files.");
  expect(sent).not.toContain('"type":"custom"');
  expect([...dropped].filter((name) => name !== "tool_choice")).toEqual([]);
});
