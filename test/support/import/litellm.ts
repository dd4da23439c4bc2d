import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { tablesOf } from "./real-schemas.ts";
import type { Run } from "./start-import.ts";

export const SALT_KEY = "sk-salt-of-litellm";
export const LITELLM_KEYS = {
  alice: "sk-alice-key",
  team: "sk-team-key",
  nobody: "sk-nobody-key",
  old: "sk-old",
} as const;

const literal = (value: unknown): string =>
  `'${(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("'", "''")}'`;
const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** As LiteLLM wrote values until it had AES: NaCl secretbox, nonce first. */
function box(text: string): string {
  const nonce = randomBytes(24);
  const sealed = xsalsa20poly1305(createHash("sha256").update(SALT_KEY).digest(), nonce).encrypt(Buffer.from(text));
  return Buffer.concat([nonce, sealed]).toString("base64url");
}

/** As it writes them now: AES-256-GCM under a key of HKDF. */
function gcm(text: string): string {
  const nonce = randomBytes(12);
  const key = Buffer.from(hkdfSync("sha256", SALT_KEY, "", "litellm-at-rest-v3", 32));
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v3:gcm:${body.toString("base64url")}`;
}

const sealed = (seal: (text: string) => string, params: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(params).map(([name, text]) => [name, seal(text)]));

const deployment = (id: string, name: string, params: object, info: object = {}) =>
  `insert into "LiteLLM_ProxyModelTable" (model_id, model_name, litellm_params, model_info, created_at) values (${[id, name, params, info].map(literal).join(", ")}, '2025-01-0${id.at(-1)}')`;

const ROWS: readonly string[] = [
  `insert into "LiteLLM_BudgetTable" (budget_id, max_budget, budget_duration, budget_reset_at) values
     ('member', 3, '7d', '2100-01-01'), ('org', 1000, null, null), ('project', 20, null, null)`,
  `insert into "LiteLLM_OrganizationTable" (organization_id, organization_alias, budget_id) values ('o1', 'Acme', 'org')`,
  `insert into "LiteLLM_UserTable" (user_id, user_alias, user_role, user_email, max_budget, spend, models, rpm_limit, max_parallel_requests) values
     ('u-admin', 'Root', 'proxy_admin', 'root@acme.example', null, 0, '{}', null, null),
     ('u-alice', null, 'internal_user', 'alice@acme.example', 10, 0.1, '{gpt-4o,claude}', 60, 4)`,
  `insert into "LiteLLM_TeamTable" (team_id, team_alias, organization_id, members_with_roles, max_budget, spend, models, budget_duration) values
     ('t-core', 'Core team', 'o1', '[{"user_id":"u-alice","role":"admin"},{"user_id":"u-admin","role":"user"},{"user_id":"u-gone","role":"user"}]',
       50, 12.5, '{gpt-4o,claude*}', '30d'),
     ('t-fixed', 'Fixed', null, '[]', 5, 1.25, '{}', null)`,
  `insert into "LiteLLM_TeamMembership" (user_id, team_id, spend, budget_id) values ('u-admin', 't-core', 1, 'member')`,
  `insert into "LiteLLM_ProjectTable" (project_id, project_alias, team_id, budget_id, spend) values ('p1', 'Chatbot', 't-core', 'project', 2)`,
  `insert into "LiteLLM_VerificationToken" (token, key_alias, key_name, spend, user_id, team_id, project_id, models, max_budget, budget_duration,
     expires, rpm_limit, tpm_limit, blocked, allowed_routes) values
     ('${hashOf(LITELLM_KEYS.alice)}', 'hers', 'sk-...lice', 0.1, 'u-alice', null, null, '{gpt-4o,fast}', 2, '1d', '2100-01-01', 10, 2000, null, '{}'),
     ('${hashOf(LITELLM_KEYS.team)}', null, 'sk-...team', 12.5, 'u-alice', 't-core', 'p1', '{all-team-models}', null, null, null, null, null, null, '{}'),
     ('${hashOf(LITELLM_KEYS.nobody)}', 'ci', 'sk-...body', 0, null, null, null, '{}', 4, '12h', null, null, null, null, '{}'),
     ('${hashOf(LITELLM_KEYS.old)}', 'old', 'sk-...-old', 0, 'u-alice', null, null, '{}', null, null, null, null, null, true, '{}'),
     ('${hashOf("sk-console")}', 'ui', '', 0, 'u-admin', 'litellm-dashboard', null, '{}', null, null, null, null, null, null, '{}')`,
  deployment("m1", "gpt-4o", sealed(box, { model: "openai/gpt-4o", api_key: "sk-openai" }), {
    access_groups: ["fast"],
  }),
  deployment("m2", "gpt-4o-mini", sealed(gcm, { model: "gpt-4o-mini", api_key: "sk-openai" }), {
    access_groups: ["fast"],
  }),
  deployment(
    "m3",
    "claude",
    sealed(box, { model: "anthropic/claude-sonnet-5", litellm_credential_name: "team-claude" }),
  ),
  deployment("m4", "my-azure", {
    ...{ model: "azure/prod-gpt", api_key: "os.environ/AZURE_KEY" },
    ...{ api_base: "https://acme.openai.azure.com/", api_version: "2025-01-01-preview" },
  }),
  deployment("m5", "odd", { model: "sagemaker/endpoint", api_key: "x" }),
  deployment("m6", "lost", { model: Buffer.alloc(60, 7).toString("base64url") }),
  deployment("m7", "local", sealed(box, { model: "hosted_vllm/qwen", api_base: "http://10.0.0.5:8000/v1" })),
  `insert into "LiteLLM_CredentialsTable" (credential_id, credential_name, credential_values) values ('c1', 'team-claude', ${literal(sealed(box, { api_key: "sk-ant" }))})`,
  `insert into "LiteLLM_SpendLogs" (request_id, api_key, spend, prompt_tokens, completion_tokens, "startTime", "endTime", model, model_id, model_group, status, end_user, request_tags) values
     ('r1', '${hashOf(LITELLM_KEYS.team)}', 12.25, 100, 200, '2025-03-01 12:00:00', '2025-03-01 12:00:01.5', 'gpt-4o', 'm1', 'gpt-4o', 'success', 'person-1', '["beta", "beta", 7]'),
     ('r2', '${hashOf(LITELLM_KEYS.alice)}', 0.0000015, 1, 1, '2025-03-02 12:00:00', '2025-03-02 12:00:01', 'gpt-4o', 'm1', 'gpt-4o', 'success', null, '[]'),
     ('r3', '${hashOf(LITELLM_KEYS.alice)}', 0, 0, 0, '2025-03-02 13:00:00', '2025-03-02 13:00:01', 'gpt-4o', 'm1', 'gpt-4o', 'failure', '', null)`,
];

/** Fills an empty Postgres database with LiteLLM's tables and rows. */
export async function fillLiteLlm(run: Run): Promise<void> {
  for (const statement of [...tablesOf("Postgres", "LiteLLM"), ...ROWS]) await run(statement);
}
