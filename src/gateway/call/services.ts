import type { Registry } from "prom-client";
import type { Changes } from "../../../db/changes.ts";
import type { UsageRecord } from "../../billing/types.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { UserDirectory, UserEntry } from "../../domain/accounts/directory.ts";
import type { BudgetLookup } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { PolicyLookup } from "../../domain/accounts/organizations/policies/directory.ts";
import type { KeyNetworks } from "../../domain/alerts/leaks/key-networks.ts";
import type { AccessTokens } from "../../domain/api-keys/authorization/access-tokens.ts";
import type { Standing, StandingSubject } from "../../domain/api-keys/budget.ts";
import type { ApiKeyDirectory } from "../../domain/api-keys/directory/index.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { ProviderKeyDirectory } from "../../domain/channels/provider-keys/directory.ts";
import type { CallFeed } from "../../domain/logs/live/call-feed.ts";
import type { LateVerdicts } from "../../domain/logs/live/late-verdicts.ts";
import type { ExperimentStore } from "../../domain/models/experiments/store.ts";
import type { McpFetches } from "../../domain/models/mcp/credentials.ts";
import type { McpLookup } from "../../domain/models/mcp/directory.ts";
import type { TaskDeps } from "../../domain/tasks/task.ts";
import type { PlanTermsLookup } from "../../domain/wallet/plans/limits/terms.ts";
import type { ClientAddress } from "../../lib/http/client-ip.ts";
import type { BudgetOwner, ByteBudget } from "../../lib/limits/byte-budget.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { Reason } from "../../lib/reason.ts";
import type { SharedTexts } from "../../lib/redis/shared-texts.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { CountRefusal } from "../../lib/runtime/metrics/metrics.ts";
import type { FairTurns } from "../../lib/runtime/tick.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Config } from "../../server/config.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { DeadlineWheel } from "./progress.ts";
import type { GatewayMetrics } from "./telemetry/metrics.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** Quota set aside for one call. */
export type Hold = Readonly<{ amount: number }>;

/** What the gateway gets of the process, as far as it is used by every folder. */
export type Services = Readonly<{
  config: Pick<
    Config,
    | "relayTimeoutMs"
    | "streamingTimeoutMs"
    | "writeTimeoutMs"
    | "idleTimeoutSeconds"
    | "allowPrivateUpstreams"
    | "allowPrivateWebhooks"
    | "usesEnvironmentProxy"
    | "maxUpstreamConnections"
    | "maxResponseBodyBytes"
    | "maxRequestBodyBytes"
    | "requestBodyTimeoutMs"
    | "maxUploadBytes"
    | "bodyMemoryBytes"
    | "workers"
    | "dataDir"
    | "basePath"
  >;
  settings: SettingsReader;
  users: Pick<UserDirectory, "get" | "isComplete">;
  tokens: Pick<ApiKeyDirectory, "get" | "findByKey" | "setStatus">;
  channels: Pick<ChannelDirectory, "get" | "candidates" | "modelsOf" | "all">;
  /** Disables a channel, or one of its keys, with a reason; in the background. `status` defaults to 3. */
  disableChannel(channel: ChannelEntry, key: string | null, reason: Reason, status?: 2 | 3): void;
  /** Notifies the operator of a channel whose account has no credit and that stays enabled. Absent: nobody is notified. */
  noticeNoCredit?(channel: ChannelEntry, reason: Reason): void;
  /** Keeps results of routes' experiments; null or absent: there are none. */
  experiments?: ExperimentStore | null;
  /** Stores image, music and video tasks. */
  tasks: TaskDeps;
  billing: {
    reserve(request: {
      userId: number;
      token: { id: number; limited: boolean } | null;
      budgets: readonly number[];
      plan?: number;
      amount: number;
    }): Promise<Hold>;
    /** Resolves once the record is durable. */
    settle(hold: Hold, record: UsageRecord): Promise<void>;
    refund(hold: Hold): void;
    keepHold(hold: Hold, name: string): Promise<void>;
    settleStored(
      hold: Readonly<{ name: string; userId: number; tokenId: number; budgets?: readonly number[] }>,
      records: readonly UsageRecord[],
    ): Promise<void>;
    record(record: UsageRecord): Promise<void>;
  };
  /**
   * Reads a key that memory rejects, and its owner, from the database again, rate-limited by client address. Resolves
   * true if memory may have changed. Rejects if the database does not respond.
   */
  recheckKey(key: string, address: string): Promise<boolean>;
  /** The balance and limits of an API key or its owner, from the database. */
  readStanding(subject: StandingSubject): Promise<Standing>;
  /** What an API key or its owner spent between two times (epoch seconds, `end` not included), in quota units. */
  readSpending(subject: StandingSubject, range: Readonly<{ start: number; end: number }>): Promise<number>;
  /** Renews the budget of an API key whose period has ended; resolves when calls can use it. */
  renewBudget(tokenId: number): Promise<void>;
  /** The budgets of organizations; absent: there are none. */
  budgets?: Pick<BudgetLookup, "accounts" | "of">;
  /** What plans say of the calls of accounts; absent: nothing. */
  planTerms?: Pick<PlanTermsLookup, "byUser">;
  /** Fills windows of an account's plans that are over; resolves when calls can use them. Never rejects. */
  advancePlans?(userId: number): Promise<void>;
  /** The policies of organizations; absent: there are none. */
  policies?: Pick<PolicyLookup, "of">;
  /** Notes from which networks keys are used; absent: nobody does. */
  keyNetworks?: Pick<KeyNetworks, "observe">;
  /** Begins the next period of budgets of organizations; resolves when calls can use them. */
  renewOrganizationBudgets?(ids: readonly number[]): Promise<void>;
  /** Access tokens of applications, for MCP servers alone; absent: none can be checked. */
  accessTokens?: AccessTokens;
  /** MCP servers whose tools callers may use; absent: there are none. */
  mcpServers?: Pick<McpLookup, "get" | "of">;
  /** Starts those that are processes, and has the sign-ins of accounts; absent: nobody does. */
  mcpFetches?: Pick<McpFetches, "signIns" | "stdio">;
  /** Keys of callers at providers; absent: nobody has any. */
  providerKeys?: Pick<ProviderKeyDirectory, "addressOf" | "of" | "report">;
  clientAddress: ClientAddress;
  /** Counts shared by replicas; null: each process counts alone. */
  sharedLimits: SharedLimits | null;
  /**
   * The account that a console session calls for, the person's or that of an organization, and the person; null without a
   * session. Rejects OperationError when they may not call for the organization that the request names.
   */
  resolveSession(request: Request): Promise<Readonly<{ actor: UserEntry; person: Pick<UserEntry, "id"> }> | null>;
  /** Authenticates values that the gateway creates and clients send back. */
  vault: Pick<Vault, "decrypt" | "encrypt" | "keyedHash">;
  /** Reaches the other processes; absent: there are none. */
  changes?: Pick<Changes, "publish" | "subscribe">;
  /** Where replicas share responses; null or absent: each process has its own. */
  sharedTexts?: Omit<SharedTexts, "close"> | null;
  /** Adds verdicts to calls that are in the log already; absent: they are lost. */
  lateVerdicts?: LateVerdicts;
  /** Publishes calls to administrators as they happen. */
  feed: CallFeed;
  log: Logger;
  countRefusal: CountRefusal;
  metrics: Registry;
  /** Exports traces and metrics of calls; null or absent: disabled. */
  telemetry?: Telemetry | null;
}>;

/** What a function needs of the process: the services of these names. */
export type Uses<Name extends keyof Services> = Readonly<{ services: Pick<Services, Name> }>;

/** What all calls share besides the services. */
export type CallTools = Readonly<{
  /** The model catalog. */
  catalog: () => Catalog;
  deadlines: DeadlineWheel;
  /** Calls whose client's disconnect is not observed yet. */
  pendingDisconnects: DeadlineWheel;
  metrics: GatewayMetrics;
  /** The order in which calls begin under overload. */
  turns: FairTurns;
  /** Memory that bodies of requests take together. */
  bodies: ByteBudget;
  /** Whose share of it a request takes. */
  ownerOfBody: (request: Request) => BudgetOwner;
  /** Random numbers from 0 to 1, to choose channels by weight. */
  random: () => number;
}>;
