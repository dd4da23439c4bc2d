/** A quota that is used up, in each client's words: never a failed sign-in, with money, the time of renewal and no retry. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Partial<Parameters<typeof startRelay>[0]>;

function start(setup: Setup = {}, available?: number) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"] }],
    ...setup,
    options: { ModelRatio: '{"m": 1}', PreConsumedQuota: "141909", ...setup.options },
  });
  if (available !== undefined) relay.billing.available = available;
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const turn = [{ role: "user", content: "Hello" }];
type Call = readonly [path: string, body: object, status: number, error: object];
const CALLS: Readonly<Record<string, Call>> = {
  Messages: ["/v1/messages", { model: "m", max_tokens: 141_909, messages: turn }, 402, { type: "billing_error" }],
  Chat: [
    "/v1/chat/completions",
    { model: "m", messages: turn },
    429,
    { type: "insufficient_quota", code: "insufficient_quota" },
  ],
  Responses: [
    "/v1/responses",
    { model: "m", input: "Hello", stream: true },
    429,
    { type: "insufficient_quota", code: "insufficient_quota" },
  ],
  Gemini: [
    "/v1beta/models/m:streamGenerateContent",
    { contents: [{ parts: [{ text: "Hello" }] }] },
    429,
    { code: 429, status: "RESOURCE_EXHAUSTED" },
  ],
  Embeddings: [
    "/v1/embeddings",
    { model: "m", input: "Hello ".repeat(400_000) },
    429,
    { type: "insufficient_quota", code: "insufficient_quota" },
  ],
};

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

describe.each(Object.entries(CALLS))("%s", (name, [path, body, status, expected]) => {
  const refusedBy = async (setup: Setup, available?: number) => {
    const { relay, upstream } = start(setup, available);
    const answer = await relay.post(path, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(upstream.received).toHaveLength(0);
    const { error } = (await answer.json()) as { error: { message: string; details?: object[] } };
    expect(error).toMatchObject(expected);
    // By these words Qwen Code gives up at once.
    expect(error.message).toMatch(/quota/i);
    expect(error.message).toMatch(/exhausted|exceeded/);
    expect(error.message).toContain("will reset");
    return { error, headers: answer.headers };
  };

  test("a balance that is too small, in money", async () => {
    const { error, headers } = await refusedBy({}, 500);
    expect(error.message).toMatch(/needs up to \$\d\.\d+, \$0\.001 are available/);
    expect(headers.get("retry-after")).toBeNull();
  });

  test("a site that shows quota units says those", async () => {
    const { error } = await refusedBy({ options: { DisplayInCurrencyEnabled: "false" } }, 500);
    expect(error.message).toMatch(/needs up to \d+ quota units, 500 quota units are available/);
  });

  test("a key that is used up until its budget renews, with the time", async () => {
    const renewsAt = inAnHour();
    const { error, headers } = await refusedBy({ tokens: { test: { status: 4, budgetRenewsAt: renewsAt } } });
    const time = new Date(renewsAt * 1000).toISOString().slice(0, 16).replace("T", " ");
    expect(error.message).toContain(`is exhausted. The quota will reset at ${time} UTC.`);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(3_500);
    if (name !== "Gemini") return;
    // Gemini CLI gives up when the time to wait is longer than five minutes.
    const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo" };
    expect(error.details).toEqual([{ ...retry, retryDelay: expect.stringMatching(/^3[56]\d\ds$/) }]);
  });

  test("a key that nothing renews", async () => {
    const { error, headers } = await refusedBy({ tokens: { test: { status: 4 } } });
    expect(error.message).toContain("is exhausted. The quota will reset only when");
    expect(headers.get("retry-after")).toBeNull();
  });
});
