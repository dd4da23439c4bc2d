/** Every channel type that there is: answers, streams, refusals, tokens and the price, and its list of models and balance. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fetchModels } from "../../../src/domain/channels/upstream/model-list.ts";
import { testChannel } from "../../../src/domain/channels/upstream/test-channel.ts";
import { recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { dataOf } from "../matrix/client-formats.ts";
import { compatibleTypes } from "./fakes/compatible.ts";
import { ANSWER, type FakeType, REFUSED, USAGE } from "./fakes/fake-type.ts";
import { ownFormats } from "./fakes/native-formats.ts";
import { signedTypes } from "./fakes/signed.ts";
import { startFake } from "./fakes/start-fake.ts";
import { zhipuFourth } from "./fakes/zhipu.ts";

const FAKES: readonly FakeType[] = [...compatibleTypes, ...ownFormats, ...signedTypes];
const QUESTION = "What is the weather in Ghent?";
/** Sent in parts, which are escaped. */
const LONG_QUESTION = `${'How "long" is a river \\ \n水门 😀? '.repeat(50_000)} the end`;
const MODEL_RATIO = 2;
const COMPLETION_RATIO = 3;
/** (prompt + completion × its ratio) × the model's ratio, in quota units. */
const PRICE = (USAGE.prompt + USAGE.completion * COMPLETION_RATIO) * MODEL_RATIO;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const fetch = createSafeFetch(createAddressPolicy(true));
const nameOf = ({ type, model }: FakeType) => `${type} ${providerOf(type)?.name} (${model})`;

function start(fake: FakeType) {
  const upstream = startFake(fake);
  const { type, key, model, other = "", base = "" } = fake;
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url + base, keys: [key], other, models: [model] }],
    options: {
      ModelRatio: JSON.stringify({ [model]: MODEL_RATIO }),
      CompletionRatio: JSON.stringify({ [model]: COMPLETION_RATIO }),
    },
  });
  const post = (stream: boolean, question = QUESTION) =>
    relay.post("/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: question }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    });
  const stop = () => {
    relay.stop();
    upstream.stop();
  };
  return { upstream, relay, post, stop };
}

test("every type that holds chats is here", () => {
  const chats = channelTypes.filter(({ capabilities }) => capabilities.includes("chat")).map(({ id }) => id);
  expect(FAKES.map(({ type }) => type).toSorted((a, b) => a - b)).toEqual(chats);
});

/** Why a service cannot be asked for its models. */
const NO_LIST: Readonly<Record<number, string>> = {
  8: "the channel knows one address, that of its calls",
  11: "the service has ended",
  15: "the API has no list of models",
  18: "the API has no list of models",
  21: "libraries are no models",
  23: "the signed API has no list; the address that takes plain keys has one",
  33: "the runtime has no list of models, and keys for calls need not be allowed to use the control plane",
  37: "an app's key is for that app alone",
  41: "what a project may call is not available as a list",
  1007: "the runtime has no list of models, and keys for calls need not be allowed to use the control plane",
};

test("every type lists its models, or it is known why it cannot", () => {
  const channel = { baseUrl: "https://hunyuan.tencentcloudapi.com", other: "acc", openaiOrganization: "" };
  for (const { id, name } of channelTypes.filter(({ capabilities }) => capabilities.includes("chat"))) {
    const lists = providerOf(id)?.modelList?.url(channel) != null;
    expect([name, lists]).toEqual([name, NO_LIST[id] === undefined]);
    expect([name, FAKES.some(({ type, models }) => type === id && models)]).toEqual([name, lists]);
  }
});

test("balances are those that services return at an address of their own", () => {
  const withBalance = channelTypes.filter(({ id }) => providerOf(id)?.balance).map(({ id }) => id);
  const proved = FAKES.filter(({ balance }) => balance).map(({ type }) => type);
  // Kling's and Vidu's, which hold no chats: ../tasks/video/video.test.ts.
  expect([...proved, 1010, 1011].toSorted((a, b) => a - b)).toEqual(withBalance);
});

describe.each([...FAKES, zhipuFourth].map((fake) => [nameOf(fake), fake] as const))("%s", (_name, fake) => {
  let started: ReturnType<typeof start>;
  beforeAll(() => {
    started = start(fake);
  });
  afterAll(() => started.stop());

  const expectPrice = (record: object) => {
    if (fake.silentOnUsage) {
      // Counted by the gateway: the answer has at least its words.
      expect(record).toMatchObject({ other: { usage_evidence: "estimated" } });
      const { promptTokens = 0, completionTokens = 0, quota } = record as Record<string, number>;
      expect(completionTokens).toBeGreaterThan(0);
      expect(quota).toBe((promptTokens + completionTokens * COMPLETION_RATIO) * MODEL_RATIO);
      return;
    }
    expect(record).toMatchObject({ promptTokens: USAGE.prompt, completionTokens: USAGE.completion, quota: PRICE });
  };

  test("answers, and is charged by its tokens", async () => {
    const { upstream, relay, post } = started;
    const count = relay.billing.records.length;
    const response = await post(false);
    const body = recordOf(await response.json());
    expect(upstream.state.objections).toEqual([]);
    expect(body).toMatchObject({ choices: [{ message: { content: ANSWER }, finish_reason: "stop" }] });
    expect(upstream.state.questions.at(-1)).toContain(QUESTION);
    expectPrice(await relay.billing.nextRecord(count + 1));
  });

  test("gets a question of megabytes whole, with the signature of all of it", async () => {
    const { upstream, post } = started;
    const response = await post(false, LONG_QUESTION);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(ANSWER)]);
    expect(upstream.state.objections).toEqual([]);
    expect(upstream.state.questions.at(-1)?.includes(LONG_QUESTION)).toBe(true);
  });

  test("streams, and is charged the same", async () => {
    const { upstream, relay, post } = started;
    const count = relay.billing.records.length;
    const response = await post(true);
    const text = await response.text();
    expect(upstream.state.objections).toEqual([]);
    const choices = dataOf(text).flatMap(({ choices: listed }) => recordsOf(listed));
    expect(choices.map(({ delta }) => textOf(recordOf(delta)?.content) ?? "").join("")).toBe(ANSWER);
    expect(choices.map(({ finish_reason }) => finish_reason).filter((reason) => reason != null)).toEqual(["stop"]);
    expect(text).toEndWith("data: [DONE]\n\n");
    expectPrice(await relay.billing.nextRecord(count + 1));
    expect(relay.billing.openHolds).toBe(0);
  });

  test.each([false, true])("reports why it refuses, and charges nothing (streamed: %p)", async (stream) => {
    const { upstream, relay, post } = started;
    const count = relay.billing.records.length;
    upstream.state.refuses = true;
    const response = await post(stream);
    upstream.state.refuses = false;
    expect(await response.text()).toContain(REFUSED);
    expect(response.status).toBe(fake.refusal.status);
    expect(await relay.billing.nextRecord(count + 1)).toMatchObject({ quota: 0 });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("passes the test of its connection, and fails it when refused", async () => {
    const { upstream } = started;
    const { type, key, model, other = "", base = "" } = fake;
    const channel = channelEntry({ type, baseUrl: upstream.url + base, keys: [key], other, models: [model] });
    expect(await testChannel({ db: database.db, fetch }, channel)).toMatchObject({ success: true, message: "", model });
    upstream.state.refuses = true;
    const refused = await testChannel({ db: database.db, fetch }, channel);
    upstream.state.refuses = false;
    expect(refused).toMatchObject({ success: false, message: expect.stringContaining(REFUSED) });
  });

  if (fake.models) {
    test("lists its models", async () => {
      const { type, key, other = "" } = fake;
      const upstream = { type, baseUrl: started.upstream.url, key, other };
      expect(await fetchModels(fetch, upstream)).toEqual(["model-a", "model-b"]);
    });
  }

  if (fake.balance) {
    test("reports what is left", async () => {
      const { balance, authHeaders } = providerOf(fake.type) ?? {};
      const channel = { baseUrl: started.upstream.url, other: fake.other ?? "", openaiOrganization: "" };
      const headers = balance?.headers?.(fake.key) ?? authHeaders?.(channel, fake.key) ?? {};
      const answer: unknown = JSON.parse((await fetch(balance?.url(channel) ?? "", { headers })).text());
      expect({ amount: balance?.read(answer), currency: balance?.currency?.(channel, answer) ?? "USD" }).toEqual({
        amount: fake.balance?.amount ?? null,
        currency: fake.balance?.currency ?? "",
      });
    });
  }
});
