import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../support/lib/settings.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODEL = "gemini-2.5-flash-preview-tts";
/** Two samples. */
const SAMPLES = Buffer.from([1, 0, 255, 127]);
const speechResponse = (data: object = {}) => ({
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: SAMPLES.toString("base64"), ...data } },
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 100, totalTokenCount: 108 },
});

function start(answer: object, { type = 24, path = `/v1beta/models/${MODEL}:generateContent` } = {}) {
  const upstream = startUpstream((seen) =>
    seen.path === path && seen.headers.get("x-goog-api-key") === "AIza"
      ? Response.json(answer)
      : Response.json({ error: { code: 404, message: seen.path, status: "NOT_FOUND" } }, { status: 404 }),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: ["AIza"], models: [MODEL] }],
    options: { RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { relay, client, sent: () => JSON.parse(upstream.received.at(-1)?.text ?? "") };
}
const speechRequest = (text: string, voiceName: string) => ({
  contents: [{ role: "user", parts: [{ text }] }],
  generationConfig: {
    responseModalities: ["AUDIO"],
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
  },
});

describe("Google's speech", () => {
  test("is a WAV file of the samples that it answers, charged by its tokens at the list price", async () => {
    const { client, relay, sent } = start(speechResponse());
    const answer = await client.audio.speech.create({
      model: MODEL,
      voice: "Puck",
      input: "Rain.",
      response_format: "wav",
    });
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    expect(answer.headers.get("x-sluice-dropped")).toBeNull();
    const file = Buffer.from(await answer.arrayBuffer());
    expect(file.subarray(0, 4).toString()).toBe("RIFF");
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect(file.subarray(8, 16).toString()).toBe("WAVEfmt ");
    // One channel, 24,000 samples of two bytes a second.
    expect([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt32LE(28)]).toEqual([1, 24_000, 48_000]);
    expect([file.readUInt16LE(32), file.readUInt16LE(34), file.readUInt32LE(40)]).toEqual([2, 16, 4]);
    expect(file.subarray(44)).toEqual(SAMPLES);
    expect(sent()).toEqual(speechRequest("Rain.", "Puck"));
    // $0.5 and $10 a million: 8 × 0.25 + 100 × 5.
    expect(fixedSettings().get("ModelRatio").has(MODEL)).toBe(true);
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 8, completionTokens: 100, quota: 502 });
  });

  test("is the samples themselves where they are wanted; a manner of speaking goes before the text", async () => {
    const { client, sent } = start(speechResponse());
    const ask = { model: MODEL, voice: "Zephyr", input: "Rain.", instructions: "Say cheerfully" } as const;
    const answer = await client.audio.speech.create({ ...ask, response_format: "pcm" });
    expect(answer.headers.get("content-type")).toBe("audio/pcm");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(SAMPLES);
    expect(sent()).toEqual(speechRequest("Say cheerfully:\nRain.", "Zephyr"));
  });

  test("has neither OpenAI's voices nor its other formats: that is reported", async () => {
    const { client, sent } = start(speechResponse());
    const ask = { model: MODEL, voice: "alloy", input: "Rain.", speed: 2, response_format: "mp3" } as const;
    const answer = await client.audio.speech.create(ask);
    expect(answer.headers.get("content-type")).toBe("audio/wav");
    const dropped = answer.headers.get("x-sluice-dropped")?.split(/, ?/) ?? [];
    expect(dropped.toSorted()).toEqual(["response_format", "speed", "voice"]);
    expect(sent()).toEqual(speechRequest("Rain.", "Kore"));
    const strict = client.audio.speech.create(ask, { headers: { "x-sluice-strict": "1" } });
    expect(await strict.catch(({ status }) => status)).toBe(400);
  });

  test("comes from Vertex AI too, at the rate that it says", async () => {
    const path = `/v1/publishers/google/models/${MODEL}:generateContent`;
    const { client } = start(speechResponse({ mimeType: "audio/L16;rate=16000" }), { type: 41, path });
    const answer = await client.audio.speech.create({ model: MODEL, voice: "Kore", input: "Rain." });
    expect(Buffer.from(await answer.arrayBuffer()).readUInt32LE(24)).toBe(16_000);
  });

  test.each([
    ["a text that it blocks", { promptFeedback: { blockReason: "SAFETY" } }, 400, "SAFETY"],
    ["an answer without sound", { candidates: [{ finishReason: "OTHER" }] }, 502, "without sound: OTHER"],
  ])("%s is refused, and free", async (_, answer, status, message) => {
    const { client, relay } = start(answer);
    const failure = await client.audio.speech.create({ model: MODEL, voice: "Kore", input: "x" }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toMatchObject({ status, message: expect.stringContaining(message) });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});
