import { expect, test } from "bun:test";
import { bodyOf } from "./chat-body.ts";
import { chatOfRequest } from "./read-request.ts";

test("a request opens as a chat that would send it again", () => {
  const call = { id: "c1", type: "function", function: { name: "read_level", arguments: "{}" } };
  const request = {
    model: "gpt-4o",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How high is it?" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "3 m" },
      { role: "assistant", content: "Three metres." },
      {
        role: "user",
        content: [
          { type: "text", text: "And here?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" } },
          { type: "input_audio", input_audio: { data: "AA", format: "mp3" } },
        ],
      },
    ],
    ...{ temperature: 0.3, max_tokens: 50, stop: ["END"], reasoning: { max_tokens: 2000 } },
    tools: [{ type: "function", function: { name: "read_level", parameters: { type: "object" } } }],
    response_format: { type: "json_schema", json_schema: { name: "level", schema: { type: "object" } } },
    web_search_options: {},
  };
  const chat = chatOfRequest(request);
  expect(bodyOf(chat.settings, chat.turns, 0)).toEqual({
    ...request,
    messages: request.messages as never,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(chat.title).toBe("How high is it?");
});
