import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../../src/formats/json.ts";
import { type Answer, halves, inPieces, type Sent } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";
import { callsOf, openaiChat, readChat } from "../openai-chat.ts";

const REQUEST = { request_id: "b7e1-0042" };

/** Each event with its number, its name and the status as a comment. */
export const dashscopeEvents = (list: readonly object[], lastName = "result", lastStatus = 200): Response => {
  const text = list.map((data, at) => {
    const last = at === list.length - 1;
    const name = last ? lastName : "result";
    return `id:${at + 1}\nevent:${name}\n:HTTP_STATUS/${last ? lastStatus : 200}\ndata:${JSON.stringify(data)}\n\n`;
  });
  return inPieces(new TextEncoder().encode(text.join("")), 71, { "content-type": "text/event-stream;charset=UTF-8" });
};

function speak(answer: Answer, streamed: boolean): Response {
  const { thought, text, finish } = answer;
  const { prompt, cached, completion } = answer.usage;
  const usage = {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const calls = callsOf(answer);
  const choice = (message: object, finish_reason: string) => ({
    output: { choices: [{ message: { role: "assistant", ...message }, finish_reason }] },
    usage,
    ...REQUEST,
  });
  const words = (piece: string) => (piece ? [{ text: piece }] : []);
  if (!streamed) {
    const tool_calls = calls.map((call, index) => ({ ...call, index }));
    const message = {
      content: words(text),
      ...(thought && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls }),
    };
    return Response.json(choice(message, finish));
  }
  const deltas = [
    ...halves(thought).map((piece) => ({ content: [], reasoning_content: piece })),
    ...halves(text).map((piece) => ({ content: words(piece), reasoning_content: "" })),
    ...calls.flatMap((call, index) => {
      const [first = "", ...more] = halves(call.function.arguments);
      return [
        { content: [], tool_calls: [{ ...call, index, function: { ...call.function, arguments: first } }] },
        // Pieces that go on have an empty id.
        ...more.map((piece) => ({
          content: [],
          tool_calls: [{ index, id: "", type: "function", function: { arguments: piece } }],
        })),
      ];
    }),
  ];
  return dashscopeEvents([...deltas.map((delta) => choice(delta, "null")), choice({ content: [] }, finish)]);
}

function read(body: JsonObject): Sent {
  const messages = recordsOf(recordOf(body.input)?.messages);
  const parameters = recordOf(body.parameters) ?? {};
  return {
    ...readChat({ ...parameters, messages }),
    images: messages.flatMap(({ content }) => recordsOf(content).flatMap(({ image }) => textOf(image) ?? [])),
    reasoning: parameters.enable_thinking === true,
  };
}

const KNOWN = `result_format incremental_output max_tokens temperature top_p top_k seed stop n logprobs top_logprobs tools tool_choice
  parallel_tool_calls response_format enable_thinking thinking_budget enable_search presence_penalty repetition_penalty`;

/** DashScope's own address, for a model that sees. */
export const dashscope: FakeUpstream = {
  type: 17,
  model: "qwen3-vl-plus",
  key: "sk-upstream",
  isStream: (_path, _body, headers) => headers.get("x-dashscope-sse") === "enable",
  objection: (path, body) =>
    path === "/api/v1/services/aigc/multimodal-generation/generation"
      ? (unknownMember(body, "model input parameters") ?? unknownMember(recordOf(body.parameters) ?? {}, KNOWN))
      : "Not found",
  read,
  speak,
  refuse: (message) => Response.json({ code: "InvalidParameter", message, ...REQUEST }, { status: 400 }),
  breakOff: (words, message) =>
    dashscopeEvents(
      [
        {
          output: { choices: [{ message: { role: "assistant", content: [{ text: words }] }, finish_reason: "null" }] },
          ...REQUEST,
        },
        { code: "InternalError.Algo", message, ...REQUEST },
      ],
      "error",
      500,
    ),
};

/** The address of DashScope's that imitates OpenAI: thought is switched on with a field of its own. */
export const dashscopeImitation: FakeUpstream = {
  ...openaiChat,
  objection: (path, { enable_thinking: _, thinking_budget: __, enable_search: ___, ...body }) =>
    openaiChat.objection(path.replace("/compatible-mode", ""), body),
  read: (body) => ({ ...readChat(body), reasoning: body.enable_thinking === true }),
};
