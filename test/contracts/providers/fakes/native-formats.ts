import { recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { ANSWER, dataEvents, eventStream, type FakeType, PIECES, REFUSED, USAGE } from "./fake-type.ts";

const figures = { prompt_tokens: USAGE.prompt, completion_tokens: USAGE.completion, total_tokens: 29 };

const palm: FakeType = {
  type: 11,
  model: "PaLM-2",
  key: "upstream",
  objection: ({ path, headers, body }) => {
    if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
    if (path !== "/v1beta2/models/chat-bison-001:generateMessage") return `no such page: ${path}`;
    return Object.keys(body).every((name) => ["prompt", "temperature", "candidateCount", "topP", "topK"].includes(name))
      ? null
      : "Unknown name";
  },
  question: ({ prompt }) =>
    textOf(recordsOf(recordOf(prompt)?.messages).findLast(({ author }) => author === "0")?.content) ?? "",
  reply: () => Response.json({ candidates: [{ author: "1", content: ANSWER }], messages: [] }),
  silentOnUsage: true,
  refusal: {
    status: 404,
    answer: () => Response.json({ error: { code: 404, message: REFUSED, status: "NOT_FOUND" } }, { status: 404 }),
  },
};

const claudeUsage = { input_tokens: USAGE.prompt, output_tokens: USAGE.completion };
const claudeMessage = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: ANSWER }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: claudeUsage,
};
/** The events of Anthropic's stream. */
export const claudeEvents = [
  { type: "message_start", message: { ...claudeMessage, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...PIECES.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: claudeUsage },
  { type: "message_stop" },
];
export const claudeReply = (): Response => Response.json(claudeMessage);
const claudeStream = (): Response =>
  eventStream(claudeEvents.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
const claudeError = () =>
  Response.json({ type: "error", error: { type: "invalid_request_error", message: REFUSED } }, { status: 400 });

/** The user's words in Anthropic's messages. */
export const claudeQuestion: FakeType["question"] = ({ messages }) => {
  const content = recordsOf(messages).findLast(({ role }) => role === "user")?.content;
  return (
    textOf(content) ??
    recordsOf(content)
      .flatMap(({ text }) => textOf(text) ?? [])
      .join("")
  );
};

const anthropic: FakeType = {
  type: 14,
  model: "claude-sonnet-4-5-20250929",
  key: "upstream",
  objection: ({ path, headers, body }) => {
    if (headers.get("x-api-key") !== "upstream") return "invalid x-api-key";
    if (headers.get("anthropic-version") !== "2023-06-01") return "anthropic-version: header is required";
    if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
    return path === "/v1/messages" ? null : `no such page: ${path}`;
  },
  question: claudeQuestion,
  reply: claudeReply,
  stream: claudeStream,
  refusal: { status: 400, answer: claudeError },
  otherPaths: ({ path, headers }) =>
    path === "/v1/models" && headers.get("x-api-key") === "upstream"
      ? Response.json({
          data: [
            { type: "model", id: "model-b" },
            { type: "model", id: "model-a" },
          ],
          has_more: false,
        })
      : null,
  models: ["model-b", "model-a"],
};

const geminiAnswer = (text: string, finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...(finishReason && { finishReason }) }],
  usageMetadata: { promptTokenCount: USAGE.prompt, candidatesTokenCount: USAGE.completion, totalTokenCount: 29 },
});
export const geminiReply = (): Response => Response.json(geminiAnswer(ANSWER, "STOP"));
export const geminiStream = (): Response =>
  eventStream(dataEvents(PIECES.map((text, at) => geminiAnswer(text, at === PIECES.length - 1 ? "STOP" : undefined))));
export const geminiQuestion: FakeType["question"] = ({ contents }) =>
  recordsOf(recordsOf(contents).at(-1)?.parts)
    .flatMap(({ text }) => textOf(text) ?? [])
    .join("");

const gemini: FakeType = {
  type: 24,
  model: "gemini-2.5-pro",
  key: "upstream",
  objection: ({ path, headers, query }) => {
    if (headers.get("x-goog-api-key") !== "upstream") return "API key not valid";
    const isStream = path.endsWith(":streamGenerateContent") && query.get("alt") === "sse";
    return /^\/v1beta\/models\/gemini-2\.5-pro:/.test(path) && (isStream || path.endsWith(":generateContent"))
      ? null
      : `no such page: ${path}`;
  },
  question: geminiQuestion,
  reply: geminiReply,
  stream: geminiStream,
  refusal: {
    status: 400,
    answer: () =>
      Response.json({ error: { code: 400, message: REFUSED, status: "INVALID_ARGUMENT" } }, { status: 400 }),
  },
  otherPaths: ({ path, headers }) =>
    path === "/v1beta/models" && headers.get("x-goog-api-key") === "upstream"
      ? Response.json({ models: [{ name: "models/model-b" }, { name: "models/model-a" }] })
      : null,
  models: ["model-b", "model-a"],
};

const ollama: FakeType = {
  type: 4,
  model: "qwen3",
  key: "upstream",
  objection: ({ path }) => (path === "/api/chat" ? null : `no such page: ${path}`),
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  reply: () =>
    Response.json({
      model: "qwen3",
      message: { role: "assistant", content: ANSWER },
      done: true,
      done_reason: "stop",
      prompt_eval_count: USAGE.prompt,
      eval_count: USAGE.completion,
    }),
  stream: () => {
    const line = (rest: object) => `${JSON.stringify({ model: "qwen3", ...rest })}\n`;
    const lines = PIECES.map((content) => line({ message: { role: "assistant", content }, done: false }));
    const message = { role: "assistant", content: "" };
    const end = {
      message,
      done: true,
      done_reason: "stop",
      prompt_eval_count: USAGE.prompt,
      eval_count: USAGE.completion,
    };
    return new Response([...lines, line(end)].join(""), { headers: { "content-type": "application/x-ndjson" } });
  },
  refusal: { status: 400, answer: () => Response.json({ error: REFUSED }, { status: 400 }) },
  otherPaths: ({ path }) =>
    path === "/api/tags" ? Response.json({ models: [{ name: "model-b" }, { name: "model-a" }] }) : null,
  models: ["model-b", "model-a"],
};

const cohere: FakeType = {
  type: 34,
  model: "command-a-03-2025",
  key: "upstream",
  objection: ({ path, headers }) => {
    if (headers.get("authorization") !== "Bearer upstream") return "invalid api token";
    return path === "/v2/chat" ? null : `no such page: ${path}`;
  },
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  reply: () =>
    Response.json({
      id: "c1",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: ANSWER }] },
      usage: { tokens: { input_tokens: USAGE.prompt, output_tokens: USAGE.completion } },
    }),
  stream: () => {
    const delta = (content: object) => ({ index: 0, delta: { message: { content } } });
    const usage = { tokens: { input_tokens: USAGE.prompt, output_tokens: USAGE.completion } };
    return eventStream(
      [
        { type: "message-start", id: "c1", delta: { message: { role: "assistant" } } },
        { type: "content-start", ...delta({ type: "text", text: "" }) },
        ...PIECES.map((text) => ({ type: "content-delta", ...delta({ text }) })),
        { type: "content-end", index: 0 },
        { type: "message-end", delta: { finish_reason: "COMPLETE", usage } },
      ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
  },
  refusal: { status: 422, answer: () => Response.json({ id: "e", message: REFUSED }, { status: 422 }) },
  otherPaths: ({ path }) =>
    path === "/v1/models" ? Response.json({ models: [{ name: "model-b" }, { name: "model-a" }] }) : null,
  models: ["model-b", "model-a"],
};

const dify: FakeType = {
  type: 37,
  model: "dify",
  key: "app-upstream",
  objection: ({ path, headers, body }) => {
    if (headers.get("authorization") !== "Bearer app-upstream") return "Access token is invalid";
    if (typeof body.user !== "string" || body.user === "") return "user is required";
    if (body.response_mode !== "streaming") return "Agent Chat App does not support blocking mode";
    return path === "/v1/chat-messages" && recordOf(body.inputs) ? null : `no such page: ${path}`;
  },
  question: ({ query }) => textOf(query) ?? "",
  stream: () =>
    eventStream([
      "event: ping\n\n",
      ...dataEvents([
        { event: "workflow_started", data: { id: "w" } },
        ...PIECES.map((answer) => ({ event: "message", message_id: "m1", conversation_id: "c1", answer })),
        { event: "message_end", message_id: "m1", conversation_id: "c1", metadata: { usage: figures } },
      ]),
    ]),
  refusal: {
    status: 400,
    answer: () => Response.json({ code: "invalid_param", message: REFUSED, status: 400 }, { status: 400 }),
  },
};

const library: FakeType = {
  type: 21,
  model: "gpt-4o-mini",
  key: "upstream",
  other: "base-7",
  objection: ({ path, headers, body: { libraryId } }) => {
    if (headers.get("authorization") !== "Bearer upstream") return "no such key";
    if (libraryId !== "base-7") return "no such library";
    return path === "/api/library/ask" ? null : `no such page: ${path}`;
  },
  question: ({ query }) => textOf(query) ?? "",
  reply: () => Response.json({ success: true, answer: ANSWER, documents: [], errCode: 0, message: "" }),
  stream: () =>
    eventStream(
      dataEvents([
        ...PIECES.map((content) => ({ content, finish: false, model: "gpt-4o-mini", documents: [] })),
        { content: "", finish: true, model: "gpt-4o-mini", documents: [] },
      ]),
    ),
  silentOnUsage: true,
  refusal: { status: 502, answer: () => Response.json({ success: false, errCode: 1004, message: REFUSED }) },
  otherPaths: ({ path, headers }) =>
    path === "/api/report/getUserOverview" && headers.get("api-key") === "upstream"
      ? Response.json({ success: true, data: { totalPoints: 123.5 } })
      : null,
  balance: { amount: 123.5, currency: "points" },
};

/** Services with a chat format of their own whose keys go as they are. */
export const ownFormats: readonly FakeType[] = [palm, anthropic, gemini, ollama, cohere, dify, library];
