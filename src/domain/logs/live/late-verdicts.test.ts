import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import pino from "pino";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { createLateVerdicts } from "./late-verdicts.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const verdictOf = (name: string) =>
  ({
    name,
    kind: "service",
    phase: "answer",
    action: "block",
    shadow: true,
    found: [{ type: "BAD", count: 1 }],
  }) as const;

test("late verdicts come into the row of their call, also if it is written after them", async () => {
  const late = createLateVerdicts(database.db, pino({ level: "silent" }));
  const createdAt = nowSeconds();
  const call = { recordId: "r1", createdAt };
  late.add(call, verdictOf("one"));
  late.add(call, verdictOf("two"));
  const earlier = { ...verdictOf("zero"), action: "flag" };
  const other = {
    group: "default",
    guardrails: { verdicts: [earlier], delay_ms: 1 },
    tags: ["guardrail:zero", "mine"],
  };
  const row = { createdAt, type: 2, userId: 1, username: "u", requestId: "r1", tags: other.tags };
  const others = { ...row, requestId: "r2", other: "{}" };
  await database.db.insert(logs).values([{ ...row, other: JSON.stringify(other) }, others]);
  const rows = () => database.db.select().from(logs).orderBy(logs.requestId);
  const written = await until(async () => {
    const [first] = await rows();
    return first?.other.includes("two") ? first : null;
  });
  const tags = ["guardrail:shadow", "guardrail:one", "guardrail:two", "guardrail:zero", "mine"];
  expect(written?.tags).toEqual(tags);
  expect(JSON.parse(written?.other ?? "")).toEqual({
    group: "default",
    guardrails: { verdicts: [earlier, verdictOf("one"), verdictOf("two")], delay_ms: 1 },
    tags,
  });
  expect((await rows())[1]?.other).toBe("{}");
});

test("a row that is not there yet is looked for again after a pause", async () => {
  const looks = spyOn(database.db, "transaction");
  createLateVerdicts(database.db, pino({ level: "silent" })).add(
    { recordId: "r3", createdAt: nowSeconds() },
    verdictOf("one"),
  );
  await until(() => looks.mock.calls.length > 0);
  await Bun.sleep(500);
  expect(looks).toHaveBeenCalledTimes(1);
  looks.mockRestore();
});
