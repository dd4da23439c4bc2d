import { describe, expect, test } from "bun:test";
import { exhaustedMs, retryAfterIn } from "./cool-down.ts";

const NOW = Date.parse("2026-05-01T00:00:00Z");
const openai = (requests: string, reset: string, tokens = "1000") =>
  new Headers({
    "x-ratelimit-remaining-requests": requests,
    "x-ratelimit-reset-requests": reset,
    "x-ratelimit-remaining-tokens": tokens,
    "x-ratelimit-reset-tokens": "6m0s",
  });

describe("a key waits until its used-up limit is full again", () => {
  test.each([
    ["0", "1s", 1_000],
    ["0", "6m0s", 360_000],
    ["0", "20ms", 20],
    ["0", "2m59.56s", 179_560],
    ["0", "1h2m3s", 3_723_000],
    ["0", "7", 7_000],
    ["-1", "1s", 1_000],
    ["1", "1s", 0],
    ["0", "soon", 0],
    ["0", "", 0],
    ["", "1s", 0],
    ["many", "1s", 0],
  ])("%p requests left, reset in %p: %p ms", (left, reset, ms) => {
    expect(exhaustedMs(openai(left, reset), NOW)).toBe(ms);
  });

  test("the longest of several limits decides", () => {
    expect(exhaustedMs(openai("0", "1s", "0"), NOW)).toBe(360_000);
  });

  test("Anthropic's resets are moments", () => {
    const headers = new Headers({
      "anthropic-ratelimit-requests-remaining": "10",
      "anthropic-ratelimit-requests-reset": "2026-05-01T00:10:00Z",
      "anthropic-ratelimit-output-tokens-remaining": "0",
      "anthropic-ratelimit-output-tokens-reset": "2026-05-01T00:00:30Z",
    });
    expect(exhaustedMs(headers, NOW)).toBe(30_000);
    expect(exhaustedMs(headers, NOW + 60_000)).toBe(0);
  });

  test("headers without limits yield nothing", () => {
    expect(exhaustedMs(new Headers(), NOW)).toBeNull();
  });
});

test.each([
  [{ "retry-after": "3", "retry-after-ms": "1" }, "3"],
  [{ "retry-after": "86400000" }, "86400"],
  [{ "retry-after": "99999999999999999999" }, "86400"],
  [{ "retry-after": "1e9" }, null],
  [{ "retry-after": "-5" }, null],
  [{ "retry-after": "soon" }, null],
  [{ "retry-after": new Date(NOW + 7000).toUTCString() }, "7"],
  [{ "retry-after": new Date(NOW - 7000).toUTCString() }, "0"],
  [{ "retry-after": new Date(NOW + 90 * 86_400_000).toUTCString() }, "86400"],
  [{ "retry-after-ms": "1500" }, "1.5"],
  [{ "retry-after-ms": "99999999999999999999" }, "86400"],
  [{ "retry-after-ms": "x" }, null],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s" }, "2"],
  [{ "x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "2s" }, null],
  [{}, null],
])("%j: retry after %p", (headers, seconds) => {
  expect(retryAfterIn(new Headers(headers), NOW)).toBe(seconds);
});
