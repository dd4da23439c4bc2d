import { events, halves } from "./conversation.ts";

const USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

/** A call of a free-text tool by an upstream that knows such tools, in chats or in Responses. */
export const speakCustom = (path: string, name: string, input: string, streamed: boolean): Response =>
  path.endsWith("/responses") ? inResponses(name, input, streamed) : inChat(name, input, streamed);

function inChat(name: string, input: string, streamed: boolean): Response {
  const common = { id: "cmpl-1", created: 1_760_000_000, model: "served" };
  const call = { id: "call_free", type: "custom", custom: { name, input } };
  if (!streamed) {
    const message = { role: "assistant", content: null, refusal: null, tool_calls: [call] };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" }];
    return Response.json({ ...common, object: "chat.completion", choices, usage: USAGE });
  }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const list = [
    chunk({ role: "assistant", content: null, tool_calls: [{ ...call, index: 0, custom: { name, input: "" } }] }),
    ...halves(input).map((piece) => chunk({ tool_calls: [{ index: 0, custom: { input: piece } }] })),
    chunk({}, "tool_calls"),
    { ...common, object: "chat.completion.chunk", choices: [], usage: USAGE },
  ];
  return events(list, false, "data: [DONE]\n\n");
}

function inResponses(name: string, input: string, streamed: boolean): Response {
  const item = { id: "ctc_1", type: "custom_tool_call", status: "completed", call_id: "call_free", name, input };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    model: "gpt-5-codex",
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    output: [item],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 8,
    },
  };
  if (!streamed) return Response.json(response);
  const { usage: _, ...begun } = { ...response, status: "in_progress", output: [] };
  const at = { item_id: item.id, output_index: 0 };
  const list = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", input: "" } },
    ...halves(input).map((delta) => ({ type: "response.custom_tool_call_input.delta", ...at, delta })),
    { type: "response.custom_tool_call_input.done", ...at, input },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return events(
    list.map((event, sequence_number) => ({ ...event, sequence_number })),
    true,
  );
}
