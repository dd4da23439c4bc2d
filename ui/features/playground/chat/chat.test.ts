import { describe, expect, test } from "bun:test";
import { bodyOf, branchOf, type Chat, DEFAULT_SETTINGS, emptyAnswer, withAnswer } from "./chat.ts";
import { codeOf } from "./code.ts";
import { applyEvent, eventsOf } from "./send-chat.ts";

const answered = (model: string, content: string) => ({ ...emptyAnswer(model), status: "complete" as const, content });
const CHAT: Chat = {
  id: "c",
  title: "",
  settings: { ...DEFAULT_SETTINGS, group: "vip", models: ["a", "b"], system: "Be brief." },
  turns: [
    { id: "1", text: "one", images: [], answers: [answered("a", "from a"), answered("b", "from b")] },
    { id: "2", text: "two", images: ["data:image/png;base64,AA"], answers: [emptyAnswer("a"), emptyAnswer("b")] },
  ],
};
const delta = (fields: object) => JSON.stringify({ choices: [{ delta: fields }] });

describe("the call of a lane", () => {
  test("carries the conversation of that lane only, the system prompt and the settings", () => {
    expect(bodyOf(CHAT.settings, CHAT.turns, 1)).toMatchObject({
      model: "b",
      group: "vip",
      max_tokens: 0,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one" },
        { role: "assistant", content: "from b" },
        { role: "user", content: [{ type: "text", text: "two" }, { type: "image_url" }] },
      ],
    });
  });

  test("is copied without what only the playground knows", () => {
    for (const language of ["curl", "python", "typescript"] as const) {
      const code = codeOf(language, bodyOf(CHAT.settings, CHAT.turns, 0), "https://gate.test/v1");
      expect(code).toContain("from a");
      expect(code).not.toContain("vip");
      expect(code).not.toContain("max_tokens");
    }
  });

  test("a single quote does not end the text of a shell", () => {
    const turns = [{ id: "1", text: "it's", images: [], answers: [] }];
    expect(codeOf("curl", bodyOf(DEFAULT_SETTINGS, turns, 0), "https://gate.test/v1")).toContain("it'\\''s");
  });
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
      delta({ tool_calls: [{ index: 0, function: { name: "find", arguments: '{"a"' } }] }),
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
      tools: [{ name: "find", arguments: '{"a":1}' }],
      promptTokens: 3,
      completionTokens: 4,
    });
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
