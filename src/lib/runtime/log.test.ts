import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm";
import pino from "pino";
import { errorFields, LOG_OPTIONS } from "./log.ts";

test("an error is logged with its name, words, code, places and cause", () => {
  const lines: string[] = [];
  const log = pino(LOG_OPTIONS, { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  log.warn({ error: new TypeError("no answer", { cause }) }, "it failed");
  const [logged] = lines.map((line) => JSON.parse(line));
  expect(logged).toMatchObject({
    msg: "it failed",
    error: { name: "TypeError", message: "no answer", cause: { message: "connection refused", code: "ECONNREFUSED" } },
  });
  expect(logged.error.stack).toContain("log.test.ts");
});

test("a line is one JSON object with its time in UTC, whatever text it holds, and without secrets", () => {
  const lines: string[] = [];
  const log = pino(LOG_OPTIONS, { write: (line) => void lines.push(line) });
  const text = 'name"}\r\n{"level":"error","msg":"forged"}\u2028\u0000';
  const secrets = { password: "hush", request: { authorization: "Bearer hush", token: "hush" }, key: "hush" };
  log.info({ user: text, ...secrets }, text);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
  const logged = JSON.parse(lines[0] ?? "");
  expect(logged).toMatchObject({ level: "info", user: text, msg: text });
  expect(logged.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(lines[0]).not.toContain("hush");
});

test("parameters of a query stay out of the log", () => {
  const failed = new DrizzleQueryError("update users set a = $1", ["s3cret"], new Error("gone"));
  const reported = JSON.stringify(errorFields(failed));
  expect(reported).toContain("update users set a = $1");
  expect(reported).toContain("gone");
  expect(reported).not.toContain("s3cret");
});

test("several errors at once are logged each, what is no error as text, and an endless chain ends", () => {
  expect(errorFields(new AggregateError([new Error("one"), "two"], "both")).errors).toMatchObject([
    { message: "one" },
    { name: "thrown", message: "two" },
  ]);
  const endless = new Error("again");
  endless.cause = endless;
  expect(JSON.stringify(errorFields(endless)).match(/again/g)?.length).toBeLessThan(10);
});
