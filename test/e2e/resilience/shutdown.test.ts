import { expect, test } from "bun:test";
import { waitForLogs } from "../../support/billing/books.ts";
import { createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { setOption, startFixture, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

/** A type of channel that speaks the chat format alone: all others are translated for it. */
const MOONSHOT = 25;
const HELD = "hold-after-2";
const SLOW = "slow-60000";
const MESSAGES = [{ role: "user", content: "hello" }];

/** One request in each format, and what its stream's error says. */
const FORMATS: readonly (readonly [path: string, body: object, error: RegExp])[] = [
  [
    "/v1/chat/completions",
    { model: HELD, stream: true, messages: MESSAGES },
    /data: \{"error":\{.*"server_shutting_down"/,
  ],
  [
    "/v1/responses",
    { model: HELD, stream: true, input: "hello" },
    /event: (error|response\.failed)\n.*server_shutting_down/,
  ],
  ["/v1/messages", { model: HELD, stream: true, max_tokens: 50, messages: MESSAGES }, /event: error\n.*restarting/],
  [
    `/v1beta/models/${HELD}:streamGenerateContent?alt=sse`,
    { contents: [{ parts: [{ text: "hello" }] }] },
    /"error":.*restarting/,
  ],
];

test("calls that the end cuts off get an error in their format, and are charged for what was sent", async () => {
  const fixture = await startFixture([SLOW], { env: { SHUTDOWN_TIMEOUT: "1" } });
  await createChannel(fixture.root, fixture.upstream.url, [HELD], { type: MOONSHOT });
  await setOption(fixture.root, "ModelRatio", { [SLOW]: 1, [HELD]: 1 });
  const post = (path: string, body: object) =>
    fetch(fixture.gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const streams = await Promise.all(FORMATS.map(([path, body]) => post(path, body)));
  expect(streams.map(({ status }) => status)).toEqual(FORMATS.map(() => 200));
  const texts = streams.map((stream) => stream.text());
  const response = post("/v1/chat/completions", { model: SLOW, messages: MESSAGES });
  await until(() => fixture.upstream.requests.length === FORMATS.length + 1);
  expect(await fixture.gateway.stop()).toBe(0);
  for (const [at, [, , error]] of FORMATS.entries()) expect(await texts[at]).toMatch(error);
  const refused = await response;
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({ error: { code: "server_shutting_down" } });

  const again = await startGateway({ dataDir: fixture.gateway.dataDir });
  const root = await login(again, ROOT_NAME, ROOT_PASSWORD);
  const rows = await waitForLogs(root, () => true, FORMATS.length + 1);
  expect(rows).toHaveLength(FORMATS.length + 1);
  for (const row of rows) {
    expect(row.other.error).toContain("restarting");
    if (row.model_name === HELD) {
      expect(row.other.ending).toBe("shutdown");
      expect(row.completion_tokens).toBeGreaterThan(0);
      expect(row.quota).toBeGreaterThan(0);
    } else expect(row.quota).toBe(0);
  }
  expect(await again.stop()).toBe(0);
  fixture.upstream.release();
  await fixture.upstream.stop();
}, 120_000);

test("while it waits for balancers it is not ready, takes calls on new connections and closes each; a second signal ends the wait", async () => {
  const fixture = await startFixture(["gpt-4o"], { env: { SHUTDOWN_DELAY: "3600" } });
  const { url, pid } = fixture.gateway;
  const ended = fixture.gateway.stop();
  const notReady = await until(
    () => fetch(`${url}/readyz`),
    ({ status }) => status === 503,
  );
  expect(await notReady.json()).toMatchObject({ status: "unavailable", degraded: ["shutting down"] });
  for (const path of ["/v1/chat/completions", "/v1/no-such-path", "/api/status", "/"]) {
    const isCall = path === "/v1/chat/completions";
    const answer = await fetch(url + path, {
      method: isCall ? "POST" : "GET",
      headers: { authorization: `Bearer ${fixture.key}` },
      ...(isCall && { body: JSON.stringify({ model: "gpt-4o", stream: true, messages: MESSAGES }) }),
    });
    expect([path, answer.headers.get("connection")]).toEqual([path, "close"]);
    const text = await answer.text();
    if (isCall) expect(text.trimEnd()).toEndWith("data: [DONE]");
  }
  process.kill(pid, "SIGTERM");
  expect(await ended).toBe(0);
  await fixture.upstream.stop();
}, 120_000);
