import { expect, test } from "bun:test";
import { promptTexts } from "../../../../formats/openai-chat/request/summary.ts";
import { clientTexts } from "./client-texts.ts";

const textsOf = (event: object) => {
  return promptTexts(clientTexts(event as Record<string, unknown>));
};

test.each([
  [
    { type: "session.update", session: { instructions: "be brief", tools: [{ name: "t" }] } },
    ["be brief", '{"name":"t"}'],
  ],
  [{ type: "session.update", session: { audio: { input: { transcription: { prompt: "names" } } } } }, ["names"]],
  [{ type: "transcription_session.update", session: { input_audio_transcription: { prompt: "names" } } }, ["names"]],
  [{ type: "session.update", session: { prompt: { id: "p", variables: { a: "x", b: { text: "y" } } } } }, ["x", "y"]],
  [
    {
      type: "response.create",
      response: { instructions: "sing", input: [{ role: "user", content: [{ type: "input_text", text: "la" }] }] },
    },
    ["sing", "la"],
  ],
  [
    { type: "conversation.item.create", item: { role: "user", content: [{ text: "a" }, { transcript: "b" }] } },
    ["a\nb"],
  ],
  [{ type: "conversation.item.create", item: { type: "function_call_output", output: "42" } }, ["42"]],
  [{ type: "conversation.item.create", item: { type: "function_call", name: "n", arguments: "{}" } }, ["", "n", "{}"]],
  [{ type: "input_audio_buffer.append", audio: "AAAA" }, []],
  [{ type: "response.cancel" }, []],
])("%o contains %p", (event, texts) => {
  expect(textsOf(event)).toEqual(texts);
});
