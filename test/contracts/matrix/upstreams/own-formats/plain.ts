/** Services that hold little more than words: each as far as it does. */
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../../../src/formats/json.ts";
import { type Answer, events, halves, inPieces, type Sent } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";

/** A request of which nothing was understood. */
const NOTHING: Sent = {
  system: "",
  texts: [],
  images: [],
  tools: [],
  calls: [],
  results: [],
  stop: [],
  schema: null,
  reasoning: false,
  limit: null,
  mustCall: false,
};

const usageOf = ({ usage }: Answer) => ({
  prompt_tokens: usage.prompt,
  completion_tokens: usage.completion,
  total_tokens: usage.prompt + usage.completion,
});

const functionsOf = (list: unknown): Sent["tools"] =>
  recordsOf(list).map(({ name, parameters }) => ({ name: textOf(name) ?? "", schema: parameters }));

const contentsOf = (list: readonly JsonObject[], role: string): string[] =>
  list.filter((one) => one.role === role).map(({ content }) => textOf(content) ?? "");

/** PaLM answers at once: a stream is made of the whole answer. */
export const palm: FakeUpstream = {
  type: 11,
  model: "PaLM-2",
  key: "AIza-upstream",
  isStream: () => false,
  objection: (path, body) =>
    path === "/v1beta2/models/chat-bison-001:generateMessage"
      ? unknownMember(body, "prompt temperature candidateCount topP topK")
      : "Not found",
  read(body) {
    const { context, messages } = recordOf(body.prompt) ?? {};
    const texts = recordsOf(messages).filter(({ author }) => author === "0");
    return { ...NOTHING, system: textOf(context) ?? "", texts: texts.map(({ content }) => textOf(content) ?? "") };
  },
  speak: ({ text }) => Response.json({ candidates: [{ author: "1", content: text }] }),
  refuse: (message) => Response.json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, { status: 400 }),
  breakOff: (_words, message) =>
    Response.json({ error: { code: 503, message, status: "UNAVAILABLE" } }, { status: 503 }),
};

const ERNIE = { id: "as-1", object: "chat.completion", created: 1_760_000_000, need_clear_history: false };
const ERNIE_KNOWN = `messages system stream temperature top_p penalty_score max_output_tokens stop disable_search
  enable_citation enable_trace response_format user_id functions tool_choice`;

/** Qianfan's first chat: an odd number of messages, one call a turn. */
export const qianfan: FakeUpstream = {
  type: 15,
  model: "ERNIE-4.0-8K",
  // A token that is ready.
  key: "24.token",
  isStream: (_path, body) => body.stream === true,
  objection(path, body) {
    if (!path.endsWith("/wenxinworkshop/chat/completions_pro")) return "no such page";
    if (recordsOf(body.messages).length % 2 === 0) return "the length of messages must be an odd number";
    return unknownMember(body, ERNIE_KNOWN);
  },
  read(body) {
    const messages = recordsOf(body.messages);
    const calls = recordsOf(messages.map(({ function_call: call }) => call));
    return {
      ...NOTHING,
      system: textOf(body.system) ?? "",
      texts: contentsOf(messages, "user"),
      tools: functionsOf(body.functions),
      calls: calls.map(({ name, arguments: input }) => ({
        name: textOf(name) ?? "",
        input: parseJson(textOf(input) ?? ""),
      })),
      results: messages
        .filter(({ role }) => role === "function")
        .map(({ name, content }) => ({ answers: textOf(name), text: textOf(content) ?? "" })),
      stop: Array.isArray(body.stop) ? body.stop.map(String) : [],
      limit: numberOf(body.max_output_tokens),
    };
  },
  speak(answer, streamed) {
    const { text, calls, finish } = answer;
    const [call] = calls;
    const ending = {
      ...ERNIE,
      is_truncated: finish === "length",
      finish_reason: call ? "function_call" : finish === "length" ? "length" : "normal",
      ...(call && { function_call: { name: call.name, arguments: JSON.stringify(call.input) } }),
      usage: usageOf(answer),
    };
    if (!streamed) return Response.json({ ...ending, result: text });
    const sentences = halves(text).map((result, sentence_id) => ({ ...ERNIE, sentence_id, is_end: false, result }));
    return events([...sentences, { ...ending, is_end: true, result: "" }], false);
  },
  refuse: (message) => Response.json({ error_code: 336_003, error_msg: message, id: "as-1" }),
  breakOff: (words, message) =>
    events(
      [
        { ...ERNIE, sentence_id: 0, is_end: false, result: words },
        { error_code: 336_100, error_msg: message },
      ],
      false,
    ),
};

const zhipuEvent = (event: string, data: string, meta?: object): string =>
  `event:${event}\nid:7\ndata:${data}\n${meta ? `meta:${JSON.stringify(meta)}\n` : ""}\n`;
const zhipuEvents = (list: readonly string[]): Response =>
  inPieces(Buffer.from(list.join("")), 97, { "content-type": "text/event-stream" });

/** Zhipu's third API: instructions are an exchange of messages before the conversation. */
export const chatglm: FakeUpstream = {
  type: 16,
  model: "chatglm_turbo",
  key: "id.secret",
  isStream: (path) => path.endsWith("/sse-invoke"),
  objection: (path, body) =>
    /^\/api\/paas\/v3\/model-api\/chatglm_turbo\/(sse-)?invoke$/.test(path)
      ? unknownMember(body, "prompt temperature top_p request_id incremental")
      : "no such page",
  read({ prompt }) {
    const lines = recordsOf(prompt);
    const [system = ""] = contentsOf(lines, "system");
    return { ...NOTHING, system, texts: contentsOf(lines, "user").slice(system === "" ? 0 : 1) };
  },
  speak(answer, streamed) {
    const { text } = answer;
    const usage = usageOf(answer);
    if (!streamed) {
      const choices = [{ role: "assistant", content: JSON.stringify(text) }];
      return Response.json({ code: 200, msg: "ok", success: true, data: { request_id: "1", choices, usage } });
    }
    const end = zhipuEvent("finish", "", { task_status: "SUCCESS", usage });
    return zhipuEvents([...halves(text).map((piece) => zhipuEvent("add", piece)), end]);
  },
  refuse: (message) => Response.json({ code: 1210, msg: message, success: false }),
  breakOff: (words, message) => zhipuEvents([zhipuEvent("add", words), zhipuEvent("error", message)]),
};

const sparkFrames = (frames: readonly object[]): Response =>
  new Response(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
const sparkHeader = (status: number) => ({ code: 0, message: "Success", sid: "s", status });

/** Xunfei Spark: a chat is a WebSocket; the answer's lines are its frames. */
export const spark: FakeUpstream = {
  type: 18,
  model: "SparkDesk-v4.0",
  key: "app|api-secret|api-key",
  webSocket: true,
  isStream: () => true,
  objection: (path, body) => (path === "/v4.0/chat" ? unknownMember(body, "header parameter payload") : "no such page"),
  read(body) {
    const payload = recordOf(body.payload) ?? {};
    const lines = recordsOf(recordOf(payload.message)?.text);
    return {
      ...NOTHING,
      system: contentsOf(lines, "system").join("\n"),
      texts: contentsOf(lines, "user"),
      tools: functionsOf(recordOf(payload.functions)?.text),
    };
  },
  speak(answer) {
    const { text, calls } = answer;
    const [call] = calls;
    const messages: object[] = halves(text).map((content) => ({ content, role: "assistant", index: 0 }));
    const function_call = call && { name: call.name, arguments: JSON.stringify(call.input) };
    if (function_call) messages.push({ content: "", role: "assistant", content_type: "text", function_call, index: 0 });
    const usage = { text: { question_tokens: 4, ...usageOf(answer) } };
    return sparkFrames(
      messages.map((piece, seq) => {
        const status = seq === messages.length - 1 ? 2 : Math.min(1, seq);
        const choices = { status, seq, text: [piece] };
        return { header: sparkHeader(status), payload: { choices, ...(status === 2 && { usage }) } };
      }),
    );
  },
  refuse: (message) => sparkFrames([{ header: { code: 10_004, message, sid: "s", status: 2 } }]),
  breakOff: (content, message) =>
    sparkFrames([
      { header: sparkHeader(0), payload: { choices: { status: 0, seq: 0, text: [{ content, index: 0 }] } } },
      { header: { code: 10_010, message, sid: "s", status: 2 } },
    ]),
};

const DIFY = { message_id: "m1", conversation_id: "c1" };
/** Images that were uploaded, by their id. */
const uploads = new Map<string, string>();

/** A Dify app: the conversation is one text. */
export const dify: FakeUpstream = {
  type: 37,
  model: "dify",
  key: "app-upstream",
  async otherPaths(path, request) {
    if (path !== "/v1/files/upload") return null;
    const file = (await request.formData()).get("file");
    if (!(file instanceof Blob)) return Response.json({ code: "no_file_uploaded" }, { status: 400 });
    const id = `file-${uploads.size}`;
    uploads.set(id, `data:${file.type};base64,${Buffer.from(await file.bytes()).toString("base64")}`);
    return Response.json({ id, name: "image", mime_type: file.type }, { status: 201 });
  },
  isStream: () => true,
  objection(path, body) {
    if (path !== "/v1/chat-messages") return "no such page";
    if (!textOf(body.user)) return "user is required";
    if (body.response_mode !== "streaming") return "Agent Chat App does not support blocking mode";
    return unknownMember(body, "inputs query response_mode user conversation_id files auto_generate_name");
  },
  read({ query, files }) {
    const lines = (textOf(query) ?? "").split("\n");
    const by = (who: string) => lines.filter((line) => line.startsWith(who)).map((line) => line.slice(who.length));
    const [system = ""] = by("SYSTEM: ");
    const images = recordsOf(files).map(
      ({ url, upload_file_id: id }) => textOf(url) ?? uploads.get(textOf(id) ?? "") ?? "",
    );
    return { ...NOTHING, system, texts: by("USER: "), images };
  },
  speak: (answer) =>
    events(
      [
        { event: "workflow_started", data: { id: "w" } },
        ...halves(answer.text).map((piece) => ({ event: "message", ...DIFY, answer: piece })),
        { event: "message_end", ...DIFY, metadata: { usage: usageOf(answer) } },
      ],
      false,
    ),
  refuse: (message) => Response.json({ code: "invalid_param", message, status: 400 }, { status: 400 }),
  breakOff: (words, message) =>
    events(
      [
        { event: "message", ...DIFY, answer: words },
        { event: "error", ...DIFY, status: 500, code: "internal_server_error", message },
      ],
      false,
    ),
};

/** AI Proxy's libraries receive the last message alone. */
export const aiProxy: FakeUpstream = {
  type: 21,
  model: "gpt-4o-mini",
  key: "upstream",
  isStream: (_path, body) => body.stream === true,
  objection: (path, body) =>
    path === "/api/library/ask" ? unknownMember(body, "model query libraryId stream") : "no such page",
  read: ({ query }) => ({ ...NOTHING, texts: [textOf(query) ?? ""] }),
  speak({ text }, streamed) {
    if (!streamed) return Response.json({ success: true, answer: text, documents: [], errCode: 0, message: "" });
    const event = (content: string, finish: boolean) => ({ content, finish, model: "gpt-4o-mini", documents: [] });
    return events([...halves(text).map((piece) => event(piece, false)), event("", true)], false);
  },
  refuse: (message) => Response.json({ success: false, errCode: 1004, message }, { status: 400 }),
  breakOff: (words, message) =>
    events(
      [
        { content: words, finish: false },
        { errCode: 1005, message },
      ],
      false,
    ),
};
