import type { BudgetPeriod, BudgetScope } from "../../../../db/schema/accounts/organizations/budgets.ts";
import type { OrganizationRole } from "../../../../db/schema/accounts/organizations/organizations.ts";
import type { JsonObject } from "../../../formats/json.ts";
import type { WrittenLanguage } from "../../../lib/messages.ts";
import type { ApiKeyInput } from "../../api-keys/api-key-input.ts";
import type { ChannelInput } from "../../channels/manage/channel-input.ts";
import type { PlanInput } from "../../wallet/plans/plans.ts";

/** What a file says of a resource. A field that is absent stays as it is, or as a new one has it. */

/** A channel; JSON settings are objects. */
export type ChannelEntry = Omit<ChannelInput, "key" | "models" | "group" | "groups" | JsonField> & {
  name: string;
  /** One key a line, or a list. */
  key?: string | readonly string[];
  models?: readonly string[];
  groups?: readonly string[];
} & { [Field in JsonField]?: JsonObject | null };

export type JsonField = "model_mapping" | "status_code_mapping" | "setting" | "param_override" | "header_override";

/** A group of users: the factor on prices, the text for those who may choose it (null: nobody may), the factor on top-ups. */
export type GroupEntry = { ratio?: number; description?: string | null; topup_ratio?: number | null };

/** A person. The file neither makes administrators nor sets passwords. */
export type UserEntryInput = { name: string; display_name?: string; group?: string };

/** An organization; members and projects are exactly those that the file names. */
export type OrganizationEntry = {
  name: string;
  display_name?: string;
  members?: Readonly<Record<string, OrganizationRole>>;
  projects?: readonly string[];
};

/** What a part of an organization may spend; `target` is the name of the project, member or key. */
export type BudgetEntry = {
  organization: string;
  scope: BudgetScope;
  target?: string;
  period: BudgetPeriod;
  limit?: number;
  is_hard?: boolean;
};

/** An API key of a person or an organization. `quota` is what it is given; what it has used of it is not the file's affair. */
export type KeyEntry = Omit<ApiKeyInput, "name" | "project_id" | "remain_quota" | "model_limits"> & {
  name: string;
  owner: string;
  project?: string;
  quota?: number;
  model_limits?: readonly string[];
  status?: number;
};

export type PlanEntry = Partial<Omit<PlanInput, "id">> & { name: string };

/** Where the site's alerts go. */
export type AlertDestinationEntry = {
  name: string;
  type: string;
  language?: WrittenLanguage;
  enabled?: boolean;
  quiet_from?: string;
  quiet_until?: string;
  time_zone?: string;
  digest_minutes?: number;
  config?: Readonly<Record<string, string>>;
};

/** Which events of the site are alerts; `destinations` are names, none: all. */
export type AlertRuleEntry = {
  event: string;
  threshold?: number;
  window_minutes?: number;
  period?: string;
  per?: string;
  subject?: string;
  destinations?: readonly string[];
  enabled?: boolean;
};

/** Where usage records are exported. */
export type SinkEntry = {
  name: string;
  type: string;
  enabled?: boolean;
  /** A new one also receives the calls that the log already has. */
  from_start?: boolean;
  config?: Readonly<Record<string, string>>;
};

/** The state that files describe. What is absent is not touched. */
export type ConfigurationDocument = Readonly<{
  options?: Readonly<Record<string, unknown>>;
  groups?: Readonly<Record<string, GroupEntry>>;
  /** In dollars, as the model catalog has them, or the `ratios` of the price options; null: no price. */
  prices?: Readonly<Record<string, JsonObject | null>>;
  routes?: Readonly<Record<string, JsonObject>>;
  /** Each may have the `key` of its service. */
  guardrails?: Readonly<Record<string, JsonObject>>;
  users?: readonly UserEntryInput[];
  plans?: readonly PlanEntry[];
  channels?: readonly ChannelEntry[];
  organizations?: readonly OrganizationEntry[];
  keys?: readonly KeyEntry[];
  budgets?: readonly BudgetEntry[];
  alert_destinations?: readonly AlertDestinationEntry[];
  alert_rules?: readonly AlertRuleEntry[];
  sinks?: readonly SinkEntry[];
}>;

export type KindName = keyof ConfigurationDocument;
