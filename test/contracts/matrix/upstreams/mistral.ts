import { type JsonObject, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type Answer, events, halves } from "../conversation.ts";
import { type FakeUpstream, unknownMember } from "./fake.ts";
import { callsOf, readChat, usageOf } from "./openai-chat.ts";

const COMMON = { id: "9f0c2d", created: 1_760_000_000, model: "magistral-medium-latest" };

/** Reasoning is part of the content. */
function contentOf(thought: string, text: string): unknown {
  if (thought === "") return text;
  return [{ type: "thinking", thinking: [{ type: "text", text: thought }] }, ...(text ? [{ type: "text", text }] : [])];
}

function speak(answer: Answer, streamed: boolean): Response {
  const usage = usageOf(answer);
  const calls = callsOf(answer).map(({ type: _, ...call }) => call);
  const { thought, text, finish } = answer;
  if (!streamed) {
    const message = {
      role: "assistant",
      content: contentOf(thought, text),
      tool_calls: calls.length > 0 ? calls : null,
    };
    return Response.json({
      ...COMMON,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    });
  }
  const deltas: object[] = [
    { role: "assistant", content: "" },
    ...halves(thought).map((piece) => ({ content: contentOf(piece, "") })),
    ...halves(text).map((piece) => ({ content: piece })),
  ];
  // Calls come whole, with the reason why the answer ends.
  deltas.push(
    calls.length > 0 ? { content: "", tool_calls: calls.map((call, index) => ({ ...call, index })) } : { content: "" },
  );
  const all = deltas.map((delta, at) => ({
    ...COMMON,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: at === deltas.length - 1 ? finish : null }],
    ...(at === deltas.length - 1 && { usage }),
  }));
  return events(all, false, "data: [DONE]\n\n");
}

const KNOWN = `model messages temperature top_p max_tokens stream stop random_seed response_format tools tool_choice
  presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort safe_prompt
  prompt_cache_key metadata guardrails service_tier`;

function objection(path: string, body: JsonObject): string | null {
  if (path !== "/v1/chat/completions") return "no Route matched with those values";
  // Magistral has a mode in place of efforts.
  if (body.reasoning_effort !== undefined) return "reasoning_effort is not supported by this model";
  if (body.prompt_mode !== undefined && body.prompt_mode !== "reasoning")
    return "prompt_mode: Input should be 'reasoning'";
  const ids = recordsOf(body.messages).flatMap(({ tool_call_id, tool_calls }) => [
    ...(textOf(tool_call_id) === null ? [] : [tool_call_id]),
    ...recordsOf(tool_calls).map(({ id }) => id),
  ]);
  const wrong = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(String(id)));
  return wrong === undefined
    ? unknownMember(body, KNOWN)
    : `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, length 9`;
}

/** Mistral's chat: strict about fields and ids. */
export const mistral: FakeUpstream = {
  type: 42,
  model: COMMON.model,
  key: "upstream",
  isStream: (_path, body) => body.stream === true,
  objection,
  read: (body) => ({ ...readChat(body), reasoning: body.prompt_mode === "reasoning" }),
  speak,
  refuse: (message) =>
    Response.json(
      { object: "error", message, type: "invalid_request_error", param: null, code: "3051" },
      { status: 400 },
    ),
  breakOff: (words, message) =>
    events(
      [
        {
          ...COMMON,
          object: "chat.completion.chunk",
          choices: [{ index: 0, delta: { role: "assistant", content: words }, finish_reason: null }],
        },
        { object: "error", message, type: "internal_server_error", param: null, code: "3000" },
      ],
      false,
    ),
};
