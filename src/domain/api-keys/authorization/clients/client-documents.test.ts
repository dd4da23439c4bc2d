import { expect, test } from "bun:test";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import { createSafeFetch, type SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { createClientDocuments, isDocumentId } from "./client-documents.ts";

const ID = "https://app.example/client.json";
const DOCUMENT = { client_id: ID, client_name: "Agent", redirect_uris: ["http://127.0.0.1/callback"] };

function documents(body: unknown, { status = 200, cacheControl = "" } = {}) {
  const reads: Parameters<SafeFetch>[] = [];
  let now = 0;
  const fetch: SafeFetch = async (...request) => {
    reads.push(request);
    if (body instanceof Error) throw body;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = new Headers(cacheControl ? { "cache-control": cacheControl } : {});
    return { status, headers, url: ID, body: Buffer.from(text), text: () => text };
  };
  const made = createClientDocuments(fetch, () => now);
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { ...made, reads, pass };
}

test("an id is an address as it is requested", () => {
  for (const id of [ID, "https://app.example:8443/a?b=1"]) expect(isDocumentId(id)).toBe(true);
  for (const id of [
    ...["https://app.example", "https://app.example/", "http://app.example/x", "https://u:p@app.example/x"],
    ...["https://app.example/x#y", "https://app.example/a/../x", "https://APP.example/x", "client_abc", ""],
    `https://app.example/${"x".repeat(500)}`,
  ]) {
    expect([id, isDocumentId(id)]).toEqual([id, false]);
  }
});

test("what a document says is believed for as long as it says, at most an hour", async () => {
  for (const [cacheControl, seconds] of [
    ["", 300],
    ["max-age=60", 60],
    ["max-age=99999999", 3600],
  ] as const) {
    const { read, reads, pass } = documents(DOCUMENT, { cacheControl });
    expect(await read(ID)).toEqual({ name: "Agent", redirectUris: DOCUMENT.redirect_uris, authMethod: "none" });
    pass(seconds - 1);
    await read(ID);
    expect(reads).toHaveLength(1);
    pass(2);
    await read(ID);
    expect(reads).toHaveLength(2);
  }
  const { read, reads } = documents(DOCUMENT, { cacheControl: "no-store" });
  await read(ID);
  await read(ID);
  expect(reads).toHaveLength(2);
  expect(reads[0]?.[1]).toMatchObject({ maxRedirects: 0, maxBytes: 16_384 });
});

test.each([
  ["another client", { ...DOCUMENT, client_id: "https://app.example/other.json" }],
  ["a secret", { ...DOCUMENT, client_secret: "s" }],
  ["a method that needs a secret", { ...DOCUMENT, token_endpoint_auth_method: "client_secret_post" }],
  ["a method that is not supported", { ...DOCUMENT, token_endpoint_auth_method: "private_key_jwt" }],
  ["no redirect URI", { ...DOCUMENT, redirect_uris: [] }],
  ["a dangerous redirect URI", { ...DOCUMENT, redirect_uris: ["javascript:alert(1)"] }],
  ["no JSON", "<html>"],
  ["a list", "[]"],
  ["a failure", new OutboundError("unreachable", { code: "why_unreachable", params: { host: "app.example" } })],
])("a document with %s is refused", async (_, body) => {
  await expect(documents(body).read(ID)).rejects.toMatchObject({ name: "OAuthError" });
});

test("an error page, a redirect and private addresses are refused", async () => {
  await expect(documents(DOCUMENT, { status: 404 }).read(ID)).rejects.toThrow("responds with 404");
  await expect(createClientDocuments(null).read(ID)).rejects.toThrow("makes no requests");
  const fetch = createSafeFetch(createAddressPolicy(false));
  for (const host of ["127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "localhost"])
    await expect(createClientDocuments(fetch).read(`https://${host}/x`)).rejects.toThrow("could not be read");
});
