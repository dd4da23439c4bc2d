import { describe, expect, test } from "bun:test";
import {
  type Answer,
  branchOf,
  type Chat,
  continued,
  DEFAULT_SETTINGS,
  emptyAnswer,
  hasResults,
  withAnswer,
  withMocks,
} from "./chat.ts";
import { bodyOf, readTools } from "./chat-body.ts";
import { chatCall, codeOf, pythonOf } from "./code.ts";
import { readChat } from "./read-chat.ts";
import { applyEvent, eventsOf } from "./send-chat.ts";

const answered = (model: string, content: string) => ({ ...emptyAnswer(model), status: "complete" as const, content });
const CHAT: Chat = {
  id: "c",
  title: "",
  settings: { ...DEFAULT_SETTINGS, group: "vip", models: ["a", "b"], system: "Be brief." },
  turns: [
    { id: "1", text: "one", attachments: [], answers: [answered("a", "from a"), answered("b", "from b")] },
    {
      id: "2",
      text: "two",
      attachments: [{ kind: "image", name: "a.png", url: "data:image/png;base64,AA" }],
      answers: [emptyAnswer("a"), emptyAnswer("b")],
    },
  ],
};
const delta = (fields: object) => JSON.stringify({ choices: [{ delta: fields }] });

describe("the call of a lane", () => {
  test("carries the conversation of that lane only, the system prompt and the settings", () => {
    expect(bodyOf(CHAT.settings, CHAT.turns, 1)).toMatchObject({
      model: "b",
      group: "vip",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one" },
        { role: "assistant", content: "from b" },
        { role: "user", content: [{ type: "text", text: "two" }, { type: "image_url" }] },
      ],
    });
  });

  test("has no parameter that is not set", () => {
    const { messages: _, ...others } = bodyOf(CHAT.settings, CHAT.turns, 0);
    expect(others).toEqual({ model: "a", group: "vip", stream: true, stream_options: { include_usage: true } });
  });

  test("has parameters, functions, a schema and a search as they are set", () => {
    const settings = {
      ...CHAT.settings,
      parameters: { temperature: 0, top_p: 0.5, stop: "a\n\nb", thinking_budget: 1000, reasoning_effort: "low" },
      tools: '[{"name":"find"},{"type":"function","function":{"name":"open"}}]',
      schema: '{"type":"object"}',
      webSearch: true,
    };
    expect(bodyOf(settings, CHAT.turns, 0)).toMatchObject({
      ...{ temperature: 0, top_p: 0.5, stop: ["a", "b"], reasoning: { max_tokens: 1000 }, reasoning_effort: "low" },
      tools: [
        { type: "function", function: { name: "find" } },
        { type: "function", function: { name: "open" } },
      ],
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "object" }, strict: true },
      },
      web_search_options: {},
    });
    for (const wrong of ["{", "[1]", '[{"name":""}]']) expect(readTools(wrong)).toBeNull();
  });

  test("has calls with their results, and of a call without one only the text", () => {
    const tool = { id: "c1", name: "find", arguments: "{}" };
    const called: Answer = { ...answered("a", "Looking."), tools: [tool] };
    const turns = (answer: Answer) => [{ id: "1", text: "one", attachments: [], answers: [answer] }];
    const next = { id: "2", text: "two", attachments: [], answers: [] };
    const messages = (...all: Parameters<typeof bodyOf>[1][number][]) => bodyOf(DEFAULT_SETTINGS, all, 0).messages;
    expect(messages(...turns(called), next)).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "Looking." },
      { role: "user", content: "two" },
    ]);
    expect(hasResults(called)).toBe(false);
    const mocked = withMocks(called, { find: "3 m", constructor: "" });
    expect(hasResults(mocked)).toBe(true);
    const goesOn = continued(mocked);
    expect(goesOn).toMatchObject({ status: "loading", content: "", tools: [] });
    expect(messages(...turns({ ...called, ...goesOn, tools: [] }))).toEqual([
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "3 m" },
    ]);
  });

  test("is copied without what only the playground knows", () => {
    for (const language of ["curl", "python", "typescript"] as const) {
      const code = codeOf(language, "openai-chat", chatCall(bodyOf(CHAT.settings, CHAT.turns, 0)), "https://gate.test");
      expect(code).toContain("from a");
      expect(code).not.toContain("vip");
      expect(code).not.toContain("max_tokens");
    }
  });

  test("a single quote does not end the text of a shell", () => {
    const turns = [{ id: "1", text: "it's", attachments: [], answers: [] }];
    expect(codeOf("curl", "openai-chat", chatCall(bodyOf(DEFAULT_SETTINGS, turns, 0)), "https://gate.test")).toContain(
      "it'\\''s",
    );
  });
});

test("Python gets literals of its own, and what its library does not know through extra_body", () => {
  expect(pythonOf({ a: [true, null, 'it"s'] })).toBe('{"a": [True, None, "it\\"s"]}');
  const call = { path: "/v1/chat/completions", body: { model: "m", messages: [], top_k: 3 } };
  expect(codeOf("python", "openai-chat", call, "https://gate.test")).toContain('extra_body={"top_k": 3}');
  const gemini = { path: "/v1beta/models/m:generateContent", body: { contents: [], generationConfig: { topK: 3 } } };
  expect(codeOf("python", "gemini", gemini, "https://gate.test")).toContain('config={"topK": 3}');
  expect(
    codeOf("typescript", "anthropic", { path: "/v1/messages", body: { model: "m" } }, "https://gate.test"),
  ).toContain('baseURL: "https://gate.test"');
});

test("a stored chat is read back as it was, and what is broken in it is left out", () => {
  const tool = { id: "c1", name: "find", arguments: "{}", result: "x" };
  const answer = { ...answered("a", "text"), steps: [{ ...continued(answered("a", "")).steps[0], tools: [tool] }] };
  const chat = { ...CHAT, turns: [{ ...CHAT.turns[1], answers: [answer] }] };
  expect<unknown>(readChat(JSON.parse(JSON.stringify(chat)))).toEqual(chat);
  expect(readChat({ ...chat, turns: [1, { text: 1 }] })?.turns).toEqual([]);
  expect(
    readChat({ ...chat, settings: { parameters: { temperature: {}, top_p: 1, x: 1 } } })?.settings.parameters,
  ).toEqual({
    top_p: 1,
  });
  expect(readChat(7)).toBeNull();
  const streaming = { ...chat, turns: [{ ...CHAT.turns[1], answers: [{ ...answer, status: "incomplete" }] }] };
  expect(readChat(streaming)?.turns[0]?.answers[0]?.status).toBe("complete");
});

describe("an answer", () => {
  test("grows by content, reasoning and tool calls, and notes tokens and the first word's time", () => {
    let answer = applyEvent(emptyAnswer("a"), delta({ role: "assistant", content: "" }), 5);
    expect(answer.firstMs).toBe(0);
    answer = applyEvent(answer, delta({ reasoning_content: "hm" }), 10);
    answer = applyEvent(answer, delta({ content: "He" }), 20);
    answer = applyEvent(answer, delta({ content: "llo" }), 30);
    answer = applyEvent(
      answer,
      delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "find", arguments: '{"a"' } }] }),
      40,
    );
    answer = applyEvent(answer, delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }), 50);
    answer = applyEvent(answer, '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}', 60);
    answer = applyEvent(answer, "[DONE]", 70);
    expect(answer).toMatchObject({
      status: "incomplete",
      reasoning: "hm",
      content: "Hello",
      firstMs: 10,
      reasoningMs: 10,
      tools: [{ id: "c1", name: "find", arguments: '{"a":1}' }],
      promptTokens: 3,
      completionTokens: 4,
    });
  });

  test("names each page that it rests on once", () => {
    const page = { type: "url_citation", url_citation: { url: "https://a.test/", title: "A" } };
    const answer = [page, page, { type: "url_citation", url_citation: { url: "https://b.test/" } }].reduce(
      (so, annotation) => applyEvent(so, delta({ annotations: [annotation] }), 1),
      emptyAnswer("a"),
    );
    expect(answer.citations).toEqual([
      { url: "https://a.test/", title: "A" },
      { url: "https://b.test/", title: "https://b.test/" },
    ]);
  });

  test("an error in the stream keeps what came before", () => {
    const answer = applyEvent({ ...emptyAnswer("a"), content: "He" }, '{"error":{"message":"gone"}}', 1);
    expect(answer).toMatchObject({ status: "error", error: "gone", content: "He" });
  });

  test("events are found however the bytes are cut", async () => {
    const bytes = new TextEncoder().encode('data: {"é":1}\r\n\r\n: ping\n\ndata: [DONE]');
    const cut = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect(await Array.fromAsync(eventsOf(cut))).toEqual(['{"é":1}', "[DONE]"]);
  });
});

test("a branch ends with its turn, and a change touches one lane", () => {
  const branch = branchOf(CHAT, "1");
  expect(branch.turns.map(({ id }) => id)).toEqual(["1"]);
  expect(branch.id).not.toBe(CHAT.id);
  const changed = withAnswer(CHAT, "2", 1, (answer) => ({ ...answer, content: "x" }));
  expect(changed.turns[1]?.answers.map(({ content }) => content)).toEqual(["", "x"]);
});

describe("audio answers", () => {
  test("are requested where they are wanted, and come in pieces with a transcript", () => {
    const speaking = bodyOf({ ...CHAT.settings, speaks: true }, CHAT.turns, 0);
    expect(speaking).toMatchObject({ modalities: ["text", "audio"], audio: { format: "pcm16" } });
    expect(bodyOf(CHAT.settings, CHAT.turns, 0)).not.toHaveProperty("modalities");
    const first = applyEvent(emptyAnswer("a"), delta({ audio: { id: "audio-1", transcript: "Hel" } }), 5);
    const second = applyEvent(first, delta({ audio: { data: "AAA=", transcript: "lo" } }), 9);
    const last = applyEvent(second, delta({ audio: { data: "AQA=" } }), 12);
    expect(last).toMatchObject({ content: "Hello", audio: ["AAA=", "AQA="], firstMs: 5 });
  });

  test("are stored with the chat, and older chats have none", () => {
    const stored = (answer: object) => ({ ...CHAT, turns: [{ ...CHAT.turns[0], answers: [answer] }] });
    const audioOf = (answer: object) =>
      readChat(JSON.parse(JSON.stringify(stored(answer))))?.turns[0]?.answers[0]?.audio;
    expect(audioOf({ ...answered("a", "Hi"), audio: ["AAA="] })).toEqual(["AAA="]);
    expect(audioOf({ model: "a", content: "Hi" })).toEqual([]);
  });
});
