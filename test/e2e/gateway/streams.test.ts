import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const HELD = "hold-after-2";
const NORMAL = "gpt-4o";
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture([HELD, NORMAL]);
});
afterAll(() => fixture.upstream.stop());

function openStream(model: string): Promise<Response> {
  return fetch(`${fixture.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hello" }] }),
  });
}

test("1,000 streams hang open next to calls that work, and each gets all of its answer in the end", async () => {
  const count = 1000;
  // The client of this test has the same limit of 256 as the gateway would have, so it runs in processes that lift it.
  const client = Bun.spawn(
    [
      process.execPath,
      `${import.meta.dir}/../../support/e2e/stream-clients-worker.ts`,
      fixture.gateway.url,
      fixture.key,
      String(count),
    ],
    {
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const open = await until(fixture.upstream.waitingStreams, (waiting) => waiting >= count);
  // The runtime's own limit is 256 requests under way: beyond it calls would wait for a stream to end.
  const concurrent = await Promise.all(Array.from({ length: 50 }, async () => (await openStream(NORMAL)).text()));
  for (const text of concurrent) expect(text.trimEnd()).toEndWith("data: [DONE]");
  expect(fixture.upstream.waitingStreams()).toBeGreaterThanOrEqual(count);
  fixture.upstream.release();
  const result = await Bun.readableStreamToText(client.stdout);
  expect(await client.exited).toBe(0);
  expect(open).toBe(count);
  expect(JSON.parse(result)).toEqual({ complete: count, broken: 0 });
});

test("SIGTERM lets an open stream finish, takes no new calls, and ends with 0", async () => {
  const reply = await openStream(HELD);
  expect(reply.status).toBe(200);
  const rest = reply.text();
  await until(fixture.upstream.waitingStreams);
  const stopped = fixture.gateway.stop();
  await until(async () => {
    const late = await openStream(HELD).catch(() => null);
    // One that came before the signal is not waited for.
    if (late?.ok) await late.body?.cancel();
    return late === null || late.status === 503;
  });
  fixture.upstream.release();
  expect((await rest).trimEnd()).toEndWith("data: [DONE]");
  expect(await stopped).toBe(0);
});
