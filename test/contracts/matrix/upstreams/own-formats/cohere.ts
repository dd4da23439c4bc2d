import { type JsonObject, recordOf } from "../../../../../src/formats/json.ts";
import { type Answer, events, halves, type Sent } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";
import { callsOf, readChat } from "../openai-chat.ts";

const ENDS = { stop: "COMPLETE", tool_calls: "TOOL_CALL", length: "MAX_TOKENS" } as const;
const ID = "3c1f-77";

const usageOf = ({ usage }: Answer) => ({
  billed_units: { input_tokens: usage.prompt - 4, output_tokens: usage.completion - 1 },
  tokens: { input_tokens: usage.prompt, output_tokens: usage.completion },
  cached_tokens: usage.cached,
});

const typed = (type: string, rest: object) => ({ type, ...rest });
const delta = (message: object) => ({ delta: { message } });

function speak(answer: Answer, streamed: boolean): Response {
  const { thought, text, finish } = answer;
  const calls = callsOf(answer);
  const blocks = [
    ...(thought ? [{ type: "thinking", thinking: thought }] : []),
    ...(text ? [{ type: "text", text }] : []),
  ];
  if (!streamed) {
    const message = { role: "assistant", content: blocks, ...(calls.length > 0 && { tool_calls: calls }) };
    return Response.json({ id: ID, finish_reason: ENDS[finish], message, usage: usageOf(answer) });
  }
  const content = [
    { field: "thinking", text: thought },
    { field: "text", text },
  ].filter((block) => block.text !== "");
  const contentEvents = content.flatMap(({ field, text: full }, index) => [
    typed("content-start", { index, ...delta({ content: { type: field, [field]: "" } }) }),
    ...halves(full).map((piece) => typed("content-delta", { index, ...delta({ content: { [field]: piece } }) })),
    typed("content-end", { index }),
  ]);
  const called = calls.flatMap((call, index) => [
    typed("tool-call-start", {
      index,
      ...delta({ tool_calls: { ...call, function: { name: call.function.name, arguments: "" } } }),
    }),
    ...halves(call.function.arguments).map((piece) =>
      typed("tool-call-delta", { index, ...delta({ tool_calls: { function: { arguments: piece } } }) }),
    ),
    typed("tool-call-end", { index }),
  ]);
  const start = typed("message-start", {
    id: ID,
    ...delta({ role: "assistant", content: [], tool_plan: "", tool_calls: [] }),
  });
  const end = typed("message-end", { id: ID, delta: { finish_reason: ENDS[finish], usage: usageOf(answer) } });
  return events([start, ...contentEvents, ...called, end], true, "data: [DONE]\n\n");
}

function read(body: JsonObject): Sent {
  return {
    ...readChat(body),
    stop: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
    schema: recordOf(body.response_format)?.json_schema ?? null,
    mustCall: body.tool_choice === "REQUIRED",
    reasoning: recordOf(body.thinking)?.type === "enabled",
  };
}

const KNOWN = `model messages tools tool_choice strict_tools documents citation_options response_format safety_mode max_tokens
  stop_sequences temperature p k seed frequency_penalty presence_penalty logprobs thinking priority stream`;

/** Cohere's chat, second version. */
export const cohere: FakeUpstream = {
  type: 34,
  model: "command-a-plus-05-2026",
  key: "upstream",
  isStream: (_path, body) => body.stream === true,
  objection: (path, body) => (path === "/v2/chat" ? unknownMember(body, KNOWN) : "not found"),
  read,
  speak,
  refuse: (message) => Response.json({ id: ID, message }, { status: 400 }),
  breakOff: (words, message) =>
    events(
      [
        typed("message-start", { id: ID, ...delta({ role: "assistant" }) }),
        typed("content-start", { index: 0, ...delta({ content: { type: "text", text: "" } }) }),
        typed("content-delta", { index: 0, ...delta({ content: { text: words } }) }),
        typed("message-end", { id: ID, delta: { finish_reason: "ERROR", error: message } }),
      ],
      true,
    ),
};
