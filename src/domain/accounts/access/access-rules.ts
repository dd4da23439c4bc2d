/** What the management API is about, as rows of the matrix of rights, and what can be done with each. */
export const RESOURCES = {
  /** Channels, their keys, tests and balances. */
  channels: ["read", "write", "act"],
  /** The model catalog, prices and routes. */
  models: ["read", "write", "act"],
  /** People and groups. */
  users: ["read", "write"],
  /** Keys, wallets and orders of organizations. */
  organizations: ["read", "write"],
  /** Sums and charts of organizations. */
  organization_usage: ["read"],
  /** Requests, sessions and tasks of organizations. */
  organization_requests: ["read"],
  /** Who changed organizations. */
  organization_audit: ["read"],
  /** Files of what the account may read of organizations. */
  organization_exports: ["read"],
  /** Requests, tasks, sessions and usage of everybody. */
  logs: ["read", "act"],
  /** Orders, redemption codes, plans, statements and agents. */
  billing: ["read", "write", "act"],
  /** What administrators did. */
  audit: ["read"],
  /** Options of the site, announcements and usage exports. */
  settings: ["read", "write", "act"],
  /** Jobs, diagnostics, versions and the check of the books. */
  system: ["read", "act"],
} as const satisfies Readonly<Record<string, readonly Verb[]>>;

type Verb = "read" | "write" | "act";
export type Resource = keyof typeof RESOURCES;
/** `channels:read`: one cell of the matrix. */
export type Right = { [R in Resource]: `${R}:${(typeof RESOURCES)[R][number]}` }[Resource];

const resources = Object.keys(RESOURCES) as readonly Resource[];

/** Every right, row by row. */
const ALL_RIGHTS: readonly Right[] = resources.flatMap((resource) =>
  RESOURCES[resource].map((verb) => `${resource}:${verb}` as Right),
);

/** Whether a text is a right. */
export const isRight = (text: string): text is Right => (ALL_RIGHTS as readonly string[]).includes(text);

/** The rights that are in a list, each once and in the order of the matrix. */
export const orderRights = (rights: readonly string[]): Right[] => ALL_RIGHTS.filter((right) => rights.includes(right));

/** Whether people can have a right by a custom role: in organizations they have the roles of members instead. */
export const isRoleRight = (right: Right): boolean => !right.startsWith("organization");
