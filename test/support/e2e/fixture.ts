/** What tests of the executable start from: a gateway on either database, somebody logged in, a channel, a key. */
import { expect } from "bun:test";
import postgres from "postgres";
import { createMigrated } from "../database.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../processes/gateway.ts";
import { createApiKey, createChannel, type Session, setOption, setUp } from "./console-client.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream/fake-upstream.ts";

export { type Session, setOption, setUp } from "./console-client.ts";
export { type FakeUpstream, startFakeUpstream } from "./fake-upstream/fake-upstream.ts";
export { type Gateway, startGateway };

export type Engine = "embedded" | "postgres";

/** The databases to test on: a real Postgres too when TEST_DATABASE_URL names a server. */
export const ENGINES: readonly Engine[] = process.env.TEST_DATABASE_URL ? ["embedded", "postgres"] : ["embedded"];

/** Where a test has little to do with the database: a process without an engine of its own starts with a third of the work. */
export const CHEAPEST_ENGINE: Engine = ENGINES.at(-1) ?? "embedded";

/** Starts a gateway on the given database; on Postgres in a new one, with tables as on the embedded engine. */
export async function startOn(engine: Engine, options: GatewayOptions = {}): Promise<Gateway> {
  if (engine === "embedded") return startGateway(options);
  const DATABASE_URL = options.isFirstStart ? await emptyDatabase() : await migratedDatabase();
  return startGateway({ ...options, env: { DATABASE_URL, ...options.env } });
}

export type Fixture = Readonly<{
  gateway: Gateway;
  upstream: FakeUpstream;
  root: Session;
  key: string;
  stop: () => Promise<void>;
}>;

/** The usual fixture: a gateway that is set up, one channel to a fake upstream with these models (ratio 1), one key without a limit. */
export async function startFixture(
  models: readonly string[],
  options: GatewayOptions & { engine?: Engine } = {},
): Promise<Fixture> {
  const upstream = startFakeUpstream();
  const gateway = await startOn(options.engine ?? "embedded", options);
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, models);
  await setOption(root, "ModelRatio", Object.fromEntries(models.map((model) => [model, 1])));
  const { key } = await createApiKey(root);
  const stop = async () => {
    // An answer that is held back would hold up the end of the gateway.
    upstream.release();
    await upstream.stop();
    expect(await gateway.stop()).toBe(0);
  };
  return { gateway, upstream, root, key, stop };
}

const postgresServer = () => process.env.TEST_DATABASE_URL ?? "";

/** Makes a new database with tables on the server that TEST_DATABASE_URL names. Returns its address. */
export const migratedDatabase = async (): Promise<string> => (await createMigrated(postgresServer())).url;

/** Makes a new database on the server that TEST_DATABASE_URL names. Returns its address. */
export async function emptyDatabase(): Promise<string> {
  const server = postgresServer();
  const name = `sluice_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const sql = postgres(server, { max: 1, onnotice() {} });
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
