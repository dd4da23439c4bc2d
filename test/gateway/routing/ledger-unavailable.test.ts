import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const HI = [{ role: "user", content: "Hi" }];
const OPENAI = { error: { code: "ledger_unavailable", message: expect.stringContaining("Try again") } };

test.each([
  ["/v1/chat/completions", { model: "gpt-4o", messages: HI }, OPENAI],
  ["/v1/chat/completions", { model: "gpt-4o", messages: HI, stream: true }, OPENAI],
  ["/v1/responses", { model: "gpt-4o", input: "Hi" }, OPENAI],
  ["/v1/messages", { model: "gpt-4o", max_tokens: 5, messages: HI }, { type: "error", error: { type: "api_error" } }],
  [
    "/v1beta/models/gpt-4o:generateContent",
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    { error: { code: 503, status: "UNAVAILABLE" } },
  ],
])(
  "%s answers 503 with Retry-After in its format when nobody can say whether the balance covers",
  async (path, body, error) => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const relay = startRelay({ channels: [{ type: 1, baseUrl: upstream.url }] });
    stops.push(upstream.stop, relay.stop);
    relay.billing.isUnavailable = true;
    const answer = await relay.post(path, body);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject(error);
    expect(upstream.received).toHaveLength(0);
    relay.billing.isUnavailable = false;
    expect((await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: HI })).status).toBe(200);
  },
);
