import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { PolicySet } from "../../domain/accounts/organizations/policies/policy.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { OwnKeys } from "../../domain/channels/provider-keys/own-keys.ts";

/** Who makes the call, and the group it runs in. */
export type Caller = Readonly<{
  user: UserEntry;
  /** Null in the playground. */
  token: ApiKeyEntry | null;
  tokenName: string;
  group: string;
  /** Where its key names several: those that it may use, in order. The first that serves the model is `group`. */
  groups?: readonly string[];
  /** The only channel to use, from an administrator's `sk-KEY-CHANNELID`. */
  pinnedChannelId: number | null;
  /** The budgets of an organization that the call counts in, the narrowest first. */
  budgets?: readonly BudgetEntry[] | undefined;
  /** The policies of its organization and project; undefined: none. */
  policies?: PolicySet | undefined;
  /** Whom the client makes the call for; absent: it does not say, or the site does not ask. */
  endUser?: string | undefined;
  /** The account's own keys at providers that the call may use; absent: none. */
  ownKeys?: OwnKeys | undefined;
  /** The people who own its organization; undefined: it is none. */
  owners?: readonly UserEntry[] | undefined;
}>;
