import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../test/support/database.ts";
import { until } from "../test/support/lib/until.ts";
import { type Changes, createChanges } from "./changes.ts";
import { openServer } from "./server/open-server.ts";
import type { Database } from "./types.ts";

setDefaultTimeout(240_000);

const failures: unknown[] = [];
const fail = (error: unknown) => failures.push(error);

let database: TestDatabase;
let changes: Changes;
beforeAll(async () => {
  database = await openTestDatabase();
  changes = await createChanges(database, fail);
});
afterAll(async () => {
  await changes.close();
  await database.close();
});

test("publish resolves when this process's handlers have run, in order; one that fails stops nobody", async () => {
  const received: string[] = [];
  const ends = [
    changes.subscribe("users", async (ids) => {
      await Bun.sleep(5);
      received.push(`first ${ids}`);
    }),
    changes.subscribe("users", () => {
      throw new Error("mine");
    }),
    changes.subscribe("users", (ids) => void received.push(`second ${ids}`)),
    changes.subscribe("tokens", () => void received.push("tokens")),
  ];
  await changes.publish("users", [1, 2]);
  await changes.publish("users", []);
  expect(received).toEqual(["first 1,2", "second 1,2"]);
  expect(failures).toEqual([new Error("mine")]);
  for (const end of ends) end();
  await changes.publish("users", [3]);
  expect(received.length).toBe(2);
});

describe.skipIf(!process.env.TEST_DATABASE_URL)("on a server", () => {
  let other: Database;
  let theirs: Changes;
  beforeAll(async () => {
    other = await openServer(database.url ?? "", 2);
    theirs = await createChanges(other, fail);
  });
  afterAll(async () => {
    await theirs.close();
    await other.close();
  });

  test("other replicas are notified, this one not twice, however many rows changed", async () => {
    const here: unknown[] = [];
    const there: unknown[] = [];
    const ends = [
      changes.subscribe("options", (ids) => void here.push(...ids)),
      theirs.subscribe("options", (ids) => void there.push(...ids)),
    ];
    const keys = Array.from({ length: 1000 }, (_, n) => `option.with.a.long.name.${n}`);
    await changes.publish("options", keys);
    await until(() => there.length >= keys.length);
    expect(there).toEqual(keys);
    expect(here).toEqual(keys);
    for (const end of ends) end();
  });

  test("after a lost connection everything is to be read again, and later changes arrive", async () => {
    let gaps = 0;
    const there: unknown[] = [];
    const ends = [theirs.onGap(() => void gaps++), theirs.subscribe("channels", (ids) => void there.push(...ids))];
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query ilike 'listen%' and datname = current_database()`;
    await until(() => gaps > 0);
    await changes.publish("channels", [5]);
    await until(() => there.length > 0);
    expect(there).toEqual([5]);
    for (const end of ends) end();
  });

  /** A process as others see it: it lives until its lease runs out. */
  const register = (id: string, leaseSeconds: number) => database.sql`
    insert into processes (id, started_at, lease_until)
    values (${id}, 0, extract(epoch from now())::bigint + ${leaseSeconds}::bigint)
    on conflict (id) do update set lease_until = excluded.lease_until`;

  test("what is enforced is known to every live process when that resolves, also where a handler fails at first", async () => {
    await register("one", 600);
    await register("kept:for a task", 600);
    const known: unknown[] = [];
    let fails = 1;
    const ends = [
      theirs.confirmAs("one"),
      theirs.subscribe("tokens", async (ids) => {
        await Bun.sleep(50);
        if (fails-- > 0) throw new Error("not yet");
        known.push(...ids);
      }),
    ];
    await changes.enforce("tokens", [1, 2]);
    expect(known).toEqual([1, 2]);
    const many = Array.from({ length: 3000 }, (_, n) => n);
    await changes.enforce("tokens", many);
    expect(known.slice(2).toSorted()).toEqual(many.toSorted());
    await changes.enforce("tokens", []);
    expect(failures).toContainEqual(new Error("not yet"));
    for (const end of ends) end();
    await database.sql`delete from processes`;
  });

  test("a process that confirms nothing is waited for until its lease runs out", async () => {
    await register("silent", 600);
    let isOver = false;
    const enforced = changes.enforce("tokens", [3]).then(() => {
      isOver = true;
    });
    await Bun.sleep(1500);
    expect(isOver).toBe(false);
    await register("silent", -1);
    await enforced;
    await database.sql`delete from processes`;
  });
});
