/** Files of an organization and of the site that can be downloaded, and the rights that each needs. */
import type { OrganizationRight } from "../../../src/domain/accounts/organizations/rights.ts";

export const ROLES = ["owner", "admin", "billing", "developer", "viewer"] as const;
export const CALLERS = [...ROLES, "outsider"] as const;
export type CallerName = (typeof CALLERS)[number];

/** Ids that addresses name. */
export type Ids = Readonly<{ project: number; theirProject: number; theirs: number } & Record<CallerName, number>>;

export type Export = Readonly<{
  address: (ids: Ids) => string;
  rights: readonly OrganizationRight[];
  /** The API keys whose calls are in the file; absent: it is about no calls. */
  keys?: readonly string[];
}>;

const calls = (filter: (ids: Ids) => string, keys: readonly string[]): Export => ({
  address: (ids) => `/api/log/self/export?type=2${filter(ids)}`,
  rights: ["requests.read", "exports.download"],
  keys,
});
const archived = (filter: (ids: Ids) => string): Export => ({
  address: (ids) => `/api/log-archives/self/export?month=2020-01${filter(ids)}`,
  rights: ["requests.read", "exports.download"],
  keys: [],
});
const wallet = (address: string): Export => ({
  address: () => address,
  rights: ["wallet.read", "exports.download"],
});

export const EXPORTS: Readonly<Record<string, Export>> = {
  "requests of the organization": calls(() => "", ["at-large", "in-project"]),
  "requests of a project": calls(({ project }) => `&project=${project}`, ["in-project"]),
  "requests of a member": calls(({ owner }) => `&member=${owner}`, ["at-large"]),
  "requests with a tag": calls(() => "&tag=alpha", ["in-project"]),
  "requests of another organization's project": calls(({ theirProject }) => `&project=${theirProject}`, []),
  "requests of somebody who is no member": calls(({ outsider }) => `&member=${outsider}`, []),
  "requests of another account": calls(
    ({ theirs }) => `&user_id=${theirs}&username=theirs`,
    ["at-large", "in-project"],
  ),
  "archived requests": archived(() => ""),
  "archived requests of a project": archived(({ project }) => `&project=${project}`),
  "the audit log": {
    address: () => "/api/audit/self/export",
    rights: ["audit.read", "exports.download"],
    keys: ["at-large", "in-project"],
  },
  "the audit log of a project": {
    address: ({ project }) => `/api/audit/self/export?project=${project}`,
    rights: ["audit.read", "exports.download"],
    keys: ["in-project"],
  },
  "the audit log of a member": {
    address: ({ owner }) => `/api/audit/self/export?member=${owner}`,
    rights: ["audit.read", "exports.download"],
    keys: ["at-large"],
  },
  "everything that changed the balance": wallet("/api/user/movements"),
  "the charges of each call": wallet("/api/user/movements?charges=call"),
  "the statement of the month as CSV": wallet("/api/user/statements/file?id=draft&format=csv"),
  "the statement of the month as PDF": wallet("/api/user/statements/file?id=draft&format=pdf"),
};

/** Files about the site, and the right of administrators that each needs. */
export const SITE_EXPORTS = {
  "/api/log/export": "logs:read",
  "/api/log-archives/export?month=2020-01": "logs:read",
  "/api/user/export": "users:read",
  "/api/topup/export": "billing:read",
  "/api/redemption/export": "billing:read",
  "/api/audit/export": "audit:read",
} as const;
