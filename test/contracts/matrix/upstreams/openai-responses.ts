import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type Answer, events, halves, type Sent } from "../conversation.ts";
import { type FakeUpstream, unknownMember } from "./fake.ts";
import { wordsOf } from "./openai-chat.ts";

const BASE = { id: "resp_5b1e", object: "response", created_at: 1_760_000_000, model: "gpt-5-codex" };

type Item = JsonObject & { id: string; type: string };

function itemsOf({ thought, text, calls }: Answer): Item[] {
  const summary = [{ type: "summary_text", text: thought }];
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return [
    ...(thought ? [{ id: "rs_1", type: "reasoning", summary, encrypted_content: "c2VhbGVk" }] : []),
    ...(text ? [{ id: "msg_1", type: "message", status: "completed", role: "assistant", content }] : []),
    ...calls.map(({ name, input }, at) => ({
      id: `fc_${at}`,
      type: "function_call",
      status: "completed",
      call_id: `call_r${at}`,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}

const responseOf = (answer: Answer): JsonObject => ({
  ...BASE,
  status: answer.finish === "length" ? "incomplete" : "completed",
  error: null,
  incomplete_details: answer.finish === "length" ? { reason: "max_output_tokens" } : null,
  instructions: null,
  metadata: {},
  output: itemsOf(answer),
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: {
    input_tokens: answer.usage.prompt,
    input_tokens_details: { cached_tokens: answer.usage.cached, cache_write_tokens: 0 },
    output_tokens: answer.usage.completion,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: answer.usage.prompt + answer.usage.completion,
  },
});

const numbered = (list: readonly object[]) => list.map((event, at) => ({ ...event, sequence_number: at }));
const begun = (response: JsonObject) => {
  const { usage: _, ...rest } = response;
  const open = { ...rest, status: "in_progress", output: [], incomplete_details: null };
  return ["response.created", "response.in_progress"].map((type) => ({ type, response: open }));
};

/** The events of an item between its opening and its end. */
function inside(item: Item, output_index: number): object[] {
  const at = { item_id: item.id, output_index };
  if (item.type === "function_call") {
    const text = textOf(item.arguments) ?? "";
    return [
      ...halves(text).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: text },
    ];
  }
  if (item.type === "reasoning") {
    const [part = {}] = recordsOf(item.summary);
    const text = textOf(part.text) ?? "";
    const here = { ...at, summary_index: 0 };
    return [
      { type: "response.reasoning_summary_part.added", ...here, part: { ...part, text: "" } },
      ...halves(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...here, delta })),
      { type: "response.reasoning_summary_text.done", ...here, text },
      { type: "response.reasoning_summary_part.done", ...here, part },
    ];
  }
  const [part = {}] = recordsOf(item.content);
  const text = textOf(part.text) ?? "";
  const here = { ...at, content_index: 0 };
  return [
    { type: "response.content_part.added", ...here, part: { ...part, text: "" } },
    ...halves(text).map((delta) => ({ type: "response.output_text.delta", ...here, delta, logprobs: [] })),
    { type: "response.output_text.done", ...here, text, logprobs: [] },
    { type: "response.content_part.done", ...here, part },
  ];
}

const opened = (item: Item): Item => ({
  ...item,
  ...(item.type === "reasoning" ? { summary: [] } : { status: "in_progress" }),
  ...(item.type === "message" && { content: [] }),
  ...(item.type === "function_call" && { arguments: "" }),
});

function speak(answer: Answer, streamed: boolean): Response {
  const response = responseOf(answer);
  if (!streamed) return Response.json(response);
  const items = itemsOf(answer).flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: opened(item) },
    ...inside(item, output_index),
    { type: "response.output_item.done", output_index, item },
  ]);
  const end = { type: answer.finish === "length" ? "response.incomplete" : "response.completed", response };
  return events(numbered([...begun(response), ...items, end]), true);
}

function read(body: JsonObject): Sent {
  const items = recordsOf(body.input);
  const userItems = items.filter(({ role }) => role === "user");
  const calls = items.filter(({ type }) => type === "function_call");
  const format = recordOf(recordOf(body.text)?.format);
  return {
    system: textOf(body.instructions) ?? "",
    texts: userItems.map(({ content }) => wordsOf(content)),
    images: userItems.flatMap(({ content }) => recordsOf(content).flatMap(({ image_url }) => textOf(image_url) ?? [])),
    tools: recordsOf(body.tools).map(({ name, parameters }) => ({ name: textOf(name) ?? "", schema: parameters })),
    calls: calls.map(({ name, arguments: input }) => ({
      name: textOf(name) ?? "",
      input: parseJson(textOf(input) ?? ""),
    })),
    results: items
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => ({
        answers: textOf(calls.find((call) => call.call_id === call_id)?.name),
        text: wordsOf(output),
      })),
    stop: [],
    schema: format?.schema ?? null,
    reasoning: textOf(recordOf(body.reasoning)?.effort) !== null,
    limit: numberOf(body.max_output_tokens),
    mustCall: body.tool_choice === "required",
  };
}

const KNOWN = `model input instructions stream max_output_tokens temperature top_p tools tool_choice text reasoning include store
  parallel_tool_calls previous_response_id metadata service_tier safety_identifier prompt_cache_key truncation top_logprobs`;

/** OpenAI's Responses; the model is one that is served nowhere else. */
export const openaiResponses: FakeUpstream = {
  type: 1,
  model: BASE.model,
  key: "sk-upstream",
  isStream: (_path, body) => body.stream === true,
  objection: (path, body) =>
    path === "/v1/responses" ? unknownMember(body, KNOWN) : "This model is only supported in v1/responses",
  read,
  speak,
  refuse: (message) =>
    Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status: 400 }),
  breakOff(words, message) {
    const response = responseOf({
      thought: "",
      text: words,
      calls: [],
      finish: "stop",
      usage: { prompt: 0, cached: 0, completion: 0 },
    });
    const [item] = itemsOf({
      thought: "",
      text: words,
      calls: [],
      finish: "stop",
      usage: { prompt: 0, cached: 0, completion: 0 },
    });
    if (!item) throw new Error("words are needed");
    const failed = { ...response, status: "failed", output: [], error: { code: "server_error", message }, usage: null };
    return events(
      numbered([
        ...begun(response),
        { type: "response.output_item.added", output_index: 0, item: opened(item) },
        ...inside(item, 0).slice(0, -2),
        { type: "response.failed", response: failed },
      ]),
      true,
    );
  },
};
