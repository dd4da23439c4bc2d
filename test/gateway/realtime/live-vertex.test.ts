/** Google's Live API on Vertex AI: sessions of a service account, whose token the upstream demands in the handshake. */
import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { GoogleGenAI, type LiveServerMessage, Modality } from "@google/genai";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { connect, KEY_HEADER, stopAll } from "../../support/gateway/start-realtime.ts";
import { until } from "../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  setSystemTime();
  for (const stop of stops.splice(0)) stop();
  stopAll();
});

const MODEL = "gemini-live-2.5-flash";
const PATH = "/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent";
const CLIENT_PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
const USAGE = {
  promptTokenCount: 700,
  candidatesTokenCount: 300,
  totalTokenCount: 1_000,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 300 },
    { modality: "AUDIO", tokenCount: 400 },
  ],
  candidatesTokensDetails: [
    { modality: "TEXT", tokenCount: 50 },
    { modality: "AUDIO", tokenCount: 250 },
  ],
};
/** (300 text + 400 audio × 8 + 50 × 4 + 250 × 8 × 2) × 2 */
const COST = 15_400;

type Account = Readonly<{ email: string; privateKey: string }>;

/**
 * Vertex's endpoints for tokens and sessions: a token for a valid assertion, a session for a valid token, and only for the
 * full name of a model in the project.
 */
async function startVertex() {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const valid = new Set<string>();
  const setups: unknown[] = [];
  const handshakes: (string | null)[] = [];
  let issued = 0;
  const server = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, bun) {
      const { pathname, origin } = new URL(request.url);
      if (pathname === "/token") {
        const assertion = (await request.formData()).get("assertion");
        const checked = await jwtVerify(String(assertion), publicKey, { audience: `${origin}/token` }).catch(
          () => null,
        );
        if (checked?.payload.iss !== "robot@p.iam") {
          return Response.json({ error: "invalid_grant", error_description: "Invalid JWT" }, { status: 400 });
        }
        issued += 1;
        valid.add(`Bearer ya29.${issued}`);
        return Response.json({ access_token: `ya29.${issued}`, expires_in: 3_599, token_type: "Bearer" });
      }
      const authorization = request.headers.get("authorization");
      handshakes.push(pathname === PATH ? authorization : pathname);
      const isExpress = request.headers.get("x-goog-api-key") === "express-key";
      if (pathname !== PATH || !(isExpress || valid.has(authorization ?? "")))
        return new Response(null, { status: 401 });
      bun.upgrade(request, { data: {} });
    },
    websocket: {
      message(peer, frame) {
        const message = JSON.parse(String(frame));
        const say = (answer: object) => void peer.send(Buffer.from(JSON.stringify(answer)));
        if (message.setup) {
          setups.push(message.setup);
          const names = [
            `projects/p/locations/europe-west4/publishers/google/models/${MODEL}`,
            `publishers/google/models/${MODEL}`,
          ];
          if (names.includes(message.setup.model)) say({ setupComplete: { sessionId: "s" } });
          else peer.close(1008, `Publisher Model ${message.setup.model} was not found`);
          return;
        }
        say({ serverContent: { modelTurn: { role: "model", parts: [{ text: "Hello" }] } } });
        say({ serverContent: { turnComplete: true }, usageMetadata: USAGE });
      },
    },
  });
  stops.push(() => server.stop(true));
  const url = `http://127.0.0.1:${server.port}`;
  const account = ({ email, privateKey }: Account) =>
    JSON.stringify({
      type: "service_account",
      project_id: "p",
      private_key_id: crypto.randomUUID(),
      private_key: privateKey,
      client_email: email,
      token_uri: `${url}/token`,
    });
  const pem = await exportPKCS8(privateKey);
  return {
    url,
    setups,
    handshakes,
    key: account({ email: "robot@p.iam", privateKey: pem }),
    unknownKey: account({ email: "unknown@p.iam", privateKey: pem }),
    revoke: () => valid.clear(),
    issued: () => issued,
  };
}

function relayTo(url: string, key: string) {
  const relay = startRelay({
    channels: [
      {
        type: 41,
        baseUrl: url,
        keys: [key],
        other: `{"default": "us-central1", "${MODEL}": "europe-west4"}`,
        models: [MODEL],
      },
    ],
    options: {
      ModelRatio: `{"${MODEL}": 2}`,
      CompletionRatio: `{"${MODEL}": 4}`,
      AudioRatio: `{"${MODEL}": 8}`,
      AudioCompletionRatio: `{"${MODEL}": 2}`,
    },
  });
  stops.push(relay.stop);
  return relay;
}

/** One turn of Google's client, and what it received. */
async function converse(url: string) {
  const messages: LiveServerMessage[] = [];
  const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: url, apiVersion: "v1beta" } });
  const session = await client.live.connect({
    model: MODEL,
    config: { responseModalities: [Modality.TEXT] },
    callbacks: { onmessage: (message) => void messages.push(message) },
  });
  session.sendClientContent({ turns: "Hi" });
  await until(() => messages.some(({ serverContent }) => serverContent?.turnComplete));
  session.close();
  return messages;
}

describe("a Live session on Vertex AI", () => {
  test("carries a token of the service account and the model's full name, and is charged by the reported usage", async () => {
    const vertex = await startVertex();
    const { url, billing } = relayTo(vertex.url, vertex.key);
    const messages = await converse(url);
    expect(messages.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 700, responseTokenCount: 300 });
    expect(vertex.handshakes).toEqual(["Bearer ya29.1"]);
    expect(vertex.setups).toMatchObject([
      {
        model: `projects/p/locations/europe-west4/publishers/google/models/${MODEL}`,
        generationConfig: { responseModalities: ["TEXT"] },
      },
    ]);
    expect(await billing.nextRecord()).toMatchObject({
      quota: COST,
      promptTokens: 700,
      completionTokens: 300,
      other: { audio_input: 400, audio_output: 250, usage_evidence: "reported" },
    });
    await converse(url);
    expect(vertex.issued()).toBe(1);
    await until(() => billing.openHolds === 0);
    expect(billing.records.map(({ quota }) => quota)).toEqual([COST, COST]);
  });

  test("requests a new token when the upstream no longer accepts the cached one", async () => {
    const vertex = await startVertex();
    const { url, billing } = relayTo(vertex.url, vertex.key);
    await converse(url);
    // A token that was just made was not refused because of its age.
    setSystemTime(new Date(Date.now() + 60_000));
    vertex.revoke();
    await converse(url);
    expect(vertex.handshakes).toEqual(["Bearer ya29.1", "Bearer ya29.1", "Bearer ya29.2"]);
    await until(() => billing.openHolds === 0);
    expect(billing.records).toHaveLength(2);
  });

  test("also serves clients of OpenAI, with the same charge", async () => {
    const vertex = await startVertex();
    const { url, billing } = relayTo(vertex.url, vertex.key);
    const client = connect(url, KEY_HEADER, `?model=${MODEL}`);
    await client.waitFor("session.created");
    client.send({ type: "session.update", session: { output_modalities: ["text"] } });
    client.send({ type: "response.create" });
    expect((await client.waitFor("response.done")).response).toMatchObject({
      output: [{ content: [{ text: "Hello" }] }],
      usage: { input_tokens: 700, output_token_details: { audio_tokens: 250 } },
    });
    expect(vertex.setups).toMatchObject([
      { model: `projects/p/locations/europe-west4/publishers/google/models/${MODEL}` },
    ]);
    expect((await billing.nextRecord()).quota).toBe(COST);
    client.socket.close();
    await until(() => billing.openHolds === 0);
  });

  test("names the model without a project for an express key, which goes in the header", async () => {
    const vertex = await startVertex();
    const { url, billing } = relayTo(vertex.url, "express-key");
    await converse(url);
    expect(vertex.setups).toMatchObject([{ model: `publishers/google/models/${MODEL}` }]);
    expect((await billing.nextRecord()).quota).toBe(COST);
  });

  test.each(["unknownKey", "wrong"] as const)("is closed with the reason, and free, for the key %s", async (name) => {
    const vertex = await startVertex();
    const { url, billing } = relayTo(vertex.url, name === "wrong" ? "wrong-express-key" : vertex[name]);
    const socket = new WebSocket(`${url.replace("http", "ws")}${CLIENT_PATH}?key=sk-test`);
    const closing = Promise.withResolvers<CloseEvent>();
    socket.onclose = closing.resolve;
    socket.onopen = () => socket.send(JSON.stringify({ setup: { model: `models/${MODEL}` } }));
    const { code, reason } = await closing.promise;
    expect(code).toBe(1008);
    expect(reason).toContain(name === "wrong" ? "status 401" : "");
    expect(reason).not.toBe("");
    await until(() => billing.openHolds === 0);
    expect(billing.records.every(({ quota }) => quota === 0)).toBe(true);
    expect(vertex.setups).toEqual([]);
  });
});
