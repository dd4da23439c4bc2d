import { expect, test } from "bun:test";
import type { Call } from "../call/call.ts";
import { responseTo } from "./respond.ts";

/** The parts of a call that its headers depend on. */
function callOf(requestId: string, origin?: string, dropped: readonly string[] = []): Call {
  const request = new Request("http://localhost/", origin ? { headers: { origin } } : {});
  const timing = { markOverhead: () => 0.35 };
  const endpoint = { codec: { dialect: "openai-chat" } };
  return { request, requestId, progress: { timing }, endpoint, servedBy: { dropped }, fallbackFrom: null } as never;
}
const headersOf = ({ headers }: Response) => Object.fromEntries(headers.entries());

test("responses share their common headers and nothing else", () => {
  const first = responseTo(callOf("one", undefined, ["seed"]), "{}", "application/json", false);
  const forPage = responseTo(callOf("two", "https://chat.example"), "{}", "application/json", false);
  const stream = responseTo(callOf("three"), "", "text/event-stream", true);
  const last = responseTo(callOf("four"), "{}", "application/json", false);
  const own = { "content-type": "application/json", "x-sluice-overhead-ms": "0.35" };
  expect(headersOf(first)).toEqual({ ...own, "x-request-id": "one", "x-sluice-dropped": "seed" });
  expect(headersOf(last)).toEqual({ ...own, "x-request-id": "four" });
  expect(headersOf(forPage)).toMatchObject({ ...own, "x-request-id": "two", "access-control-allow-origin": "*" });
  expect(headersOf(stream)).toEqual({
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-request-id": "three",
    "x-sluice-overhead-ms": "0.35",
  });
});

test("arbitrary content types of upstreams do not accumulate", () => {
  const types = Array.from({ length: 250 }, (_, index) => `audio/x-${index}`);
  const contentTypes = types.map((type) => responseTo(callOf(type), null, type, false).headers.get("content-type"));
  expect(contentTypes).toEqual(types);
});
