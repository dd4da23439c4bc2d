import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { anthropicRules } from "../../../src/formats/anthropic/request/request-rules.ts";
import { geminiRules } from "../../../src/formats/gemini/request/request-rules.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import { openaiRules } from "../../../src/formats/openai-chat/request/request-rules.ts";
import { responsesRules } from "../../../src/formats/openai-responses/request/request-rules.ts";
import type { RequestMembers } from "../../../src/formats/request-rules/request-members.ts";
import type { RequestRules } from "../../../src/formats/request-rules/request-rules.ts";
import { refuseBlockedWords } from "../../../src/gateway/auth/word-filter.ts";
import { contentToLog } from "../../../src/gateway/billing/log-content.ts";
import { generateContent, messages, responses } from "../../../src/gateway/http/endpoints/conversations.ts";
import { embeddings } from "../../../src/gateway/http/endpoints/embeddings.ts";
import type { Endpoint } from "../../../src/gateway/http/endpoints/endpoint.ts";
import {
  imageEdits,
  images,
  moderations,
  rerank,
  speech,
  transcriptions,
} from "../../../src/gateway/http/endpoints/media.ts";
import { chatCompletions, completions } from "../../../src/gateway/http/endpoints/text.ts";
import { conversationKey } from "../../../src/gateway/routing/conversation-key.ts";
import { FURTHER } from "../../contracts/matrix/cells.ts";
import { ask, CLIENT_FORMATS, type ClientFormat } from "../../contracts/matrix/client-formats.ts";
import { askFor } from "../../contracts/matrix/endpoints/requests.ts";
import { fixedSettings } from "../../support/lib/settings.ts";

/** Every member that a request is decided by stands in the list of its format: else a second spelling of it would pass. */

/** The request, noting each name that is read of it; what is in the user's own values is not looked at. */
function watched<Value>(value: Value, { isFreeByName }: RequestMembers, read: Set<string>): Value {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const inner: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== "string" || (Array.isArray(target) && !/^\d+$/.test(name))) return inner;
      if (!Array.isArray(target) && name !== "toJSON") read.add(name);
      return isFreeByName.get(name) ? inner : watched(inner, { isFreeByName } as RequestMembers, read);
    },
  });
}

function unlisted(endpoint: Endpoint, body: JsonObject): string[] {
  const { members } = endpoint.rules;
  const read = new Set<string>();
  const seen = watched(body, members, read);
  const request = endpoint.read(seen, { model: "m" });
  request.conversation?.();
  refuseBlockedWords(FILTERED, request.prompt);
  conversationKey({ userId: 1, tokenId: 1, model: "m", body: seen, prompt: request.prompt, promptBound: 9_999 });
  contentToLog(request.prompt, "", { maxCharacters: 100, redacts: false, patterns: { words: [], patterns: [] } });
  endpoint.meter?.(request, null, null);
  endpoint.amend?.(seen, Buffer.from('{"results":[],"data":[{"embedding":[1]}]}'));
  return [...read].filter((name) => !members.isFreeByName.has(name));
}

const FILTERED = fixedSettings({
  CheckSensitiveEnabled: "true",
  CheckSensitiveOnPromptEnabled: "true",
  SensitiveWords: "forbidden",
});

const ENDPOINTS: Readonly<Record<ClientFormat, Endpoint>> = {
  chat: chatCompletions,
  responses,
  messages,
  gemini: generateContent,
};
const WISH = {
  text: "Hi",
  image: "data:image/png;base64,AA==",
  tools: true,
  withToolResult: true,
  stop: ["a"],
  reasoning: true,
  limit: 9,
  mustCall: true,
};
const FURTHER_NAMES = Object.keys(FURTHER) as (keyof typeof FURTHER)[];

describe("what is read of a request stands in its format's list", () => {
  test.each(CLIENT_FORMATS)("%s", (client) => {
    const endpoint = ENDPOINTS[client];
    expect(unlisted(endpoint, ask[client]({ ...WISH } as never, "m", true).body)).toEqual([]);
    for (const name of FURTHER_NAMES)
      expect([name, unlisted(endpoint, askFor(client, name, "m", false).body)]).toEqual([name, []]);
  });

  test.each([
    [completions, { model: "m", prompt: ["a"], suffix: "b" }],
    [embeddings, { model: "m", input: ["a"], encoding_format: "base64" }],
    [images, { model: "m", prompt: "a", size: "256x256", quality: "hd", n: 2, stream: true }],
    [imageEdits, { model: "m", prompt: "a", image: { bytes: 1 } }],
    [speech, { model: "m", input: "a", stream_format: "sse" }],
    [transcriptions, { model: "m", file: { bytes: 1 }, seconds: 3 }],
    [moderations, { input: "a" }],
    [rerank, { model: "m", query: "q", documents: ["a", { text: "b" }], return_documents: true }],
  ] as const)("%#", (endpoint, body) => {
    expect(unlisted(endpoint, body)).toEqual([]);
  });
});

const SOURCES = join(import.meta.dir, "../../../src");
/** Folders and files that read requests, by format. Property names with underscores are never the gateway's own. */
const READERS: readonly (readonly [RequestRules, readonly string[], readonly string[]])[] = [
  [
    openaiRules,
    [
      "formats/openai-chat/request/*.ts",
      "gateway/http/endpoints/{text,embeddings}.ts",
      "gateway/billing/hosted-tools.ts",
      "gateway/routing/conversation-key.ts",
      "gateway/adapters/passthrough-adapter.ts",
    ],
    // Names of tools in counts, and of a setting; below the name of a log probability's place.
    ["google_search", "web_search", "web_search_preview", "search_billing", "pass_through_request_enabled"],
  ],
  [responsesRules, ["formats/openai-responses/request/*.ts"], ["output_text"]],
  // Facts of the model catalog.
  [anthropicRules, ["formats/anthropic/request/*.ts"], ["can_disable", "output_limit"]],
];

/** The texts of the sources that a pattern finds; throws where it finds none. */
async function sourcesOf(pattern: string): Promise<readonly (readonly [file: string, text: string])[]> {
  const files = [...new Bun.Glob(pattern).scanSync({ cwd: SOURCES })].filter(
    (file) => !file.endsWith(".test.ts") && !file.includes("encode"),
  );
  if (files.length === 0) throw new Error(`no source is called ${pattern}`);
  return Promise.all(files.map(async (file) => [file, await Bun.file(join(SOURCES, file)).text()] as const));
}

describe("what the sources name stands in the format's list", () => {
  test.each(READERS)("%#", async ({ members }, patterns, others) => {
    for (const [file, source] of (await Promise.all(patterns.map(sourcesOf))).flat()) {
      const names = [...source.matchAll(/(?:\.|[{,] )([a-z]+(?:_[a-z0-9]+)+)(?=[\s,;:)}?.=!\]])/g)].map(
        ([, name = ""]) => name,
      );
      const unknown = names.filter((name) => !members.isFreeByName.has(name) && !others.includes(name));
      expect([file, [...new Set(unknown)]]).toEqual([file, []]);
    }
  });

  test("Google's members are read by name", async () => {
    for (const [, source] of await sourcesOf("formats/gemini/request/*.ts")) {
      const names = [...source.matchAll(/(?:either\([^"()]*(?:\([^()]*\))?[^"()]*|given\()"([A-Za-z]+)"/g)].map(
        ([, read = ""]) => read,
      );
      expect(names.filter((read) => !geminiRules.members.isFreeByName.has(read))).toEqual([]);
    }
  });
});
