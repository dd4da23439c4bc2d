/** Embeddings and rankings, of services without chats (Jina, MokaAI) too: answers, refusals, tokens and the price, lists of models. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { GoogleGenAI } from "@google/genai";
import { fetchModels } from "../../../src/domain/channels/upstream/model-list.ts";
import { testChannel } from "../../../src/domain/channels/upstream/test-channel.ts";
import { parseJson, recordOf } from "../../../src/formats/json.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { compatibleTypes } from "./fakes/compatible.ts";
import { EMBEDDINGS, RANKS, TEXTS, TOKENS, type VectorFake, vectorFakes } from "./fakes/embeddings.ts";
import { REFUSED } from "./fakes/fake-type.ts";
import { ownFormats } from "./fakes/native-formats.ts";
import { signedTypes } from "./fakes/signed.ts";

const MODEL_RATIO = 2;
const fetch = createSafeFetch(createAddressPolicy(true));

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Types without chats and embeddings, by the suites that call them. */
const OTHER_SUITES: Readonly<Record<number, string>> = {
  2: "../../gateway/tasks/drawing.test.ts",
  5: "../../gateway/tasks/drawing-notify.test.ts",
  36: "../../gateway/tasks/music.test.ts",
  1010: "../../gateway/tasks/video.test.ts",
  1011: "../../gateway/tasks/video.test.ts",
  1012: "../../gateway/tasks/video.test.ts",
  1013: "../../gateway/endpoints/image-services.test.ts",
  1014: "../../gateway/endpoints/image-services.test.ts",
  1015: "../../gateway/endpoints/image-services.test.ts",
  1017: "../../gateway/endpoints/audio/song-books.test.ts",
  1018: "../../gateway/tasks/jimeng.test.ts",
};

test("every channel type has a suite", async () => {
  const here = [...compatibleTypes, ...ownFormats, ...signedTypes, ...vectorFakes].map(({ type }) => type);
  const covered = new Set([...here, ...Object.keys(OTHER_SUITES).map(Number)]);
  expect([...covered].toSorted((a, b) => a - b)).toEqual(channelTypes.map(({ id }) => id));
  for (const [type, file] of Object.entries(OTHER_SUITES)) {
    const text = await Bun.file(join(import.meta.dir, file)).text();
    expect([file, text.includes(`{ type: ${type}, baseUrl:`)]).toEqual([file, true]);
  }
});

function start(fake: VectorFake) {
  const state = { refuses: false, objections: [] as string[] };
  const upstream = startUpstream(({ path, headers, text }, request) => {
    if (path === fake.list?.path) return Response.json(fake.list.answer);
    const body = recordOf(parseJson(text)) ?? {};
    const query = new URL(request.url).searchParams;
    const objection = fake.objection({ path, query, headers, text, body });
    if (objection !== null) state.objections.push(objection);
    if (objection !== null) return Response.json({ message: objection }, { status: 403 });
    return state.refuses
      ? Response.json(fake.refusal, { status: fake.refusalStatus ?? 400 })
      : Response.json(fake.answer);
  });
  const { type, model } = fake;
  const channel = { type, baseUrl: upstream.url, keys: ["upstream"], models: [model] };
  const options = { ModelRatio: JSON.stringify({ [model]: MODEL_RATIO }), ModelPrice: "{}" };
  const relay = startRelay({ channels: [channel], options });
  const post = () =>
    fake.call === "embeddings"
      ? relay.post("/v1/embeddings", { model, input: TEXTS, encoding_format: "float" })
      : relay.post("/v1/rerank", { model, query: "Snow?", documents: TEXTS, return_documents: true });
  const stop = () => {
    relay.stop();
    upstream.stop();
  };
  return { state, channel: channelEntry(channel), relay, url: upstream.url, post, stop };
}

const nameOf = ({ type, model }: VectorFake) => `${type} ${providerOf(type)?.name} (${model})`;

describe.each(vectorFakes.map((fake) => [nameOf(fake), fake] as const))("%s", (_name, fake) => {
  let started: ReturnType<typeof start>;
  beforeAll(() => {
    started = start(fake);
  });
  afterAll(() => started.stop());

  test("answers, and is charged by its tokens", async () => {
    const { state, relay, post } = started;
    const count = relay.billing.records.length;
    const answer = await (await post()).json();
    expect(state.objections).toEqual([]);
    expect(answer).toMatchObject(
      fake.call === "embeddings"
        ? {
            object: "list",
            model: expect.any(String),
            data: EMBEDDINGS.map((embedding, index) => ({ object: "embedding", index, embedding })),
            usage: fake.silentOnUsage
              ? { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) }
              : { prompt_tokens: TOKENS, total_tokens: TOKENS },
          }
        : { results: RANKS.map((rank) => ({ ...rank, document: { text: TEXTS[rank.index] } })) },
    );
    const { promptTokens, completionTokens, quota } = await relay.billing.nextRecord(count + 1);
    if (!fake.silentOnUsage) expect(promptTokens).toBe(TOKENS);
    if (fake.call === "embeddings") expect(answer).toMatchObject({ usage: { prompt_tokens: promptTokens } });
    expect(promptTokens).toBeGreaterThan(0);
    expect([completionTokens, quota]).toEqual([0, promptTokens * MODEL_RATIO]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("reports why it refuses, and charges nothing", async () => {
    const { state, relay, post } = started;
    const count = relay.billing.records.length;
    state.refuses = true;
    const response = await post();
    state.refuses = false;
    expect(await response.text()).toContain(REFUSED);
    expect(response.status).toBe(400);
    expect(await relay.billing.nextRecord(count + 1)).toMatchObject({ quota: 0 });
    expect(relay.billing.openHolds).toBe(0);
  });

  if (fake.call === "embeddings") {
    test("answers Google's own client, and is charged the same", async () => {
      const { state, relay } = started;
      const count = relay.billing.records.length;
      const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
      const { embeddings } = await client.models.embedContent({ model: fake.model, contents: [...TEXTS] });
      expect(state.objections).toEqual([]);
      expect(embeddings).toEqual(EMBEDDINGS.map((values) => ({ values: [...values] })));
      const { promptTokens, quota } = await relay.billing.nextRecord(count + 1);
      if (!fake.silentOnUsage) expect(promptTokens).toBe(TOKENS);
      expect(quota).toBe(promptTokens * MODEL_RATIO);
    });

    test("passes the test of its connection, and fails it when refused", async () => {
      const { state, channel } = started;
      expect(await testChannel({ db: database.db, fetch }, channel)).toMatchObject({ success: true, message: "" });
      expect(state.objections).toEqual([]);
      state.refuses = true;
      const refused = await testChannel({ db: database.db, fetch }, channel);
      state.refuses = false;
      expect(refused).toMatchObject({ success: false, message: expect.stringContaining(REFUSED) });
    });

    test("lists its models where there is a list", async () => {
      const channel = { baseUrl: started.url, other: "", openaiOrganization: "" };
      expect(providerOf(fake.type)?.modelList?.url(channel) != null).toBe(fake.list !== null);
      if (!fake.list) return;
      const upstream = { type: fake.type, baseUrl: started.url, key: "upstream", other: "" };
      expect(await fetchModels(fetch, upstream)).toEqual(["model-a", "model-b"]);
    });
  }
});
