/** Every member of every request schema whose name ends in `id` is known for what it names. */
import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { anthropicRules } from "../../formats/anthropic/request/request-rules.ts";
import { geminiRules } from "../../formats/gemini/request/request-rules.ts";
import { interactionsRules } from "../../formats/gemini-interactions/request/request-rules.ts";
import { openaiRules } from "../../formats/openai-chat/request/request-rules.ts";
import { responsesRules } from "../../formats/openai-responses/request/request-rules.ts";
import { realtimeRules } from "../endpoints/realtime/filters/request-rules.ts";
import { drawing, music, video } from "../endpoints/tasks/endpoints.ts";
import { findReferences, NO_REFERENCES, REFERENCE_MEMBERS, RESOLVED_ELSEWHERE } from "./provider-state.ts";

const FORMATS = {
  "OpenAI Chat, images, audio, batches": openaiRules,
  "OpenAI Responses": responsesRules,
  "Anthropic Messages": anthropicRules,
  Gemini: geminiRules,
  Interactions: interactionsRules,
  Realtime: realtimeRules,
  Midjourney: drawing.rules,
  Suno: music.rules,
  videos: video.rules,
};

const namesOf = (rules: (typeof FORMATS)[keyof typeof FORMATS]) =>
  [...rules.members.isFreeByName].filter(([, isFree]) => !isFree).map(([name]) => name);
const endsInId = (name: string) => /(?:^|_)ids?$|[a-z]Ids?$/.test(name);
const isClassified = (name: string) =>
  REFERENCE_MEMBERS.has(name) || Object.hasOwn(RESOLVED_ELSEWHERE, name) || Object.hasOwn(NO_REFERENCES, name);

describe.each(Object.entries(FORMATS))("%s", (_, rules) => {
  test.each(
    namesOf(rules)
      .filter(endsInId)
      .map((name) => [name]),
  )("%s is classified", (name) => {
    expect(isClassified(name)).toBe(true);
  });
});

test("rules of requests elsewhere name no id that is not classified", async () => {
  const ids: string[] = [];
  for await (const file of new Glob("src/gateway/**/*.ts").scan(".")) {
    if (file.endsWith(".test.ts")) continue;
    const text = await Bun.file(file).text();
    for (const [, , names = ""] of text.matchAll(/requestMembers\(\s*(["`])([^"`]*)\1/g)) {
      ids.push(...names.split(/\s+/).filter(endsInId));
    }
  }
  expect(ids).toContain("file_id");
  expect(ids.filter((name) => !isClassified(name))).toEqual([]);
});

test("no member is classified twice, and none without a place in a schema or a reason", () => {
  const lists = [[...REFERENCE_MEMBERS.keys()], Object.keys(RESOLVED_ELSEWHERE), Object.keys(NO_REFERENCES)];
  const all = lists.flat();
  expect(new Set(all).size).toBe(all.length);
});

const found = (body: object, rules = openaiRules) => {
  const references = findReferences([body], rules);
  return references && Object.fromEntries(Object.entries(references).map(([kind, ids]) => [kind, [...ids]]));
};

describe("found in requests", () => {
  test.each([
    [
      "an image to edit",
      { images: [{ file_id: "file-1" }], mask: { file_id: "file-2" } },
      { files: ["file-2", "file-1"] },
    ],
    [
      "a file of a chat",
      { messages: [{ content: [{ type: "file", file: { file_id: "file-1" } }] }] },
      { files: ["file-1"] },
    ],
    ["audio of a chat", { messages: [{ role: "assistant", audio: { id: "audio_1" } }] }, { parts: ["audio_1"] }],
    ["a voice of one's own", { voice: { id: "voice_1" } }, { parts: ["voice_1"] }],
    ["an item", { input: [{ type: "item_reference", id: "msg_1" }] }, { parts: ["msg_1"] }],
    ["an item by its id alone", { input: [{ id: "msg_1" }] }, { parts: ["msg_1"] }],
    ["a container", { container: "container_1" }, { objects: ["container_1"] }],
    [
      "a container with skills",
      { container: { id: "c_1", skills: [{ skill_id: "s_1" }] } },
      { objects: ["c_1"], parts: ["s_1"] },
    ],
    ["a tool's container", { tools: [{ type: "code_interpreter", container: "cntr_1" }] }, { objects: ["cntr_1"] }],
    ["a tool's stores", { tools: [{ vector_store_ids: ["vs_1", "vs_2"] }] }, { objects: ["vs_1", "vs_2"] }],
    ["a conversation", { conversation: { id: "conv_1" } }, { objects: ["conv_1"] }],
    ["a cache", { cachedContent: "cachedContents/1" }, { objects: ["cachedContents/1"] }],
    ["what no format of ours has yet", { anything: { brain_id: "b_1", lobeIds: ["l_1"] } }, { parts: ["b_1", "l_1"] }],
  ])("%s", (_, body, expected) => {
    const none = { files: [], objects: [], parts: [] };
    const sorted = (ids: Readonly<Record<string, readonly string[]>>) =>
      Object.fromEntries(Object.entries(ids).map(([kind, list]) => [kind, list.toSorted()]));
    expect(sorted(found(body) ?? {})).toEqual(sorted({ ...none, ...expected }));
  });

  test.each([
    ["a voice by name", { voice: "alloy", audio: { voice: "alloy", format: "wav" } }, openaiRules],
    ["an automatic container", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, responsesRules],
    ["a computer", { tools: [{ type: "computer_use_preview", environment: "browser" }] }, responsesRules],
    ["a text prompt", { prompt: "a cat", images: [{ image_url: "https://x.example" }] }, openaiRules],
    ["calls of tools", { input: [{ type: "function_call", id: "fc_1", call_id: "c", name: "f" }] }, responsesRules],
    [
      "arguments of a tool",
      { messages: [{ content: [{ type: "tool_use", id: "t", input: { file_id: "x" } }] }] },
      anthropicRules,
    ],
    ["metadata", { metadata: { file_id: "x", user_id: "y" } }, openaiRules],
  ])("nothing in %s", (_, body, rules) => {
    expect(found(body, rules)).toBeNull();
  });
});
