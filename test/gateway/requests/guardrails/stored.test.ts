/** Conversations that are stored: what was masked in one turn comes back in the next, whichever worker has that, and is plain nowhere. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import pino from "pino";
import { users } from "../../../../db/schema/accounts/users.ts";
import { storedResponses } from "../../../../db/schema/channels/objects.ts";
import { createObjectStore } from "../../../../src/gateway/state/objects/store.ts";
import { createResponseStore } from "../../../../src/gateway/state/responses/store.ts";
import { createVault } from "../../../../src/lib/security/crypto.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.insert(users).values({ id: 1, username: "user1", affCode: "aff1", createdAt: 0 });
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const MAIL = "ann@example.org";
const MASK = { pii: { kind: "personal_data", action: "mask" } };
const log = pino({ level: "silent" });
const vault = createVault({ encryptionKey: "a key of this test, long enough" });
type Options = Parameters<typeof startRelay>[0]["options"];

/** A provider that remembers what it got, and answers by repeating all of it. `isNative`: it has the Responses API. */
function startProvider(isNative: boolean) {
  const inputs: string[] = [];
  const name = Bun.randomUUIDv7();
  const upstream = startUpstream(({ path, text }) => {
    const id = `resp_${inputs.length}_${name}`;
    const response = (output: string) => ({
      ...{ id, object: "response", created_at: 1, status: "completed", model: "gpt-4o" },
      output: [
        {
          ...{ id: `msg_${inputs.length}_${name}`, type: "message", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text: output, annotations: [] }],
        },
      ],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    });
    if (!isNative && path.endsWith("/responses")) return new Response("no", { status: 404 });
    if (text === "") return Response.json(response(`You: ${inputs.join(" | ")}`));
    const body = JSON.parse(text);
    if (!isNative) {
      const content = `You: ${body.messages.map((one: { content: string }) => one.content).join(" | ")}`;
      return Response.json(
        chatReply({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] }),
      );
    }
    inputs.push(typeof body.input === "string" ? body.input : JSON.stringify(body.input));
    return Response.json({ ...response(`You: ${inputs.join(" | ")}`), id: `resp_${inputs.length}_${name}` });
  });
  stops.push(upstream.stop);
  return { ...upstream, inputs };
}

/** One of several workers on the same database. */
function startWorker(url: string, guardrails: object = MASK, options: Options = {}) {
  const relay = startRelay({
    channels: [{ id: 7, baseUrl: url, models: ["gpt-4o"] }],
    tokens: { one: { id: 1, userId: 1 }, two: { id: 2, userId: 1 } },
    objects: createObjectStore(database.db),
    responses: createResponseStore(database.db, log, vault),
    options: { Guardrails: JSON.stringify(guardrails), ModelRatio: '{"gpt-4o": 1}', ...options },
  });
  stops.push(relay.stop);
  const as = (key: string) => ({ headers: { authorization: `Bearer sk-${key}` } });
  const say = async (body: object, key = "one") => {
    const answer = await relay.post("/v1/responses", { model: "gpt-4o", ...body }, as(key));
    const response = await answer.json();
    return { id: response.id as string, output: response.output?.[0]?.content?.[0]?.text as string };
  };
  const read = async (id: string, key = "one") => (await fetch(`${relay.url}/v1/responses/${id}`, as(key))).text();
  return { say, read };
}

const rows = () => database.db.select().from(storedResponses);
const stored = (id: string) => until(async () => (await rows()).some((row) => row.id === id));

describe.each([true, false])("a conversation of three turns, on a provider that stores it: %p", (isNative) => {
  test("is restored by whichever worker, is read by any, and is plain nowhere", async () => {
    const provider = startProvider(isNative);
    const first = await startWorker(provider.url).say({ input: `Remember ${MAIL}` });
    expect(first.output).toContain(`Remember ${MAIL}`);
    await stored(first.id);
    const second = await startWorker(provider.url).say({
      input: "and bob@example.org",
      previous_response_id: first.id,
    });
    expect(second.output).toContain(MAIL);
    await stored(second.id);
    const third = await startWorker(provider.url).say({ input: "Whom?", previous_response_id: second.id });
    expect(third.output).toContain(`Remember ${MAIL}`);
    expect(third.output).toContain("and bob@example.org");
    await stored(third.id);
    const sent = JSON.parse(provider.received.at(-1)?.text ?? "");
    if (!isNative) expect(sent.messages).toHaveLength(5);
    const read = await startWorker(provider.url).read(third.id);
    expect(read).toContain(MAIL);
    expect(provider.received.map(({ text }) => text).join()).not.toContain("@example.org");
    expect(JSON.stringify(await rows())).not.toContain("@example");
  });

  test("gives another key of the account no values", async () => {
    const provider = startProvider(isNative);
    const first = await startWorker(provider.url).say({ input: `Remember ${MAIL}` });
    await stored(first.id);
    const worker = startWorker(provider.url);
    if (isNative) {
      const other = await worker.say({ input: "Whom?", previous_response_id: first.id }, "two");
      expect(other.output).not.toContain(MAIL);
      expect(await worker.read(first.id, "two")).not.toContain(MAIL);
    }
  });
});

test("a conversation that a provider keeps is restored in the next turn, wherever it runs", async () => {
  const provider = startProvider(true);
  const named = (input: string) => ({ input, conversation: { id: "conv_1" } });
  await startWorker(provider.url).say(named(`Remember ${MAIL}`));
  // Turns that run at the same time add to one another's.
  await Promise.all(
    ["bob", "eve"].map((name) =>
      startWorker(provider.url).say({ input: `and ${name}@example.org`, conversation: "conv_1" }),
    ),
  );
  const { output } = await startWorker(provider.url).say(named("Whom?"));
  for (const name of ["ann", "bob", "eve"]) expect(output).toContain(`${name}@example.org`);
  expect((await startWorker(provider.url).say(named("Whom?"), "two")).output).not.toContain("@example.org");
  expect((await startWorker(provider.url).say({ input: "Whom?", conversation: "conv_2" })).output).not.toContain("@");
  expect(JSON.stringify(await rows())).not.toContain("@example");
});

test.each([true, false])(
  "values come back when nothing is masked any more, on a provider that stores: %p",
  async (isNative) => {
    const provider = startProvider(isNative);
    const first = await startWorker(provider.url).say({ input: `Remember ${MAIL}` });
    await stored(first.id);
    const second = await startWorker(provider.url, {}).say({ input: "Whom?", previous_response_id: first.id });
    expect(second.output).toContain(MAIL);
    await stored(second.id);
    const third = await startWorker(provider.url, {}).say({ input: "And?", previous_response_id: second.id });
    expect(third.output).toContain(MAIL);
    expect(JSON.stringify(await rows())).not.toContain("@example");
  },
);

test("nothing is kept where the site stores no responses, nor where nothing is masked", async () => {
  const provider = startProvider(true);
  const sealed = async () => (await rows()).filter(({ body }) => body.startsWith("v1.")).length;
  const before = await sealed();
  const off = startWorker(provider.url, MASK, { "responses.keep_hours": "0" });
  await off.say({ input: `Remember ${MAIL}`, conversation: "conv_3" });
  const plain = await startWorker(provider.url, {}).say({ input: "Hi", conversation: "conv_3" });
  await stored(plain.id);
  expect(await sealed()).toBe(before);
});

test("a secret that never comes back is plain nowhere either", async () => {
  const provider = startProvider(false);
  const key = `AKIA${"ABCD".repeat(4)}`;
  const secrets = { s: { kind: "secrets", action: "mask" } };
  const first = await startWorker(provider.url, secrets).say({ input: `Use ${key}` });
  await stored(first.id);
  const second = await startWorker(provider.url, secrets).say({ input: "Go on", previous_response_id: first.id });
  expect(second.output).toContain("Use [SECRET]");
  expect(JSON.stringify(await rows())).not.toContain(key);
  expect(provider.received.map(({ text }) => text).join()).not.toContain(key);
});
