import type { IpList } from "../../../lib/security/ip-list.ts";

export { TOKEN_STATUS } from "../../../../db/schema/api-keys.ts";

/** What few keys have; all others share one object. */
export type TokenExtras = Readonly<{
  /** Null: every model. */
  modelLimits: ReadonlySet<string> | null;
  /** Null: every address. */
  allowIps: IpList | null;
  /** Empty: the owner's group. */
  group: string;
  /** The key before a rotation, which works until `previousKeyUntil` (epoch seconds). */
  previousKeyHash: string | null;
  previousKeyUntil: number;
  /** When the secret was made, epoch seconds; 0: of no interest, because no policy can hold for the key. */
  secretSince: number;
  /** The same of the key before a rotation. */
  previousSecretSince: number;
  /** Calls of which an upstream cannot express everything are refused. */
  strict: boolean;
  /** 0: no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  /** When the budget is filled again, epoch seconds; 0: it has none. */
  budgetRenewsAt: number;
}>;

/** An API key as calls need it; what it has left lives in the ledger. */
export type ApiKeyEntry = TokenExtras &
  Readonly<{
    id: number;
    userId: number;
    /** The project of its organization; 0: none. */
    projectId: number;
    /** The member who created it for an organization; 0: nobody. */
    createdBy: number;
    name: string;
    status: number;
    unlimitedQuota: boolean;
    /** Epoch seconds; -1 never. */
    expiredTime: number;
    keyHash: string;
  }>;
