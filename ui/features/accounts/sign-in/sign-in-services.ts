import { useEffect, useState } from "react";
import type { SsoName } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import { readData } from "../../../api/client.ts";
import { oauthApi } from "../../../api/groups.ts";
import { readPatiently } from "../../../api/retry.ts";
import { type SiteStatus, useSite } from "../../../state/site-status.ts";

export type ServiceName = "github" | "oidc" | "linuxdo" | "discord" | "wechat" | "telegram";
/** A service, or an identity provider of a company. */
export type AnyService = ServiceName | SsoName;

type Service = Readonly<{
  name: ServiceName;
  /** Keys under `identities.services` in the locales. */
  isOn: (site: SiteStatus) => boolean;
}>;

/** The sign-in services, in the order of their buttons. */
export const SERVICES: readonly Service[] = [
  { name: "github", isOn: (site) => site.github_oauth },
  { name: "oidc", isOn: (site) => site.oidc_enabled },
  { name: "linuxdo", isOn: (site) => site.linuxdo_oauth },
  { name: "discord", isOn: (site) => site.discord_oauth },
  { name: "wechat", isOn: (site) => site.wechat_login },
  { name: "telegram", isOn: (site) => site.telegram_oauth },
];

/** Reads the identity providers of companies that the site offers. Rejects ApiError. */
export const readSsoProviders = () => readData(oauthApi.providers.get());

/** What a visitor can sign in with besides a password. */
export type SignInServices = Readonly<{
  services: readonly ServiceName[];
  companies: Awaited<ReturnType<typeof readSsoProviders>>;
}>;

/** The site's sign-in services; those of companies come once they are loaded. Null: none. */
export function useSignInServices(): SignInServices | null {
  const site = useSite();
  const [companies, setCompanies] = useState<SignInServices["companies"]>([]);
  useEffect(() => {
    // Without them, the password still works.
    readPatiently(readSsoProviders).then(setCompanies, () => undefined);
  }, []);
  const services = site ? SERVICES.filter(({ isOn }) => isOn(site)).map(({ name }) => name) : [];
  return services.length + companies.length > 0 ? { services, companies } : null;
}
