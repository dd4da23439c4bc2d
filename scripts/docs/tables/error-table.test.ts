import { expect, test } from "bun:test";
import { join } from "node:path";
import { gatewayCodes, withErrors } from "./error-table.ts";

test.each([
  ["operate/site/errors.md", "en"],
  ["zh/operate/site/errors.md", "zh"],
] as const)("%s matches the sources (else run: bun scripts/docs/compatibility.ts)", async (file, language) => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs", file)).text();
  expect(await withErrors(page, language)).toBe(page);
});

test("every code that callers meet most is found, with its status", async () => {
  const statuses = new Map((await gatewayCodes()).map(({ code, status }) => [code, status]));
  expect(statuses.size).toBeGreaterThan(70);
  for (const [code, status] of Object.entries({
    insufficient_user_quota: 429,
    invalid_api_key: 401,
    model_not_available: 503,
    model_price_error: 500,
    do_request_failed: 502,
    upstream_timeout: 504,
    user_requests_per_minute: 429,
    server_overloaded: 503,
  }))
    expect([code, statuses.get(code)]).toEqual([code, status]);
});
