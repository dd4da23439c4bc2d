import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../../../src/formats/json.ts";
import { type Answer, halves, inPieces } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";
import { readChat } from "../openai-chat.ts";

const MODEL = "qwen3";

const line = (message: object, rest: object = { done: false }) => ({
  model: MODEL,
  created_at: "2026-03-04T05:06:07.891234Z",
  message: { role: "assistant", content: "", ...message },
  ...rest,
});

/** Lines in pieces. */
export const ollamaLines = (list: readonly object[]): Response => {
  const text = list.map((one) => `${JSON.stringify(one)}\n`).join("");
  return inPieces(new TextEncoder().encode(text), 83, { "content-type": "application/x-ndjson" });
};

function speak({ thought, text, calls, finish, usage }: Answer, streamed: boolean): Response {
  const tool_calls = calls.map(({ name, input }) => ({ function: { name, arguments: input } }));
  const end = {
    done: true,
    done_reason: finish === "length" ? "length" : "stop",
    total_duration: 900,
    prompt_eval_count: usage.prompt,
    eval_count: usage.completion,
  };
  if (!streamed) {
    const message = { content: text, ...(thought && { thinking: thought }), ...(calls.length > 0 && { tool_calls }) };
    return Response.json(line(message, end));
  }
  return ollamaLines([
    ...halves(thought).map((thinking) => line({ thinking })),
    ...halves(text).map((content) => line({ content })),
    ...tool_calls.map((call) => line({ tool_calls: [call] })),
    line({}, end),
  ]);
}

/** Images are bare base64 of PNGs here; results name their tool. */
function read(body: JsonObject) {
  const messages = recordsOf(body.messages);
  const options = recordOf(body.options) ?? {};
  const chat = readChat(body);
  return {
    ...chat,
    images: messages.flatMap(({ images }) =>
      Array.isArray(images) ? images.map((data) => `data:image/png;base64,${data}`) : [],
    ),
    results: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_name, content }) => ({
        answers: textOf(chat.calls.find(({ name }) => name === tool_name)?.name),
        text: textOf(content) ?? "",
      })),
    stop: Array.isArray(options.stop) ? options.stop.map(String) : [],
    schema: body.format ?? null,
    limit: numberOf(options.num_predict),
    reasoning: body.think === true || textOf(body.think) !== null,
  };
}

/** Ollama's own chat. */
export const ollama: FakeUpstream = {
  type: 4,
  model: MODEL,
  key: "ollama",
  isStream: (_path, body) => body.stream !== false,
  objection(path, body) {
    if (path !== "/api/chat") return "404 page not found";
    if (recordsOf(body.messages).some(({ content }) => typeof content !== "string")) return "content must be a string";
    return unknownMember(body, "model messages tools format options stream think keep_alive logprobs top_logprobs");
  },
  read,
  speak,
  refuse: (message) => Response.json({ error: message }, { status: 400 }),
  breakOff: (words, message) => ollamaLines([line({ content: words }), { error: message }]),
};
