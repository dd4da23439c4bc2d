/** Instructions in the middle of a conversation stay there: what stands before them reads the same without them. */
import { describe, expect, test } from "bun:test";
import type { Conversation, Turn } from "../../../src/formats/conversation/conversation.ts";
import { type JsonObject, recordOf } from "../../../src/formats/json.ts";
import { codecOf, wireFormats } from "../../../src/providers/registry.ts";
import { CLIENT_DIALECTS, randomConversation } from "../../support/formats/conversations.ts";
import { target } from "../../support/formats/fixtures.ts";

const RULE = "From now on, answer in one word.";
const system: Turn = { role: "system", parts: [{ type: "text", text: RULE }] };
const user: Turn = { role: "user", parts: [{ type: "text", text: "And tomorrow?" }] };
const assistant: Turn = { role: "assistant", parts: [{ type: "text", text: "Sun." }] };

/** Members of requests that hold the prompt, in the order in which models read it. */
const PROMPT =
  "system systemInstruction system_instruction instructions messages contents input Messages prompt payload query";

/** Every text of the prompt, one after the other. */
function promptOf(body: JsonObject): string {
  const read = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map(read).join("");
    return Object.values(recordOf(value) ?? {})
      .map(read)
      .join("");
  };
  // Spark's payload holds the functions, too.
  const members = { ...body, payload: recordOf(body.payload)?.message };
  return PROMPT.split(" ")
    .map((name) => read(recordOf(members)?.[name]))
    .join("");
}

/** AI Proxy takes the last question alone. */
const PROVIDER_DIALECTS = wireFormats.filter((dialect) => dialect !== "ai-proxy");
const MODELS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["claude-opus-4-8", "claude-sonnet-4-5", "m"],
  "openai-chat": ["gpt-5.2", "m"],
};

const APPENDED: readonly (readonly [string, readonly Turn[]])[] = [
  ["at the end", [system]],
  ["before a message", [system, user]],
  ["before an answer", [system, assistant, user]],
  ["twice", [system, assistant, user, system, user]],
];

describe.each(PROVIDER_DIALECTS)("%s", (dialect) => {
  test.each(APPENDED)("instructions %s change nothing before them", (_place, appended) => {
    for (const model of MODELS[dialect] ?? ["m"]) {
      for (let seed = 1; seed <= 24; seed += 1) {
        const base = randomConversation(seed, CLIENT_DIALECTS[seed % CLIENT_DIALECTS.length] ?? "gemini", false);
        // Some services get a conversation of one message as that message, any other as a list.
        if (base.system.length === 0) base.system.push({ type: "text", text: "Be kind." });
        const encode = (turns: readonly Turn[]) => {
          const copy: Conversation = { ...structuredClone(base), turns: [...structuredClone(base.turns), ...turns] };
          return promptOf(codecOf(dialect).encodeRequest(copy, target(model), new Set()));
        };
        const [before, after] = [encode([]), encode(appended)];
        expect(after.slice(0, before.length)).toBe(before);
        expect(after.slice(before.length).split(RULE)).toHaveLength(
          appended.filter((turn) => turn === system).length + 1,
        );
      }
    }
  });
});
