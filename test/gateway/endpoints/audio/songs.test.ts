/** Songs of MiniMax, ElevenLabs and Lyria in each client format: the documented requests, and what each costs. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { wav } from "../../../support/lib/wav.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Answer = (seen: { path: string; headers: Headers; body: Record<string, unknown>; query: string }) => Response;

function start(type: number, model: string, answer: Answer, options: Record<string, string> = {}, channels = 1) {
  const upstream = startUpstream(({ path, headers, text }, request) =>
    answer({ path, headers, body: JSON.parse(text), query: new URL(request.url).search }),
  );
  const channel = { type, baseUrl: upstream.url, keys: ["key"], models: [model] };
  const relay = startRelay({
    channels: Array.from({ length: channels }, () => channel),
    options: { RetryTimes: String(channels - 1), ...options },
  });
  stops.push(relay.stop, upstream.stop);
  const sent = (at = -1) => JSON.parse(upstream.received.at(at)?.text ?? "");
  return { relay, upstream, sent };
}

const unitsOf = (dollars: number) => Math.round(dollars * 500_000);
const SONG = Buffer.from("ID3 a song");
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe("MiniMax", () => {
  const success = { status_code: 0, status_msg: "success" };
  /** The documented answer: audio as hexadecimal digits, or the URL of a file. */
  const made = ({ output_format }: Record<string, unknown>) =>
    Response.json({
      data: { audio: output_format === "url" ? "https://files.test/song.mp3" : SONG.toString("hex"), status: 2 },
      trace_id: "04ede0ab069fb1ba8be5156a24b1e081",
      extra_info: { music_duration: 25_364, music_sample_rate: 44_100, music_channel: 2, bitrate: 256_000 },
      analysis_info: null,
      base_resp: success,
    });
  const songs: Answer = ({ path, headers, body }) =>
    path === "/v1/music_generation" && headers.get("authorization") === "Bearer key"
      ? made(body)
      : Response.json({ base_resp: { status_code: 1004, status_msg: "login fail" } });

  test("a song is audio, at the price of a song", async () => {
    const { relay, sent } = start(35, "music-2.6", songs);
    const order = { model: "music-2.6", prompt: "Indie folk, a walk in the rain", lyrics: "[verse]\nRain", seed: 7 };
    const answer = await relay.post("/v1/audio/music", order);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(await bytesOf(answer)).toEqual(SONG);
    expect(answer.headers.get("x-sluice-dropped")).toBe("seed");
    expect(sent()).toEqual({
      model: "music-2.6",
      prompt: order.prompt,
      lyrics: order.lyrics,
      stream: false,
      output_format: "hex",
      audio_setting: { format: "mp3" },
    });
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ quota: unitsOf(0.15), modelName: "music-2.6", failed: false });
    expect(record.other.receipt?.lines).toMatchObject([{ item: "per_call", quantity: "1", factor: "0.15" }]);
  });

  test("the model writes the lyrics of a song without any, and none of an instrumental one", async () => {
    const { relay, sent } = start(35, "music-2.6", songs);
    await relay.post("/v1/audio/music", { model: "music-2.6", prompt: "a march" });
    expect(sent()).toMatchObject({ lyrics_optimizer: true });
    await relay.post("/v1/audio/music", { model: "music-2.6", prompt: "a march", instrumental: true });
    expect(sent()).toMatchObject({ is_instrumental: true });
    expect(sent().lyrics_optimizer).toBeUndefined();
  });

  test("its own clients get its own answers, with the audio, as one event, or the URL of a file", async () => {
    const { relay, sent } = start(35, "music-2.6", songs);
    const order = { prompt: "a march", is_instrumental: true, audio_setting: { format: "wav", sample_rate: 44_100 } };
    const answer = await relay.post("/v1/music_generation", { model: "music-2.6", ...order });
    expect(await answer.json()).toEqual({
      data: { audio: SONG.toString("hex"), status: 2 },
      base_resp: success,
      extra_info: { music_size: SONG.length },
    });
    expect(sent()).toMatchObject({ is_instrumental: true, audio_setting: { format: "wav", sample_rate: 44_100 } });
    const streamed = await relay.post("/v1/music_generation", { model: "music-2.6", ...order, stream: true });
    expect(streamed.headers.get("content-type")).toStartWith("text/event-stream");
    expect(JSON.parse((await streamed.text()).replace(/^data: /, "")).data).toMatchObject({ status: 2 });
    const linked = await relay.post("/v1/music_generation", { model: "music-2.6", ...order, output_format: "url" });
    expect(await linked.json()).toEqual({
      data: { audio: "https://files.test/song.mp3", status: 2 },
      base_resp: success,
    });
    for (const count of [1, 2, 3]) expect((await relay.billing.nextRecord(count)).quota).toBe(unitsOf(0.15));
  });

  test("what it refuses with status 200 costs nothing, and is an error of each client's format", async () => {
    const sensitive = () => Response.json({ base_resp: { status_code: 1026, status_msg: "input new_sensitive" } });
    const { relay } = start(35, "music-2.6", sensitive);
    const order = { model: "music-2.6", prompt: "a march" };
    const own = await relay.post("/v1/music_generation", order);
    expect(own.status).toBe(400);
    expect(await own.json()).toMatchObject({
      base_resp: { status_code: 2013, status_msg: expect.stringContaining("new_sensitive") },
    });
    const openai = await relay.post("/v1/audio/music", order);
    expect(await openai.json()).toMatchObject({ error: { message: expect.stringContaining("new_sensitive") } });
    const eleven = await relay.post("/v1/music", { ...order, model_id: "music-2.6" });
    expect(await eleven.json()).toMatchObject({ detail: { message: expect.stringContaining("new_sensitive") } });
    for (const count of [1, 2, 3])
      expect(await relay.billing.nextRecord(count)).toMatchObject({ quota: 0, failed: true });
  });

  test("the next channel makes the song when one fails, and it is charged once", async () => {
    let calls = 0;
    const answer: Answer = (seen) => {
      calls += 1;
      return calls === 1 ? Response.json({ base_resp: { status_code: 1002, status_msg: "rate limit" } }) : songs(seen);
    };
    const { relay, upstream } = start(35, "music-2.6", answer, {}, 2);
    const made = await relay.post("/v1/audio/music", { model: "music-2.6", prompt: "a march" });
    expect(await bytesOf(made)).toEqual(SONG);
    expect(upstream.received.length).toBe(2);
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.15));
    expect(relay.billing.records.length).toBe(1);
  });
});

describe("ElevenLabs", () => {
  const audio = (body: Uint8Array<ArrayBuffer>, type = "audio/mpeg") =>
    new Response(body, { headers: { "content-type": type } });
  const songs: Answer = ({ path, headers }) =>
    path.startsWith("/v1/music") && headers.get("xi-api-key") === "key"
      ? audio(new Uint8Array(SONG))
      : Response.json({ detail: { status: "invalid_api_key", message: "Invalid API key" } }, { status: 401 });

  test("a song of a stated length is sent on as it arrives and costs its seconds", async () => {
    const queries: string[] = [];
    const { relay, sent, upstream } = start(1017, "music_v2", (seen) => {
      queries.push(seen.query);
      return songs(seen);
    });
    const order = { model_id: "music_v2", prompt: "lo-fi", music_length_ms: 29_500, force_instrumental: true, seed: 3 };
    const answer = await relay.post("/v1/music/stream?output_format=mp3_44100_192", order);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(await bytesOf(answer)).toEqual(SONG);
    expect([upstream.received[0]?.path, queries[0]]).toEqual(["/v1/music/stream", "?output_format=mp3_44100_192"]);
    expect(sent()).toEqual(order);
    const record = await relay.billing.nextRecord();
    expect(record.quota).toBe(unitsOf(0.3));
    expect(record.other.receipt?.lines).toMatchObject([{ item: "per_second", quantity: "30", factor: "0.01" }]);

    await relay.post("/v1/audio/music", { model: "music_v2", prompt: "lo-fi", duration: 60, response_format: "opus" });
    expect(sent()).toEqual({ model_id: "music_v2", prompt: "lo-fi", music_length_ms: 60_000 });
    expect([upstream.received[1]?.path, queries[1]]).toEqual(["/v1/music", "?output_format=opus_48000_128"]);
    expect((await relay.billing.nextRecord(2)).quota).toBe(unitsOf(0.6));
  });

  test("a song whose length the model chooses is held at its most and charged by what was made", async () => {
    const { relay } = start(1017, "music_v2", () => audio(wav(42), "audio/wav"));
    const answer = await relay.post("/v1/music", { model_id: "music_v2", prompt: "lo-fi" });
    expect((await bytesOf(answer)).length).toBe(wav(42).length);
    const record = await relay.billing.nextRecord();
    expect([record.quota, record.other.reserved]).toEqual([unitsOf(0.42), unitsOf(6)]);
    expect(record.other.receipt?.lines).toMatchObject([{ item: "per_second", quantity: "42" }]);
  });

  test("a plan's own length counts, whatever length the request states", async () => {
    const { relay, sent } = start(1017, "music_v1", songs);
    const section = { section_name: "Verse", positive_local_styles: ["calm"], lines: ["Rain"], duration_ms: 15_000 };
    const plan = { positive_global_styles: ["folk"], negative_global_styles: [], sections: [section, section] };
    await relay.post("/v1/music", { composition_plan: plan, music_length_ms: 3_000 });
    expect(sent()).toEqual({ model_id: "music_v1", composition_plan: plan });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.3));
  });

  test("what fails costs nothing; its own words are the error", async () => {
    const bad = { status: "bad_prompt", message: "Your prompt names an artist.", data: { prompt_suggestion: "calm" } };
    const { relay } = start(1017, "music_v2", () => Response.json({ detail: bad }, { status: 400 }));
    const answer = await relay.post("/v1/music", { model_id: "music_v2", prompt: "like X", music_length_ms: 10_000 });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { detail: { status: "bad_prompt", message: bad.message } },
    ]);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, failed: true });
  });

  test("a key is taken from its clients' header, and bad requests are its errors", async () => {
    const { relay, upstream } = start(1017, "music_v2", songs);
    const post = (body: object, key = "sk-test") =>
      fetch(`${relay.url}/v1/music`, {
        method: "POST",
        headers: { "xi-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await post({ model_id: "music_v2", prompt: "x", music_length_ms: 10_000 })).status).toBe(200);
    const refused = await post({ model_id: "music_v2", prompt: "x" }, "sk-other");
    expect([refused.status, await refused.json()]).toMatchObject([401, { detail: { code: "invalid_api_key" } }]);
    const long = await post({ model_id: "music_v2", prompt: "x", music_length_ms: 900_000 });
    expect([long.status, await long.json()]).toMatchObject([
      400,
      { detail: { message: expect.stringContaining("music_length_ms") } },
    ]);
    const empty = await post({ model_id: "music_v2" });
    expect([empty.status, await empty.json()]).toMatchObject([
      400,
      { detail: { message: expect.stringContaining("prompt") } },
    ]);
    const raw = await relay.post("/v1/audio/music", { model: "music_v2", prompt: "x", response_format: "pcm" });
    expect([raw.status, await raw.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining("duration") } },
    ]);
    expect(upstream.received.length).toBe(1);
  });

  test("MiniMax's clients get its audio in their form", async () => {
    const { relay } = start(1017, "music_v2", songs);
    const order = { model: "music_v2", prompt: "lo-fi", duration: 10 };
    const answer = await relay.post("/v1/music_generation", order);
    expect(await answer.json()).toMatchObject({ data: { audio: SONG.toString("hex"), status: 2 } });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.1));
  });

  test("it speaks, too, by the character", async () => {
    const speech: Answer = ({ path, query }) => audio(Buffer.from(path + query));
    const { relay, sent } = start(1017, "eleven_flash_v2_5", speech);
    const call = { model: "eleven_flash_v2_5", input: "Hello, rain", voice: "VOICE", speed: 1.1 };
    const answer = await relay.post("/v1/audio/speech", { ...call, response_format: "mp3" });
    expect(await answer.text()).toBe("/v1/text-to-speech/VOICE?output_format=mp3_44100_128");
    expect(sent()).toEqual({ text: call.input, model_id: call.model, voice_settings: { speed: 1.1 } });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf((11 * 50) / 1_000_000));
  });
});

describe("Lyria", () => {
  const inline = { mimeType: "audio/mpeg", data: SONG.toString("base64") };
  const candidate = { content: { parts: [{ text: "[Verse] Rain" }, { inlineData: inline }] }, finishReason: "STOP" };

  test("of today is asked for in words, and costs the same in every length", async () => {
    const path = "/v1beta/models/lyria-3.5:generateContent";
    const { relay, sent } = start(24, "lyria-3.5", (seen) =>
      Response.json(seen.path === path ? { candidates: [candidate] } : {}),
    );
    const order = { model: "lyria-3.5", prompt: "folk", lyrics: "Rain", duration: 90, response_format: "mp3" };
    const answer = await relay.post("/v1/audio/music", order);
    expect([answer.headers.get("content-type"), await bytesOf(answer)]).toEqual(["audio/mpeg", SONG]);
    expect(sent()).toEqual({
      contents: [{ role: "user", parts: [{ text: "folk\n\nLength: 90 seconds.\n\nLyrics:\nRain" }] }],
      generationConfig: { responseModalities: ["AUDIO", "TEXT"] },
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.08));

    const own = await relay.post("/v1beta/models/lyria-3.5:generateContent", {
      contents: [{ parts: [{ text: "folk" }] }],
    });
    expect(await own.json()).toMatchObject({ candidates: [candidate] });
    expect((await relay.billing.nextRecord(2)).quota).toBe(unitsOf(0.08));
  });

  test("3 is on Vertex AI, too", async () => {
    const path = "/v1/publishers/google/models/lyria-3-clip-preview:generateContent";
    const { relay, sent } = start(41, "lyria-3-clip-preview", (seen) =>
      Response.json(seen.path === path ? { candidates: [candidate] } : {}),
    );
    const order = { model: "lyria-3-clip-preview", prompt: "folk", duration: 90 };
    const answer = await relay.post("/v1/audio/music", order);
    expect([answer.headers.get("content-type"), await bytesOf(answer)]).toEqual(["audio/mpeg", SONG]);
    expect(answer.headers.get("x-sluice-dropped")).toBe("duration");
    expect(sent()).toEqual({
      contents: [{ role: "user", parts: [{ text: "folk" }] }],
      generationConfig: { responseModalities: ["AUDIO", "TEXT"] },
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.04));
  });

  test("2 makes instrumental clips on Vertex AI", async () => {
    const path = "/v1/publishers/google/models/lyria-002:predict";
    const { relay, sent } = start(41, "lyria-002", (seen) =>
      Response.json(
        seen.path === path
          ? { predictions: [{ audioContent: inline.data, mimeType: "audio/wav" }] }
          : { path: seen.path },
      ),
    );
    const order = { model: "lyria-002", prompt: "folk", negative_prompt: "drums", lyrics: "Rain" };
    const answer = await relay.post("/v1/audio/music", order);
    expect([answer.headers.get("content-type"), await bytesOf(answer)]).toEqual(["audio/wav", SONG]);
    expect(answer.headers.get("x-sluice-dropped")).toBe("lyrics");
    expect(sent()).toEqual({
      instances: [{ prompt: "folk", negative_prompt: "drums" }],
      parameters: { sample_count: 1 },
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.06));
  });

  test.each([
    ["a blocked prompt", { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, 400],
    ["a filtered clip", { predictions: [{ raiFilteredReason: "recitation" }] }, 400],
    ["words alone", { candidates: [{ content: { parts: [{ text: "la" }] }, finishReason: "OTHER" }] }, 502],
    ["another object", { hello: 1 }, 502],
  ])("%s costs nothing", async (_name, answer, status) => {
    const { relay } = start(24, "lyria-3.5", () => Response.json(answer));
    expect((await relay.post("/v1/audio/music", { model: "lyria-3.5", prompt: "x" })).status).toBe(status);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, failed: true });
  });
});

test("a client that leaves while a song is made pays for what the provider made", async () => {
  const received = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const upstream = startUpstream(async () => {
    received.resolve();
    await release.promise;
    return new Response(new Uint8Array(SONG), { headers: { "content-type": "audio/mpeg" } });
  });
  const relay = startRelay({
    channels: [{ type: 1017, baseUrl: upstream.url, keys: ["key"], models: ["music_v2"] }],
    options: { RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  const leaving = new AbortController();
  const call = fetch(`${relay.url}/v1/music`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: JSON.stringify({ model_id: "music_v2", prompt: "x", music_length_ms: 10_000 }),
    signal: leaving.signal,
  }).catch(() => null);
  await received.promise;
  leaving.abort();
  await call;
  release.resolve();
  const record = await relay.billing.nextRecord();
  expect([record.quota, record.other.ending]).toEqual([unitsOf(0.1), "complete"]);
});
