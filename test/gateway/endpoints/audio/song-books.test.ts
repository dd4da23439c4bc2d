/** Songs on a database: whatever becomes of many at the same time, balance, key, log and counters agree to the unit. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTasks } from "../../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";
import { wav } from "../../../support/lib/wav.ts";

const SONG_SECONDS = 12;
const PER_SECOND = 5_000;
/** Time for the gateway to learn that a client has left; it would stop other calls then. */
const NOTICED_MS = 300;
/** Prompts whose first attempt failed. */
const retried = new Set<unknown>();
let leaving = Promise.withResolvers<void>();
let isHeld = false;

const upstream = startUpstream(async ({ text }) => {
  const { prompt } = JSON.parse(text) as { prompt: string };
  if (prompt.startsWith("forbidden"))
    return Response.json({ detail: { status: "bad_prompt", message: "no" } }, { status: 400 });
  if (prompt.startsWith("retried") && !retried.has(prompt)) {
    retried.add(prompt);
    return Response.json({ detail: { status: "busy", message: "busy" } }, { status: 503 });
  }
  if (prompt.startsWith("left")) {
    isHeld = true;
    await leaving.promise;
  }
  return new Response(wav(SONG_SECONDS), { headers: { "content-type": "audio/wav" } });
});
let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  const channel = { type: 1017, baseUrl: upstream.url, keys: ["key"], models: ["music_v2"] };
  fixture = await startTasks({
    channels: [channel, channel],
    options: { ModelPrice: JSON.stringify({ music_v2: 0.01 }), RetryTimes: "1" },
  });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
});

const order = (prompt: string, fields: object = {}, signal?: AbortSignal) =>
  fetch(`${fixture.relay.url}/v1/audio/music`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: JSON.stringify({ model: "music_v2", prompt, duration: SONG_SECONDS, ...fields }),
    ...(signal && { signal }),
  });

test("songs that succeed, fail and are tried again at the same time are charged once each", async () => {
  const prompts = Array.from({ length: 24 }, (_, at) => `${["made", "forbidden", "retried"][at % 3]} ${at}`);
  const statuses = await Promise.all(
    prompts.map(async (prompt) => {
      const answer = await order(prompt);
      await answer.arrayBuffer();
      return [prompt.split(" ")[0], answer.status];
    }),
  );
  for (const [kind, status] of statuses) expect([kind, status]).toEqual([kind, kind === "forbidden" ? 400 : 200]);
  expect(await fixture.spent()).toBe(16 * SONG_SECONDS * PER_SECOND);
});

test("a measured song gives back what was held for the longest, a refused hold sends nothing", async () => {
  const before = await fixture.spent();
  const sent = upstream.received.length;
  // 600 seconds are held: three such songs at a time are more than the balance.
  const answers = await Promise.all(["a", "b", "c", "d"].map((prompt) => order(prompt, { duration: undefined })));
  const statuses = answers.map(({ status }) => status).toSorted();
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const made = statuses.filter((status) => status === 200).length;
  expect([made > 0, made < 4, statuses.at(-1)]).toEqual([true, true, 429]);
  expect(upstream.received.length - sent).toBe(made);
  expect((await fixture.spent()) - before).toBe(made * SONG_SECONDS * PER_SECOND);
});

test.each([
  ["of a stated length", {}],
  ["of a measured length", { duration: undefined }],
])("a song %s whose client leaves is charged once, because the provider makes it", async (_name, fields) => {
  const before = await fixture.spent();
  leaving = Promise.withResolvers();
  isHeld = false;
  const client = new AbortController();
  const left = order("left", fields, client.signal).catch(() => null);
  await until(() => isHeld);
  client.abort();
  await left;
  // The gateway learns of it before the song is made.
  await Bun.sleep(NOTICED_MS);
  leaving.resolve();
  await until(async () => (await fixture.spent()) !== before);
  expect((await fixture.spent()) - before).toBe(SONG_SECONDS * PER_SECOND);
});
