import { describe, expect, test } from "bun:test";
import { OperationError } from "../../../../lib/operation-error.ts";
import { addOwnHeaders, readOwnHeaders } from "./own-headers.ts";

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof OperationError ? error.code : String(error);
  }
}

const FACTS = {
  keyName: "laptop",
  userId: 7,
  username: "阿丽",
  requestId: "req-1",
  clientHeaders: new Headers({
    authorization: "Bearer sk-secret",
    "x-api-key": "sk-secret",
    cookie: "session=1",
    "x-forwarded-for": "10.0.0.1",
    connection: "keep-alive",
    "content-length": "5",
    "x-session": "s-1",
    "x-stainless-os": "Linux",
  }),
};

function sent(members: Readonly<Record<string, string>>, before: Readonly<Record<string, string>> = {}) {
  const headers: Record<string, string> = { ...before };
  addOwnHeaders(headers, readOwnHeaders(members), FACTS);
  return headers;
}

test("fixed values replace a provider's own in any spelling", () => {
  expect(
    sent({ "X-Title": "My site", "user-agent": "Mine/1" }, { "User-Agent": "Sluice", "x-title": "Sluice" }),
  ).toEqual({
    "x-title": "My site",
    "user-agent": "Mine/1",
  });
  expect(sent({ Authorization: "Bearer own" }, { authorization: "Bearer key" })).toEqual({
    authorization: "Bearer own",
  });
});

test("placeholders stand for the call's key name, user and id, never for line breaks or other scripts", () => {
  expect(sent({ "X-A": "{key_name}/{user_id}", "X-B": "{username}", "X-C": "id={request_id}" })).toEqual({
    "x-a": "laptop/7",
    "x-b": encodeURIComponent("阿丽"),
    "x-c": "id=req-1",
  });
  const headers: Record<string, string> = {};
  addOwnHeaders(headers, readOwnHeaders({ "x-a": "{key_name}" }), { ...FACTS, keyName: "a\r\nX-B: 1" });
  expect(headers["x-a"]).toBe("a%0D%0AX-B: 1");
});

test("the client's headers are passed on by name, pattern or all, without secrets and what belongs to the connection", () => {
  expect(sent({ "x-other": "{client_header:X-Session}", "x-none": "{client_header:X-Missing}" })).toEqual({
    "x-other": "s-1",
  });
  expect(sent({ "re:x-stainless-.*": "" })).toEqual({ "x-stainless-os": "Linux" });
  expect(sent({ "*": "" })).toEqual({ "x-session": "s-1", "x-stainless-os": "Linux" });
  expect(sent({ "*": "", "x-session": "fixed" })["x-session"]).toBe("fixed");
});

describe("what makes no sense is refused", () => {
  test.each([
    [{ Connection: "close" }, "channel_header_name"],
    [{ "Content-Length": "1" }, "channel_header_name"],
    [{ "proxy-authorization": "x" }, "channel_header_name"],
    [{ "bad name": "x" }, "channel_header_name"],
    [{ "x-a": "" }, "channel_header_value"],
    [{ "x-a": "a\r\nb" }, "channel_header_value"],
    [{ "x-a": "{client_header:Authorization}" }, "channel_header_secret"],
    [{ "x-a": "{client_header:X-Api-Key}" }, "channel_header_secret"],
    [{ "x-a": "{client_header:X-Sluice-Strict}" }, "channel_header_secret"],
    [{ "x-a": "{api_key}" }, "channel_header_placeholder"],
    [{ "x-a": "a {client_header:X-Session}" }, "channel_header_placeholder"],
    [{ authorization: "Bearer {username}" }, "channel_header_credential"],
    [{ "x-api-key": "{client_header:X-Session}" }, "channel_header_credential"],
    [{ "re:(": "" }, "channel_header_pattern"],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, "v"])), "channel_headers_many"],
  ])("%j", (members, code) => {
    expect(codeOf(() => readOwnHeaders(members))).toBe(code);
  });
});
