import {
  isDomain,
  SSO_FIELDS,
  type SsoIcon,
  type SsoType,
} from "../../../../src/domain/accounts/identity/sso-rules.ts";
import type { Mapping } from "./MappingRows.tsx";
import type { Provider } from "./provider-calls.ts";

/** The drawer's fields; a secret that is stored is empty. */
export type ProviderForm = {
  type: SsoType;
  name: string;
  icon: SsoIcon;
  enabled: boolean;
  config: Readonly<Record<string, string>>;
  secret: string;
  domains: readonly string[];
  enforced: boolean;
  createsAccounts: boolean;
  mappings: readonly Mapping[];
};

/** Initial values; null: a new provider. */
export const formOfProvider = (provider: Provider | null): ProviderForm => ({
  type: provider?.type ?? "oidc",
  name: provider?.name ?? "",
  icon: provider?.icon ?? "",
  enabled: provider?.enabled ?? true,
  config: provider?.config ?? { groups_claim: "groups" },
  secret: "",
  domains: provider?.domains ?? [],
  enforced: provider?.enforced ?? false,
  createsAccounts: provider?.creates_accounts ?? true,
  mappings: provider?.mappings ?? [],
});

/** The body of POST and PUT. */
export const bodyOfProvider = (form: ProviderForm) => ({
  ...{ name: form.name.trim(), icon: form.icon, enabled: form.enabled, secret: form.secret, enforced: form.enforced },
  config: { ...form.config },
  domains: [...form.domains],
  creates_accounts: form.createsAccounts,
  mappings: [...form.mappings],
});

/** The fields that are missing or wrong; `config.FIELD` for those of the type. */
export function checkProviderForm(form: ProviderForm): Readonly<Record<string, "required" | "domain" | undefined>> {
  const missing = Object.entries(SSO_FIELDS[form.type]).filter(
    ([field, { isOptional }]) => !isOptional && !form.config[field]?.trim(),
  );
  const hasWrongDomain = form.domains.some((domain) => !isDomain(domain.toLowerCase()));
  return {
    ...(form.name.trim() === "" && { name: "required" as const }),
    ...Object.fromEntries(missing.map(([field]) => [`config_${field}`, "required" as const])),
    ...((hasWrongDomain || (form.enforced && form.domains.length === 0)) && { domains: "domain" as const }),
    ...(form.mappings.some(({ group }) => group.trim() === "") && { mappings: "required" as const }),
  };
}
