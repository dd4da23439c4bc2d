import { afterEach, describe, expect, test } from "bun:test";
import {
  connect,
  type Handshake,
  KEY_HEADER,
  type Peer,
  startRealtime,
  startUpstream,
  stopAll,
} from "../../support/gateway/start-realtime.ts";
import { until } from "../../support/lib/until.ts";

afterEach(stopAll);

const USAGE = {
  total_tokens: 1_000,
  input_tokens: 700,
  output_tokens: 300,
  input_token_details: {
    text_tokens: 300,
    audio_tokens: 400,
    cached_tokens: 200,
    cached_tokens_details: { text_tokens: 100, audio_tokens: 100 },
  },
  output_token_details: { text_tokens: 50, audio_tokens: 250 },
};
/** (200 text + 200 cached × 0.1 + 300 audio × 8 + 50 × 4 + 250 × 8 × 2) × 2 */
const COST = 13_640;

const sendResponse = (peer: Peer, event: Record<string, unknown>, usage: object | undefined = USAGE, id = "resp_1") => {
  if (event.type !== "response.create") return;
  peer.send(JSON.stringify({ type: "response.created", response: { id } }));
  peer.send(JSON.stringify({ type: "response.output_text.delta", delta: "Hello there, all of you" }));
  peer.send(JSON.stringify({ type: "response.done", response: { id, status: "completed", usage } }));
};

describe("a session", () => {
  test("each response is charged as it is done, by text, audio and cached tokens", async () => {
    const upstream = startUpstream((peer, event) => sendResponse(peer, event));
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    await client.waitFor("response.done");
    const first = await relay.billing.nextRecord();
    expect(first).toMatchObject({
      quota: COST,
      modelName: "gpt-realtime",
      promptTokens: 700,
      completionTokens: 300,
      isStream: true,
      other: { ws: true, audio_input: 300, audio_output: 250, usage_evidence: "reported", ending: "complete" },
    });
    expect(first.other.receipt?.lines.map(({ item, quantity, factor }) => [item, quantity, factor])).toEqual([
      ["input", "200", "2"],
      ["cache_read", "200", "0.2"],
      ["audio_input", "300", "16"],
      ["output", "50", "8"],
      ["audio_output", "250", "32"],
    ]);
    client.send({ type: "response.create" });
    const second = await relay.billing.nextRecord(2);
    expect(second.quota).toBe(COST);
    expect(second.requestId).not.toBe(first.requestId);
    expect(second.other.request_id).toBe(first.other.request_id);
    await until(() => relay.billing.openHolds === 0);
    client.socket.close();
    await client.closed;
    expect(relay.billing.records).toHaveLength(2);
    expect(upstream.handshakes[0]?.headers.get("authorization")).toBe("Bearer upstream-key");
    expect(upstream.handshakes[0]?.url.search).toBe("?model=gpt-realtime");
  });

  test("retry: it costs what the model costs at the channel that took it", async () => {
    const closed = startUpstream(
      () => {},
      () => new Response(null, { status: 500 }),
    );
    const upstream = startUpstream((peer, event) => sendResponse(peer, event));
    const knownAs = (baseUrl: string, name: string, priority: number) => ({
      baseUrl,
      priority,
      models: ["realtime"],
      modelMapping: new Map([["realtime", name]]),
    });
    const relay = startRealtime([], {
      channels: [knownAs(closed.url, "other-realtime", 1), knownAs(upstream.url, "gpt-realtime", 0)],
      options: { ModelPrice: '{"other-realtime": 5}' },
    });
    const client = connect(relay.url, KEY_HEADER, "?model=realtime");
    await client.waitFor("session.created");
    for (const count of [1, 2]) {
      client.send({ type: "response.create" });
      expect(await relay.billing.nextRecord(count)).toMatchObject({ quota: COST, modelName: "realtime", channelId: 2 });
    }
    // For the opening a token at the most expensive channel; for each response what it may cost at the one that took it, then
    // twice what one has cost; after each a token.
    await until(() => relay.billing.holds.length >= 5);
    expect(relay.billing.holds.map(({ amount }) => amount)).toEqual([2_500_000, 16_000, 32, 2 * COST + 16, 32]);
  });

  test("at a fixed price each response costs that, and what was held beforehand goes back", async () => {
    const upstream = startUpstream((peer, event) => sendResponse(peer, event));
    const relay = startRealtime(upstream.url, { options: { ModelPrice: '{"gpt-realtime": 0.02}' } });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    expect(relay.billing.holds.map(({ amount }) => amount)).toEqual([10_000]);
    for (const count of [1, 2]) {
      client.send({ type: "response.create" });
      expect((await relay.billing.nextRecord(count)).quota).toBe(10_000);
    }
    client.socket.close();
    await client.closed;
    await until(() => relay.billing.openHolds === 0);
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([10_000, 10_000]);
  });

  test("what is held is for a response that is in progress: many sessions share a small balance", async () => {
    const small = { input_tokens: 100, output_tokens: 10, input_token_details: {}, output_token_details: {} };
    const cost = (100 + 10 * 4) * 2;
    const upstream = startUpstream((peer, event) => sendResponse(peer, event, small));
    const relay = startRealtime(upstream.url);
    // Less than two first responses would hold at the same time.
    relay.billing.available = 20_000;
    const clients = Array.from({ length: 20 }, () => connect(relay.url));
    await Promise.all(clients.map((client) => client.waitFor("session.created")));
    expect(relay.billing.openHolds).toBe(0);
    let spent = 0;
    for (const round of [1, 2]) {
      for (const [index, client] of clients.entries()) {
        client.send({ type: "response.create" });
        const record = await relay.billing.nextRecord((round - 1) * clients.length + index + 1);
        spent += record.quota;
        await until(() => relay.billing.openHolds === 0);
      }
    }
    expect(spent).toBe(40 * cost);
    const held = relay.billing.holds.map(({ amount }) => amount).filter((amount) => amount > 32);
    // 500 tokens of audio for the first response of each, then twice what it cost.
    expect(held.slice(0, 20)).toEqual(held.slice(0, 20).map(() => 16_000));
    for (const amount of held.slice(20)) expect([amount >= 2 * cost, amount < 2 * cost + 32]).toEqual([true, true]);
  });

  test.each([
    ["of the session", { max_output_tokens: 100 }, {}, 100 * 32],
    ["of the response", { max_output_tokens: 100 }, { max_output_tokens: 50 }, 50 * 32],
    ["taken away", { max_output_tokens: 100 }, { max_output_tokens: "inf" }, 500 * 32],
    ["without audio", { output_modalities: ["text"] }, { max_output_tokens: 50 }, 50 * 8],
  ])("what is held for a response follows its limits: %s", async (_, session, response, held) => {
    const upstream = startUpstream((peer, event) => {
      if (event.type === "session.update")
        peer.send(JSON.stringify({ type: "session.updated", session: event.session }));
      sendResponse(peer, event);
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "session.update", session: { type: "realtime", ...session } });
    await client.waitFor("session.updated");
    client.send({ type: "response.create", response });
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: COST });
    expect(relay.billing.holds[1]?.amount).toBe(held);
  });

  test("a response that an upstream begins by itself is held for, and refused where nothing is left", async () => {
    const upstream = startUpstream((peer, event) => {
      if (event.type === "input_audio_buffer.append")
        peer.send(JSON.stringify({ type: "response.created", response: { id: "resp_1" } }));
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "input_audio_buffer.append", audio: "AAAA" });
    await until(() => relay.billing.openHolds === 1);
    expect(relay.billing.holds.at(-1)?.amount).toBe(16_000);
    const other = connect(relay.url);
    await other.waitFor("session.created");
    relay.billing.available = 100;
    other.send({ type: "input_audio_buffer.append", audio: "AAAA" });
    expect(await other.closed).toEqual({ code: 1008, reason: "insufficient_user_quota" });
    client.socket.close();
    await until(() => relay.billing.openHolds === 0);
  });

  test("browsers send the key as a sub-protocol, and are answered with another", async () => {
    const upstream = startUpstream(() => {});
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url, {
      protocols: ["realtime", "openai-insecure-api-key.sk-test", "openai-beta.realtime-v1"],
    });
    await client.waitFor("session.created");
    expect(client.socket.protocol).toBe("realtime");
    const { headers } = upstream.handshakes[0] as Handshake;
    expect(headers.get("openai-beta")).toBe("realtime=v1");
    expect(JSON.stringify([...headers])).not.toContain("sk-test");
  });

  test.each([
    [{ other: "2025-04-01-preview" }, "/openai/realtime?deployment=gpt-realtime&api-version=2025-04-01-preview"],
    [{ other: "v1" }, "/openai/v1/realtime?model=gpt-realtime"],
  ])("Azure is addressed by %p", async (channel, address) => {
    const upstream = startUpstream(() => {});
    const relay = startRealtime(upstream.url, {}, { type: 3, ...channel });
    await connect(relay.url).waitFor("session.created");
    const { url, headers } = upstream.handshakes[0] as Handshake;
    expect(url.pathname + url.search).toBe(address);
    expect(headers.get("api-key")).toBe("upstream-key");
  });

  test("transcriptions: are charged by the model that makes them", async () => {
    const upstream = startUpstream((peer) => {
      const session = { audio: { input: { transcription: { model: "gpt-4o-mini-transcribe" } } } };
      peer.send(JSON.stringify({ type: "session.updated", session }));
      const usage = { type: "tokens", input_tokens: 40, output_tokens: 10, input_token_details: { audio_tokens: 40 } };
      peer.send(JSON.stringify({ type: "conversation.item.input_audio_transcription.completed", usage }));
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "input_audio_buffer.commit" });
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ modelName: "gpt-4o-mini-transcribe", promptTokens: 40, completionTokens: 10 });
    // (40 audio × 2 + 10 × 4) × 0.5
    expect(record.quota).toBe(60);
  });

  test.each([
    ["under audio", (model: string) => ({ audio: { input: { transcription: { model } } } }), "session.update"],
    ["in beta sessions", (model: string) => ({ input_audio_transcription: { model } }), "transcription_session.update"],
  ])("transcriptions: a model that the key or the price list lacks is refused (%s)", async (_, session, type) => {
    const received: unknown[] = [];
    const upstream = startUpstream((_peer, event) => void received.push(event.session));
    const models = ["gpt-realtime", "gpt-4o-mini-transcribe", "without-price"];
    const relay = startRealtime(upstream.url, {
      tokens: { test: { modelLimits: new Set(models) } },
    });
    const client = connect(relay.url);
    await client.waitFor("session.created");
    const asks = (model: string) => client.send({ type, event_id: `asks ${model}`, session: session(model) });
    asks("gpt-4o-transcribe");
    const refused = await client.waitFor("error");
    expect(refused.error).toMatchObject({ code: "model_not_allowed", event_id: "asks gpt-4o-transcribe" });
    asks("without-price");
    await until(() => client.events.filter((event) => event.type === "error").length === 2);
    expect(client.events.at(-1)?.error).toMatchObject({ code: "model_price_error" });
    asks("gpt-4o-mini-transcribe");
    await until(() => received.length > 0);
    expect(received).toEqual([session("gpt-4o-mini-transcribe")]);
  });
});

describe("the end of a session", () => {
  test("quota: the client receives the reason, and nothing stays held", async () => {
    const upstream = startUpstream((peer, event) => sendResponse(peer, event));
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    await relay.billing.nextRecord();
    await client.waitFor("response.done");
    relay.billing.available = 100;
    client.send({ type: "response.create" });
    const errors = await client.waitFor("error");
    expect(errors.error).toMatchObject({ code: "insufficient_quota" });
    expect(await client.closed).toEqual({ code: 1008, reason: "insufficient_user_quota" });
    expect(relay.billing.records.map(({ quota }) => quota)).toEqual([COST]);
    expect(relay.billing.openHolds).toBe(0);
    await until(() => upstream.closed.length > 0);
  });

  test("local counts: where the upstream ends in the middle of a response, what was sent is counted and charged once", async () => {
    const upstream = startUpstream((peer, event) => {
      if (event.type !== "response.create") return;
      peer.send(JSON.stringify({ type: "response.created", response: { id: "resp_1" } }));
      peer.send(JSON.stringify({ type: "response.output_text.delta", delta: "one two three four" }));
      // Half a second of sound.
      peer.send(JSON.stringify({ type: "response.output_audio.delta", delta: "A".repeat(32_000) }));
      peer.terminate();
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "input_audio_buffer.append", audio: "A".repeat(64_000) });
    client.send({ type: "response.create" });
    expect((await client.waitFor("error")).error).toMatchObject({ code: "upstream_closed" });
    expect((await client.closed).code).toBe(1011);
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({
      failed: true,
      completionTokens: 14,
      other: { usage_evidence: "estimated", ending: "upstream_failed", audio_input: 10, audio_output: 10 },
    });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("by the client in the middle of a response", async () => {
    const upstream = startUpstream((peer, event) => {
      if (event.type !== "response.create") return;
      peer.send(JSON.stringify({ type: "response.created", response: { id: "resp_1" } }));
      peer.send(JSON.stringify({ type: "response.output_text.delta", delta: "one two three four" }));
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.send({ type: "response.create" });
    await client.waitFor("response.output_text.delta");
    client.socket.close();
    const record = await relay.billing.nextRecord();
    expect(record).toMatchObject({ completionTokens: 4, other: { ending: "client_left" } });
    await until(() => upstream.closed.length > 0);
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.billing.records).toHaveLength(1);
  });

  test("on a restart: idle sessions at once, the others with their response", async () => {
    const peers: Peer[] = [];
    const upstream = startUpstream((peer, event) => {
      if (event.type === "response.create")
        peer.send(JSON.stringify({ type: "response.created", response: { id: "r" } }));
      peers.push(peer);
    });
    const relay = startRealtime(upstream.url);
    const idle = connect(relay.url);
    const busy = connect(relay.url);
    await idle.waitFor("session.created");
    await busy.waitFor("session.created");
    busy.send({ type: "response.create" });
    await busy.waitFor("response.created");
    relay.drain();
    expect((await idle.closed).code).toBe(1001);
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
    peers[0]?.send(JSON.stringify({ type: "response.done", response: { id: "r", status: "completed", usage: USAGE } }));
    await busy.waitFor("response.done");
    expect((await busy.closed).code).toBe(1001);
    expect((await relay.billing.nextRecord()).quota).toBe(COST);
    expect(relay.billing.openHolds).toBe(0);
  });
});

describe("a session that is refused", () => {
  test.each([
    ["a wrong key", { headers: { authorization: "Bearer sk-wrong" } }, "?model=gpt-realtime", "invalid_api_key"],
    ["no model", KEY_HEADER, "", "invalid_request"],
    ["an unknown model", KEY_HEADER, "?model=nothing", "model_not_found"],
  ])("%s", async (_name, options, query, code) => {
    const relay = startRealtime("http://127.0.0.1:1");
    const client = connect(relay.url, options, query);
    expect((await client.waitFor("error")).error).toMatchObject({ code });
    expect((await client.closed).code).toBe(1008);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("another channel is tried; the key that was refused is switched off", async () => {
    const refusing = startUpstream(
      () => {},
      () => new Response("no", { status: 401 }),
    );
    const upstream = startUpstream(() => {});
    const relay = startRealtime([refusing.url, upstream.url], { options: { AutomaticDisableChannelEnabled: "true" } });
    await connect(relay.url).waitFor("session.created");
    expect(refusing.handshakes).toHaveLength(1);
    expect(relay.disabled).toMatchObject([{ channelId: 1 }]);
  });

  test("when no channel can be reached, with a record of the failure", async () => {
    const relay = startRealtime("http://127.0.0.1:1");
    const client = connect(relay.url);
    expect((await client.waitFor("error")).error).toMatchObject({ code: "do_request_failed" });
    expect(await relay.billing.nextRecord()).toMatchObject({ failed: true, quota: 0 });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("an address that is private", async () => {
    const relay = startRealtime("http://127.0.0.1:1", { config: { allowPrivateUpstreams: false } });
    await connect(relay.url).waitFor("error");
    const record = await relay.billing.nextRecord();
    expect(record.other.admin_info?.attempts[0]?.error).toContain("private");
  });

  test("through a proxy of a kind that is not supported", async () => {
    const relay = startRealtime("http://127.0.0.1:1", {}, { setting: { proxy: "ftp://127.0.0.1:1080" } });
    await connect(relay.url).waitFor("error");
    const record = await relay.billing.nextRecord();
    expect(record.other.admin_info?.attempts[0]?.error).toContain("proxy address must begin");
  });

  test("without WebSocket the answer says what the address is for", async () => {
    const relay = startRealtime("http://127.0.0.1:1");
    const answer = await relay.get("/v1/realtime?model=gpt-realtime");
    expect(answer.status).toBe(426);
    expect(await answer.json()).toMatchObject({ error: { code: "upgrade_required" } });
  });
});

describe("many events", () => {
  test("1,000 a second both ways for three seconds, none lost, none out of turn", async () => {
    const COUNT = 3_000;
    const got: number[] = [];
    const upstream = startUpstream((peer, event, text) => {
      got.push(Number(event.number));
      peer.send(text);
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    const begun = performance.now();
    for (let number = 0; number < COUNT; ) {
      const due = Math.min(COUNT, Math.floor(performance.now() - begun));
      for (; number < due; number += 1) {
        client.send({ type: "input_audio_buffer.append", number, audio: "A".repeat(600) });
      }
      await Bun.sleep(2);
    }
    await client.waitFor("input_audio_buffer.append", COUNT);
    const echoed = client.events.slice(1).map(({ number }) => number);
    const expected = Array.from({ length: COUNT }, (_, number) => number);
    expect(got).toEqual(expected);
    expect(echoed as number[]).toEqual(expected);
  }, 240_000);

  test("a client that does not read holds its upstream back, and loses nothing", async () => {
    const COUNT = 600;
    const frame = "A".repeat(131_072);
    let sent = 0;
    let most = 0;
    const upstream = startUpstream((peer) => {
      const more = () => {
        while (sent < COUNT && peer.getBufferedAmount() < 1_000_000) {
          peer.send(JSON.stringify({ type: "blob", number: sent, frame }));
          sent += 1;
        }
        most = Math.max(most, peer.getBufferedAmount());
        if (sent < COUNT) setTimeout(more, 2);
      };
      more();
    });
    const relay = startRealtime(upstream.url);
    const client = connect(relay.url);
    await client.waitFor("session.created");
    client.socket.pause();
    client.send({ type: "start" });
    await Bun.sleep(1_500);
    const whilePaused = sent;
    client.socket.resume();
    await client.waitFor("blob", COUNT);
    expect(whilePaused).toBeLessThan(COUNT);
    expect(client.events.slice(1).map(({ number }) => number as number)).toEqual(
      Array.from({ length: COUNT }, (_, number) => number),
    );
  }, 240_000);
});
