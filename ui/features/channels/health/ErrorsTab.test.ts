import { expect, test } from "bun:test";
import { failureOf } from "./ErrorsTab.tsx";

const attempt = { channelId: 7, channelName: "a", startMs: 0, firstByteMs: null, endMs: 1 };
const entry = (other: object) => ({ other: JSON.stringify(other) });

test("the last error of the channel's own upstream", () => {
  const attempts = [
    { ...attempt, status: 500, error: "first" },
    { ...attempt, status: 429, error: "slow down" },
    { ...attempt, channelId: 8, status: 401, error: "another channel" },
  ];
  expect(failureOf(entry({ status: 503, error: "not available", admin_info: { attempts } }), 7)).toEqual({
    status: 429,
    message: "slow down",
  });
});

test("else the error that the client received; nothing where nothing can be read", () => {
  expect(failureOf(entry({ status: 503, error: "not available" }), 7)).toEqual({
    status: 503,
    message: "not available",
  });
  expect(failureOf({ other: "" }, 7)).toEqual({ status: 0, message: "" });
});
