/** Providers whose calls are signed: the signature is checked as the provider would, then the call is answered. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const ask = (stream: boolean) => ({
  model: "claude-sonnet-4-5-20250929",
  stream,
  messages: [{ role: "user", content: "hi" }],
});
const usage = { input_tokens: 12, output_tokens: 3 };
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage,
};
const streamed = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
  { type: "message_stop" },
];

const hex = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** AWS Signature Version 4 of a received request, recomputed from what was received. */
function awsSignature(path: string, headers: Headers, body: string, secret: string): string {
  const authorization = headers.get("authorization") ?? "";
  const [, scope = "", signed = ""] = /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const lines = signed.split(";").map((name) => `${name}:${headers.get(name)?.trim()}\n`);
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const canonical = ["POST", encoded, "", lines.join(""), signed, hex(body)].join("\n");
  const [day = "", region = "", service = ""] = scope.split("/");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    `AWS4${secret}`,
  );
  return hmac(key, ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, hex(canonical)].join("\n")).toString("hex");
}

describe("Bedrock", () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes).toString("utf8"),
    (text) => Buffer.from(text, "utf8"),
  );
  const frame = (event: object) =>
    codec.encode({
      headers: {
        ":message-type": { type: "string", value: "event" },
        ":event-type": { type: "string", value: "chunk" },
      },
      body: Buffer.from(JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abc" })),
    });

  function start(key: string) {
    const upstream = startUpstream(({ path, headers, text }, request) => {
      const rawPath = new URL(request.url).pathname;
      const signature = /Signature=([0-9a-f]+)/.exec(headers.get("authorization") ?? "")?.[1];
      const bearer = headers.get("authorization") === "Bearer bedrock-key";
      if (!bearer && signature !== awsSignature(rawPath, headers, text, "secret")) {
        return Response.json({ message: "The request signature we calculated does not match" }, { status: 403 });
      }
      if (!path.endsWith("stream")) return Response.json(message);
      const bytes = Buffer.concat(streamed.map(frame));
      // Cut where it hurts: inside a frame's prelude and inside its payload.
      const cuts = [0, 5, 40, bytes.length];
      const pieces = cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
      const body = new ReadableStream({
        async start(controller) {
          for (const piece of pieces) {
            controller.enqueue(new Uint8Array(piece));
            await Bun.sleep(2);
          }
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "application/vnd.amazon.eventstream" } });
    });
    const channel = { type: 33, baseUrl: upstream.url, keys: [key], models: [ask(false).model], groups: ["default"] };
    const relay = startRelay({ channels: [channel], options: { ModelRatio: `{"${ask(false).model}": 1}` } });
    stops.push(upstream.stop, relay.stop);
    return { relay, upstream };
  }

  test.each([
    "AKID|secret|us-east-1",
    "AKID|secret|eu-central-1|session",
    "AKID|secret|ap-south-1",
    "bedrock-key|us-east-1",
  ])("is called with the key %s by its region's profile, whole and streamed", async (key) => {
    const { relay, upstream } = start(key);
    const answer = await relay.post("/v1/chat/completions", ask(false));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: "Hello" }, finish_reason: "stop" }],
    });
    const stream = await relay.post("/v1/chat/completions", ask(true));
    expect(await stream.text()).toContain('"content":"Hello"');
    const [first, second] = upstream.received;
    // Asia has no profile (`apac`) of Claude 4.5: Mumbai calls that of the whole world.
    const profile = key.includes("eu-") ? "eu" : key.includes("ap-") ? "global" : "us";
    expect(decodeURIComponent(first?.path ?? "")).toBe(
      `/model/${profile}.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke`,
    );
    expect(second?.path).toEndWith("/invoke-with-response-stream");
    const body = JSON.parse(first?.text ?? "");
    expect(body).toMatchObject({ anthropic_version: "bedrock-2023-05-31" });
    expect([body.model, body.stream]).toEqual([undefined, undefined]);
    expect(relay.billing.records).toMatchObject([
      { promptTokens: 12, completionTokens: 3 },
      { promptTokens: 12, completionTokens: 3, isStream: true },
    ]);
  });

  test("refuses a wrong secret in words that help", async () => {
    const { relay } = start("AKID|wrong|us-east-1");
    const answer = await relay.post("/v1/chat/completions", ask(false));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("signature");
  });
});

describe("Vertex", () => {
  test("gets an access token for the service account once, and calls Claude and Gemini in its project", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
    let tokens = 0;
    const upstream = startUpstream(async ({ path, headers, text }) => {
      if (path === "/token") {
        tokens += 1;
        const form = new URLSearchParams(text);
        const { payload } = await jwtVerify(form.get("assertion") ?? "", publicKey, {
          audience: `${upstream.url}/token`,
        });
        expect(payload).toMatchObject({ iss: "robot@p.iam", scope: "https://www.googleapis.com/auth/cloud-platform" });
        return Response.json({ access_token: "vertex-token", expires_in: 3599, token_type: "Bearer" });
      }
      if (headers.get("authorization") !== "Bearer vertex-token") return Response.json({}, { status: 401 });
      if (path.includes("/anthropic/")) return Response.json(message);
      const parts = [{ text: "Hello" }];
      const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 };
      return Response.json({
        candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
        usageMetadata,
      });
    });
    const account = {
      type: "service_account",
      project_id: "p",
      private_key_id: "1",
      private_key: (await exportPKCS8(privateKey)).replaceAll("\n", "\\n"),
      client_email: "robot@p.iam",
      token_uri: `${upstream.url}/token`,
    };
    const models = [ask(false).model, "gemini-2.5-pro"];
    const channel = {
      type: 41,
      baseUrl: upstream.url,
      keys: [JSON.stringify(account)],
      other: '{"default": "us-central1", "gemini-2.5-pro": "global"}',
      models,
      groups: ["default"],
    };
    const relay = startRelay({
      channels: [channel],
      options: { ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) },
    });
    stops.push(upstream.stop, relay.stop);
    for (const model of models) {
      const answer = await relay.post("/v1/chat/completions", { ...ask(false), model });
      expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
    }
    expect(tokens).toBe(1);
    expect(upstream.received.map(({ path }) => path).filter((path) => path !== "/token")).toEqual([
      "/v1/projects/p/locations/us-central1/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
      "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent",
    ]);
  });
});
