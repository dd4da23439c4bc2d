import { expect, test } from "bun:test";
import { checkRequestMembers } from "./request-members.ts";
import { readSources } from "./source.ts";

const SOURCES = readSources();
const problemsWith = (path: string, text: string) => checkRequestMembers([...SOURCES, { path, text }]).problems;

test("a member that its format's list does not have is found", () => {
  expect(problemsWith("src/formats/openai-chat/request/new.ts", "body.max_tokens ?? body.max_token;")).toEqual([
    'src/formats/openai-chat/request/new.ts:1: "max_token" is not in request-rules.ts of its format',
  ]);
  expect(
    problemsWith("src/formats/gemini/request/new.ts", 'either(body, "contents");\neither(body, "turnList");'),
  ).toEqual(['src/formats/gemini/request/new.ts:2: "turnList" is not in request-rules.ts of its format']);
  expect(problemsWith("src/formats/openai-chat/response/new.ts", "body.max_token;")).toEqual([]);
});

test("a format without readers is found", () => {
  expect(checkRequestMembers([]).problems).toHaveLength(4);
});
