import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type Answer, events, halves, type Sent } from "../conversation.ts";
import { type FakeUpstream, unknownMember } from "./fake.ts";

const COMMON = { id: "cmpl-7f3a", created: 1_760_000_000, model: "served" };

export const usageOf = ({ usage }: Answer) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
  prompt_tokens_details: { cached_tokens: usage.cached },
});

export const callsOf = ({ calls }: Answer) =>
  calls.map(({ name, input }, at) => ({
    id: `c4llNo00${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));

/** The words of a message's content. */
export const wordsOf = (content: unknown): string =>
  textOf(content) ??
  recordsOf(content)
    .map(({ text }) => textOf(text) ?? "")
    .join("");

/** What chat messages and the members next to them say. */
export function readChat(body: JsonObject): Sent {
  const messages = recordsOf(body.messages);
  const ofRole = (role: string) => messages.filter((message) => message.role === role);
  const calls = messages.flatMap(({ tool_calls }) => recordsOf(tool_calls));
  const called = calls.map(({ function: calledFunction }) => recordOf(calledFunction) ?? {});
  const format = recordOf(recordOf(body.response_format)?.json_schema);
  return {
    system: ofRole("system")
      .map(({ content }) => wordsOf(content))
      .join("\n"),
    texts: ofRole("user").map(({ content }) => wordsOf(content)),
    images: ofRole("user").flatMap(({ content }) =>
      recordsOf(content).flatMap(({ image_url: image }) => textOf(recordOf(image)?.url) ?? textOf(image) ?? []),
    ),
    tools: recordsOf(body.tools).map((tool) => {
      const { name, parameters } = recordOf(tool.function) ?? {};
      return { name: textOf(name) ?? "", schema: parameters };
    }),
    calls: called.map(({ name, arguments: input }) => ({
      name: textOf(name) ?? "",
      input: recordOf(input) ?? parseJson(textOf(input) ?? ""),
    })),
    results: ofRole("tool").map(({ tool_call_id: id, content }) => {
      const at = calls.findIndex((call) => call.id === id);
      return { answers: textOf(called[at]?.name), text: wordsOf(content) };
    }),
    stop: recordsOrTexts(body.stop),
    schema: format?.schema ?? null,
    reasoning: textOf(body.reasoning_effort) !== null,
    limit: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    mustCall: body.tool_choice === "required",
  };
}

const recordsOrTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function speak(answer: Answer, streamed: boolean): Response {
  const usage = usageOf(answer);
  const { thought, text, finish } = answer;
  const calls = callsOf(answer);
  if (!streamed) {
    const message = {
      role: "assistant",
      content: text || null,
      refusal: null,
      ...(thought && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    return Response.json({ ...COMMON, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null = null) => ({
    ...COMMON,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  });
  const inputs = calls.map((call) => halves(call.function.arguments));
  const deltas = [
    { role: "assistant", content: "" },
    ...halves(thought).map((piece) => ({ reasoning_content: piece })),
    ...halves(text).map((piece) => ({ content: piece })),
    ...calls.map((call, index) => ({
      tool_calls: [{ index, ...call, function: { ...call.function, arguments: "" } }],
    })),
    // The inputs of parallel calls run through each other.
    ...[0, 1].flatMap((half) =>
      inputs.map((pieces, index) => ({ tool_calls: [{ index, function: { arguments: pieces[half] ?? "" } }] })),
    ),
  ];
  const all = [
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finish),
    { ...COMMON, object: "chat.completion.chunk", choices: [], usage },
  ];
  return events(all, false, "data: [DONE]\n\n");
}

const KNOWN = `model messages stream stream_options max_tokens max_completion_tokens temperature top_p stop tools tool_choice
  response_format reasoning_effort parallel_tool_calls user n seed logprobs top_logprobs service_tier metadata`;

/** Any server that imitates OpenAI's chat completions; reasoning as most of them return it. */
export const openaiChat: FakeUpstream = {
  type: 1,
  model: "served",
  key: "sk-upstream",
  isStream: (_path, body) => body.stream === true,
  objection: (path, body) => (path === "/v1/chat/completions" ? unknownMember(body, KNOWN) : `No such page: ${path}`),
  read: readChat,
  speak,
  refuse: (message) =>
    Response.json({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status: 400 }),
  breakOff: (words, message) =>
    events(
      [
        {
          ...COMMON,
          object: "chat.completion.chunk",
          choices: [{ index: 0, delta: { role: "assistant", content: words }, finish_reason: null }],
        },
        { error: { message, type: "server_error", param: null, code: null } },
      ],
      false,
    ),
};
