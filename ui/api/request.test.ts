import { expect, test } from "bun:test";
import { isForOrganizations } from "./request.ts";

test.each([
  "/api/token",
  "/api/token/",
  "/api/token/7/rotate",
  "/api/log/self",
  "/api/log/self/stat",
  "/api/data/self/series",
  "/api/mj/self",
  "/api/task/self",
  "/api/user/self/groups",
  "/api/user/self/download",
  "/api/user/models",
  "/api/user/topup",
  "/api/user/topup/orders",
  "/api/user/pay",
  "/api/user/amount",
  "/api/user/plans",
  "/api/user/subscriptions",
  "/api/user/subscriptions/checkout",
  "/api/user/coupon",
  "/api/user/statements/draft",
  "/api/user/billing_profile",
  "/api/sessions/self/one",
  "/api/pricing",
])("%s is called for the organization", (path) => expect(isForOrganizations(path)).toBe(true));

test.each([
  "/api/user/self",
  "/api/user/self/export",
  "/api/user/topup/rebates",
  "/api/user/setting",
  "/api/user/token",
  "/api/log",
  "/api/log/stat",
  "/api/data",
  "/api/user",
  "/api/organization",
  "/api/organization/7/members",
  "/api/topup",
  "/api/status",
  "/api/announcement",
  // The page of an organization sends the header itself: one's own alerts are a page too.
  "/api/alerts/rules",
])("%s is called for the user", (path) => expect(isForOrganizations(path)).toBe(false));
