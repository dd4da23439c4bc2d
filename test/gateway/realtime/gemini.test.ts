/** OpenAI's Realtime API on channels that speak Google's Live API, with OpenAI's own client. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import type { RealtimeServerEvent, RealtimeSessionCreateRequest } from "openai/resources/realtime/realtime";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { connect, KEY_HEADER, stopAll } from "../../support/gateway/start-realtime.ts";
import { until } from "../../support/lib/until.ts";
import {
  LIVE_COST,
  LIVE_USAGE,
  type LiveMessage,
  type LivePeer,
  livePrices,
  OVER,
  say,
  startLive,
  turn,
} from "./start-live.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  stopAll();
});

const MODEL = "gemini-live-2.5-flash-preview";

const Encrypted = WebSocket;
/** OpenAI's client encrypts every connection; the tests have no certificate. */
class Unencrypted extends Encrypted {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(String(url).replace("wss://", "ws://"), protocols);
  }
}

type Answer = (peer: LivePeer, message: LiveMessage) => void;

function start(answer: Answer, options: Record<string, string> = {}, model = MODEL) {
  const upstream = startLive(answer);
  const relay = startRelay({
    channels: [{ type: 24, baseUrl: upstream.url, keys: ["upstream-key"], models: [model] }],
    options: { ...livePrices(model), ...options },
  });
  stops.push(upstream.stop, relay.stop);
  return { ...relay, upstream };
}

/** A session of OpenAI's client, and what it receives. */
async function join(url: string, model = MODEL) {
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, dangerouslyAllowBrowser: true });
  globalThis.WebSocket = Unencrypted;
  const session = new OpenAIRealtimeWebSocket({ model, dangerouslyAllowBrowser: true }, client);
  globalThis.WebSocket = Encrypted;
  stops.push(() => session.close());
  const events: RealtimeServerEvent[] = [];
  const errors: Error[] = [];
  session.on("event", (event) => void events.push(event));
  session.on("error", (error) => void errors.push(error));
  async function waitFor<Type extends RealtimeServerEvent["type"]>(type: Type, count = 1) {
    const all = await until(
      () => events.filter((event): event is Extract<RealtimeServerEvent, { type: Type }> => event.type === type),
      ({ length }) => length >= count,
    );
    const last = all[count - 1];
    if (!last) throw new Error(`no ${type}`);
    return last;
  }
  const ask = (text: string) => {
    session.send({
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
    });
    session.send({ type: "response.create" });
  };
  await waitFor("session.created");
  const types = () => events.map(({ type }) => type);
  return { session, events, errors, types, waitFor, ask };
}

/** A session without OpenAI's client, which ends with the first error. */
async function joinRaw(url: string) {
  const client = connect(url, KEY_HEADER, `?model=${MODEL}`);
  await client.waitFor("session.created");
  return client;
}

const TEXT: RealtimeSessionCreateRequest = { type: "realtime", output_modalities: ["text"], instructions: "Be brief." };
const silence = (samples: number) => Buffer.alloc(2 * samples).toString("base64");
const audioOf = (samples: number) => ({
  serverContent: {
    modelTurn: { parts: [{ inlineData: { mimeType: "audio/pcm;rate=24000", data: silence(samples) } }] },
  },
});
const transcriptOf = (text: string) => ({ serverContent: { outputTranscription: { text } } });

describe("a session of OpenAI's client on a channel of Google Gemini", () => {
  test("answers texts, with the events of OpenAI's API, and charges each turn by its reported usage", async () => {
    const { url, billing, upstream } = start((peer) => {
      say(peer, turn("Hel"));
      say(peer, turn("lo"));
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    const { session, types, waitFor, ask, errors } = await join(url);
    expect((await waitFor("session.created")).session).toMatchObject({ type: "realtime", model: MODEL });
    session.send({ type: "session.update", session: TEXT });
    expect((await waitFor("session.updated")).session).toMatchObject({ instructions: "Be brief." });
    ask("Hi");
    const { response } = await waitFor("response.done");
    expect(types()).toEqual([
      "session.created",
      "session.updated",
      "conversation.item.added",
      "conversation.item.done",
      "response.created",
      "response.output_item.added",
      "conversation.item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "conversation.item.done",
      "response.output_item.done",
      "response.done",
    ]);
    expect(response).toMatchObject({
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
      usage: {
        input_tokens: 700,
        output_tokens: 300,
        input_token_details: { text_tokens: 300, audio_tokens: 400 },
        output_token_details: { text_tokens: 50, audio_tokens: 250 },
      },
    });
    expect(upstream.setups).toMatchObject([
      {
        setup: {
          model: `models/${MODEL}`,
          generationConfig: { responseModalities: ["TEXT"] },
          systemInstruction: { parts: [{ text: "Be brief." }] },
        },
      },
    ]);
    expect(upstream.messages).toEqual([
      { clientContent: { turns: [{ role: "user", parts: [{ text: "Hi" }] }], turnComplete: true } },
    ]);
    const record = await billing.nextRecord();
    expect(record).toMatchObject({
      quota: LIVE_COST,
      modelName: MODEL,
      promptTokens: 700,
      completionTokens: 300,
      other: { ws: true, audio_input: 400, audio_output: 250, usage_evidence: "reported", ending: "complete" },
    });
    ask("Again");
    await waitFor("response.done", 2);
    expect((await billing.nextRecord(2)).quota).toBe(LIVE_COST);
    session.close();
    await until(() => billing.openHolds === 0);
    expect([billing.records.length, errors]).toEqual([2, []]);
  });

  test("takes and makes audio: 24 kHz become 16, turns are found by the model, with transcripts of both", async () => {
    let isAnswered = false;
    const { url, billing, upstream } = start((peer, message) => {
      if (!(message.realtimeInput as LiveMessage).audio || isAnswered) return;
      isAnswered = true;
      say(peer, { serverContent: { inputTranscription: { text: "What is " } } });
      say(peer, { serverContent: { inputTranscription: { text: "new?" } } });
      say(peer, audioOf(2_400));
      say(peer, transcriptOf("Nothing."));
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    const { session, events, types, waitFor, errors } = await join(url);
    const input = {
      transcription: { model: "gpt-4o-mini-transcribe" },
      turn_detection: { type: "server_vad", silence_duration_ms: 300, threshold: 0.8 },
    } as const;
    const output = { voice: "Puck" };
    session.send({ type: "session.update", session: { type: "realtime", audio: { input, output } } });
    session.send({ type: "input_audio_buffer.append", audio: silence(24_000) });
    await waitFor("conversation.item.input_audio_transcription.completed");
    const { response } = await waitFor("response.done");
    expect(types().slice(2)).toEqual([
      "input_audio_buffer.speech_started",
      "conversation.item.input_audio_transcription.delta",
      "conversation.item.input_audio_transcription.delta",
      "input_audio_buffer.speech_stopped",
      "input_audio_buffer.committed",
      "conversation.item.added",
      "conversation.item.done",
      "response.created",
      "response.output_item.added",
      "conversation.item.added",
      "response.content_part.added",
      "response.output_audio.delta",
      "response.output_audio_transcript.delta",
      "response.output_audio.done",
      "response.output_audio_transcript.done",
      "response.content_part.done",
      "conversation.item.done",
      "response.output_item.done",
      "response.done",
      "conversation.item.input_audio_transcription.completed",
    ]);
    expect((await waitFor("conversation.item.input_audio_transcription.completed")).transcript).toBe("What is new?");
    expect(response.output).toMatchObject([{ content: [{ type: "output_audio", transcript: "Nothing." }] }]);
    const delta16 = await waitFor("response.output_audio.delta");
    expect(Buffer.from(delta16.delta, "base64").length).toBe(4_800);
    expect(upstream.setups[0]?.setup).toMatchObject({
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
      },
      realtimeInputConfig: {
        automaticActivityDetection: { startOfSpeechSensitivity: "START_SENSITIVITY_LOW", silenceDurationMs: 300 },
      },
      inputAudioTranscription: {},
      outputAudioTranscription: {},
    });
    const input16 = upstream.messages[0]?.realtimeInput as { audio: { mimeType: string; data: string } } | undefined;
    expect(input16?.audio.mimeType).toBe("audio/pcm;rate=16000");
    expect(Math.abs(Buffer.from(input16?.audio.data ?? "", "base64").length - 32_000)).toBeLessThan(100);
    expect((await billing.nextRecord()).quota).toBe(LIVE_COST);
    session.close();
    await until(() => billing.openHolds === 0);
    // The transcript is part of the turn.
    expect([billing.records.length, errors, events.filter(({ type }) => type === "error")]).toEqual([1, [], []]);
  });

  test("ends a response that the user interrupts, and goes on with the next", async () => {
    let isBegun = false;
    const { url, billing } = start((peer, message) => {
      if (!(message.realtimeInput as LiveMessage).audio) return;
      if (!isBegun) {
        isBegun = true;
        say(peer, audioOf(240));
        return;
      }
      say(peer, { serverContent: { interrupted: true } });
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      say(peer, audioOf(240));
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    const { session, waitFor, types } = await join(url);
    session.send({ type: "input_audio_buffer.append", audio: silence(2_400) });
    await waitFor("response.output_audio.delta");
    session.send({ type: "input_audio_buffer.append", audio: silence(2_400) });
    const first = await waitFor("response.done");
    expect(first.response).toMatchObject({
      status: "cancelled",
      status_details: { type: "cancelled", reason: "turn_detected" },
      output: [{ status: "incomplete" }],
    });
    expect(types().indexOf("response.done")).toBeGreaterThan(types().lastIndexOf("input_audio_buffer.speech_started"));
    expect((await waitFor("response.done", 2)).response.status).toBe("completed");
    await billing.nextRecord(2);
    expect(billing.records.map(({ quota }) => quota)).toEqual([LIVE_COST, LIVE_COST]);
  });

  test("has its client's functions called, and charges the call and the answer", async () => {
    const { url, billing, upstream } = start((peer, message) => {
      if (message.toolResponse) {
        say(peer, turn("Foggy."));
        say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      } else
        say(peer, {
          toolCall: { functionCalls: [{ id: "f1", name: "weather", args: { city: "London" } }] },
          usageMetadata: LIVE_USAGE,
        });
    });
    const { session, waitFor, ask } = await join(url);
    const parameters = { type: "object", properties: { city: { type: "string" } }, additionalProperties: false };
    const tools = [{ type: "function" as const, name: "weather", description: "Looks it up.", parameters }];
    session.send({ type: "session.update", session: { ...TEXT, tools } });
    ask("How is London?");
    const called = await waitFor("response.function_call_arguments.done");
    expect(called).toMatchObject({ call_id: "f1", name: "weather", arguments: '{"city":"London"}' });
    expect((await waitFor("response.done")).response.output).toMatchObject([{ type: "function_call", call_id: "f1" }]);
    session.send({
      type: "conversation.item.create",
      item: { type: "function_call_output", call_id: "f1", output: "It is foggy." },
    });
    session.send({ type: "response.create" });
    expect((await waitFor("response.done", 2)).response.output).toMatchObject([{ content: [{ text: "Foggy." }] }]);
    expect(upstream.setups[0]?.setup).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: "weather", description: "Looks it up.", parameters: { properties: { city: { type: "string" } } } },
          ],
        },
      ],
    });
    expect(upstream.messages.at(-1)).toEqual({
      toolResponse: { functionResponses: [{ id: "f1", name: "weather", response: { output: "It is foggy." } }] },
    });
    await billing.nextRecord(2);
    expect(billing.records.map(({ quota }) => quota)).toEqual([LIVE_COST, LIVE_COST]);
  });

  test("lets the client end its turns: audio waits for the commit, and a cleared buffer is never sent", async () => {
    const { url, upstream } = start((peer, message) => {
      if ((message.realtimeInput as LiveMessage).activityEnd) say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
    });
    const { session, waitFor } = await join(url);
    session.send({
      type: "session.update",
      session: { type: "realtime", audio: { input: { format: { type: "audio/pcmu" }, turn_detection: null } } },
    });
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(8_000).toString("base64") });
    session.send({ type: "input_audio_buffer.clear" });
    await waitFor("input_audio_buffer.cleared");
    session.send({ type: "input_audio_buffer.commit" });
    expect((await waitFor("error")).error).toMatchObject({ type: "invalid_request_error" });
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(800, 0xff).toString("base64") });
    session.send({ type: "input_audio_buffer.commit" });
    await waitFor("input_audio_buffer.committed");
    expect(upstream.setups).toEqual([]);
    session.send({ type: "response.create" });
    await waitFor("response.done");
    const inputs = upstream.messages.map(({ realtimeInput }) => realtimeInput as LiveMessage);
    expect(inputs.map((input) => Object.keys(input)[0])).toEqual(["activityStart", "audio", "audio", "activityEnd"]);
    const bytes = inputs.flatMap(({ audio }) =>
      audio ? Buffer.from((audio as { data: string }).data, "base64").length : 0,
    );
    // 100 ms of 16 bits at 16 kHz.
    expect(bytes.reduce((sum, count) => sum + count)).toBe(3_200);
  });

  test("cancels: what the model still says is dropped, and charged", async () => {
    let count = 0;
    const { url, billing, upstream } = start((peer, message) => {
      count += 1;
      if (count === 1) say(peer, turn("One"));
      if (count === 2) {
        say(peer, turn(" two"));
        say(peer, { serverContent: { interrupted: true } });
        say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      }
      if (count > 2) {
        say(peer, turn(JSON.stringify(message).includes("Again") ? "Three" : "wrong"));
        say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      }
    });
    const { session, waitFor, ask, events } = await join(url);
    session.send({ type: "session.update", session: TEXT });
    ask("Count");
    await waitFor("response.output_text.delta");
    session.send({ type: "response.create" });
    expect((await waitFor("error")).error.message).toContain("in progress");
    session.send({ type: "response.cancel" });
    expect((await waitFor("response.done")).response).toMatchObject({
      status: "cancelled",
      status_details: { reason: "client_cancelled" },
    });
    expect((await billing.nextRecord()).quota).toBe(LIVE_COST);
    ask("Again");
    const { response } = await waitFor("response.done", 2);
    expect(response.output).toMatchObject([{ content: [{ text: "Three" }] }]);
    expect(JSON.stringify(events)).not.toContain(" two");
    expect(upstream.messages[1]).toEqual({ clientContent: { turnComplete: false } });
    await billing.nextRecord(2);
    expect(billing.records.map(({ quota }) => quota)).toEqual([LIVE_COST, LIVE_COST]);
  });

  test("on Gemini 3 begins with the history, and sends what the user writes at once", async () => {
    const model = "gemini-3.1-flash-live-preview";
    const { url, upstream } = start(
      (peer, { realtimeInput }) => {
        if (realtimeInput) say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      },
      {},
      model,
    );
    const { session, waitFor, ask } = await join(url, model);
    const message = (role: "user" | "assistant", text: string) =>
      session.send({
        type: "conversation.item.create",
        item:
          role === "user"
            ? { type: "message", role, content: [{ type: "input_text", text }] }
            : { type: "message", role, content: [{ type: "output_text", text }] },
      });
    message("user", "I am Ann.");
    message("assistant", "Hello Ann.");
    ask("Who am I?");
    await waitFor("response.done");
    ask("Really?");
    await waitFor("response.done", 2);
    expect(upstream.setups[0]?.setup).toMatchObject({ historyConfig: { initialHistoryInClientContent: true } });
    expect(upstream.messages).toEqual([
      {
        clientContent: {
          turns: [
            { role: "user", parts: [{ text: "I am Ann." }] },
            { role: "model", parts: [{ text: "Hello Ann." }] },
          ],
          turnComplete: true,
        },
      },
      { realtimeInput: { text: "Who am I?" } },
      { realtimeInput: { text: "Really?" } },
    ]);
    message("assistant", "No.");
    expect((await waitFor("error")).error).toMatchObject({ param: "item.role" });
  });
});

describe("what cannot be translated gets an error event with its cause, and the session goes on", () => {
  test.each([
    [{ type: "session.update", session: { type: "transcription" } }, "session.type"],
    [{ type: "session.update", session: { tool_choice: "required" } }, "session.tool_choice"],
    [{ type: "session.update", session: { tools: [{ type: "mcp", server_label: "a" }] } }, "session.tools"],
    [{ type: "session.update", session: { prompt: { id: "pmpt_1" } } }, "session.prompt"],
    [{ type: "session.update", session: { output_modalities: ["audio", "text"] } }, "session.output_modalities"],
    [
      { type: "session.update", session: { audio: { input: { format: { type: "audio/opus" } } } } },
      "session.audio.input.format",
    ],
    [
      { type: "session.update", session: { audio: { input: { turn_detection: { create_response: false } } } } },
      "session.audio.input.turn_detection.create_response",
    ],
    [{ type: "response.create", response: { conversation: "none" } }, "response.conversation"],
    [{ type: "response.create", response: { tools: [] } }, "response.tools"],
    [{ type: "response.cancel" }, ""],
    [{ type: "input_audio_buffer.clear" }, "input_audio_buffer.clear"],
    [{ type: "conversation.item.delete", item_id: "item_1" }, "conversation.item.delete"],
    [{ type: "conversation.item.create", item: { type: "mcp_call" } }, "item.type"],
    [{ type: "no.such.event" }, "no.such.event"],
    [{ type: "session.update", session: { model: "another" } }, "session.model"],
  ])("%j", async (event, param) => {
    const { url, upstream } = start(() => {});
    const client = await joinRaw(url);
    client.send({ ...event, event_id: "mine" });
    const { error } = (await client.waitFor("error")) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ type: "invalid_request_error", param, event_id: "mine" });
    client.send({ type: "session.update", session: { instructions: "Go on." } });
    await client.waitFor("session.updated");
    expect(upstream.setups).toEqual([]);
  });

  test("also all events of a client of the beta, which would not know the answers", async () => {
    const { url, upstream } = start(() => {});
    const headers = { ...KEY_HEADER.headers, "openai-beta": "realtime=v1" };
    const client = connect(url, { headers }, `?model=${MODEL}`);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    const { error } = (await client.waitFor("error")) as { error: Record<string, unknown> };
    expect(error.message).toContain("OpenAI-Beta");
    expect(upstream.setups).toEqual([]);
  });

  test("also settings after the first input, when they differ", async () => {
    const { url, upstream } = start((peer) => say(peer, { ...OVER, usageMetadata: LIVE_USAGE }));
    const { session, waitFor, ask } = await join(url);
    session.send({ type: "session.update", session: TEXT });
    ask("Hi");
    await waitFor("response.done");
    session.send({ type: "session.update", session: TEXT });
    await waitFor("session.updated", 2);
    session.send({ type: "session.update", session: { type: "realtime", instructions: "Be long." } });
    expect((await waitFor("error")).error.param).toBe("session");
    expect(upstream.setups).toHaveLength(1);
  });
});

describe("a translated session that breaks", () => {
  test("ends with the upstream's reason, and charged for what was made", async () => {
    const { url, billing } = start((peer) => {
      say(peer, turn("one two three four"));
      peer.close(1011, "Internal error encountered.");
    });
    const client = await joinRaw(url);
    client.send({ type: "session.update", session: TEXT });
    client.send({ type: "response.create" });
    const { code } = await client.closed;
    expect(code).toBe(1011);
    expect(client.events.at(-1)).toMatchObject({
      type: "error",
      error: { type: "upstream_error", message: expect.stringContaining("Internal error encountered.") },
    });
    const record = await billing.nextRecord();
    expect(record.other).toMatchObject({ usage_evidence: "estimated", ending: "upstream_failed" });
    expect(record.quota).toBeGreaterThan(0);
    await until(() => billing.openHolds === 0);
    expect(billing.records).toHaveLength(1);
  });

  test.each([
    ["before the first input", [], 0, 0],
    ["after a piece", [turn("one two three four")], 1, null],
    ["after a report", [turn("one"), { usageMetadata: LIVE_USAGE }], 1, LIVE_COST],
    ["after a turn", [turn("one"), { ...OVER, usageMetadata: LIVE_USAGE }], 1, LIVE_COST],
    ["after a turn whose report comes late", [turn("one"), OVER, { usageMetadata: LIVE_USAGE }], 1, LIVE_COST],
  ] as const)(
    "%s, on either side, is charged once for what was made and holds nothing",
    async (_, output, records, quota) => {
      for (const side of ["client", "upstream"] as const) {
        const { url, billing } = start((peer) => {
          for (const message of output) say(peer, message);
          if (side === "upstream") peer.terminate();
          else say(peer, { serverContent: { inputTranscription: { text: "the last message" } } });
        });
        const client = await joinRaw(url);
        client.send({ type: "session.update", session: TEXT });
        if (output.length > 0 || side === "upstream") client.send({ type: "response.create" });
        if (side === "upstream") await client.closed;
        else if (output.length > 0) await client.waitFor("input_audio_buffer.speech_started");
        client.socket.close();
        await until(() => billing.openHolds === 0);
        expect(billing.records).toHaveLength(records);
        for (const record of billing.records) {
          if (quota === null) expect(record.other.usage_evidence).toBe("estimated");
          else expect(record.quota).toBe(quota);
          expect(record.quota).toBeGreaterThan(0);
        }
      }
    },
  );

  test("before it began is served by the next channel", async () => {
    const refusing = startLive(() => {}, true);
    const upstream = startLive((peer) => say(peer, { ...OVER, usageMetadata: LIVE_USAGE }));
    const channel = { type: 24, keys: ["upstream-key"], models: [MODEL] };
    const relay = startRelay({
      channels: [
        { ...channel, baseUrl: refusing.url, priority: 1 },
        { ...channel, baseUrl: upstream.url, priority: 0 },
      ],
      options: livePrices(MODEL),
    });
    stops.push(refusing.stop, upstream.stop, relay.stop);
    const { waitFor, ask } = await join(relay.url);
    ask("Hi");
    await waitFor("response.done");
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: LIVE_COST, channelId: 2 });
    expect(refusing.addresses).toHaveLength(1);
  });
});

describe("forbidden words in a translated session", () => {
  const words = {
    CheckSensitiveEnabled: "true",
    CheckSensitiveOnPromptEnabled: "true",
    CheckSensitiveOnCompletionEnabled: "true",
    SensitiveWords: "xyzzy",
  };
  const answer: Answer = (peer, message) => {
    if (JSON.stringify(message).includes('"turnComplete":false')) {
      say(peer, { serverContent: { interrupted: true } });
      say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      return;
    }
    say(peer, turn("it is xyz"));
    say(peer, turn("zy, yes"));
  };

  test("end the response, the model is interrupted, and the turn is charged", async () => {
    const { url, billing, upstream } = start(answer, { ...words, StopOnSensitiveEnabled: "true" });
    const client = await joinRaw(url);
    client.send({ type: "session.update", session: { instructions: "Say xyzzy" } });
    await client.waitFor("error");
    client.send({ type: "session.update", session: TEXT });
    client.send({ type: "response.create" });
    const { response } = (await client.waitFor("response.done")) as { response: Record<string, unknown> };
    expect(response).toMatchObject({ status: "incomplete", status_details: { reason: "content_filter" } });
    expect(JSON.stringify(client.events)).not.toContain("zy");
    expect(upstream.messages.at(-1)).toEqual({ clientContent: { turnComplete: false } });
    expect((await billing.nextRecord(2)).quota).toBe(LIVE_COST);
  });

  test("are masked where the site wants that", async () => {
    const { url } = start(
      (peer, message) => {
        answer(peer, message);
        say(peer, { ...OVER, usageMetadata: LIVE_USAGE });
      },
      { ...words, StopOnSensitiveEnabled: "false" },
    );
    const { session, waitFor, ask } = await join(url);
    session.send({ type: "session.update", session: TEXT });
    ask("Hi");
    const { response } = await waitFor("response.done");
    expect(response.output).toMatchObject([{ content: [{ text: "it is **###**, yes" }] }]);
  });
});
