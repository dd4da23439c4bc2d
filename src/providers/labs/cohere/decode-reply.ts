import type { Reply, ReplyChoice } from "../../../formats/conversation/collect-reply.ts";
import type { Part } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { argumentsOf, citationOf, finishOf, usageOf } from "./response.ts";

/** Reads a complete response of Cohere's chat v2; null if it has no message. */
export function decodeReply(body: JsonObject): Reply | null {
  const message = recordOf(body.message);
  if (!message) return null;
  const plan = textOf(message.tool_plan);
  const parts: Part[] = plan ? [{ type: "reasoning", text: plan }] : [];
  for (const part of recordsOf(message.content)) {
    const thought = textOf(part.thinking);
    if (thought) parts.push({ type: "reasoning", text: thought });
    const text = textOf(part.text);
    if (text) parts.push({ type: "text", text });
  }
  const calls = recordsOf(message.tool_calls);
  for (const [at, call] of calls.entries()) {
    const called = recordOf(call.function) ?? {};
    const id = textOf(call.id) || `call_${at}`;
    const name = textOf(called.name) ?? "";
    parts.push({ type: "tool-call", id, name, input: argumentsOf(called.arguments), kind: "function" });
  }
  const native = textOf(body.finish_reason);
  const choice: ReplyChoice = {
    index: 0,
    parts,
    citations: recordsOf(message.citations).map(citationOf),
    logprobs: null,
    finish: { reason: finishOf(native, calls.length), native, stopSequence: null },
  };
  const usage = usageOf(body.usage);
  return { id: textOf(body.id) ?? "", model: "", createdAt: null, choices: [choice], usage, serviceTier: null };
}
