import { expect, test } from "bun:test";
import { requiredRight } from "./route-rights.ts";

test.each([
  ["GET", "/api/channel/7", "channels:read"],
  ["HEAD", "/api/channel/7", "channels:read"],
  ["PUT", "/api/channel/", "channels:write"],
  ["GET", "/api/channel/test/7", "channels:act"],
  ["GET", "/api/channel/test/progress", "channels:read"],
  ["GET", "/api/channel/list_prices", "models:read"],
  ["POST", "/api/option/rest_model_ratio", "models:write"],
  ["DELETE", "/api/log/", "logs:act"],
  ["DELETE", "/api/audit/", null],
  ["POST", "/api/service_account/", null],
  ["GET", "/api/channels", null],
  ["GET", "/api/constructor", null],
  ["GET", "/api", null],
  ["GET", "/", null],
] as const)("%s %s needs %p", (method, path, right) => expect(requiredRight(method, path)).toBe(right));
