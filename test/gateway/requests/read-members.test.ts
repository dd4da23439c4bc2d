import { describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import type { RequestMembers } from "../../../src/formats/request-rules.ts";
import type { Endpoint } from "../../../src/gateway/call/endpoint.ts";
import { refuseForbidden } from "../../../src/gateway/call/guardrails/request/refuse-forbidden.ts";
import { contentToLog } from "../../../src/gateway/money/log-content.ts";
import {
  generateContent,
  interactions,
  messages,
  responses,
} from "../../../src/gateway/request/endpoints/conversations.ts";
import { embeddings } from "../../../src/gateway/request/endpoints/embeddings.ts";
import { imageEdits, images } from "../../../src/gateway/request/endpoints/media/images.ts";
import { moderations, rerank, speech, transcriptions } from "../../../src/gateway/request/endpoints/media/media.ts";
import { chatCompletions, completions } from "../../../src/gateway/request/endpoints/text.ts";
import { conversationKey } from "../../../src/gateway/routing/conversation-key.ts";
import { FURTHER } from "../../contracts/matrix/cells.ts";
import { ask, CLIENT_FORMATS, type ClientFormat } from "../../contracts/matrix/client-formats.ts";
import { askFor } from "../../contracts/matrix/endpoints/requests.ts";
import { userEntry } from "../../support/gateway/entries.ts";
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
  refuseForbidden({ services: { settings: FILTERED } }, CALLER, "m", request.prompt);
  conversationKey({ userId: 1, tokenId: 1, model: "m", body: seen, prompt: request.prompt, promptBound: 9_999 });
  contentToLog(request.prompt, "", { maxCharacters: 100, redacts: false, patterns: { words: [], patterns: [] } });
  endpoint.meter?.(request, null, null, shippedCatalog);
  endpoint.amend?.(seen, Buffer.from('{"results":[],"data":[{"embedding":[1]}]}'));
  return [...read].filter((name) => !members.isFreeByName.has(name));
}

const CALLER = { group: "default", policies: undefined, token: null, user: userEntry({}) };
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
  interactions,
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
