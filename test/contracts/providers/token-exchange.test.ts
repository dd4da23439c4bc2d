/** Providers whose keys are exchanged for access tokens: what clients read when that fails, and what a spent token costs. */
import { afterEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const PEM = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
const messages = [{ role: "user", content: "Hello" }];
const ASK = { model: "m", messages };

/** The upstream answers both the exchange and the call. */
function start(
  type: 15 | 41,
  exchange: () => Response,
  call: (path: string) => Response = () => new Response("", { status: 500 }),
) {
  const calls: string[] = [];
  const upstream = startUpstream((_received, request) => {
    const { pathname, search } = new URL(request.url);
    if (/oauth|token$/.test(pathname)) return exchange();
    calls.push(pathname + search);
    return call(pathname + search);
  });
  const good = startUpstream(() => Response.json(chatReply()));
  const account = {
    type: "service_account",
    project_id: "p",
    private_key_id: "k",
    private_key: PEM,
    client_email: `${crypto.randomUUID()}@p.example`,
    token_uri: `${upstream.url}/token`,
  };
  const key = type === 41 ? JSON.stringify(account) : `${crypto.randomUUID()}|secret`;
  const relay = (RetryTimes: string) => {
    const started = startRelay({
      channels: [
        { type, baseUrl: upstream.url, keys: [key], models: ["m"], priority: 1 },
        { baseUrl: good.url, models: ["m"] },
      ],
      options: { RetryTimes, AutomaticDisableChannelEnabled: "true", ModelRatio: '{"m":1}' },
    });
    stops.push(started.stop);
    return started;
  };
  stops.push(upstream.stop, good.stop);
  return { relay, calls };
}

test.each([
  [15, 200, { error: "invalid_client", error_description: "unknown client id" }, "unknown client id"],
  [
    15,
    401,
    { error: "invalid_client", error_description: "Client authentication failed" },
    "Client authentication failed",
  ],
  [41, 400, { error: "invalid_grant", error_description: "Invalid JWT Signature." }, "Invalid JWT Signature."],
  [41, 401, { error: "invalid_client" }, "invalid_client"],
] as const)("%i: a refused exchange (%i) is a refused key", async (type, status, body, words) => {
  const { relay, calls } = start(type, () => Response.json(body, { status }));
  const alone = relay("0");
  const refused = await alone.post("/v1/chat/completions", ASK);
  expect([refused.status, await refused.json()]).toEqual([
    401,
    { error: expect.objectContaining({ code: "invalid_api_key", message: expect.stringContaining(words) }) },
  ]);
  expect(alone.disabled).toEqual([{ channelId: 1, key: null, reason: `401: ${words}` }]);
  const streamed = await alone.post("/v1/chat/completions", { ...ASK, stream: true });
  expect(streamed.status).toBe(401);
  expect(calls).toEqual([]);
  expect((await relay("1").post("/v1/chat/completions", ASK)).status).toBe(200);
});

test("a token service that is down is a fault, not a refused key", async () => {
  const { relay } = start(41, () => new Response("busy", { status: 503 }));
  const alone = relay("0");
  expect((await alone.post("/v1/chat/completions", ASK)).status).toBe(503);
  expect(alone.disabled).toEqual([]);
});

test.each([false, true])(
  "15: a token that the service calls invalid is replaced within the call (stream: %p)",
  async (stream) => {
    let token = 0;
    const { relay, calls } = start(
      15,
      () => Response.json({ access_token: `t${++token}`, expires_in: 3600 }),
      (path) => {
        if (path.endsWith("=t1"))
          return Response.json({ error_code: 110, error_msg: "Access token invalid or no longer valid" });
        const reply = {
          id: "1",
          result: "Hi",
          is_end: true,
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        };
        return stream
          ? new Response(`data: ${JSON.stringify(reply)}\n\n`, { headers: { "content-type": "text/event-stream" } })
          : Response.json(reply);
      },
    );
    const answer = await relay("0").post("/v1/chat/completions", { ...ASK, stream });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Hi")]);
    expect(calls.map((path) => path.split("=")[1])).toEqual(["t1", "t2"]);
  },
);

test("15: a service that calls every token invalid is asked twice", async () => {
  let token = 0;
  const { relay, calls } = start(
    15,
    () => Response.json({ access_token: `t${++token}`, expires_in: 3600 }),
    () => Response.json({ error_code: 110, error_msg: "Access token invalid" }),
  );
  expect((await relay("0").post("/v1/chat/completions", ASK)).status).toBe(401);
  expect(calls).toHaveLength(2);
});
