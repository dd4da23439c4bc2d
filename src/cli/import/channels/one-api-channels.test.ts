import { expect, test } from "bun:test";
import { translateChannel } from "./one-api-channels.ts";

test.each([
  [
    { type: 28, key: "k" },
    { type: 42, key: "k", baseUrl: "" },
  ],
  [
    { type: 30, key: "k", base_url: "http://host:11434/" },
    { type: 4, baseUrl: "http://host:11434" },
  ],
  [
    { type: 29, key: "k" },
    { type: 1, baseUrl: "https://api.groq.com/openai" },
  ],
  [
    { type: 39, key: "k", base_url: "https://mine.example" },
    { type: 1, baseUrl: "https://mine.example" },
  ],
  [
    { type: 41, key: "k" },
    { type: 8, baseUrl: "https://api.novita.ai/v3/openai/chat/completions" },
  ],
  [
    { type: 33, key: "", config: '{"ak":"A","sk":"S","region":"us-east-1"}' },
    { type: 33, key: "A|S|us-east-1" },
  ],
  [
    { type: 42, key: "x", config: '{"region":"europe-west1","vertex_ai_adc":"{\\"project_id\\":\\"p\\"}"}' },
    { type: 41, key: '{"project_id":"p"}', other: "europe-west1" },
  ],
  [
    { type: 3, key: "k", config: '{"api_version":"2024-10-21"}' },
    { type: 3, other: "2024-10-21" },
  ],
])("one-api's channel %j is translated to the numbers used here", (row, expected) => {
  expect(translateChannel(row)).toMatchObject(expected);
});

test("a provider that nothing here is like is named", () => {
  expect(translateChannel({ type: 38, key: "k" })).toBe("DeepL has no counterpart here");
});
