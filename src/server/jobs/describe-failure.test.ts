import { expect, test } from "bun:test";
import { OperationError } from "../../lib/operation-error.ts";
import { sayStored } from "../../lib/reason.ts";
import { describeFailure } from "./describe-failure.ts";

test.each([
  ["connect to postgres://me:hunter2@db:5432/x failed", "connect to postgres://***@db:5432/x failed"],
  ["401 for Bearer abc.def", "401 for Bearer ***"],
  ["GET https://x.test/v1?key=abc&b=c failed", "GET https://x.test/v1?key=***&b=*** failed"],
  ["wrong key sk-abc123def456", "wrong key ***"],
  ['{"password": "hunter2"}', '{"password": "***"}'],
  ["AIzaSyA1234567890abcdefghijklmnopqrstuv\n is wrong", "*** is wrong"],
  ["", "unknown error"],
])("%p is shown as %p", (message, shown) => expect(describeFailure(new Error(message))).toBe(shown));

test("the parameters of a failed statement are not shown", () => {
  const error = new Error("Failed query: insert … params: hunter2", { cause: new Error("deadlock detected") });
  expect(describeFailure(error)).toBe("deadlock detected");
});

test("a sentence of ours is shown in the reader's language", () => {
  const stored = describeFailure(new OperationError("channel_not_found"));
  expect(sayStored(stored, "zh")).not.toBe(sayStored(stored, "en"));
});

test("a long message is cut", () => expect(describeFailure(new Error("no ".repeat(999)))).toHaveLength(500));
