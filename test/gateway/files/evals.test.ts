import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { createObjectStore, type ObjectStore } from "../../../src/gateway/state/objects/store.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startEvals } from "../../support/gateway/files/fake-evals.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

/** OpenAI's evals by its own client, on a real ledger: who reaches them, what runs hold and cost. */

const BALANCE = 1_000_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let billing: Billing;
const upstream = startEvals("u");
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  await addChannel(database.sql);
  const processId = Bun.randomUUIDv7();
  const { changes } = database;
  billing = await createBilling({ database, changes, dataDir: directory.path, processId, log: silentLog });
});
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});
afterAll(async () => {
  upstream.stop();
  await billing.close();
  await database.close();
  await directory.remove();
});

/** The client of a new user; gpt-4o costs 2 a token, 8 for output; gpt-4o-mini half of that. */
async function start({ balance = BALANCE, channel = {} } = {}) {
  const { sql } = database;
  const userId = await addUser(sql, balance);
  const tokenId = await addToken(sql, userId, balance);
  const store = createObjectStore(database.db);
  const relayOn = (objects: ObjectStore) => {
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, keys: ["key-1"], models: ["gpt-4o", "gpt-4o-mini"], ...channel }],
      objects,
      user: { id: userId },
      tokens: { test: { id: tokenId, userId, unlimitedQuota: false } },
      billing: {
        ...billing,
        settle: (hold, record) => billing.settle(hold as Parameters<Billing["settle"]>[0], record),
        refund: (hold) => billing.refund(hold as Parameters<Billing["refund"]>[0]),
        keepHold: (hold, name) => billing.keepHold(hold as Parameters<Billing["refund"]>[0], name),
      },
      options: {
        ModelRatio: '{"gpt-4o": 2, "gpt-4o-mini": 1}',
        CompletionRatio: '{"gpt-4o": 4, "gpt-4o-mini": 4}',
        CacheRatio: '{"gpt-4o": 0.5}',
      },
    });
    stops.push(relay.stop);
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
    return Object.assign(client, { sweep: relay.settleForgotten });
  };
  const standing = async () => {
    const user = await booksOf(sql, userId);
    const key = await tokenBooks(sql, tokenId);
    expect(balance - key.remain).toBe(balance - user.quota);
    expect((await checkBooks(database.db, "spending", userId - 1, NOW)).wrong).toEqual([]);
    const [row] = await sql<{ amount: string }[]>`
      select coalesce(sum(amount), 0) as amount from holds
      where subject = 'user' and subject_id = ${userId} and process_id like 'kept:%'`;
    return { held: Number(row?.amount), spent: balance - user.quota, rows: user.rows };
  };
  return { client: relayOn(store), relayOn, store, standing };
}

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { status?: number; code?: string; message?: string },
  );
const NOT_FOUND = { status: 404, code: "not_found" };
const SCHEMA = { type: "object", properties: { question: { type: "string" } } };
const GRADER = {
  type: "label_model" as const,
  name: "right",
  model: "gpt-4o-mini",
  input: [{ role: "user", content: "Is {{sample.output_text}} right?" }],
  labels: ["yes", "no"],
  passing_labels: ["yes"],
};
const createEval = (client: OpenAI, testing_criteria: OpenAI.EvalCreateParams["testing_criteria"] = [GRADER]) =>
  client.evals.create({
    name: "questions",
    data_source_config: { type: "custom", item_schema: SCHEMA, include_sample_schema: true },
    testing_criteria,
  });
const sampling = (
  source: OpenAI.Evals.CreateEvalCompletionsRunDataSource["source"],
): OpenAI.Evals.CreateEvalCompletionsRunDataSource => ({
  type: "completions",
  model: "gpt-4o",
  source,
  input_messages: { type: "template", template: [{ role: "user", content: "{{item.question}}" }] },
  sampling_params: { max_completion_tokens: 100 },
});
const ITEMS = { type: "file_content" as const, content: [{ item: { question: "a" } }, { item: { question: "b" } }] };
const used = (model_name: string, prompt_tokens: number, completion_tokens: number, cached_tokens = 0) => ({
  ...{ model_name, prompt_tokens, completion_tokens, cached_tokens },
  ...{ invocation_count: 2, total_tokens: prompt_tokens + completion_tokens },
});

test("evals, their runs and output items are the user's who made them", async () => {
  const { client } = await start();
  const { client: other } = await start();
  const { id } = await createEval(client);
  const run = await client.evals.runs.create(id, { name: "first", data_source: sampling(ITEMS) });
  expect(run).toMatchObject({ eval_id: id, status: "queued" });
  expect((await client.evals.retrieve(id)).name).toBe("questions");
  expect((await client.evals.update(id, { name: "better" })).name).toBe("better");
  expect((await client.evals.list()).data.map((each) => each.id)).toEqual([id]);
  expect((await client.evals.runs.list(id)).data.map((each) => each.id)).toEqual([run.id]);
  const items = client.evals.runs.outputItems;
  const params = { eval_id: id, run_id: run.id };
  expect((await items.list(run.id, { eval_id: id, limit: 5 })).data).toMatchObject([{ run_id: run.id }]);
  expect(upstream.requests).toContain(`GET /v1/evals/${id}/runs/${run.id}/output_items?limit=5`);
  expect(await items.retrieve("item_1", params)).toMatchObject({ id: "item_1" });

  const before = upstream.requests.length;
  const works = [
    other.evals.retrieve(id),
    other.evals.update(id, { name: "mine" }),
    other.evals.delete(id),
    other.evals.runs.list(id),
    other.evals.runs.create(id, { data_source: sampling(ITEMS) }),
    other.evals.runs.retrieve(run.id, { eval_id: id }),
    other.evals.runs.cancel(run.id, { eval_id: id }),
    other.evals.runs.delete(run.id, { eval_id: id }),
    other.evals.runs.outputItems.list(run.id, { eval_id: id }),
    items.list(run.id, { eval_id: "eval_other" }),
  ];
  for (const failure of await Promise.all(works.map(failureOf))) expect(failure).toMatchObject(NOT_FOUND);
  expect((await other.evals.list()).data).toEqual([]);
  expect(upstream.requests.length).toBe(before);
});

describe("a run", () => {
  test("holds the most that it can cost, and is charged by model when it is over, once", async () => {
    const { client, relayOn, store, standing } = await start();
    const { id } = await createEval(client);
    const run = await client.evals.runs.create(id, { data_source: sampling(ITEMS) });
    const { held } = await standing();
    // Two answers of 100 tokens at 8 a token, and the calls of the grader.
    expect(held).toBeGreaterThan(2 * 100 * 8);
    expect((await client.evals.runs.retrieve(run.id, { eval_id: id })).status).toBe("queued");
    upstream.finish(run.id, [used("gpt-4o-2024-08-06", 100, 10, 40), used("gpt-4o-mini", 60, 5)]);
    await Promise.all([
      client.evals.runs.retrieve(run.id, { eval_id: id }),
      client.evals.runs.list(id),
      relayOn(store).sweep(),
      relayOn(createObjectStore(database.db)).evals.runs.retrieve(run.id, { eval_id: id }),
    ]);
    // 60 and 40 cached of gpt-4o, 10 out; 60 in and 5 out of gpt-4o-mini.
    const spent = 60 * 2 + 40 + 10 * 8 + 60 + 5 * 4;
    expect(await standing()).toEqual({ held: 0, spent, rows: 2 });
    await client.evals.runs.delete(run.id, { eval_id: id });
    expect(await failureOf(client.evals.runs.retrieve(run.id, { eval_id: id }))).toMatchObject(NOT_FOUND);
    expect((await standing()).spent).toBe(spent);
  });

  test("takes its items from a file of the user, and from nobody else's", async () => {
    const { client, standing } = await start();
    const { client: other } = await start();
    const lines = Array.from({ length: 50 }, (_, at) => JSON.stringify({ item: { question: `Number ${at}` } }));
    const file = await client.files.create({
      file: await toFile(Buffer.from(lines.join("\n")), "items.jsonl"),
      purpose: "evals",
    });
    const { id } = await createEval(client);
    await client.evals.runs.create(id, { data_source: sampling({ type: "file_id", id: file.id }) });
    expect((await standing()).held).toBeGreaterThan(50 * 100 * 8);
    const { id: theirs } = await createEval(other);
    const stolen = other.evals.runs.create(theirs, { data_source: sampling({ type: "file_id", id: file.id }) });
    expect(await failureOf(stolen)).toMatchObject(NOT_FOUND);
  });

  test("cannot be deleted before it is charged, with its eval or alone; one that is canceled can", async () => {
    const { client, standing } = await start();
    const { id } = await createEval(client);
    const run = await client.evals.runs.create(id, { data_source: sampling(ITEMS) });
    const works = [client.evals.runs.delete(run.id, { eval_id: id }), client.evals.delete(id)];
    for (const failure of await Promise.all(works.map(failureOf))) expect(failure).toMatchObject({ status: 400 });
    upstream.finish(run.id, [used("gpt-4o", 10, 1)], "in_progress");
    expect((await client.evals.runs.cancel(run.id, { eval_id: id })).status).toBe("canceled");
    expect(await standing()).toEqual({ held: 0, spent: 28, rows: 1 });
    expect(await client.evals.delete(id)).toMatchObject({ deleted: true });
    expect(await failureOf(client.evals.retrieve(id))).toMatchObject(NOT_FOUND);
  });

  test("needs the balance, models that its user has, data of its user and no hosted tools", async () => {
    const { client, standing } = await start({ balance: 1_000 });
    const { id } = await createEval(client, []);
    const ofModel = (model: string) => ({ ...sampling(ITEMS), model });
    const create = (data_source: object) =>
      client.post(`/evals/${id}/runs`, { body: { data_source: { ...sampling(ITEMS), ...data_source } } });
    expect(await failureOf(create({}))).toMatchObject({ status: 429 });
    expect(await failureOf(create(ofModel("gpt-unknown")))).toMatchObject({ status: 400 });
    for (const refused of [
      { source: { type: "stored_completions" } },
      { source: { type: "responses" } },
      { type: "logs" },
      { sampling_params: { tools: [{ type: "web_search" }] } },
    ])
      expect(await failureOf(create(refused))).toMatchObject({ status: 400 });
    const all = { name: "all", testing_criteria: [], data_source_config: { type: "stored_completions" as const } };
    expect(await failureOf(client.evals.create(all))).toMatchObject({ status: 400 });
    expect(await standing()).toEqual({ held: 0, spent: 0, rows: 0 });
  });
});

test("Azure OpenAI's evals are at its own path", async () => {
  const { client } = await start({ channel: { type: 3, other: "v1" } });
  const { id } = await createEval(client);
  const run = await client.evals.runs.create(id, { data_source: sampling(ITEMS) });
  expect(upstream.requests.slice(-2)).toEqual(["POST /openai/v1/evals", `POST /openai/v1/evals/${id}/runs`]);
  await client.evals.runs.cancel(run.id, { eval_id: id });
});
