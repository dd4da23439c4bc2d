/** Google's Live API: sessions of Google's own client, each turn charged by the usage that the upstream reports. */
import { afterEach, describe, expect, test } from "bun:test";
import { GoogleGenAI, type LiveServerMessage, Modality } from "@google/genai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { stopAll } from "../../support/gateway/start-realtime.ts";
import { until } from "../../support/lib/until.ts";
import { LIVE_COST, LIVE_USAGE, livePrices, OVER, say, startLive as startServer, turn } from "./start-live.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  stopAll();
});

const PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
const MODEL = "gemini-live-2.5-flash-preview";

function startLive(...options: Parameters<typeof startServer>) {
  const server = startServer(...options);
  stops.push(server.stop);
  return server;
}

function relayTo(url: string, channel: object = {}, options: Record<string, string> = {}) {
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: url, keys: ["upstream-key"], models: [MODEL], ...channel }],
    options: { ...livePrices(MODEL), ...options },
  });
  stops.push(relay.stop);
  return relay;
}

/** A session of Google's client. */
async function join(url: string, model = MODEL, apiKey = "sk-test") {
  const messages: LiveServerMessage[] = [];
  const closing = Promise.withResolvers<CloseEvent>();
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, apiVersion: "v1beta" } });
  const session = await client.live.connect({
    model,
    config: { responseModalities: [Modality.TEXT], systemInstruction: "Be brief." },
    callbacks: {
      onmessage: (message) => void messages.push(message),
      onclose: (event) => closing.resolve(event),
    },
  });
  const ask = (text: string) => session.sendClientContent({ turns: [{ role: "user", parts: [{ text }] }] });
  return { session, messages, closed: closing.promise, ask };
}

describe("a session of the Live API", () => {
  test("is opened by Google's client, and each turn is charged by its reported usage", async () => {
    const upstream = startLive((peer) => {
      say(peer, turn("Hello"));
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    const relay = relayTo(upstream.url, { modelMapping: new Map([[MODEL, "gemini-live-mapped"]]) });
    const { session, messages, ask } = await join(relay.url);
    ask("Hi");
    const first = await relay.billing.nextRecord();
    expect(first).toMatchObject({
      quota: LIVE_COST,
      modelName: MODEL,
      promptTokens: 700,
      completionTokens: 300,
      other: { ws: true, audio_input: 400, audio_output: 250, usage_evidence: "reported", ending: "complete" },
    });
    expect(upstream.setups[0]).toMatchObject({
      setup: { model: "models/gemini-live-mapped", systemInstruction: { parts: [{ text: "Be brief." }] } },
    });
    await until(() => messages.some(({ serverContent }) => serverContent?.turnComplete));
    expect(messages[0]?.setupComplete).toBeDefined();
    ask("Again");
    const second = await relay.billing.nextRecord(2);
    expect([second.quota, second.requestId === first.requestId]).toEqual([LIVE_COST, false]);
    await until(() => relay.billing.openHolds === 0);
    session.close();
    await until(() => relay.billing.openHolds === 0);
    expect(relay.billing.records).toHaveLength(2);
  });

  test.each([
    ["gemini-2.5-flash-native-audio-preview", 1],
    ["gemini-3.1-flash-live-preview", 2],
  ])("charges the Google searches of a turn of %s as calls are charged", async (model, searches) => {
    const groundingMetadata = { webSearchQueries: ["a", "b"], groundingChunks: [{ web: { uri: "https://a.test" } }] };
    const upstream = startLive((peer) => {
      say(peer, { serverContent: { modelTurn: { parts: [{ text: "Hello" }] }, groundingMetadata } });
      say(peer, { serverContent: { turnComplete: true, groundingMetadata }, usageMetadata: LIVE_USAGE });
    });
    const options = { ModelRatio: `{"${model}": 0}`, ToolPrice: '{"google_search": 0.01}' };
    const relay = relayTo(upstream.url, { models: [model] }, options);
    const { session, ask } = await join(relay.url, model);
    ask("Search");
    // $0.01 × 500,000 each.
    expect((await relay.billing.nextRecord()).quota).toBe(searches * 5_000);
    session.close();
    await until(() => relay.billing.openHolds === 0);
  });

  test("adds up what is reported in parts of a turn, and takes a report after its end", async () => {
    let count = 0;
    const upstream = startLive((peer) => {
      count += 1;
      say(peer, { ...turn("Hel"), ...(count === 1 && { usageMetadata: LIVE_USAGE }) });
      say(peer, turn("lo"));
      say(peer, count === 1 ? { ...OVER, usageMetadata: LIVE_USAGE } : OVER);
      if (count === 2) say(peer, { usageMetadata: LIVE_USAGE });
    });
    const relay = relayTo(upstream.url);
    const { session, ask } = await join(relay.url);
    ask("Hi");
    expect((await relay.billing.nextRecord()).quota).toBe(2 * LIVE_COST);
    ask("Hi");
    expect((await relay.billing.nextRecord(2)).quota).toBe(LIVE_COST);
    session.close();
    await until(() => relay.billing.openHolds === 0);
    expect(relay.billing.records).toHaveLength(2);
  });

  test("charges a call of a function as a step of its own, then the answer", async () => {
    const upstream = startLive((peer, message) => {
      if (message.toolResponse) say(peer, { serverContent: { turnComplete: true }, usageMetadata: LIVE_USAGE });
      else say(peer, { toolCall: { functionCalls: [{ id: "f1", name: "now", args: {} }] }, usageMetadata: LIVE_USAGE });
    });
    const relay = relayTo(upstream.url);
    const { session, messages, ask } = await join(relay.url);
    ask("What time is it?");
    await until(() => messages.some(({ toolCall }) => toolCall));
    session.sendToolResponse({ functionResponses: [{ id: "f1", name: "now", response: { output: "noon" } }] });
    expect((await relay.billing.nextRecord(2)).quota).toBe(LIVE_COST);
    session.close();
    await until(() => relay.billing.openHolds === 0);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([LIVE_COST, LIVE_COST]);
  });

  test.each([
    ["before the setup's answer", [], 0, 0],
    ["after a part of a turn", [turn("one two three four")], 1, null],
    ["after a report", [turn("one"), { usageMetadata: LIVE_USAGE }], 1, LIVE_COST],
    ["at the end of a turn", [turn("one"), { ...OVER, usageMetadata: LIVE_USAGE }], 1, LIVE_COST],
  ] as const)("that is cut %s is charged for what was made, and holds nothing", async (_, output, records, quota) => {
    for (const side of ["client", "upstream"] as const) {
      const upstream = startLive((peer) => {
        for (const message of output) say(peer, message);
        if (side === "upstream") peer.terminate();
      });
      const relay = relayTo(upstream.url);
      const { session, messages, ask, closed } = await join(relay.url);
      await until(() => messages.length > 0);
      if (output.length > 0 || side === "upstream") ask("Hi");
      if (side === "upstream") await closed;
      else await until(() => messages.length > output.length);
      session.close();
      await until(() => relay.billing.records.length >= records && relay.billing.openHolds === 0);
      expect(relay.billing.records).toHaveLength(records);
      for (const record of relay.billing.records) {
        if (quota === null) expect(record.other.usage_evidence).toBe("estimated");
        else expect(record.quota).toBe(quota);
        expect(record.quota).toBeGreaterThan(0);
      }
    }
  });
});

describe("a session of the Live API is refused", () => {
  const closeOf = async (url: string, first: string, query = "?key=sk-test") => {
    const socket = new WebSocket(`${url.replace("http", "ws")}${PATH}${query}`);
    const closing = Promise.withResolvers<CloseEvent>();
    socket.onclose = closing.resolve;
    socket.onopen = () => socket.send(first);
    const { code, reason } = await closing.promise;
    return [code, reason];
  };
  const setup = (model: string) => JSON.stringify({ setup: { model: `models/${model}` } });

  test("without a setup, for a wrong key, an unknown model or forbidden words, with the reason", async () => {
    const upstream = startLive(() => {});
    const words = { CheckSensitiveEnabled: "true", CheckSensitiveOnPromptEnabled: "true", SensitiveWords: "xyzzy" };
    const { url, billing } = relayTo(upstream.url, {}, words);
    expect(await closeOf(url, "{}")).toEqual([1008, expect.stringContaining("setup.model")]);
    expect(await closeOf(url, "no json")).toEqual([1008, expect.stringContaining("setup.model")]);
    expect(await closeOf(url, setup(MODEL), "?key=sk-wrong")).toEqual([1008, expect.any(String)]);
    expect(await closeOf(url, setup("another"))).toEqual([1008, expect.stringContaining("another")]);
    const systemInstruction = { parts: [{ text: "Say xyzzy" }] };
    const forbidden = JSON.stringify({ setup: { model: MODEL, systemInstruction } });
    expect(await closeOf(url, forbidden)).toEqual([1008, expect.any(String)]);
    expect([upstream.addresses, billing.openHolds]).toEqual([[], 0]);
  });

  test("for a second setup, which would change the model", async () => {
    const upstream = startLive(() => {});
    const relay = relayTo(upstream.url);
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}${PATH}?key=sk-test`);
    const closing = Promise.withResolvers<CloseEvent>();
    socket.onclose = closing.resolve;
    socket.onopen = () => socket.send(setup(MODEL));
    socket.onmessage = () => socket.send(setup(MODEL));
    expect((await closing.promise).reason).toContain(MODEL);
    await until(() => relay.billing.openHolds === 0);
    expect(upstream.setups).toHaveLength(1);
  });

  test("by channels that do not speak it", async () => {
    const upstream = startLive(() => {});
    const { url } = relayTo(upstream.url, { type: 1 });
    expect((await closeOf(url, setup(MODEL)))[0]).toBe(1008);
    expect(upstream.addresses).toEqual([]);
  });
});

describe("forbidden words in what the model says", () => {
  const words = {
    CheckSensitiveEnabled: "true",
    CheckSensitiveOnCompletionEnabled: "true",
    SensitiveWords: "xyzzy",
  };
  const start = (stops: string) => {
    const upstream = startLive((peer) => {
      say(peer, turn("it is xyz"));
      say(peer, turn("zy, yes"));
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    return { upstream, ...relayTo(upstream.url, {}, { ...words, StopOnSensitiveEnabled: stops }) };
  };

  test("are masked, also across messages", async () => {
    const { url, billing } = start("false");
    const { session, messages, ask } = await join(url);
    ask("Hi");
    await until(() => messages.some(({ serverContent }) => serverContent?.turnComplete));
    const output = messages.map(
      ({ serverContent }) =>
        (serverContent?.modelTurn?.parts ?? []).map(({ text }) => text ?? "").join("") +
        (serverContent?.outputTranscription?.text ?? ""),
    );
    expect(output.join("")).toBe("it is **###**, yes");
    session.close();
    expect((await billing.nextRecord()).quota).toBe(LIVE_COST);
  });

  test("end the session where the site stops at them; what was made is charged", async () => {
    const { url, billing, upstream } = start("true");
    const { messages, ask, closed } = await join(url);
    ask("Hi");
    expect((await closed).code).toBe(1008);
    expect(JSON.stringify(messages)).not.toContain("zy");
    await until(() => billing.openHolds === 0 && upstream.closed.length === 1);
    expect((await billing.nextRecord()).quota).toBeGreaterThan(0);
    expect(billing.records).toHaveLength(1);
  });
});

describe("what guardrails find in what the model says", () => {
  const CARD = "4111 1111 1111 1111";
  const start = (rule: object) => {
    const upstream = startLive((peer) => {
      say(peer, turn("pay with 4111 11"));
      say(peer, turn("11 1111 1111"));
      const code = [{ executableCode: { language: "PYTHON", code: `pay("${CARD}")` } }];
      say(peer, { serverContent: { modelTurn: { role: "model", parts: code } } });
      say(peer, { toolCall: { functionCalls: [{ id: "1", name: "pay", args: { card: CARD } }] } });
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    return { upstream, ...relayTo(upstream.url, {}, { Guardrails: JSON.stringify({ g: rule }) }) };
  };

  test("is masked, in calls of tools too, and in the log", async () => {
    const { url, billing } = start({ kind: "personal_data", action: "mask" });
    const { session, messages, ask } = await join(url);
    ask("Hi");
    await until(() => messages.some(({ serverContent }) => serverContent?.turnComplete));
    expect(JSON.stringify(messages)).not.toContain("1111");
    expect(messages.flatMap(({ toolCall }) => toolCall?.functionCalls ?? [])).toEqual([
      { id: "1", name: "pay", args: { card: "[CARD]" } },
    ]);
    expect(JSON.stringify(messages)).toContain('pay(\\"[CARD]\\")');
    session.close();
    const record = await billing.nextRecord();
    expect(record.quota).toBe(LIVE_COST);
    expect(record.other.guardrails?.verdicts.map(({ name, action }) => [name, action])).toContainEqual(["g", "mask"]);
  });

  test.each([[{ kind: "personal_data" }], [{ kind: "tools", tools: ["read_*"], phases: ["answer"] }]])(
    "ends the session, by %o; what was made is charged",
    async (rule) => {
      const { url, billing, upstream } = start(rule);
      const { messages, ask, closed } = await join(url);
      ask("Hi");
      const { code, reason } = await closed;
      expect([code, reason]).toEqual([1008, "The guardrail “g” blocks this answer."]);
      expect(messages.flatMap(({ toolCall }) => toolCall ?? [])).toEqual([]);
      await until(() => billing.openHolds === 0 && upstream.closed.length === 1);
      const record = await billing.nextRecord();
      expect(record.quota).toBeGreaterThan(0);
      expect(record.other.tags).toEqual(["guardrail:block", "guardrail:g"]);
    },
  );
});
