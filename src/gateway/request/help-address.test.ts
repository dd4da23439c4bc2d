import { expect, test } from "bun:test";
import { GatewayError } from "../call/errors.ts";
import { errorResponse } from "./error-response.ts";
import { helpAddress } from "./help-address.ts";

const unpaid = new GatewayError(429, "insufficient_user_quota", { code: "gateway_internal" });

test("an error leads to the page that helps, where the site's address is known", () => {
  expect(helpAddress(unpaid, "https://gate.test/base/")).toBe("https://gate.test/base/topup");
  expect(helpAddress(unpaid, "")).toBeNull();
  const internal = new GatewayError(500, "internal_error", { code: "gateway_internal" });
  expect(helpAddress(internal, "https://gate.test")).toBe("https://gate.test/docs/operate/site/errors#internal_error");
  const foreign = new GatewayError(400, "bad", { code: "gateway_internal" }, { type: "upstream_error" });
  expect(helpAddress(foreign, "https://gate.test")).toBeNull();
});

test("the address is a link of the response and a member of OpenAI's error, besides what was there", async () => {
  const request = new Request("https://gate.test/v1/chat/completions");
  const plain = errorResponse(unpaid, request);
  const helped = errorResponse(unpaid, request, undefined, "https://gate.test/topup");
  expect(plain.headers.get("link")).toBeNull();
  expect(helped.headers.get("link")).toBe('<https://gate.test/topup>; rel="help"');
  const { help_url, ...others } = (await helped.json()).error;
  expect(help_url).toBe("https://gate.test/topup");
  expect(Object.keys((await plain.json()).error)).toEqual(Object.keys(others));
});
