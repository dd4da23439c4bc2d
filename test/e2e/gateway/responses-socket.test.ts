import { afterAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { waitForLogs } from "../../support/billing/books.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { setOption, setUp, startOn } from "../../support/e2e/fixture.ts";
import { chunk, DONE, pacedSse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

/** Answers end when the test says so. */
const gates: PromiseWithResolvers<void>[] = [];
const upstream = startUpstream(({ path }) => {
  if (path.includes("/responses")) return new Response("404 page not found", { status: 404 });
  const gate = Promise.withResolvers<void>();
  gates.push(gate);
  return pacedSse([chunk({ role: "assistant", content: "Hello" }), () => gate.promise, usageChunk(), DONE]);
});
afterAll(() => upstream.stop());

test("turns of OpenAI's own client are charged in the database, and a restart waits for the one under way", async () => {
  const gateway = await startOn("embedded");
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, ["m"]);
  await setOption(root, "ModelRatio", { m: 1 });
  await setOption(root, "CompletionRatio", { m: 4 });
  const { key } = await createApiKey(root);

  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1` });
  const socket = new ResponsesWS(client);
  const types: string[] = [];
  let lastId = "";
  socket.on("event", (event) => {
    types.push(event.type);
    if ("response" in event) lastId = event.response.id;
  });
  const closed = Promise.withResolvers<number>();
  socket.on("close", (code) => closed.resolve(code));
  const received = (type: string, count: number) => until(() => types.filter((each) => each === type).length >= count);

  socket.send({ type: "response.create", model: "m", input: "Hi", store: false });
  await received("response.output_text.delta", 1);
  gates.shift()?.resolve();
  await received("response.completed", 1);
  socket.send({ type: "response.create", model: "m", input: "Again", store: false, previous_response_id: lastId });
  await received("response.output_text.delta", 2);
  expect(upstream.received.at(-1)?.text).toContain("Hello");

  const ending = gateway.stop();
  await until(async () => (await fetch(`${gateway.url}/readyz`).catch(() => null))?.status !== 200);
  gates.shift()?.resolve();
  await received("response.completed", 2);
  expect(await closed.promise).toBe(1001);
  expect(await ending).toBe(0);

  const again = await startOn("embedded", { dataDir: gateway.dataDir });
  const rows = await waitForLogs(await login(again, ROOT_NAME, ROOT_PASSWORD), () => true, 2);
  expect(rows.map(({ quota }) => quota)).toEqual([10 + 4 * 5, 10 + 4 * 5]);
  expect(await again.stop()).toBe(0);
}, 120_000);
