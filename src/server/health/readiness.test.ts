import { expect, test } from "bun:test";
import { until } from "../../../test/support/lib/until.ts";
import { createDatabaseProbe } from "./readiness.ts";

/** A database whose questions are answered by hand. */
function probed() {
  let question = Promise.withResolvers<void>();
  const requests = { count: 0 };
  const state = createDatabaseProbe(() => {
    requests.count += 1;
    question = Promise.withResolvers();
    return question.promise;
  });
  return { state, requests, answer: () => question.resolve(), refuse: () => question.reject(new Error("refused")) };
}
const IN_TIME = { answers: true, slowSeconds: null };

test("says within a moment whether the database answers, and asks once at a time", async () => {
  const { state, requests, answer, refuse } = probed();
  const first = state();
  answer();
  expect(await first).toEqual(IN_TIME);

  // Silence counts as what was known, until it has lasted.
  expect(await Promise.all([state(), state()])).toEqual([IN_TIME, IN_TIME]);
  await until(async () => !(await state()).answers);
  expect(requests.count).toBe(2);

  answer();
  await until(async () => {
    const known = state();
    answer();
    return Bun.deepEquals(await known, IN_TIME);
  });
  const refused = state();
  refuse();
  expect(await refused).toMatchObject({ answers: false });
}, 30_000);

test("says that the database is slow while and after an answer takes long, without a probe before", async () => {
  const { state, requests, answer } = probed();
  // It asks by itself.
  await until(() => requests.count > 0);
  await until(async () => (await state()).slowSeconds !== null);
  expect(await state()).toMatchObject({ answers: true, slowSeconds: expect.any(Number) });
  answer();
  // The next question is under way; what the last one said stands until it is answered.
  await until(async () => (await state()).slowSeconds !== null);
  await until(async () => {
    const known = state();
    answer();
    return (await known).slowSeconds === null;
  });
}, 30_000);
