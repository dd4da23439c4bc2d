/** What a client reads when no channel can serve its call, or none could. */
import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createModelCatalog } from "../../catalog/catalog.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { AttemptFailure } from "../upstream/attempt-failure.ts";
import {
  completeOverflow,
  needsMediaEmbeddings,
  noChannel,
  promptTooLong,
  withRetirement,
} from "./describe-failure.ts";

const catalog = createModelCatalog(
  fixedSettings({
    ModelCatalog:
      '{"old-1":{"deprecation_date":"2026-01-31","successor":"new-1"},"later-1":{"deprecation_date":"2099-01-31"},"wide":{"context_window":1000}}',
  }),
);

describe("an upstream that does not know a model", () => {
  const answerOf = (model: string, failure: Partial<AttemptFailure>, channel: Partial<ChannelEntry> = {}) => {
    const error = new GatewayError(404, "model_not_found", "No such model.");
    const failed = { answered: true, status: 404, error: { code: "", message: "" }, ...failure };
    const entry = channelEntry({ models: [model], ...channel });
    const call = { summary: { model }, candidates: { model, tiers: [] } } as unknown as Call;
    const found = withRetirement({ catalog }, call, { ...failed, channel: entry } as AttemptFailure, error);
    return found === error ? "as it was" : `${found.status} ${found.code}: ${found.message}`;
  };
  const RETIRED =
    "404 model_not_found: No such model. The model “old-1” was retired on 2026-01-31; its successor is “new-1”.";

  test.each<[string, Partial<AttemptFailure>, string]>([
    ["with 404", { status: 404 }, RETIRED],
    ["with 410", { status: 410 }, RETIRED],
    ["with 400 and a code", { status: 400, error: { code: "model_decommissioned", message: "" } as never }, RETIRED],
    ["with 400 and words", { status: 400, error: { code: "", message: "Invalid model: old-1" } as never }, RETIRED],
    ["with 400 for something else", { status: 400, error: { code: "", message: "max_tokens" } as never }, "as it was"],
    ["with 422 and such words", { status: 422, error: { code: "", message: "Invalid model" } as never }, "as it was"],
    ["with 500", { status: 500, error: { code: "", message: "Invalid model" } as never }, "as it was"],
    ["by no answer at all", { answered: false, status: 404 }, "as it was"],
  ])("says so %s", (_, failure, expected) => expect(answerOf("old-1", failure)).toBe(expected));

  test("is not explained by a date to come, nor by a name that the operator maps", () => {
    expect(answerOf("later-1", {})).toBe("as it was");
    expect(answerOf("alias", {}, { modelMapping: new Map([["alias", "old-1"]]) })).toBe("as it was");
    expect(answerOf("old-1", {}, { modelMapping: new Map([["old-1", "new-1"]]) })).toBe("as it was");
  });
});

test.each([
  ["what the provider says", { input: 90, output: 5, limit: 80 }, "wide", 10, { input: 90, output: 5, limit: 80 }],
  ["the catalog's window", { input: 90, output: 5, limit: null }, "wide", 10, { input: 90, output: 5, limit: 1000 }],
  ["an estimate", { input: null, output: 5, limit: 80 }, "wide", 401, { input: 201, output: 5, limit: 80 }],
  [
    "more than the window",
    { input: null, output: null, limit: null },
    "wide",
    10,
    { input: 1001, output: null, limit: 1000 },
  ],
  ["nothing", { input: null, output: null, limit: null }, "unknown", 10, { input: null, output: null, limit: null }],
] as const)("an overflow has %s", (_, overflow, model, promptBound, expected) => {
  expect(completeOverflow(overflow, catalog(), { model, promptBound })).toEqual(expected);
});

test("a prompt that is too long for all channels says by how much, and may go to another model", () => {
  const error = promptTooLong({ summary: { model: "m" } } as Call, 900, 800);
  expect(error).toMatchObject({ status: 400, code: "context_length_exceeded", type: "invalid_request_error" });
  expect([error.isModelLimit, error.overflow]).toEqual([true, { input: 900, output: null, limit: 800 }]);
  expect(error.message).toBe("The prompt has about 900 tokens; the channels of the model “m” take 800 at most.");
});

describe("no channel", () => {
  const [OPENAI, ANTHROPIC, GEMINI, OPENROUTER] = [1, 14, 24, 20];
  const MEDIA = { input: [{ parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] }] };
  const refused = (
    types: readonly (readonly number[])[],
    more: Partial<Record<"preferences" | "prompt" | "endpoint", object>> = {},
    left: readonly unknown[] = [],
  ) => {
    const tiers = types.map((tier, at) => ({ priority: -at, channels: tier.map((type) => channelEntry({ type })) }));
    const call = {
      ...{ summary: { model: "m" }, caller: { group: "vip" }, candidates: { model: "m", tiers }, prompt: {} },
      ...{ preferences: null, endpoint: { capability: "chat", codec: { dialect: "openai-chat" } }, ...more },
    } as unknown as Call;
    const { status, code, message } = noChannel(call, left as never);
    return [status, code, message] as const;
  };
  const NOW = "No channel can serve the model “m” in the group “vip” right now. Try again shortly.";
  const PREFERRED = "No channel of the model “m” matches the request's “provider” preferences.";
  const openRouterOnly = "data_collection";

  test.each<[string, readonly (readonly number[])[], object | null, string]>([
    ["that the request prefers", [[OPENAI], [OPENROUTER]], { openRouterOnly: null }, PREFERRED],
    [
      "of OpenRouter is preferred, though there is one",
      [[OPENAI], [ANTHROPIC, OPENROUTER]],
      { openRouterOnly },
      PREFERRED,
    ],
    [
      "of OpenRouter, which alone knows a member",
      [[OPENAI], [ANTHROPIC]],
      { openRouterOnly },
      "provider.data_collection",
    ],
  ])("%s", (_, types, preferences, message) => {
    const refusal = refused(types, { preferences: preferences ?? {} });
    expect(refusal.slice(0, 2)).toEqual([404, "no_allowed_provider"]);
    expect(refusal[2]).toContain(message);
  });

  test("is left of those that a request prefers, which may come back", () => {
    expect(refused([[OPENAI]], { preferences: { openRouterOnly } }, [{ priority: 0, channels: [] }])[2]).toBe(NOW);
  });

  test.each([
    [[[OPENAI]], [503, "model_not_available", NOW]],
    [
      [[ANTHROPIC], [ANTHROPIC, OPENAI]],
      [503, "model_not_available", NOW],
    ],
    [[[ANTHROPIC]], [501, "convert_request_failed", "This channel does not support this type of request."]],
  ] as const)("of the types %j serves embeddings", (types, expected) => {
    const endpoint = { capability: "embeddings", codec: { dialect: "openai-chat" } };
    expect(refused(types, { endpoint })).toEqual([...expected]);
  });

  test.each([
    [[[OPENAI], [OPENAI]], 400, "The channels of “m” embed only text."],
    [[[OPENAI], [OPENAI, GEMINI]], 503, NOW],
  ] as const)("of the types %j embeds media: %d", (types, status, message) => {
    const endpoint = { capability: "embeddings", codec: { dialect: "gemini" } };
    const refusal = refused(types, { endpoint, prompt: MEDIA });
    expect([refusal[0], refusal[2]]).toEqual([status, message]);
    expect(refused(types, { endpoint, prompt: { input: ["text"] } })[0]).toBe(503);
  });

  test.each([
    ["embeddings", "gemini", MEDIA, true],
    ["embeddings", "gemini", { input: ["text"] }, false],
    ["embeddings", "openai-chat", MEDIA, false],
    ["chat", "gemini", MEDIA, false],
  ])("calls of %s in the format %s with %j need media: %p", (capability, dialect, prompt, needs) => {
    expect(needsMediaEmbeddings({ capability, codec: { dialect } } as Call["endpoint"], prompt)).toBe(needs);
  });
});
