/** Lists and charts from a streaming standby, with the executable. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createChannel, type Session, setUp } from "../../support/e2e/console-client.ts";
import { type Gateway, startGateway } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";

let primary: TemporaryPostgres;
let standby: TemporaryPostgres;
let gateway: Gateway;
let root: Session;
beforeAll(async () => {
  primary = await startTemporaryPostgres({ durable: false });
  standby = await startTemporaryPostgres({ durable: false, standbyOf: primary.url });
  gateway = await startGateway({
    env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url, WORKERS: "1" },
  });
  root = await setUp(gateway);
  await createChannel(root, "https://provider.example.test", ["gpt-4o"]);
});
afterAll(async () => {
  expect(await gateway.stop()).toBe(0);
  await standby.stop();
  await primary.stop();
});

const lists = () =>
  Promise.all(["/api/log/", "/api/log/stat", "/api/data/series", "/api/audit/"].map((path) => root.get(path)));
const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
const degraded = async () => JSON.stringify(await (await fetch(`${gateway.url}/readyz`)).json());

test("lists come from the standby, which the metrics show", async () => {
  await until(async () => (await lists())[3].total > 0);
  // Its first probe may come after the first lists.
  await until(async () => /^sluice_database_replica_used 1$/m.test(await metrics()));
  expect(await metrics()).toMatch(/^sluice_database_replica_lag_seconds [\d.]+$/m);
  expect(await degraded()).not.toContain("replica");
});

test("without the standby they come from the primary, and /readyz says so", async () => {
  await standby.shutDown();
  expect((await lists())[3].total).toBeGreaterThan(0);
  await until(async () => (await degraded()).includes("database replica: does not answer"));
  expect(await metrics()).toMatch(/^sluice_database_replica_used 0$/m);
  expect(await metrics()).not.toMatch(/^sluice_database_replica_lag_seconds /m);
  const doctor = await root.get("/api/doctor/database");
  expect(JSON.stringify(doctor)).toContain("The replica does not answer");
});
