import { expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { shippedCatalog } from "../../catalog/catalog.ts";
import { chatServiceOf } from "../../providers/contract/facts.ts";
import { channelTypes, providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import { NativeAdapter } from "./native-adapter.ts";

const JSON_TYPE = "application/json";
/** Responses with status 200 that no provider's API has. */
const INVALID: Readonly<Record<string, readonly [body: string, contentType: string]>> = {
  "a web page": ["<!DOCTYPE html><html><body>Log in</body></html>", "text/html"],
  "a web page that says it is JSON": ["<html><body>Log in</body></html>", JSON_TYPE],
  "a web page that says it is an image": ["<html><body>Log in</body></html>", "image/png"],
  "a text": ["It works!", "text/plain"],
  blanks: [" \n\n", JSON_TYPE],
  "another object": ['{"hello":1}', JSON_TYPE],
  "an empty object": ["{}", JSON_TYPE],
  "a list": ["[]", JSON_TYPE],
  null: ["null", JSON_TYPE],
  "half an answer": ['{"id":"1","data":[{"embedding":[0.1,', JSON_TYPE],
  "events of something else": ['event: tick\ndata: {"hello":1}\n\ndata: [DONE]\n\n', "text/event-stream"],
  "members' names inside of a text": ['{"hello":"\\"data\\" \\"results\\" \\"output\\""}', JSON_TYPE],
};

const FORMATS = channelTypes.flatMap(({ id, name, capabilities }) =>
  capabilities.flatMap((capability) => {
    const provider = providerOf(id);
    const format = provider?.nativeFormat?.({ capability: capability as "images", model: "m" }, "key");
    return format && provider ? [{ name, capability, provider, format }] : [];
  }),
);

test("many providers have formats of their own", () => {
  expect(FORMATS.length).toBeGreaterThan(15);
});

test.each(FORMATS)("$name: takes nothing else for a response to $capability", ({ capability, provider, format }) => {
  const json = { model: "m", input: "Hi", prompt: "a lock", query: "a", documents: ["b"] };
  const endpoint = { capability, emptyIsFree: false, codec: { dialect: "openai-chat" } };
  const call = {
    endpoint,
    summary: { model: "m" },
    body: { text: "", size: 0, json },
    createdAt: 0,
  } as unknown as Call;
  const channel = channelEntry({ type: provider.type });
  const target = {
    channel,
    key: "key",
    keyIndex: 0,
    provider,
    service: chatServiceOf(provider),
    userAgent: "",
    proxy: "",
  };
  const route = { ...target, upstreamModel: "m", price: null, dropped: [] };
  const adapter = new NativeAdapter(call, route satisfies Route, format, shippedCatalog, () => {});
  const taken = Object.entries(INVALID).filter(([, [text, contentType]]) => {
    const body = new TextEncoder().encode(text);
    if (adapter.findError(body) !== null) return false;
    return adapter.readResponse(body, contentType) ?? adapter.synthesizeStream(body, contentType);
  });
  expect(taken.map(([what]) => what)).toEqual([]);
});
