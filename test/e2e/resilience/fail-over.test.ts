import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApiKey, createChannel } from "../../support/e2e/console-client.ts";
import { type FakeUpstream, setUp, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";

/** The primary is killed under load and its standby, which has all that was confirmed, is promoted. */

const MODEL = "gpt-4o";
const CALL = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
const CALLERS = 4;

let primary: TemporaryPostgres;
let standby: TemporaryPostgres;
let upstream: FakeUpstream;

beforeAll(async () => {
  primary = await startTemporaryPostgres({ durable: false });
  standby = await startTemporaryPostgres({ durable: false, standbyOf: primary.url });
  upstream = startFakeUpstream();
  const sql = new Bun.SQL(primary.url, { max: 1 });
  // A commit is confirmed when the standby has it. The standby has no such setting: promoted, it commits alone.
  await sql`alter system set synchronous_standby_names = '*'`;
  await sql`alter database postgres set synchronous_commit = on`;
  await sql`select pg_reload_conf()`;
  await sql.close();
});
afterAll(async () => {
  await upstream.stop();
  await standby.stop();
  await primary.stop();
});

test("calls go on while the primary is lost, and the promoted standby has each charge once", async () => {
  const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(",");
  const gateway = await startGateway({ env: { DATABASE_URL: `postgres://postgres@${hosts}/postgres` } });
  try {
    const root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL]);
    const { key } = await createApiKey(root);
    const statuses: number[] = [];
    let isOver = false;
    const call = async () => {
      const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(CALL),
      });
      await reply.body?.cancel();
      statuses.push(reply.status);
    };
    const keepCalling = async () => {
      while (!isOver) await call().then(() => Bun.sleep(20));
    };
    const served = async (more: number) => {
      const before = statuses.length;
      await until(() => statuses.length >= before + more);
    };
    const callers = Array.from({ length: CALLERS }, keepCalling);
    await served(40);
    await primary.shutDown("SIGQUIT");
    await served(40);
    await standby.promote();
    await served(40);
    isOver = true;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));

    const sql = new Bun.SQL(standby.url, { max: 1 });
    const books = async () => {
      const [row] = await sql`select
        (select count(*)::int from logs where type = 2) as rows,
        (select count(distinct request_id)::int from logs where type = 2) as requests,
        (select coalesce(sum(quota), 0)::bigint from logs where type = 2) as logged,
        (select coalesce(sum(uncovered), 0)::bigint from logs where type = 2) as uncovered,
        (select sum(used_quota)::bigint from users) as used,
        (select sum(used_quota)::bigint from channels) as "usedByChannels"`;
      return row;
    };
    await until(async () => (await books()).rows >= statuses.length);
    const { rows, requests, logged, uncovered, used, usedByChannels } = await books();
    expect({ rows, requests, uncovered }).toEqual({ rows: statuses.length, requests: statuses.length, uncovered: "0" });
    expect({ used, usedByChannels }).toEqual({ used: logged, usedByChannels: logged });
    await sql.close();
  } finally {
    await gateway.stop();
  }
}, 240_000);
