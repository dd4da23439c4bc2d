import { expect, test } from "bun:test";
import { requiredRight } from "./route-rights.ts";

test.each([
  ["GET", "/api/channel/:id", "channels:read"],
  ["HEAD", "/api/channel/:id", "channels:read"],
  ["PUT", "/api/channel/", "channels:write"],
  ["GET", "/api/channel/test/:id", "channels:act"],
  ["HEAD", "/api/channel/test/:id", "channels:act"],
  ["HEAD", "/api/channel/update_balance", "channels:act"],
  ["HEAD", "/api/channel/fetch_models/:id", "channels:act"],
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
