import type { SourceFacts } from "./column-facts.ts";

const STATISTICS = "statistics are made from the log";
const RUNTIME = "states of running processes";
const AGENTS = "there are no registered agents";
const MCP = "set up MCP servers here";
const GUARDRAILS = "set up guardrails here";
const LENS = "there is no Lens";
const FILES = "files and stores stay at their providers";
const WORKFLOWS = "there are no workflows";
const ROUTER = "there is no router that learns; set up routes here";
const DELETED = "deleted keys and teams are left out";
const SIGN_IN = "set up single sign-on here";
const SETTINGS = "settings of LiteLLM's own console";

const CHANGES = { "created_by updated_at updated_by": "the audit log of this gateway begins with the import" };
const PERMISSIONS = "permissions for MCP servers, agents and vector stores";
const DAILY_TOKENS = "enter it as a limit rule";
const MODEL_BUDGETS = "there are no budgets by model";

/** What becomes of the tables of LiteLLM, as of litellm-proxy-extras 0.4.110. */
export const LITELLM_FACTS: SourceFacts = {
  LiteLLM_UserTable: {
    taken: "user_email rpm_limit created_at",
    converted: {
      "user_id user_alias": "to a username of at most 12 characters, and a shown name",
      user_role: "proxy_admin becomes an administrator, all others users",
      "max_budget spend budget_duration budget_reset_at":
        "what is left of the budget is the balance; it is not renewed",
      models: "each personal key gets the user's models",
      max_parallel_requests: "calls at a time of the account",
    },
    leftOut: {
      "password password_reset_required last_breach_check_at":
        "people reset their passwords, or sign in with a provider",
      sso_user_id: SIGN_IN,
      "team_id teams": "the teams list their members",
      organization_id: "organizations of LiteLLM stand above teams; there is no such level here",
      object_permission_id: PERMISSIONS,
      tpm_limit: "enter it as a limit rule; the report counts them",
      metadata: "accounts have no further data",
      allowed_cache_controls: "every caller may use Cache-Control",
      policies: GUARDRAILS,
      model_spend: STATISTICS,
      model_max_budget: MODEL_BUDGETS,
      updated_at: "the audit log of this gateway begins with the import",
    },
  },
  LiteLLM_TeamTable: {
    taken: "blocked rpm_limit max_parallel_requests created_at",
    converted: {
      "team_id team_alias": "to a username of at most 12 characters, and a shown name",
      members_with_roles: "to members; the first administrator is the owner",
      "max_budget spend budget_duration budget_reset_at":
        "a total budget is the balance, one that is renewed a budget of the organization",
      models: "to a policy",
    },
    leftOut: {
      "admins members": "members_with_roles has them",
      organization_id: "organizations of LiteLLM stand above teams; there is no such level here",
      object_permission_id: PERMISSIONS,
      metadata: "organizations have no further data",
      soft_budget: "add an alert rule here",
      tpm_limit: "enter it as a limit rule; the report counts them",
      tpd_limit: DAILY_TOKENS,
      model_spend: STATISTICS,
      model_max_budget: MODEL_BUDGETS,
      budget_limits: "an organization has one budget for each period; enter others here",
      router_settings: ROUTER,
      team_member_permissions: "roles of members decide",
      access_group_ids: "access groups of models; list the models in a policy",
      "policies allow_team_guardrail_config": GUARDRAILS,
      default_team_member_models: "policies hold for all members",
      model_id: "names of a team's own do not come over",
      updated_at: "the audit log of this gateway begins with the import",
    },
  },
  LiteLLM_TeamMembership: {
    taken: "user_id team_id",
    converted: { "budget_id spend": "to a budget of the member" },
    leftOut: { total_spend: STATISTICS },
  },
  LiteLLM_ProjectTable: {
    taken: "project_id team_id created_at",
    converted: {
      project_alias: "cut to 60 characters",
      "budget_id spend": "to a budget of the project",
      models: "to a policy of the project",
    },
    leftOut: {
      description: "projects have no description",
      metadata: "projects have no further data",
      model_spend: STATISTICS,
      "model_rpm_limit model_tpm_limit": "enter them as limit rules",
      blocked: "the report counts them; disable their keys",
      object_permission_id: PERMISSIONS,
      ...CHANGES,
    },
  },
  LiteLLM_BudgetTable: {
    taken: "budget_id max_budget",
    converted: {
      "budget_duration budget_reset_at": "to a day, week or month; at other intervals what is left is not renewed",
    },
    leftOut: {
      soft_budget: "add an alert rule here",
      "max_parallel_requests tpm_limit rpm_limit": "limits stand with keys and accounts",
      tpd_limit: DAILY_TOKENS,
      model_max_budget: MODEL_BUDGETS,
      allowed_models: "models stand with keys and policies",
      "temp_budget_increase temp_budget_expiry": "raise the budget here for that time",
      created_at: "budgets begin with the import",
      ...CHANGES,
    },
  },
  LiteLLM_OrganizationTable: {
    taken: "",
    converted: {
      "organization_id organization_alias budget_id": "to a line of the report for a budget that spans teams",
    },
    leftOut: {
      "metadata models spend model_spend object_permission_id created_at":
        "organizations of LiteLLM stand above teams; there is no such level here",
      ...CHANGES,
    },
  },
  LiteLLM_VerificationToken: {
    taken: "rpm_limit tpm_limit created_at last_active project_id",
    converted: {
      token: "to a keyed hash of it: the key works, and is not shown",
      "key_name key_alias": "cut to 30 characters",
      spend: "used quota",
      expires: "to seconds; null never expires",
      models: "access groups become the names of today, and so do patterns that a user's own list narrows",
      "user_id team_id": "the owner is the team, else the user",
      blocked: "to disabled",
      allowed_routes: "a key that is limited to routes comes disabled",
      "max_budget budget_id budget_duration budget_reset_at":
        "to a quota, renewed by day, week or month; at other intervals what is left is not renewed",
    },
    leftOut: {
      soft_budget_cooldown: "add an alert rule here",
      total_spend: "the log has it",
      "aliases config": "names of a key's own; make a route here",
      router_settings: ROUTER,
      agent_id: AGENTS,
      permissions: GUARDRAILS,
      max_parallel_requests: "enter it as a limit rule; the report counts them",
      metadata: "keys have no further data",
      tpd_limit: DAILY_TOKENS,
      allowed_cache_controls: "every caller may use Cache-Control",
      key_type: "allowed_routes says it",
      policies: GUARDRAILS,
      access_group_ids: "access groups of models; list the models with the key",
      model_spend: STATISTICS,
      model_max_budget: MODEL_BUDGETS,
      budget_fallbacks: "models are switched by routes",
      organization_id: "organizations of LiteLLM stand above teams; there is no such level here",
      object_permission_id: PERMISSIONS,
      budget_limits: "a key has one budget; enter another with its project",
      settings_updated_at: "the audit log of this gateway begins with the import",
      "rotation_count auto_rotate rotation_interval last_rotation_at key_rotation_at":
        "policies say how old a secret may be",
      ...CHANGES,
    },
  },
  LiteLLM_ProxyModelTable: {
    taken: "model_id created_at",
    converted: {
      model_name: "a model or a pattern of a channel",
      litellm_params: "decrypted: provider, key, base URL, region; prices are left out",
      model_info: "access groups become names; prices are left out",
      blocked: "blocked deployments are left out",
    },
    leftOut: CHANGES,
  },
  LiteLLM_CredentialsTable: {
    taken: "credential_name",
    converted: { credential_values: "decrypted, where a deployment names it" },
    leftOut: { "credential_id display_name credential_info created_at": "keys stand with their channels", ...CHANGES },
  },
  LiteLLM_SpendLogs: {
    taken: "prompt_tokens completion_tokens requester_ip_address",
    converted: {
      request_id: "part of the id by which a second import recognizes the row",
      "api_key user team_id model_id": "to the key, its owner and the channel",
      spend: "to quota units",
      "startTime endTime": "to the second it began and the milliseconds it took",
      "model model_group": "the group's name, else the model's",
      status: "failure becomes a failed call",
      end_user: "cut to 256 characters",
      request_tags: "to the tags of the call",
    },
    leftOut: {
      "call_type custom_llm_provider api_base": "the channel says it",
      "total_tokens request_duration_ms completionStartTime": "made from the others",
      "metadata cache_hit cache_key organization_id": "rows don't say it",
      "messages response proxy_server_request": "contents of past calls stay at the old gateway",
      "session_id agent_id billing_agent_id mcp_namespaced_tool_name litellm_call_id": "rows don't say it",
      "created_at updated_at": "the time of the call stands for them",
    },
  },
  ...without(STATISTICS, [
    "AutoRouterDailySpend BudgetWindowSpend DailyAgentSpend DailyEndUserSpend DailyGatewayFailedRequests",
    "DailyGatewayRequests DailyGlobalSpend DailyGuardrailMetrics DailyGuardrailUsageUnits DailyModelUsage",
    "DailyOrganizationSpend DailyPolicyMetrics DailyRequestErrors DailyTagSpend DailyTeamSpend DailyToolSpend",
    "DailyUserSpend SpendLogGuardrailIndex SpendLogToolIndex TelemetryReport",
  ]),
  ...without(AGENTS, ["AgentsTable AgentIdentity RetiredAgent RetiredAgentIdentity"]),
  ...without(MCP, ["MCPServerTable MCPServerOAuthClient MCPToolsetTable MCPUserCredentials MCPUserEnvVars ToolTable"]),
  ...without("tools for searching are those of providers", ["SearchToolsTable"]),
  ...without(GUARDRAILS, ["GuardrailsTable PolicyTable PolicyAttachmentTable"]),
  ...without(LENS, [
    "Lens LensDataset LensIngestionKey LensReview LensRun LensSignalConfig LensTraceSignal LensWorker",
  ]),
  ...without(FILES, [
    "ManagedFileTable ManagedFileContentTable ManagedObjectTable ManagedVectorStoreTable ManagedVectorStoresTable",
    "ManagedVectorStoreIndexTable",
  ]),
  ...without(WORKFLOWS, ["WorkflowRun WorkflowEvent WorkflowMessage"]),
  ...without(ROUTER, [
    "AdaptiveRouterSession AdaptiveRouterState AutoRouterBaselineComparison AutoRouterBaselineObservation",
    "AutoRouterSession AutoRouterUserSession ShadowEvalAttempt ShadowEvalFunnel ShadowEvalJob",
  ]),
  ...without(DELETED, ["DeletedTeamTable DeletedVerificationToken DeprecatedVerificationToken"]),
  ...without(SIGN_IN, ["SSOConfig SSOIdentityAssertion JWTKeyMapping VerifiedSubject InvitationLink"]),
  ...without(RUNTIME, ["BackgroundInteractionSettlement CronJob HealthCheckTable ProxyWorkerHeartbeat"]),
  ...without(SETTINGS, ["Config ConfigOverrides CacheConfig UISettings UserNotifications"]),
  ...without("set limits of end users here", ["EndUserTable"]),
  ...without("there are no budgets by tag", ["TagTable"]),
  ...without("access groups of models; list the models with keys and policies", [
    "AccessGroupTable ModelAccessGroupBudgetTable",
  ]),
  ...without("organizations of LiteLLM stand above teams; there is no such level here", ["OrganizationMembership"]),
  ...without("names of a team's own do not come over", ["ModelTable"]),
  ...without(PERMISSIONS, ["ObjectPermissionTable"]),
  ...without("keys of providers belong to channels", ["UserProviderCredentials"]),
  ...without("changes of the past stay at the old gateway", ["AuditLog ErrorLogs"]),
  ...without("there are no stored prompts, skills, memories and plugins", [
    "PromptTable SkillsTable MemoryTable ClaudeCodePluginTable",
  ]),
};

/** Tables that are left out for one reason, by their names without the prefix. */
function without(because: string, names: readonly string[]): SourceFacts {
  const tables = names.join(" ").split(" ");
  return Object.fromEntries(tables.map((name) => [`LiteLLM_${name}`, because]));
}
