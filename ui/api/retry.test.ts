import { describe, expect, test } from "bun:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { ApiError } from "./client.ts";
import { retryDelayMs, shouldRetry, waitOf } from "./retry.ts";

const limited = (seconds: number | null) => new ApiError("Too many requests.", 429, null, null, seconds);

describe("retries of reads", () => {
  test.each([
    ["a rate limit waits as long as the server says", limited(12), true, 12_000],
    ["a limit that ends now waits a second", limited(0), true, 1000],
    ["a wait of minutes is an error", limited(600), false, 1000],
    ["a rate limit without a time is an error", limited(null), false, 1000],
    ["a network failure", new ApiError("", 0, null), true, 1000],
    ["a gateway's fault", new ApiError("", 503, null), true, 1000],
    ["what the server refuses", new ApiError("", 404, null), false, 1000],
    ["a mistake in the page", new TypeError("x is not a function"), false, 1000],
  ])("%s", (_, error, isRetried, delayMs) => {
    expect(shouldRetry(0, error)).toBe(isRetried);
    expect(retryDelayMs(0, error)).toBe(delayMs);
    expect(shouldRetry(5, error)).toBe(false);
  });

  test("a write is sent once", async () => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: shouldRetry, retryDelay: () => 0 } } });
    let reads = 0;
    let writes = 0;
    const observer = new QueryObserver(client, {
      queryKey: ["list"],
      queryFn: async () => {
        reads += 1;
        if (reads < 3) throw limited(1);
        return "rows";
      },
    });
    await new Promise<void>((resolve) => {
      observer.subscribe(({ data }) => data && resolve());
    });
    expect(reads).toBe(3);
    const mutation = client.getMutationCache().build(client, {
      mutationFn: async () => {
        writes += 1;
        throw limited(1);
      },
    });
    await expect(mutation.execute(undefined)).rejects.toThrow("Too many requests.");
    expect(writes).toBe(1);
    observer.destroy();
    client.clear();
  });

  test("the notice names the wait of a rate limit alone", () => {
    expect(waitOf(limited(7))).toBe(7);
    expect(waitOf(new ApiError("", 503, null, null, 7))).toBeNull();
  });
});
